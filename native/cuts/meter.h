/* How many tokens any range of one document has, by whichever tokenizer. */

#ifndef SEAMLINE_CUTS_METER_H
#define SEAMLINE_CUTS_METER_H

#include "counters.h"
#include "text.h"

/* A line start at which counts on both sides add up, and the place before the last word above it. */
typedef struct {
    size_t byte;
    size_t tokens; /* of all text before it, since the stretch began */
    size_t word;   /* where the last word before it starts */
    size_t before; /* tokens before that word */
    size_t stretch; /* a very long word ends one stretch and begins the next: its tokens were not counted */
} Mark;

/* Where a word starts, and the tokens of all text before it. */
typedef struct {
    uint32_t byte;
    uint32_t tokens;
} WordMark;

typedef struct {
    const Text *text;
    Counter *counter;   /* one of these three counts; all are borrowed */
    Estimate *estimate;
    PyObject *call;
    Mark *marks; /* for a counter */
    size_t mark_count;
    size_t mark_room;
    bool keeps_words; /* a counter can: for many ranges inside lines, such as sentences */
    WordMark *words;  /* all of the text, and its end; none where a very long one is among them */
    size_t word_count;
    size_t word_room;
    uint8_t *scratch; /* for text that is not in the document as it stands */
    size_t scratch_size;
    size_t scratch_room;
} Meter;

/* Ready to count by a Counter, an Estimate or any callable. False with an exception set. */
bool meter_open(Meter *meter, const Text *text, PyObject *count, bool keeps_words);
void meter_close(Meter *meter);

/* The tokens of a range of code points; -1 with an exception set. */
Py_ssize_t meter_range(Meter *meter, Py_ssize_t start, Py_ssize_t end);

/* Text put together from parts: begin, add some, count. */
void meter_begin(Meter *meter);
bool meter_add(Meter *meter, Bytes part);
bool meter_add_string(Meter *meter, PyObject *string);
Py_ssize_t meter_count(Meter *meter);

#endif
