/* The block parser: which blocks go on in a line, and which start in it. */

#include "parser.h"

/* --- blocks ------------------------------------------------------------------------------------------------------ */

Pos add_block(Parser *parser, Kind kind, Pos start, Pos end) {
    Pos parent = parser->open.count ? parser->open.items[parser->open.count - 1] : NONE;
    PUSH(parser, parser->nodes, (Node){.kind = (unsigned char)kind, .start = start, .end = end, .parent = parent});
    return parser->nodes.count - 1;
}

Pos open_block(Parser *parser, Kind kind, Pos start) {
    Pos index = add_block(parser, kind, start, start);
    if (kind == QUOTE) PUSH(parser, parser->quotes, parser->open.count);
    PUSH(parser, parser->open, index);
    return index;
}

/* A block's address holds only until the next is added. */
Node *node_at(Parser *parser, Pos index) { return &parser->nodes.items[index]; }

void close_block(Parser *parser, Pos end) {
    Node *node = innermost(parser, 0);
    if (!node) return;
    node->end = end;
    parser->open.count--;
    if (node->kind == QUOTE) parser->quotes.count--;
    if (node->kind == LIST && node->is_tight) parser->empty_item = NONE;
}

/* The open block so many levels above the innermost, NULL where there are fewer. */
Node *innermost(Parser *parser, Pos up) {
    return parser->open.count > up ? node_at(parser, parser->open.items[parser->open.count - 1 - up]) : NULL;
}

static int is_open(Parser *parser, Pos up, Kind kind) {
    Node *node = innermost(parser, up);
    return node && node->kind == kind;
}

/* --- containers -------------------------------------------------------------------------------------------------- */

static int goes_on(Parser *parser, const Node *node, Line *line) {
    const Text *text = &parser->text;
    Line before = *line;
    int columns = node->kind == ITEM ? (int)node->width : 4;
    switch (node->kind) {
        case QUOTE:
            take_columns(text, line, 3);
            if (byte_at(text, line->at) == '>') {
                line->at++;
                take_columns(text, line, 1);
                return 1;
            }
            break;
        case ITEM:
        case FOOTNOTE:
            if (has_columns(text, line, columns) || is_line_end(text, line->at)) return 1;
            break;
        default:
            return 1;
    }
    *line = before;
    return 0;
}

Pos continued(Parser *parser, Line *line) {
    Pos depth = 0, quotes = 0;
    while (depth < parser->open.count) {
        const Node *node = node_at(parser, parser->open.items[depth]);
        if (node->kind == QUOTE) quotes++;
        if (!goes_on(parser, node, line)) break;
        depth++;
        if (!line->spare && is_line_end(&parser->text, line->at)) {
            depth = quotes < parser->quotes.count ? parser->quotes.items[quotes] : parser->open.count;
            if (depth == parser->open.count) break;
        }
    }
    return depth;
}

/* A list item begins with one blank line at most; after it, the item is over. */
static void finish_empty_item(Parser *parser) {
    if (parser->empty_item >= 0 && parser->after_blank && is_open(parser, 0, ITEM)) {
        close_block(parser, parser->empty_item);
    }
    parser->empty_item = NONE;
}

void finish_list(Parser *parser, Pos at) {
    finish_empty_item(parser);
    if (is_open(parser, 0, LIST)) close_block(parser, at);
    if (parser->after_blank) {
        if (is_open(parser, 1, LIST)) innermost(parser, 1)->is_tight = 0;
        parser->after_blank = 0;
    }
}

static void continue_list(Parser *parser, Pos start, const ListMarker *marker) {
    finish_empty_item(parser);
    if (is_open(parser, 0, LIST) && innermost(parser, 0)->delimiter == marker->delimiter) {
        if (parser->after_blank) innermost(parser, 0)->is_tight = 0;
        parser->after_blank = 0;
        return;
    }
    if (parser->open.count) finish_list(parser, start);
    Node *list = node_at(parser, open_block(parser, LIST, start));
    list->is_tight = 1;
    list->delimiter = (unsigned char)marker->delimiter;
    list->first = marker->first;
    parser->after_blank = 0;
}

/* After a footnote's mark, else NONE. */
static Pos open_footnote(Parser *parser, Pos at) {
    if (byte_at(&parser->text, at) != '[') return NONE;
    Pos end = after_footnote_label(&parser->text, at, 0);
    if (end < 0) return NONE;
    finish_list(parser, at);
    if (is_open(parser, 0, FOOTNOTE)) close_block(parser, at);
    open_block(parser, FOOTNOTE, at);
    return skip_blanks(&parser->text, end);
}

/* --- one block --------------------------------------------------------------------------------------------------- */

typedef struct {
    Pos start; /* what is finished because of this block ends here */
    Line line;
    Pos done; /* where the line has nothing for a leaf block: the offset to go on from; else NONE */
} Opened;

