#ifndef SEAMLINE_CUTS_CUT_H
#define SEAMLINE_CUTS_CUT_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

/* The chunks of a document, or None where only Python can make them. */
PyObject *cut_document(PyObject *module, PyObject *args);

#endif
