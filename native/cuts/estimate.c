/* A token count from characters alone, as seamline.tokens.estimate makes it. Offsets here are bytes. */

#include "counters.h"

#include "text.h"

#include <math.h>
#include <string.h>

#define NOWHERE SIZE_MAX

/* Where a byte occurs next, at or after `at`. */
static size_t find(Bytes text, uint8_t byte, size_t at)
{
    const uint8_t *found = at < text.size ? memchr(text.data + at, byte, text.size - at) : NULL;
    return found ? (size_t)(found - text.data) : NOWHERE;
}

/* The end of the row of one byte that starts at `at`. */
static size_t row_end(Bytes text, size_t at)
{
    size_t end = at;
    while (end < text.size && text.data[end] == text.data[at])
        end++;
    return end;
}

/* --- fences ------------------------------------------------------------------------------------------------------ */

/* Where three of a mark stand in a row next. */
static size_t find_three(Bytes text, uint8_t mark, size_t at)
{
    while ((at = find(text, mark, at)) != NOWHERE) {
        size_t end = row_end(text, at);
        if (end - at >= 3)
            return at;
        at = end;
    }
    return NOWHERE;
}

/* Whether nothing but blanks and quote marks stands before `at` on its line. */
static bool first_on_line(Bytes text, size_t at)
{
    while (at > 0 && text.data[at - 1] != '\n') {
        uint8_t byte = text.data[--at];
        if (byte != ' ' && byte != '\t' && byte != '>')
            return false;
    }
    return true;
}

/* The two fence marks, and where each occurs next. */
typedef struct {
    size_t ticks;
    size_t tildes;
} Fences;

static size_t next_fence(Bytes text, Fences *fences, size_t at)
{
    for (;;) {
        if (fences->ticks < at)
            fences->ticks = find_three(text, '`', at);
        if (fences->tildes < at)
            fences->tildes = find_three(text, '~', at);
        size_t found = fences->ticks < fences->tildes ? fences->ticks : fences->tildes;
        if (found == NOWHERE || first_on_line(text, found))
            return found;
        at = row_end(text, found);
    }
}

/* Characters between fence lines, the fences included. */
static size_t fenced_points(Bytes text)
{
    size_t total = 0, opened = NOWHERE, long_as = 0;
    Fences fences = {find_three(text, '`', 0), find_three(text, '~', 0)};
    size_t at = 0;
    while ((at = next_fence(text, &fences, at)) != NOWHERE) {
        size_t end = row_end(text, at);
        if (opened == NOWHERE) {
            opened = at;
            long_as = end - at;
        } else if (text.data[at] == text.data[opened] && end - at >= long_as) {
            total += points_of((Bytes){text.data + opened, end - opened});
            opened = NOWHERE;
        }
        at = end;
    }
    return opened == NOWHERE ? total : total + points_of((Bytes){text.data + opened, text.size - opened});
}

/* --- markup ------------------------------------------------------------------------------------------------------ */

/* The code point that ends before `at`, and where it starts. */
static Py_UCS4 point_before(Bytes text, size_t *at)
{
    size_t start = *at - 1;
    while (start > 0 && (text.data[start] & 0xC0) == 0x80)
        start--;
    const uint8_t *p = text.data + start;
    size_t width = *at - start;
    *at = start;
    return width == 1   ? p[0]
           : width == 2 ? (p[0] & 0x1Fu) << 6 | (p[1] & 0x3Fu)
           : width == 3 ? (p[0] & 0x0Fu) << 12 | (p[1] & 0x3Fu) << 6 | (p[2] & 0x3Fu)
                        : (p[0] & 0x07u) << 18 | (p[1] & 0x3Fu) << 12 | (p[2] & 0x3Fu) << 6 | (p[3] & 0x3Fu);
}

/* Whether what stands at `at`, behind a `<`, opens a tag: a letter, a slash, or what closes it. */
static bool opens_tag(Bytes text, size_t at)
{
    if (at >= text.size)
        return false;
    if (text.data[at] == '/' || text.data[at] == '>')
        return true;
    size_t end = at + 1;
    while (end < text.size && (text.data[end] & 0xC0) == 0x80)
        end++;
    Py_UCS4 point = point_before(text, &end);
    return Py_UNICODE_ISALPHA(point);
}

/* The start of the line of `at` where only white space stands before it there, else NOWHERE. */
static size_t line_opened(Bytes text, size_t at)
{
    while (at > 0 && text.data[at - 1] != '\n') {
        Py_UCS4 point = point_before(text, &at); /* not in the macro below, which may read its argument twice */
        if (!Py_UNICODE_ISSPACE(point))
            return NOWHERE;
    }
    return at;
}

static bool starts_module(Bytes text)
{
    return text.size >= 7 && (!memcmp(text.data, "import ", 7) || !memcmp(text.data, "export ", 7));
}

static size_t blank_line(Bytes text)
{
    for (size_t at = 0; (at = find(text, '\n', at)) != NOWHERE; at++)
        if (at + 1 < text.size && text.data[at + 1] == '\n')
            return at;
    return text.size;
}

/* Characters of lines that start with a tag, and of the module lines a component page starts with. */
static size_t markup_points(Bytes text)
{
    size_t at = starts_module(text) ? blank_line(text) : 0;
    size_t total = points_of((Bytes){text.data, at});
    while ((at = find(text, '<', at)) != NOWHERE) {
        size_t line = opens_tag(text, at + 1) ? line_opened(text, at) : NOWHERE;
        if (line == NOWHERE) {
            at++;
            continue;
        }
        size_t end = find(text, '\n', at);
        end = end == NOWHERE ? text.size : end + 1;
        total += points_of((Bytes){text.data + line, end - line});
        at = end;
    }
    return total;
}

/* --- both -------------------------------------------------------------------------------------------------------- */

Py_ssize_t estimate_tokens(const Estimate *estimate, Bytes text)
{
    size_t code = fenced_points(text), points = points_of(text);
    if (!code)
        code = markup_points(text);
    if (!code)
        return (Py_ssize_t)ceil((double)points / estimate->prose);
    return (Py_ssize_t)ceil((double)(points - code) / estimate->prose + (double)code / estimate->code);
}
