/* Text -> words, as seamline.text.words makes them, over one memory of runs of letters.

Runs of ASCII letters are taken apart here and remembered. All others, and those that are too long, are handed back as
they stand: Python takes them apart. */

#include "kernels.h"

#include <string.h>

#define LONGEST 64 /* code points of a word; longer runs are Python's business */
#define MOST_TERMS 64

/* --- a run of ASCII letters -> its words: `_parts` and `stem` ---------------------------------------------------- */

/* The words of a run, with a space between two of them. */
typedef struct {
    int count;
    int length;
    char text[2 * LONGEST + 2 * MOST_TERMS];
    uint8_t ends[MOST_TERMS];
} Terms;

static int is_small(char c) { return c >= 'a' && c <= 'z'; }
static int is_capital(char c) { return c >= 'A' && c <= 'Z'; }
static int is_digit(char c) { return c >= '0' && c <= '9'; }
static int is_joint(char c) { return c == '.' || c == '_' || c == '-'; }
static int is_vowel(char c) { return c && strchr("aeiouy", c) != NULL; }

static int ends_in(const char *word, int length, const char *ending) {
    int size = (int)strlen(ending);
    return length >= size && memcmp(word + length - size, ending, (size_t)size) == 0;
}

/* `_singular`: the new length. */
static int singular(char *word, int length) {
    if (!ends_in(word, length, "s") || ends_in(word, length, "ss") || ends_in(word, length, "us") ||
        ends_in(word, length, "sis"))
        return length;
    if (ends_in(word, length, "ies") && length > 4) {
        word[length - 3] = 'y';
        return length - 2;
    }
    int two = ends_in(word, length, "sses") || ends_in(word, length, "xes") || ends_in(word, length, "ches") ||
              ends_in(word, length, "shes");
    return length - (two ? 2 : 1);
}

/* `_mended`: the length of what is left, which may have a new last letter; 0 where no word is. */
static int mended(char *rest, int length) {
    int vowels = 0;
    for (int i = 0; i < length; i++) vowels |= is_vowel(rest[i]);
    if (!vowels || rest[length - 1] == 'e') return 0;
    char before = length > 1 ? rest[length - 2] : 0, last = rest[length - 1];
    if (length > 3) return last == before && !strchr("lsz", last) ? length - 1 : length;
    if (is_vowel(before) && !strchr("aeiouywx", last)) {
        rest[length] = 'e';
        return length + 1;
    }
    return length == 3 ? 3 : 0;
}

/* `_shorter`: the new length. */
static int shorter(char *word, int length) {
    if (ends_in(word, length, "ied") && length > 4) {
        word[length - 3] = 'y';
        return length - 2;
    }
    int ending = ends_in(word, length, "ing") ? 3 : ends_in(word, length, "ed") ? 2 : 0;
    if (ending) {
        int left = mended(word, length - ending);
        return left ? left : length;
    }
    return length > 4 && word[length - 1] == 'e' ? length - 1 : length;
}

static int stem(char *word, int length) {
    if (length < 4) return length;
    for (int i = 0; i < length; i++)
        if (!is_small(word[i])) return length;
    length = singular(word, length);
    for (;;) {
        int now = shorter(word, length);
        if (now == length) return length;
        length = now;
    }
}

static void add(Terms *out, const char *word, int length) {
    if (out->count) out->text[out->length++] = ' ';
    char *into = out->text + out->length;
    for (int i = 0; i < length; i++) into[i] = is_capital(word[i]) ? (char)(word[i] + 32) : word[i];
    out->length += stem(into, length);
    out->ends[out->count++] = (uint8_t)out->length;
}

/* Whether a name has a seam of no width before its letter `at`. */
static int seam(const char *raw, int length, int at) {
    if (!is_capital(raw[at])) return 0;
    if (is_small(raw[at - 1]) || is_digit(raw[at - 1])) return 1;
    return is_capital(raw[at - 1]) && at + 2 < length && is_small(raw[at + 1]) && is_small(raw[at + 2]);
}

