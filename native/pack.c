/* The cuts of least cost, as `Optimal` of seamline.cut.pack finds them: the same sums in the same order, so the same
   cuts. */

#include "kernels.h"

#include <math.h>

static const int64_t MOST_TOKENS = INT64_C(1) << 52; /* doubles hold every difference of two such numbers */

/* What is packed, and the search: least costs, where each came from, and the allowed gaps. */
typedef struct {
    size_t count; /* of atoms */
    int64_t *sums, *lead, *tail; /* count + 1 each */
    double *score;               /* count + 1 */
    double *best;                /* least cost of cutting everything before gap i, with a cut at i; count + 1 */
    size_t *came;                /* count + 1 */
    size_t *gaps;                /* the allowed gaps, ascending */
    size_t gap_count;
    int64_t target, limit;
    double unit; /* cost of a chunk that is one token off the target */
} Packing;

/* Nothing allowed fits: the last gap within the limit, forbidden or not. */
static size_t last_resort(const Packing *p, size_t start)
{
    size_t gap = start + 1;
    while (gap < p->count && p->sums[gap + 1] - p->sums[start] + p->lead[start] + p->tail[gap + 1] <= p->limit)
        gap++;
    return gap;
}

/* The furthest gap that a chunk from `start` reaches more cheaply than was known, or `reached`. `first`: position of
   the first allowed gap after `start`. */
static size_t reach_from(Packing *p, size_t start, size_t first, size_t reached)
{
    double here = p->best[start];
    int64_t base = p->sums[start] - p->lead[start];
    for (size_t i = first; i < p->gap_count; i++) {
        size_t gap = p->gaps[i];
        if (p->sums[gap] > base + p->limit)
            break;
        int64_t end = p->sums[gap] + p->tail[gap];
        if (end > base + p->limit)
            continue; /* what its chunk would leave open costs more to close than there is room */
        double off = (double)(end - (base + p->target));
        double distance = off * off * p->unit; /* on its own: fused with the sum it would round differently */
        double cost = here + distance;
        cost += gap < p->count ? 1.0 - p->score[gap] : 0.0;
        if (cost < p->best[gap]) {
            p->best[gap] = cost;
            p->came[gap] = start;
            reached = gap > reached ? gap : reached;
        }
    }
    return reached;
}

static void search(Packing *p)
{
    size_t reached = 0, first = 0;
    for (size_t start = 0; start < p->count; start++) {
        while (p->gaps[first] <= start)
            first++;
        if (p->best[start] == INFINITY)
            continue;
        reached = reach_from(p, start, first, reached);
        if (reached <= start) { /* the rules allow no way on */
            reached = last_resort(p, start);
            p->came[reached] = start;
            p->best[reached] = p->best[start] + 1.0;
        }
    }
}

/* The cuts on the way to the end, first to last. */
static PyObject *way(const Packing *p)
{
    size_t steps = 0;
    for (size_t at = p->came[p->count]; at > 0; at = p->came[at])
        steps++;
    PyObject *cuts = PyList_New((Py_ssize_t)steps);
    for (size_t at = p->came[p->count]; cuts && at > 0; at = p->came[at]) {
        PyObject *cut = PyLong_FromSize_t(at);
        if (cut)
            PyList_SET_ITEM(cuts, (Py_ssize_t)--steps, cut);
        else
            Py_CLEAR(cuts);
    }
    return cuts;
}

/* --- from Python ------------------------------------------------------------------------------------------------- */

static bool is_number_of_tokens(int64_t number)
{
    return number >= -MOST_TOKENS && number <= MOST_TOKENS;
}

/* At least `count` numbers of a sequence. */
static bool read_tokens(PyObject *given, int64_t *numbers, size_t count)
{
    PyObject *list = PySequence_Fast(given, "expected sequences of tokens");
    bool whole = list && PySequence_Fast_GET_SIZE(list) >= (Py_ssize_t)count;
    if (list && !whole)
        PyErr_SetString(PyExc_ValueError, "expected tokens for each gap");
    for (size_t i = 0; whole && i < count; i++) {
        PyObject *item = PySequence_Fast_GET_ITEM(list, (Py_ssize_t)i);
        numbers[i] = PyLong_Check(item) ? PyLong_AsLongLong(item) : INT64_MAX; /* nothing whose own code would run */
        whole = is_number_of_tokens(numbers[i]) && !PyErr_Occurred();
        if (!whole && !PyErr_Occurred())
            PyErr_SetString(PyExc_ValueError, "expected tokens up to 2**52");
    }
    Py_XDECREF(list);
    return whole;
}

