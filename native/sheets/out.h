/* Text that grows: one byte for each character until one needs more. */

#ifndef SEAMLINE_OUT_H
#define SEAMLINE_OUT_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <string.h>

typedef struct {
    void *data;
    int kind;
    Py_ssize_t length, room; /* in characters */
} Out;

/* Room for `more` characters of a kind; -1 with an error set where memory ends. */
int reserve(Out *out, Py_ssize_t more, int kind);

/* Append ASCII characters where there is no room, or each takes more than a byte. */
int put_more_bytes(Out *out, const char *bytes, Py_ssize_t count);

/* Append ASCII characters. */
static inline int put_bytes(Out *out, const char *bytes, Py_ssize_t count) {
    if (out->kind != PyUnicode_1BYTE_KIND || count > out->room - out->length) return put_more_bytes(out, bytes, count);
    memcpy((char *)out->data + out->length, bytes, (size_t)count);
    out->length += count;
    return 0;
}

/* Append a string. */
int put_string(Out *out, PyObject *string);

/* What was appended, as a string. */
PyObject *out_string(const Out *out);

void free_out(Out *out);

#endif
