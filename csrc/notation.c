#include <stdio.h>
#include <string.h>

#include "rules.h"
#include "variant.h"

/* Text being read; `at` never passes `length`. */
typedef struct reader {
  const char *text;
  size_t length;
  size_t at;
} reader;

/* The next byte, or -1 at the end. Bytes above 127 match no rule. */
static int peek(const reader *r) {
  return r->at < r->length ? (unsigned char)r->text[r->at] : -1;
}

static bool accept(reader *r, char c) {
  if (peek(r) != c) return false;
  r->at++;
  return true;
}

/* A character as it stands in a message. */
typedef struct found_text {
  char text[16];
} found_text;

static found_text found(const reader *r) {
  found_text out = {"the end"};
  if (r->at < r->length) {
    char shown[CHASE_SHOWN_SIZE];
    chase_show(r->text + r->at, r->length - r->at, shown);
    snprintf(out.text, sizeof out.text, "'%s'", shown);
  }
  return out;
}

static chase_status expected(const reader *r, const char *what, chase_error *error) {
  return chase_error_set(error, CHASE_BAD_SYNTAX, (ptrdiff_t)r->at, "%s at offset %zu, expected %s",
                         found(r).text, r->at, what);
}

/* cell = letter a-i, digit 1-9 */
static bool read_cell(reader *r, int *cell) {
  if (r->length - r->at < 2) return false;
  const char row = r->text[r->at];
  const char column = r->text[r->at + 1];
  if (row < 'a' || row > 'i' || column < '1' || column > '9') return false;
  r->at += 2;
  *cell = ('i' - row) * CHASE_COLUMNS + (column - '1');
  return true;
}

/* row = (digit 1-9 | die)+, nine cells, no two digits side by side */
static chase_status read_row(reader *r, int row, chase_setup *out, chase_error *error) {
  int column = 0;
  bool after_digit = false;
  const char row_name = (char)('i' - row);
  while (column < CHASE_COLUMNS) {
    const int byte = peek(r);
    int width = 1;
    int value = 0;
    if (byte >= '1' && byte <= '9') {
      if (after_digit)
        return expected(r, "a die or the row's end after a digit (no two digits side by side)",
                        error);
      width = byte - '0';
      after_digit = true;
    } else if (byte >= 'A' && byte <= 'F') {
      value = byte - 'A' + 1;
      after_digit = false;
    } else if (byte >= 'a' && byte <= 'f') {
      value = -(byte - 'a' + 1);
      after_digit = false;
    } else {
      return chase_error_set(
          error, CHASE_BAD_SYNTAX, (ptrdiff_t)r->at,
          "%s at offset %zu in row %c, which has %d of 9 cells; expected A-F, a-f or 1-9",
          found(r).text, r->at, row_name, column);
    }
    if (column + width > CHASE_COLUMNS)
      return chase_error_set(error, CHASE_BAD_SYNTAX, (ptrdiff_t)r->at,
                             "row %c has more than 9 cells at offset %zu", row_name, r->at);
    if (value) out->board[row * CHASE_COLUMNS + column] = (int8_t)value;
    column += width;
    r->at++;
  }
  return CHASE_OK;
}

/* number = 0 | digit 1-9, digits; at most six digits */
static chase_status read_number(reader *r, int32_t *out, chase_error *error) {
  const size_t start = r->at;
  int32_t number = 0;
  while (peek(r) >= '0' && peek(r) <= '9') {
    if (r->at - start == 6) return expected(r, "a number of at most six digits", error);
    if (r->at > start && number == 0) return expected(r, "no leading zero in a number", error);
    number = 10 * number + (peek(r) - '0');
    r->at++;
  }
  if (r->at == start) return expected(r, "a number of spare dice", error);
  *out = number;
  return CHASE_OK;
}

