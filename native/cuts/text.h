/* A document's text, read by code point and by byte. */

#ifndef SEAMLINE_CUTS_TEXT_H
#define SEAMLINE_CUTS_TEXT_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "words.h"

#include <stdbool.h>

typedef struct {
    PyObject *string;
    int kind;
    const void *data;
    Py_ssize_t length;
    PyObject *encoded; /* owns `bytes`, unless the string is ASCII and its own encoding */
    Bytes bytes;
    size_t *steps; /* the byte of every 64th code point; none for ASCII */
} Text;

/* A string by code point alone, to be read while the string lives. */
Text text_view(PyObject *string);

/* Opens a string, which must outlive the text. False with an exception set: no memory, or something that cannot be
   encoded; `errors` is as for str.encode. */
bool text_open(Text *text, PyObject *string, const char *errors);

/* Prepares for offsets in code points. False with an exception set. */
bool text_index(Text *text);
void text_close(Text *text);

/* The byte at which a code point starts; the end of the bytes for the end of the text and beyond. */
size_t text_byte(const Text *text, Py_ssize_t at);

/* The bytes of a range of code points. */
Bytes text_bytes(const Text *text, Py_ssize_t start, Py_ssize_t end);

/* The code point at an offset; 0 outside the text. */
static inline Py_UCS4 text_point(const Text *text, Py_ssize_t at)
{
    return at >= 0 && at < text->length ? PyUnicode_READ(text->kind, text->data, at) : 0;
}

/* `end` without the white space before it. */
static inline Py_ssize_t text_trimmed(const Text *text, Py_ssize_t start, Py_ssize_t end)
{
    while (end > start && Py_UNICODE_ISSPACE(text_point(text, end - 1)))
        end--;
    return end;
}

/* How many code points some bytes are. */
size_t points_of(Bytes bytes);

#endif
