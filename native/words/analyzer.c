/* `words`, `spaced`, `query_words` and `query_set` of words.py and `text_sketch` of enrich/sketch.py, over one memory of words.

Runs of ASCII letters are taken apart here and remembered; all others are handed to Python, which remembers its own. No
pointer to what is remembered is held while Python code could run: that code might use this memory too. */

#include "known.h"

#include <string.h>

typedef struct {
    PyObject_HEAD
    PyObject *terms;  /* a run that is not ASCII, or too long -> its words */
    uint32_t *ranges; /* first and last of the letters that Python does not call so */
    Py_ssize_t pairs;
    Memory memory;
} Analyzer;

/* What is made of the words of a text; the four callers set what they need. */
typedef struct {
    PyObject *list;
    char *bytes;
    Py_ssize_t length, room;
    uint64_t *hashes;
    Py_ssize_t count, space;
    PyObject *kept, *common;
    Py_ssize_t most;
} Sink;

static int more_bytes(Sink *sink, const char *bytes, Py_ssize_t length) {
    if (!length) return 0;
    if (sink->length + length + 1 > sink->room) {
        Py_ssize_t room = 2 * (sink->length + length + 1);
        char *grown = PyMem_Realloc(sink->bytes, (size_t)room);
        if (!grown) {
            PyErr_NoMemory();
            return -1;
        }
        sink->bytes = grown;
        sink->room = room;
    }
    if (sink->length) sink->bytes[sink->length++] = ' ';
    memcpy(sink->bytes + sink->length, bytes, (size_t)length);
    sink->length += length;
    return 0;
}

static int more_hashes(Sink *sink, const uint64_t *hashes, Py_ssize_t count) {
    if (sink->count + count > sink->space) {
        Py_ssize_t space = 2 * (sink->count + count);
        uint64_t *grown = PyMem_Realloc(sink->hashes, (size_t)space * sizeof *grown);
        if (!grown) {
            PyErr_NoMemory();
            return -1;
        }
        sink->hashes = grown;
        sink->space = space;
    }
    memcpy(sink->hashes + sink->count, hashes, (size_t)count * sizeof *hashes);
    sink->count += count;
    return 0;
}

typedef int (*Take)(Analyzer *, Sink *, PyObject *, const Known *);
/* Adds the words of one run: of a tuple, and what is known of them where the run was ASCII. 1: enough. */

static int take_words(Analyzer *Py_UNUSED(self), Sink *sink, PyObject *words, const Known *Py_UNUSED(known)) {
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(words); i++)
        if (PyList_Append(sink->list, PyTuple_GET_ITEM(words, i)) < 0) return -1;
    return 0;
}

static int take_bytes(Analyzer *Py_UNUSED(self), Sink *sink, PyObject *words, const Known *known) {
    if (known) return more_bytes(sink, known->text, known->length);
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(words); i++) {
        Py_ssize_t length;
        const char *bytes = PyUnicode_AsUTF8AndSize(PyTuple_GET_ITEM(words, i), &length);
        if (!bytes || more_bytes(sink, bytes, length) < 0) return -1;
    }
    return 0;
}

static int take_hashes(Analyzer *Py_UNUSED(self), Sink *sink, PyObject *words, const Known *known) {
    if (known) return more_hashes(sink, known->hashes, known->count);
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(words); i++) {
        Py_ssize_t length;
        const char *bytes = PyUnicode_AsUTF8AndSize(PyTuple_GET_ITEM(words, i), &length);
        if (!bytes) return -1;
        uint64_t hash = word_hash((const uint8_t *)bytes, (size_t)length);
        if (more_hashes(sink, &hash, 1) < 0) return -1;
    }
    return 0;
}

static int take_query(Analyzer *self, Sink *sink, PyObject *words, const Known *known) {
    uint64_t flags = known ? known->common : 0;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(words); i++) {
        PyObject *word = PyTuple_GET_ITEM(words, i);
        int common = known ? (int)(flags >> i & 1) : PySet_Contains(self->memory.common, word);
        if (common < 0 || PyDict_SetItem(common ? sink->common : sink->kept, word, Py_None) < 0) return -1;
    }
    return PyDict_GET_SIZE(sink->kept) >= sink->most;
}

/* The same as sets: for where the order does not matter. */
static int take_set(Analyzer *self, Sink *sink, PyObject *words, const Known *known) {
    uint64_t flags = known ? known->common : 0;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(words); i++) {
        PyObject *word = PyTuple_GET_ITEM(words, i);
        int common = known ? (int)(flags >> i & 1) : PySet_Contains(self->memory.common, word);
        if (common < 0 || PySet_Add(common ? sink->common : sink->kept, word) < 0) return -1;
    }
    return PySet_GET_SIZE(sink->kept) >= sink->most;
}

static int take_ascii(Analyzer *self, Sink *sink, Take take, const char *raw, int size) {
    const Known *known = known_of(&self->memory, raw, size);
    if (!known) return -1;
    PyObject *words = Py_NewRef(known->words);
    int done = take(self, sink, words, known);
    Py_DECREF(words);
    return done;
}

