/* The elements of HTML inside Markdown, as blocks among those of a document.
   Tags are read into nodes, nodes become blocks. A tag is at least one `<`, so their number bounds every array here, and
   all are made before the first is filled. */

#include "kernels.h"

#include <string.h>

typedef Py_ssize_t Pos;

enum { DEEPEST = 24, SMALL = 48, LONGEST = 8000, KEY = 160, COLUMN_NAME = 40, MOST_FIELDS = 64 };

/* What is known of an element by its name. */
enum {
    BLOCK = 1, VOID = 2, RAW = 4, CELL = 8, GROUP = 16, ROW = 32, PARAGRAPH = 64, TERM = 128, ITEM = 256, TABLE = 512,
    HEAD = 1024, HEADER_CELL = 2048, DETAILS = 4096, SUMMARY = 8192, /* thead, th */
};

/* The names of each kind, a space on both sides of every one. */
static const struct {
    int flags;
    const char *names;
} KNOWN[] = {
    {VOID, " area br embed img input meta source wbr "},
    {BLOCK | VOID, " base basefont col frame hr link param track "},
    {BLOCK | RAW, " pre script style textarea "},
    {BLOCK | CELL, " td "},
    {BLOCK | CELL | HEADER_CELL, " th "},
    {BLOCK | GROUP, " tbody tfoot "},
    {BLOCK | GROUP | HEAD, " thead "},
    {BLOCK | ROW, " tr "},
    {BLOCK | PARAGRAPH, " p "},
    {BLOCK | TERM, " dt dd "},
    {BLOCK | ITEM, " li "},
    {BLOCK | TABLE, " table "},
    {BLOCK | DETAILS, " details "},
    {BLOCK | SUMMARY, " summary "},
    {BLOCK, " address article aside blockquote body caption center colgroup dialog dir div dl fieldset figcaption figure "
            "footer form frameset h1 h2 h3 h4 h5 h6 head header html iframe legend main menu menuitem nav noframes ol "
            "optgroup option search section title ul "},
};
enum { LONGEST_NAME = 10 };

/* Which open elements end where one of this name starts. */
static int implied_ends(int flags)
{
    if (flags & CELL)
        return CELL | PARAGRAPH;
    if (flags & TERM)
        return TERM | PARAGRAPH;
    if (flags & GROUP)
        return CELL | GROUP | ROW | PARAGRAPH;
    if (flags & ROW)
        return CELL | ROW | PARAGRAPH;
    return flags & ITEM ? ITEM | PARAGRAPH : 0;
}

/* The name of elements, in any case of its letters. */
typedef struct {
    Pos start, length; /* as it was written first */
    int flags;
    bool is_opened; /* of an element that is no block: whether one had a line of its own */
    Pos open;       /* how many are open */
} Name;

typedef struct {
    Pos name; /* its index */
    Pos start, end, written; /* `written`: letters of its name */
    bool closes;
} Tag;

/* A block of the document, with the tags in it if it is HTML. */
typedef struct {
    Pos block, after; /* its index, and that of the next one at the top */
    Pos start, end;
    Pos tags, last_tag;
    bool is_html, is_heading;
} Top;

/* An element, or a block that is no HTML: then `top` is its place. Index 0 is the root of a tree. */
typedef struct {
    Pos name, written;
    Pos start, open_end, end;
    Pos top;
    Pos first, last, next; /* children and sibling */
} Node;

typedef struct {
    PyObject *blocks, *block_type, *enclosure_type, *no_detail;
    Pos places[3]; /* of enclosure, name and header_end in a detail */
    PyObject *text;
    const void *data;
    int width; /* of a code point in memory */
    Pos length;
    Top *tops;
    Pos top_count;
    Tag *tags;
    Pos tag_count;
    Name *names;
    Pos name_count, *slots, slot_mask;
    Node *nodes;
    Pos node_count;
    Pos *stack, *stack_tops, (*regions)[2];
    Pos allowance; /* characters that may be read in vain */
    PyObject *out;
} Reader;

/* --- text --------------------------------------------------------------------------------------------------------- */

static Py_UCS4 at(const Reader *reader, Pos place) { return PyUnicode_READ(reader->width, reader->data, place); }

