/* What the bytes of a `Text` do not tell: the characters outside ASCII, and line ends as they were written. */

#ifndef SEAMLINE_CHARACTERS_H
#define SEAMLINE_CHARACTERS_H

#include "text.h"

/* One byte for each code point of a str, blank lines up to an offset, in memory the caller frees; `bytes` is NULL where
 * there is none. */
Text narrowed(void *string, Pos after);

/* A code point as it stands in the str; 0 past its end. */
uint32_t char_at(const Text *text, Pos at);

/* As `\s` and `[\w-]` have it. */
int is_space_at(const Text *text, Pos at);
int is_name_at(const Text *text, Pos at);

#endif
