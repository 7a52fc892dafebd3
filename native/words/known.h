/* A memory of the words that runs of ASCII letters are made into. */

#ifndef SEAMLINE_KNOWN_H
#define SEAMLINE_KNOWN_H

#include "words.h"

typedef struct {
    uint32_t hash;
    uint8_t size;
    uint8_t count;
    uint8_t length; /* of all words, spaces between */
    uint64_t common;
    PyObject *words; /* a tuple */
    const char *raw, *text;
    uint64_t hashes[]; /* one a word, then the run, then the text */
} Known;

typedef struct {
    PyObject *common; /* a set of words */
    Known **slots;
    Py_ssize_t used;
} Memory;

int memory_open(Memory *memory, PyObject *common);
void memory_close(Memory *memory);
const Known *known_of(Memory *memory, const char *raw, int size);

#endif
