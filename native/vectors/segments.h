/* What vectors of neighbours say together. */

#ifndef SEAMLINE_VECTORS_SEGMENTS_H
#define SEAMLINE_VECTORS_SEGMENTS_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

/* Of Python: (vectors, tokens, most, least, longest, apart, price) -> the units that start a segment. */
PyObject *segments(PyObject *module, PyObject *args);

/* Of Python: vectors -> how much they differ. */
PyObject *spread(PyObject *module, PyObject *given);

#endif