static bool read_scores(PyObject *given, double *scores, size_t count)
{
    PyObject *list = PySequence_Fast(given, "expected a sequence of scores");
    bool whole = list && PySequence_Fast_GET_SIZE(list) >= (Py_ssize_t)count;
    if (list && !whole)
        PyErr_SetString(PyExc_ValueError, "expected a score for each gap");
    for (size_t i = 0; whole && i < count; i++) {
        PyObject *item = PySequence_Fast_GET_ITEM(list, (Py_ssize_t)i);
        whole = PyFloat_Check(item) || PyLong_Check(item);
        scores[i] = whole ? PyFloat_AsDouble(item) : 0.0;
        if (!whole)
            PyErr_SetString(PyExc_TypeError, "expected scores as numbers");
        whole = whole && !(scores[i] == -1.0 && PyErr_Occurred());
    }
    Py_XDECREF(list);
    return whole;
}

/* Lists the gaps that are not forbidden. The end of all is none. */
static bool read_gaps(PyObject *forbidden, Packing *p)
{
    for (size_t gap = 0; gap <= p->count; gap++)
        p->gaps[gap] = gap;
    PyObject *iterator = PyObject_GetIter(forbidden);
    for (PyObject *item; iterator && (item = PyIter_Next(iterator)); Py_DECREF(item)) {
        Py_ssize_t gap = PyLong_Check(item) ? PyLong_AsSsize_t(item) : 0;
        if (gap > 0 && (size_t)gap < p->count)
            p->gaps[gap] = 0;
    }
    Py_XDECREF(iterator);
    if (PyErr_Occurred())
        return false;
    for (size_t gap = 1; gap <= p->count; gap++)
        if (p->gaps[gap])
            p->gaps[p->gap_count++] = p->gaps[gap];
    return true;
}

PyObject *pack(PyObject *Py_UNUSED(module), PyObject *args)
{
    PyObject *sums, *lead, *tail, *score, *forbidden, *cuts = NULL;
    long long target, limit;
    double balance;
    if (!PyArg_ParseTuple(args, "OOOOOLLd:pack", &sums, &lead, &tail, &score, &forbidden, &target, &limit, &balance))
        return NULL;
    Py_ssize_t places = PySequence_Size(sums);
    if (places < 0)
        return NULL;
    if (places < 1 || !PyAnySet_CheckExact(forbidden) || !target || !is_number_of_tokens(target) ||
        !is_number_of_tokens(limit))
        return PyErr_Format(PyExc_ValueError, "expected sums, a set of gaps, and a target and a limit up to 2**52");
    Packing p = {.count = (size_t)places - 1, .target = target, .limit = limit};
    p.unit = balance / ((double)target * (double)target);
    p.sums = PyMem_Calloc((size_t)places, 3 * sizeof *p.sums + 2 * sizeof *p.best + 2 * sizeof *p.came);
    if (!p.sums)
        return PyErr_NoMemory();
    p.lead = p.sums + places;
    p.tail = p.lead + places;
    p.score = (double *)(p.tail + places);
    p.best = p.score + places;
    p.came = (size_t *)(p.best + places);
    p.gaps = p.came + places;
    for (size_t gap = 1; gap <= p.count; gap++)
        p.best[gap] = INFINITY;
    if (read_tokens(sums, p.sums, p.count + 1) && read_tokens(lead, p.lead, p.count) &&
        read_tokens(tail, p.tail, p.count + 1) && read_scores(score, p.score, p.count) && read_gaps(forbidden, &p)) {
        search(&p);
        cuts = way(&p);
    }
    PyMem_Free(p.sums);
    return cuts;
}
