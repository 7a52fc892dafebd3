/* Where sentences start, as seamline.cut.sentences finds it. */

#ifndef SEAMLINE_CUTS_SENTENCES_H
#define SEAMLINE_CUTS_SENTENCES_H

#include "text.h"

/* A place where a sentence starts. */
typedef struct {
    Py_ssize_t at;
    bool doubtful; /* while the marks alone leave it open */
} Start;

typedef struct {
    Start *starts;
    size_t count;
    size_t room;
} Starts;

/* Gets what Python decides; to be called before the first text. False with an exception set. */
bool sentences_prepare(void);

/* Appends the starts of the sentences of a range but the first. False with an exception set. */
bool find_sentences(const Text *text, Py_ssize_t start, Py_ssize_t end, Starts *found);

/* Of Python: (text, start, end) -> the starts of sentences, the first one included. */
PyObject *sentence_starts(PyObject *module, PyObject *const *args, Py_ssize_t count);

#endif