static Py_UCS4 lower(Py_UCS4 c) { return c >= 'A' && c <= 'Z' ? c + 32 : c; }
static bool is_letter(Py_UCS4 c) { return lower(c) >= 'a' && lower(c) <= 'z'; }
static bool is_line_end(Py_UCS4 c) { return c == '\n' || c == '\r'; }

static bool is_name_part(Py_UCS4 c)
{
    return is_letter(c) || (c >= '0' && c <= '9') || c == '_' || c == '.' || c == ':' || c == '-';
}

static bool starts_line(const Reader *reader, Pos place, Pos start)
{
    while (place > start && (at(reader, place - 1) == ' ' || at(reader, place - 1) == '\t'))
        place--;
    return place == start || is_line_end(at(reader, place - 1));
}

static bool ends_line(const Reader *reader, Pos place, Pos end)
{
    while (place < end && (at(reader, place) == ' ' || at(reader, place) == '\t'))
        place++;
    return place == end || is_line_end(at(reader, place));
}

static Pos trimmed(const Reader *reader, Pos start, Pos end)
{
    while (end > start && Py_UNICODE_ISSPACE(at(reader, end - 1)))
        end--;
    return end;
}

static Pos find(const Reader *reader, Py_UCS4 c, Pos start, Pos end)
{
    return start < end ? PyUnicode_FindChar(reader->text, c, start, end, 1) : -1;
}

static bool holds(const Reader *reader, Pos place, Pos end, const char *word)
{
    for (; *word; word++, place++) {
        if (place >= end || at(reader, place) != (Py_UCS4)*word)
            return false;
    }
    return true;
}

/* After a tag whose name starts at `place`, with all that its attributes quote; -1 where it does not end before `end`. */
static Pos tag_end(const Reader *reader, Pos place, Pos end)
{
    while (place < end) {
        Py_UCS4 c = at(reader, place);
        if (c == '>')
            return place + 1;
        if (c == '<' || c == '}')
            return -1;
        if (c == '"' || c == '\'') {
            Pos close = find(reader, c, place + 1, end);
            if (close < 0)
                return -1;
            place = close + 1;
        } else if (c == '{') {
            Pos inner = place + 2;
            if (inner < end && at(reader, place + 1) == '{') { /* {{ ... }} without braces inside */
                while (inner < end && at(reader, inner) != '{' && at(reader, inner) != '}')
                    inner++;
                if (holds(reader, inner, end, "}}")) {
                    place = inner + 2;
                    continue;
                }
            }
            int deep = 1; /* { ... { ... } ... } */
            for (inner = place + 1; inner < end && deep > 0; inner++) {
                if (at(reader, inner) == '{' && ++deep > 2)
                    return -1;
                deep -= at(reader, inner) == '}';
            }
            if (deep)
                return -1;
            place = inner;
        } else {
            place++;
        }
    }
    return -1;
}

/* --- names --------------------------------------------------------------------------------------------------------- */

static bool is_same_name(const Reader *reader, const Name *name, Pos start, Pos length)
{
    for (Pos i = 0; i < length && name->length == length; i++) {
        if (lower(at(reader, name->start + i)) != lower(at(reader, start + i)))
            return false;
    }
    return name->length == length;
}

static int flags_of_name(const Reader *reader, Pos start, Pos length)
{
    char name[LONGEST_NAME + 3] = " ";
    if (length > LONGEST_NAME)
        return 0;
    for (Pos i = 0; i < length; i++)
        name[i + 1] = (char)lower(at(reader, start + i));
    name[length + 1] = ' ';
    for (size_t i = 0; i < sizeof KNOWN / sizeof *KNOWN; i++) {
        if (strstr(KNOWN[i].names, name))
            return KNOWN[i].flags;
    }
    return 0;
}

/* The index of a name, which is new where it was not met. */
static Pos name_at(Reader *reader, Pos start, Pos length)
{
    uint64_t hash = 14695981039346656037u;
    for (Pos i = 0; i < length; i++)
        hash = (hash ^ lower(at(reader, start + i))) * 1099511628211u;
    Pos slot = (Pos)((hash ^ hash >> 29) & (uint64_t)reader->slot_mask);
    for (; reader->slots[slot] >= 0; slot = (slot + 1) & reader->slot_mask) {
        if (is_same_name(reader, &reader->names[reader->slots[slot]], start, length))
            return reader->slots[slot];
    }
    reader->names[reader->name_count] =
        (Name){.start = start, .length = length, .flags = flags_of_name(reader, start, length)};
    return reader->slots[slot] = reader->name_count++;
}

