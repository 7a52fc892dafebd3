/* The best segments of all, as seamline.cut.scores.objective finds them where the difference of neighbours does not
   count once more, or seamline.cut.scores.ensemble where words count too: the same sums in the same order, but only for
   the runs that can be a segment. */

#include "kernels.h"

#include <math.h>

enum { LANES = 16 };
static const double DIGITS = 1e5; /* decimals of a cosine that count, as in the reference */

/* What words say of runs, as seamline.cut.scores.lexical.likelihoods finds it. All is NULL where they are not asked. */
typedef struct {
    int64_t *numbers; /* of the words of all units, one unit after another */
    int64_t *ends;    /* per unit, where its words end in there */
    int32_t *counts;  /* per word, how often the run has it; all are 0 between two ends */
    double *again;    /* what a word adds that was met so often before */
    double *whole;    /* what a run of so many words adds */
    double *likely;   /* per unit, how likely the run from it to the end that is looked at is */
    int64_t agains, wholes;
    double nats, unit; /* what coherence is worth beside them */
} Words;

/* The units, what a segment may measure, and what is known of the best ways so far. */
typedef struct {
    const float *vectors;
    Py_ssize_t dimensions;
    Py_ssize_t count;
    int64_t *sums;   /* tokens before each unit; count + 1 */
    double *price;   /* of a cut before each unit */
    int64_t *firsts; /* per end, where the longest segment that ends there starts; count + 1 */
    double *square;  /* per unit, the squared length of the sum of it and all after it so far */
    double *paid;    /* the best up to each unit, less the price of a cut before it; count + 1 */
    int64_t *came;   /* count + 1 */
    int64_t least;
    Words words;
} Search;

/* --- vectors ----------------------------------------------------------------------------------------------------- */

static bool is_floats(const Py_buffer *vectors)
{
    if (vectors->ndim == 2 && vectors->itemsize == sizeof(float) && vectors->format && vectors->format[0] == 'f')
        return true;
    PyErr_SetString(PyExc_ValueError, "expected rows of 32-bit floats");
    return false;
}

static double cosine(const float *left, const float *right, Py_ssize_t size)
{
    float lanes[LANES] = {0};
    Py_ssize_t i = 0;
    for (; i + LANES <= size; i += LANES)
        for (int k = 0; k < LANES; k++)
            lanes[k] += left[i + k] * right[i + k];
    for (int k = 0; i < size; i++, k++)
        lanes[k] += left[i] * right[i];
    for (int half = LANES / 2; half; half /= 2)
        for (int k = 0; k < half; k++)
            lanes[k] += lanes[k + half];
    return rint((double)lanes[0] * DIGITS) / DIGITS;
}

PyObject *spread(PyObject *module, PyObject *given)
{
    Py_buffer vectors;
    if (PyObject_GetBuffer(given, &vectors, PyBUF_ND | PyBUF_FORMAT) < 0)
        return NULL;
    PyObject *found = NULL;
    double *total = is_floats(&vectors) ? PyMem_Calloc((size_t)vectors.shape[1] + 1, sizeof *total) : NULL;
    if (total) {
        const float *row = vectors.buf;
        Py_ssize_t count = vectors.shape[0], size = vectors.shape[1];
        for (Py_ssize_t i = 0; i < count; i++, row += size)
            for (Py_ssize_t k = 0; k < size; k++)
                total[k] += row[k];
        double square = 0.0;
        for (Py_ssize_t k = 0; k < size; k++)
            square += total[k] * total[k];
        found = PyFloat_FromDouble(1.0 - (square - (double)count) / ((double)count * (double)(count - 1)));
    } else if (!PyErr_Occurred()) {
        PyErr_NoMemory();
    }
    PyMem_Free(total);
    PyBuffer_Release(&vectors);
    return found;
}

/* --- the search -------------------------------------------------------------------------------------------------- */

static void find_firsts(Search *search, int64_t most, int64_t longest, const char *apart)
{
    int64_t start = 0;
    search->firsts[0] = 0;
    for (Py_ssize_t end = 1; end <= search->count; end++) {
        if (apart[end - 1])
            start = end - 1;
        while (start < end - 1 &&
               (search->sums[end] - search->sums[start] > most || end - start > longest))
            start++;
        search->firsts[end] = start;
    }
}

