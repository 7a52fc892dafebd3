/* Markdown text -> list of Block: the steps, and what is found as Python values. */

#include "kernels.h"

#include "parser.h"

/* --- the steps ---------------------------------------------------------------------------------------------------- */

Outcome find_blocks(Parser *parser) {
    if (setjmp(parser->way_out)) return parser->outcome;
    parse(parser);
    nest(parser);
    if (find_byte(&parser->source, 0, parser->source.length, '|') >= 0) find_tables(parser);
    mark_unclosed(parser);
    mark_figures(parser);
    wrap_directives(parser);
    wrap_admonitions(parser);
    return FINE;
}

_Noreturn void give_up(Parser *parser, Outcome why) {
    parser->outcome = why;
    longjmp(parser->way_out, 1);
}

void *room_for_one(Parser *parser, void *array, Pos count, Pos *room, size_t size) {
    if (count < *room) return array;
    Pos wanted = *room ? 2 * *room : 64;
    void *grown = PyMem_Realloc(array, (size_t)wanted * size);
    if (!grown) give_up(parser, NO_MEMORY);
    *room = wanted;
    return grown;
}

void release(Parser *parser) {
    void *owned[] = {
        parser->source.owned, parser->nodes.items,  parser->blocks.items, parser->spare.items,
        parser->open.items,   parser->quotes.items, parser->around.items, parser->edited,
        parser->edits.items,  parser->leads.items,  parser->tops.items,   parser->directives.items,
        parser->colons.items, parser->runs.items,   parser->wraps.items,  parser->moved.items,
    };
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++) PyMem_Free(owned[i]);
    memset(parser, 0, sizeof *parser);
}

