/* Sections -> drafts, as seamline.cut.engine makes them: one chunk where a section is within the target, else atoms, the
   packer, and proof that every chunk keeps the limit. */

#include "job.h"

#include <string.h>

enum { ATTEMPTS = 8 };

/* --- one draft --------------------------------------------------------------------------------------------------- */

/* The close of a fence that the document itself leaves open at `end`, else an empty string. */
static PyObject *left_open(const Job *job, Py_ssize_t end)
{
    if (!job->outline.unclosed)
        return PyUnicode_New(0, 0);
    PyObject *key = PyLong_FromSsize_t(end);
    PyObject *fence = key ? PyDict_GetItemWithError(job->outline.unclosed, key) : NULL;
    Py_XDECREF(key);
    if (PyErr_Occurred())
        return NULL;
    return fence && PyUnicode_GET_LENGTH(fence) ? PyUnicode_FromFormat("\n%U", fence) : PyUnicode_New(0, 0);
}

/* Whether a heading put before `start`, with a blank line between, leaves the words after it as they are: line ends take
   no blanks into their word that follow them in the same line. */
static bool stands_apart(const Job *job, Py_ssize_t start)
{
    Py_ssize_t at = start;
    while (text_point(&job->text, at) == ' ' || text_point(&job->text, at) == '\t')
        at++;
    Py_UCS4 first = text_point(&job->text, at);
    return (at > start || first != '/') && !Py_UNICODE_ISSPACE(first);
}

static bool add_frame(Job *job, PyObject *frame)
{
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(frame); i++) {
        PyObject *context = PyTuple_GET_ITEM(frame, i);
        if (!PyTuple_Check(context) || PyTuple_GET_SIZE(context) != 4) {
            PyErr_SetString(PyExc_TypeError, "expected a Context");
            return false;
        }
        Py_ssize_t start = PyLong_AsSsize_t(PyTuple_GET_ITEM(context, 1));
        Py_ssize_t end = PyLong_AsSsize_t(PyTuple_GET_ITEM(context, 2));
        if (PyErr_Occurred() || !meter_add(&job->meter, text_bytes(&job->text, start, end)) ||
            !meter_add_string(&job->meter, PyTuple_GET_ITEM(context, 3)))
            return false;
    }
    return true;
}

/* The tokens of a chunk as it will be delivered. `frame` may be NULL. */
static Py_ssize_t rendered_tokens(Job *job, const Lead *lead, PyObject *frame, Py_ssize_t start, Py_ssize_t stop,
                                  PyObject *close)
{
    bool as_it_stands = !frame && !PyUnicode_GET_LENGTH(close);
    if (as_it_stands && (!lead->depth || (job->meter.counter && stands_apart(job, start)))) {
        Py_ssize_t body = meter_range(&job->meter, start, stop);
        return body < 0 ? -1 : lead->tokens + body;
    }
    meter_begin(&job->meter);
    if (!lead_render(job, lead) || (frame && !add_frame(job, frame)) ||
        !meter_add(&job->meter, text_bytes(&job->text, start, stop)) || !meter_add_string(&job->meter, close))
        return -1;
    return meter_count(&job->meter);
}

/* Takes over the references of the draft, whether it succeeds or not. */
static bool add_draft(Job *job, Draft draft)
{
    if (draft.context && draft.closing && draft.seam && GROW(job->drafts, job->draft_room, job->draft_count + 1)) {
        job->drafts[job->draft_count++] = draft;
        return true;
    }
    Py_XDECREF(draft.context);
    Py_XDECREF(draft.closing);
    Py_XDECREF(draft.seam);
    return false;
}

static void drop_drafts(Job *job, size_t count)
{
    while (job->draft_count > count) {
        Draft *draft = job->drafts + --job->draft_count;
        Py_DECREF(draft->context);
        Py_DECREF(draft->closing);
        Py_DECREF(draft->seam);
    }
}

static PyObject *context_of(const Lead *lead)
{
    return lead->context ? Py_NewRef(lead->context) : PyTuple_New(0);
}

static PyObject *section_seam(const Job *job, size_t section)
{
    int level = job->outline.sections[section].level;
    return SEAMS[section == 0 ? SEAM_START : level ? SEAM_H1 + level - 1 : SEAM_PARAGRAPH];
}

