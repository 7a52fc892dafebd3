/* seamline._cuts: the hot loops of the cut, and of counting. */

#include "counters.h"
#include "cut.h"
#include "job.h"
#include "marks.h"
#include "measure.h"
#include "render.h"
#include "sentences.h"
#include "units.h"

static int prepare(PyObject *module)
{
    words_prepare();
    if (!seams_prepare() || PyModule_AddType(module, &CounterType) < 0)
        return -1;
    if (PyModule_AddType(module, &MeasureType) < 0)
        return -1;
    return PyModule_AddType(module, &EstimateType);
}

static PyMethodDef FUNCTIONS[] = {
    {"cut", cut_document, METH_VARARGS, "The chunks of a document; None where only Python can make them."},
    {"render", render, METH_VARARGS, "The prompt view of a chunk, from the text, its body, context and closing."},
    {"read_marks", read_marks, METH_VARARGS, "The brackets and lines of source code, by the marks of a pattern."},
    {"sentence_starts", (PyCFunction)(void (*)(void))sentence_starts, METH_FASTCALL,
     "Where the sentences of a range of a text start."},
    {"units", units, METH_VARARGS, "What strategies compare with each other: sentences and blocks."},
    {NULL, NULL, 0, NULL},
};

static PyModuleDef_Slot SLOTS[] = {
    {Py_mod_exec, prepare},
    {0, NULL},
};

static struct PyModuleDef MODULE = {
    PyModuleDef_HEAD_INIT,
    .m_name = "seamline._cuts",
    .m_doc = "The compiled core of the cut and of token counts.",
    .m_methods = FUNCTIONS,
    .m_slots = SLOTS,
};

PyMODINIT_FUNC PyInit__cuts(void)
{
    return PyModuleDef_Init(&MODULE);
}
