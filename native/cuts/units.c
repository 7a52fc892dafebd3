/* What is compared when a strategy asks what a document is about, as seamline.cut.scores.units finds it. */

#include "units.h"

#include "outline.h"
#include "sentences.h"

enum { SENTENCE = 1, BLOCK = 0, HEADED = -1 };

/* The units so far, and what makes more of them. */
typedef struct {
    Text text;
    PyTypeObject *type;
    PyObject *opened; /* kinds of blocks whose sentences are units */
    PyObject *units;
    Py_ssize_t headed; /* where the headings above the next block start; -1 for none */
    Starts starts;     /* of the sentences of one block */
} Survey;

static bool add_unit(Survey *survey, Py_ssize_t start, Py_ssize_t end, int seam)
{
    PyObject *unit = survey->type->tp_alloc(survey->type, 3);
    if (!unit)
        return false;
    PyTuple_SET_ITEM(unit, 0, PyLong_FromSsize_t(start));
    PyTuple_SET_ITEM(unit, 1, PyLong_FromSsize_t(end));
    PyTuple_SET_ITEM(unit, 2, PyLong_FromLong(seam));
    bool done = !PyErr_Occurred() && PyList_Append(survey->units, unit) == 0;
    Py_DECREF(unit);
    return done;
}

/* The units of a block: its sentences, or all of it. */
static bool add_block(Survey *survey, PyObject *kind, Py_ssize_t start, Py_ssize_t end)
{
    int seam = survey->headed < 0 ? BLOCK : HEADED;
    Py_ssize_t at = survey->headed < 0 ? start : survey->headed;
    survey->headed = -1;
    survey->starts.count = 0;
    int opened = PySet_Contains(survey->opened, kind);
    if (opened < 0 || (opened && !find_sentences(&survey->text, start, end, &survey->starts)))
        return false;
    for (size_t i = 0; i < survey->starts.count; i++) {
        if (!add_unit(survey, at, survey->starts.starts[i].at, seam))
            return false;
        at = survey->starts.starts[i].at;
        seam = SENTENCE;
    }
    return add_unit(survey, at, end, seam);
}

static bool read_block(Survey *survey, PyObject *block)
{
    if (!PyTuple_Check(block) || PyTuple_GET_SIZE(block) != BLOCK_FIELDS) {
        PyErr_SetString(PyExc_NotImplementedError, "a block that is no Block");
        return false;
    }
    long parent = PyLong_AsLong(PyTuple_GET_ITEM(block, BLOCK_PARENT));
    Py_ssize_t start = PyLong_AsSsize_t(PyTuple_GET_ITEM(block, BLOCK_START));
    Py_ssize_t end = PyLong_AsSsize_t(PyTuple_GET_ITEM(block, BLOCK_END));
    if (PyErr_Occurred())
        return false;
    if (parent >= 0)
        return true;
    PyObject *kind = PyTuple_GET_ITEM(block, BLOCK_KIND);
    if (start < 0 || end < start || end > survey->text.length || !PyUnicode_Check(kind)) {
        PyErr_SetString(PyExc_NotImplementedError, "a block of no usual shape");
        return false;
    }
    if (PyUnicode_CompareWithASCIIString(kind, "heading") != 0)
        return add_block(survey, kind, start, end);
    survey->headed = survey->headed < 0 ? start : survey->headed;
    return true;
}

static PyObject *left_to_python(void)
{
    if (!PyErr_ExceptionMatches(PyExc_NotImplementedError))
        return NULL;
    PyErr_Clear();
    return Py_NewRef(Py_None);
}

PyObject *units(PyObject *module, PyObject *args)
{
    Survey survey = {.headed = -1};
    PyObject *string, *given;
    if (!PyArg_ParseTuple(args, "UOO!O!", &string, &given, &PyType_Type, &survey.type, &PyFrozenSet_Type,
                          &survey.opened) ||
        !sentences_prepare())
        return NULL;
    survey.text = text_view(string);
    PyObject *blocks = PySequence_Tuple(given); /* Python may run meanwhile: nobody changes a tuple */
    survey.units = blocks ? PyList_New(0) : NULL;
    for (Py_ssize_t i = 0; survey.units && i < PyTuple_GET_SIZE(blocks); i++)
        if (!read_block(&survey, PyTuple_GET_ITEM(blocks, i)))
            Py_CLEAR(survey.units);
    PyMem_Free(survey.starts.starts);
    Py_XDECREF(blocks);
    return survey.units ? survey.units : left_to_python();
}