/* --- tags ---------------------------------------------------------------------------------------------------------- */

/* Where the closing tag starts of an element that holds no others: as it was opened, else in capitals. */
static Pos find_close(const Reader *reader, Pos written, Pos length, Pos start, Pos end)
{
    for (int capitals = 0; capitals < 2; capitals++) {
        for (Pos place = find(reader, '<', start, end); place >= 0; place = find(reader, '<', place + 1, end)) {
            if (place + 2 + length > end || at(reader, place + 1) != '/')
                continue;
            Pos i = 0;
            for (; i < length; i++) {
                Py_UCS4 c = at(reader, written + i);
                if (at(reader, place + 2 + i) != (capitals && c >= 'a' && c <= 'z' ? c - 32 : c))
                    break;
            }
            if (i == length)
                return place;
        }
    }
    return -1;
}

/* The tags of a block that give it structure. False where a name has letters beyond ASCII: Python reads those. */
static bool read_tags(Reader *reader, Top *top)
{
    Pos until = top->start, end = top->end, next;
    top->tags = reader->tag_count;
    for (Pos place = find(reader, '<', top->start, end); place >= 0; place = find(reader, '<', next, end)) {
        next = place + 1;
        bool is_comment = holds(reader, place, end, "<!--"), closes = next < end && at(reader, next) == '/';
        Pos name_start = next + closes, name_end = name_start;
        if (is_comment) {
            next = place + 4;
        } else {
            if (name_start >= end || !is_letter(at(reader, name_start)))
                continue;
            while (name_end < end && is_name_part(at(reader, name_end)))
                name_end++;
            if (name_end < end && at(reader, name_end) >= 0x80)
                return false;
            next = name_end;
        }
        if (place < until)
            continue;
        if (is_comment) {
            Pos close = place + 4;
            while ((close = find(reader, '-', close, end)) >= 0 && !holds(reader, close, end, "-->"))
                close++;
            until = close < 0 ? end : close + 3;
            continue;
        }
        Pos index = name_at(reader, name_start, name_end - name_start);
        Name *name = &reader->names[index];
        bool is_block = name->flags & BLOCK;
        Tag tag = {.name = index, .start = place, .written = name_end - name_start, .closes = closes};
        if (closes) {
            Pos close = is_block || name->is_opened ? find(reader, '>', place, end) : -1;
            tag.end = close + 1;
            if (close >= 0 && !(name->flags & VOID))
                reader->tags[reader->tag_count++] = tag;
            continue;
        }
        if (name->flags & VOID || !(is_block || starts_line(reader, place, top->start)))
            continue;
        Pos most = end - place > LONGEST ? place + LONGEST : end;
        tag.end = reader->allowance > 0 ? tag_end(reader, name_end, most) : -1;
        if (tag.end < 0)
            reader->allowance -= most - place;
        if (tag.end < 0 || at(reader, tag.end - 2) == '/') {
            until = tag.end > place ? tag.end : place;
            continue;
        }
        if (!is_block) {
            if (!ends_line(reader, tag.end, end))
                continue;
            name->is_opened = true;
        }
        until = tag.end;
        reader->tags[reader->tag_count++] = tag;
        if (name->flags & RAW) {
            Pos close = find_close(reader, name_start, name_end - name_start, tag.end, end);
            until = close < 0 ? end : close;
        }
    }
    top->last_tag = reader->tag_count;
    return true;
}

/* --- trees --------------------------------------------------------------------------------------------------------- */

static Pos add_node(Reader *reader, Pos parent, Node node)
{
    node.first = node.last = node.next = -1;
    Pos index = reader->node_count++;
    reader->nodes[index] = node;
    if (parent >= 0) {
        Node *around = &reader->nodes[parent];
        if (around->last >= 0)
            reader->nodes[around->last].next = index;
        else
            around->first = index;
        around->last = index;
    }
    return index;
}

