/* Error texts shared by the parsers; the rules themselves are in chase.h. */
#ifndef CHASE_RULES_H
#define CHASE_RULES_H

#include "chase.h"

/* Fills `error` and returns `status`. */
#if defined(__GNUC__)
__attribute__((format(printf, 4, 5)))
#endif
chase_status chase_error_set(chase_error *error, chase_status status, ptrdiff_t offset,
                             const char *format, ...);

/* Printable, shortened copy of hostile text for a message. */
enum { CHASE_QUOTE_SIZE = 40 };
void chase_quote(const char *text, size_t length, char out[CHASE_QUOTE_SIZE]);

#endif
