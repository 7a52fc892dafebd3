/* A chunk as text: what it borrows, its body, and what closes it. */

#include "render.h"

#include <stdbool.h>

/* Appends text[start:end] by two fields of a named tuple. */
static bool append_span(PyObject *parts, PyObject *text, PyObject *tuple, Py_ssize_t field)
{
    Py_ssize_t start = PyLong_AsSsize_t(PyTuple_GET_ITEM(tuple, field));
    Py_ssize_t end = PyLong_AsSsize_t(PyTuple_GET_ITEM(tuple, field + 1));
    if (PyErr_Occurred())
        return false;
    PySlice_AdjustIndices(PyUnicode_GET_LENGTH(text), &start, &end, 1);
    PyObject *part = PyUnicode_Substring(text, start, end > start ? end : start);
    bool done = part && PyList_Append(parts, part) == 0;
    Py_XDECREF(part);
    return done;
}

static bool append_context(PyObject *parts, PyObject *text, PyObject *context)
{
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(context); i++) {
        PyObject *borrowed = PyTuple_GET_ITEM(context, i);
        if (!PyTuple_Check(borrowed) || PyTuple_GET_SIZE(borrowed) != 4) {
            PyErr_SetString(PyExc_TypeError, "expected a Context");
            return false;
        }
        if (!append_span(parts, text, borrowed, 1) || PyList_Append(parts, PyTuple_GET_ITEM(borrowed, 3)) < 0)
            return false;
    }
    return true;
}

PyObject *render(PyObject *module, PyObject *args)
{
    PyObject *text, *body, *context, *closing;
    if (!PyArg_ParseTuple(args, "UO!O!U", &text, &PyTuple_Type, &body, &PyTuple_Type, &context, &closing))
        return NULL;
    PyObject *parts = PyList_New(0), *nothing = PyUnicode_New(0, 0), *out = NULL;
    if (parts && nothing && PyTuple_GET_SIZE(body) == 2 && append_context(parts, text, context) &&
        append_span(parts, text, body, 0) && PyList_Append(parts, closing) == 0)
        out = PyUnicode_Join(nothing, parts);
    else if (!PyErr_Occurred())
        PyErr_SetString(PyExc_TypeError, "expected a Span");
    Py_XDECREF(parts);
    Py_XDECREF(nothing);
    return out;
}