/* cfen = row "/" ... (nine rows) " " side [" " (cell | "-") [" " number "/" number]] */
static chase_status read_cfen(const chase_variant *variant, reader *r, chase_setup *out,
                              chase_error *error) {
  for (int row = 0; row < CHASE_ROWS; row++) {
    if (row > 0 && !accept(r, '/')) return expected(r, "'/' after nine cells of a row", error);
    const chase_status status = read_row(r, row, out, error);
    if (status != CHASE_OK) return status;
  }
  if (!accept(r, ' ')) return expected(r, "one space and the side to act", error);
  if (accept(r, 'r'))
    out->side = CHASE_RED;
  else if (accept(r, 'b'))
    out->side = CHASE_BLUE;
  else
    return expected(r, "the side to act, r or b", error);
  bool spare_given = false;
  if (r->at < r->length) {
    if (!accept(r, ' ')) return expected(r, "one space or the end", error);
    if (!accept(r, '-') && !read_cell(r, &out->capturing))
      return expected(r, "the cell of the capturing die, or -", error);
    if (r->at < r->length) {
      if (!accept(r, ' ')) return expected(r, "one space or the end", error);
      chase_status status = read_number(r, &out->spare[CHASE_RED], error);
      if (status != CHASE_OK) return status;
      if (!accept(r, '/')) return expected(r, "'/' between the spare dice of red and blue", error);
      status = read_number(r, &out->spare[CHASE_BLUE], error);
      if (status != CHASE_OK) return status;
      if (r->at < r->length) return expected(r, "the end", error);
      spare_given = true;
    }
  }
  if (!spare_given) {
    if (!variant->rules.recycle)
      return expected(r, "the spare dice, which the board does not tell with recycle=no", error);
    for (int side = 0; side < 2; side++)
      out->spare[side] = CHASE_HOME_DICE + variant->rules.reserve;
    for (int cell = 0; cell < CHASE_CELLS; cell++)
      if (out->board[cell]) out->spare[out->board[cell] > 0 ? CHASE_RED : CHASE_BLUE]--;
  }
  return CHASE_OK;
}

chase_status chase_cfen_parse(const chase_variant *variant, const char *text, size_t length,
                              chase_setup *out, chase_error *error) {
  reader r = {text, length, 0};
  chase_setup setup = {.capturing = CHASE_NO_CELL};
  const chase_status status = read_cfen(variant, &r, &setup, error);
  if (status == CHASE_OK) *out = setup;
  return status;
}

static size_t put_cell(char *out, int cell) {
  out[0] = (char)('i' - cell / CHASE_COLUMNS);
  out[1] = (char)('1' + cell % CHASE_COLUMNS);
  return 2;
}

size_t chase_cfen_format(const chase_position *position, char out[CHASE_CFEN_SIZE]) {
  /* 81 cells, 8 slashes, " r", " a1", " 25/25": 100 bytes at most. */
  size_t n = 0;
  for (int row = 0; row < CHASE_ROWS; row++) {
    if (row > 0) out[n++] = '/';
    int empty = 0;
    for (int column = 0; column <= CHASE_COLUMNS; column++) {
      const int cell = row * CHASE_COLUMNS + column;
      const bool end = column == CHASE_COLUMNS;
      const int red = end ? 0 : position->value[CHASE_RED][cell];
      const int blue = end ? 0 : position->value[CHASE_BLUE][cell];
      if (!end && !red && !blue) {
        empty++;
        continue;
      }
      if (empty) out[n++] = (char)('0' + empty);
      empty = 0;
      if (red) out[n++] = (char)('A' + red - 1);
      if (blue) out[n++] = (char)('a' + blue - 1);
    }
  }
  out[n++] = ' ';
  out[n++] = position->side == CHASE_RED ? 'r' : 'b';
  out[n++] = ' ';
  if (position->capturing == CHASE_NO_CELL)
    out[n++] = '-';
  else
    n += put_cell(out + n, position->capturing);
  n += (size_t)snprintf(out + n, CHASE_CFEN_SIZE - n, " %d/%d", position->spare[CHASE_RED],
                        position->spare[CHASE_BLUE]);
  return n;
}

static const char *const direction_names[CHASE_DIRECTIONS] = {"E", "NE", "NW", "W", "SW", "SE"};

static const char end_of_decision[] = "the end of the decision";

