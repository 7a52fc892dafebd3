/* The tree of a page, for pages whose tags say all of it: what the HTML standard calls an error gives the page up, but
 * for the few that leave no doubt. So there is nothing to take apart, move or reopen, and nodes stand in the order of
 * the source. */

#include "reader.h"

#define DEEPEST 200
#define STRIDE 16
#define PART_SIZE 2048 /* characters, a multiple of the stride */

enum { BEFORE_HTML, BEFORE_HEAD, IN_HEAD, AFTER_HEAD, IN_BODY, AFTER_BODY, AFTER_HTML };

static Pos *once_of(Reader *reader, int tag) {
    switch (tag) {
        case A: return &reader->once[0];
        case NOBR: return &reader->once[1];
        case BUTTON: return &reader->once[2];
        case SELECT: return &reader->once[3];
        default: return NULL;
    }
}

static int is_in_select(const Reader *reader) { return reader->once[3] > 0; }

/* --- nodes ------------------------------------------------------------------------------------------------------- */

static Pos add_node(Reader *reader, const Tag *tag, int tag_id) {
    Pos parent = reader->stack.count ? top(reader)->node : NONE;
    Node node = {.start = NONE, .start_end = NONE, .end = NONE, .end_end = NONE, .parent = parent, .id = NONE,
                 .tag = (unsigned char)tag_id};
    node.past = reader->nodes.count + 1;
    if (tag) {
        node.start = tag->start;
        node.start_end = tag->end;
        node.attributes = tag->attributes;
        node.attribute_count = tag->attribute_count;
        node.id = attribute_of(reader, &node, ATTR_ID);
        if (node.id == NONE && tag_id == A) node.id = attribute_of(reader, &node, ATTR_NAME);
    }
    PUSH(reader, reader->nodes, node);
    return reader->nodes.count - 1;
}

Pos push_element(Reader *reader, const Tag *tag, int tag_id) {
    if (tag && tag->is_closed) give_up(reader);
    if (reader->stack.count >= DEEPEST) give_up(reader);
    int has_p = tag_id == P || (reader->stack.count && !has_flag(tag_id, BORDER) && top(reader)->has_p);
    Pos node = add_node(reader, tag, tag_id);
    PUSH(reader, reader->stack, (Entry){node, (unsigned char)tag_id, (unsigned char)has_p});
    Pos *once = once_of(reader, tag_id);
    if (once) ++*once;
    return node;
}

/* An end tag was read; an element without a start tag has no place in the source, whatever else it has. */
static void note_end(Reader *reader, Pos index, const Tag *end) {
    Node *node = &reader->nodes.items[index];
    if (node->start == NONE) return;
    node->end = end->start;
    node->end_end = end->end;
}

/* The innermost element ends; `end` is its end tag, NULL where that is left out. */
void pop_element(Reader *reader, const Tag *end) {
    Entry *entry = top(reader);
    Node *node = &reader->nodes.items[entry->node];
    node->past = reader->nodes.count;
    if (end) note_end(reader, entry->node, end);
    Pos *once = node->is_foreign ? NULL : once_of(reader, entry->tag);
    if (once) --*once;
    if (entry->tag == FORM) reader->open_forms--;
    reader->stack.count--;
}

static void add_text_node(Reader *reader, Pos start, Pos end, int has_reference) {
    if (start == end) return;
    Pos node = add_node(reader, NULL, TEXT);
    reader->nodes.items[node].start = start;
    reader->nodes.items[node].start_end = end;
    reader->nodes.items[node].has_reference = (unsigned char)has_reference;
}

static void close_p(Reader *reader) {
    if (!top(reader)->has_p) return;
    if (top(reader)->tag != P) give_up(reader);
    pop_element(reader, NULL);
}

static int is_structure(int tag) {
    return tag == TABLE || tag == TBODY || tag == THEAD || tag == TFOOT || tag == TR || tag == COLGROUP;
}

/* --- start tags in the body -------------------------------------------------------------------------------------- */

/* An open element of two names ends before another starts: li, or dd and dt. */
static void close_same(Reader *reader, int one, int other) {
    for (Pos i = reader->stack.count - 1; i >= 0; i--) {
        int tag = reader->stack.items[i].tag;
        if (tag == one || tag == other) {
            while (reader->stack.count - 1 > i) {
                if (!has_flag(top(reader)->tag, IMPLIED)) give_up(reader);
                pop_element(reader, NULL);
            }
            pop_element(reader, NULL);
            return;
        }
        if (has_flag(tag, SPECIAL) && tag != ADDRESS && tag != DIV && tag != P) return;
    }
}

