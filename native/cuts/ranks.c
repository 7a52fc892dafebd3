/* Byte pair encoding, only as far as a count needs it: most words are one token, and the others are remembered. */

#include "ranks.h"

#include <stdlib.h>
#include <string.h>

enum { LINES = 1 << 14, MIDDLE_WORDS = 1 << 14, PAIRS = 1 << 16, SEPARATOR = 0xFF };
#define NUMBER_AT 32
#define LENGTH_AT 56
#if defined(__GNUC__)
#define FETCH(address) __builtin_prefetch(address)
#else
#define FETCH(address) ((void)(address))
#endif

static const uint64_t NUMBER = 0xFFFFFFull << NUMBER_AT;

/* --- keys -------------------------------------------------------------------------------------------------------- */

static inline uint64_t load(const uint8_t *data)
{
    uint64_t word;
    memcpy(&word, data, sizeof word);
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    return word;
}

/* The bytes [at, end), at most SHORT of them, and no number yet. Reads 16 bytes at once where the text has as many. */
static inline Entry entry_of(Bytes text, size_t at, size_t end)
{
    size_t size = end - at;
    uint8_t copy[16] = {0};
    const uint8_t *data = text.data + at;
    if (text.size - at < sizeof copy) {
        memcpy(copy, data, size);
        data = copy;
    }
    uint64_t low = load(data), high = 0;
    if (size < 8)
        low &= (1ull << 8 * size) - 1;
    else
        high = load(data + 8) & ((1ull << 8 * (size - 8)) - 1);
    return (Entry){low, high | (uint64_t)size << LENGTH_AT};
}

static inline bool same_word(Entry slot, Entry wanted)
{
    return !((slot.low ^ wanted.low) | ((slot.high & ~NUMBER) ^ wanted.high));
}

static inline uint32_t number_of(Entry entry)
{
    return (uint32_t)((entry.high & NUMBER) >> NUMBER_AT);
}

static inline size_t hash(Entry entry)
{
    uint64_t mixed = (entry.low ^ entry.high * 0x9E3779B97F4A7C15ull) * 0xD6E8FEB86659FD93ull;
    return (size_t)(mixed ^ mixed >> 32);
}

static size_t long_hash(const uint8_t *data, size_t size)
{
    uint64_t mixed = size;
    for (size_t i = 0; i < size; i++)
        mixed = (mixed ^ data[i]) * 0x100000001B3ull;
    return (size_t)(mixed ^ mixed >> 32);
}

/* --- the table --------------------------------------------------------------------------------------------------- */

static inline uint32_t short_rank(const Vocabulary *v, Entry wanted)
{
    for (size_t i = hash(wanted);; i++) {
        Entry slot = v->ranks[i & (v->slots - 1)];
        if (same_word(slot, wanted))
            return number_of(slot);
        if (!slot.high)
            return NO_RANK;
    }
}

static uint32_t long_rank(const Vocabulary *v, const uint8_t *data, size_t size)
{
    for (size_t i = long_hash(data, size);; i++) {
        const LongToken *slot = v->longs + (i & (v->long_slots - 1));
        if (!slot->size)
            return NO_RANK;
        if (slot->size == size && !memcmp(slot->data, data, size))
            return slot->rank;
    }
}

uint32_t rank_of(const Vocabulary *v, Bytes text, size_t at, size_t end)
{
    if (end - at <= SHORT)
        return short_rank(v, entry_of(text, at, end));
    return end - at <= LONGEST ? long_rank(v, text.data + at, end - at) : NO_RANK;
}

static void add(Vocabulary *v, Bytes tokens, size_t at, size_t end, uint32_t rank)
{
    const uint8_t *data = tokens.data + at;
    if (end - at > SHORT) {
        size_t i = long_hash(data, end - at);
        while (v->longs[i & (v->long_slots - 1)].size)
            i++;
        v->longs[i & (v->long_slots - 1)] = (LongToken){data, (uint32_t)(end - at), rank};
        return;
    }
    Entry entry = entry_of(tokens, at, end);
    size_t i = hash(entry);
    while (v->ranks[i & (v->slots - 1)].high)
        i++;
    entry.high |= (uint64_t)rank << NUMBER_AT;
    v->ranks[i & (v->slots - 1)] = entry;
    if (end - at == 2)
        v->pairs[data[0] << 8 | data[1]] = rank;
}

/* The end of the token at `at`: before its separator, or behind the byte that is itself the separator. */
static size_t token_end(Bytes tokens, size_t at)
{
    if (tokens.data[at] == SEPARATOR)
        return at + 1;
    const uint8_t *found = memchr(tokens.data + at, SEPARATOR, tokens.size - at);
    return found ? (size_t)(found - tokens.data) : tokens.size;
}

static size_t count_long(Bytes tokens)
{
    size_t count = 0;
    for (size_t at = 0, end; at < tokens.size; at = end + 1) {
        end = token_end(tokens, at);
        count += end - at > SHORT;
    }
    return count;
}

static size_t power_of_two(size_t least)
{
    size_t size = 1;
    while (size < least)
        size *= 2;
    return size;
}

static bool allocate(Vocabulary *v, Bytes tokens, size_t count)
{
    v->slots = power_of_two(count + count / 4 + 1); /* a quarter is free at least: a search ends soon */
    v->long_slots = power_of_two(2 * count_long(tokens) + 1);
    v->tokens = malloc(tokens.size + 1);
    v->ranks = calloc(v->slots, sizeof *v->ranks);
    v->pairs = malloc(PAIRS * sizeof *v->pairs);
    v->longs = calloc(v->long_slots, sizeof *v->longs);
    v->memo_memory = calloc(LINES + 1, sizeof *v->memo);
    v->memo = (Line *)(((uintptr_t)v->memo_memory + sizeof *v->memo - 1) / sizeof *v->memo * sizeof *v->memo);
    v->middle_memo = calloc(MIDDLE_WORDS, sizeof *v->middle_memo);
    return v->tokens && v->ranks && v->pairs && v->longs && v->memo_memory && v->middle_memo;
}

