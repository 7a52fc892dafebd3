/* A section -> atoms, as seamline.cut.atomize makes them: blocks whole where they fit, in parts where they do not,
   headings glued to what follows. Splitting a block that holds others is left to Python. */

#include "job.h"

enum { LONGEST_TOKEN = 64, CROWD = 5000 };

PyObject *SEAMS[SEAM_COUNT];

bool seams_prepare(void)
{
    static const char *const NAMES[SEAM_COUNT] = {"start",     "h1",      "h2",   "h3",   "h4",  "h5",
                                                  "h6",        "paragraph", "lead-in", "rule", "line", "code", "scope", "blank", "sentence"};
    for (int i = 0; i < SEAM_COUNT; i++)
        if (!SEAMS[i] && !(SEAMS[i] = PyUnicode_InternFromString(NAMES[i])))
            return false;
    return true;
}

static Py_ssize_t larger(Py_ssize_t left, Py_ssize_t right)
{
    return left > right ? left : right;
}

/* --- one atom ---------------------------------------------------------------------------------------------------- */

static bool score_of(const Job *job, Py_ssize_t start, PyObject *seam, double *score)
{
    PyObject *value = PyDict_GetItemWithError(job->plan.scores, seam);
    if (!value) {
        if (!PyErr_Occurred())
            PyErr_SetObject(PyExc_KeyError, seam);
        return false;
    }
    double structure = PyFloat_AsDouble(value);
    *score = signal_score(&job->signal, start, structure);
    return structure != -1.0 || !PyErr_Occurred();
}

bool add_atom(Job *job, Atom atom)
{
    if (!score_of(job, atom.start, atom.seam, &atom.score) || !GROW(job->atoms, job->atom_room, job->atom_count + 1))
        return false;
    job->atoms[job->atom_count++] = atom;
    return true;
}

bool set_seam(Job *job, size_t index, PyObject *seam)
{
    Atom *atom = job->atoms + index;
    atom->seam = seam;
    return score_of(job, atom->start, seam, &atom->score);
}

enum { PIECE = 5, ATOM = 8 };

/* An atom or a piece: start, end, tokens, seam; of an atom also frame, glued, alone; whether its tokens are exact. */
static bool add_tuple(Job *job, PyObject *tuple)
{
    Py_ssize_t size = PyTuple_Check(tuple) ? PyTuple_GET_SIZE(tuple) : 0;
    if (size != PIECE && size != ATOM) {
        PyErr_SetString(PyExc_TypeError, "expected an Atom or a Piece");
        return false;
    }
    Atom atom = {
        .start = PyLong_AsSsize_t(PyTuple_GET_ITEM(tuple, 0)),
        .end = PyLong_AsSsize_t(PyTuple_GET_ITEM(tuple, 1)),
        .tokens = PyLong_AsSsize_t(PyTuple_GET_ITEM(tuple, 2)),
        .seam = PyTuple_GET_ITEM(tuple, 3),
        .joined = PyTuple_GET_ITEM(tuple, size - 1) == Py_False,
    };
    if (PyErr_Occurred())
        return false;
    if (size == ATOM) {
        atom.frame = PyTuple_GET_ITEM(tuple, 4) == Py_None ? NULL : PyTuple_GET_ITEM(tuple, 4);
        atom.glued = PyTuple_GET_ITEM(tuple, 5) == Py_True;
        atom.alone = PyTuple_GET_ITEM(tuple, 6) == Py_True;
    }
    return add_atom(job, atom);
}

bool add_atoms(Job *job, PyObject *list)
{
    bool done = PyList_CheckExact(list) && PyList_Append(job->kept, list) == 0;
    if (!done && !PyErr_Occurred())
        PyErr_SetString(PyExc_TypeError, "expected a list of atoms");
    for (Py_ssize_t i = 0; done && i < PyList_GET_SIZE(list); i++)
        done = add_tuple(job, PyList_GET_ITEM(list, i));
    return done;
}

/* --- blocks that are too large ----------------------------------------------------------------------------------- */

/* A block by the rule of its kind, in Python: lists, quotes, tables. */
static bool split_in_python(Job *job, const Top *top, Py_ssize_t until, PyObject *seam, bool glued, Py_ssize_t room)
{
    PyObject *atoms = PyObject_CallMethod(job->rest, "split", "nnnOOn", top->start, until, top->block, seam,
                                          glued ? Py_True : Py_False, room);
    bool done = atoms && add_atoms(job, atoms);
    Py_XDECREF(atoms);
    return done;
}

