/* Rows of a sheet as lines of a table. */

#ifndef SEAMLINE_ROWS_H
#define SEAMLINE_ROWS_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

/* write_rows(rows, width, room, shown, cell) -> (text, where each row ends). */
PyObject *write_rows(PyObject *module, PyObject *args);

/* has_marks(data) -> whether XML of a sheet has a column of two letters, a formula, a cell with an error,
 * and how many cells with shared text. */
PyObject *has_marks(PyObject *module, PyObject *data);

#endif
