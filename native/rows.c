/* Vectors of texts as sums of rows of whole numbers, as seamline.embed.static makes them, to the bit. Words that were
   met before are looked up with their pieces; Python is told of all others, and takes them apart. */

#include "kernels.h"

#include <math.h>
#include <string.h>

/* --- words met so far: a hash table with open addressing --------------------------------------------------------- */

enum { LONGEST_REMEMBERED = 48 }; /* letters of a word; longer ones are addresses and data */

typedef struct {
    const int32_t *numbers;
    size_t count;
} Pieces;

typedef struct {
    uint64_t hash;
    uint32_t letters; /* where its letters start */
    uint32_t pieces;  /* where its pieces start */
    uint16_t length;  /* in letters; 0 for an empty slot */
    uint16_t count;   /* of pieces */
} Entry;

typedef struct {
    Entry *slots; /* a power of two of them */
    size_t slot_count;
    size_t count;
    Py_UCS4 *letters;
    size_t letter_count;
    size_t letter_room;
    int32_t *pieces;
    size_t piece_count;
    size_t piece_room;
} Words;

/* A word as it stands in a string. */
typedef struct {
    int kind;
    const void *data;
    Py_ssize_t start;
    Py_ssize_t length;
    uint64_t hash;
} Word;

enum { FIRST_SLOTS = 1 << 12, REMEMBERED = 1 << 16 };

static void words_close(Words *words)
{
    PyMem_Free(words->slots);
    PyMem_Free(words->letters);
    PyMem_Free(words->pieces);
    *words = (Words){.count = 0};
}

static bool is_word(const Words *words, const Entry *entry, const Word *word)
{
    if (entry->hash != word->hash || entry->length != word->length)
        return false;
    const Py_UCS4 *letters = words->letters + entry->letters;
    for (Py_ssize_t i = 0; i < word->length; i++)
        if (letters[i] != PyUnicode_READ(word->kind, word->data, word->start + i))
            return false;
    return true;
}

/* Whether a word is known, and its pieces: valid until the next word is added. */
static bool words_find(const Words *words, const Word *word, Pieces *pieces)
{
    if (!words->slot_count || word->length > LONGEST_REMEMBERED)
        return false;
    size_t mask = words->slot_count - 1;
    for (size_t slot = word->hash & mask; words->slots[slot].length; slot = (slot + 1) & mask) {
        const Entry *entry = words->slots + slot;
        if (is_word(words, entry, word)) {
            *pieces = (Pieces){words->pieces + entry->pieces, entry->count};
            return true;
        }
    }
    return false;
}

static void put(Entry *slots, size_t slot_count, Entry entry)
{
    size_t slot = entry.hash & (slot_count - 1);
    while (slots[slot].length)
        slot = (slot + 1) & (slot_count - 1);
    slots[slot] = entry;
}

/* At most half of the slots are taken. */
static bool make_room(Words *words)
{
    if (2 * (words->count + 1) <= words->slot_count)
        return true;
    size_t wanted = words->slot_count ? 2 * words->slot_count : FIRST_SLOTS;
    Entry *slots = PyMem_Calloc(wanted, sizeof *slots);
    if (!slots)
        return PyErr_NoMemory(), false;
    for (size_t i = 0; i < words->slot_count; i++)
        if (words->slots[i].length)
            put(slots, wanted, words->slots[i]);
    PyMem_Free(words->slots);
    words->slots = slots;
    words->slot_count = wanted;
    return true;
}

/* Adds a word that is not known; a full memory is emptied first. False with MemoryError set. */
static bool words_add(Words *words, const Word *word, Pieces pieces)
{
    if (word->length > LONGEST_REMEMBERED || pieces.count > UINT16_MAX)
        return true;
    if (words->count >= REMEMBERED)
        words_close(words);
    size_t letters = words->letter_count + (size_t)word->length, numbers = words->piece_count + pieces.count;
    if (!make_room(words) || !GROW(words->letters, words->letter_room, letters) ||
        !GROW(words->pieces, words->piece_room, numbers))
        return false;
    Entry entry = {word->hash, (uint32_t)words->letter_count, (uint32_t)words->piece_count, (uint16_t)word->length,
                   (uint16_t)pieces.count};
    for (Py_ssize_t i = 0; i < word->length; i++)
        words->letters[words->letter_count++] = PyUnicode_READ(word->kind, word->data, word->start + i);
    for (size_t i = 0; i < pieces.count; i++)
        words->pieces[words->piece_count++] = pieces.numbers[i];
    put(words->slots, words->slot_count, entry);
    words->count++;
    return true;
}

