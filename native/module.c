/* seamline._native: the kernels as Python sees them; src/seamline/_native.pyi says what each takes and gives. */

#include "kernels.h"

static PyMethodDef FUNCTIONS[] = {
    {"parse_blocks", parse_blocks, METH_VARARGS,
     "Blocks of a Markdown text and details by index, or None where Python must read it."},
    {"add_elements", add_elements, METH_VARARGS,
     "Blocks with the elements of their HTML, or None where Python must read it."},
    {"sentence_gaps", (PyCFunction)(void (*)(void))sentence_gaps, METH_FASTCALL,
     "Where the sentences of ranges may start."},
    {"pack", pack, METH_VARARGS, "The cuts of least cost."},
    {"segments", segments, METH_VARARGS, "The units that start one of the best segments, the first one excluded."},
    {"spread", spread, METH_O, "How much rows of length 1 differ."},
    {"collapsed", collapsed, METH_O,
     "A text as UTF-8 with every run of white space as one space, and none at its ends."},
    {"weigh_languages", weigh_languages, METH_VARARGS, "How well a text fits each language."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef MODULE = {
    PyModuleDef_HEAD_INIT,
    .m_name = "seamline._native",
    .m_doc = "Pure functions from text and arrays to arrays.",
    .m_size = -1,
    .m_methods = FUNCTIONS,
};

PyMODINIT_FUNC PyInit__native(void)
{
    if (!prepare_blocks() || !prepare_elements())
        return NULL;
    PyObject *module = PyModule_Create(&MODULE);
    if (module && (PyModule_AddType(module, &AnalyzerType) < 0 || PyModule_AddType(module, &RowsType) < 0))
        Py_CLEAR(module);
    return module;
}
