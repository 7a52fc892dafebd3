#ifndef SEAMLINE_VECTORS_ROWS_H
#define SEAMLINE_VECTORS_ROWS_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

/* A table with one row for each word piece, and the words met so far. */
extern PyTypeObject RowsType;

#endif
