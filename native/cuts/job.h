/* The cut of one document: what its parts share. */

#ifndef SEAMLINE_CUTS_JOB_H
#define SEAMLINE_CUTS_JOB_H

#include "meter.h"
#include "outline.h"
#include "signal.h"

/* What a recipe asks for. */
typedef struct {
    Py_ssize_t target;
    Py_ssize_t limit;
    Py_ssize_t most; /* tokens that borrowed headings may take; 0 where none are wanted */
    double balance;
    PyObject *scores; /* from a seam to how good a cut there is, 0 to 1 */
    PyObject *whole;  /* from a block kind to the tokens up to which it is kept whole */
    bool own_rules;   /* whether every block kind is split by its own rule */
} Plan;

/* Headings that a chunk borrows: some of a section's path. */
typedef struct {
    PyObject *context; /* a tuple of Context; NULL until it is made */
    size_t path;
    size_t depth;
    Py_ssize_t tokens;
} Lead;

/* As seamline.cut.atoms.Atom. Its seam and frame are borrowed: from SEAMS, or from what the job keeps. */
typedef struct {
    Py_ssize_t start;
    Py_ssize_t end;
    Py_ssize_t tokens;
    PyObject *seam;
    PyObject *frame; /* NULL for none */
    double score;
    bool glued;
    bool alone;
    bool joined; /* its tokens are the sum of counts of its parts */
} Atom;

/* As seamline.cut.draft.Draft; owns its objects. */
typedef struct {
    Py_ssize_t start;
    Py_ssize_t end;
    Py_ssize_t tokens;
    PyObject *context;
    PyObject *closing;
    PyObject *seam;
    size_t section;
} Draft;

/* What a packer packs: `count` atoms and the gaps between them, as seamline.cut.pack.Load. */
typedef struct {
    Py_ssize_t *sums; /* count + 1 */
    Py_ssize_t *lead; /* count */
    Py_ssize_t *tail; /* count + 1 */
    double *score;    /* count */
    bool *forbidden;  /* count */
    size_t count;
} Load;

typedef struct {
    Text text;
    Meter meter;
    bool borrowed; /* whether text and marks are those of a Measure */
    Outline outline;
    Plan plan;
    Signal signal;
    bool additive;
    PyObject *rest; /* the Python side, which does what is rare */
    Lead *leads;    /* one for each top-level block; those of headings are made when needed */
    bool *bare;     /* per top-level block, whether a chunk that starts there has no room for headings */
    bool any_bare;
    Atom *atoms;
    size_t atom_count;
    size_t atom_room;
    PyObject *kept; /* a list of what atoms borrow from */
    Draft *drafts;
    size_t draft_count;
    size_t draft_room;
    uint8_t *packing; /* room for a Load and the search */
    size_t packing_room;
    size_t *cuts;
    size_t cut_count;
    size_t cut_room;
} Job;

/* Names of seams that this side gives itself. */
typedef enum {
    SEAM_START,
    SEAM_H1,
    SEAM_H6 = SEAM_H1 + 5,
    SEAM_PARAGRAPH,
    SEAM_LEAD_IN,
    SEAM_RULE,
    SEAM_LINE,
    SEAM_CODE,
    SEAM_SCOPE,
    SEAM_BLANK,
    SEAM_SENTENCE,
    SEAM_COUNT,
} Seam;
extern PyObject *SEAMS[SEAM_COUNT];
bool seams_prepare(void);

/* The headings that a chunk borrows which starts at `start` in a section; NULL with an exception set. */
const Lead *lead_at(Job *job, size_t section, Py_ssize_t start);
bool lead_render(Job *job, const Lead *lead);
void lead_make_bare(Job *job, size_t top);

bool add_atom(Job *job, Atom atom);
bool set_seam(Job *job, size_t index, PyObject *seam);

/* Atoms or pieces from Python; what they borrow is kept. */
bool add_atoms(Job *job, PyObject *list);

/* Where text may be cut that no block structure helps with. */
typedef enum { BLANK_LINES, LINES, SCOPES, BLANK_CODE, SENTENCES } Rung;

/* Rungs in their order. */
typedef enum { BY_LINES, BY_CODE, BY_PROSE } Ladder;

/* Adds the pieces of a range that is too large or has forced gaps inside, each within `room` and in a frame, which may
   be NULL. */
bool climb_down(Job *job, Py_ssize_t start, Py_ssize_t end, PyObject *frame, Py_ssize_t room, Ladder ladder);

/* Joins atoms below `small` tokens with what follows them. */
void coalesce(Job *job, size_t from, Py_ssize_t small, Py_ssize_t room);

/* The atoms of a section, each small enough for a chunk of `limit` tokens. */
bool make_atoms(Job *job, size_t section, Py_ssize_t end, Py_ssize_t limit);

/* Appends to the job's cuts those of the least cost, counted from the load's first atom. */
bool pack_optimal(Job *job, const Load *load, Py_ssize_t target, Py_ssize_t limit);

/* The drafts of all sections. */
bool make_drafts(Job *job);

/* The finished chunks of all drafts. */
PyObject *make_chunks(Job *job, PyObject *document);
bool chunks_prepare(void);
PyObject *make_heading_context(Py_ssize_t start, Py_ssize_t end);

#endif
