/* Where the words end that a vocabulary's pre-tokenizer cuts a text into. */

#ifndef SEAMLINE_CUTS_WORDS_H
#define SEAMLINE_CUTS_WORDS_H

#include <stddef.h>
#include <stdint.h>

/* UTF-8, as Python encodes a string: no check for malformed sequences, only for the end. */
typedef struct {
    const uint8_t *data;
    size_t size;
} Bytes;

/* The end of the word that starts at `at`, which is before the end of the text. */
typedef size_t (*WordEnd)(Bytes text, size_t at);

size_t o200k_word_end(Bytes text, size_t at);
size_t cl100k_word_end(Bytes text, size_t at);

/* Fills the table of classes; to be called before the first word is looked for. */
void words_prepare(void);

#endif
