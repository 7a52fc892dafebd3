/* The tree of a page from its first node to its last, as blocks: what parse/html_walk.py does. */

#include "reader.h"

/* The attribute that holds the id of a node, NONE where it has none or an empty one. */
static Pos id_of(const Reader *reader, const Node *node) {
    return node->id != NONE && !is_empty_attribute(reader, node->id) ? node->id : NONE;
}

static void note_id(Reader *reader, const Node *node) {
    if (reader->inner_id == NONE) reader->inner_id = id_of(reader, node);
}

/* The id to cite a block by: its own, the first inside it, else of the nearest element around. */
static Pos name_of(Reader *reader, Pos node) {
    Pos own = node != NONE ? id_of(reader, &reader->nodes.items[node]) : NONE, inner = reader->inner_id;
    reader->inner_id = NONE;
    return own != NONE ? own : inner != NONE ? inner : reader->id;
}

/* --- running text ------------------------------------------------------------------------------------------------ */

static void clear_running(Reader *reader) {
    clear_line(&reader->line);
    reader->breaks.count = 0;
}

/* Lines [first, last) of the running text as one block, in `ends` where each ends. */
static void write_running(Reader *reader, Pos start, Pos *ends, Pos count, Pos place) {
    Kind kind = reader->figures ? K_FIGURE : K_PARAGRAPH;
    const Py_UCS4 *text = reader->line.items + start;
    flow_ready(reader);
    if (count == 1) {
        write_line(reader, kind, 0, text, ends[0] - start, place);
        return;
    }
    for (Pos i = 0; i < count; i++) ends[i] -= start;
    write_lines(reader, kind, text, ends, count, place);
}

/* Text in which lines are broken: two breaks divide paragraphs. The last break is the end of the text. */
static void write_broken(Reader *reader, Pos place) {
    Pos *ends = reader->breaks.items, count = reader->breaks.count;
    Pos start = 0, first = 0, before = 0;
    for (Pos i = 0; i < count; i++) {
        Pos end = ends[i];
        if (end == before) { /* an empty line */
            if (i > first) write_running(reader, start, ends + first, i - first, place);
            first = i + 1;
            start = end;
        }
        before = end;
    }
    if (count > first) write_running(reader, start, ends + first, count - first, place);
}

static void flush(Reader *reader, Pos node, int is_end) {
    if (reader->line.count) {
        Pos place = place_around(reader, node, is_end, name_of(reader, is_end ? node : NONE));
        PUSH(reader, reader->breaks, reader->line.count);
        write_broken(reader, place);
    }
    clear_running(reader);
    passed(reader, node, is_end);
}

/* --- blocks ------------------------------------------------------------------------------------------------------ */

static void enter_block(Reader *reader, Pos node) {
    flush(reader, node, 0);
    Pos id = id_of(reader, &reader->nodes.items[node]);
    if (id != NONE) reader->id = id;
}

static void walk_heading(Reader *reader, Pos index) {
    flush(reader, index, 0);
    Pos past = reader->nodes.items[index].past, inner = NONE;
    for (Pos at = next_inside(reader, index); at < past; at = next_inside(reader, at)) {
        const Node *node = &reader->nodes.items[at];
        if (has_flag(node->tag, HEAVY)) give_up(reader);
        if (inner == NONE && node->id != NONE) inner = at;
    }
    inline_text(reader, &reader->cell, index);
    if (reader->cell.count) {
        int level = reader->nodes.items[index].tag - H1 + 1;
        Pos own = id_of(reader, &reader->nodes.items[index]);
        if (own == NONE && reader->inner_id == NONE && inner != NONE) note_id(reader, &reader->nodes.items[inner]);
        Pos place = place_of(reader, index, name_of(reader, index));
        close_frames(reader);
        write_line(reader, K_HEADING, level, reader->cell.items, reader->cell.count, place);
        if (level == 1 && reader->first_heading == NONE) {
            reader->first_heading = reader->out.count - reader->cell.count;
            reader->first_heading_end = reader->out.count;
        }
    }
    clear_line(&reader->cell);
    passed(reader, index, 1);
}

