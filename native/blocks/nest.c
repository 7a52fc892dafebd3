/* From what the parser found to blocks: whole lines, trimmed ends, and a parent for each. */

#include "parser.h"

/* What stands first in the text is no line end to a reader where it is a byte order mark. */
static int reads_bom(const Text *text, Pos at) {
    return byte_at(text, at) == BOM || (at == 0 && text->opens_with_bom);
}

static int ends_line(const Text *text, Pos at) {
    return (byte_at(text, at) == '\n' || byte_at(text, at) == '\r') && !reads_bom(text, at);
}

static int is_space(const Text *text, Pos at) { return is_white(byte_at(text, at)) && !reads_bom(text, at); }

int indents(const Text *text, Pos at) {
    return byte_at(text, at) == ' ' || byte_at(text, at) == '\t' || reads_bom(text, at);
}

static Pos trimmed(const Text *text, Pos start, Pos end) {
    while (end > start && is_space(text, end - 1)) end--;
    return end;
}

/* Back over the indentation of a top-level block. */
static Pos line_start(const Text *text, Pos start) {
    while (start > 0 && indents(text, start - 1)) start--;
    return start;
}

/* Text that no block claims: link definitions. */
static void add_reference(Parser *parser, Pos start, Pos end) {
    const Text *text = &parser->source;
    if (end - start <= 2) return;
    while (start < end && (is_space(text, start) || reads_bom(text, start))) start++;
    end = trimmed(text, start, end);
    if (start < end) {
        start = line_start(text, start);
        PUSH(parser, parser->blocks, (Node){.kind = REFERENCE, .start = start, .end = end, .parent = NONE});
    }
}

/* The end of a list without a last line that holds nothing but quote marks. */
static Pos whole_lines(const Text *text, Pos end) {
    Pos head = end;
    while (head > 0 && !ends_line(text, head - 1)) {
        head--;
        int byte = byte_at(text, head);
        if (byte != ' ' && byte != '\t' && byte != '>') return end;
    }
    while (head > 0 && is_space(text, head - 1)) head--;
    return head;
}

/* In a quote, lists are reported up to the text of the next line; those indented by tabs start at them. */
static void place_in_parent(const Text *text, Node *block, const Node *parent, Pos raw_end) {
    if (block->kind == LIST) {
        block->level = parent->level + 1;
        if (byte_at(text, block->end - 1) == '>' && !ends_line(text, raw_end - 1) && raw_end < text->length) {
            block->end = whole_lines(text, block->end);
        }
    } else if (block->kind == ITEM) {
        block->level = parent->level;
    } else {
        return;
    }
    while (indents(text, block->start)) block->start++;
}

static int is_in_tight_list(const Parser *parser, const Node *node) {
    if (node->kind != PARAGRAPH || node->parent < 0) return 0;
    const Node *item = &parser->nodes.items[node->parent];
    return item->kind == ITEM && parser->nodes.items[item->parent].is_tight;
}

static void add(Parser *parser, const Node *node, Pos *covered) {
    const Text *text = &parser->source;
    Node block = *node;
    const Around *around = parser->around.items;
    Pos depth = parser->around.count;
    while (block.start < node->end && ends_line(text, block.start)) block.start++;
    while (depth && around[depth - 1].end <= block.start) depth--;
    if (depth && around[depth - 1].end == node->end) {
        block.end = parser->blocks.items[around[depth - 1].block].end;
    } else {
        block.end = trimmed(text, block.start, node->end);
    }
    block.parent = depth ? around[depth - 1].block : NONE;
    if (depth) {
        place_in_parent(text, &block, &parser->blocks.items[block.parent], node->end);
    } else {
        if (block.start && indents(text, block.start - 1)) block.start = line_start(text, block.start);
        add_reference(parser, *covered, block.start);
        *covered = block.end;
    }
    parser->around.count = depth;
    PUSH(parser, parser->around, (Around){.block = parser->blocks.count, .end = node->end});
    PUSH(parser, parser->blocks, block);
}

void nest(Parser *parser) {
    Pos covered = 0; /* the end of the last top-level block */
    parser->blocks.count = parser->around.count = 0;
    for (Pos i = 0; i < parser->nodes.count; i++) {
        const Node *node = &parser->nodes.items[i];
        if (!is_in_tight_list(parser, node)) add(parser, node, &covered);
    }
    add_reference(parser, covered, parser->source.length);
}

/* --- fences that nothing closes: the last block's, or one that ends with the list or quote around it -------------- */

