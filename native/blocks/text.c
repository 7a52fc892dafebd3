/* A str as the parser sees it, and the characters behind its bytes. */

#include "kernels.h"

#include "text.h"

static unsigned char narrow(Py_UCS4 c) { return c < 0x80 ? (unsigned char)c : c == 0xfeff ? BOM : OTHER; }

static void narrow_all(unsigned char *bytes, const void *data, int kind, Py_ssize_t length) {
    if (kind == PyUnicode_1BYTE_KIND) {
        for (Py_ssize_t i = 0; i < length; i++) bytes[i] = narrow(((const Py_UCS1 *)data)[i]);
    } else if (kind == PyUnicode_2BYTE_KIND) {
        for (Py_ssize_t i = 0; i < length; i++) bytes[i] = narrow(((const Py_UCS2 *)data)[i]);
    } else {
        for (Py_ssize_t i = 0; i < length; i++) bytes[i] = narrow(((const Py_UCS4 *)data)[i]);
    }
}

/* A lone carriage return ends a line like any other. */
static void end_lines_alike(unsigned char *bytes, Py_ssize_t length) {
    unsigned char *at = bytes, *end = bytes + length;
    while (at < end && (at = memchr(at, '\r', (size_t)(end - at)))) {
        if (at + 1 == end || at[1] != '\n') *at = '\n';
        at++;
    }
}

static void blank_out(unsigned char *bytes, Pos end) {
    for (Pos at = 0; at < end; at++) {
        if (bytes[at] != '\n' && bytes[at] != '\r') bytes[at] = ' ';
    }
}

/* Whether a str in memory is already what the parser is to read. */
static int is_narrow(PyObject *string, Pos after) {
    if (!PyUnicode_IS_ASCII(string) || after > 0) return 0;
    return !memchr(PyUnicode_DATA(string), '\r', (size_t)PyUnicode_GET_LENGTH(string));
}

int narrow_text(void *string, Pos after, Text *text) {
    Py_ssize_t length = PyUnicode_GET_LENGTH(string);
    const void *data = PyUnicode_DATA(string);
    *text = (Text){.bytes = data, .length = length, .string = string};
    if (is_narrow(string, after)) return 1;
    unsigned char *bytes = PyMem_Malloc((size_t)length + 1);
    if (!bytes) return 0;
    narrow_all(bytes, data, PyUnicode_KIND(string), length);
    bytes[length] = 0;
    blank_out(bytes, after < length ? after : length);
    end_lines_alike(bytes, length);
    text->opens_with_bom = bytes[0] == BOM;
    if (text->opens_with_bom) bytes[0] = '\n';
    text->bytes = text->owned = bytes;
    return 1;
}

uint32_t char_at(const Text *text, Pos at) {
    if (at < 0 || at >= text->length) return 0;
    return PyUnicode_READ_CHAR(text->string, (Py_ssize_t)at);
}

int is_space_at(const Text *text, Pos at) {
    return at >= 0 && at < text->length && Py_UNICODE_ISSPACE(char_at(text, at));
}

int is_name_at(const Text *text, Pos at) {
    uint32_t c = char_at(text, at);
    return c == '_' || c == '-' || Py_UNICODE_ISALNUM(c);
}