static int flags_of(const Reader *reader, Pos node)
{
    Pos name = reader->nodes[node].name;
    return name >= 0 ? reader->names[name].flags : 0;
}

static Pos end_node(Reader *reader, Pos depth, Pos place)
{
    Node *node = &reader->nodes[reader->stack[depth]];
    reader->names[node->name].open--;
    node->end = trimmed(reader, node->open_end, place);
    return depth - 1;
}

/* The elements of neighbouring blocks, in the arrays of the reader; node 0 stands for all of them. */
static void make_tree(Reader *reader, Pos first, Pos last)
{
    Pos start = reader->tops[first].start, end = reader->tops[last].end, depth = 0;
    reader->node_count = 0;
    reader->stack[0] = add_node(reader, -1, (Node){.name = -1, .start = start, .open_end = start, .end = end, .top = -1});
    for (Pos place = first; place <= last; place++) {
        const Top *top = &reader->tops[place];
        if (!top->is_html) {
            Pos around = reader->stack[depth < DEEPEST ? depth : DEEPEST];
            add_node(reader, around, (Node){.name = -1, .top = place});
        }
        for (Pos i = top->tags; i < top->last_tag; i++) {
            const Tag *tag = &reader->tags[i];
            if (tag->closes) { /* the innermost element of that name, and those that were left open in it */
                if (!reader->names[tag->name].open)
                    continue;
                while (reader->nodes[reader->stack[depth]].name != tag->name)
                    depth = end_node(reader, depth, tag->start);
                depth = end_node(reader, depth, tag->end);
                continue;
            }
            int implied = implied_ends(reader->names[tag->name].flags);
            while (flags_of(reader, reader->stack[depth]) & implied)
                depth = end_node(reader, depth, tag->start);
            Node node = {
                .name = tag->name, .written = tag->written, .start = tag->start, .open_end = tag->end, .end = end, .top = -1};
            /* deeper ones are text of the last that is not */
            Pos index = add_node(reader, depth < DEEPEST ? reader->stack[depth] : -1, node);
            reader->stack[++depth] = index;
            reader->names[tag->name].open++;
        }
    }
    for (; depth > 0; depth--)
        reader->names[reader->nodes[reader->stack[depth]].name].open--;
}

/* --- blocks -------------------------------------------------------------------------------------------------------- */

static bool append(Reader *reader, PyObject *block)
{
    bool is_added = block && PyList_Append(reader->out, block) == 0;
    Py_XDECREF(block);
    return is_added;
}

/* A named tuple of these values, which are given away. */
static PyObject *record(PyObject *type, Pos count, PyObject **values)
{
    PyObject *made = ((PyTypeObject *)type)->tp_alloc((PyTypeObject *)type, count);
    bool is_whole = made != NULL;
    for (Pos i = 0; i < count; i++) {
        is_whole = is_whole && values[i];
        if (made)
            PyTuple_SET_ITEM(made, i, values[i]);
        else
            Py_XDECREF(values[i]);
    }
    if (!is_whole)
        Py_CLEAR(made);
    else
        PyObject_GC_UnTrack(made); /* it holds no cycle */
    return made;
}

static PyObject *kind_names[3];
enum { HTML_KIND, TABLE_KIND, ROW_KIND };

bool prepare_elements(void)
{
    const char *const names[] = {"html", "table", "row"};
    for (int i = 0; i < 3; i++) {
        if (!kind_names[i] && !(kind_names[i] = PyUnicode_InternFromString(names[i])))
            return false;
    }
    return true;
}

static PyObject *block_of(Reader *reader, int kind, Pos start, Pos end, Pos parent, PyObject *detail)
{
    PyObject *values[] = {Py_NewRef(kind_names[kind]), PyLong_FromSsize_t(start),  PyLong_FromSsize_t(end),
                          PyLong_FromLong(0),          PyLong_FromSsize_t(parent), detail};
    return record(reader->block_type, 6, values);
}

