#ifndef SEAMLINE_CUTS_RENDER_H
#define SEAMLINE_CUTS_RENDER_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

/* (text, body, context, closing) -> the prompt view of a chunk. */
PyObject *render(PyObject *module, PyObject *args);

#endif
