/* seamline._words: words of texts, sketches made of them, and the language of a text. */

#include "words.h"

static PyMethodDef methods[] = {
    {"collapsed", collapsed, METH_O, "A text as UTF-8, with every run of white space as one space, and none at its ends."},
    {"weigh_languages", weigh_languages, METH_VARARGS, "How well a text fits each language, as doubles; nothing where it does not tell."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, .m_name = "seamline._words", .m_size = -1, .m_methods = methods};

PyMODINIT_FUNC PyInit__words(void) {
    if (PyType_Ready(&AnalyzerType) < 0) return NULL;
    PyObject *module = PyModule_Create(&definition);
    if (module && PyModule_AddObjectRef(module, "Analyzer", (PyObject *)&AnalyzerType) < 0) Py_CLEAR(module);
    return module;
}
