/* Words met so far, with the numbers of their pieces. */

#ifndef SEAMLINE_PIECES_H
#define SEAMLINE_PIECES_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <stdbool.h>
#include <stdint.h>

enum { LONGEST_REMEMBERED = 48 }; /* letters of a word; longer ones are addresses and data */

typedef struct {
    const int32_t *numbers;
    size_t count;
} Pieces;

typedef struct {
    uint64_t hash;
    uint32_t letters; /* where its letters start */
    uint32_t pieces;  /* where its pieces start */
    uint16_t length;  /* in letters; 0 for an empty slot */
    uint16_t count;   /* of pieces */
} Entry;

typedef struct {
    Entry *slots; /* a power of two of them */
    size_t slot_count;
    size_t count;
    Py_UCS4 *letters;
    size_t letter_count;
    size_t letter_room;
    int32_t *pieces;
    size_t piece_count;
    size_t piece_room;
} Words;

/* A word as it stands in a string. */
typedef struct {
    int kind;
    const void *data;
    Py_ssize_t start;
    Py_ssize_t length;
    uint64_t hash;
} Word;

void words_close(Words *words);

/* Whether a word is known, and its pieces: valid until the next word is added. */
bool words_find(const Words *words, const Word *word, Pieces *pieces);

/* Adds a word that is not known; a full memory is emptied first. False with MemoryError set. */
bool words_add(Words *words, const Word *word, Pieces pieces);

#endif
