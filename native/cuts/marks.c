/* The brackets and lines of source code, by the marks that a pattern finds: `Marks._scan` of source/marks.py. */

#include "marks.h"

#include "growth.h"

typedef struct {
    Py_ssize_t start, first, around, before;
    bool is_comment;
} MarkedLine;

typedef struct {
    PyObject *text;
    int width;
    const void *data;
    Py_ssize_t length;
    Py_ssize_t *places, *partner, *around;
    size_t count, room, partner_room, depth, around_room;
    MarkedLine *lines;
    size_t line_count, line_room;
    Py_ssize_t begin, before, code, last;
    bool fresh, remarked, matched;
} Scan;

static inline Py_UCS4 point(const Scan *scan, Py_ssize_t at)
{
    return at < scan->length ? PyUnicode_READ(scan->width, scan->data, at) : 0;
}

static inline bool is_blank(Py_UCS4 c)
{
    return c == ' ' || c == '\t';
}

static inline Py_ssize_t inside(const Scan *scan)
{
    return scan->depth ? scan->around[scan->depth - 1] : -1;
}

static bool add_line(Scan *scan, Py_ssize_t first, bool is_comment)
{
    if (!GROW(scan->lines, scan->line_room, scan->line_count + 1))
        return false;
    scan->lines[scan->line_count++] = (MarkedLine){scan->begin, first, inside(scan), scan->before, is_comment};
    return true;
}

static bool add_place(Scan *scan, Py_ssize_t at, Py_ssize_t partner)
{
    if (!GROW(scan->places, scan->room, scan->count + 1) || !GROW(scan->partner, scan->partner_room, scan->count + 1))
        return false;
    scan->places[scan->count] = at;
    scan->partner[scan->count++] = partner;
    return true;
}

static Py_UCS4 closer_of(Py_UCS4 opener)
{
    return opener == '(' ? ')' : opener == '[' ? ']' : '}';
}

static bool add_bracket(Scan *scan, Py_ssize_t at, Py_UCS4 kind)
{
    if (kind == '(' || kind == '[' || kind == '{') {
        if (!GROW(scan->around, scan->around_room, scan->depth + 1))
            return false;
        scan->around[scan->depth++] = (Py_ssize_t)scan->count;
        return add_place(scan, at, -1);
    }
    Py_ssize_t opener = inside(scan);
    if (opener < 0 || closer_of(point(scan, scan->places[opener])) != kind) {
        scan->matched = false;
        return add_place(scan, at, -1);
    }
    scan->depth--;
    scan->partner[opener] = (Py_ssize_t)scan->count;
    return add_place(scan, at, opener);
}

static bool is_remark(const Scan *scan, Py_ssize_t at, Py_UCS4 kind)
{
    Py_UCS4 next = kind == '/' ? point(scan, at + 1) : 0;
    return kind == '#' || next == '/' || next == '*';
}

/* One mark from `at` to `after`. */
static bool add_mark(Scan *scan, Py_ssize_t at, Py_ssize_t after)
{
    Py_UCS4 kind = point(scan, at);
    Py_ssize_t stop = at;
    while (stop > scan->last && is_blank(point(scan, stop - 1)))
        stop--;
    bool is_line = kind == '\r' || kind == '\n', nothing = stop <= scan->last;
    if (!nothing)
        scan->code = stop;
    bool remark = !is_line && is_remark(scan, at, kind);
    if (!is_line || !nothing) {
        if (scan->fresh) {
            Py_ssize_t first = scan->last;
            for (Py_UCS4 c = point(scan, first); first <= at && (is_blank(c) || c == '\f' || c == '\v');)
                c = point(scan, ++first);
            scan->remarked = remark && nothing;
            scan->fresh = false;
            if (!add_line(scan, first, scan->remarked))
                return false;
        } else if (scan->remarked && !(remark && nothing)) {
            scan->lines[scan->line_count - 1].is_comment = false;
            scan->remarked = false;
        }
    }
    scan->last = after;
    if (is_line) {
        scan->begin = after;
        scan->fresh = true;
        scan->before = scan->code;
        return true;
    }
    if (!remark)
        scan->code = after;
    bool is_bracket = kind == '(' || kind == '[' || kind == '{' || kind == ')' || kind == ']' || kind == '}';
    return !is_bracket || add_bracket(scan, at, kind);
}

