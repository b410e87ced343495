/* The positions of tests/golden/vectors for C programs, which are started in the top
 * folder. */
#ifndef VECTORS_H
#define VECTORS_H

#include "support.h"

typedef struct vector_file {
  FILE *file;
  char line[1 << 16]; /* longer than any line */
} vector_file;

static inline void vectors_open(vector_file *vectors, const char *path) {
  vectors->file = fopen(path, "r");
  if (vectors->file == NULL) give_up("vectors", path);
}

/* Copies the text between two marks. */
static inline void vectors_between(const char *line, const char *begin, char end, char *out,
                                   size_t size) {
  const char *at = strstr(line, begin);
  if (at == NULL) give_up("vectors", begin);
  at += strlen(begin);
  const char *last = strchr(at, end);
  if (last == NULL || (size_t)(last - at) >= size) give_up("vectors", begin);
  memcpy(out, at, (size_t)(last - at));
  out[last - at] = '\0';
}

/* {"reserve":0,"chain":true} without its braces to "reserve=0,chain=yes". */
static inline void vectors_rules(const char *json, char out[CHASE_RULES_SIZE]) {
  size_t n = 0;
  for (const char *at = json; *at != '\0'; at++) {
    const char *word = NULL;
    if (*at == '"' || *at == ' ') continue;
    if (strncmp(at, ":true", 5) == 0) word = "=yes";
    if (strncmp(at, ":false", 6) == 0) word = "=no";
    if (n + 5 >= CHASE_RULES_SIZE) give_up("vectors", json);
    if (word != NULL) {
      memcpy(out + n, word, strlen(word));
      n += strlen(word);
      at += *(at + 1) == 't' ? 4 : 5;
    } else {
      out[n++] = *at == ':' ? '=' : *at;
    }
  }
  memcpy(out + n, n ? "" : "standard", n ? 1 : sizeof "standard");
}

/* The next position: its rules, and its text. False at the end. */
static inline bool vectors_next(vector_file *vectors, chase_rules *rules,
                                char cfen[CHASE_CFEN_SIZE]) {
  char json[CHASE_RULES_SIZE], text[CHASE_RULES_SIZE + sizeof "standard"];
  if (fgets(vectors->line, sizeof vectors->line, vectors->file) == NULL) {
    fclose(vectors->file);
    return false;
  }
  vectors_between(vectors->line, "\"rules\":{", '}', json, sizeof json);
  vectors_between(vectors->line, "\"cfen\":\"", '"', cfen, CHASE_CFEN_SIZE);
  vectors_rules(json, text);
  *rules = rules_of(text);
  return true;
}

#endif
