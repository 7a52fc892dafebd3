/* Splitting text by blank lines, sentences and lines, as seamline.cut.ladder does. Each rung is tried in turn; a piece that fits
   stays whole, one that does not goes down to the next rung, and below the last to Python, word by word. */

#include "job.h"
#include "sentences.h"

enum { LONGEST_TOKEN = 64, SMALL = 24, THIN = 12 };

static bool is_blank(Py_UCS4 point)
{
    return point == ' ' || point == '\t' || point == '>';
}

static bool is_break(Py_UCS4 point)
{
    return point == '\r' || point == '\n';
}

/* Past the line end at `at`: CR LF, CR or LF. */
static Py_ssize_t skip_break(const Text *text, Py_ssize_t at, Py_ssize_t end)
{
    return at + (text_point(text, at) == '\r' && at + 1 < end && text_point(text, at + 1) == '\n' ? 2 : 1);
}

static Py_ssize_t skip_blanks(const Text *text, Py_ssize_t at, Py_ssize_t end)
{
    while (at < end && is_blank(text_point(text, at)))
        at++;
    return at;
}

static Py_ssize_t find_break(const Text *text, Py_ssize_t at, Py_ssize_t end)
{
    while (at < end && !is_break(text_point(text, at)))
        at++;
    return at;
}

/* How far a line is indented. */
static Py_ssize_t indent(const Text *text, Py_ssize_t at)
{
    Py_ssize_t start = at;
    while (text_point(text, at) == ' ' || text_point(text, at) == '\t')
        at++;
    return at - start;
}

/* --- rungs ------------------------------------------------------------------------------------------------------- */

/* Where a rung would cut, thinned to cuts that do not follow another too closely. */
typedef struct {
    Py_ssize_t *at;
    size_t count;
    size_t room;
    Py_ssize_t least; /* code points between cuts; 0 keeps all */
} Cuts;

static bool add_cut(Cuts *cuts, Py_ssize_t at)
{
    if (cuts->count && at - cuts->at[cuts->count - 1] < cuts->least)
        return true;
    if (!GROW(cuts->at, cuts->room, cuts->count + 1))
        return false;
    cuts->at[cuts->count++] = at;
    return true;
}

/* The start of the next line that is not blank and comes after a blank one; `end` where there is none. `at` moves on. */
static Py_ssize_t after_blank_line(const Text *text, Py_ssize_t *at, Py_ssize_t end)
{
    while ((*at = find_break(text, *at, end)) < end) {
        Py_ssize_t next = skip_blanks(text, skip_break(text, *at, end), end);
        *at = next;
        if (next >= end || !is_break(text_point(text, next)))
            continue;
        Py_ssize_t line = next;
        for (; next < end && (is_blank(text_point(text, next)) || is_break(text_point(text, next))); next++)
            if (is_break(text_point(text, next)))
                line = next + 1;
        *at = next;
        return line;
    }
    return end;
}

static bool cut_blank_lines(const Text *text, Py_ssize_t start, Py_ssize_t end, Py_ssize_t deepest, Cuts *cuts)
{
    for (Py_ssize_t at = start; at < end;) {
        Py_ssize_t line = after_blank_line(text, &at, end);
        if (line < end && indent(text, line) <= deepest && !add_cut(cuts, line))
            return false;
    }
    return true;
}

/* At every line that is not blank. */
static bool cut_lines(const Text *text, Py_ssize_t start, Py_ssize_t end, Cuts *cuts)
{
    for (Py_ssize_t at = start; (at = find_break(text, at, end)) < end;) {
        at = skip_break(text, at, end);
        Py_ssize_t first = skip_blanks(text, at, end);
        if (first < end && !is_break(text_point(text, first)) && !add_cut(cuts, at))
            return false;
    }
    return true;
}

/* At every sentence; markers and white space at the ends of the range have no say. */
static bool cut_sentences(const Text *text, Py_ssize_t start, Py_ssize_t end, Cuts *cuts)
{
    Starts found = {.count = 0};
    Py_ssize_t first = skip_blanks(text, start, end);
    bool done = sentences_prepare() && find_sentences(text, first, text_trimmed(text, first, end), &found);
    for (size_t i = 0; done && i < found.count; i++)
        done = add_cut(cuts, found.starts[i].at);
    PyMem_Free(found.starts);
    return done;
}

static bool find_cuts(const Text *text, Rung rung, Py_ssize_t start, Py_ssize_t end, Py_ssize_t room, Cuts *cuts)
{
    bool joined = rung == BLANK_LINES || rung == LINES || rung == SENTENCES; /* such pieces would be joined again anyway */
    cuts->least = joined ? room / THIN : 0;
    if (rung == LINES)
        return cut_lines(text, start, end, cuts);
    if (rung == SENTENCES)
        return cut_sentences(text, start, end, cuts);
    return cut_blank_lines(text, start, end, rung == SCOPES ? indent(text, start) : PY_SSIZE_T_MAX, cuts);
}