Pos latest(const Parser *parser, Pos at) {
    Pos low = 0, high = parser->blocks.count;
    while (low < high) {
        Pos middle = low + (high - low) / 2;
        if (at < parser->blocks.items[middle].start) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return low - 1;
}

Pos block_around(const Parser *parser, Pos at) {
    Pos index = latest(parser, at);
    while (index >= 0 && parser->blocks.items[index].end <= at) index = parser->blocks.items[index].parent;
    return index;
}

static const char *const KIND_NAMES[KINDS] = {
    [PARAGRAPH] = "paragraph", [HEADING] = "heading", [LIST] = "list",         [ITEM] = "item",
    [CODE] = "code",           [TABLE] = "table",     [ROW] = "row",           [QUOTE] = "quote",
    [RULE] = "rule",           [HTML] = "html",       [FOOTNOTE] = "footnote", [REFERENCE] = "reference",
    [MATH] = "math",           [FIGURE] = "figure",   [DIRECTIVE] = "directive",
};
static PyObject *kind_names[KINDS];

/* --- blocks as Python values ------------------------------------------------------------------------------------- */

/* What closes a fence again: what stands before it on its line, list markers as spaces, and the fence. */
static PyObject *closing_fence(const Text *text, Pos fence) {
    Pos head = fence, end = skip_run(text, fence, byte_at(text, fence));
    while (head > 0 && char_at(text, head - 1) != '\n' && char_at(text, head - 1) != '\r') head--;
    Py_UCS4 *line = PyMem_New(Py_UCS4, (size_t)(end - head));
    if (!line) return PyErr_NoMemory();
    for (Pos at = head; at < end; at++) {
        int is_kept = at >= fence || byte_at(text, at) == '>' || (byte_at(text, at) != ' ' && is_space_at(text, at));
        line[at - head] = is_kept ? char_at(text, at) : ' ';
    }
    PyObject *close = PyUnicode_FromKindAndData(PyUnicode_4BYTE_KIND, line, (Py_ssize_t)(end - head));
    PyMem_Free(line);
    return close;
}

/* The first word of a directive's title, empty where there is none. */
static PyObject *directive_name(const Text *text, Pos title) {
    Pos start = title;
    while (!is_line_end(text, start) && !is_name_at(text, start)) start++;
    Pos end = start;
    while (!is_line_end(text, end) && is_name_at(text, end)) end++;
    return PyUnicode_Substring(text->string, (Py_ssize_t)start, (Py_ssize_t)end);
}

/* What the kind of a block adds beyond a closed fence, as fields of its detail; None for most. */
static PyObject *fields_of(const Node *block, const Text *text) {
    if (block->kind == CODE && block->is_marked) {
        return Py_BuildValue("{sOsN}", "fenced", Py_True, "unclosed", closing_fence(text, block->fence));
    }
    if (block->kind == DIRECTIVE) return Py_BuildValue("{sN}", "name", directive_name(text, block->title));
    if (block->kind == LIST && (block->delimiter == '.' || block->delimiter == ')')) {
        return Py_BuildValue("{sK}", "first", (unsigned long long)block->first);
    }
    return Py_NewRef(Py_None);
}

static PyObject *block_value(const Node *block, PyTypeObject *type, PyObject *fenced) {
    PyObject *value = type->tp_alloc(type, 6);
    if (!value) return NULL;
    PyObject *detail = block->kind == CODE && block->is_fenced && !block->is_marked ? fenced : Py_None;
    PyObject *fields[6] = {
        Py_NewRef(kind_names[block->kind]), PyLong_FromLongLong(block->start),  PyLong_FromLongLong(block->end),
        PyLong_FromLong(block->level),      PyLong_FromLongLong(block->parent), Py_NewRef(detail),
    };
    int is_whole = 1;
    for (int i = 0; i < 6; i++) {
        PyTuple_SET_ITEM(value, i, fields[i]);
        is_whole = is_whole && fields[i];
    }
    if (is_whole) {
        PyObject_GC_UnTrack(value); /* it holds no cycle, and a document has thousands for the collector to visit */
    } else {
        Py_CLEAR(value);
    }
    return value;
}

/* Adds the index and the fields of a block that has some. */
static bool add_fields(PyObject *details, const Node *block, const Text *text, Pos index) {
    PyObject *fields = fields_of(block, text);
    if (!fields || fields == Py_None) {
        Py_XDECREF(fields);
        return fields != NULL;
    }
    PyObject *pair = Py_BuildValue("(nN)", (Py_ssize_t)index, fields);
    bool is_added = pair && PyList_Append(details, pair) == 0;
    Py_XDECREF(pair);
    return is_added;
}

/* The blocks, and a list of the index and the fields of each that has a detail of its own. */
static PyObject *block_lists(const Parser *parser, PyTypeObject *type, PyObject *fenced) {
    PyObject *list = PyList_New((Py_ssize_t)parser->blocks.count), *details = PyList_New(0);
    bool is_whole = list && details;
    for (Pos i = 0; is_whole && i < parser->blocks.count; i++) {
        const Node *block = &parser->blocks.items[i];
        PyObject *value = block_value(block, type, fenced);
        if (value) PyList_SET_ITEM(list, (Py_ssize_t)i, value);
        is_whole = value && add_fields(details, block, &parser->source, i);
    }
    if (is_whole) return Py_BuildValue("(NN)", list, details);
    Py_XDECREF(list);
    Py_XDECREF(details);
    return NULL;
}

/* --- from Python -------------------------------------------------------------------------------------------------- */

PyObject *parse_blocks(PyObject *module, PyObject *args) {
    (void)module;
    PyObject *string, *type, *fenced, *blocks = NULL;
    Py_ssize_t after;
    if (!PyArg_ParseTuple(args, "UnO!O:parse_blocks", &string, &after, &PyType_Type, &type, &fenced)) return NULL;
    if (!PyType_IsSubtype((PyTypeObject *)type, &PyTuple_Type)) {
        return PyErr_Format(PyExc_TypeError, "expected a subclass of tuple, got %R", type);
    }
    Parser parser = {.outcome = FINE};
    if (!narrow_text(string, after, &parser.source)) return PyErr_NoMemory();
    parser.text = parser.source;
    Outcome outcome = find_blocks(&parser);
    if (outcome == FINE) {
        blocks = block_lists(&parser, (PyTypeObject *)type, fenced);
    } else if (outcome == NOT_MINE) {
        blocks = Py_NewRef(Py_None);
    } else {
        PyErr_NoMemory();
    }
    release(&parser);
    return blocks;
}

bool prepare_blocks(void) {
    for (int kind = 0; kind < KINDS; kind++) {
        if (!kind_names[kind]) kind_names[kind] = PyUnicode_InternFromString(KIND_NAMES[kind]);
        if (!kind_names[kind]) return false;
    }
    return true;
}