#define LONGEST_FENCE 100 /* one that is longer is no mark any more but a drawing */

/* Whether the block's last line is a closing fence: the same mark, at least as long, and nothing else. */
static int is_closed(const Text *text, const Node *block, Pos fence, Pos length) {
    int mark = byte_at(text, fence);
    Pos floor = fence + length, at = block->end;
    while (at > floor && byte_at(text, at - 1) == mark) at--;
    if (block->end - at < length) return 0;
    for (; at > floor; at--) {
        int byte = byte_at(text, at - 1);
        if (byte == '\n' || byte == '\r') return 1;
        if (byte != ' ' && byte != '\t' && byte != '>') return 0;
    }
    return 0;
}

void mark_unclosed(Parser *parser) {
    const Text *text = &parser->source;
    for (Pos i = 0; i < parser->blocks.count; i++) {
        Node *block = &parser->blocks.items[i];
        block->is_marked = 0;
        if (!block->is_fenced || (block->parent < 0 && i + 1 < parser->blocks.count)) continue;
        Pos fence = block->start;
        while (indents(text, fence)) fence++;
        int mark = byte_at(text, fence);
        Pos length = skip_run(text, fence, mark) - fence;
        if ((mark != '`' && mark != '~') || length < 3 || length > LONGEST_FENCE) continue;
        if (is_closed(text, block, fence, length)) continue;
        block->is_marked = 1;
        block->fence = fence;
    }
}

/* --- paragraphs that are nothing but images, or one formula ------------------------------------------------------- */

/* After a bracket pair on one line without others inside, else NONE. */
static Pos after_brackets(const Text *text, Pos at, Pos end, uint32_t open, uint32_t close) {
    if (at >= end || char_at(text, at) != open) return NONE;
    for (at++; at < end; at++) {
        uint32_t c = char_at(text, at);
        if (c == close) return at + 1;
        if (c == open || c == '\n') return NONE;
    }
    return NONE;
}

/* After parentheses that may hold others, one level deep. */
static Pos after_parentheses(const Text *text, Pos at, Pos end) {
    if (at >= end || char_at(text, at) != '(') return NONE;
    at++;
    while (at < end) {
        uint32_t c = char_at(text, at);
        if (c == ')') return at + 1;
        if (c == '\n') return NONE;
        at = c == '(' ? after_brackets(text, at, end, '(', ')') : at + 1;
        if (at < 0) return NONE;
    }
    return NONE;
}

static Pos after_link_target(const Text *text, Pos at, Pos end) {
    Pos after = after_parentheses(text, at, end);
    return after >= 0 ? after : after_brackets(text, at, end, '[', ']');
}

static Pos after_image(const Text *text, Pos at, Pos end) {
    if (at >= end || char_at(text, at) != '!') return NONE;
    at = after_brackets(text, at + 1, end, '[', ']');
    if (at >= 0) at = after_link_target(text, at, end);
    if (at < 0) return NONE;
    Pos attributes = after_brackets(text, at, end, '{', '}');
    return attributes >= 0 ? attributes : at;
}

static Pos after_linked_image(const Text *text, Pos at, Pos end) {
    at = after_image(text, at + 1, end);
    if (at < 0 || at >= end || char_at(text, at) != ']') return NONE;
    return after_link_target(text, at + 1, end);
}

static int is_images_only(const Text *text, Pos at, Pos end) {
    do {
        at = char_at(text, at) == '[' ? after_linked_image(text, at, end) : after_image(text, at, end);
        if (at < 0) return 0;
        while (at < end && is_space_at(text, at)) at++;
    } while (at < end);
    return 1;
}

static int is_formula(const Text *text, Pos start, Pos end) {
    Pos at = start + 2;
    while (at + 1 < end && !starts_with(text, at, "$$")) at++;
    return at == end - 2 && starts_with(text, at, "$$");
}

void mark_figures(Parser *parser) {
    const Text *text = &parser->source;
    for (Pos i = 0; i < parser->blocks.count; i++) {
        Node *block = &parser->blocks.items[i];
        if (block->kind != PARAGRAPH) continue;
        Pos first = block->start;
        if (starts_with(text, first, "$$")) {
            if (is_formula(text, first, block->end)) block->kind = MATH;
            continue;
        }
        while (first < block->end && indents(text, first)) first++;
        if (!starts_with(text, first, "![") && !starts_with(text, first, "[![")) continue;
        if (is_images_only(text, first, block->end)) block->kind = FIGURE;
    }
}
