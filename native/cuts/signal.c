/* Scores and forced gaps by offset, as seamline.cut.scores.Scorer looks them up. */

#include "signal.h"

/* --- reading ----------------------------------------------------------------------------------------------------- */

static bool read_offsets(Offsets *offsets, PyObject *list)
{
    offsets->count = (size_t)PyList_GET_SIZE(list);
    offsets->at = PyMem_Malloc((offsets->count + 1) * sizeof *offsets->at);
    if (!offsets->at)
        return PyErr_NoMemory(), false;
    for (size_t i = 0; i < offsets->count; i++) {
        offsets->at[i] = PyLong_AsSsize_t(PyList_GET_ITEM(list, (Py_ssize_t)i));
        if (offsets->at[i] == -1 && PyErr_Occurred())
            return false;
    }
    return true;
}

static bool read_scores(Signal *signal, PyObject *list)
{
    if ((size_t)PyList_GET_SIZE(list) != signal->said.count) {
        PyErr_SetString(PyExc_ValueError, "expected one score for each offset");
        return false;
    }
    signal->score = PyMem_Malloc((signal->said.count + 1) * sizeof *signal->score);
    if (!signal->score)
        return PyErr_NoMemory(), false;
    for (size_t i = 0; i < signal->said.count; i++) {
        signal->score[i] = PyFloat_AsDouble(PyList_GET_ITEM(list, (Py_ssize_t)i));
        if (signal->score[i] == -1.0 && PyErr_Occurred())
            return false;
    }
    return true;
}

bool signal_open(Signal *signal, PyObject *tuple)
{
    PyObject *said, *score, *forced, *kept;
    return PyArg_ParseTuple(tuple, "O!O!O!O!d", &PyList_Type, &said, &PyList_Type, &score, &PyList_Type, &forced,
                            &PyList_Type, &kept, &signal->weight) &&
           read_offsets(&signal->said, said) && read_scores(signal, score) && read_offsets(&signal->forced, forced) &&
           read_offsets(&signal->kept, kept);
}

void signal_close(Signal *signal)
{
    PyMem_Free(signal->said.at);
    PyMem_Free(signal->score);
    PyMem_Free(signal->forced.at);
    PyMem_Free(signal->kept.at);
}

/* --- looking up -------------------------------------------------------------------------------------------------- */

/* How many offsets are before a place. */
static size_t before(const Offsets *offsets, Py_ssize_t at)
{
    size_t low = 0, high = offsets->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (offsets->at[middle] < at)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool holds(const Offsets *offsets, Py_ssize_t at)
{
    size_t index = before(offsets, at);
    return index < offsets->count && offsets->at[index] == at;
}

static bool inside(const Offsets *offsets, Py_ssize_t start, Py_ssize_t end)
{
    size_t index = before(offsets, start + 1);
    return index < offsets->count && offsets->at[index] < end;
}

double signal_score(const Signal *signal, Py_ssize_t at, double structure)
{
    size_t index = before(&signal->said, at);
    if (index >= signal->said.count || signal->said.at[index] != at)
        return structure;
    double said = signal->weight * signal->score[index]; /* on its own: fused with the sum it would round differently */
    double rest = (1 - signal->weight) * structure;
    return said + rest;
}

bool signal_forces_at(const Signal *signal, Py_ssize_t at)
{
    return holds(&signal->forced, at);
}

bool signal_keeps_at(const Signal *signal, Py_ssize_t at)
{
    return holds(&signal->kept, at) && !signal_forces_at(signal, at);
}

bool signal_opens(const Signal *signal, Py_ssize_t start, Py_ssize_t end)
{
    return inside(&signal->said, start, end) || inside(&signal->forced, start, end);
}

bool signal_forces(const Signal *signal, Py_ssize_t start, Py_ssize_t end)
{
    return inside(&signal->forced, start, end);
}

Py_ssize_t signal_next_forced(const Signal *signal, Py_ssize_t start, Py_ssize_t end)
{
    size_t index = before(&signal->forced, start + 1);
    return index < signal->forced.count && signal->forced.at[index] < end ? signal->forced.at[index] : end;
}
