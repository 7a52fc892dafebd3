/* What the files of seamline._words share. */

#ifndef SEAMLINE_WORDS_H
#define SEAMLINE_WORDS_H

#include "kernels.h"

#define LONGEST 64 /* code points of a word; longer runs are Python's business */
#define MOST_TERMS 64

/* The words that a run of ASCII letters is made into, with a space between two of them. */
typedef struct {
    int count;
    int length;
    char text[2 * LONGEST + 2 * MOST_TERMS];
    uint8_t ends[MOST_TERMS];
} Terms;

void analyse(const char *raw, int length, Terms *out);

uint64_t word_hash(const uint8_t *word, size_t length);
int64_t sketch_of(const uint64_t *words, Py_ssize_t count, uint64_t *room, Py_ssize_t size);

#endif
