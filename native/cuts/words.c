/* The pre-tokenizers of o200k_base and cl100k_base, by hand.
 *
 * Both are one regular expression of alternatives, tried in order at every place, greedy and with backtracking:
 *
 *   o200k_base   [^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?
 *               |[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?
 *               |\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+
 *   cl100k_base  '(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*
 *               |\s+$|\s*[\r\n]|\s+(?!\S)|\s
 */

#include "words.h"

#include <stdbool.h>
#include <string.h>

/* What a code point may be part of. */
enum {
    HEAD = 1,    /* the first run of a word: upper case, or of no case */
    TAIL = 2,    /* the second run: lower case, or of no case */
    ALPHA = 4,   /* \p{L} */
    DIGIT = 8,   /* \p{N} */
    WHITE = 16,  /* \s */
    BREAK = 32,  /* \r \n */
    BEFORE = 64, /* what may stand before a word: [^\r\n\p{L}\p{N}] */
    SIGN = 128,  /* [^\s\p{L}\p{N}] */

    UPPER = HEAD | ALPHA,
    LOWER = TAIL | ALPHA,
    LETTER = HEAD | TAIL | ALPHA,
    MARK = HEAD | TAIL | BEFORE | SIGN,
    NUMBER = DIGIT,
    LINE = WHITE | BREAK,
    SPACE = WHITE | BEFORE,
    SYMBOL = BEFORE | SIGN,
};

#define POINTS 0x110000

static const struct {
    uint32_t first;
    uint8_t class;
} CHANGES[] = {
#include "classes.inc"
};

static uint8_t classes[POINTS];

void words_prepare(void)
{
    size_t changes = sizeof CHANGES / sizeof *CHANGES;
    for (size_t i = 0; i < changes; i++) {
        uint32_t end = i + 1 < changes ? CHANGES[i + 1].first : POINTS;
        memset(classes + CHANGES[i].first, CHANGES[i].class, end - CHANGES[i].first);
    }
}

/* One code point: what it may be part of, and its bytes. Nothing at all at the end of the text. */
typedef struct {
    uint8_t class;
    uint8_t width;
} Glyph;

static Glyph wide_glyph(Bytes text, size_t at)
{
    const uint8_t *p = text.data + at;
    uint8_t width = p[0] < 0xE0 ? 2 : p[0] < 0xF0 ? 3 : 4;
    if (text.size - at < width)
        return (Glyph){0, 0};
    uint32_t point = width == 2   ? (p[0] & 0x1Fu) << 6 | (p[1] & 0x3Fu)
                     : width == 3 ? (p[0] & 0x0Fu) << 12 | (p[1] & 0x3Fu) << 6 | (p[2] & 0x3Fu)
                                  : (p[0] & 0x07u) << 18 | (p[1] & 0x3Fu) << 12 | (p[2] & 0x3Fu) << 6 | (p[3] & 0x3Fu);
    return (Glyph){point < POINTS ? classes[point] : 0, width};
}

static inline Glyph glyph(Bytes text, size_t at)
{
    if (at >= text.size)
        return (Glyph){0, 0};
    if (text.data[at] < 0x80)
        return (Glyph){classes[text.data[at]], 1};
    return wide_glyph(text, at);
}

static inline uint8_t byte_at(Bytes text, size_t at)
{
    return at < text.size ? text.data[at] : 0;
}

/* Past all code points from `at` on that are in any of the classes. */
static inline size_t skip(Bytes text, size_t at, uint8_t class)
{
    Glyph next;
    while ((next = glyph(text, at)).class & class)
        at += next.width;
    return at;
}

static inline size_t skip_breaks(Bytes text, size_t at, bool slashes)
{
    for (uint8_t byte; (byte = byte_at(text, at)) == '\n' || byte == '\r' || (slashes && byte == '/');)
        at++;
    return at;
}

static inline uint8_t lowered(uint8_t byte)
{
    return byte >= 'A' && byte <= 'Z' ? byte + 32 : byte;
}

/* Past an English contraction at `at`, else `at`. The long s folds to s. */
static size_t skip_contraction(Bytes text, size_t at)
{
    if (byte_at(text, at) != '\'')
        return at;
    uint8_t first = lowered(byte_at(text, at + 1)), second = lowered(byte_at(text, at + 2));
    if (first == 's' || first == 't' || first == 'm' || first == 'd')
        return at + 2;
    if ((first == 'r' && second == 'e') || (first == 'v' && second == 'e') || (first == 'l' && second == 'l'))
        return at + 3;
    return first == 0xC5 && second == 0xBF ? at + 3 : at;
}

/* One to three numbers. */
static size_t number_end(Bytes text, size_t at)
{
    for (int i = 0; i < 3; i++) {
        Glyph next = glyph(text, at);
        if (!(next.class & DIGIT))
            break;
        at += next.width;
    }
    return at;
}

/* ` ?[^\s\p{L}\p{N}]+` and the line ends behind it; `at` where there is no such word. */
static size_t signs_end(Bytes text, size_t at, bool slashes)
{
    size_t first = at + (byte_at(text, at) == ' ');
    size_t end = skip(text, first, SIGN);
    return end > first ? skip_breaks(text, end, slashes) : at;
}

/* A run of white space that nothing before it in the expression took. It ends behind its last line end; without one,
   before its last code point, which goes with what follows. */
static size_t white_end(Bytes text, size_t at, bool all_at_end)
{
    size_t end = at, last = at, broken = at;
    Glyph next;
    while ((next = glyph(text, end)).class & WHITE) {
        last = end;
        end += next.width;
        if (next.class & BREAK)
            broken = end;
    }
    if (end == text.size && (all_at_end || broken == at))
        return end;
    return broken > at ? broken : last > at ? last : end;
}

/* `[UXM]*[LXM]+`, else `[UXM]+`, from `at`; `at` where neither is there. `cased` tells which it was. */
static inline size_t letters_end(Bytes text, size_t at, bool *cased)
{
    size_t end = at, caseless = at;
    Glyph next;
    while ((next = glyph(text, end)).class & HEAD) {
        end += next.width;
        if (next.class & TAIL)
            caseless = end;
    }
    *cased = true;
    if (next.class & TAIL)
        return skip(text, end, TAIL);
    if (caseless > at)
        return caseless; /* the first run gives back all that follows the last letter without case */
    *cased = false;
    return end;
}

size_t o200k_word_end(Bytes text, size_t at)
{
    Glyph first = glyph(text, at);
    size_t body = first.class & BEFORE ? at + first.width : at;
    bool cased;
    size_t end = letters_end(text, body, &cased);
    if ((first.class & MARK) == MARK && !cased)
        end = letters_end(text, body = at, &cased); /* a mark stands before a word, or is one itself */
    if (end > body)
        return skip_contraction(text, end);
    if (first.class & DIGIT)
        return number_end(text, at);
    end = signs_end(text, at, true);
    return end > at ? end : white_end(text, at, false);
}

size_t cl100k_word_end(Bytes text, size_t at)
{
    size_t end = skip_contraction(text, at);
    if (end > at)
        return end;
    Glyph first = glyph(text, at);
    size_t body = first.class & BEFORE ? at + first.width : at;
    end = skip(text, body, ALPHA);
    if (end > body)
        return end;
    if (first.class & DIGIT)
        return number_end(text, at);
    end = signs_end(text, at, false);
    return end > at ? end : white_end(text, at, true);
}