/* --- a table of rows ---------------------------------------------------------------------------------------------- */

enum { PIECES_AT_ONCE = 256 }; /* so many rows of 8 bits add up within 16 */
static const double EXACT = 4194304.0; /* 2^22: sums below it have squares that add up without rounding */

typedef struct {
    PyObject_HEAD
    Py_buffer table;
    int32_t empty; /* the row of a text without pieces */
    Words words;
} Rows;

/* The sum of one text as it grows: whole numbers, which 64-bit floats hold exactly up to 2^53. */
typedef struct {
    double *total;
    int16_t *part;     /* of the last pieces */
    size_t waiting;    /* how many those are */
    PyObject *told;    /* what Python said of words: a dict of tuples of numbers */
    PyObject *unknown; /* a set of words it is still to be asked about */
    bool whole;        /* whether the text had none of those */
} Sum;

static Py_ssize_t dimensions(const Rows *rows)
{
    return rows->table.shape[1];
}

/* --- sums -------------------------------------------------------------------------------------------------------- */

static void flush(const Rows *rows, Sum *sum)
{
    Py_ssize_t size = dimensions(rows);
    for (Py_ssize_t i = 0; i < size; i++)
        sum->total[i] += sum->part[i];
    memset(sum->part, 0, (size_t)size * sizeof *sum->part);
    sum->waiting = 0;
}

static void add_row(const int8_t *restrict row, int16_t *restrict part, Py_ssize_t size)
{
    for (Py_ssize_t i = 0; i < size; i++)
        part[i] = (int16_t)(part[i] + row[i]);
}

static void add_pieces(const Rows *rows, Sum *sum, const int32_t *numbers, size_t count)
{
    Py_ssize_t size = dimensions(rows);
    for (size_t i = 0; i < count; i++) {
        add_row((const int8_t *)rows->table.buf + numbers[i] * size, sum->part, size);
        if (++sum->waiting == PIECES_AT_ONCE)
            flush(rows, sum);
    }
}

/* --- words ------------------------------------------------------------------------------------------------------- */

static bool read_pieces(const Rows *rows, PyObject *tuple, int32_t *numbers)
{
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(tuple); i++) {
        PyObject *item = PyTuple_GET_ITEM(tuple, i);
        long number = PyLong_Check(item) ? PyLong_AsLong(item) : -1;
        if (number < 0 || number >= rows->table.shape[0]) {
            if (!PyErr_Occurred())
                PyErr_Format(PyExc_IndexError, "the table has no row %ld", number);
            return false;
        }
        numbers[i] = (int32_t)number;
    }
    return true;
}

/* A word that was not met before: its pieces are what Python said of it, if it was asked. */
static bool add_new_word(Rows *rows, Sum *sum, PyObject *text, const Word *word)
{
    PyObject *string = PyUnicode_Substring(text, word->start, word->start + word->length);
    PyObject *tuple = string ? PyDict_GetItemWithError(sum->told, string) : NULL;
    bool done = string && !PyErr_Occurred();
    if (done && !tuple) {
        sum->whole = false;
        done = PySet_Add(sum->unknown, string) == 0;
    } else if (done && !PyTuple_CheckExact(tuple)) {
        PyErr_SetString(PyExc_TypeError, "expected tuples of numbers");
        done = false;
    } else if (done) {
        size_t count = (size_t)PyTuple_GET_SIZE(tuple);
        int32_t *numbers = PyMem_Malloc((count + 1) * sizeof *numbers);
        if (!numbers)
            PyErr_NoMemory();
        done = numbers && read_pieces(rows, tuple, numbers);
        if (done)
            add_pieces(rows, sum, numbers, count);
        done = done && words_add(&rows->words, word, (Pieces){numbers, count});
        PyMem_Free(numbers);
    }
    Py_XDECREF(string);
    return done;
}

static uint64_t hash_with(uint64_t hash, Py_UCS4 point)
{
    return (hash ^ point) * 0x9E3779B97F4A7C15u;
}