static int parts_of(const char *raw, int length, int starts[], int ends[]) {
    int count = 0, inside = 0;
    for (int at = 0; at < length; at++) {
        if (is_joint(raw[at])) {
            inside = 0;
            continue;
        }
        if (!inside || seam(raw, length, at)) {
            starts[count++] = at;
            inside = 1;
        }
        ends[count - 1] = at + 1;
    }
    return count;
}

static void analyse(const char *raw, int length, Terms *out) {
    out->count = out->length = 0;
    int starts[LONGEST], ends[LONGEST];
    int count = parts_of(raw, length, starts, ends);
    if (count > 1) {
        int first = 0, last = length;
        while (is_joint(raw[first])) first++;
        while (is_joint(raw[last - 1])) last--;
        add(out, raw + first, last - first);
    }
    for (int i = 0; i < count; i++) add(out, raw + starts[i], ends[i] - starts[i]);
}

/* --- a memory of runs and their words ---------------------------------------------------------------------------- */

#define MOST_KNOWN (1 << 16) /* runs; a full memory is emptied */
#define SLOTS (MOST_KNOWN << 1)

typedef struct {
    uint32_t hash;
    uint8_t size;
    uint8_t count;
    uint8_t length; /* of all words, spaces between */
    PyObject *words; /* a tuple */
    const char *raw, *text;
    char chars[]; /* the run, then the text */
} Known;

typedef struct {
    PyObject_HEAD
    uint32_t *ranges; /* first and last of the letters that Python does not call so */
    Py_ssize_t pairs;
    Known **slots;
    Py_ssize_t used;
} Analyzer;

static void forget(Known *known) {
    Py_XDECREF(known->words);
    PyMem_Free(known);
}

static void empty(Analyzer *self) {
    for (Py_ssize_t i = 0; i < SLOTS && self->used; i++) {
        if (!self->slots[i]) continue;
        forget(self->slots[i]);
        self->slots[i] = NULL;
        self->used--;
    }
}

/* Eight bytes at a time: runs are short, and each of them is looked up. */
static uint32_t raw_hash(const char *raw, int size) {
    uint64_t hash = (uint64_t)size * 0x9E3779B97F4A7C15, part = 0;
    for (; size > 8; raw += 8, size -= 8) {
        memcpy(&part, raw, 8);
        hash = (hash ^ part) * 0x9E3779B97F4A7C15;
        hash ^= hash >> 32;
    }
    part = 0;
    memcpy(&part, raw, (size_t)size);
    hash = (hash ^ part) * 0xC2B2AE3D27D4EB4F;
    return (uint32_t)(hash >> 32 ^ hash >> 17);
}

static Known **slot_of(Analyzer *self, const char *raw, int size, uint32_t hash) {
    Py_ssize_t at = hash & (SLOTS - 1);
    for (;; at = (at + 1) & (SLOTS - 1)) {
        Known *known = self->slots[at];
        if (!known || (known->hash == hash && known->size == size && !memcmp(known->raw, raw, (size_t)size)))
            return &self->slots[at];
    }
}

static int fill(Known *known, const Terms *terms) {
    known->words = PyTuple_New(terms->count);
    if (!known->words) return -1;
    for (int i = 0, start = 0; i < terms->count; start = terms->ends[i++] + 1) {
        Py_ssize_t length = terms->ends[i] - start;
        PyObject *word = PyUnicode_DecodeASCII(terms->text + start, length, NULL);
        if (!word) return -1;
        PyTuple_SET_ITEM(known->words, i, word);
    }
    return 0;
}

static Known *made(const char *raw, int size, uint32_t hash) {
    Terms terms;
    analyse(raw, size, &terms);
    Known *known = PyMem_Calloc(1, sizeof *known + (size_t)size + (size_t)terms.length);
    if (!known) {
        PyErr_NoMemory();
        return NULL;
    }
    known->hash = hash;
    known->size = (uint8_t)size;
    known->count = (uint8_t)terms.count;
    known->length = (uint8_t)terms.length;
    known->raw = memcpy(known->chars, raw, (size_t)size);
    known->text = memcpy(known->chars + size, terms.text, (size_t)terms.length);
    if (fill(known, &terms) < 0) {
        forget(known);
        return NULL;
    }
    return known;
}