static void walk_image(Reader *reader, Pos index) {
    const Node *node = &reader->nodes.items[index];
    note_id(reader, node);
    clear_line(&reader->cell);
    add_picture(reader, &reader->cell, node);
    Line *shown = &reader->cell;
    if (!shown->count) return;
    Pos mark = shown->items[0] == '!' && shown->count > 1; /* of a picture whose address is known */
    if (reader->line.count || reader->figures || shown->items[mark] != '[') {
        PyObject *text = hold(reader, PyUnicode_FromKindAndData(PyUnicode_4BYTE_KIND, shown->items, shown->count));
        add_string(reader, &reader->line, text);
        return;
    }
    clear_running(reader);
    Pos place = place_of(reader, index, name_of(reader, index));
    flow_ready(reader);
    write_line(reader, K_FIGURE, 0, shown->items, shown->count, place);
}

static void walk_rule(Reader *reader, Pos index) {
    static const Py_UCS4 DASHES[] = {'-', '-', '-'};
    flush(reader, index, 0);
    Pos place = place_of(reader, index, name_of(reader, index)), end = 3;
    flow_ready(reader);
    write_lines(reader, K_RULE, DASHES, &end, 1, place);
}

/* --- code -------------------------------------------------------------------------------------------------------- */

/* All text in an element as it is, into `cell`. */
static void take_verbatim(Reader *reader, Pos index) {
    Line *line = &reader->cell;
    clear_line(line);
    Pos past = reader->nodes.items[index].past;
    for (Pos at = next_inside(reader, index); at < past; at = next_inside(reader, at)) {
        const Node *node = &reader->nodes.items[at];
        if (node->tag == BR) {
            line->items = room_for(reader, line->items, line->count, 1, &line->room, sizeof *line->items);
            line->items[line->count++] = '\n';
        }
        if (node->tag != TEXT) continue;
        Pos size = node->start_end - node->start;
        line->items = room_for(reader, line->items, line->count, 2 * size + 2, &line->room, sizeof *line->items);
        for (Pos from = node->start; from < node->start_end;) {
            Py_UCS4 found[2] = {reader->source[from], 0};
            int count = 1;
            from = found[0] == '&' && node->has_reference
                       ? read_reference(reader, from, node->start_end, found, &count) : from + 1;
            for (int i = 0; i < count; i++) line->items[line->count++] = found[i];
        }
    }
    while (line->count && is_space(line->items[line->count - 1])) line->count--;
}

/* What the elements in and around code say of its language: a tuple for each that is there. */
static PyObject *told_languages(Reader *reader, Pos index) {
    static const int NAMES[] = {ATTR_DATA_LANG, ATTR_DATA_LANGUAGE, ATTR_CLASS};
    Pos past = reader->nodes.items[index].past, inner = NONE;
    for (Pos at = next_inside(reader, index); at < past && inner == NONE; at = next_inside(reader, at)) {
        if (reader->nodes.items[at].tag == CODE) inner = at;
    }
    Pos all[3] = {inner, index, reader->nodes.items[index].parent};
    PyObject *out = hold(reader, PyTuple_New(3));
    for (int i = 0; i < 3; i++) {
        PyObject *three = all[i] == NONE ? Py_NewRef(Py_None) : PyTuple_New(3);
        if (!three) leave(reader, FAILED);
        PyTuple_SET_ITEM(out, i, three);
        if (all[i] == NONE) continue;
        for (int j = 0; j < 3; j++) {
            PyObject *text = attribute_string(reader, &reader->nodes.items[all[i]], NAMES[j]);
            if (!text) leave(reader, FAILED);
            PyTuple_SET_ITEM(three, j, text);
        }
    }
    return out;
}

