/* Lists and quotes around blocks, opened when there is something to put into them, as in parse/html_flow.py; and the
 * lists themselves, as in parse/html_lists.py. */

#include <stdio.h>
#include <string.h>

#include "reader.h"

#define DEEPEST 24 /* containers in each other that are shown; deeper pages are left to Python */
#define LARGEST 1000000000000 /* far above what a page can count to */

/* --- containers -------------------------------------------------------------------------------------------------- */

void push_frame(Reader *reader, Kind kind, const char *label) {
    Frame frame = {.kind = (unsigned char)kind};
    if (strlen(label) >= sizeof frame.label) give_up(reader);
    strcpy(frame.label, label);
    PUSH(reader, reader->frames, frame);
    reader->is_ready = 0;
}

void pop_frame(Reader *reader) {
    if (reader->frames.items[--reader->frames.count].is_open) {
        close_block(reader);
        reader->shown--;
    }
    Pos left = reader->frames.count;
    if (reader->looked > left) reader->looked = left;
    if (reader->ended > left) reader->ended = left;
}

/* Whether it is a list, and what comes next is no item of it. */
static int is_bare(const Reader *reader, Pos index) {
    if (reader->frames.items[index].kind != K_LIST) return 0;
    if (index + 1 >= reader->frames.count) return 1;
    const Frame *after = &reader->frames.items[index + 1];
    return after->kind != K_ITEM || after->is_section;
}

static void open_frame(Reader *reader, Frame *frame) {
    if (frame->kind == K_LIST) {
        int depth = 0;
        for (Pos i = 0; i < reader->open.count; i++) depth += reader->open.items[i].kind == K_LIST;
        open_block(reader, K_LIST, depth + 1, "", "", depth > 0);
    } else if (frame->kind == K_ITEM) {
        char mark[sizeof frame->label + 1], margin[] = "    ";
        int length = snprintf(mark, sizeof mark, "%s ", frame->label);
        if (length < 4) margin[length] = 0;
        open_block(reader, K_ITEM, 0, mark, margin, 1);
    } else {
        open_block(reader, K_QUOTE, 0, "> ", "> ", 0);
    }
    frame->is_open = 1;
    reader->shown++;
}

/* Before every block: open what is not open yet, a list only around its items. */
void flow_ready(Reader *reader) {
    if (reader->base + reader->out.count >= reader->most) give_up(reader);
    if (reader->is_ready) return;
    reader->is_ready = 1;
    for (Pos i = reader->looked > 0 ? reader->looked - 1 : 0; i < reader->frames.count; i++) {
        Frame *frame = &reader->frames.items[i];
        if (frame->is_open || frame->is_section || is_bare(reader, i)) continue;
        if (reader->shown + (frame->kind == K_LIST) >= DEEPEST) give_up(reader);
        open_frame(reader, frame);
        if (reader->ended > i) reader->ended = i;
    }
    reader->looked = reader->frames.count;
}

/* Before a heading, which stands at the top. */
void close_frames(Reader *reader) {
    if (reader->base + reader->out.count >= reader->most) give_up(reader);
    if (!reader->frames.count) return;
    for (Pos i = reader->frames.count - 1; i >= reader->ended; i--) {
        Frame *frame = &reader->frames.items[i];
        if (frame->is_open) close_block(reader);
        frame->is_open = 0;
        frame->is_section = frame->kind == K_ITEM;
    }
    reader->shown = reader->looked = 0;
    reader->ended = reader->frames.count;
    reader->is_ready = 0;
}

/* --- lists ------------------------------------------------------------------------------------------------------- */

/* A number that an attribute gives; 0 where it gives none. */
static int told_number(Reader *reader, const Node *node, int name, int64_t *number) {
    if (attribute_of(reader, node, name) == NONE) return 0;
    PyObject *text = hold(reader, attribute_string(reader, node, name));
    PyObject *value = hold(reader, PyObject_CallOneArg(reader->call.number, text));
    if (value == Py_None) return 0;
    *number = PyLong_AsLongLong(value);
    if (*number == -1 && PyErr_Occurred()) leave(reader, FAILED);
    return 1;
}

static Pos count_items(const Reader *reader, Pos list) {
    Pos count = 0, past = reader->nodes.items[list].past;
    for (Pos at = list + 1; at < past; at = reader->nodes.items[at].past) {
        const Node *node = &reader->nodes.items[at];
        count += node->tag == LI && !node->is_gone;
    }
    return count;
}

void enter_list(Reader *reader, Pos index) {
    const Node *node = &reader->nodes.items[index];
    List list = {.tag = node->tag, .step = attribute_of(reader, node, ATTR_REVERSED) != NONE ? -1 : 1, .next = 1};
    if (!told_number(reader, node, ATTR_START, &list.next) && list.step < 0) list.next = count_items(reader, index);
    list.style = attribute_of(reader, node, ATTR_TYPE);
    if (list.style != NONE && is_empty_attribute(reader, list.style)) list.style = NONE;
    PUSH(reader, reader->lists, list);
    push_frame(reader, K_LIST, "");
}

void leave_list(Reader *reader) {
    if (reader->lists.items[--reader->lists.count].has_item) pop_frame(reader);
    pop_frame(reader);
}

/* The number as the page shows it, where it asks for letters or the like. */
static void styled_label(Reader *reader, int64_t number, Pos style, char *label, size_t size) {
    PyObject *text = hold(reader, attribute_value(reader, style));
    PyObject *shown = hold(reader, PyObject_CallFunction(reader->call.counted, "LO", (long long)number, text));
    const char *ascii = PyUnicode_AsUTF8(shown);
    if (!ascii) leave(reader, FAILED);
    if (strlen(ascii) + 2 > size) give_up(reader);
    snprintf(label, size, "%s.", ascii);
}

void enter_item(Reader *reader, Pos index) {
    const Node *node = &reader->nodes.items[index];
    if (!reader->lists.count) push_frame(reader, K_LIST, "");
    List *here = reader->lists.count ? &reader->lists.items[reader->lists.count - 1] : NULL;
    if (!here || here->tag != OL) {
        push_frame(reader, K_ITEM, "-");
        return;
    }
    char label[20];
    int64_t number = here->next;
    told_number(reader, node, ATTR_VALUE, &number);
    if (number > LARGEST || number < -LARGEST) give_up(reader);
    here->next = number + here->step;
    Pos style = attribute_of(reader, node, ATTR_TYPE);
    if (style == NONE || is_empty_attribute(reader, style)) style = here->style;
    if (style == NONE) {
        snprintf(label, sizeof label, "%lld.", (long long)number);
    } else {
        styled_label(reader, number, style, label, sizeof label);
    }
    push_frame(reader, K_ITEM, label);
}

void leave_item(Reader *reader) {
    pop_frame(reader);
    if (!reader->lists.count) pop_frame(reader);
}

/* A term starts an item, and what is said of it stands in the same; both may come several times. */
void enter_term(Reader *reader, Pos index) {
    List *here = reader->lists.count ? &reader->lists.items[reader->lists.count - 1] : NULL;
    if (!here || here->tag != DL) return;
    int is_term = reader->nodes.items[index].tag == DT;
    if (here->has_item && is_term && here->is_defined) {
        pop_frame(reader);
        here->has_item = 0;
    }
    if (!here->has_item) {
        push_frame(reader, K_ITEM, "-");
        here->has_item = 1;
    }
    here->is_defined = (unsigned char)!is_term;
}