/* A detail with what encloses an element, its name, and for a table the end of its header. */
static PyObject *detail_of(Reader *reader, const Node *node, Pos after, Pos header_end)
{
    PyObject *written = PyUnicode_Substring(reader->text, node->start + 1, node->start + 1 + node->written);
    PyObject *close = written ? PyUnicode_FromFormat("</%U>", written) : NULL;
    PyObject *ends[] = {PyLong_FromSsize_t(node->start), PyLong_FromSsize_t(after), close};
    PyObject *own[] = {record(reader->enclosure_type, 3, ends), written,
                       header_end >= 0 ? PyLong_FromSsize_t(header_end) : Py_NewRef(Py_None)};
    PyObject *values[MOST_FIELDS];
    Pos count = PyTuple_GET_SIZE(reader->no_detail);
    for (Pos i = 0; i < count; i++)
        values[i] = Py_NewRef(PyTuple_GET_ITEM(reader->no_detail, i));
    for (int i = 0; i < 3; i++)
        Py_XSETREF(values[reader->places[i]], own[i]);
    return record((PyObject *)Py_TYPE(reader->no_detail), count, values);
}

/* A block that is no HTML with all that is in it, under `home`, or at the top where that is -1. */
static bool add_block(Reader *reader, const Top *top, Pos home)
{
    Pos moved = PyList_GET_SIZE(reader->out) - top->block;
    for (Pos i = top->block; i < top->after; i++) {
        PyObject *block = PyList_GET_ITEM(reader->blocks, i);
        Pos parent = PyLong_AsSsize_t(PyTuple_GET_ITEM(block, 4));
        Pos wanted = parent < 0 ? home : parent + moved;
        if (wanted == parent) {
            if (PyList_Append(reader->out, block) < 0)
                return false;
            continue;
        }
        PyObject *values[6];
        for (int j = 0; j < 6; j++)
            values[j] = j == 4 ? PyLong_FromSsize_t(wanted) : Py_NewRef(PyTuple_GET_ITEM(block, j));
        if (!append(reader, record(reader->block_type, 6, values)))
            return false;
    }
    return true;
}

static bool is_element(const Reader *reader, Pos node) { return reader->nodes[node].top < 0; }

static Pos next_element(const Reader *reader, Pos node)
{
    while (node >= 0 && !is_element(reader, node))
        node = reader->nodes[node].next;
    return node;
}

static Pos first_element(const Reader *reader, Pos node) { return next_element(reader, reader->nodes[node].first); }

static Pos element_after(const Reader *reader, Pos node) { return next_element(reader, reader->nodes[node].next); }

static bool holds_markdown(const Reader *reader, Pos node)
{
    for (Pos child = reader->nodes[node].first; child >= 0; child = reader->nodes[child].next) {
        if (!is_element(reader, child) || holds_markdown(reader, child))
            return true;
    }
    return false;
}

static Pos count_elements(const Reader *reader, Pos node)
{
    Pos count = 0;
    for (Pos child = first_element(reader, node); child >= 0; child = element_after(reader, child))
        count++;
    return count;
}

/* Whether a cell without its tags is a short text. */
static bool is_column_name(const Reader *reader, const Node *cell)
{
    if (cell->end - cell->open_end > LONGEST)
        return false;
    Pos place = cell->open_end, size = 0, shown = 0; /* `shown`: without white space at the end */
    while (place < cell->end) {
        if (at(reader, place) == '<') {
            Pos name = place + 1;
            name += name < cell->end && at(reader, name) == '/';
            Pos end = name < cell->end && is_letter(at(reader, name)) ? tag_end(reader, name, cell->end) : -1;
            if (end >= 0) {
                place = end;
                continue;
            }
        }
        Py_UCS4 c = at(reader, place++); /* what asks for white space reads its argument twice */
        size += size > 0 || !Py_UNICODE_ISSPACE(c);
        if (!Py_UNICODE_ISSPACE(c))
            shown = size;
    }
    return shown > 0 && shown <= COLUMN_NAME;
}

/* Whether a row of ordinary cells reads as a header: one short text for each cell of the row below. */
static bool names_columns(const Reader *reader, Pos row, Pos below)
{
    Pos cells = count_elements(reader, row);
    if (cells < 2 || cells != count_elements(reader, below))
        return false;
    for (Pos cell = first_element(reader, row); cell >= 0; cell = element_after(reader, cell)) {
        if (!is_column_name(reader, &reader->nodes[cell]))
            return false;
    }
    return true;
}

