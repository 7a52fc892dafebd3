/* A vocabulary, and how many of its tokens a word has. */

#ifndef SEAMLINE_CUTS_RANKS_H
#define SEAMLINE_CUTS_RANKS_H

#include "words.h"

#include <stdbool.h>

enum {
    SHORT = 12,    /* bytes of a word that are a key by themselves */
    MIDDLE = 46,   /* bytes of a word whose count is remembered */
    LONGEST = 128, /* bytes of a word that is merged without a heap; the longest token has no more */
};

#define NO_RANK UINT32_MAX

/* A short word and a number of it: bytes 0-11 the word, 12-14 its rank or count, 15 its length. A free slot has none. */
typedef struct {
    uint64_t low;
    uint64_t high;
} Entry;

/* Words that are looked up lie in one line of the cache. */
typedef struct {
    Entry entries[4];
} Line;

typedef struct {
    uint8_t data[MIDDLE];
    uint8_t size;
    uint8_t tokens;
} MiddleWord;

typedef struct {
    const uint8_t *data;
    uint32_t size;
    uint32_t rank;
} LongToken;

typedef struct {
    WordEnd word_end;
    uint8_t *tokens; /* the bytes of all tokens, which long ones point into */
    Entry *ranks;    /* open addressing */
    size_t slots;    /* a power of two, as all sizes here */
    uint32_t *pairs; /* ranks of the tokens of two bytes, where merging starts */
    LongToken *longs;
    size_t long_slots;
    void *memo_memory;
    Line *memo; /* counts of short words seen lately: a new word takes the place of an old one */
    MiddleWord *middle_memo;
} Vocabulary;

/* Tokens in the order of their ranks, each followed by one byte 0xFF, which occurs in no token but the one that is this
   byte. False without memory, or where the tokens are not `count`. */
bool vocabulary_fill(Vocabulary *vocabulary, Bytes tokens, size_t count);
void vocabulary_free(Vocabulary *vocabulary);

enum { BATCH = 32 };

/* Words that follow each other: where each ends, and its tokens. */
typedef struct {
    size_t ends[BATCH];
    size_t tokens[BATCH];
    size_t count;
} Words;

/* The next words of a text from `at` on, which is before its end. Words of more than `longest` bytes get 0 tokens. False
   without memory. */
bool next_words(const Vocabulary *vocabulary, Bytes text, size_t at, size_t longest, Words *words);

/* The rank of the bytes [at, end) of a text; NO_RANK where they are no token. */
uint32_t rank_of(const Vocabulary *vocabulary, Bytes text, size_t at, size_t end);

/* The tokens of a word of any length that is no token itself; 0 without memory. */
size_t merged_long(const Vocabulary *vocabulary, Bytes word);

#endif
