/* `collapse` of seamline.types, as the bytes that are hashed. */

#include "kernels.h"

static Py_ssize_t put(uint8_t *into, Py_UCS4 c) {
    if (c < 0x80) {
        into[0] = (uint8_t)c;
        return 1;
    }
    if (c < 0x800) {
        into[0] = (uint8_t)(0xC0 | c >> 6);
        into[1] = (uint8_t)(0x80 | (c & 0x3F));
        return 2;
    }
    if (c < 0x10000) {
        into[0] = (uint8_t)(0xE0 | c >> 12);
        into[1] = (uint8_t)(0x80 | (c >> 6 & 0x3F));
        into[2] = (uint8_t)(0x80 | (c & 0x3F));
        return 3;
    }
    into[0] = (uint8_t)(0xF0 | c >> 18);
    into[1] = (uint8_t)(0x80 | (c >> 12 & 0x3F));
    into[2] = (uint8_t)(0x80 | (c >> 6 & 0x3F));
    into[3] = (uint8_t)(0x80 | (c & 0x3F));
    return 4;
}

/* The bytes written, or -1 where a surrogate stands: such a text has no UTF-8. */
static inline Py_ssize_t collapse_into(uint8_t *into, int kind, const void *data, Py_ssize_t length) {
    Py_ssize_t at = 0;
    int pending = 0;
    for (Py_ssize_t i = 0; i < length; i++) {
        Py_UCS4 c = PyUnicode_READ(kind, data, i);
        if (Py_UNICODE_ISSPACE(c)) {
            pending = at > 0;
            continue;
        }
        if (c >= 0xD800 && c < 0xE000) return -1;
        if (pending) into[at++] = ' ';
        pending = 0;
        at += put(into + at, c);
    }
    return at;
}

static Py_ssize_t collapse_text(uint8_t *into, PyObject *text) {
    const void *data = PyUnicode_DATA(text);
    Py_ssize_t length = PyUnicode_GET_LENGTH(text);
    switch (PyUnicode_KIND(text)) {
        case PyUnicode_1BYTE_KIND: return collapse_into(into, PyUnicode_1BYTE_KIND, data, length);
        case PyUnicode_2BYTE_KIND: return collapse_into(into, PyUnicode_2BYTE_KIND, data, length);
        default: return collapse_into(into, PyUnicode_4BYTE_KIND, data, length);
    }
}

PyObject *collapsed(PyObject *Py_UNUSED(module), PyObject *text) {
    if (!PyUnicode_Check(text))
        return PyErr_Format(PyExc_TypeError, "expected a text, got %.100s", Py_TYPE(text)->tp_name);
    Py_ssize_t widest = PyUnicode_IS_ASCII(text) ? 1 : PyUnicode_KIND(text) == PyUnicode_1BYTE_KIND ? 2 : 4;
    if (PyUnicode_GET_LENGTH(text) > PY_SSIZE_T_MAX / 4) return PyErr_NoMemory();
    PyObject *found = PyBytes_FromStringAndSize(NULL, widest * PyUnicode_GET_LENGTH(text));
    if (!found) return NULL;
    Py_ssize_t size = collapse_text((uint8_t *)PyBytes_AS_STRING(found), text);
    if (size < 0) {
        Py_DECREF(found);
        return PyUnicode_AsUTF8String(text); /* which says what is wrong */
    }
    _PyBytes_Resize(&found, size);
    return found;
}