/* The next word from a place on, between white space; false where there is none. */
static bool next_word(Word *word, Py_ssize_t from, Py_ssize_t end)
{
    while (from < end && Py_UNICODE_ISSPACE(PyUnicode_READ(word->kind, word->data, from)))
        from++;
    uint64_t hash = 0;
    word->start = from;
    for (; from < end; from++) {
        Py_UCS4 point = PyUnicode_READ(word->kind, word->data, from);
        if (Py_UNICODE_ISSPACE(point))
            break;
        hash = hash_with(hash, point);
    }
    word->length = from - word->start;
    word->hash = hash ^ hash >> 32;
    return word->length > 0;
}

static bool is_mark(Py_UCS4 point)
{
    return (point >= '!' && point <= '/') || (point >= ':' && point <= '@') || (point >= '[' && point <= '`') ||
           (point >= '{' && point <= '~');
}

/* The next part of a long word: a mark, which is always a word by itself, or what stands between two of them. */
static bool next_part(Word *part, Py_ssize_t from, Py_ssize_t end)
{
    uint64_t hash = 0;
    part->start = from;
    for (; from < end; from++) {
        Py_UCS4 point = PyUnicode_READ(part->kind, part->data, from);
        bool mark = is_mark(point);
        if (mark && from > part->start)
            break;
        hash = hash_with(hash, point);
        if (mark) {
            from++;
            break;
        }
    }
    part->length = from - part->start;
    part->hash = hash ^ hash >> 32;
    return part->length > 0;
}

static bool add_word(Rows *rows, Sum *sum, PyObject *text, const Word *word)
{
    Pieces pieces;
    if (!words_find(&rows->words, word, &pieces))
        return add_new_word(rows, sum, text, word);
    add_pieces(rows, sum, pieces.numbers, pieces.count);
    return true;
}

/* Addresses and data seldom come again, but their parts do. */
static bool add_long_word(Rows *rows, Sum *sum, PyObject *text, const Word *word)
{
    Word part = *word;
    Py_ssize_t end = word->start + word->length;
    for (Py_ssize_t from = word->start; next_part(&part, from, end); from = part.start + part.length)
        if (!add_word(rows, sum, text, &part))
            return false;
    return true;
}

static bool add_text(Rows *rows, Sum *sum, PyObject *text)
{
    Word word = {.kind = (int)PyUnicode_KIND(text), .data = PyUnicode_DATA(text)};
    Py_ssize_t end = PyUnicode_GET_LENGTH(text);
    for (Py_ssize_t from = 0; next_word(&word, from, end); from = word.start + word.length) {
        bool is_long = word.length > LONGEST_REMEMBERED;
        if (!(is_long ? add_long_word(rows, sum, text, &word) : add_word(rows, sum, text, &word)))
            return false;
    }
    return true;
}

/* --- rows of length 1 -------------------------------------------------------------------------------------------- */

static double largest_of(const double *total, Py_ssize_t size)
{
    double largest = 0.0;
    for (Py_ssize_t i = 0; i < size; i++)
        largest = fabs(total[i]) > largest ? fabs(total[i]) : largest;
    return largest;
}

/* Exact, so it does not matter that four sums make it. */
static double squares_of(const double *total, Py_ssize_t size)
{
    double sums[4] = {0};
    Py_ssize_t i = 0;
    for (; i + 4 <= size; i += 4)
        for (int k = 0; k < 4; k++)
            sums[k] += total[i + k] * total[i + k];
    for (; i < size; i++)
        sums[0] += total[i] * total[i];
    return sums[0] + sums[1] + sums[2] + sums[3];
}

/* By steps that IEEE 754 rounds alike everywhere: exact sums, one root, one division. */
static void write_unit(double *restrict total, float *restrict out, Py_ssize_t size, double largest)
{
    if (largest >= EXACT) {
        int power;
        frexp(largest / EXACT, &power);
        for (Py_ssize_t i = 0; i < size; i++)
            total[i] = trunc(ldexp(total[i], -power));
    }
    double length = sqrt(squares_of(total, size));
    for (Py_ssize_t i = 0; i < size; i++)
        out[i] = (float)(total[i] / length);
}

