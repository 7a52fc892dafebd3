/* A document whose words were counted once, for whoever asks for ranges of it. */

#ifndef SEAMLINE_CUTS_MEASURE_H
#define SEAMLINE_CUTS_MEASURE_H

#include "meter.h"

typedef struct {
    PyObject_HEAD
    PyObject *counter;
    PyObject *string;
    Text text;
    Meter meter;
} Measure;

extern PyTypeObject MeasureType;

#endif
