/* Offsets count code points and tokenizers read bytes: this is where the two meet. */

#include "text.h"

enum { STEP = 64 };

/* Bytes of the code points [start, end) in UTF-8. */
static size_t width(const Text *text, Py_ssize_t start, Py_ssize_t end)
{
    size_t bytes = (size_t)(end - start);
    if (text->kind == PyUnicode_1BYTE_KIND) {
        const Py_UCS1 *points = text->data;
        for (Py_ssize_t i = start; i < end; i++)
            bytes += points[i] >= 0x80;
    } else if (text->kind == PyUnicode_2BYTE_KIND) {
        const Py_UCS2 *points = text->data;
        for (Py_ssize_t i = start; i < end; i++)
            bytes += (points[i] >= 0x80) + (points[i] >= 0x800);
    } else {
        const Py_UCS4 *points = text->data;
        for (Py_ssize_t i = start; i < end; i++)
            bytes += (points[i] >= 0x80) + (points[i] >= 0x800) + (points[i] >= 0x10000);
    }
    return bytes;
}

Text text_view(PyObject *string)
{
    return (Text){.string = string,
                  .kind = (int)PyUnicode_KIND(string),
                  .data = PyUnicode_DATA(string),
                  .length = PyUnicode_GET_LENGTH(string)};
}

bool text_open(Text *text, PyObject *string, const char *errors)
{
    *text = text_view(string);
    if (PyUnicode_IS_ASCII(string)) {
        text->bytes = (Bytes){text->data, (size_t)text->length};
        return true;
    }
    text->encoded = PyUnicode_AsEncodedString(string, "utf-8", errors);
    if (!text->encoded)
        return false;
    text->bytes = (Bytes){(const uint8_t *)PyBytes_AS_STRING(text->encoded), (size_t)PyBytes_GET_SIZE(text->encoded)};
    return true;
}

bool text_index(Text *text)
{
    if (!text->encoded)
        return true;
    size_t count = (size_t)text->length / STEP + 1;
    text->steps = PyMem_Malloc(count * sizeof *text->steps);
    if (!text->steps) {
        PyErr_NoMemory();
        return false;
    }
    text->steps[0] = 0;
    for (size_t i = 1; i < count; i++)
        text->steps[i] = text->steps[i - 1] + width(text, (Py_ssize_t)(i - 1) * STEP, (Py_ssize_t)i * STEP);
    return true;
}

void text_close(Text *text)
{
    Py_CLEAR(text->encoded);
    PyMem_Free(text->steps);
    text->steps = NULL;
}

size_t text_byte(const Text *text, Py_ssize_t at)
{
    if (at <= 0)
        return 0;
    if (at >= text->length)
        return text->bytes.size;
    if (!text->steps)
        return (size_t)at;
    return text->steps[at / STEP] + width(text, at / STEP * STEP, at);
}

Bytes text_bytes(const Text *text, Py_ssize_t start, Py_ssize_t end)
{
    size_t first = text_byte(text, start), last = text_byte(text, end);
    return (Bytes){text->bytes.data + first, last > first ? last - first : 0};
}

size_t points_of(Bytes bytes)
{
    size_t points = 0;
    for (size_t i = 0; i < bytes.size; i++)
        points += (bytes.data[i] & 0xC0) != 0x80;
    return points;
}