/* Whether each piece of a block may have to be put into a fence, a comment or a formula. */
static bool may_have_frame(const Job *job, const Top *top)
{
    static const char COMMENT[] = "<!--";
    if (top->kind == CODE || top->kind == MATH)
        return true;
    for (Py_ssize_t i = 0; COMMENT[i]; i++)
        if (text_point(&job->text, top->start + i) != (Py_UCS4)COMMENT[i])
            return false;
    return top->kind == HTML;
}

/* The frame, NULL for none, and what is left of the room in it. The job keeps the frame alive. */
static bool find_frame(Job *job, const Top *top, Py_ssize_t until, PyObject **frame, Py_ssize_t *room)
{
    *frame = NULL;
    if (!may_have_frame(job, top))
        return true;
    PyObject *found = PyObject_CallMethod(job->rest, "frame", "nnnn", top->start, until, top->block, *room);
    bool done = found && PyArg_ParseTuple(found, "On", frame, room) && PyList_Append(job->kept, found) == 0;
    if (done && *frame == Py_None)
        *frame = NULL;
    Py_XDECREF(found);
    return done;
}

/* Whether a block is split here, and not in Python: text without blocks or a parser's frame. */
static bool is_plain(const Job *job, const Top *top)
{
    if (!job->plan.own_rules || top->kind == SCOPE || top->kind == NESTED)
        return false;
    PyObject *block = PyTuple_GET_ITEM(job->outline.blocks, top->block);
    bool is_prose = top->kind == PARAGRAPH || top->kind == HEADING;
    return !is_prose || PyTuple_GET_ITEM(block, BLOCK_ATTRS) == Py_None;
}

static Ladder ladder_of(const Top *top)
{
    return top->kind == CODE ? BY_CODE : top->kind == PARAGRAPH || top->kind == HEADING ? BY_PROSE : BY_LINES;
}

static bool split(Job *job, const Top *top, Py_ssize_t until, PyObject *seam, bool glued, Py_ssize_t room)
{
    if (!is_plain(job, top))
        return split_in_python(job, top, until, seam, glued, room);
    size_t first = job->atom_count;
    PyObject *frame;
    if (!find_frame(job, top, until, &frame, &room) ||
        !climb_down(job, top->start, until, frame, room, ladder_of(top)))
        return false;
    job->atoms[first].glued = glued;
    return set_seam(job, first, seam);
}

/* --- seams and sizes --------------------------------------------------------------------------------------------- */

static bool is_code(const Top *top)
{
    return top->kind == CODE || top->kind == SCOPE;
}

/* The kind of the gap before a top-level block, as seamline.cut.scores names it. */
static Seam seam_before(const Job *job, size_t position)
{
    const Top *top = job->outline.tops + position;
    if (top->kind == HEADING)
        return (Seam)(SEAM_H1 + top->level - 1);
    if (position == 0)
        return SEAM_PARAGRAPH;
    const Top *before = top - 1;
    if (before->kind == PARAGRAPH) {
        Py_UCS4 last = text_point(&job->text, before->end - 1);
        if (last == ':' || last == 0xFF1A)
            return SEAM_LEAD_IN;
    }
    if (before->kind == RULE)
        return SEAM_RULE;
    if (top->kind == RULE)
        return SEAM_LINE; /* a rule ends what is above it */
    return is_code(top) || is_code(before) ? SEAM_CODE : SEAM_PARAGRAPH;
}

/* Tokens of a range; of one that cannot fit, only that it is too large. -1 with an exception set. */
static Py_ssize_t size_within(Job *job, Py_ssize_t start, Py_ssize_t end, Py_ssize_t room, Py_ssize_t limit)
{
    return end - start <= LONGEST_TOKEN * room ? meter_range(&job->meter, start, end) : limit + 1;
}

/* Up to how many tokens the recipe keeps a block whole, else `most`; -1 with an exception set. */
static Py_ssize_t kept_whole(const Job *job, const Top *top, Py_ssize_t most)
{
    if (PyDict_GET_SIZE(job->plan.whole) == 0)
        return most;
    PyObject *value = PyDict_GetItemWithError(job->plan.whole, top->kind_name);
    if (!value)
        return PyErr_Occurred() ? -1 : most;
    return PyLong_AsSsize_t(value);
}

/* --- atoms ------------------------------------------------------------------------------------------------------- */

/* The headings that directly precede a block, and may not be cut from it. */
typedef struct {
    Py_ssize_t tokens;
    Py_ssize_t borrowed; /* tokens of the headings that the first of them borrows itself */
    size_t top;          /* the first of them */
    Py_ssize_t chain;    /* tokens of what may not be cut apart so far */
} Glue;