/* The words of a run of ASCII letters, which the memory keeps until the next run is asked for. */
static const Known *known_of(Analyzer *self, const char *raw, int size) {
    uint32_t hash = raw_hash(raw, size);
    Known **slot = slot_of(self, raw, size, hash);
    if (*slot) return *slot;
    if (self->used >= MOST_KNOWN) {
        empty(self);
        slot = slot_of(self, raw, size, hash);
    }
    *slot = made(raw, size, hash);
    self->used += *slot != NULL;
    return *slot;
}

/* --- runs of a text ---------------------------------------------------------------------------------------------- */

/* What is made of the words of a text; the callers set what they need. */
typedef struct {
    PyObject *list;
    PyObject *left; /* places in the list of runs that are left to Python */
    char *bytes;
    size_t length, room;
} Sink;

/* What to do with a known run, and with one that is left to Python. -1 with an exception set, 1: enough. */
typedef struct {
    int (*known)(Sink *, const Known *);
    int (*other)(Sink *, PyObject *text, Py_ssize_t start, Py_ssize_t end);
} Taker;

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
static inline Py_ssize_t run_end(const Analyzer *self, int kind, const void *data, Py_ssize_t length, Py_ssize_t at,
                                 int *plain) {
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

static inline int runs_of(Analyzer *self, PyObject *text, int kind, Sink *sink, const Taker *taker) {
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
        if (plain && size <= LONGEST) {
            char raw[LONGEST];
            for (Py_ssize_t i = 0; i < size; i++) raw[i] = (char)PyUnicode_READ(kind, data, at + i);
            const Known *known = known_of(self, raw, (int)size);
            done = known ? taker->known(sink, known) : -1;
        } else
            done = taker->other(sink, text, at, end);
        if (done) return done;
        at = end;
    }
    return 0;
}

/* One copy of the loop for each width of characters. -1 with an exception set, 1 where a taker had enough. */
static int each_run(PyObject *self, PyObject *text, Sink *sink, const Taker *taker) {
    Analyzer *analyzer = (Analyzer *)self;
    if (!PyUnicode_Check(text)) {
        PyErr_Format(PyExc_TypeError, "expected a text, got %.100s", Py_TYPE(text)->tp_name);
        return -1;
    }
    switch (PyUnicode_KIND(text)) {
        case PyUnicode_1BYTE_KIND: return runs_of(analyzer, text, PyUnicode_1BYTE_KIND, sink, taker);
        case PyUnicode_2BYTE_KIND: return runs_of(analyzer, text, PyUnicode_2BYTE_KIND, sink, taker);
        default: return runs_of(analyzer, text, PyUnicode_4BYTE_KIND, sink, taker);
    }
}

/* Appends a value and takes it over. -1 with an exception set, also where there is none. */
static int append(PyObject *list, PyObject *value) {
    int done = value ? PyList_Append(list, value) : -1;
    Py_XDECREF(value);
    return done;
}

/* --- words as a list --------------------------------------------------------------------------------------------- */

static int list_known(Sink *sink, const Known *known) {
    for (Py_ssize_t i = 0; i < known->count; i++)
        if (PyList_Append(sink->list, PyTuple_GET_ITEM(known->words, i)) < 0) return -1;
    return 0;
}

static int list_other(Sink *sink, PyObject *text, Py_ssize_t start, Py_ssize_t end) {
    if (append(sink->left, PyLong_FromSsize_t(PyList_GET_SIZE(sink->list))) < 0) return -1;
    return append(sink->list, PyUnicode_Substring(text, start, end));
}

static PyObject *listed(PyObject *self, PyObject *text, const Taker *taker) {
    Sink sink = {.list = PyList_New(0), .left = PyList_New(0)};
    PyObject *found = NULL;
    if (sink.list && sink.left && each_run(self, text, &sink, taker) == 0)
        found = PyTuple_Pack(2, sink.list, sink.left);
    Py_XDECREF(sink.list);
    Py_XDECREF(sink.left);
    return found;
}

static PyObject *words(PyObject *self, PyObject *text) {
    static const Taker LIST = {list_known, list_other};
    return listed(self, text, &LIST);
}

/* --- runs as one word each: names whole -------------------------------------------------------------------------- */

