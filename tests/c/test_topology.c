/* Cells, neighbours and paths (R1 to R4, R6): the engine against a walker
 * written in the test, for every cell, direction, value, wrap and ricochet, on
 * boards whose other dice stand out of the way. */
#include "model.h"
#include "support.h"

static const char *const DIRECTION_NAMES[6] = {"E", "NE", "NW", "W", "SW", "SE"};

static int cell_of(const char *name) { return 9 * ('i' - name[0]) + name[1] - '1'; }

static void check_neighbours(const char *cell, const char *const expected[6]) {
  for (int d = 0; d < 6; d++) {
    int want = expected[d] == NULL ? CHASE_NO_CELL : cell_of(expected[d]);
    if (!CHECK_INT(chase_cell_neighbour(cell_of(cell), d), want))
      printf("  from %s to %s\n", cell, DIRECTION_NAMES[d]);
  }
}

static void test_neighbours_by_name(void) {
  check_neighbours("e5", (const char *const[6]){"e6", "f6", "f5", "e4", "d5", "d6"});
  check_neighbours("d5", (const char *const[6]){"d6", "e5", "e4", "d4", "c4", "c5"});
  check_neighbours("e9", (const char *const[6]){"e1", "f1", "f9", "e8", "d9", "d1"});
  check_neighbours("d1", (const char *const[6]){"d2", "e1", "e9", "d9", "c9", "c1"});
  check_neighbours("e1", (const char *const[6]){"e2", "f2", "f1", "e9", "d1", "d2"});
  check_neighbours("d9", (const char *const[6]){"d1", "e9", "e8", "d8", "c8", "c9"});
  check_neighbours("a1", (const char *const[6]){"a2", "b2", "b1", "a9", NULL, NULL});
  check_neighbours("a9", (const char *const[6]){"a1", "b1", "b9", "a8", NULL, NULL});
  check_neighbours("i1", (const char *const[6]){"i2", NULL, NULL, "i9", "h1", "h2"});
  check_neighbours("i9", (const char *const[6]){"i1", NULL, NULL, "i8", "h9", "h1"});
}

static void test_neighbours_everywhere(void) {
  static const chase_rules joined = {.wrap = 1, .ricochet = 0};
  int inner = 0, edges = 0;
  for (int cell = 0; cell < CHASE_CELLS; cell++) {
    int neighbours = 0;
    for (int d = 0; d < 6; d++) {
      model_hop hop;
      bool exists = model_hop_from(&joined, cell, d, &hop);
      int neighbour = chase_cell_neighbour(cell, d);
      CHECK_INT(neighbour, exists ? hop.to : CHASE_NO_CELL);
      if (neighbour == CHASE_NO_CELL) continue;
      neighbours++;
      CHECK_INT(chase_cell_neighbour(neighbour, (d + 3) % 6), cell);
      for (int other = 0; other < d; other++)
        CHECK(chase_cell_neighbour(cell, other) != neighbour);
    }
    bool end_row = cell < 9 || cell >= 72;
    CHECK_INT(neighbours, end_row ? 4 : 6);
    inner += !end_row;
    edges += neighbours;
  }
  CHECK_INT(inner, 63);
  CHECK_INT(edges, 63 * 6 + 18 * 4);
}

/* ---- Paths ----------------------------------------------------------- */

/* The rules of these boards have a total of 9, so that three dice (the moving
 * one included) or two do for a side, and a reserve. */
static chase_variant *path_variant(int wrap, int ricochet, int reserve, chase_isa isa) {
  char text[100];
  snprintf(text, sizeof text, "setup=111111111,reserve=%d,wrap=%s,ricochet=%s", reserve,
           wrap ? "yes" : "no", ricochet ? "yes" : "no");
  return variant_of(text, isa);
}

/* Puts a die on the first free cell from the end that is not `kept`. */
static void put_aside(chase_setup *s, const bool kept[CHASE_CELLS], int value) {
  int cell = CHASE_CELLS - 1;
  while (kept[cell] || s->board[cell] != 0) cell--;
  s->board[cell] = (int8_t)value;
}

/* Red's die of `value` on `cell`, the rest of both sides off the kept cells. */
static chase_setup lonely(int cell, int value, int reserve, bool kept[CHASE_CELLS]) {
  chase_setup s = {.side = CHASE_RED, .capturing = CHASE_NO_CELL};
  int rest = 9 - value;
  kept[CHASE_CHAMBER] = true;
  s.board[cell] = (int8_t)value;
  if (rest > 6) {
    put_aside(&s, kept, rest - 6);
    rest = 6;
  }
  put_aside(&s, kept, rest);
  put_aside(&s, kept, -6);
  put_aside(&s, kept, -3);
  for (int side = 0; side < 2; side++) s.spare[side] = 9 + reserve - model_dice(&s, side);
  return s;
}

static chase_position made(const chase_variant *variant, const chase_setup *s) {
  chase_position position;
  chase_fault faults[CHASE_MAX_FAULTS];
  int count = 0;
  if (!CHECK_INT(chase_position_make(variant, s, &position, faults, &count), CHASE_OK))
    give_up("test position", "refused");
  return position;
}