static bool add_heading(Job *job, Glue *glue, size_t section, size_t position, Py_ssize_t until, Py_ssize_t limit)
{
    const Top *top = job->outline.tops + position;
    const Lead *lead = lead_at(job, section, top->start);
    if (!lead)
        return false;
    Py_ssize_t borrowed = lead->tokens;
    Py_ssize_t tokens = size_within(job, top->start, until, limit, limit);
    if (tokens < 0)
        return false;
    PyObject *seam = SEAMS[seam_before(job, position)];
    bool deeper = glue->tokens > 0 && position > 0 && top[-1].level < top->level;
    if (tokens > limit) {
        Py_ssize_t room = larger(limit - larger(glue->borrowed + glue->tokens, borrowed), limit / 8);
        glue->tokens = glue->borrowed = 0;
        return split(job, top, until, seam, deeper, room);
    }
    deeper = deeper && glue->tokens + tokens <= limit;
    if (!add_atom(job, (Atom){.start = top->start, .end = until, .tokens = tokens, .seam = seam, .glued = deeper}))
        return false;
    if (!deeper) {
        glue->tokens = 0;
        glue->borrowed = borrowed;
        glue->top = position;
    }
    glue->tokens += tokens;
    if (glue->borrowed && glue->borrowed + glue->tokens > limit - limit / 4) {
        lead_make_bare(job, glue->top); /* rather no borrowed heading than one cut from what is under it */
        glue->borrowed = 0;
    }
    if (glue->tokens > limit - limit / 8)
        glue->tokens = glue->borrowed = 0;
    return true;
}

/* Whether a block stays with the one before it: that introduces it, or a signal says so. `tokens` are those of all that
   would then stay together. */
static bool is_held(const Job *job, Py_ssize_t start, Seam seam, Py_ssize_t tokens, Py_ssize_t room, Py_ssize_t limit)
{
    if (signal_keeps_at(&job->signal, start))
        return tokens <= room;
    return seam == SEAM_LEAD_IN && tokens <= limit / 2 && !signal_forces_at(&job->signal, start);
}

static bool add_block(Job *job, Glue *glue, size_t section, size_t position, Py_ssize_t until, Py_ssize_t limit)
{
    const Top *top = job->outline.tops + position;
    const Lead *lead = lead_at(job, section, top->end);
    if (!lead)
        return false;
    Py_ssize_t room = larger(limit - larger(glue->borrowed + glue->tokens, lead->tokens), limit / 8);
    Py_ssize_t tokens = size_within(job, top->start, until, room, limit);
    Py_ssize_t whole = tokens < 0 ? -1 : kept_whole(job, top, tokens);
    if (whole < 0)
        return false;
    Seam seam = seam_before(job, position);
    bool under = glue->tokens > 0, fits = tokens <= room && tokens <= whole;
    fits = fits && !signal_opens(&job->signal, top->start, top->end);
    bool held = fits && job->atom_count && is_held(job, top->start, seam, glue->chain + tokens, room, limit);
    glue->chain = fits ? tokens + (held ? glue->chain : glue->tokens) : limit;
    glue->tokens = glue->borrowed = 0;
    if (!fits)
        return split(job, top, until, SEAMS[seam], under, room);
    return add_atom(job, (Atom){.start = top->start,
                                .end = until,
                                .tokens = tokens,
                                .seam = SEAMS[seam],
                                .glued = under || held});
}

/* Tiny neighbours joined, so that the search stays linear on half a million one-word paragraphs. */
static void thin(Job *job, Py_ssize_t limit)
{
    for (size_t i = 0; i < job->atom_count; i++)
        if (job->atoms[i].frame || job->atoms[i].glued || job->atoms[i].alone)
            return;
    coalesce(job, 0, limit / 48, limit / 2);
}

bool make_atoms(Job *job, size_t index, Py_ssize_t end, Py_ssize_t limit)
{
    Section section = job->outline.sections[index];
    Glue glue = {0};
    job->atom_count = 0;
    for (size_t position = section.first; position < section.last; position++) {
        const Top *top = job->outline.tops + position;
        Py_ssize_t until = position + 1 < section.last ? top[1].start : end;
        bool done = top->kind == HEADING ? add_heading(job, &glue, index, position, until, limit)
                                         : add_block(job, &glue, index, position, until, limit);
        if (!done)
            return false;
    }
    if (job->atom_count > CROWD && !signal_forces(&job->signal, job->atoms[0].start, end))
        thin(job, limit);
    return true;
}
