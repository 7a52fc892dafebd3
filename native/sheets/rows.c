/* Rows of a sheet as lines of a table: `in_columns` in parse/sheet_rows.py, row by row instead of column by column. */

#include "rows.h"

#include <math.h>
#include <stdint.h>

#include "out.h"

#define DECIMALS 1e4
#define DIGITS 1e15 /* The first number of more than 15 digits. */

typedef struct {
    PyObject *shown, *cell; /* Python functions: a value as text; a text as it stands in a cell. */
    PyObject *known;        /* What `shown` gave for values that are no text, number or truth. */
    Py_ssize_t room;        /* Characters that may still be written. */
    Out out;
} Page;

/* --- one cell ---------------------------------------------------------------------------------------------------- */

/* What characters are in a cell, as bits: a space, or what cannot stand there. */
enum { SPACE = 1, CARE = 2 };
static const unsigned char SIGNS[256] = {
    [9] = CARE,  [10] = CARE, [11] = CARE, [12] = CARE,   [13] = CARE,   [28] = CARE,  [29] = CARE,
    [30] = CARE, [31] = CARE, [' '] = SPACE, ['|'] = CARE, [0x85] = CARE, [0xA0] = CARE,
};

/* Whether a text cannot stand in a cell as it is: it has a bar, or white space that is not one space between words. */
static int needs_care(PyObject *text) {
    Py_ssize_t count = PyUnicode_GET_LENGTH(text);
    unsigned char last = SPACE, found = 0;
    if (PyUnicode_KIND(text) == PyUnicode_1BYTE_KIND) {
        const Py_UCS1 *data = PyUnicode_1BYTE_DATA(text);
        for (Py_ssize_t i = 0; i < count; i++) {
            unsigned char sign = SIGNS[data[i]];
            found |= (sign & CARE) | (sign & last);
            last = sign;
        }
    } else {
        int kind = (int)PyUnicode_KIND(text);
        const void *data = PyUnicode_DATA(text);
        for (Py_ssize_t i = 0; i < count; i++) {
            Py_UCS4 one = PyUnicode_READ(kind, data, i);
            unsigned char sign = one < 256 ? SIGNS[one] : Py_UNICODE_ISSPACE(one) ? CARE : 0;
            found |= (sign & CARE) | (sign & last);
            last = sign;
        }
    }
    return found || (count && last == SPACE);
}

static int put_text(Page *page, PyObject *text, Py_ssize_t *size) {
    *size += PyUnicode_GET_LENGTH(text);
    if (!needs_care(text)) return put_string(&page->out, text);
    PyObject *clean = PyObject_CallOneArg(page->cell, text);
    if (!clean) return -1;
    int done = -1;
    if (PyUnicode_Check(clean)) {
        done = put_string(&page->out, clean);
    } else {
        PyErr_SetString(PyExc_TypeError, "a cell must be text");
    }
    Py_DECREF(clean);
    return done;
}

/* A number with at most four decimals, or one that is off such a number by the last bit, as sums of prices are. Both
 * are written like it: 15 digits do not show the last bit. Returns how many characters it has, 0 where it is no such
 * number; they end at `end`. */
static Py_ssize_t short_number(double value, char *end) {
    double size = fabs(value), scaled = nearbyint(size * DECIMALS);
    if (!(scaled < DIGITS) || (value == 0 && signbit(value))) return 0;
    double near = scaled / DECIMALS;
    int64_t bits, near_bits;
    memcpy(&bits, &size, sizeof bits);
    memcpy(&near_bits, &near, sizeof near_bits);
    if (bits - near_bits > 1 || near_bits - bits > 1 || (scaled == 0 && size != 0)) return 0;
    char *at = end;
    int64_t whole = (int64_t)scaled / (int64_t)DECIMALS, rest = (int64_t)scaled % (int64_t)DECIMALS;
    if (rest) {
        int left = 4;
        for (; rest % 10 == 0; left--) rest /= 10;
        for (; left; left--, rest /= 10) *--at = (char)('0' + rest % 10);
        *--at = '.';
    }
    do *--at = (char)('0' + whole % 10);
    while (whole /= 10);
    if (value < 0) *--at = '-';
    return end - at;
}