static int take_other(Analyzer *self, Sink *sink, Take take, PyObject *text, Py_ssize_t start, Py_ssize_t end) {
    PyObject *raw = PyUnicode_Substring(text, start, end);
    PyObject *words = raw ? PyObject_CallOneArg(self->terms, raw) : NULL;
    Py_XDECREF(raw);
    if (!words) return -1;
    int done = -1;
    if (PyTuple_CheckExact(words))
        done = take(self, sink, words, NULL);
    else
        PyErr_SetString(PyExc_TypeError, "expected a tuple of words");
    Py_DECREF(words);
    return done;
}

#define EIGHT(n) n, n, n, n, n, n, n, n
static const uint8_t ASCII_LETTER[128] = {
    EIGHT(0), EIGHT(0), EIGHT(0), EIGHT(0), EIGHT(0), EIGHT(0), EIGHT(1), 1, 1, 0, 0, 0, 0, 0, 0,
    0, 1, 1, 1, 1, 1, 1, 1, EIGHT(1), EIGHT(1), 1, 1, 1, 0, 0, 0, 0, 1,
    0, 1, 1, 1, 1, 1, 1, 1, EIGHT(1), EIGHT(1), 1, 1, 1, 0, 0, 0, 0, 0,
};

static int is_letter(const Analyzer *self, Py_UCS4 c) {
    if (c < 128) return ASCII_LETTER[c];
    if (Py_UNICODE_ISALNUM(c)) return 1;
    Py_ssize_t low = 0, high = self->pairs;
    while (low < high) {
        Py_ssize_t middle = (low + high) / 2;
        if (self->ranges[2 * middle + 1] < c)
            low = middle + 1;
        else
            high = middle;
    }
    return low < self->pairs && self->ranges[2 * low] <= c;
}

/* Where the run ends that starts at `at`; whether it is ASCII all through. */
static inline Py_ssize_t run_end(const Analyzer *self, int kind, const void *data, Py_ssize_t length, Py_ssize_t at, int *plain) {
    Py_UCS4 all = 0;
    for (;;) {
        Py_UCS4 c;
        while (at < length && is_letter(self, c = PyUnicode_READ(kind, data, at))) {
            all |= c;
            at++;
        }
        if (at + 1 >= length) break;
        c = PyUnicode_READ(kind, data, at);
        if ((c != '.' && c != '-') || !is_letter(self, PyUnicode_READ(kind, data, at + 1))) break;
        at++;
    }
    *plain = all < 128;
    return at;
}

static inline int runs_of(Analyzer *self, PyObject *text, int kind, Sink *sink, Take take) {
    const void *data = PyUnicode_DATA(text);
    Py_ssize_t length = PyUnicode_GET_LENGTH(text), at = 0;
    while (at < length) {
        if (!is_letter(self, PyUnicode_READ(kind, data, at))) {
            at++;
            continue;
        }
        int plain;
        Py_ssize_t end = run_end(self, kind, data, length, at, &plain), size = end - at;
        int done;
        if (plain && size <= LONGEST && kind == PyUnicode_1BYTE_KIND)
            done = take_ascii(self, sink, take, (const char *)data + at, (int)size);
        else if (plain && size <= LONGEST) {
            char raw[LONGEST];
            for (Py_ssize_t i = 0; i < size; i++) raw[i] = (char)PyUnicode_READ(kind, data, at + i);
            done = take_ascii(self, sink, take, raw, (int)size);
        } else
            done = take_other(self, sink, take, text, at, end);
        if (done) return done < 0 ? -1 : 0;
        at = end;
    }
    return 0;
}

/* One copy of the loop for each width of characters. */
static int each_run(Analyzer *self, PyObject *text, Sink *sink, Take take) {
    switch (PyUnicode_KIND(text)) {
        case PyUnicode_1BYTE_KIND: return runs_of(self, text, PyUnicode_1BYTE_KIND, sink, take);
        case PyUnicode_2BYTE_KIND: return runs_of(self, text, PyUnicode_2BYTE_KIND, sink, take);
        default: return runs_of(self, text, PyUnicode_4BYTE_KIND, sink, take);
    }
}

static int is_text(PyObject *text) {
    if (PyUnicode_Check(text)) return 1;
    PyErr_Format(PyExc_TypeError, "expected a text, got %.100s", Py_TYPE(text)->tp_name);
    return 0;
}

static PyObject *words(PyObject *self, PyObject *text) {
    Sink sink = {.list = is_text(text) ? PyList_New(0) : NULL};
    if (sink.list && each_run((Analyzer *)self, text, &sink, take_words) < 0) Py_CLEAR(sink.list);
    return sink.list;
}

static PyObject *spaced(PyObject *self, PyObject *text) {
    Sink sink = {0};
    PyObject *found = NULL;
    if (is_text(text) && each_run((Analyzer *)self, text, &sink, take_bytes) == 0)
        found = PyUnicode_DecodeUTF8(sink.bytes ? sink.bytes : "", sink.length, NULL);
    PyMem_Free(sink.bytes);
    return found;
}