static bool write_row(Rows *rows, Sum *sum, PyObject *text, float *out)
{
    Py_ssize_t size = dimensions(rows);
    if (!PyUnicode_Check(text)) {
        PyErr_SetString(PyExc_TypeError, "expected texts");
        return false;
    }
    memset(sum->total, 0, (size_t)size * sizeof *sum->total);
    memset(sum->part, 0, (size_t)size * sizeof *sum->part);
    sum->waiting = 0;
    sum->whole = true;
    if (!add_text(rows, sum, text))
        return false;
    if (!sum->whole)
        return true;
    flush(rows, sum);
    double largest = largest_of(sum->total, size);
    if (largest == 0.0) {
        add_pieces(rows, sum, &rows->empty, 1);
        flush(rows, sum);
    }
    write_unit(sum->total, out, size, largest);
    return true;
}

static bool write_rows(Rows *rows, Sum *sum, PyObject *texts, const Py_buffer *out)
{
    Py_ssize_t size = dimensions(rows), count = PyTuple_GET_SIZE(texts);
    if (out->len != count * size * (Py_ssize_t)sizeof(float)) {
        PyErr_SetString(PyExc_ValueError, "expected a row of 32-bit floats for each text");
        return false;
    }
    sum->total = PyMem_Calloc((size_t)size + 1, sizeof *sum->total + sizeof *sum->part);
    if (!sum->total)
        return PyErr_NoMemory(), false;
    sum->part = (int16_t *)(sum->total + size);
    bool done = true;
    for (Py_ssize_t i = 0; done && i < count; i++)
        done = write_row(rows, sum, PyTuple_GET_ITEM(texts, i), (float *)out->buf + i * size);
    PyMem_Free(sum->total);
    return done;
}

static PyObject *rows_write(PyObject *self, PyObject *args)
{
    PyObject *texts, *told;
    Py_buffer out;
    if (!PyArg_ParseTuple(args, "Ow*O!:write", &texts, &out, &PyDict_Type, &told))
        return NULL;
    PyObject *tuple = PySequence_Tuple(texts);
    Sum sum = {.told = told, .unknown = tuple ? PySet_New(NULL) : NULL};
    if (sum.unknown && !write_rows((Rows *)self, &sum, tuple, &out))
        Py_CLEAR(sum.unknown);
    Py_XDECREF(tuple);
    PyBuffer_Release(&out);
    return sum.unknown;
}

/* --- the type ---------------------------------------------------------------------------------------------------- */

static PyObject *rows_new(PyTypeObject *type, PyObject *args, PyObject *Py_UNUSED(named))
{
    Py_buffer table;
    PyObject *given;
    Py_ssize_t empty;
    if (!PyArg_ParseTuple(args, "On:Rows", &given, &empty) ||
        PyObject_GetBuffer(given, &table, PyBUF_ND | PyBUF_FORMAT) < 0)
        return NULL;
    bool usable = table.ndim == 2 && table.itemsize == 1 && table.format && table.format[0] == 'b' &&
                  table.shape[1] > 0 && table.shape[1] <= 512 && empty >= 0 && empty < table.shape[0];
    Rows *rows = usable ? (Rows *)type->tp_alloc(type, 0) : NULL;
    if (!rows) {
        if (!usable)
            PyErr_SetString(PyExc_ValueError, "expected rows of up to 512 8-bit numbers, and the number of one");
        PyBuffer_Release(&table);
        return NULL;
    }
    rows->table = table;
    rows->empty = (int32_t)empty;
    return (PyObject *)rows;
}

static void rows_dealloc(PyObject *self)
{
    Rows *rows = (Rows *)self;
    PyBuffer_Release(&rows->table);
    words_close(&rows->words);
    Py_TYPE(self)->tp_free(self);
}

static PyMethodDef METHODS[] = {
    {"write", rows_write, METH_VARARGS,
     "Write the vector of each text into a row of an array of 32-bit floats; the words that are not known."},
    {NULL, NULL, 0, NULL},
};

PyTypeObject RowsType = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "seamline._native.Rows",
    .tp_doc = "Vectors of texts as sums of the rows of a table.",
    .tp_basicsize = sizeof(Rows),
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_new = rows_new,
    .tp_dealloc = rows_dealloc,
    .tp_methods = METHODS,
};