static void start_option(Reader *reader, const Tag *tag) {
    if (top(reader)->tag == OPTION) pop_element(reader, NULL);
    if (tag->tag == OPTGROUP) {
        if (!is_in_select(reader)) give_up(reader);
        if (top(reader)->tag == OPTGROUP) pop_element(reader, NULL);
    }
    push_element(reader, tag, tag->tag);
}

static void start_once(Reader *reader, const Tag *tag) {
    if (*once_of(reader, tag->tag)) give_up(reader);
    push_element(reader, tag, tag->tag);
}

/* A template that shows what is in it is left to Python. */
static void start_other(Reader *reader, const Tag *tag) {
    Pos node = push_element(reader, tag, tag->tag);
    if (tag->tag == TEMPLATE && attribute_of(reader, &reader->nodes.items[node], ATTR_SHADOW) != NONE) give_up(reader);
}

/* A drawing or a part of it, which may be closed in its start tag. */
static Pos add_foreign(Reader *reader, const Tag *tag) {
    if (reader->stack.count >= DEEPEST) give_up(reader);
    Pos node = add_node(reader, tag, tag->tag);
    reader->nodes.items[node].is_foreign = 1;
    if (!tag->is_closed) PUSH(reader, reader->stack, (Entry){node, tag->tag, 0});
    return node;
}

/* In a drawing; elements that HTML knows end it, or have other rules there. */
static void start_foreign(Reader *reader, const Tag *tag) {
    int is_fit = tag->tag == UNKNOWN || tag->tag == SVG || tag->tag == A || tag->tag == TITLE || tag->tag == TEXT_;
    if (!is_fit || top(reader)->tag == TITLE) give_up(reader);
    Pos node = add_foreign(reader, tag);
    if (tag->tag == A && attribute_of(reader, &reader->nodes.items[node], ATTR_NAME) != NONE) give_up(reader);
}

static int is_foreign_here(Reader *reader) {
    return reader->stack.count && reader->nodes.items[top(reader)->node].is_foreign;
}

/* An element with raw text, its text and its end tag; the offset after them. */
static Pos start_raw(Reader *reader, const Tag *tag) {
    push_element(reader, tag, tag->tag);
    Pos at = tag->end;
    if (tag->tag == TEXTAREA && at < reader->length) {
        if (reader->source[at] == '&') give_up(reader);
        if (reader->source[at] == '\n') at++;
    }
    Pos end = find_end_of_raw(reader, at, tag->start + 1, tag->tag == SCRIPT);
    if (tag->tag != SCRIPT && tag->tag != STYLE) {
        int has_reference = 0;
        for (Pos i = at; i < end; i++) {
            has_reference |= reader->source[i] == '&';
            if (reader->is_xhtml && reader->source[i] == '<') give_up(reader);
        }
        add_text_node(reader, at, end, has_reference && rule_of(tag->tag) == RCDATA);
    }
    Tag close;
    Pos after = read_end_tag(reader, end, &close);
    pop_element(reader, &close);
    return after;
}

static Pos start_pre(Reader *reader, const Tag *tag) {
    close_p(reader);
    push_element(reader, tag, tag->tag);
    Pos at = tag->end;
    if (at < reader->length && reader->source[at] == '&') give_up(reader); /* it may stand for a line end */
    return at < reader->length && reader->source[at] == '\n' ? at + 1 : at;
}

static void start_table(Reader *reader, const Tag *tag) {
    if (top(reader)->has_p && !reader->is_standard) give_up(reader); /* old rules leave it in the paragraph */
    close_p(reader);
    push_element(reader, tag, TABLE);
}