static PyObject *sketch(PyObject *self, PyObject *text) {
    Sink sink = {0};
    PyObject *found = NULL;
    uint64_t *room = NULL;
    if (!is_text(text) || each_run((Analyzer *)self, text, &sink, take_hashes) < 0) goto done;
    Py_ssize_t size = 4;
    while (size <= 2 * sink.count) size *= 2;
    room = PyMem_Malloc((size_t)size * sizeof *room);
    if (!room) {
        PyErr_NoMemory();
        goto done;
    }
    found = PyLong_FromLongLong(sink.count ? sketch_of(sink.hashes, sink.count, room, size) : 0);
done:
    PyMem_Free(room);
    PyMem_Free(sink.hashes);
    return found;
}

static PyObject *query(PyObject *self, PyObject *args) {
    Sink sink = {0};
    PyObject *text, *found = NULL;
    if (!PyArg_ParseTuple(args, "Un:query", &text, &sink.most)) return NULL;
    sink.kept = PyDict_New();
    sink.common = PyDict_New();
    if (sink.kept && sink.common && each_run((Analyzer *)self, text, &sink, take_query) == 0) {
        found = PyDict_Keys(PyDict_GET_SIZE(sink.kept) ? sink.kept : sink.common);
        if (found && PyList_SetSlice(found, sink.most, PY_SSIZE_T_MAX, NULL) < 0) Py_CLEAR(found);
    }
    Py_XDECREF(sink.kept);
    Py_XDECREF(sink.common);
    return found;
}

static PyObject *query_set(PyObject *self, PyObject *args) {
    Sink sink = {0};
    PyObject *text, *found = NULL;
    if (!PyArg_ParseTuple(args, "Un:query_set", &text, &sink.most)) return NULL;
    sink.kept = PyFrozenSet_New(NULL);
    sink.common = PyFrozenSet_New(NULL);
    if (sink.kept && sink.common && each_run((Analyzer *)self, text, &sink, take_set) == 0) {
        if (PySet_GET_SIZE(sink.kept) < sink.most && PySet_GET_SIZE(sink.common) <= sink.most)
            found = Py_NewRef(PySet_GET_SIZE(sink.kept) ? sink.kept : sink.common);
        else { /* too many: now the order decides */
            PyObject *list = query(self, args);
            found = list ? PyFrozenSet_New(list) : NULL;
            Py_XDECREF(list);
        }
    }
    Py_XDECREF(sink.kept);
    Py_XDECREF(sink.common);
    return found;
}

static int read_ranges(Analyzer *self, PyObject *pairs) {
    self->pairs = PySequence_Size(pairs);
    if (self->pairs < 0) return -1;
    self->ranges = PyMem_Calloc((size_t)self->pairs + 1, 2 * sizeof *self->ranges);
    if (!self->ranges) {
        PyErr_NoMemory();
        return -1;
    }
    for (Py_ssize_t i = 0; i < self->pairs; i++) {
        PyObject *pair = PySequence_GetItem(pairs, i);
        int read = pair && PyArg_ParseTuple(pair, "II", &self->ranges[2 * i], &self->ranges[2 * i + 1]);
        Py_XDECREF(pair);
        if (!read) return -1;
    }
    return 0;
}

static PyObject *analyzer_new(PyTypeObject *type, PyObject *args, PyObject *Py_UNUSED(named)) {
    PyObject *terms, *common, *pairs;
    if (!PyArg_ParseTuple(args, "OO!O:Analyzer", &terms, &PyFrozenSet_Type, &common, &pairs)) return NULL;
    Analyzer *self = (Analyzer *)type->tp_alloc(type, 0);
    if (!self) return NULL;
    self->terms = Py_NewRef(terms);
    if (memory_open(&self->memory, common) < 0 || read_ranges(self, pairs) < 0) {
        Py_DECREF(self);
        return NULL;
    }
    return (PyObject *)self;
}

static void analyzer_dealloc(PyObject *object) {
    Analyzer *self = (Analyzer *)object;
    memory_close(&self->memory);
    PyMem_Free(self->ranges);
    Py_XDECREF(self->terms);
    Py_TYPE(object)->tp_free(object);
}

static PyMethodDef methods[] = {
    {"words", words, METH_O, "The words of a text, in order."},
    {"spaced", spaced, METH_O, "The same, with a space between two of them."},
    {"sketch", sketch, METH_O, "SimHash of their runs of three."},
    {"query", query, METH_VARARGS, "The different words to look for, at most so many."},
    {"query_set", query_set, METH_VARARGS, "The same, in no order."},
    {NULL, NULL, 0, NULL},
};

PyTypeObject AnalyzerType = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "seamline._native.Analyzer",
    .tp_basicsize = sizeof(Analyzer),
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_doc = "How text becomes words: analyse, common words, and ranges of further letters.",
    .tp_new = analyzer_new,
    .tp_dealloc = analyzer_dealloc,
    .tp_methods = methods,
};