/* The marks that a pattern finds between two offsets. */
static bool scan_part(Scan *scan, PyObject *pattern, Py_ssize_t low, Py_ssize_t high)
{
    PyObject *found = PyObject_CallMethod(pattern, "finditer", "Onn", scan->text, low, high);
    PyObject *span = found ? PyUnicode_InternFromString("span") : NULL, *match;
    bool done = span != NULL;
    while (done && (match = PyIter_Next(found))) {
        PyObject *pair = PyObject_CallMethodNoArgs(match, span);
        Py_DECREF(match);
        done = pair && PyTuple_Check(pair) && PyTuple_GET_SIZE(pair) == 2 &&
               add_mark(scan, PyLong_AsSsize_t(PyTuple_GET_ITEM(pair, 0)), PyLong_AsSsize_t(PyTuple_GET_ITEM(pair, 1)));
        Py_XDECREF(pair);
    }
    Py_XDECREF(found);
    Py_XDECREF(span);
    return done && !PyErr_Occurred();
}

/* What follows the last mark, as a line of its own. */
static bool add_rest(Scan *scan, Py_ssize_t end)
{
    Py_ssize_t first = scan->last;
    while (first < end && Py_UNICODE_ISSPACE(point(scan, first)))
        first++;
    return !scan->fresh || first >= end || add_line(scan, first, false);
}

static bool scan_parts(Scan *scan, PyObject *pattern, PyObject *parts, Py_ssize_t start)
{
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(parts); i++) {
        Py_ssize_t low, high;
        if (!PyArg_ParseTuple(PyList_GET_ITEM(parts, i), "nn", &low, &high))
            return false;
        if (low > start) {
            scan->begin = scan->last = low;
            scan->fresh = true;
            scan->before = scan->code;
        }
        if (!scan_part(scan, pattern, low, high))
            return false;
    }
    return true;
}

static PyObject *numbers(const Py_ssize_t *values, size_t count)
{
    PyObject *list = PyList_New((Py_ssize_t)count);
    for (size_t i = 0; list && i < count; i++) {
        PyObject *number = PyLong_FromSsize_t(values[i]);
        if (!number)
            Py_CLEAR(list);
        else
            PyList_SET_ITEM(list, (Py_ssize_t)i, number);
    }
    return list;
}

static PyObject *line_of(const MarkedLine *line, PyTypeObject *type)
{
    Py_ssize_t values[] = {line->start, line->first, line->around, line->before};
    PyObject *tuple = type->tp_alloc(type, 5);
    for (Py_ssize_t i = 0; tuple && i < 4; i++) {
        PyObject *number = PyLong_FromSsize_t(values[i]);
        if (!number)
            Py_CLEAR(tuple);
        else
            PyTuple_SET_ITEM(tuple, i, number);
    }
    if (tuple)
        PyTuple_SET_ITEM(tuple, 4, PyBool_FromLong(line->is_comment));
    return tuple;
}

static PyObject *lines_of(const Scan *scan, PyTypeObject *type)
{
    PyObject *list = PyList_New((Py_ssize_t)scan->line_count);
    for (size_t i = 0; list && i < scan->line_count; i++) {
        PyObject *line = line_of(scan->lines + i, type);
        if (!line)
            Py_CLEAR(list);
        else
            PyList_SET_ITEM(list, (Py_ssize_t)i, line);
    }
    return list;
}

PyObject *read_marks(PyObject *module, PyObject *args)
{
    PyObject *text, *pattern, *parts, *type;
    Py_ssize_t start, end;
    if (!PyArg_ParseTuple(args, "UnnOO!O!", &text, &start, &end, &pattern, &PyList_Type, &parts, &PyType_Type, &type))
        return NULL;
    if (!PyType_IsSubtype((PyTypeObject *)type, &PyTuple_Type)) {
        PyErr_SetString(PyExc_TypeError, "expected a type of named tuples");
        return NULL;
    }
    Scan scan = {.text = text,
                 .width = PyUnicode_KIND(text),
                 .data = PyUnicode_DATA(text),
                 .length = PyUnicode_GET_LENGTH(text),
                 .begin = start,
                 .before = start,
                 .code = start,
                 .last = start,
                 .fresh = true,
                 .matched = true};
    PyObject *out = NULL;
    if (scan_parts(&scan, pattern, parts, start) && add_rest(&scan, end < scan.length ? end : scan.length)) {
        PyObject *places = numbers(scan.places, scan.count), *partner = numbers(scan.partner, scan.count);
        PyObject *lines = lines_of(&scan, (PyTypeObject *)type);
        PyObject *matched = PyBool_FromLong(scan.matched && !scan.depth);
        if (places && partner && lines)
            out = PyTuple_Pack(4, places, partner, lines, matched);
        Py_XDECREF(places);
        Py_XDECREF(partner);
        Py_XDECREF(lines);
        Py_DECREF(matched);
    }
    PyMem_Free(scan.places);
    PyMem_Free(scan.partner);
    PyMem_Free(scan.around);
    PyMem_Free(scan.lines);
    return out;
}
