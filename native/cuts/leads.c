/* Headings a chunk borrows, as seamline.cut.leads finds them: those above its start that its body does not hold. */

#include "job.h"

static const Bytes BLANK_LINE = {(const uint8_t *)"\n\n", 2};

/* The top-level block that starts at an offset of a section; its end where none does. */
static size_t top_at(const Job *job, const Section *section, Py_ssize_t start)
{
    size_t low = section->first, high = section->last;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (job->outline.tops[middle].start < start)
            low = middle + 1;
        else
            high = middle;
    }
    return low < section->last && job->outline.tops[low].start == start ? low : section->last;
}

static bool is_bare(const Job *job, const Section *section, Py_ssize_t start)
{
    if (!job->any_bare)
        return false;
    size_t top = top_at(job, section, start);
    return top < section->last && job->bare[top];
}

void lead_make_bare(Job *job, size_t top)
{
    job->bare[top] = job->any_bare = true;
}

/* --- rendering --------------------------------------------------------------------------------------------------- */

bool lead_render(Job *job, const Lead *lead)
{
    for (size_t i = 0; i < lead->depth; i++) {
        const Top *heading = job->outline.tops + job->outline.paths[lead->path + i];
        if (!meter_add(&job->meter, text_bytes(&job->text, heading->start, heading->end)) ||
            !meter_add(&job->meter, BLANK_LINE))
            return false;
    }
    return true;
}

static bool make_context(Job *job, Lead *lead)
{
    PyObject *context = PyTuple_New((Py_ssize_t)lead->depth);
    for (size_t i = 0; context && i < lead->depth; i++) {
        const Top *heading = job->outline.tops + job->outline.paths[lead->path + i];
        PyObject *borrowed = make_heading_context(heading->start, heading->end);
        if (!borrowed)
            Py_CLEAR(context);
        else
            PyTuple_SET_ITEM(context, (Py_ssize_t)i, borrowed);
    }
    lead->context = context;
    return context != NULL;
}

/* Headings as context; the outermost give way where all would take too much. */
static bool make_lead(Job *job, Lead *lead, size_t path, size_t depth)
{
    *lead = (Lead){.path = path, .depth = depth};
    for (; lead->depth; lead->path++, lead->depth--) {
        meter_begin(&job->meter);
        if (!lead_render(job, lead) || (lead->tokens = meter_count(&job->meter)) < 0)
            return false;
        if (lead->tokens <= job->plan.most)
            break;
    }
    if (!lead->depth)
        lead->tokens = 0;
    return make_context(job, lead);
}

/* --- which headings ---------------------------------------------------------------------------------------------- */

/* How many headings of its path are above an offset of a section. */
static size_t depth_at(const Job *job, const Section *section, Py_ssize_t start)
{
    size_t depth = section->depth;
    while (depth > section->above &&
           job->outline.tops[job->outline.paths[section->path + depth - 1]].start >= start)
        depth--;
    return depth;
}

const Lead *lead_at(Job *job, size_t index, Py_ssize_t start)
{
    static const Lead NONE;
    const Section *section = job->outline.sections + index;
    if (!section->depth || !job->plan.most || is_bare(job, section, start))
        return &NONE;
    size_t depth = depth_at(job, section, start);
    if (!depth)
        return &NONE;
    /* What is above a heading never changes while it is in force: its lead is made once, and kept with it. */
    Lead *lead = job->leads + job->outline.paths[section->path + depth - 1];
    if (!lead->context && !make_lead(job, lead, section->path, depth))
        return NULL;
    return lead;
}