/* Holds one move of the engine against the model: legality, trace, position. */
static void compare_move(const chase_variant *variant, const chase_setup *s, int cell, int d) {
  const chase_rules *rules = chase_variant_rules(variant);
  chase_position position = made(variant, s), after;
  chase_decision move = chase_decision_make(CHASE_MOVE, cell, d, 0, 0);
  chase_trace_step steps[CHASE_MAX_TRACE];
  chase_error error;
  chase_setup got;
  model_move m;
  bool legal = model_carry_out(rules, s, cell, d, &m);
  look_at(variant, &position);
  if (!CHECK_INT(chase_decision_check(variant, &position, move, &error),
                 legal ? CHASE_OK : CHASE_ILLEGAL))
    printf("  %d %s\n", cell, DIRECTION_NAMES[d]);
  if (!legal) return;
  CHECK_INT(chase_decision_trace(variant, &position, move, steps), m.count);
  for (int i = 0; i < m.count; i++)
    CHECK(memcmp(&steps[i], &m.steps[i], sizeof steps[i]) == 0);
  CHECK_INT(chase_apply(variant, &position, move, &after, &error), CHASE_OK);
  chase_position_unmake(&after, &got);
  CHECK(memcmp(got.board, m.after.board, sizeof got.board) == 0);
  CHECK_INT(got.side, CHASE_BLUE);
}

/* The cells of the path from `cell`, without anything in the way; their number,
 * or 0 where it does not exist. */
static int walk(const chase_rules *rules, int cell, int d, int value, int path[6]) {
  model_hop hop = {cell, d, 0, 0};
  if (!model_may_set_out(cell, d)) return 0;
  for (int i = 0; i < value; i++) {
    if (!model_hop_from(rules, hop.to, hop.direction, &hop)) return 0;
    path[i] = hop.to;
  }
  return value;
}

/* One path: free, blocked on each cell, ending on each kind of die. */
static void try_path(const chase_variant *variant, int cell, int d, int value) {
  const chase_rules *rules = chase_variant_rules(variant);
  int path[6], length = walk(rules, cell, d, value, path);
  bool kept[CHASE_CELLS] = {false};
  kept[cell] = true;
  for (int i = 0; i < length; i++) kept[path[i]] = true;
  if (length > 0) { /* the cell behind the last, for pushes, and its likes */
    for (int n = 0; n < 6; n++) {
      int near = chase_cell_neighbour(path[length - 1], n);
      if (near != CHASE_NO_CELL) kept[near] = true;
    }
  }
  chase_setup s = lonely(cell, value, rules->reserve, kept);
  compare_move(variant, &s, cell, d);
  for (int i = 0; i < length; i++) {
    if (path[i] == CHASE_CHAMBER) continue;
    for (int sign = -1; sign <= 1; sign += 2) { /* an enemy die, an own die */
      chase_setup blocked = s;
      for (int c = 0; c < CHASE_CELLS; c++) /* moved there from aside */
        if (c != cell && model_owner(s.board[c]) == (sign > 0 ? CHASE_RED : CHASE_BLUE)) {
          blocked.board[c] = 0;
          blocked.board[path[i]] = s.board[c];
          break;
        }
      compare_move(variant, &blocked, cell, d);
    }
  }
}

static void test_all_paths(chase_isa isa) {
  for (int wrap = 0; wrap < 2; wrap++)
    for (int ricochet = 0; ricochet < 2; ricochet++)
      for (int reserve = 0; reserve <= 1; reserve++) {
        chase_variant *variant = path_variant(wrap, ricochet, reserve, isa);
        for (int cell = 0; cell < CHASE_CELLS; cell++)
          for (int d = 0; d < 6 && cell != CHASE_CHAMBER; d++)
            for (int value = 1; value <= 6; value++) try_path(variant, cell, d, value);
        look_at(NULL, NULL);
        chase_variant_free(variant);
      }
}

/* From rows d and f a six reaches one cell by two paths (R6). */
static void test_two_paths_to_one_cell(void) {
  chase_variant *variant = variant_of("standard", CHASE_ISA_AUTO);
  chase_position position =
      position_of(variant, "abcde2ba/5c3/6d2/9/9/F8/9/9/1BCDECB2 r - 3/1");
  chase_trace_step east[CHASE_MAX_TRACE], south_west[CHASE_MAX_TRACE];
  int a = chase_decision_trace(variant, &position, decision_of("d1E"), east);
  int b = chase_decision_trace(variant, &position, decision_of("d1SW"), south_west);
  CHECK_INT(a, 6);
  CHECK_INT(b, 6);
  CHECK_INT(east[5].to, cell_of("d7"));
  CHECK_INT(south_west[5].to, cell_of("d7"));
  CHECK_INT(south_west[5].direction, CHASE_NW);
  CHECK_INT(east[0].to, cell_of("d2"));
  CHECK_INT(south_west[0].to, cell_of("c9"));
  chase_variant_free(variant);
}

int main(void) {
  test_neighbours_by_name();
  test_neighbours_everywhere();
  test_all_paths(CHASE_ISA_GENERIC);
  if (isa_runs_here(CHASE_ISA_V3)) test_all_paths(CHASE_ISA_V3);
  test_two_paths_to_one_cell();
  return check_finish();
}
