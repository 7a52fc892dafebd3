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

static PyObject *attributes(const Node *block, const Text *text, PyObject *fenced) {
    if (block->kind == CODE && block->is_marked) {
        return Py_BuildValue("{sOsN}", "fenced", Py_True, "unclosed", closing_fence(text, block->fence));
    }
    if (block->kind == CODE && block->is_fenced) return Py_NewRef(fenced);
    if (block->kind == DIRECTIVE) return Py_BuildValue("{sN}", "name", directive_name(text, block->title));
    if (block->kind == LIST && (block->delimiter == '.' || block->delimiter == ')')) {
        return Py_BuildValue("{sK}", "first", (unsigned long long)block->first);
    }
    return Py_NewRef(Py_None);
}

static PyObject *block_value(const Node *block, const Text *text, PyTypeObject *type, PyObject *fenced) {
    PyObject *value = type->tp_alloc(type, 6);
    if (!value) return NULL;
    PyObject *fields[6] = {
        Py_NewRef(kind_names[block->kind]), PyLong_FromLongLong(block->start),  PyLong_FromLongLong(block->end),
        PyLong_FromLong(block->level),      PyLong_FromLongLong(block->parent), attributes(block, text, fenced),
    };
    int is_whole = 1;
    for (int i = 0; i < 6; i++) {
        PyTuple_SET_ITEM(value, i, fields[i]);
        is_whole = is_whole && fields[i];
    }
    if (!is_whole) {
        Py_CLEAR(value);
    } else if (!PyDict_Check(fields[5])) {
        PyObject_GC_UnTrack(value); /* it holds no cycle, and a document has thousands for the collector to visit */
    }
    return value;
}

static PyObject *block_list(const Parser *parser, PyTypeObject *type, PyObject *fenced) {
    PyObject *list = PyList_New((Py_ssize_t)parser->blocks.count);
    if (!list) return NULL;
    for (Pos i = 0; i < parser->blocks.count; i++) {
        PyObject *value = block_value(&parser->blocks.items[i], &parser->source, type, fenced);
        if (!value) {
            Py_DECREF(list);
            return NULL;
        }
        PyList_SET_ITEM(list, (Py_ssize_t)i, value);
    }
    return list;
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
        blocks = block_list(&parser, (PyTypeObject *)type, fenced);
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