/* exchange = cell "=" digit "," cell "=" digit, from "=" on */
static chase_status read_exchange(reader *r, int cell, chase_decision *out, chase_error *error) {
  const size_t start = r->at - 2;
  const char *const text = r->text + start;
  int value[2];
  int other = cell;
  for (int i = 0; i < 2; i++) {
    if (i == 1) {
      if (!accept(r, ',')) return expected(r, "',' and the second die of the exchange", error);
      if (!read_cell(r, &other)) return expected(r, "a cell, a1 to i9", error);
    }
    if (!accept(r, '=')) return expected(r, "'=' and a new value", error);
    const int byte = peek(r);
    if (byte < '1' || byte > '6') return expected(r, "a new value, 1 to 6", error);
    value[i] = byte - '0';
    r->at++;
  }
  if (r->at < r->length) return expected(r, end_of_decision, error);
  if (other <= cell)
    return chase_error_set(error, CHASE_BAD_SYNTAX, (ptrdiff_t)start,
                           "the exchange names %.2s before %.2s, expected the cell that comes first "
                           "in reading order from i1 to a9 first",
                           text, text + 5);
  for (int d = 0; d < CHASE_DIRECTIONS; d++)
    if (chase_cell_neighbour(cell, d) == other) {
      *out = chase_decision_make(CHASE_EXCHANGE, cell, d, value[0], value[1]);
      return CHASE_OK;
    }
  return chase_error_set(error, CHASE_ILLEGAL, (ptrdiff_t)start + 5,
                         "%.2s and %.2s are not neighbours (R10)", text, text + 5);
}

/* decision = "stop" | "+" cell | cell direction | exchange */
chase_status chase_decision_parse_at(const char *text, size_t begin, size_t end,
                                     chase_decision *out, chase_error *error) {
  reader r = {text, end, begin};
  int cell;
  if (end - begin == 4 && memcmp(text + begin, "stop", 4) == 0) {
    *out = chase_decision_make(CHASE_STOP, 0, 0, 0, 0);
    return CHASE_OK;
  }
  if (accept(&r, '+')) {
    if (!read_cell(&r, &cell)) return expected(&r, "a cell, a1 to i9", error);
    if (r.at < end) return expected(&r, end_of_decision, error);
    *out = chase_decision_make(CHASE_DISTRIBUTION, cell, 0, 0, 0);
    return CHASE_OK;
  }
  if (!read_cell(&r, &cell))
    return expected(&r, "a cell a1 to i9, '+' and a cell, or stop", error);
  if (peek(&r) == '=') return read_exchange(&r, cell, out, error);
  /* No name of a direction begins another. */
  for (int d = 0; d < CHASE_DIRECTIONS; d++) {
    const char *const name = direction_names[d];
    const size_t size = strlen(name);
    if (end - r.at < size || memcmp(text + r.at, name, size) != 0) continue;
    r.at += size;
    if (r.at < end) return expected(&r, end_of_decision, error);
    *out = chase_decision_make(CHASE_MOVE, cell, d, 0, 0);
    return CHASE_OK;
  }
  return expected(&r, "a direction (E, NE, NW, W, SW, SE) or '=' and a new value", error);
}

chase_status chase_decision_parse(const char *text, size_t length, chase_decision *out,
                                  chase_error *error) {
  return chase_decision_parse_at(text, 0, length, out, error);
}

size_t chase_decision_format(chase_decision decision, char out[CHASE_DECISION_SIZE]) {
  const int cell = chase_decision_cell(decision);
  const int direction = chase_decision_direction(decision);
  size_t n = 0;
  switch (chase_decision_kind(decision)) {
    case CHASE_MOVE:
      n += put_cell(out, cell);
      for (const char *c = direction_names[direction]; *c; c++) out[n++] = *c;
      break;
    case CHASE_EXCHANGE:
      n += put_cell(out, cell);
      out[n++] = '=';
      out[n++] = (char)('0' + chase_decision_value(decision));
      out[n++] = ',';
      n += put_cell(out + n, chase_cell_neighbour(cell, direction));
      out[n++] = '=';
      out[n++] = (char)('0' + chase_decision_other_value(decision));
      break;
    case CHASE_DISTRIBUTION:
      out[n++] = '+';
      n += put_cell(out + n, cell);
      break;
    default:
      memcpy(out, "stop", 4);
      n = 4;
  }
  out[n] = 0;
  return n;
}
