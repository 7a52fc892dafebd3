/* All text in an element on one line, as `inline_text` in parse/html_tags.py. */

#include "reader.h"

Pos next_inside(const Reader *reader, Pos at) {
    at++;
    while (at < reader->nodes.count && reader->nodes.items[at].is_gone) at = reader->nodes.items[at].past;
    return at;
}

/* Whether words in an element stand apart from those beside it. */
static int is_spaced(int tag) {
    switch (TAG_INFO[tag].role) {
        case INLINE:
        case QUOTE:
        case BREAK:
        case IMAGE:
        case FIELD:
        case UNREAD: return 0;
        default: return 1;
    }
}

/* What a Python function makes of some attributes. */
static void add_shown(Reader *reader, Line *line, PyObject *function, const Node *node, const int *names, int count) {
    PyObject *arguments = hold(reader, PyTuple_New(count));
    for (int i = 0; i < count; i++) {
        PyObject *value = attribute_string(reader, node, names[i]);
        if (!value) leave(reader, FAILED);
        PyTuple_SET_ITEM(arguments, i, value);
    }
    PyObject *shown = hold(reader, PyObject_Call(function, arguments, NULL));
    if (!PyUnicode_Check(shown)) give_up(reader);
    add_string(reader, line, shown);
}

static const int IMAGE_NAMES[] = {ATTR_ALT, ATTR_CLASS, ATTR_SRC}, FIELD_NAMES[] = {ATTR_TYPE, ATTR_VALUE};

static int is_described(const Reader *reader, const Node *image) {
    Pos alt = attribute_of(reader, image, ATTR_ALT);
    return alt != NONE && !is_empty_attribute(reader, alt);
}

void add_replaced(Reader *reader, Line *line, const Node *node) {
    int role = TAG_INFO[node->tag].role;
    if (role == BREAK) {
        add_gap(line);
    } else if (role == FIELD) {
        add_shown(reader, line, reader->call.field, node, FIELD_NAMES, 2);
    } else if (is_described(reader, node)) {
        add_shown(reader, line, reader->call.image, node, IMAGE_NAMES, 2);
    }
}

void add_picture(Reader *reader, Line *line, const Node *node) {
    if (is_described(reader, node)) add_shown(reader, line, reader->call.picture, node, IMAGE_NAMES, 3);
}

void inline_text(Reader *reader, Line *line, Pos root) {
    clear_line(line);
    Pos past = reader->nodes.items[root].past, last = root;
    for (Pos at = next_inside(reader, root); at < past; at = next_inside(reader, at)) {
        const Node *node = &reader->nodes.items[at];
        for (; last != node->parent; last = reader->nodes.items[last].parent) {
            if (is_spaced(reader->nodes.items[last].tag)) add_gap(line);
        }
        last = at;
        int role = TAG_INFO[node->tag].role;
        if (node->tag == TEXT) {
            add_text(reader, line, node->start, node->start_end, node->has_reference);
        } else if (role == IMAGE || role == BREAK || role == FIELD) {
            add_replaced(reader, line, node);
        } else if (is_spaced(node->tag)) {
            add_gap(line);
        }
    }
}