static Pos start_in_body(Reader *reader, const Tag *tag) {
    int rule = rule_of(tag->tag);
    if (is_foreign_here(reader)) {
        start_foreign(reader, tag);
        return tag->end;
    }
    if (is_in_select(reader) && rule != OPTIONED) give_up(reader);
    if (rule == PART) {
        table_part(reader, tag);
        return tag->end;
    }
    if (is_structure(top(reader)->tag)) {
        if (tag->tag != SCRIPT && tag->tag != STYLE) give_up(reader);
        if (top(reader)->tag == COLGROUP) pop_element(reader, NULL);
    }
    switch (rule) {
        case OTHER:
        case FORMATTING:
        case ENCLOSED:
        case NOSCRIPTED: start_other(reader, tag); break;
        case ONCE: start_once(reader, tag); break;
        case TITLED:
            close_p(reader);
            if (rule_of(top(reader)->tag) == TITLED) give_up(reader);
            push_element(reader, tag, tag->tag);
            break;
        case FORMED:
            if (reader->open_forms++) give_up(reader);
            /* fall through */
        case BLOCKISH:
            close_p(reader);
            push_element(reader, tag, tag->tag);
            break;
        case LISTED:
        case TERMED:
            close_same(reader, rule == LISTED ? LI : DD, rule == LISTED ? LI : DT);
            close_p(reader);
            push_element(reader, tag, tag->tag);
            break;
        case PREISH: return start_pre(reader, tag);
        case TABLED: start_table(reader, tag); break;
        case VOID_BLOCK:
            close_p(reader);
            /* fall through */
        case VOID:
        case HEADISH: add_node(reader, tag, tag->tag); break;
        case RAWTEXT:
        case RCDATA: return start_raw(reader, tag);
        case OPTIONED: start_option(reader, tag); break;
        case RUBY:
            if (has_flag(top(reader)->tag, IMPLIED)) give_up(reader);
            push_element(reader, tag, tag->tag);
            break;
        case DRAWING: add_foreign(reader, tag); break;
        default: give_up(reader);
    }
    return tag->end;
}

/* --- before and after the body ----------------------------------------------------------------------------------- */

static void begin_html(Reader *reader) {
    if (reader->phase > BEFORE_HTML) return;
    push_element(reader, NULL, HTML);
    reader->phase = BEFORE_HEAD;
}

static void begin_body(Reader *reader, const Tag *tag) {
    begin_html(reader);
    if (reader->phase == IN_HEAD) {
        if (top(reader)->tag != HEAD) give_up(reader);
        pop_element(reader, NULL);
    }
    push_element(reader, tag, BODY);
    reader->phase = IN_BODY;
}

/* Something that belongs into the head; one in a noscript there may only link. */
static Pos start_in_head(Reader *reader, const Tag *tag) {
    if (reader->phase == AFTER_HEAD) give_up(reader);
    if (reader->phase == BEFORE_HEAD) push_element(reader, NULL, HEAD);
    reader->phase = IN_HEAD;
    int is_in_noscript = top(reader)->tag == NOSCRIPT;
    if (is_in_noscript && tag->tag != LINK && tag->tag != META && tag->tag != STYLE) give_up(reader);
    switch (rule_of(tag->tag)) {
        case HEADISH: add_node(reader, tag, tag->tag); return tag->end;
        case NOSCRIPTED: push_element(reader, tag, NOSCRIPT); return tag->end;
        default: return start_raw(reader, tag);
    }
}

static Pos start_element(Reader *reader, const Tag *tag) {
    if (reader->phase == IN_BODY) return start_in_body(reader, tag);
    if (reader->phase > IN_BODY) give_up(reader);
    if (tag->tag == HTML) {
        if (reader->phase != BEFORE_HTML) give_up(reader);
        push_element(reader, tag, HTML);
        reader->phase = BEFORE_HEAD;
        return tag->end;
    }
    begin_html(reader);
    int rule = rule_of(tag->tag);
    if (tag->tag == HEAD) {
        if (reader->phase != BEFORE_HEAD) give_up(reader);
        push_element(reader, tag, HEAD);
        reader->phase = IN_HEAD;
        return tag->end;
    }
    int is_heads = rule == HEADISH || rule == NOSCRIPTED || tag->tag == TITLE || tag->tag == STYLE || tag->tag == SCRIPT;
    if (is_heads) return start_in_head(reader, tag);
    if (tag->tag == TEMPLATE) give_up(reader);
    begin_body(reader, tag->tag == BODY ? tag : NULL);
    return tag->tag == BODY ? tag->end : start_in_body(reader, tag);
}

