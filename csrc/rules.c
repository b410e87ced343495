#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "rules.h"

void chase_rules_default(chase_rules *out) {
  static const uint8_t setup[CHASE_HOME_DICE] = {1, 2, 3, 4, 5, 4, 3, 2, 1};
  memset(out, 0, sizeof *out);
  out->reserve = 1;
  out->recycle = 1;
  out->wrap = 1;
  out->ricochet = 1;
  memcpy(out->setup, setup, sizeof setup);
}

int chase_rules_total(const chase_rules *rules) {
  int total = 0;
  for (int i = 0; i < CHASE_HOME_DICE; i++) total += rules->setup[i];
  return total;
}

chase_status chase_error_set(chase_error *error, chase_status status, ptrdiff_t offset,
                             const char *format, ...) {
  error->status = status;
  error->offset = offset < 0 || offset > INT32_MAX ? -1 : (int32_t)offset;
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(error->message, sizeof error->message, format, arguments);
  va_end(arguments);
  return status;
}

size_t chase_show(const char *text, size_t length, char out[CHASE_SHOWN_SIZE]) {
  const unsigned char first = (unsigned char)text[0];
  size_t size = first >= 0xc2 && first < 0xe0   ? 2
                : first >= 0xe0 && first < 0xf0 ? 3
                : first >= 0xf0 && first < 0xf5 ? 4
                                                : 1;
  for (size_t i = 1; i < size; i++)
    if (i >= length || ((unsigned char)text[i] & 0xc0) != 0x80) size = 1;
  if (size == 1 && (first < 0x20 || first >= 0x7f)) {
    snprintf(out, CHASE_SHOWN_SIZE, "\\x%02x", first);
    return 1;
  }
  memcpy(out, text, size);
  out[size] = 0;
  return size;
}

void chase_quote(const char *text, size_t length, char out[CHASE_QUOTE_SIZE]) {
  size_t n = 0;
  size_t i = 0;
  /* Room for one more character, three dots and the end. */
  while (i < length && n < CHASE_QUOTE_SIZE - (CHASE_SHOWN_SIZE - 1) - 4) {
    char shown[CHASE_SHOWN_SIZE];
    i += chase_show(text + i, length - i, shown);
    const size_t size = strlen(shown);
    memcpy(out + n, shown, size);
    n += size;
  }
  if (i < length) {
    memcpy(out + n, "...", 3);
    n += 3;
  }
  out[n] = 0;
}

/* ---- the table of options (R12), in order ---- */

typedef enum field_kind { FIELD_NUMBER, FIELD_WORD, FIELD_SETUP } field_kind;

typedef struct field {
  const char *name;
  field_kind kind;
  uint8_t highest;      /* of a number, or index of the last word */
  const char *words[3]; /* value 0, 1, 2 */
  const char *allowed;
} field;

static const field fields[] = {
    {"reserve", FIELD_NUMBER, CHASE_MAX_RESERVE, {0}, "a number from 0 to 16"},
    {"recycle", FIELD_WORD, 1, {"no", "yes", 0}, "yes or no"},
    {"chain", FIELD_WORD, 1, {"no", "yes", 0}, "yes or no"},
    {"handout", FIELD_WORD, 1, {"lowest", "any", 0}, "lowest or any"},
    {"setup", FIELD_SETUP, 0, {0}, "nine digits, each 1 to 6"},
    {"wrap", FIELD_WORD, 1, {"no", "yes", 0}, "yes or no"},
    {"ricochet", FIELD_WORD, 1, {"no", "yes", 0}, "yes or no"},
    {"repetition", FIELD_WORD, 2, {"threefold", "moves", "none"}, "threefold, moves or none"},
};
enum { FIELD_COUNT = sizeof fields / sizeof fields[0], FIELD_SETUP_INDEX = 4 };

#define FIELD_NAMES "reserve, recycle, chain, handout, setup, wrap, ricochet, repetition"
#define PRESET_NAMES "standard, rulebook, russian, wikipedia"

static uint8_t *field_slot(chase_rules *rules, int index) {
  switch (index) {
    case 0: return &rules->reserve;
    case 1: return &rules->recycle;
    case 2: return &rules->chain;
    case 3: return &rules->handout;
    case 5: return &rules->wrap;
    case 6: return &rules->ricochet;
    default: return &rules->repetition;
  }
}

static uint8_t field_value(const chase_rules *rules, int index) {
  chase_rules copy = *rules;
  return *field_slot(&copy, index);
}

chase_status chase_rules_check(const chase_rules *rules, chase_error *error) {
  for (int i = 0; i < FIELD_COUNT; i++) {
    if (i == FIELD_SETUP_INDEX) {
      for (int k = 0; k < CHASE_HOME_DICE; k++)
        if (rules->setup[k] < 1 || rules->setup[k] > CHASE_MAX_VALUE)
          return chase_error_set(error, CHASE_BAD_RULES, -1,
                                 "setup has value %d at place %d, expected 1 to 6 (R12)",
                                 rules->setup[k], k + 1);
      continue;
    }
    const uint8_t value = field_value(rules, i);
    if (value > fields[i].highest)
      return chase_error_set(error, CHASE_BAD_RULES, -1, "%s is %d, expected %s (R12)",
                             fields[i].name, value, fields[i].allowed);
  }
  return CHASE_OK;
}