static bool is_header_row(const Reader *reader, Pos row)
{
    for (Pos cell = first_element(reader, row); cell >= 0; cell = element_after(reader, cell)) {
        if (!(flags_of(reader, cell) & HEADER_CELL))
            return false;
    }
    return true;
}

/* Where the header of a table ends: its start where it has none; -1 where it has no rows. */
static Pos header_end(Reader *reader, Pos table)
{
    Pos *rows = reader->stack, count = 0, heads = 0, start = reader->nodes[table].start; /* no tree is being made */
    for (Pos child = first_element(reader, table); child >= 0; child = element_after(reader, child)) {
        int flags = flags_of(reader, child);
        bool heads_only = heads == count;
        if (flags & ROW)
            rows[count++] = child;
        for (Pos row = flags & GROUP ? first_element(reader, child) : -1; row >= 0; row = element_after(reader, row)) {
            if (flags_of(reader, row) & ROW)
                rows[count++] = row;
        }
        if (flags & HEAD && heads_only)
            heads = count;
    }
    while (heads < count && is_header_row(reader, rows[heads]))
        heads++;
    if (!heads && count > 1 && names_columns(reader, rows[0], rows[1]))
        heads = 1;
    if (!count)
        return -1;
    return heads && heads < count ? trimmed(reader, start, reader->nodes[rows[heads]].start) : start;
}

/* Where the first cell of a row ends, if it is small and there are others; else 0. */
static Pos key_end(const Reader *reader, Pos row)
{
    Pos first = -1, cells = 0;
    for (Pos cell = first_element(reader, row); cell >= 0; cell = element_after(reader, cell)) {
        if (!(flags_of(reader, cell) & CELL))
            continue;
        first = first < 0 ? cell : first;
        cells++;
    }
    if (cells < 2 || reader->nodes[first].end - reader->nodes[first].start > KEY || holds_markdown(reader, first))
        return 0;
    return reader->nodes[first].end;
}

/* Where the summary ends that details start with, if it is short; else 0. */
static Pos summary_end(const Reader *reader, Pos details)
{
    Pos first = first_element(reader, details);
    if (first < 0 || !(flags_of(reader, first) & SUMMARY))
        return 0;
    Pos end = reader->nodes[first].end;
    return end - reader->nodes[details].start <= KEY ? end : 0;
}

/* Whether an element is worth a block: a large one, a row, a cell of a large row. */
static bool is_kept(const Reader *reader, Pos node, Pos around, Pos after)
{
    int flags = flags_of(reader, node);
    const Node *large = &reader->nodes[flags & CELL ? around : node];
    return reader->nodes[node].start >= after && (large->end - large->start > SMALL || flags & (TABLE | ROW));
}

static bool add_children(Reader *reader, Pos node, Pos home, Pos after);

static bool add_element(Reader *reader, Pos index, Pos parent, bool in_table, Pos start)
{
    const Node *node = &reader->nodes[index];
    int flags = flags_of(reader, index), kind = HTML_KIND;
    Pos after = node->open_end, header = -1, inner = 0;
    if (flags & TABLE) {
        header = header_end(reader, index);
        kind = header >= 0 ? TABLE_KIND : HTML_KIND;
    } else if (flags & ROW && in_table) {
        kind = ROW_KIND;
        inner = key_end(reader, index);
    } else if (flags & DETAILS) {
        inner = summary_end(reader, index);
    }
    after = inner ? inner : after;
    PyObject *detail = detail_of(reader, node, after, header);
    if (!detail)
        return false;
    Pos home = PyList_GET_SIZE(reader->out);
    return append(reader, block_of(reader, kind, start, node->end, parent, detail)) &&
           add_children(reader, index, home, after);
}

/* What is in an element; what starts before `after` is repeated with its opening and not told apart. */
static bool add_children(Reader *reader, Pos node, Pos home, Pos after)
{
    bool in_table = PyTuple_GET_ITEM(PyList_GET_ITEM(reader->out, home), 0) == kind_names[TABLE_KIND];
    bool is_added = true;
    for (Pos child = reader->nodes[node].first; is_added && child >= 0; child = reader->nodes[child].next) {
        if (!is_element(reader, child))
            is_added = add_block(reader, &reader->tops[reader->nodes[child].top], home);
        else if (!(flags_of(reader, child) & GROUP) && is_kept(reader, child, node, after))
            is_added = add_element(reader, child, home, in_table, reader->nodes[child].start);
        else
            is_added = add_children(reader, child, home, after);
    }
    return is_added;
}

