/* What the bytes of a `Text` do not tell: the characters outside ASCII, and line ends as they were written. */

#ifndef SEAMLINE_CHARACTERS_H
#define SEAMLINE_CHARACTERS_H

#include "text.h"

/* Make a text of a str, with blank lines up to an offset. 0 where memory ends; else the caller frees `owned`. */
int narrow_text(void *string, Pos after, Text *text);

/* A code point as it stands in the str; 0 past its end. */
uint32_t char_at(const Text *text, Pos at);

/* As `\s` and `[\w-]` have it. */
int is_space_at(const Text *text, Pos at);
int is_name_at(const Text *text, Pos at);

#endif
