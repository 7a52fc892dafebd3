/* Tables: what their cells say is gathered here, how rows and columns stand is worked out in parse/html_tables.py. */

#include <string.h>

#include "reader.h"

#define ROOMY 500 /* characters of a cell on average above which a table without headers lays out a page */

static int is_value(const Reader *reader, Pos attribute, const char *value) {
    const Attribute *one = &reader->attributes.items[attribute];
    Pos length = (Pos)strlen(value);
    if (one->end - one->start != length) return 0;
    for (Pos i = 0; i < length; i++) {
        if (reader->source[one->start + i] != (Py_UCS4)(unsigned char)value[i]) return 0;
    }
    return 1;
}

int is_layout(Reader *reader, Pos table) {
    Pos role = attribute_of(reader, &reader->nodes.items[table], ATTR_ROLE);
    if (role != NONE) {
        if (reader->attributes.items[role].has_reference) give_up(reader);
        if (is_value(reader, role, "presentation") || is_value(reader, role, "none")) return 1;
    }
    Pos cells = 0, size = 0, past = reader->nodes.items[table].past;
    int is_headed = 0;
    for (Pos at = next_inside(reader, table); at < past; at = next_inside(reader, at)) {
        const Node *node = &reader->nodes.items[at];
        if (node->tag == TEXT) size += text_size(reader, node, 0);
        if (node->tag == TABLE || node->tag == PRE || rule_of(node->tag) == TITLED) return 1;
        cells += node->tag == TD || node->tag == TH;
        is_headed |= node->tag == TH || node->tag == CAPTIONS;
    }
    return cells <= 1 || (!is_headed && (int64_t)size > (int64_t)ROOMY * cells);
}

/* --- what is in a table ------------------------------------------------------------------------------------------ */

static void append(Reader *reader, PyObject *list, PyObject *value) {
    int done = value ? PyList_Append(list, value) : -1;
    Py_XDECREF(value);
    if (done < 0) leave(reader, FAILED);
}

/* (text, colspan, rowspan, whether it is a header) */
static void add_cell(Reader *reader, PyObject *row, Pos cell) {
    const Node *node = &reader->nodes.items[cell];
    inline_text(reader, &reader->cell, cell);
    PyObject *value = PyTuple_New(4);
    append(reader, row, value);
    if (!value) return;
    PyTuple_SET_ITEM(value, 0, PyUnicode_FromKindAndData(PyUnicode_4BYTE_KIND, reader->cell.items, reader->cell.count));
    PyTuple_SET_ITEM(value, 3, Py_NewRef(node->tag == TH ? Py_True : Py_False));
    PyTuple_SET_ITEM(value, 1, attribute_string(reader, node, ATTR_COLSPAN));
    PyTuple_SET_ITEM(value, 2, attribute_string(reader, node, ATTR_ROWSPAN));
    for (int i = 0; i < 3; i++) {
        if (!PyTuple_GET_ITEM(value, i)) leave(reader, FAILED);
    }
}

/* The next element among those side by side, from `at` on; `past` where there is none. */
static Pos next_element(const Reader *reader, Pos at, Pos past) {
    while (at < past && (reader->nodes.items[at].tag == TEXT || reader->nodes.items[at].is_gone)) {
        at = reader->nodes.items[at].past;
    }
    return at;
}

static void add_row(Reader *reader, PyObject *rows, Pos row) {
    PyObject *cells = PyList_New(0);
    append(reader, rows, cells); /* which keeps it */
    PUSH(reader, reader->rows, row);
    Pos past = reader->nodes.items[row].past;
    for (Pos at = next_element(reader, row + 1, past); at < past;) {
        int tag = reader->nodes.items[at].tag;
        if (tag == TD || tag == TH) add_cell(reader, cells, at);
        at = next_element(reader, reader->nodes.items[at].past, past);
    }
}

/* (whether it is a thead, its rows) for each part of a table. */
static PyObject *groups_of(Reader *reader, Pos table) {
    PyObject *groups = keep_long(reader, PyList_New(0));
    reader->rows.count = 0;
    Pos past = reader->nodes.items[table].past;
    for (Pos at = next_element(reader, table + 1, past); at < past;) {
        const Node *node = &reader->nodes.items[at];
        Pos end = node->past;
        if (node->tag == THEAD || node->tag == TBODY || node->tag == TFOOT) {
            PyObject *rows = PyList_New(0);
            PyObject *group = rows ? PyTuple_Pack(2, node->tag == THEAD ? Py_True : Py_False, rows) : NULL;
            Py_XDECREF(rows);
            append(reader, groups, group);
            for (Pos row = next_element(reader, at + 1, end); row < end;) {
                if (reader->nodes.items[row].tag == TR) add_row(reader, rows, row);
                row = next_element(reader, reader->nodes.items[row].past, end);
            }
        }
        at = next_element(reader, end, past);
    }
    return groups;
}

/* --- what is written of it --------------------------------------------------------------------------------------- */

static Pos id_or(const Reader *reader, Pos node, Pos name) {
    Pos id = reader->nodes.items[node].id;
    return id != NONE && !is_empty_attribute(reader, id) ? id : name;
}

