/* The text as the parser sees it, and the only functions that read its bytes.
 *
 * One byte stands for one code point, so offsets need no conversion: ASCII as it is, all else as OTHER or BOM, which
 * mean nothing to Markdown. A lone carriage return is a line feed here. Every read is checked: past the end it
 * gives 0, and whoever must tell that from a NUL in the text compares offsets. */

#ifndef SEAMLINE_TEXT_H
#define SEAMLINE_TEXT_H

#include <stdint.h>
#include <string.h>

typedef int64_t Pos;

#define NONE ((Pos)-1)
#define OTHER 0x80
#define BOM 0x81

typedef struct {
    const unsigned char *bytes;
    Pos length;
    int opens_with_bom; /* a byte order mark at the start indents nothing: the parser sees a line feed instead */
    void *string;       /* the str itself, for the characters outside ASCII */
    void *owned;        /* `bytes`, where they are not the str's own */
} Text;

static inline int byte_at(const Text *text, Pos at) {
    return at >= 0 && at < text->length ? text->bytes[at] : 0;
}

static inline int is_blank(int byte) { return byte == ' ' || byte == '\t' || byte == '\v' || byte == '\f'; }

static inline int is_white(int byte) { return byte == ' ' || (byte >= '\t' && byte <= '\r'); }

static inline int is_digit(int byte) { return byte >= '0' && byte <= '9'; }

static inline int is_letter(int byte) { return (byte | 0x20) >= 'a' && (byte | 0x20) <= 'z'; }

/* What a backslash escapes. OTHER counts: Python's reference shows such characters to its parser as `?`. */
static inline int is_escapable(int byte) {
    return byte >= OTHER || (byte > ' ' && byte < 0x7f && !is_digit(byte) && !is_letter(byte));
}

static inline int is_line_end(const Text *text, Pos at) {
    return at >= text->length || byte_at(text, at) == '\n' || byte_at(text, at) == '\r';
}

/* After the line end at an offset, or NONE where there is none. The end of the text is a line end of no bytes. */
static inline Pos after_line_end(const Text *text, Pos at) {
    if (at >= text->length) return text->length;
    int byte = byte_at(text, at);
    if (byte == '\n') return at + 1;
    if (byte != '\r') return NONE;
    return byte_at(text, at + 1) == '\n' ? at + 2 : at + 1;
}

static inline Pos skip_blanks(const Text *text, Pos at) {
    while (is_blank(byte_at(text, at))) at++;
    return at;
}

static inline Pos skip_run(const Text *text, Pos at, int byte) {
    while (at < text->length && byte_at(text, at) == byte) at++;
    return at;
}

/* After the line end, where nothing but white space stands before it; else NONE. */
static inline Pos after_blank_line(const Text *text, Pos at) { return after_line_end(text, skip_blanks(text, at)); }

static inline Pos find_byte(const Text *text, Pos at, Pos end, int byte) {
    if (at >= end || end > text->length) return NONE;
    const unsigned char *found = memchr(text->bytes + at, byte, (size_t)(end - at));
    return found ? (Pos)(found - text->bytes) : NONE;
}

/* The start of the next line. All that is left of carriage returns stands before a line feed. */
static inline Pos next_line(const Text *text, Pos at) {
    Pos found = find_byte(text, at, text->length, '\n');
    return found < 0 ? text->length : found + 1;
}

static inline int starts_with(const Text *text, Pos at, const char *word) {
    Pos size = (Pos)strlen(word);
    return at >= 0 && at + size <= text->length && memcmp(text->bytes + at, word, (size_t)size) == 0;
}

/* --- what the bytes do not tell: characters outside ASCII, and line ends as they were written --------------------- */

/* Make a text of a str, with blank lines up to an offset. 0 where memory ends; else the caller frees `owned`. */
int narrow_text(void *string, Pos after, Text *text);

/* A code point as it stands in the str; 0 past its end. */
uint32_t char_at(const Text *text, Pos at);

/* As `\s` and `[\w-]` have it. */
int is_space_at(const Text *text, Pos at);
int is_name_at(const Text *text, Pos at);

/* --- the start of a line: indentation counted in columns, with tab stops of four ---------------------------------- */

typedef struct {
    Pos at;       /* the next byte */
    Pos tab_stop; /* an offset that falls on a tab stop, with no tab between it and `at` */
    Pos no_rule;  /* no thematic break starts before this offset: keeps `- - - x` from being read again and again */
    int spare;    /* columns of a tab that were not taken yet */
} Line;

static inline Line line_at(Pos at) { return (Line){.at = at, .tab_stop = at, .no_rule = at, .spare = 0}; }

/* Take up to `wanted` columns of indentation; how many were there. */
static inline int take_columns(const Text *text, Line *line, int wanted) {
    int taken = line->spare < wanted ? line->spare : wanted;
    line->spare -= taken;
    while (taken < wanted) {
        int byte = byte_at(text, line->at);
        if (byte == ' ') {
            line->at++;
            taken++;
        } else if (byte == '\t') {
            int width = 4 - (int)((line->at - line->tab_stop) % 4);
            int used = width < wanted - taken ? width : wanted - taken;
            line->at++;
            line->tab_stop = line->at;
            taken += used;
            line->spare = width - used;
        } else {
            break;
        }
    }
    return taken;
}

static inline int has_columns(const Text *text, Line *line, int wanted) {
    return take_columns(text, line, wanted) == wanted;
}

static inline void take_all_columns(const Text *text, Line *line) {
    line->spare = 0;
    while (byte_at(text, line->at) == ' ' || byte_at(text, line->at) == '\t') line->at++;
}

#endif
