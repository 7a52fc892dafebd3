/* From what the parser found to blocks: whole lines, trimmed ends, and a parent for each. */

#include "blocks.h"

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
    while (end > start && (is_space(text, end - 1) || reads_bom(text, end - 1))) end--;
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
