/* seamline._html: a page whose tags say all of its tree -> its text, blocks and places. */

#include <string.h>

#include "reader.h"

#define LONGEST 5000000 /* characters of a page: each may take fifty bytes here */

static const char *const KIND_NAMES[KINDS] = {
    [K_PARAGRAPH] = "paragraph", [K_HEADING] = "heading", [K_LIST] = "list",   [K_ITEM] = "item", [K_QUOTE] = "quote",
    [K_CODE] = "code",           [K_TABLE] = "table",     [K_ROW] = "row",     [K_RULE] = "rule", [K_FIGURE] = "figure",
};
static PyObject *kind_names[KINDS], *key_source, *key_lines, *key_element, *key_part;

/* --- the source -------------------------------------------------------------------------------------------------- */

static void take_pairs(Reader *reader, PyObject *pairs) {
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(pairs); i++) {
        Py_ssize_t at = PyLong_AsSsize_t(PyList_GET_ITEM(pairs, i));
        if (at == -1 && PyErr_Occurred()) leave(reader, FAILED);
        if (at < 0 || at > LONGEST) give_up(reader);
        PUSH(reader, reader->pairs, (Pos)at);
    }
}

/* --- Python values ----------------------------------------------------------------------------------------------- */

/* An offset in the source as it is, where some line ends are two characters. */
static Pos true_offset(const Reader *reader, Pos offset) {
    Pos low = 0, high = reader->pairs.count;
    while (low < high) {
        Pos middle = low + (high - low) / 2;
        if (reader->pairs.items[middle] < offset) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return offset + low;
}

/* A value of numbers and names holds no cycle, and a page has thousands for the collector to visit. */
static PyObject *untracked(PyObject *value) {
    if (value) PyObject_GC_UnTrack(value);
    return value;
}

/* Put a new value into a tuple that was made for it. */
static int fill(PyObject *tuple, const Py_ssize_t index, PyObject *value) {
    PyTuple_SET_ITEM(tuple, index, value);
    return value != NULL;
}

static int set_new(PyObject *dict, PyObject *key, PyObject *value) {
    int done = value ? PyDict_SetItem(dict, key, value) : -1;
    Py_XDECREF(value);
    return done == 0;
}

static PyObject *pair_of(Pos from, Pos to) {
    PyObject *list = PyList_New(2), *one = PyLong_FromLong(from), *other = PyLong_FromLong(to);
    if (list && one && other) {
        PyList_SET_ITEM(list, 0, one);
        PyList_SET_ITEM(list, 1, other);
        return untracked(list);
    }
    Py_XDECREF(list);
    Py_XDECREF(one);
    Py_XDECREF(other);
    return NULL;
}

/* The names of the elements of all places, None for those without. */
static PyObject *element_names(Reader *reader) {
    PyObject *names = keep_long(reader, PyList_New(reader->places.count));
    for (Pos i = 0; i < reader->places.count; i++) {
        Pos id = reader->places.items[i].id;
        int is_same = i && id == reader->places.items[i - 1].id;
        PyObject *name = is_same      ? Py_NewRef(PyList_GET_ITEM(names, i - 1))
                         : id == NONE ? Py_NewRef(Py_None)
                                      : attribute_value(reader, id);
        if (!name) leave(reader, FAILED);
        PyList_SET_ITEM(names, i, name);
    }
    return names;
}

static PyObject *place_value(Reader *reader, const Place *place, PyObject *name) {
    PyObject *dict = PyDict_New();
    if (!dict) return NULL;
    int is_whole;
    if (reader->part) {
        is_whole = PyDict_SetItem(dict, key_part, reader->part) == 0;
    } else {
        is_whole = set_new(dict, key_source, pair_of(true_offset(reader, place->from), true_offset(reader, place->to))) &&
                   set_new(dict, key_lines, pair_of(line_of(reader, place->from), line_of(reader, place->to)));
    }
    if (is_whole && name != Py_None) is_whole = PyDict_SetItem(dict, key_element, name) == 0;
    if (!is_whole) Py_CLEAR(dict);
    return untracked(dict);
}

static PyObject *run_value(Reader *reader, PyTypeObject *type, const Run *run, PyObject *names) {
    PyObject *value = type->tp_alloc(type, 3);
    if (!value) return NULL;
    int is_whole = fill(value, 0, PyLong_FromLong(reader->base + run->start)) &
                   fill(value, 1, PyLong_FromLong(reader->base + run->end)) &
                   fill(value, 2, place_value(reader, &reader->places.items[run->place], PyList_GET_ITEM(names, run->place)));
    if (!is_whole) Py_CLEAR(value);
    return untracked(value);
}

static PyObject *block_value(Reader *reader, PyTypeObject *type, PyObject *fenced, const Written *block) {
    PyObject *value = type->tp_alloc(type, 6);
    if (!value) return NULL;
    Pos parent = block->parent == NONE ? NONE : block->parent + reader->base_blocks;
    int is_whole = fill(value, 0, Py_NewRef(kind_names[block->kind])) &
                   fill(value, 1, PyLong_FromLong(reader->base + block->start)) &
                   fill(value, 2, PyLong_FromLong(reader->base + block->end)) &
                   fill(value, 3, PyLong_FromLong(block->level)) & fill(value, 4, PyLong_FromLong(parent)) &
                   fill(value, 5, Py_NewRef(block->kind == K_CODE ? fenced : Py_None));
    if (!is_whole) Py_CLEAR(value);
    return untracked(value);
}

static PyObject *block_values(Reader *reader, PyTypeObject *type, PyObject *fenced) {
    PyObject *list = PyList_New(reader->blocks.count);
    for (Pos i = 0; list && i < reader->blocks.count; i++) {
        PyObject *value = block_value(reader, type, fenced, &reader->blocks.items[i]);
        PyList_SET_ITEM(list, i, value);
        if (!value) Py_CLEAR(list);
    }
    return list;
}

static PyObject *run_values(Reader *reader, PyTypeObject *type, PyObject *names) {
    PyObject *list = PyList_New(reader->runs.count);
    for (Pos i = 0; list && i < reader->runs.count; i++) {
        PyObject *value = run_value(reader, type, &reader->runs.items[i], names);
        PyList_SET_ITEM(list, i, value);
        if (!value) Py_CLEAR(list);
    }
    return list;
}

/* --- what a page says of itself ---------------------------------------------------------------------------------- */

/* Append (tag, attributes). It is in the list before it is filled, so that leaving on the way loses nothing. */
static void tell(Reader *reader, PyObject *out, const Node *node, const int *names, int count) {
    PyObject *values = PyTuple_New(count);
    PyObject *pair = values ? Py_BuildValue("(sO)", TAG_INFO[node->tag].name, values) : NULL;
    int done = pair ? PyList_Append(out, pair) : -1;
    Py_XDECREF(values);
    Py_XDECREF(pair);
    if (done < 0) leave(reader, FAILED);
    for (int i = 0; i < count; i++) {
        if (!fill(values, i, attribute_string(reader, node, names[i]))) leave(reader, FAILED);
    }
}

static void tell_title(Reader *reader, PyObject *out, Pos title) {
    inline_text(reader, &reader->cell, title);
    PyObject *text = PyUnicode_FromKindAndData(PyUnicode_4BYTE_KIND, reader->cell.items, reader->cell.count);
    PyObject *pair = text ? Py_BuildValue("(sN)", "title", text) : NULL;
    int done = pair ? PyList_Append(out, pair) : -1;
    Py_XDECREF(pair);
    if (done < 0) leave(reader, FAILED);
}

static int is_told(const Reader *reader, const Node *node) {
    switch (node->tag) {
        case META: return attribute_of(reader, node, ATTR_CONTENT) != NONE;
        case LINK: {
            Pos rel = attribute_of(reader, node, ATTR_REL);
            if (rel == NONE || attribute_of(reader, node, ATTR_HREF) == NONE) return 0;
            const Attribute *value = &reader->attributes.items[rel];
            return value->has_reference || has_word(reader, value, "canonical");
        }
        case TIME:
            return attribute_of(reader, node, ATTR_PUBDATE) != NONE && attribute_of(reader, node, ATTR_DATETIME) != NONE;
        default: return 0;
    }
}

/* (tag, attributes) of the elements that tell of the page, and ("title", text) of its titles, in their order. */
static PyObject *told_values(Reader *reader) {
    static const int META_NAMES[] = {ATTR_NAME, ATTR_PROPERTY, ATTR_ITEMPROP, ATTR_HTTP_EQUIV, ATTR_CONTENT};
    static const int LINK_NAMES[] = {ATTR_REL, ATTR_HREF};
    static const int TIME_NAMES[] = {ATTR_DATETIME};
    static const int ROOT_NAMES[] = {ATTR_LANG, ATTR_XML_LANG};
    PyObject *out = keep_long(reader, PyList_New(0));
    for (Pos at = 0; at < reader->nodes.count; at++) {
        const Node *node = &reader->nodes.items[at];
        if (node->tag == TITLE && !node->is_foreign) {
            tell_title(reader, out, at);
        } else if (node->tag == HTML) {
            tell(reader, out, node, ROOT_NAMES, 2);
        } else if (is_told(reader, node)) {
            int is_meta = node->tag == META, is_link = node->tag == LINK;
            tell(reader, out, node, is_meta ? META_NAMES : is_link ? LINK_NAMES : TIME_NAMES, is_meta ? 5 : is_link ? 2 : 1);
        }
    }
    return Py_NewRef(out);
}

/* --- the module -------------------------------------------------------------------------------------------------- */

typedef struct {
    PyObject *block, *anchor, *fenced;
    PyObject *told, *names; /* owned */
} Wanted;

static void read_all(Reader *reader, Wanted *wanted, PyObject *pairs) {
    if (setjmp(reader->way_out)) return;
    take_pairs(reader, pairs);
    build_tree(reader);
    wanted->told = told_values(reader);
    take_out_unshown(reader);
    walk_page(reader);
    wanted->names = Py_NewRef(element_names(reader));
}

static PyObject *result_of(Reader *reader, Wanted *wanted) {
    Pos first = reader->first_heading == NONE ? 0 : reader->first_heading;
    Pos last = reader->first_heading == NONE ? 0 : reader->first_heading_end;
    PyObject *text = PyUnicode_FromKindAndData(PyUnicode_4BYTE_KIND, reader->out.items, reader->out.count);
    PyObject *blocks = block_values(reader, (PyTypeObject *)wanted->block, wanted->fenced);
    PyObject *runs = run_values(reader, (PyTypeObject *)wanted->anchor, wanted->names);
    PyObject *heading = PyUnicode_FromKindAndData(
        PyUnicode_4BYTE_KIND, reader->out.items ? reader->out.items + first : NULL, last - first);
    PyObject *result = NULL;
    if (text && blocks && runs && heading) {
        result = Py_BuildValue("(OOOOOiii)", text, blocks, runs, wanted->told, heading, (int)reader->hidden_elements,
                               (int)reader->hidden_characters, (int)reader->cut_tables);
    }
    Py_XDECREF(text);
    Py_XDECREF(blocks);
    Py_XDECREF(runs);
    Py_XDECREF(heading);
    return result;
}

static void release(Reader *reader) {
    void *const arrays[] = {
        reader->newlines.items, reader->pairs.items, reader->nodes.items, reader->attributes.items, reader->stack.items,
        reader->line.items, reader->cell.items, reader->breaks.items, reader->around.items, reader->rows.items,
        reader->found.items, reader->lists.items, reader->frames.items, reader->places.items, reader->out.items,
        reader->blocks.items, reader->runs.items, reader->open.items,
    };
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) PyMem_Free(arrays[i]);
    Py_CLEAR(reader->held);
    Py_CLEAR(reader->kept);
    Py_CLEAR(reader->key);
}

