/* What a strategy says about gaps, as seamline.cut.scores.Signal. */

#ifndef SEAMLINE_CUTS_SIGNAL_H
#define SEAMLINE_CUTS_SIGNAL_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <stdbool.h>

/* Ascending offsets of the document. */
typedef struct {
    Py_ssize_t *at;
    size_t count;
} Offsets;

typedef struct {
    Offsets said; /* where `score` says how good a cut is, 0 to 1 */
    double *score;
    Offsets forced;
    Offsets kept;
    double weight; /* how much `score` counts beside structure */
} Signal;

/* From (offsets, scores, forced, kept, weight), the first four ascending lists. False with an exception set. */
bool signal_open(Signal *signal, PyObject *tuple);
void signal_close(Signal *signal);

/* A gap's score, of which `structure` is what its kind says. */
double signal_score(const Signal *signal, Py_ssize_t at, double structure);
bool signal_forces_at(const Signal *signal, Py_ssize_t at);
bool signal_keeps_at(const Signal *signal, Py_ssize_t at);

/* Whether it says something about a gap inside a range, and whether a cut must be there. */
bool signal_opens(const Signal *signal, Py_ssize_t start, Py_ssize_t end);
bool signal_forces(const Signal *signal, Py_ssize_t start, Py_ssize_t end);

/* The first forced gap after `start`; `end` where none is before that. */
Py_ssize_t signal_next_forced(const Signal *signal, Py_ssize_t start, Py_ssize_t end);

#endif
