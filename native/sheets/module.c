/* seamline._sheets: cells of spreadsheets as text. */

#include "rows.h"

static PyMethodDef methods[] = {
    {"write_rows", write_rows, METH_VARARGS, "Rows of values as lines between bars, as many as there is room for."},
    {"has_marks", has_marks, METH_O, "Whether XML of a sheet has a column of two letters, a formula, an error."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, .m_name = "seamline._sheets", .m_size = -1, .m_methods = methods};

PyMODINIT_FUNC PyInit__sheets(void) { return PyModule_Create(&definition); }
