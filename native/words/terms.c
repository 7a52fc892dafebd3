/* A run of ASCII letters -> its words: `_parts` and `stem` of words.py. */

#include "words.h"

#include <string.h>

static int is_small(char c) { return c >= 'a' && c <= 'z'; }
static int is_capital(char c) { return c >= 'A' && c <= 'Z'; }
static int is_digit(char c) { return c >= '0' && c <= '9'; }
static int is_joint(char c) { return c == '.' || c == '_' || c == '-'; }
static int is_vowel(char c) { return c && strchr("aeiouy", c) != NULL; }

static int ends_in(const char *word, int length, const char *ending) {
    int size = (int)strlen(ending);
    return length >= size && memcmp(word + length - size, ending, (size_t)size) == 0;
}

/* `_singular`: the new length. */
static int singular(char *word, int length) {
    if (!ends_in(word, length, "s") || ends_in(word, length, "ss") || ends_in(word, length, "us") ||
        ends_in(word, length, "sis"))
        return length;
    if (ends_in(word, length, "ies") && length > 4) {
        word[length - 3] = 'y';
        return length - 2;
    }
    int two = ends_in(word, length, "sses") || ends_in(word, length, "xes") || ends_in(word, length, "ches") ||
              ends_in(word, length, "shes");
    return length - (two ? 2 : 1);
}

/* `_mended`: the length of what is left, which may have a new last letter; 0 where no word is. */
static int mended(char *rest, int length) {
    int vowels = 0;
    for (int i = 0; i < length; i++) vowels |= is_vowel(rest[i]);
    if (!vowels || rest[length - 1] == 'e') return 0;
    char before = length > 1 ? rest[length - 2] : 0, last = rest[length - 1];
    if (length > 3) return last == before && !strchr("lsz", last) ? length - 1 : length;
    if (is_vowel(before) && !strchr("aeiouywx", last)) {
        rest[length] = 'e';
        return length + 1;
    }
    return length == 3 ? 3 : 0;
}

/* `_shorter`: the new length. */
static int shorter(char *word, int length) {
    if (ends_in(word, length, "ied") && length > 4) {
        word[length - 3] = 'y';
        return length - 2;
    }
    int ending = ends_in(word, length, "ing") ? 3 : ends_in(word, length, "ed") ? 2 : 0;
    if (ending) {
        int left = mended(word, length - ending);
        return left ? left : length;
    }
    return length > 4 && word[length - 1] == 'e' ? length - 1 : length;
}

static int stem(char *word, int length) {
    if (length < 4) return length;
    for (int i = 0; i < length; i++)
        if (!is_small(word[i])) return length;
    length = singular(word, length);
    for (;;) {
        int now = shorter(word, length);
        if (now == length) return length;
        length = now;
    }
}

static void add(Terms *out, const char *word, int length) {
    if (out->count) out->text[out->length++] = ' ';
    char *into = out->text + out->length;
    for (int i = 0; i < length; i++) into[i] = is_capital(word[i]) ? (char)(word[i] + 32) : word[i];
    out->length += stem(into, length);
    out->ends[out->count++] = (uint8_t)out->length;
}

/* Whether a name has a seam of no width before its letter `at`. */
static int seam(const char *raw, int length, int at) {
    if (!is_capital(raw[at])) return 0;
    if (is_small(raw[at - 1]) || is_digit(raw[at - 1])) return 1;
    return is_capital(raw[at - 1]) && at + 2 < length && is_small(raw[at + 1]) && is_small(raw[at + 2]);
}

static int parts_of(const char *raw, int length, int starts[], int ends[]) {
    int count = 0, inside = 0;
    for (int at = 0; at < length; at++) {
        if (is_joint(raw[at])) {
            inside = 0;
            continue;
        }
        if (!inside || seam(raw, length, at)) {
            starts[count++] = at;
            inside = 1;
        }
        ends[count - 1] = at + 1;
    }
    return count;
}

void analyse(const char *raw, int length, Terms *out) {
    out->count = out->length = 0;
    int starts[LONGEST], ends[LONGEST];
    int count = parts_of(raw, length, starts, ends);
    if (count > 1) {
        int first = 0, last = length;
        while (is_joint(raw[first])) first++;
        while (is_joint(raw[last - 1])) last--;
        add(out, raw + first, last - first);
    }
    for (int i = 0; i < count; i++) add(out, raw + starts[i], ends[i] - starts[i]);
}
