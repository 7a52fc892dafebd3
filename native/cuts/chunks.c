/* Drafts -> chunks: their positions, paths and names, as seamline.cut gives them. */

#include "job.h"

/* --- the types of seamline --------------------------------------------------------------------------------------- */

enum { DOCUMENT, BODY, TOKENS, NAMES, CONTEXT, CLOSING, PATH, INDEX, TOTAL, BLOCKS, SEAM, LEVEL, PARENT, SHADOWS,
       CHILDREN, FACTS, FIELDS };

static PyTypeObject *chunk_type, *span_type, *context_type;
static PyObject *names_type;
static PyObject *slots[FIELDS]; /* of Chunk, which stores into them without asking its frozen __setattr__ */
static PyObject *heading_role, *blank_line, *nothing, *no_shadows;

/* A class that another part of seamline defines; NULL with an exception set. */
static PyObject *class_of(const char *module, const char *name)
{
    PyObject *from = PyImport_ImportModule(module);
    PyObject *found = from ? PyObject_GetAttrString(from, name) : NULL;
    Py_XDECREF(from);
    return found;
}

static bool find_slots(void)
{
    static const char *const FIELD_NAMES[FIELDS] = {"document", "body",  "tokens", "names",  "context", "closing", "path",
                                                    "index",    "total", "blocks", "seam",   "level",   "parent",  "shadows",
                                                    "children", "facts"};
    for (int i = 0; i < FIELDS; i++) {
        slots[i] = PyObject_GetAttrString((PyObject *)chunk_type, FIELD_NAMES[i]);
        if (!slots[i])
            return false;
        if (!Py_TYPE(slots[i])->tp_descr_set) {
            PyErr_Format(PyExc_TypeError, "expected a slot for Chunk.%s", FIELD_NAMES[i]);
            return false;
        }
    }
    return true;
}

bool chunks_prepare(void)
{
    if (no_shadows)
        return true;
    chunk_type = (PyTypeObject *)class_of("seamline.types", "Chunk");
    span_type = (PyTypeObject *)class_of("seamline.types", "Span");
    context_type = (PyTypeObject *)class_of("seamline.types", "Context");
    names_type = class_of("seamline.identity", "Names");
    heading_role = PyUnicode_InternFromString("heading");
    blank_line = PyUnicode_InternFromString("\n\n");
    nothing = PyUnicode_New(0, 0);
    if (!chunk_type || !span_type || !context_type || !names_type || !heading_role || !blank_line || !nothing)
        return false;
    return find_slots() && (no_shadows = PyTuple_Pack(2, Py_None, Py_None));
}

/* --- small values ------------------------------------------------------------------------------------------------ */

/* A named tuple of new references; NULL, and none of them kept, where one of them is NULL. */
static PyObject *named_tuple(PyTypeObject *type, Py_ssize_t count, PyObject **values)
{
    bool all = true;
    for (Py_ssize_t i = 0; i < count; i++)
        all &= values[i] != NULL;
    PyObject *tuple = all ? type->tp_alloc(type, count) : NULL;
    for (Py_ssize_t i = 0; i < count; i++) {
        if (tuple)
            PyTuple_SET_ITEM(tuple, i, values[i]);
        else
            Py_XDECREF(values[i]);
    }
    return tuple;
}

PyObject *make_heading_context(Py_ssize_t start, Py_ssize_t end)
{
    PyObject *values[] = {Py_NewRef(heading_role), PyLong_FromSsize_t(start), PyLong_FromSsize_t(end),
                          Py_NewRef(blank_line)};
    return named_tuple(context_type, 4, values);
}

static PyObject *make_span(Py_ssize_t start, Py_ssize_t end)
{
    PyObject *values[] = {PyLong_FromSsize_t(start), PyLong_FromSsize_t(end)};
    return named_tuple(span_type, 2, values);
}

static PyObject *pair_of(Py_ssize_t first, Py_ssize_t second)
{
    PyObject *values[] = {PyLong_FromSsize_t(first), PyLong_FromSsize_t(second)};
    return named_tuple(&PyTuple_Type, 2, values);
}

/* --- paths ------------------------------------------------------------------------------------------------------- */

/* Past the white space at `start`. */
static Py_ssize_t skip_white(const Text *text, Py_ssize_t start, Py_ssize_t end)
{
    while (start < end && Py_UNICODE_ISSPACE(text_point(text, start)))
        start++;
    return start;
}

/* `end` without an anchor such as `{#install}` and the blanks before it. */
static Py_ssize_t before_anchor(const Text *text, Py_ssize_t start, Py_ssize_t end)
{
    Py_ssize_t at = end - 1;
    if (at <= start || text_point(text, at) != '}')
        return end;
    for (Py_UCS4 point = 0; point != '{'; at--) {
        point = at > start ? text_point(text, at - 1) : '\n';
        if (point == '}' || point == '\n')
            return end;
    }
    if (text_point(text, at + 1) != '#')
        return end;
    while (at > start && (text_point(text, at - 1) == ' ' || text_point(text, at - 1) == '\t'))
        at--;
    return at;
}

/* What a heading says. A line of hashes and words is read here, every other shape in Python. */
static PyObject *heading_text(Job *job, const Top *top)
{
    const Text *text = &job->text;
    Py_ssize_t end = text_trimmed(text, top->start, top->end), start = skip_white(text, top->start, end);
    Py_ssize_t words = start;
    while (words < end && text_point(text, words) == '#')
        words++;
    if (words == start || text_point(text, end - 1) == '#')
        return PyObject_CallMethod(job->rest, "heading", "n", top->block);
    words = skip_white(text, words, end);
    return PyUnicode_Substring(text->string, words, before_anchor(text, words, end));
}