static void end_outside(Reader *reader, const Tag *tag) {
    if (reader->phase == IN_HEAD && tag->tag == top(reader)->tag && (tag->tag == HEAD || tag->tag == NOSCRIPT)) {
        pop_element(reader, tag);
        if (tag->tag == HEAD) reader->phase = AFTER_HEAD;
    } else if (reader->phase == AFTER_BODY && tag->tag == HTML) {
        note_end(reader, reader->stack.items[0].node, tag);
        reader->phase = AFTER_HTML;
    } else {
        give_up(reader);
    }
}

static void end_in_body(Reader *reader, const Tag *tag) {
    if (is_foreign_here(reader)) {
        Pos node = top(reader)->node;
        if (!is_same_name(reader, reader->nodes.items[node].start + 1, tag->start + 2)) give_up(reader);
        pop_element(reader, tag);
    } else if (tag->tag == BODY) {
        if (top(reader)->tag != BODY) give_up(reader);
        note_end(reader, top(reader)->node, tag);
        reader->phase = AFTER_BODY;
    } else {
        end_element(reader, tag);
    }
}

/* --- all of it --------------------------------------------------------------------------------------------------- */

static Pos take_text(Reader *reader, Pos at) {
    const Py_UCS4 *s = reader->source;
    Pos end = at, words = at;
    while (words < reader->length && is_blank(s[words])) words++;
    int has_reference = 0;
    for (end = words; end < reader->length && s[end] != '<'; end++) has_reference |= s[end] == '&';
    int is_outside = reader->phase != IN_BODY;
    if (is_outside) {
        if (words == end) return end; /* white space between the parts of a page is no text */
        if (s[words] == '&' || reader->phase > IN_BODY) give_up(reader);
        begin_body(reader, NULL);
        at = words;
    }
    if (is_structure(top(reader)->tag) && words != end) give_up(reader); /* it would be moved before the table */
    add_text_node(reader, at, end, has_reference);
    return end;
}

static Pos take_markup(Reader *reader, Pos at) {
    const Py_UCS4 *s = reader->source;
    Py_UCS4 next = at + 1 < reader->length ? s[at + 1] : 0;
    Tag tag;
    if (is_letter(next)) {
        read_start_tag(reader, at, &tag);
        return start_element(reader, &tag);
    }
    if (next == '/' && at + 2 < reader->length && is_letter(s[at + 2])) {
        Pos after = read_end_tag(reader, at, &tag);
        if (reader->phase == IN_BODY) {
            end_in_body(reader, &tag);
        } else {
            end_outside(reader, &tag);
        }
        return after;
    }
    if (next == '!' && at + 3 < reader->length && s[at + 2] == '-' && s[at + 3] == '-') return skip_comment(reader, at);
    if (reader->phase != BEFORE_HTML || reader->is_standard) give_up(reader);
    return skip_declaration(reader, at);
}

/* NUL is replaced in some places and dropped in others. */
static void look_at(Reader *reader, Pos at, Pos end) {
    for (; at < end; at++) {
        Py_UCS4 c = reader->source[at];
        if (c == 0 || c == '\r') give_up(reader);
        if (c == '\n') PUSH(reader, reader->newlines, at);
    }
}

/* Where lines end in the next part of the source, from `at` on; where the part ends. It is looked at before its tags are
 * read, and not all at once, as memory is what takes the time. Most strides have no end of a line, which is seen at
 * once for all of their characters. */
static Pos look_further(Reader *reader, Pos at) {
    Pos end = reader->length - at > PART_SIZE ? at + PART_SIZE : reader->length;
    for (; at + STRIDE <= end; at += STRIDE) {
        unsigned is_low = 0;
        for (int i = 0; i < STRIDE; i++) is_low |= reader->source[at + i] <= '\r';
        if (is_low) look_at(reader, at, at + STRIDE);
    }
    look_at(reader, at, end);
    return end;
}

void build_tree(Reader *reader) {
    Pos at = 0, seen = 0;
    if (reader->length && reader->source[0] == 0xFEFF) give_up(reader); /* a mark, which is dropped */
    while (at < reader->length) {
        while (seen <= at) seen = look_further(reader, seen);
        at = reader->source[at] == '<' ? take_markup(reader, at) : take_text(reader, at);
    }
    while (seen < reader->length) seen = look_further(reader, seen);
    if (reader->stack.count && reader->phase == IN_HEAD && top(reader)->tag == NOSCRIPT) give_up(reader);
    while (reader->stack.count) pop_element(reader, NULL);
}
