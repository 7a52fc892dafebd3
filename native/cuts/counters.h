/* The tokenizers that count without a call into Python, as Python types. */

#ifndef SEAMLINE_CUTS_COUNTERS_H
#define SEAMLINE_CUTS_COUNTERS_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "ranks.h"

/* Exact counts by a vocabulary. */
typedef struct {
    PyObject_HEAD
    Vocabulary vocabulary;
} Counter;

/* Counts from characters alone. */
typedef struct {
    PyObject_HEAD
    double prose; /* characters per token */
    double code;
} Estimate;

extern PyTypeObject CounterType;
extern PyTypeObject EstimateType;

/* The tokens of some text; -1 with an exception set. */
Py_ssize_t counter_tokens(Counter *counter, Bytes text);

Py_ssize_t estimate_tokens(const Estimate *estimate, Bytes text);

/* What a function from text to a count says of a string; -1 with an exception set. */
Py_ssize_t called_tokens(PyObject *count, PyObject *string);

#endif
