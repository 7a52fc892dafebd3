#ifndef SEAMLINE_CUTS_UNITS_H
#define SEAMLINE_CUTS_UNITS_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

/* Of Python: (text, blocks, Unit, kinds that are opened) -> the units; None where only Python can find them. */
PyObject *units(PyObject *module, PyObject *args);

#endif