/* --- chunks of atoms --------------------------------------------------------------------------------------------- */

/* Whether counts on both sides of an atom's start add up exactly: it starts a line, and not with a slash. */
static bool adds_up(const Job *job, const Atom *atom)
{
    Py_UCS4 first = text_point(&job->text, atom->start);
    return !atom->start ||
           (text_point(&job->text, atom->start - 1) == '\n' && first != '/' && first != '\r' && first != '\n');
}

static bool all_add_up(const Job *job, size_t i, size_t j)
{
    for (; i < j; i++)
        if (job->atoms[i].joined || !adds_up(job, job->atoms + i))
            return false;
    return true;
}

/* The tokens of a chunk by those of its atoms, of which only the last is counted again: without what is trimmed. */
static Py_ssize_t summed_tokens(Job *job, const Lead *lead, size_t i, size_t j, Py_ssize_t stop, PyObject *close)
{
    Py_ssize_t total = lead->tokens;
    for (; i + 1 < j; i++)
        total += job->atoms[i].tokens;
    static const Lead NONE;
    Py_ssize_t last = rendered_tokens(job, &NONE, NULL, job->atoms[j - 1].start, stop, close);
    return last < 0 ? -1 : total + last;
}

/* What Python says of a frame; NULL with an exception set. */
static PyObject *framed(Job *job, const char *question, PyObject *frame, Py_ssize_t at)
{
    return PyObject_CallMethod(job->rest, question, "On", frame, at);
}

static PyObject *closing_of(Job *job, const Atom *foot, Py_ssize_t stop)
{
    PyObject *own = left_open(job, stop);
    if (!own || !foot->frame)
        return own;
    PyObject *close = framed(job, "closing", foot->frame, foot->end);
    PyObject *both = close ? PyUnicode_Concat(own, close) : NULL;
    Py_DECREF(own);
    Py_XDECREF(close);
    return both;
}

/* What a chunk borrows of the frames around its first atom; NULL where that is nothing. */
static bool opening_of(Job *job, const Atom *head, Py_ssize_t start, PyObject **opening)
{
    *opening = NULL;
    if (!head->frame)
        return true;
    PyObject *found = framed(job, "opening", head->frame, start);
    if (found && PyTuple_Check(found) && PyTuple_GET_SIZE(found) > 0) {
        *opening = found;
        return true;
    }
    bool done = found && PyTuple_Check(found);
    if (found && !done)
        PyErr_SetString(PyExc_TypeError, "expected a tuple of Context");
    Py_XDECREF(found);
    return done;
}

static PyObject *both_contexts(const Lead *lead, PyObject *frame)
{
    PyObject *headings = context_of(lead);
    if (!headings || !frame)
        return headings;
    PyObject *both = PySequence_Concat(headings, frame);
    Py_DECREF(headings);
    return both;
}

/* The chunk of the atoms [i, j), counted as it will be delivered; none where they hold only white space. */
static bool draft_atoms(Job *job, size_t i, size_t j, Py_ssize_t end, size_t section)
{
    const Atom *head = job->atoms + i, *foot = job->atoms + j - 1;
    Py_ssize_t start = head->start;
    Py_ssize_t stop = text_trimmed(&job->text, start, foot->end < end ? foot->end : end);
    if (PyUnicode_CompareWithASCIIString(head->seam, "word") == 0)
        while (start < stop && Py_UNICODE_ISSPACE(text_point(&job->text, start)))
            start++;
    if (start >= stop)
        return true;
    const Lead *lead = lead_at(job, section, start);
    PyObject *close = lead ? closing_of(job, foot, stop) : NULL;
    PyObject *frame = NULL;
    if (!close || !opening_of(job, head, start, &frame)) {
        Py_XDECREF(close);
        return false;
    }
    bool sums = job->additive && !job->meter.counter && !frame && start == head->start && stop > foot->start;
    Draft draft = {.start = start, .end = stop, .closing = close, .section = section};
    draft.tokens = sums && all_add_up(job, i, j) ? summed_tokens(job, lead, i, j, stop, close)
                                                 : rendered_tokens(job, lead, frame, start, stop, close);
    draft.context = draft.tokens < 0 ? NULL : both_contexts(lead, frame);
    bool opens = start == job->outline.tops[job->outline.sections[section].first].start;
    draft.seam = Py_NewRef(opens ? section_seam(job, section) : head->seam);
    Py_XDECREF(frame);
    return add_draft(job, draft);
}