bool vocabulary_fill(Vocabulary *v, Bytes given, size_t count)
{
    if (count >= NUMBER >> NUMBER_AT || !allocate(v, given, count))
        return false;
    memcpy(v->tokens, given.data, given.size);
    for (size_t i = 0; i < PAIRS; i++)
        v->pairs[i] = NO_RANK;
    Bytes tokens = {v->tokens, given.size};
    size_t at = 0, rank = 0;
    while (at < tokens.size && rank < count) {
        size_t end = token_end(tokens, at);
        if (end >= tokens.size || tokens.data[end] != SEPARATOR || end - at > LONGEST)
            return false;
        add(v, tokens, at, end, (uint32_t)rank++);
        at = end + 1;
    }
    return at == tokens.size && rank == count;
}

void vocabulary_free(Vocabulary *v)
{
    free(v->tokens);
    free(v->ranks);
    free(v->pairs);
    free(v->longs);
    free(v->memo_memory);
    free(v->middle_memo);
}

/* --- counts ------------------------------------------------------------------------------------------------------ */

/* How many parts are left when the pair of the lowest rank has been merged again and again. Every byte is a token. */
static uint32_t merged(const Vocabulary *v, Bytes text, size_t at, size_t end)
{
    size_t starts[LONGEST + 1];
    uint32_t ranks[LONGEST + 1]; /* of a part and the one after it together */
    size_t parts = end - at;
    for (size_t i = 0; i <= parts; i++)
        starts[i] = at + i;
    for (size_t i = 0; i + 1 < parts; i++)
        ranks[i] = v->pairs[text.data[at + i] << 8 | text.data[at + i + 1]];
    while (parts > 1) {
        size_t best = 0;
        for (size_t i = 1; i + 1 < parts; i++)
            if (ranks[i] < ranks[best])
                best = i;
        if (ranks[best] == NO_RANK)
            break;
        memmove(starts + best + 1, starts + best + 2, (parts - best - 1) * sizeof *starts);
        memmove(ranks + best, ranks + best + 1, (parts - best - 2) * sizeof *ranks);
        parts--;
        if (best + 1 < parts)
            ranks[best] = rank_of(v, text, starts[best], starts[best + 2]);
        if (best > 0)
            ranks[best - 1] = rank_of(v, text, starts[best - 1], starts[best + 1]);
    }
    return (uint32_t)parts;
}

static uint32_t short_word(const Vocabulary *v, Bytes text, size_t at, size_t end, Entry wanted, Entry *line)
{
    uint64_t found = 0; /* without a branch for each: which of the four it is cannot be foretold */
    for (int i = 0; i < 4; i++)
        found |= line[i].high & -(uint64_t)same_word(line[i], wanted);
    if (found)
        return (uint32_t)((found & NUMBER) >> NUMBER_AT);
    uint32_t count = short_rank(v, wanted) != NO_RANK ? 1 : merged(v, text, at, end);
    memmove(line + 1, line, 3 * sizeof *line);
    line[0] = (Entry){wanted.low, wanted.high | (uint64_t)count << NUMBER_AT};
    return count;
}

static uint32_t long_word(const Vocabulary *v, Bytes text, size_t at, size_t end)
{
    return long_rank(v, text.data + at, end - at) != NO_RANK ? 1 : merged(v, text, at, end);
}

static uint32_t middle_word(const Vocabulary *v, Bytes text, size_t at, size_t end)
{
    size_t size = end - at;
    MiddleWord *known = v->middle_memo + (long_hash(text.data + at, size) & (MIDDLE_WORDS - 1));
    if (known->size != size || memcmp(known->data, text.data + at, size)) {
        known->tokens = (uint8_t)long_word(v, text, at, end);
        known->size = (uint8_t)size;
        memcpy(known->data, text.data + at, size);
    }
    return known->tokens;
}

/* The tokens of a word that is not short; 0 without memory. */
static size_t other_word(const Vocabulary *v, Bytes text, size_t at, size_t end)
{
    if (end - at <= MIDDLE)
        return middle_word(v, text, at, end);
    return end - at <= LONGEST ? long_word(v, text, at, end) : merged_long(v, (Bytes){text.data + at, end - at});
}

bool next_words(const Vocabulary *v, Bytes text, size_t at, size_t longest, Words *words)
{
    Entry wanted[BATCH], *lines[BATCH];
    size_t start = at;
    /* First all words, each with a hint to fetch its line of the memo: the second loop finds it there. */
    for (words->count = 0; words->count < BATCH && at < text.size; words->count++) {
        size_t i = words->count, end = words->ends[i] = v->word_end(text, at);
        if (end - at <= SHORT) {
            wanted[i] = entry_of(text, at, end);
            lines[i] = v->memo[hash(wanted[i]) & (LINES - 1)].entries;
            FETCH(lines[i]);
        }
        at = end;
    }
    at = start;
    for (size_t i = 0; i < words->count; i++) {
        size_t end = words->ends[i];
        words->tokens[i] = end - at <= SHORT    ? short_word(v, text, at, end, wanted[i], lines[i])
                           : end - at <= longest ? other_word(v, text, at, end)
                                                 : 0;
        if (!words->tokens[i] && end - at <= longest)
            return false;
        at = end;
    }
    return true;
}
