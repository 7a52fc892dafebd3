#ifndef SEAMLINE_CUTS_MARKS_H
#define SEAMLINE_CUTS_MARKS_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

/* (text, start, end, pattern, parts, Line) -> the brackets and lines of a range: places, partners, lines, matched. */
PyObject *read_marks(PyObject *module, PyObject *args);

#endif