/* --- packing ----------------------------------------------------------------------------------------------------- */

static bool load_open(Job *job, Load *load, size_t count)
{
    size_t each = 3 * sizeof(Py_ssize_t) + sizeof(double) + sizeof(bool);
    if (!GROW(job->packing, job->packing_room, (count + 1) * each))
        return false;
    load->count = count;
    load->sums = (Py_ssize_t *)job->packing;
    load->lead = load->sums + count + 1;
    load->tail = load->lead + count + 1;
    load->score = (double *)(load->tail + count + 1);
    load->forbidden = (bool *)(load->score + count + 1);
    return true;
}

static Py_ssize_t framed_tokens(Job *job, const char *question, PyObject *frame, Py_ssize_t at)
{
    if (!frame)
        return 0;
    PyObject *answer = framed(job, question, frame, at);
    Py_ssize_t tokens = answer ? PyLong_AsSsize_t(answer) : -1;
    Py_XDECREF(answer);
    return tokens;
}

/* Tokens of the largest chunk that may not be cut, if all but the first borrowed what the last does. */
static Py_ssize_t largest_chain(const Atom *part, size_t count, Py_ssize_t first, Py_ssize_t last)
{
    Py_ssize_t largest = 0, chain = 0;
    for (size_t i = 0; i < count; i++) {
        chain = part[i].tokens + (part[i].glued ? chain : i ? last : first);
        largest = chain > largest ? chain : largest;
    }
    return largest;
}

/* Whether each atom is asked what a chunk costs that starts with it. It depends only on whether it is the first, but
   for frames, and for headings among several: those borrow less. */
static int asks_each(Job *job, const Atom *part, size_t count, size_t section, Py_ssize_t limit)
{
    for (size_t i = 0; i < count; i++)
        if (part[i].frame)
            return 1;
    const Lead *lead = lead_at(job, section, part[0].start);
    Py_ssize_t first = lead ? lead->tokens : 0;
    lead = lead ? lead_at(job, section, part[count - 1].start) : NULL;
    return lead ? largest_chain(part, count, first, lead->tokens) > limit : -1;
}

/* What a chunk costs beyond its atoms. */
static bool load_costs(Job *job, Load *load, const Atom *part, size_t section, Py_ssize_t limit)
{
    int each = asks_each(job, part, load->count, section, limit);
    if (each < 0)
        return false;
    load->tail[0] = 0;
    for (size_t i = 0; i < load->count; i++) {
        bool asked = each || i == 0 || i + 1 == load->count;
        const Lead *lead = asked ? lead_at(job, section, part[i].start) : NULL;
        Py_ssize_t opening = framed_tokens(job, "opening_tokens", part[i].frame, part[i].start);
        Py_ssize_t closing = framed_tokens(job, "closing_tokens", part[i].frame, part[i].end);
        if ((asked && !lead) || opening < 0 || closing < 0)
            return false;
        load->lead[i] = (lead ? lead->tokens : 0) + opening;
        load->tail[i + 1] = closing;
    }
    for (size_t i = 1; !each && i < load->count; i++)
        load->lead[i] = load->lead[load->count - 1];
    return true;
}

static bool load_fill(Job *job, Load *load, size_t low, size_t high, size_t section, Py_ssize_t limit)
{
    const Atom *part = job->atoms + low;
    if (!load_open(job, load, high - low) || !load_costs(job, load, part, section, limit))
        return false;
    load->sums[0] = 0;
    for (size_t i = 0; i < load->count; i++) {
        load->sums[i + 1] = load->sums[i] + part[i].tokens;
        load->score[i] = part[i].score;
        load->forbidden[i] = part[i].glued;
    }
    return true;
}