/* The blocks of the tree of neighbouring blocks. An element that fills it stands for it. */
static bool add_tree(Reader *reader, Pos first, Pos last)
{
    make_tree(reader, first, last);
    const Node *root = &reader->nodes[0];
    Pos only = root->first;
    if (only >= 0 && only == root->last && is_element(reader, only) && reader->nodes[only].end == root->end) {
        Pos place = root->start;
        while (place < reader->nodes[only].start &&
               (at(reader, place) == ' ' || at(reader, place) == '\t' || at(reader, place) == 0xfeff))
            place++;
        if (place == reader->nodes[only].start)
            return add_element(reader, only, -1, false, root->start);
    }
    Pos home = PyList_GET_SIZE(reader->out);
    PyObject *block = block_of(reader, HTML_KIND, root->start, root->end, -1, Py_NewRef(Py_None));
    return append(reader, block) && add_children(reader, 0, home, root->start);
}

/* --- the steps ----------------------------------------------------------------------------------------------------- */

/* Runs of blocks in which elements go over more than one, in `regions`; how many. */
static Pos find_regions(Reader *reader)
{
    Pos found = 0, depth = 0;
    for (Pos place = 0; place < reader->top_count; place++) {
        const Top *top = &reader->tops[place];
        while (top->is_heading && depth > 0)
            reader->names[reader->stack[--depth]].open--;
        for (Pos i = top->tags; i < top->last_tag; i++) {
            Pos name = reader->tags[i].name, opened;
            if (!reader->tags[i].closes) {
                reader->stack_tops[depth] = place;
                reader->stack[depth++] = name;
                reader->names[name].open++;
            } else if (reader->names[name].open) {
                do {
                    opened = reader->stack[--depth];
                    reader->names[opened].open--;
                } while (opened != name);
                Pos first = reader->stack_tops[depth];
                if (first == place)
                    continue;
                while (found && reader->regions[found - 1][1] >= first) {
                    found--;
                    first = reader->regions[found][0] < first ? reader->regions[found][0] : first;
                }
                reader->regions[found][0] = first;
                reader->regions[found++][1] = place;
            }
        }
    }
    while (depth > 0)
        reader->names[reader->stack[--depth]].open--;
    return found;
}

static bool add_all(Reader *reader, Pos regions)
{
    Pos place = 0;
    for (Pos i = 0; i <= regions; i++) {
        Pos first = i < regions ? reader->regions[i][0] : reader->top_count;
        for (; place < first; place++) {
            const Top *top = &reader->tops[place];
            if (!(top->last_tag > top->tags ? add_tree(reader, place, place) : add_block(reader, top, -1)))
                return false;
        }
        if (i < regions) {
            if (!add_tree(reader, first, reader->regions[i][1]))
                return false;
            place = reader->regions[i][1] + 1;
        }
    }
    return true;
}

/* The blocks at the top, and how many `<` stand in those that are HTML; -1 with an exception set. */
static Pos find_tops(Reader *reader)
{
    Pos count = PyList_GET_SIZE(reader->blocks), marks = 0;
    for (Pos i = 0; i < count; i++) {
        PyObject *block = PyList_GET_ITEM(reader->blocks, i);
        if (!PyTuple_Check(block) || PyTuple_GET_SIZE(block) != 6 || !PyUnicode_Check(PyTuple_GET_ITEM(block, 0))) {
            PyErr_SetString(PyExc_TypeError, "expected blocks");
            return -1;
        }
        Pos start = PyLong_AsSsize_t(PyTuple_GET_ITEM(block, 1)), end = PyLong_AsSsize_t(PyTuple_GET_ITEM(block, 2));
        Pos parent = PyLong_AsSsize_t(PyTuple_GET_ITEM(block, 4));
        if (PyErr_Occurred())
            return -1;
        if (start < 0 || start > end || end > reader->length || parent >= i) {
            PyErr_SetString(PyExc_ValueError, "expected blocks of the text");
            return -1;
        }
        if (parent >= 0)
            continue;
        if (reader->top_count)
            reader->tops[reader->top_count - 1].after = i;
        PyObject *kind = PyTuple_GET_ITEM(block, 0);
        Top top = {.block = i, .after = count, .start = start, .end = end};
        top.is_heading = PyUnicode_CompareWithASCIIString(kind, "heading") == 0;
        if (PyUnicode_CompareWithASCIIString(kind, "html") == 0) {
            Pos place = start;
            while (place < end && (at(reader, place) == ' ' || at(reader, place) == '\t' || at(reader, place) == 0xfeff))
                place++;
            top.is_html = !holds(reader, place, reader->length, "<!--");
            for (place = start; top.is_html && (place = find(reader, '<', place, end)) >= 0; place++)
                marks++;
        }
        reader->tops[reader->top_count++] = top;
    }
    return marks;
}

