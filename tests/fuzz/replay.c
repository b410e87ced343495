/* Replays the files given as arguments through one fuzz target. */
#include "fuzz.h"

static void replay(const char *path) {
  enum { MOST = 1 << 20 };
  static uint8_t buffer[MOST];
  FILE *file = fopen(path, "rb");
  if (file == NULL) {
    perror(path);
    exit(1);
  }
  size_t size = fread(buffer, 1, sizeof buffer, file);
  fclose(file);
  uint8_t *exact = malloc(size > 0 ? size : 1); /* nothing behind it, for sanitizers */
  if (exact == NULL) exit(1);
  memcpy(exact, buffer, size);
  LLVMFuzzerTestOneInput(exact, size);
  free(exact);
}

int main(int count, char **paths) {
  for (int i = 1; i < count; i++) replay(paths[i]);
  printf("%d checks passed\n", count - 1);
  return count > 1 ? 0 : 1;
}