/* The drafts of the atoms [low, high), between which no cut is forced. */
static bool draft_segment(Job *job, size_t low, size_t high, Py_ssize_t end, size_t section, Py_ssize_t limit)
{
    Load load;
    Py_ssize_t target = job->plan.target < limit ? job->plan.target : limit;
    job->cut_count = 0;
    if (!load_fill(job, &load, low, high, section, limit))
        return false;
    Py_ssize_t all = load.sums[load.count] + load.lead[0] + load.tail[load.count];
    if (all > target && !pack_optimal(job, &load, target, limit))
        return false;
    for (size_t i = low, next = 0; i < high; next++) {
        size_t j = next < job->cut_count ? low + job->cuts[next] : high;
        if (!draft_atoms(job, i, j, end, section))
            return false;
        i = j;
    }
    return true;
}

/* All segments between forced cuts: those of the signal, and around atoms standing alone. A heading above such an atom
   stays with it. */
static bool draft_attempt(Job *job, Py_ssize_t end, size_t section, Py_ssize_t limit)
{
    if (!make_atoms(job, section, end, limit))
        return false;
    size_t low = 0;
    for (size_t i = 0; i < job->atom_count; i++) {
        const Atom *atom = job->atoms + i;
        if (!atom->alone) {
            if (i > low && !atom->glued && signal_forces_at(&job->signal, atom->start)) {
                if (!draft_segment(job, low, i, end, section, limit))
                    return false;
                low = i;
            }
            continue;
        }
        size_t top = i;
        while (job->atoms[top].glued && top > low)
            top--;
        if ((top > low && !draft_segment(job, low, top, end, section, limit)) ||
            !draft_segment(job, top, i + 1, end, section, limit))
            return false;
        low = i + 1;
    }
    return low >= job->atom_count || draft_segment(job, low, job->atom_count, end, section, limit);
}

static Py_ssize_t most_tokens(const Job *job, size_t from)
{
    Py_ssize_t most = 0;
    for (size_t i = from; i < job->draft_count; i++)
        most = job->drafts[i].tokens > most ? job->drafts[i].tokens : most;
    return most;
}

static bool told(Job *job, const char *what, Py_ssize_t value)
{
    PyObject *answer = PyObject_CallMethod(job->rest, what, "n", value);
    Py_XDECREF(answer);
    return answer != NULL;
}

/* Several chunks; tightened until the real count of each is within the limit. */
static bool draft_packed(Job *job, Py_ssize_t end, size_t section)
{
    size_t before = job->draft_count;
    Py_ssize_t slack = 0, over = 0, limit = job->plan.limit;
    for (int i = 0; i < ATTEMPTS; i++) {
        drop_drafts(job, before);
        if (PyList_SetSlice(job->kept, 0, PyList_GET_SIZE(job->kept), NULL) < 0)
            return false;
        if (!draft_attempt(job, end, section, limit - slack))
            return false;
        over = most_tokens(job, before) - limit;
        if (over <= 0)
            return true;
        if (slack > limit / 2 && !told(job, "cut_clusters", 0))
            return false;
        slack = 2 * slack + 1 > slack + over ? 2 * slack + 1 : slack + over;
        slack = slack < limit * 3 / 4 ? slack : limit * 3 / 4;
    }
    return told(job, "give_up", over);
}

/* --- sections ---------------------------------------------------------------------------------------------------- */

static bool draft_section(Job *job, size_t index)
{
    Section section = job->outline.sections[index];
    Py_ssize_t start = job->outline.tops[section.first].start, end = job->outline.tops[section.last - 1].end;
    if (end - start > 5 * job->plan.target || signal_forces(&job->signal, start, end)) /* above this it will hardly fit, and is counted block by block */
        return draft_packed(job, end, index);
    const Lead *lead = lead_at(job, index, start);
    PyObject *close = lead ? left_open(job, end) : NULL;
    Py_ssize_t tokens = close ? rendered_tokens(job, lead, NULL, start, end, close) : -1;
    if (tokens < 0 || tokens > job->plan.target) {
        Py_XDECREF(close);
        return tokens >= 0 && draft_packed(job, end, index);
    }
    return add_draft(job, (Draft){.start = start,
                                  .end = end,
                                  .tokens = tokens,
                                  .context = context_of(lead),
                                  .closing = close,
                                  .seam = Py_NewRef(section_seam(job, index)),
                                  .section = index});
}

bool make_drafts(Job *job)
{
    for (size_t i = 0; i < job->outline.section_count; i++)
        if (!draft_section(job, i))
            return false;
    return true;
}
