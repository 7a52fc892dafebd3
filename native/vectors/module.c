/* seamline._vectors: texts as vectors by a table, and the segments that vectors make. */

#include "rows.h"
#include "segments.h"

static int prepare(PyObject *module)
{
    return PyModule_AddType(module, &RowsType);
}

static PyMethodDef FUNCTIONS[] = {
    {"segments", segments, METH_VARARGS, "The units that start one of the best segments, the first one excluded."},
    {"spread", spread, METH_O, "How much rows of length 1 differ."},
    {NULL, NULL, 0, NULL},
};

static PyModuleDef_Slot SLOTS[] = {
    {Py_mod_exec, prepare},
    {0, NULL},
};

static struct PyModuleDef MODULE = {
    PyModuleDef_HEAD_INIT,
    .m_name = "seamline._vectors",
    .m_doc = "Texts as vectors by a table, and the segments that vectors make.",
    .m_methods = FUNCTIONS,
    .m_slots = SLOTS,
};

PyMODINIT_FUNC PyInit__vectors(void)
{
    return PyModuleDef_Init(&MODULE);
}