static void open_item(Parser *parser, Opened *opened, Pos at, int outer, const ListMarker *marker) {
    Pos start = at - outer;
    if (start < 0) give_up(parser, NOT_MINE);
    continue_list(parser, start, marker);
    Node *item = node_at(parser, open_block(parser, ITEM, start));
    item->width = marker->width;
    item->end = opened->line.at;
    Pos blank = after_blank_line(&parser->text, opened->line.at);
    if (blank >= 0) opened->done = parser->empty_item = blank;
}

/* Open the containers whose marks stand in a line, as many as there are. */
static Opened open_containers(Parser *parser, Pos start, Line line) {
    const Text *text = &parser->text;
    Opened opened = {.start = start, .line = line, .done = NONE};
    ListMarker marker;
    while (opened.done < 0) {
        Line before = opened.line;
        int outer = take_columns(text, &opened.line, 4);
        Pos at = opened.line.at, after;
        if (outer < 4 && (after = open_footnote(parser, at)) >= 0) {
            opened.start = after;
            opened.line = line_at(after);
        } else if (outer < 4 && take_list_marker(text, &opened.line, outer, &marker)) {
            open_item(parser, &opened, at, outer, &marker);
        } else if (outer < 4 && byte_at(text, at) == '>') {
            opened.line.at++;
            take_columns(text, &opened.line, 1);
            finish_list(parser, opened.start);
            open_block(parser, QUOTE, at);
        } else {
            opened.line = before;
            break;
        }
    }
    return opened;
}

static void note_blank_line(Parser *parser) {
    Node *around = innermost(parser, 0);
    if (around && around->kind == QUOTE) return;
    if (around && around->kind == ITEM && parser->empty_item >= 0) around->width = 0; /* it takes nothing in any more */
    parser->after_blank = 1;
}

/* The leaf block that starts at a mark, NONE where there is only text. */
static Pos parse_marked(Parser *parser, Pos start, Pos at, int indent) {
    const Text *text = &parser->text;
    const char *closer;
    Pos end, length;
    int level;
    switch (byte_at(text, at)) {
        case '<':
            if ((closer = html_closer(text, at))) {
                finish_list(parser, start);
                return parse_raw_html(parser, at, closer);
            }
            if (!is_html_block_tag(text, at) && !is_lone_html_tag(text, at)) return NONE;
            finish_list(parser, start);
            return parse_html(parser, at);
        case '*':
        case '-':
        case '_':
            end = after_rule(text, at, &length);
            if (end < 0) return NONE;
            finish_list(parser, start);
            add_block(parser, RULE, at, end);
            return end;
        case '#':
            if (!(level = heading_level(text, at))) return NONE;
            finish_list(parser, start);
            end = next_line(text, at);
            node_at(parser, add_block(parser, HEADING, at, end))->level = level;
            return end;
        case '`':
        case '~':
            if (!(length = fence_length(text, at))) return NONE;
            finish_list(parser, start);
            return parse_fenced_code(parser, at, indent, length);
        default:
            return NONE;
    }
}

/* Whether the line after a link definition can hold another, or a paragraph that goes on from it. */
static int goes_on_below(Parser *parser, Line *line) {
    int inside = continued(parser, line) == parser->open.count;
    int is_deep = has_columns(&parser->text, line, 4);
    if (!is_deep && interrupts(parser, line->at, inside)) return 0;
    if (after_blank_line(&parser->text, line->at) >= 0) return 0;
    take_all_columns(&parser->text, line);
    return 1;
}

/* Link definitions, then the paragraph below them. */
static Pos parse_text(Parser *parser, Pos start, Line line) {
    Pos end;
    while (byte_at(&parser->text, line.at) == '[' && (end = after_link_definition(parser, line.at)) >= 0) {
        Pos below = after_blank_line(&parser->text, end);
        if (below >= 0) end = below;
        line = line_at(end);
        if (below < 0 || !goes_on_below(parser, &line)) {
            finish_list(parser, start);
            return end;
        }
        start = end;
    }
    return parse_paragraph(parser, line.at);
}

static Pos parse_block(Parser *parser, Pos start) {
    const Text *text = &parser->text;
    Line line = line_at(start);
    Pos kept = continued(parser, &line);
    while (parser->open.count > kept) close_block(parser, start);
    Opened opened = open_containers(parser, start, line);
    if (opened.done >= 0) return opened.done;
    line = opened.line;
    Pos blank = after_blank_line(text, line.at);
    if (blank >= 0) {
        note_blank_line(parser);
        return blank;
    }
    int indent = take_columns(text, &line, 4);
    if (indent == 4) {
        finish_list(parser, opened.start);
        return parse_indented_code(parser, line.at);
    }
    Pos end = parse_marked(parser, opened.start, line.at, indent);
    return end >= 0 ? end : parse_text(parser, opened.start, line);
}

void parse(Parser *parser) {
    parser->nodes.count = 0;
    parser->empty_item = NONE;
    parser->after_blank = 0;
    Pos at = 0;
    while (at < parser->text.length) at = parse_block(parser, at);
    while (parser->open.count) close_block(parser, at);
}
