/* Text that grows: one byte for each character until one needs more. */

#include "out.h"

static void widen(void *into, int kind, const void *from, int from_kind, Py_ssize_t count) {
    if (kind == from_kind) {
        if (count) memcpy(into, from, (size_t)count * (size_t)kind);
        return;
    }
    for (Py_ssize_t i = 0; i < count; i++) PyUnicode_WRITE(kind, into, i, PyUnicode_READ(from_kind, from, i));
}

int reserve(Out *out, Py_ssize_t more, int kind) {
    if (kind < out->kind) kind = out->kind;
    if (more > PY_SSIZE_T_MAX / 16 - out->length) {
        PyErr_NoMemory();
        return -1;
    }
    Py_ssize_t wanted = out->length + more;
    if (kind == out->kind && wanted <= out->room) return 0;
    Py_ssize_t room = wanted <= out->room ? out->room : wanted + wanted / 2 + 64;
    if (kind == out->kind) {
        void *data = PyMem_Realloc(out->data, (size_t)room * (size_t)kind);
        if (!data) {
            PyErr_NoMemory();
            return -1;
        }
        out->data = data;
    } else {
        void *data = PyMem_Malloc((size_t)room * (size_t)kind);
        if (!data) {
            PyErr_NoMemory();
            return -1;
        }
        if (out->length) widen(data, kind, out->data, out->kind, out->length);
        PyMem_Free(out->data);
        out->data = data;
        out->kind = kind;
    }
    out->room = room;
    return 0;
}

int put_more_bytes(Out *out, const char *bytes, Py_ssize_t count) {
    if (reserve(out, count, PyUnicode_1BYTE_KIND) < 0) return -1;
    widen((char *)out->data + out->length * out->kind, out->kind, bytes, PyUnicode_1BYTE_KIND, count);
    out->length += count;
    return 0;
}

int put_string(Out *out, PyObject *string) {
    Py_ssize_t count = PyUnicode_GET_LENGTH(string);
    int kind = (int)PyUnicode_KIND(string);
    if (reserve(out, count, kind) < 0) return -1;
    widen((char *)out->data + out->length * out->kind, out->kind, PyUnicode_DATA(string), kind, count);
    out->length += count;
    return 0;
}

PyObject *out_string(const Out *out) {
    if (!out->length) return PyUnicode_New(0, 0);
    return PyUnicode_FromKindAndData(out->kind, out->data, out->length);
}

void free_out(Out *out) { PyMem_Free(out->data); }