static bool equals(const char *text, size_t length, const char *word) {
  return strlen(word) == length && memcmp(text, word, length) == 0;
}

static bool parse_preset(const char *text, size_t length, chase_rules *rules) {
  if (equals(text, length, "standard")) return true;
  if (equals(text, length, "rulebook")) {
    rules->repetition = CHASE_REPETITION_NONE;
    return true;
  }
  if (equals(text, length, "russian")) {
    rules->chain = 1;
    return true;
  }
  if (equals(text, length, "wikipedia")) {
    rules->handout = CHASE_HANDOUT_ANY;
    return true;
  }
  return false;
}

/* value = decimal number without leading zeros | word | nine digits */
static bool parse_value(const field *f, const char *text, size_t length, uint8_t *slot,
                        chase_rules *rules) {
  if (f->kind == FIELD_WORD) {
    for (uint8_t i = 0; i <= f->highest; i++)
      if (equals(text, length, f->words[i])) {
        *slot = i;
        return true;
      }
    return false;
  }
  for (size_t i = 0; i < length; i++)
    if (text[i] < '0' || text[i] > '9') return false;
  if (f->kind == FIELD_SETUP) {
    if (length != CHASE_HOME_DICE) return false;
    for (size_t i = 0; i < length; i++) {
      if (text[i] < '1' || text[i] > '6') return false;
      rules->setup[i] = (uint8_t)(text[i] - '0');
    }
    return true;
  }
  if (length < 1 || length > 2 || (length == 2 && text[0] == '0')) return false;
  int number = 0;
  for (size_t i = 0; i < length; i++) number = 10 * number + (text[i] - '0');
  if (number > f->highest) return false;
  *slot = (uint8_t)number;
  return true;
}

chase_status chase_rules_parse(const char *text, size_t length, chase_rules *out,
                               chase_error *error) {
  chase_rules rules;
  chase_rules_default(&rules);
  char quoted[CHASE_QUOTE_SIZE];
  bool seen[FIELD_COUNT] = {false};
  size_t start = 0;
  for (;;) {
    const char *const item = text + start;
    const char *const comma = start < length ? memchr(item, ',', length - start) : NULL;
    const size_t size = comma ? (size_t)(comma - item) : length - start;
    const char *const sign = size ? memchr(item, '=', size) : NULL;
    const size_t name_size = sign ? (size_t)(sign - item) : size;
    chase_quote(item, name_size, quoted);
    if (!sign) {
      if (start > 0 || !parse_preset(item, size, &rules)) {
        if (start > 0 && parse_preset(item, size, &rules))
          return chase_error_set(error, CHASE_BAD_RULES, (ptrdiff_t)start,
                                 "preset '%s' at offset %zu: a preset may only come first", quoted,
                                 start);
        return chase_error_set(error, CHASE_BAD_RULES, (ptrdiff_t)start,
                               "'%s' at offset %zu is no named rule; allowed: " PRESET_NAMES
                               ", or name=value with " FIELD_NAMES,
                               quoted, start);
      }
    } else {
      int index = 0;
      while (index < FIELD_COUNT && !equals(item, name_size, fields[index].name)) index++;
      if (index == FIELD_COUNT)
        return chase_error_set(error, CHASE_BAD_RULES, (ptrdiff_t)start,
                               "unknown rule option '%s' at offset %zu; allowed: " FIELD_NAMES,
                               quoted, start);
      if (seen[index])
        return chase_error_set(error, CHASE_BAD_RULES, (ptrdiff_t)start,
                               "rule option '%s' at offset %zu is given twice", quoted, start);
      seen[index] = true;
      const char *const value = sign + 1;
      const size_t value_size = size - name_size - 1;
      uint8_t *const slot = index == FIELD_SETUP_INDEX ? NULL : field_slot(&rules, index);
      if (!parse_value(&fields[index], value, value_size, slot, &rules)) {
        chase_quote(value, value_size, quoted);
        return chase_error_set(error, CHASE_BAD_RULES, value - text,
                               "rule option %s is '%s' at offset %td, expected %s (R12)",
                               fields[index].name, quoted, value - text, fields[index].allowed);
      }
    }
    if (!comma) break;
    start = (size_t)(comma - text) + 1;
  }
  *out = rules;
  return CHASE_OK;
}

size_t chase_rules_format(const chase_rules *rules, char out[CHASE_RULES_SIZE]) {
  chase_rules standard;
  chase_rules_default(&standard);
  size_t n = 0;
  for (int i = 0; i < FIELD_COUNT; i++) {
    char value[16] = "";
    if (i == FIELD_SETUP_INDEX) {
      if (memcmp(rules->setup, standard.setup, sizeof rules->setup) == 0) continue;
      for (int k = 0; k < CHASE_HOME_DICE; k++) value[k] = (char)('0' + rules->setup[k]);
    } else {
      const uint8_t number = field_value(rules, i);
      if (number == field_value(&standard, i)) continue;
      if (fields[i].kind == FIELD_NUMBER)
        snprintf(value, sizeof value, "%d", number);
      else
        snprintf(value, sizeof value, "%s", fields[i].words[number]);
    }
    n += (size_t)snprintf(out + n, CHASE_RULES_SIZE - n, "%s%s=%s", n ? "," : "", fields[i].name,
                          value);
  }
  if (n == 0) n = (size_t)snprintf(out, CHASE_RULES_SIZE, "standard");
  return n;
}