static void write_caption(Reader *reader, Pos table, Pos name) {
    Pos past = reader->nodes.items[table].past;
    for (Pos at = next_inside(reader, table); at < past; at = next_inside(reader, at)) {
        if (reader->nodes.items[at].tag != CAPTIONS) continue;
        inline_text(reader, &reader->cell, at);
        if (reader->cell.count) {
            Pos place = place_of(reader, at, name);
            flow_ready(reader);
            write_line(reader, K_PARAGRAPH, 0, reader->cell.items, reader->cell.count, place);
        }
        return;
    }
}

static Pos row_at(Reader *reader, PyObject *number) {
    Py_ssize_t index = PyLong_AsSsize_t(number);
    if (index == -1 && PyErr_Occurred()) leave(reader, FAILED);
    if (index < 0 || index >= reader->rows.count) give_up(reader);
    return reader->rows.items[index];
}

static void write_titles(Reader *reader, PyObject *titles, Pos name) {
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(titles); i++) {
        PyObject *text, *number;
        if (!PyArg_ParseTuple(PyList_GET_ITEM(titles, i), "UO", &text, &number)) leave(reader, FAILED);
        Pos row = row_at(reader, number);
        Pos place = place_of(reader, row, id_or(reader, row, name));
        clear_line(&reader->cell);
        add_string(reader, &reader->cell, text);
        flow_ready(reader);
        write_line(reader, K_PARAGRAPH, 0, reader->cell.items, reader->cell.count, place);
    }
}

/* The place of a row; the last of its group ends with it, if it is not closed itself. */
static Pos row_place(Reader *reader, Pos row, Pos name) {
    Pos place = place_of(reader, row, id_or(reader, row, name));
    Pos group = reader->nodes.items[row].parent, past = reader->nodes.items[group].past;
    for (Pos at = next_element(reader, reader->nodes.items[row].past, past); at < past;) {
        if (reader->nodes.items[at].tag == TR) return place;
        at = next_element(reader, reader->nodes.items[at].past, past);
    }
    passed(reader, group, 1);
    return place;
}

/* The places of all rows, each in `found`. */
static void find_places(Reader *reader, PyObject *origins, Pos name) {
    reader->found.count = 0;
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(origins); i++) {
        PyObject *rows = PyList_GET_ITEM(origins, i);
        if (!PyList_Check(rows)) give_up(reader);
        for (Py_ssize_t j = 0; j < PyList_GET_SIZE(rows); j++) {
            Pos place = row_place(reader, row_at(reader, PyList_GET_ITEM(rows, j)), name);
            PUSH(reader, reader->found, place);
        }
    }
}

/* The places of all lines, in `rows`: of a header that is made of several rows, one around them; none for one that is
 * made up. */
static void join_places(Reader *reader, PyObject *origins) {
    Pos at = 0;
    reader->rows.count = 0;
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(origins); i++) {
        Pos count = (Pos)PyList_GET_SIZE(PyList_GET_ITEM(origins, i));
        Pos place = count ? reader->found.items[at] : NONE;
        if (count > 1) {
            Place hull = reader->places.items[place];
            hull.to = reader->places.items[reader->found.items[at + count - 1]].to;
            PUSH(reader, reader->places, hull);
            place = reader->places.count - 1;
        }
        PUSH(reader, reader->rows, place);
        at += count;
    }
}

static void write_rows(Reader *reader, PyObject *lines, Pos width) {
    flow_ready(reader);
    if (!PyList_GET_SIZE(lines)) return;
    open_block(reader, K_TABLE, 0, "", "", 0);
    Pos table = reader->open.items[reader->open.count - 1].index;
    open_block(reader, K_ROW, 0, "", "", 0);
    put_object(reader, PyList_GET_ITEM(lines, 0), reader->rows.items[0]);
    close_block(reader);
    emit_ascii(reader, "\n", 1);
    emit_margin(reader);
    emit_ascii(reader, "|", 1);
    for (Pos i = 0; i < width; i++) emit_ascii(reader, " --- |", 6);
    for (Py_ssize_t i = 1; i < PyList_GET_SIZE(lines); i++) {
        emit_ascii(reader, "\n", 1);
        emit_margin(reader);
        Pos start = reader->out.count, place = reader->rows.items[i];
        put_object(reader, PyList_GET_ITEM(lines, i), NONE);
        PUSH(reader, reader->blocks, (Written){start, reader->out.count, table, K_ROW, 0});
        if (place != NONE) PUSH(reader, reader->runs, (Run){start, reader->out.count, place});
    }
    close_block(reader);
}

void walk_table(Reader *reader, Pos table, Pos name) {
    PyObject *titles, *lines, *origins;
    Py_ssize_t width;
    int is_cut, is_ragged;
    write_caption(reader, table, name);
    PyObject *read = keep_long(reader, PyObject_CallOneArg(reader->call.table, groups_of(reader, table)));
    if (!PyTuple_Check(read)) give_up(reader);
    if (!PyArg_ParseTuple(read, "O!O!O!npp", &PyList_Type, &titles, &PyList_Type, &lines, &PyList_Type, &origins, &width,
                          &is_cut, &is_ragged)) {
        leave(reader, FAILED);
    }
    Py_ssize_t count = PyList_GET_SIZE(lines);
    if (is_ragged || width > INT32_MAX / 16 || (count && count != PyList_GET_SIZE(origins))) give_up(reader);
    reader->cut_tables += is_cut;
    write_titles(reader, titles, name);
    find_places(reader, origins, name);
    passed(reader, table, 1);
    join_places(reader, origins);
    write_rows(reader, lines, (Pos)width);
}
