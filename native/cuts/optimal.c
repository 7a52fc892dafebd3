/* The best cuts of all, as seamline.cut.pack.optimal finds them: the same sums in the same order, so the same cuts. */

#include "job.h"

#include <math.h>
#include <string.h>

/* The search: least costs, where each came from, and the allowed gaps with what cutting at each means. */
typedef struct {
    double *best; /* least cost of cutting everything before gap i, with a cut at i; count + 1 */
    size_t *came; /* count + 1 */
    size_t *gaps; /* the allowed gaps, ascending */
    size_t gap_count;
} Search;

static Py_ssize_t size_of(const Load *load, size_t i, size_t j)
{
    return load->sums[j] - load->sums[i] + load->lead[i] + load->tail[j];
}

/* Nothing allowed fits: the last gap within the limit, forbidden or not. */
static size_t last_resort(const Load *load, Py_ssize_t limit, size_t start)
{
    size_t gap = start + 1;
    while (gap < load->count && size_of(load, start, gap + 1) <= limit)
        gap++;
    return gap;
}

/* The furthest gap that a chunk from `start` reaches more cheaply than was known, or `reached`. */
static size_t reach_from(const Load *load, Search *search, size_t start, size_t first, size_t reached,
                         Py_ssize_t target, Py_ssize_t limit, double unit)
{
    double here = search->best[start];
    Py_ssize_t base = load->sums[start] - load->lead[start];
    for (size_t i = first; i < search->gap_count; i++) {
        size_t gap = search->gaps[i];
        if (load->sums[gap] > base + limit)
            break;
        Py_ssize_t end = load->sums[gap] + load->tail[gap];
        if (end > base + limit)
            continue; /* what its chunk would leave open costs more to close than there is room */
        Py_ssize_t off = end - (base + target);
        double distance = (double)(off * off) * unit; /* on its own: fused with the sum it would round differently */
        double cost = here + distance;
        cost += gap < load->count ? 1.0 - load->score[gap] : 0.0;
        if (cost < search->best[gap]) {
            search->best[gap] = cost;
            search->came[gap] = start;
            reached = gap > reached ? gap : reached;
        }
    }
    return reached;
}

static void search_all(const Load *load, Search *search, Py_ssize_t target, Py_ssize_t limit, double balance)
{
    double unit = balance / (double)(target * target);
    size_t reached = 0, first = 0;
    for (size_t start = 0; start < load->count; start++) {
        while (search->gaps[first] <= start)
            first++;
        if (search->best[start] == INFINITY)
            continue;
        reached = reach_from(load, search, start, first, reached, target, limit, unit);
        if (reached <= start) { /* the rules allow no way on */
            reached = last_resort(load, limit, start);
            search->came[reached] = start;
            search->best[reached] = search->best[start] + 1.0;
        }
    }
}

/* The cuts on the way to the end, first to last. */
static bool keep_way(Job *job, const Search *search, size_t count)
{
    size_t steps = 0;
    for (size_t at = search->came[count]; at > 0; at = search->came[at])
        steps++;
    if (!GROW(job->cuts, job->cut_room, steps))
        return false;
    job->cut_count = steps;
    for (size_t at = search->came[count]; at > 0; at = search->came[at])
        job->cuts[--steps] = at;
    return true;
}

bool pack_optimal(Job *job, const Load *load, Py_ssize_t target, Py_ssize_t limit)
{
    size_t places = load->count + 1;
    Search search = {.gap_count = 0};
    search.best = PyMem_Malloc(places * (sizeof *search.best + sizeof *search.came + sizeof *search.gaps));
    if (!search.best)
        return PyErr_NoMemory(), false;
    search.came = (size_t *)(search.best + places);
    search.gaps = search.came + places;
    memset(search.came, 0, places * sizeof *search.came);
    search.best[0] = 0.0;
    for (size_t gap = 1; gap < places; gap++) {
        search.best[gap] = INFINITY;
        if (gap == load->count || !load->forbidden[gap])
            search.gaps[search.gap_count++] = gap;
    }
    search_all(load, &search, target, limit, job->plan.balance);
    bool done = keep_way(job, &search, load->count);
    PyMem_Free(search.best);
    return done;
}