static PyObject *seam_of(Rung rung)
{
    static const Seam OF[] = {SEAM_PARAGRAPH, SEAM_LINE, SEAM_SCOPE, SEAM_BLANK, SEAM_SENTENCE};
    return SEAMS[OF[rung]];
}

/* --- the way down ------------------------------------------------------------------------------------------------ */

/* A range still to be cut, the seam before it, and what every piece is in and may hold. */
typedef struct {
    Py_ssize_t start;
    Py_ssize_t end;
    PyObject *seam;
    PyObject *frame;
    Py_ssize_t room;
} Stretch;

static bool add_piece(Job *job, const Stretch *piece, Py_ssize_t tokens)
{
    return add_atom(job, (Atom){.start = piece->start,
                                .end = piece->end,
                                .tokens = tokens,
                                .seam = piece->seam,
                                .frame = piece->frame});
}

/* Tokens of a piece among its neighbours: a word counts with the space before it, not the one after. */
static Py_ssize_t measure(Job *job, Py_ssize_t start, Py_ssize_t end)
{
    if (start && text_point(&job->text, start - 1) == ' ') {
        start--;
        if (text_point(&job->text, end - 1) == ' ')
            end--;
    }
    return meter_range(&job->meter, start, end);
}

static bool add_words(Job *job, const Stretch *stretch)
{
    size_t before = job->atom_count;
    PyObject *pieces = PyObject_CallMethod(job->rest, "words", "nnnO", stretch->start, stretch->end, stretch->room,
                                           stretch->seam);
    bool done = pieces && add_atoms(job, pieces);
    Py_XDECREF(pieces);
    for (size_t i = before; i < job->atom_count; i++)
        job->atoms[i].frame = stretch->frame;
    return done;
}

/* Pieces of a range that is too large. Goes one rung deeper with every call: `rungs` is no longer than a ladder. */
static bool open_stretch(Job *job, Stretch stretch, const Rung *rungs, size_t rung_count)
{
    Cuts cuts = {.count = 0};
    size_t rung = 0;
    for (; rung < rung_count && !cuts.count; rung++) {
        if (!find_cuts(&job->text, rungs[rung], stretch.start, stretch.end, stretch.room, &cuts)) {
            PyMem_Free(cuts.at);
            return false;
        }
    }
    if (!cuts.count) {
        PyMem_Free(cuts.at);
        return add_words(job, &stretch);
    }
    Stretch piece = stretch;
    bool done = true;
    for (size_t i = 0; done && i <= cuts.count; i++) {
        piece.end = i < cuts.count ? cuts.at[i] : stretch.end;
        bool near = piece.end - piece.start <= LONGEST_TOKEN * stretch.room;
        Py_ssize_t tokens = near ? measure(job, piece.start, piece.end) : 0;
        if (tokens < 0)
            done = false;
        else if (near && tokens <= stretch.room)
            done = add_piece(job, &piece, tokens);
        else
            done = open_stretch(job, piece, rungs + rung, rung_count - rung);
        piece.start = piece.end;
        piece.seam = seam_of(rungs[rung - 1]);
    }
    PyMem_Free(cuts.at);
    return done;
}

static bool is_joined(PyObject *seam)
{
    static const char *const JOINED[] = {"line", "word", "sentence", "row", "item", "paragraph"};
    for (size_t i = 0; i < sizeof JOINED / sizeof *JOINED; i++)
        if (PyUnicode_CompareWithASCIIString(seam, JOINED[i]) == 0)
            return true;
    return false;
}

void coalesce(Job *job, size_t from, Py_ssize_t small, Py_ssize_t room)
{
    size_t kept = from;
    for (size_t i = from; i < job->atom_count; i++) {
        Atom atom = job->atoms[i], *last = kept > from ? job->atoms + kept - 1 : NULL;
        if (last && last->tokens < small && last->tokens + atom.tokens <= room && is_joined(atom.seam)) {
            last->end = atom.end;
            last->tokens += atom.tokens;
            last->joined = true;
        } else {
            job->atoms[kept++] = atom;
        }
    }
    job->atom_count = kept;
}

bool climb_down(Job *job, Py_ssize_t start, Py_ssize_t end, PyObject *frame, Py_ssize_t room, Ladder ladder)
{
    static const Rung RUNGS[][3] = {{BLANK_LINES, LINES}, {SCOPES, BLANK_CODE, LINES}, {BLANK_LINES, SENTENCES, LINES}};
    for (Py_ssize_t stop; start < end; start = stop) {
        size_t first = job->atom_count;
        stop = signal_next_forced(&job->signal, start, end);
        Stretch part = {start, stop, SEAMS[SEAM_PARAGRAPH], frame, room};
        if (!open_stretch(job, part, RUNGS[ladder], ladder == BY_LINES ? 2 : 3))
            return false;
        if (!set_seam(job, first, SEAMS[ladder == BY_PROSE ? SEAM_SENTENCE : SEAM_LINE]))
            return false;
        coalesce(job, first, room / SMALL, room);
    }
    return true;
}