static bool has_room(Reader *reader, Pos marks)
{
    Pos slots = 16;
    while (slots < 2 * marks)
        slots *= 2;
    reader->slot_mask = slots - 1;
    reader->tags = PyMem_New(Tag, marks + 1);
    reader->names = PyMem_New(Name, marks + 1);
    reader->slots = PyMem_New(Pos, slots);
    reader->nodes = PyMem_New(Node, marks + reader->top_count + 1);
    reader->stack = PyMem_New(Pos, marks + 2);
    reader->stack_tops = PyMem_New(Pos, marks + 2);
    reader->regions = PyMem_Malloc((size_t)(reader->top_count + 1) * sizeof *reader->regions);
    if (reader->slots)
        memset(reader->slots, -1, (size_t)slots * sizeof *reader->slots);
    return reader->tags && reader->names && reader->slots && reader->nodes && reader->stack && reader->stack_tops &&
           reader->regions;
}

static void release_reader(Reader *reader)
{
    void *owned[] = {reader->tops,  reader->tags,       reader->names,   reader->slots, reader->nodes,
                     reader->stack, reader->stack_tops, reader->regions};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++)
        PyMem_Free(owned[i]);
}

PyObject *add_elements(PyObject *module, PyObject *args)
{
    (void)module;
    Reader reader = {0};
    if (!PyArg_ParseTuple(args, "UO!O!O!O!(nnn):add_elements", &reader.text, &PyList_Type, &reader.blocks, &PyType_Type,
                          &reader.block_type, &PyType_Type, &reader.enclosure_type, &PyTuple_Type, &reader.no_detail,
                          &reader.places[0], &reader.places[1], &reader.places[2]))
        return NULL;
    if (!PyType_IsSubtype((PyTypeObject *)reader.block_type, &PyTuple_Type) ||
        !PyType_IsSubtype((PyTypeObject *)reader.enclosure_type, &PyTuple_Type))
        return PyErr_Format(PyExc_TypeError, "expected subclasses of tuple");
    Pos fields = PyTuple_GET_SIZE(reader.no_detail);
    for (int i = 0; i < 3; i++) {
        if (fields > MOST_FIELDS || reader.places[i] < 0 || reader.places[i] >= fields)
            return PyErr_Format(PyExc_ValueError, "expected places in a detail");
    }
    reader.data = PyUnicode_DATA(reader.text);
    reader.width = PyUnicode_KIND(reader.text);
    reader.length = PyUnicode_GET_LENGTH(reader.text);
    reader.allowance = 2 * reader.length + 10000;
    reader.tops = PyMem_New(Top, PyList_GET_SIZE(reader.blocks) + 1);
    if (!reader.tops)
        return PyErr_NoMemory();
    Pos marks = find_tops(&reader);
    PyObject *found = NULL;
    if (marks >= 0 && !has_room(&reader, marks)) {
        PyErr_NoMemory();
    } else if (marks >= 0) {
        bool is_mine = true;
        for (Pos i = 0; is_mine && i < reader.top_count; i++)
            is_mine = !reader.tops[i].is_html || read_tags(&reader, &reader.tops[i]);
        if (!is_mine)
            found = Py_NewRef(Py_None);
        else if ((reader.out = PyList_New(0)) && add_all(&reader, find_regions(&reader)))
            found = Py_NewRef(reader.out);
    }
    Py_XDECREF(reader.out);
    release_reader(&reader);
    return found;
}