static int whole_known(Sink *sink, const Known *known) {
    return known->count ? PyList_Append(sink->list, PyTuple_GET_ITEM(known->words, 0)) : 0;
}

static PyObject *whole(PyObject *self, PyObject *text) {
    static const Taker WHOLE = {whole_known, list_other};
    return listed(self, text, &WHOLE);
}

/* --- words with spaces between them ------------------------------------------------------------------------------ */

static int space_known(Sink *sink, const Known *known) {
    if (!known->length) return 0;
    if (!GROW(sink->bytes, sink->room, sink->length + known->length + 1)) return -1;
    if (sink->length) sink->bytes[sink->length++] = ' ';
    memcpy(sink->bytes + sink->length, known->text, known->length);
    sink->length += known->length;
    return 0;
}

/* Lists what was collected since the last run that was left to Python. */
static int flush(Sink *sink) {
    PyObject *joined = PyUnicode_DecodeASCII(sink->bytes ? sink->bytes : "", (Py_ssize_t)sink->length, NULL);
    sink->length = 0;
    return append(sink->list, joined);
}

static int space_other(Sink *sink, PyObject *text, Py_ssize_t start, Py_ssize_t end) {
    return flush(sink) < 0 ? -1 : append(sink->list, PyUnicode_Substring(text, start, end));
}

static PyObject *spaced(PyObject *self, PyObject *text) {
    static const Taker SPACED = {space_known, space_other};
    Sink sink = {.list = PyList_New(0)};
    if (sink.list && (each_run(self, text, &sink, &SPACED) < 0 || flush(&sink) < 0)) Py_CLEAR(sink.list);
    PyMem_Free(sink.bytes);
    return sink.list;
}

/* --- the type ---------------------------------------------------------------------------------------------------- */

static int read_ranges(Analyzer *self, PyObject *pairs) {
    self->pairs = PyList_GET_SIZE(pairs);
    self->ranges = PyMem_Calloc((size_t)self->pairs + 1, 2 * sizeof *self->ranges);
    if (!self->ranges) {
        PyErr_NoMemory();
        return -1;
    }
    for (Py_ssize_t i = 0; i < self->pairs; i++) {
        PyObject *pair = PyList_GET_ITEM(pairs, i);
        if (!PyTuple_Check(pair)) PyErr_SetString(PyExc_TypeError, "expected pairs of code points");
        if (PyErr_Occurred() || !PyArg_ParseTuple(pair, "II", &self->ranges[2 * i], &self->ranges[2 * i + 1])) return -1;
    }
    return 0;
}

static PyObject *analyzer_new(PyTypeObject *type, PyObject *args, PyObject *Py_UNUSED(named)) {
    PyObject *pairs;
    if (!PyArg_ParseTuple(args, "O!:Analyzer", &PyList_Type, &pairs)) return NULL;
    Analyzer *self = (Analyzer *)type->tp_alloc(type, 0);
    if (!self) return NULL;
    self->slots = PyMem_Calloc(SLOTS, sizeof *self->slots);
    if (!self->slots) PyErr_NoMemory();
    if (!self->slots || read_ranges(self, pairs) < 0) Py_CLEAR(self);
    return (PyObject *)self;
}

static void analyzer_dealloc(PyObject *object) {
    Analyzer *self = (Analyzer *)object;
    if (self->slots) empty(self);
    PyMem_Free(self->slots);
    PyMem_Free(self->ranges);
    Py_TYPE(object)->tp_free(object);
}

static PyMethodDef METHODS[] = {
    {"words", words, METH_O, "The words of a text, in order, and the places of runs that are left to Python."},
    {"whole", whole, METH_O, "The first word of each run, in order, and the places of runs that are left to Python."},
    {"spaced", spaced, METH_O, "Words with spaces between them, a run that is left to Python, words, and so on."},
    {NULL, NULL, 0, NULL},
};

PyTypeObject AnalyzerType = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "seamline._native.Analyzer",
    .tp_basicsize = sizeof(Analyzer),
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_doc = "How text becomes words; made of the ranges of letters that Python does not call so.",
    .tp_new = analyzer_new,
    .tp_dealloc = analyzer_dealloc,
    .tp_methods = METHODS,
};