/* As `{:.15g}` writes it. */
static int put_number(Page *page, double value, Py_ssize_t *size) {
    char digits[32];
    Py_ssize_t count = short_number(value, digits + sizeof digits);
    *size += count;
    if (count) return put_bytes(&page->out, digits + sizeof digits - count, count);
    char *text = PyOS_double_to_string(value, 'g', 15, 0, NULL);
    if (!text) return -1;
    count = (Py_ssize_t)strlen(text);
    *size += count;
    int done = put_bytes(&page->out, text, count);
    PyMem_Free(text);
    return done;
}

/* A date or the like: days are few, so that each is written once. */
static int put_known(Page *page, PyObject *value, Py_ssize_t *size) {
    PyObject *text = PyDict_GetItemWithError(page->known, value);
    if (text) {
        Py_INCREF(text);
    } else {
        if (PyErr_Occurred()) return -1;
        text = PyObject_CallOneArg(page->shown, value);
        if (!text) return -1;
        if (!PyUnicode_Check(text)) {
            PyErr_SetString(PyExc_TypeError, "a value must be shown as text");
            Py_DECREF(text);
            return -1;
        }
        if (PyDict_SetItem(page->known, value, text) < 0) {
            Py_DECREF(text);
            return -1;
        }
    }
    int done = put_text(page, text, size);
    Py_DECREF(text);
    return done;
}

static int put_cell(Page *page, PyObject *value, Py_ssize_t *size) {
    if (PyUnicode_CheckExact(value)) return put_text(page, value, size);
    if (PyFloat_CheckExact(value)) return put_number(page, PyFloat_AS_DOUBLE(value), size);
    if (value == Py_True || value == Py_False) {
        Py_ssize_t count = value == Py_True ? 4 : 5;
        *size += count;
        return put_bytes(&page->out, value == Py_True ? "TRUE" : "FALSE", count);
    }
    return put_known(page, value, size);
}

/* --- all rows ---------------------------------------------------------------------------------------------------- */

/* One row between bars. Returns 1 where it is written, 0 where there is no room for it, -1 for an error. */
static int put_row(Page *page, PyObject *row, Py_ssize_t width) {
    Py_ssize_t before = page->out.length, size = 0;
    if (before && put_bytes(&page->out, "\n", 1) < 0) return -1;
    if (put_bytes(&page->out, "|", 1) < 0) return -1;
    for (Py_ssize_t i = 0; i < width; i++) {
        if (!PyList_Check(row) || PyList_GET_SIZE(row) != width) {
            PyErr_SetString(PyExc_ValueError, "rows must be lists of one length");
            return -1;
        }
        PyObject *value = Py_NewRef(PyList_GET_ITEM(row, i));
        int done = put_bytes(&page->out, " ", 1) < 0 ? -1 : put_cell(page, value, &size);
        Py_DECREF(value);
        if (done < 0 || put_bytes(&page->out, " |", 2) < 0) return -1;
    }
    page->room -= size + 3 * width + 2;
    if (page->room >= 0) return 1;
    page->out.length = before;
    return 0;
}

static int put_rows(Page *page, PyObject *rows, Py_ssize_t width, PyObject *ends) {
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(rows); i++) {
        PyObject *row = Py_NewRef(PyList_GET_ITEM(rows, i));
        int done = put_row(page, row, width);
        Py_DECREF(row);
        if (done < 1) return done;
        PyObject *end = PyLong_FromSsize_t(page->out.length);
        if (!end) return -1;
        done = PyList_Append(ends, end);
        Py_DECREF(end);
        if (done < 0) return -1;
    }
    return 0;
}

PyObject *write_rows(PyObject *module, PyObject *args) {
    (void)module;
    PyObject *rows, *result = NULL;
    Py_ssize_t width;
    Page page = {.out = {.kind = PyUnicode_1BYTE_KIND}};
    if (!PyArg_ParseTuple(args, "O!nnOO:write_rows", &PyList_Type, &rows, &width, &page.room, &page.shown, &page.cell)) {
        return NULL;
    }
    if (width < 0 || width > PY_SSIZE_T_MAX / 16) {
        PyErr_SetString(PyExc_ValueError, "no such width");
        return NULL;
    }
    PyObject *ends = PyList_New(0);
    page.known = PyDict_New();
    if (ends && page.known && put_rows(&page, rows, width, ends) == 0) {
        PyObject *text = out_string(&page.out);
        if (text) result = PyTuple_Pack(2, text, ends);
        Py_XDECREF(text);
    }
    Py_XDECREF(ends);
    Py_XDECREF(page.known);
    free_out(&page.out);
    return result;
}