/* Lets one more unit into all runs that reach it. */
static void grow_runs(Search *search, Py_ssize_t unit)
{
    double shared = 0.0;
    const float *last = search->vectors + unit * search->dimensions;
    for (Py_ssize_t start = unit - 1; start >= search->firsts[unit + 1]; start--) {
        shared += cosine(last, search->vectors + start * search->dimensions, search->dimensions);
        double twice = 2 * shared; /* on its own: fused with the sum it would round differently */
        double grown = search->square[start] + twice + 1;
        search->square[start] = grown > 0.0 ? grown : 0.0;
    }
    search->square[unit] = 1.0;
}

/* How likely the words of all runs are that can be a segment up to an end. */
static void weigh_words(Search *search, Py_ssize_t end)
{
    Words *words = &search->words;
    double gathered = 0.0;
    int64_t total = 0, first = search->firsts[end] ? words->ends[search->firsts[end] - 1] : 0;
    for (Py_ssize_t start = end - 1; start >= search->firsts[end]; start--) {
        int64_t low = start ? words->ends[start - 1] : 0;
        for (int64_t at = low; at < words->ends[start]; at++, total++) {
            int32_t times = words->counts[words->numbers[at]]++;
            gathered += words->again[times < words->agains ? times : words->agains - 1];
        }
        words->likely[start] = gathered + words->whole[total < words->wholes ? total : words->wholes - 1];
    }
    for (int64_t at = first; at < words->ends[end - 1]; at++)
        words->counts[words->numbers[at]] = 0;
}

/* The best way to an end, from the best ways to the ends before; ties go to the longer segment. */
static void find_way(Search *search, Py_ssize_t end)
{
    double best = -INFINITY;
    for (int64_t start = search->firsts[end]; start < end; start++) {
        double worth = search->square[start] / (double)(end - start);
        if (search->sums[end] - search->sums[start] < search->least)
            worth -= (double)search->count; /* more than any segments can make up for */
        if (search->words.likely) {
            worth = search->words.nats * worth / search->words.unit;
            worth += search->words.likely[start];
        }
        double way = search->paid[start] + worth;
        if (way > best) {
            best = way;
            search->came[end] = start;
        }
    }
    search->paid[end] = best - (end < search->count ? search->price[end] : 0.0);
}

static PyObject *way_back(const Search *search)
{
    PyObject *cuts = PyList_New(0);
    for (int64_t at = search->came[search->count]; cuts && at > 0; at = search->came[at]) {
        PyObject *unit = PyLong_FromLongLong(at);
        if (!unit || PyList_Append(cuts, unit) < 0)
            Py_CLEAR(cuts);
        Py_XDECREF(unit);
    }
    if (cuts && PyList_Reverse(cuts) < 0)
        Py_CLEAR(cuts);
    return cuts;
}

/* --- from Python ------------------------------------------------------------------------------------------------- */

static bool read_tokens(Search *search, PyObject *tokens)
{
    search->sums[0] = 0;
    for (Py_ssize_t i = 0; i < search->count; i++) {
        long long size = PyLong_AsLongLong(PyList_GET_ITEM(tokens, i));
        if (size == -1 && PyErr_Occurred())
            return false;
        search->sums[i + 1] = search->sums[i] + size;
    }
    return true;
}

static bool read_floats(PyObject *given, double *out)
{
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(given); i++) {
        out[i] = PyFloat_AsDouble(PyList_GET_ITEM(given, i));
        if (out[i] == -1.0 && PyErr_Occurred())
            return false;
    }
    return true;
}

/* The numbers of the words of all units; one more than the largest, or -1 with an error set. */
static int64_t read_bags(Words *words, PyObject *bags, int64_t total)
{
    int64_t at = 0, most = 0;
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(bags); i++) {
        PyObject *bag = PyList_GET_ITEM(bags, i);
        for (Py_ssize_t k = 0; k < PyList_GET_SIZE(bag); k++, at++) {
            words->numbers[at] = PyLong_AsLongLong(PyList_GET_ITEM(bag, k));
            if (words->numbers[at] < 0 || words->numbers[at] >= total) {
                if (!PyErr_Occurred())
                    PyErr_SetString(PyExc_ValueError, "expected words numbered from 0, without a gap");
                return -1;
            }
            most = words->numbers[at] >= most ? words->numbers[at] + 1 : most;
        }
        words->ends[i] = at;
    }
    return most;
}

