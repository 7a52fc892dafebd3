/* The kernels: functions from text and arrays to arrays, each with a reference in Python that it is held against.
   None calls into Python code, and none decides what may be cut. */

#ifndef SEAMLINE_KERNELS_H
#define SEAMLINE_KERNELS_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <stdbool.h>
#include <stdint.h>

/* blocks/: (text, after, type, fenced) -> blocks of Markdown */
PyObject *parse_blocks(PyObject *module, PyObject *args);
bool prepare_blocks(void);

/* elements.c: (text, blocks, types, places) -> blocks with the elements of HTML among them */
PyObject *add_elements(PyObject *module, PyObject *args);
bool prepare_elements(void);

/* sentences.c: (text, ranges, titles, short) -> possible starts of sentences */
PyObject *sentence_gaps(PyObject *module, PyObject *const *args, Py_ssize_t count);

/* pack.c: (sums, lead, tail, score, forbidden, target, limit, balance) -> the cuts of least cost */
PyObject *pack(PyObject *module, PyObject *args);

/* segments.c: (vectors, tokens, most, least, longest, apart, price), where words count also (nats, unit, bags, again,
   whole) -> the units that start a segment; vectors -> how much they differ */
PyObject *segments(PyObject *module, PyObject *args);
PyObject *spread(PyObject *module, PyObject *given);

/* words.c: text -> words */
extern PyTypeObject AnalyzerType;

/* collapse.c: text -> UTF-8 without superfluous white space */
PyObject *collapsed(PyObject *module, PyObject *text);

/* languages.c: (text, a model's arrays) -> how well it fits each language */
PyObject *weigh_languages(PyObject *module, PyObject *args);

/* rows.c */
extern PyTypeObject RowsType;

/* --- shared ------------------------------------------------------------------------------------------------------ */

/* The array with room for `wanted` elements, by doubling; as it was, with MemoryError set, where there is no memory. */
static inline void *grow(void *array, size_t *room, size_t wanted, size_t element)
{
    size_t more = wanted > *room * 2 ? wanted : *room * 2;
    if (more < 16)
        more = 16;
    void *moved = more <= (size_t)PY_SSIZE_T_MAX / element ? PyMem_Realloc(array, more * element) : NULL;
    if (!moved) {
        PyErr_NoMemory();
        return array;
    }
    *room = more;
    return moved;
}

/* Whether there is room for `wanted` elements now. */
#define GROW(array, room, wanted)                                                                                      \
    ((wanted) <= (room) || ((array) = grow((array), &(room), (wanted), sizeof *(array)), (wanted) <= (room)))

/* A list of numbers; NULL with an exception set. */
static inline PyObject *list_of(const int64_t *numbers, Py_ssize_t count)
{
    PyObject *list = PyList_New(count);
    for (Py_ssize_t i = 0; list && i < count; i++) {
        PyObject *number = PyLong_FromLongLong(numbers[i]);
        if (number)
            PyList_SET_ITEM(list, i, number);
        else
            Py_CLEAR(list);
    }
    return list;
}

#endif