static void walk_code(Reader *reader, Pos index) {
    flush(reader, index, 0);
    take_verbatim(reader, index);
    if (reader->cell.count) {
        PyObject *language = hold(reader, PyObject_CallOneArg(reader->call.language, told_languages(reader, index)));
        if (!PyUnicode_Check(language)) give_up(reader);
        Pos place = place_of(reader, index, name_of(reader, index));
        flow_ready(reader);
        write_code(reader, reader->cell.items, reader->cell.count, language, place);
    }
    clear_line(&reader->cell);
    passed(reader, index, 1);
}

/* --- all nodes --------------------------------------------------------------------------------------------------- */

static void leave_element(Reader *reader, Pos node, Pos around) {
    int role = TAG_INFO[reader->nodes.items[node].tag].role;
    if (role == APART || (role == CAPTION && reader->figures)) {
        add_gap(&reader->line);
        return;
    }
    flush(reader, node, 1);
    switch (role) {
        case FIGURE: reader->figures--; break;
        case LISTS: leave_list(reader); break;
        case ITEM: leave_item(reader); break;
        case QUOTE: pop_frame(reader); break;
        default: break;
    }
    reader->id = around;
}

/* What an element does where it starts; 1 where what is inside comes next and its end matters. */
static int enter_element(Reader *reader, Pos node, int role) {
    switch (role) {
        case HEADING: walk_heading(reader, node); return 0;
        case VERBATIM: walk_code(reader, node); return 0;
        case IMAGE: walk_image(reader, node); return 0;
        case RULED: walk_rule(reader, node); return 0;
        case BREAK:
            PUSH(reader, reader->breaks, reader->line.count);
            reader->line.first = reader->line.count;
            reader->line.is_apart = 0;
            return 0;
        case FIELD: add_replaced(reader, &reader->line, &reader->nodes.items[node]); return 0;
        case UNREAD: return 0;
        case TABLE_:
            if (!is_layout(reader, node)) {
                flush(reader, node, 0);
                walk_table(reader, node, name_of(reader, node));
                return 0;
            }
            break;
        case CAPTION:
        case APART:
            if (role == APART || reader->figures) {
                add_gap(&reader->line);
                note_id(reader, &reader->nodes.items[node]);
                return 1;
            }
            break;
        default: break;
    }
    enter_block(reader, node);
    switch (role) {
        case FIGURE: reader->figures++; break;
        case LISTS: enter_list(reader, node); break;
        case ITEM: enter_item(reader, node); break;
        case TERM: enter_term(reader, node); break;
        case QUOTE: push_frame(reader, K_QUOTE, ""); break;
        default: break;
    }
    return 1;
}

static void leave_before(Reader *reader, Pos at) {
    while (reader->around.count) {
        Pos last = reader->around.count - 1, node = reader->around.items[last].node;
        if (reader->nodes.items[node].past > at) return;
        reader->around.count--;
        leave_element(reader, node, reader->around.items[last].id);
    }
}

void walk_page(Reader *reader) {
    Pos at = next_inside(reader, NONE);
    while (at < reader->nodes.count) {
        leave_before(reader, at);
        const Node *node = &reader->nodes.items[at];
        if (node->tag == TEXT) {
            add_text(reader, &reader->line, node->start, node->start_end, node->has_reference);
            at = next_inside(reader, at);
            continue;
        }
        int role = TAG_INFO[node->tag].role;
        if (role == INLINE) {
            note_id(reader, node);
            at = next_inside(reader, at);
            continue;
        }
        Pos around = reader->id, past = node->past;
        if (enter_element(reader, at, role)) {
            PUSH(reader, reader->around, (Around){at, around});
            at = next_inside(reader, at);
        } else {
            at = next_inside(reader, past - 1);
        }
    }
    leave_before(reader, reader->nodes.count);
    if (!reader->part) finish_places(reader);
}