static void words_close(Words *words)
{
    PyMem_Free(words->numbers);
    PyMem_Free(words->counts);
    PyMem_Free(words->again);
}

/* All that is asked of words; false with an error set. */
static bool words_open(Words *words, Py_ssize_t count, PyObject *bags, PyObject *again, PyObject *whole)
{
    int64_t total = 0;
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(bags); i++) {
        if (!PyList_CheckExact(PyList_GET_ITEM(bags, i)))
            return PyErr_SetString(PyExc_TypeError, "expected a list of words for each row"), false;
        total += PyList_GET_SIZE(PyList_GET_ITEM(bags, i));
    }
    words->agains = PyList_GET_SIZE(again);
    words->wholes = PyList_GET_SIZE(whole);
    if (PyList_GET_SIZE(bags) != count || !words->agains || !words->wholes)
        return PyErr_SetString(PyExc_ValueError, "expected words for each row, and what they add"), false;
    words->numbers = PyMem_Calloc((size_t)(total + count) + 1, sizeof *words->numbers);
    words->again = PyMem_Calloc((size_t)(words->agains + words->wholes + count), sizeof *words->again);
    if (!words->numbers || !words->again)
        return PyErr_NoMemory(), false;
    words->ends = words->numbers + total;
    words->whole = words->again + words->agains;
    int64_t most = read_bags(words, bags, total);
    if (most < 0 || !read_floats(again, words->again) || !read_floats(whole, words->whole))
        return false;
    words->counts = PyMem_Calloc((size_t)most + 1, sizeof *words->counts);
    if (!words->counts)
        return PyErr_NoMemory(), false;
    words->likely = words->whole + words->wholes;
    return true;
}

/* One piece of memory for all arrays; false with MemoryError set. */
static bool search_open(Search *search)
{
    size_t places = (size_t)search->count + 1;
    search->sums = PyMem_Calloc(places, 3 * sizeof *search->sums + 3 * sizeof *search->price);
    if (!search->sums)
        return PyErr_NoMemory(), false;
    search->firsts = search->sums + places;
    search->came = search->firsts + places;
    search->price = (double *)(search->came + places);
    search->square = search->price + places;
    search->paid = search->square + places;
    return true;
}

static bool fits(const Py_buffer *vectors, PyObject *tokens, PyObject *price, Py_ssize_t apart)
{
    if (!is_floats(vectors))
        return false;
    Py_ssize_t count = vectors->shape[0];
    if (PyList_GET_SIZE(tokens) == count && PyList_GET_SIZE(price) == count && apart == count)
        return true;
    PyErr_SetString(PyExc_ValueError, "expected tokens, a price and a flag for each row");
    return false;
}

PyObject *segments(PyObject *module, PyObject *args)
{
    Search search = {.count = 0};
    Py_buffer vectors;
    PyObject *given, *tokens, *price, *bags = NULL, *again = NULL, *whole = NULL, *cuts = NULL;
    const char *apart;
    Py_ssize_t apart_size;
    long long most, least, longest;
    if (!PyArg_ParseTuple(args, "OO!LLLy#O!|ddO!O!O!", &given, &PyList_Type, &tokens, &most, &least, &longest, &apart,
                          &apart_size, &PyList_Type, &price, &search.words.nats, &search.words.unit, &PyList_Type,
                          &bags, &PyList_Type, &again, &PyList_Type, &whole) ||
        PyObject_GetBuffer(given, &vectors, PyBUF_ND | PyBUF_FORMAT) < 0)
        return NULL;
    if (fits(&vectors, tokens, price, apart_size)) {
        search.vectors = vectors.buf;
        search.count = vectors.shape[0];
        search.dimensions = vectors.shape[1];
        search.least = least;
        if (search_open(&search) && read_tokens(&search, tokens) && read_floats(price, search.price) &&
            (!whole || words_open(&search.words, search.count, bags, again, whole))) {
            find_firsts(&search, most, longest, apart);
            for (Py_ssize_t end = 1; end <= search.count; end++) {
                grow_runs(&search, end - 1);
                if (whole)
                    weigh_words(&search, end);
                find_way(&search, end);
            }
            cuts = way_back(&search);
        }
    }
    words_close(&search.words);
    PyMem_Free(search.sums);
    PyBuffer_Release(&vectors);
    return cuts;
}
