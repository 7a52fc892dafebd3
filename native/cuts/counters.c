/* Counter and Estimate: what Python sees of the tokenizers here. */

#include "counters.h"

#include "text.h"

Py_ssize_t called_tokens(PyObject *count, PyObject *string)
{
    PyObject *answer = PyObject_CallOneArg(count, string);
    if (!answer)
        return -1;
    Py_ssize_t tokens = PyLong_AsSsize_t(answer);
    Py_DECREF(answer);
    if (tokens < 0 && !PyErr_Occurred())
        PyErr_SetString(PyExc_ValueError, "expected a count of tokens, got a negative number");
    return tokens < 0 ? -1 : tokens;
}

/* --- exact ------------------------------------------------------------------------------------------------------- */

Py_ssize_t counter_tokens(Counter *counter, Bytes text)
{
    size_t total = 0;
    Words words;
    for (size_t at = 0; at < text.size; at = words.ends[words.count - 1]) {
        if (!next_words(&counter->vocabulary, text, at, SIZE_MAX, &words)) {
            PyErr_NoMemory();
            return -1;
        }
        for (size_t i = 0; i < words.count; i++)
            total += words.tokens[i];
    }
    return (Py_ssize_t)total;
}

static PyObject *counter_new(PyTypeObject *type, PyObject *args, PyObject *names)
{
    static char *NAMES[] = {"name", "tokens", "count", NULL};
    const char *name;
    Py_buffer tokens;
    Py_ssize_t count;
    if (!PyArg_ParseTupleAndKeywords(args, names, "sy*n", NAMES, &name, &tokens, &count))
        return NULL;
    bool known = !strcmp(name, "o200k_base") || !strcmp(name, "cl100k_base");
    Counter *counter = known ? (Counter *)type->tp_alloc(type, 0) : NULL;
    if (!known)
        PyErr_Format(PyExc_ValueError, "expected o200k_base or cl100k_base, got %s", name);
    if (counter) {
        counter->vocabulary.word_end = *name == 'o' ? o200k_word_end : cl100k_word_end;
        if (count < 0 || !vocabulary_fill(&counter->vocabulary, (Bytes){tokens.buf, (size_t)tokens.len}, (size_t)count)) {
            PyErr_Format(PyExc_ValueError, "expected %zd tokens of %s, each followed by 0xFF", count, name);
            Py_CLEAR(counter);
        }
    }
    PyBuffer_Release(&tokens);
    return (PyObject *)counter;
}

static void counter_dealloc(Counter *self)
{
    vocabulary_free(&self->vocabulary);
    Py_TYPE(self)->tp_free((PyObject *)self);
}

/* A string opened for a count; false with an exception set. */
static bool opened(Text *text, PyObject *string, const char *errors)
{
    if (PyUnicode_Check(string))
        return text_open(text, string, errors);
    PyErr_Format(PyExc_TypeError, "expected str, got %.100s", Py_TYPE(string)->tp_name);
    return false;
}

static PyObject *counter_count(Counter *self, PyObject *string)
{
    Text text = {0};
    Py_ssize_t tokens = opened(&text, string, "strict") ? counter_tokens(self, text.bytes) : -1;
    text_close(&text);
    return tokens < 0 ? NULL : PyLong_FromSsize_t(tokens);
}

static PyMethodDef COUNTER_METHODS[] = {
    {"count", (PyCFunction)counter_count, METH_O, "How many tokens a text has."},
    {NULL, NULL, 0, NULL},
};

PyTypeObject CounterType = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "seamline._cuts.Counter",
    .tp_basicsize = sizeof(Counter),
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_doc = "Exact counts by a vocabulary: its name, and its tokens in the order of their ranks, 0xFF after each.",
    .tp_new = counter_new,
    .tp_dealloc = (destructor)counter_dealloc,
    .tp_methods = COUNTER_METHODS,
};

/* --- estimate ---------------------------------------------------------------------------------------------------- */

static PyObject *estimate_new(PyTypeObject *type, PyObject *args, PyObject *names)
{
    static char *NAMES[] = {"prose", "code", NULL};
    double prose, code;
    if (!PyArg_ParseTupleAndKeywords(args, names, "dd", NAMES, &prose, &code))
        return NULL;
    Estimate *estimate = (Estimate *)type->tp_alloc(type, 0);
    if (estimate) {
        estimate->prose = prose;
        estimate->code = code;
    }
    return (PyObject *)estimate;
}

static PyObject *estimate_count(Estimate *self, PyObject *string)
{
    Text text = {0};
    Py_ssize_t tokens = opened(&text, string, "surrogatepass") ? estimate_tokens(self, text.bytes) : -1;
    text_close(&text);
    return tokens < 0 ? NULL : PyLong_FromSsize_t(tokens);
}

static PyMethodDef ESTIMATE_METHODS[] = {
    {"count", (PyCFunction)estimate_count, METH_O, "How many tokens a text has, more or less."},
    {NULL, NULL, 0, NULL},
};

PyTypeObject EstimateType = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "seamline._cuts.Estimate",
    .tp_basicsize = sizeof(Estimate),
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_doc = "Counts from characters alone, by the characters per token of prose and of code.",
    .tp_new = estimate_new,
    .tp_methods = ESTIMATE_METHODS,
};
