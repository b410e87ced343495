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

/* A character of hostile text as a message shows it: itself if it is printable
 * ASCII or the form of more than one byte in UTF-8, whole; any other byte as
 * \xNN. Which of the former a reader should not print (lone surrogates and
 * overlong forms among them) is left to whoever shows the message. Returns the
 * bytes read, 1 to 4; `length` is at least 1. */
enum { CHASE_SHOWN_SIZE = 5 };
size_t chase_show(const char *text, size_t length, char out[CHASE_SHOWN_SIZE]);

/* Shortened copy of hostile text for a message, by such characters. */
enum { CHASE_QUOTE_SIZE = 40 };
void chase_quote(const char *text, size_t length, char out[CHASE_QUOTE_SIZE]);

#endif