static PyObject *finish(Reader *reader, Wanted *wanted) {
    if (reader->outcome == NOT_MINE) return Py_NewRef(Py_None);
    if (reader->outcome == FAILED) return NULL;
    return result_of(reader, wanted);
}

static int is_tuple_type(PyObject *type) {
    if (PyType_IsSubtype((PyTypeObject *)type, &PyTuple_Type)) return 1;
    PyErr_Format(PyExc_TypeError, "expected a subclass of tuple, got %R", type);
    return 0;
}

static PyObject *read_page(PyObject *module, PyObject *args) {
    (void)module;
    PyObject *markup, *part, *pairs, *helpers, *result = NULL;
    Py_ssize_t base, base_blocks, most;
    int is_xhtml;
    Wanted wanted = {0};
    if (!PyArg_ParseTuple(args, "UUpO!nnnO!O!O!O:read_page", &markup, &part, &is_xhtml, &PyList_Type, &pairs, &base, &base_blocks,
                          &most, &PyTuple_Type, &helpers, &PyType_Type, &wanted.block, &PyType_Type, &wanted.anchor,
                          &wanted.fenced)) {
        return NULL;
    }
    if (!is_tuple_type(wanted.block) || !is_tuple_type(wanted.anchor)) return NULL;
    Py_ssize_t length = PyUnicode_GET_LENGTH(markup);
    if (length > LONGEST || base > INT32_MAX / 4 || base_blocks > INT32_MAX / 4) Py_RETURN_NONE;
    Reader *reader = PyMem_Calloc(1, sizeof *reader);
    if (!reader) return PyErr_NoMemory();
    Helpers *call = &reader->call;
    if (PyArg_ParseTuple(helpers, "O!OOOOOOOO:helpers", &PyDict_Type, &call->entities, &call->styled_away, &call->image,
                         &call->picture, &call->field, &call->number, &call->counted, &call->language, &call->table)) {
        int is_copied = PyUnicode_KIND(markup) != PyUnicode_4BYTE_KIND;
        Py_UCS4 *copy = is_copied ? PyUnicode_AsUCS4Copy(markup) : NULL;
        reader->source = is_copied ? copy : PyUnicode_4BYTE_DATA(markup);
        reader->length = (Pos)length;
        reader->part = PyUnicode_GET_LENGTH(part) ? part : NULL;
        reader->most = most > INT32_MAX / 4 ? INT32_MAX / 4 : (Pos)most;
        reader->base = (Pos)base;
        reader->base_blocks = (Pos)base_blocks;
        reader->gap = base ? GAP_NONE : GAP_EMPTY;
        reader->is_ready = 1;
        reader->is_xhtml = is_xhtml;
        reader->id = reader->inner_id = reader->before = reader->open_place = reader->first_heading = NONE;
        if (reader->source) {
            read_all(reader, &wanted, pairs);
            result = finish(reader, &wanted);
        }
        PyMem_Free(copy);
    }
    Py_XDECREF(wanted.told);
    Py_XDECREF(wanted.names);
    release(reader);
    PyMem_Free(reader);
    return result;
}

static PyMethodDef methods[] = {
    {"read_page", read_page, METH_VARARGS, "All of a page, or None where Python must read it."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, .m_name = "seamline._html", .m_size = -1, .m_methods = methods};

static int intern(PyObject **name, const char *text) {
    if (!*name) *name = PyUnicode_InternFromString(text);
    return *name != NULL;
}

PyMODINIT_FUNC PyInit__html(void) {
    prepare_names();
    for (int kind = 0; kind < KINDS; kind++) {
        if (!intern(&kind_names[kind], KIND_NAMES[kind])) return NULL;
    }
    if (!intern(&key_source, "source") || !intern(&key_lines, "lines") || !intern(&key_element, "element") ||
        !intern(&key_part, "part")) {
        return NULL;
    }
    return PyModule_Create(&definition);
}
