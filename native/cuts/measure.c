/* Strategies count the units of a document and the cut counts its blocks: the same words, counted once. */

#include "measure.h"

static void measure_dealloc(PyObject *self)
{
    Measure *measure = (Measure *)self;
    meter_close(&measure->meter);
    text_close(&measure->text);
    Py_XDECREF(measure->counter);
    Py_XDECREF(measure->string);
    Py_TYPE(self)->tp_free(self);
}

static PyObject *measure_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    PyObject *counter, *string;
    if (!PyArg_ParseTuple(args, "O!U", &CounterType, &counter, &string))
        return NULL;
    Measure *measure = (Measure *)type->tp_alloc(type, 0);
    if (!measure)
        return NULL;
    measure->counter = Py_NewRef(counter);
    measure->string = Py_NewRef(string);
    if (text_open(&measure->text, string, "strict") && text_index(&measure->text) &&
        meter_open(&measure->meter, &measure->text, counter, true))
        return (PyObject *)measure;
    Py_DECREF(measure);
    return NULL;
}

/* The tokens of what a tuple (start, end, ...) names; -1 with an exception set. */
static Py_ssize_t span_tokens(Measure *measure, PyObject *span)
{
    if (!PyTuple_Check(span) || PyTuple_GET_SIZE(span) < 2) {
        PyErr_SetString(PyExc_TypeError, "expected tuples of a start, an end and more");
        return -1;
    }
    Py_ssize_t start = PyLong_AsSsize_t(PyTuple_GET_ITEM(span, 0)), end = PyLong_AsSsize_t(PyTuple_GET_ITEM(span, 1));
    if (PyErr_Occurred())
        return -1;
    if (start < 0 || end < start || end > measure->text.length) {
        PyErr_SetString(PyExc_ValueError, "expected a range of the text");
        return -1;
    }
    return meter_range(&measure->meter, start, end);
}

static PyObject *measure_counts(PyObject *self, PyObject *spans)
{
    if (!PyList_Check(spans)) {
        PyErr_SetString(PyExc_TypeError, "expected a list of spans");
        return NULL;
    }
    Py_ssize_t count = PyList_GET_SIZE(spans);
    PyObject *counts = PyList_New(count);
    for (Py_ssize_t i = 0; counts && i < count; i++) {
        Py_ssize_t tokens = span_tokens((Measure *)self, PyList_GET_ITEM(spans, i));
        PyObject *number = tokens < 0 ? NULL : PyLong_FromSsize_t(tokens);
        if (!number)
            Py_CLEAR(counts);
        else
            PyList_SET_ITEM(counts, i, number);
    }
    return counts;
}

static PyMethodDef METHODS[] = {
    {"counts", measure_counts, METH_O, "The tokens of each span: tuples of a start, an end and more."},
    {NULL, NULL, 0, NULL},
};

PyTypeObject MeasureType = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "seamline._cuts.Measure",
    .tp_doc = "A text whose words were counted once, by a Counter.",
    .tp_basicsize = sizeof(Measure),
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_new = measure_new,
    .tp_dealloc = measure_dealloc,
    .tp_methods = METHODS,
};