static PyObject *path_of(Job *job, PyObject **texts, size_t index)
{
    const Section *section = job->outline.sections + index;
    PyObject *path = PyTuple_New((Py_ssize_t)section->depth);
    for (size_t i = 0; path && i < section->depth; i++) {
        size_t top = job->outline.paths[section->path + i];
        if (!texts[top] && !(texts[top] = heading_text(job, job->outline.tops + top)))
            Py_CLEAR(path);
        else
            PyTuple_SET_ITEM(path, (Py_ssize_t)i, Py_NewRef(texts[top]));
    }
    return path;
}

/* --- chunks ------------------------------------------------------------------------------------------------------ */

/* A chunk of new references to its fields; none of them kept where one is NULL. */
static PyObject *make_chunk(PyObject **fields)
{
    PyObject *chunk = chunk_type->tp_alloc(chunk_type, 0);
    for (int i = 0; i < FIELDS; i++) {
        if (chunk && (!fields[i] || Py_TYPE(slots[i])->tp_descr_set(slots[i], chunk, fields[i]) < 0))
            Py_CLEAR(chunk);
        Py_XDECREF(fields[i]);
    }
    return chunk;
}

/* The last top-level block from `at` on that starts at or before an offset. */
static size_t top_before(const Outline *outline, size_t at, Py_ssize_t offset)
{
    while (at + 1 < outline->top_count && outline->tops[at + 1].start <= offset)
        at++;
    return at;
}

/* What all chunks of a document have, and what is known from the chunk before. */
typedef struct {
    PyObject *document;
    PyObject *names;
    PyObject *bodies;
    PyObject *total;
    PyObject *path;
    PyObject **texts; /* per top-level block, what it says as a heading */
    size_t section;   /* that of `path` */
    size_t top;
} Naming;

static PyObject *finished(Job *job, Naming *naming, size_t index)
{
    const Draft *draft = job->drafts + index;
    const Outline *outline = &job->outline;
    if (!naming->path || naming->section != draft->section) {
        Py_XSETREF(naming->path, path_of(job, naming->texts, draft->section));
        naming->section = draft->section;
        if (!naming->path)
            return NULL;
    }
    size_t low = top_before(outline, naming->top, draft->start);
    size_t high = naming->top = top_before(outline, low, draft->end - 1);
    Py_ssize_t after = high + 1 < outline->top_count ? outline->tops[high + 1].block : outline->block_count;
    PyObject *fields[FIELDS] = {
        [DOCUMENT] = Py_NewRef(naming->document),
        [BODY] = Py_NewRef(PyList_GET_ITEM(naming->bodies, (Py_ssize_t)index)),
        [TOKENS] = PyLong_FromSsize_t(draft->tokens),
        [NAMES] = Py_NewRef(naming->names),
        [CONTEXT] = Py_NewRef(draft->context),
        [CLOSING] = Py_NewRef(draft->closing),
        [PATH] = Py_NewRef(naming->path),
        [INDEX] = PyLong_FromSize_t(index),
        [TOTAL] = Py_NewRef(naming->total),
        [BLOCKS] = pair_of(outline->tops[low].block, after),
        [SEAM] = Py_NewRef(draft->seam),
        [LEVEL] = PyLong_FromLong(0),
        [PARENT] = Py_NewRef(nothing),
        [SHADOWS] = Py_NewRef(no_shadows),
        [CHILDREN] = PyTuple_New(0),
        [FACTS] = Py_NewRef(Py_None),
    };
    return make_chunk(fields);
}

static PyObject *body_list(const Job *job)
{
    PyObject *bodies = PyList_New((Py_ssize_t)job->draft_count);
    for (size_t i = 0; bodies && i < job->draft_count; i++) {
        PyObject *body = make_span(job->drafts[i].start, job->drafts[i].end);
        if (!body)
            Py_CLEAR(bodies);
        else
            PyList_SET_ITEM(bodies, (Py_ssize_t)i, body);
    }
    return bodies;
}

static PyObject *names_of(PyObject *document, PyObject *text, PyObject *bodies)
{
    PyObject *id = PyObject_GetAttrString(document, "id");
    PyObject *names = id ? PyObject_CallFunctionObjArgs(names_type, id, text, bodies, NULL) : NULL;
    Py_XDECREF(id);
    return names;
}

PyObject *make_chunks(Job *job, PyObject *document)
{
    Naming naming = {.document = document};
    naming.bodies = body_list(job);
    naming.names = naming.bodies ? names_of(document, job->text.string, naming.bodies) : NULL;
    naming.total = PyLong_FromSize_t(job->draft_count);
    naming.texts = PyMem_Calloc(job->outline.top_count + 1, sizeof *naming.texts);
    PyObject *chunks = naming.names && naming.total ? PyList_New((Py_ssize_t)job->draft_count) : NULL;
    if (!naming.texts) {
        PyErr_NoMemory();
        Py_CLEAR(chunks);
    }
    for (size_t i = 0; chunks && i < job->draft_count; i++) {
        PyObject *chunk = finished(job, &naming, i);
        if (!chunk)
            Py_CLEAR(chunks);
        else
            PyList_SET_ITEM(chunks, (Py_ssize_t)i, chunk);
    }
    for (size_t i = 0; naming.texts && i < job->outline.top_count; i++)
        Py_XDECREF(naming.texts[i]);
    PyMem_Free(naming.texts);
    Py_XDECREF(naming.bodies);
    Py_XDECREF(naming.names);
    Py_XDECREF(naming.total);
    Py_XDECREF(naming.path);
    return chunks;
}
