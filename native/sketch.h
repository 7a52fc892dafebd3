/* Sketches of words, for words.c. */

#ifndef SEAMLINE_SKETCH_H
#define SEAMLINE_SKETCH_H

#include "kernels.h"

/* The hash of a word in UTF-8. */
uint64_t word_hash(const uint8_t *word, size_t length);

/* The sketch of words, by their hashes, as a Python number; NULL with MemoryError set. */
PyObject *sketch_of(const uint64_t *words, size_t count);

#endif
