/* `:::` directives and `!!!` admonitions: blocks that are put around other blocks. */

#include <stdlib.h>

#include "parser.h"

#define DEEP 4 /* columns of indentation that make code of a line */

/* --- the fences -------------------------------------------------------------------------------------------------- */

/* The entry for so many colons; where there is none, the place for it. */
static Pos colons_place(const Parser *parser, Pos colons) {
    Pos low = 0, high = parser->colons.count;
    while (low < high) {
        Pos middle = low + (high - low) / 2;
        if (parser->colons.items[middle].colons < colons) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static int has_colons(const Parser *parser, Pos place, Pos colons) {
    return place < parser->colons.count && parser->colons.items[place].colons == colons;
}

static void open_directive(Parser *parser, Pos colons, Pos first, Pos order, Pos title) {
    Pos place = colons_place(parser, colons), depth = parser->directives.count;
    if (!has_colons(parser, place, colons)) {
        PUSH(parser, parser->colons, (Colons){.colons = colons, .latest = NONE});
        for (Pos i = parser->colons.count - 1; i > place; i--) parser->colons.items[i] = parser->colons.items[i - 1];
        parser->colons.items[place] = (Colons){.colons = colons, .latest = NONE};
    }
    Pos fewest = depth ? parser->directives.items[depth - 1].fewest : colons;
    PUSH(parser, parser->directives, (OpenDirective){
        .colons = colons,
        .first = first,
        .order = order,
        .title = title,
        .fewest = fewest < colons ? fewest : colons,
        .below = parser->colons.items[place].latest,
    });
    parser->colons.items[place].latest = depth;
}

/* Take out the innermost directive with as many colons, else with fewer, and drop those inside it. */
static int close_directive(Parser *parser, Pos colons, OpenDirective *closed) {
    const OpenDirective *open = parser->directives.items;
    Pos depth = parser->directives.count - 1;
    if (depth < 0 || colons < open[depth].fewest) return 0;
    Pos place = colons_place(parser, colons);
    if (has_colons(parser, place, colons) && parser->colons.items[place].latest >= 0) {
        depth = parser->colons.items[place].latest;
    }
    while (open[depth].colons > colons) depth--;
    *closed = open[depth];
    for (Pos i = parser->directives.count - 1; i >= depth; i--) {
        parser->colons.items[colons_place(parser, open[i].colons)].latest = open[i].below;
    }
    parser->directives.count = depth;
    return 1;
}

/* Position in `tops` of the top-level block that holds a block. */
static Pos top_of(const Parser *parser, Pos block) {
    Pos low = 0, high = parser->tops.count;
    while (low < high) {
        Pos middle = low + (high - low) / 2;
        if (block < parser->tops.items[middle]) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return low - 1;
}

/* The top-level block in which colons stand as a fence line, NONE where they do not: lines in code, HTML and list
 * items do not count; one right below a list or table, which Markdown takes into it, does. */
static Pos fence_top(const Parser *parser, Pos at) {
    const Text *text = &parser->source;
    Pos line = at;
    while (line > 0 && byte_at(text, line - 1) == ' ') line--;
    if (at - line >= DEEP) return NONE;
    int before = byte_at(text, line - 1);
    if (line && before != '\n' && before != '\r' && before != BOM) return NONE;
    Pos holder = block_around(parser, at);
    if (holder < 0) return NONE;
    Kind kind = parser->blocks.items[holder].kind;
    if (kind == CODE || kind == HTML || kind == REFERENCE) return NONE;
    Pos top = top_of(parser, holder);
    int is_listed = parser->blocks.items[parser->tops.items[top]].kind == LIST;
    return at - line < 2 || !is_listed ? top : NONE;
}

static Pos end_of_line(const Text *text, Pos at) {
    Pos end = find_byte(text, at, text->length, '\n');
    if (end < 0) end = text->length;
    return end > at && byte_at(text, end - 1) == '\r' ? end - 1 : end;
}

static int by_place(const void *left, const void *right) {
    const Run *a = left, *b = right;
    if (a->first != b->first) return a->first < b->first ? -1 : 1;
    if (a->last != b->last) return a->last > b->last ? -1 : 1;
    return a->order < b->order ? -1 : a->order > b->order;
}

/* Top-level blocks from `:::name` to `:::`, those in which the two lines stand included. Runs hold positions in
 * `tops` at first. */
static void find_directives(Parser *parser) {
    const Text *text = &parser->source;
    Pos closed_in = NONE, order = 0, end;
    OpenDirective opened;
    for (Pos at = 0; (at = find_byte(text, at, text->length, ':')) >= 0; at = end) {
        Pos after = skip_run(text, at, ':'), colons = after - at;
        end = after;
        if (colons < 3) continue;
        Pos title = after;
        while (byte_at(text, title) == ' ' || byte_at(text, title) == '\t') title++;
        end = end_of_line(text, title);
        Pos top = fence_top(parser, at);
        if (top < 0) continue;
        if (title < end) {
            open_directive(parser, colons, top > closed_in ? top : top + 1, order++, title);
        } else if (close_directive(parser, colons, &opened) && opened.first <= top) {
            closed_in = top;
            PUSH(parser, parser->runs,
                 (Run){.first = opened.first, .last = top, .order = opened.order, .title = opened.title});
        }
    }
}

/* --- putting blocks into them ------------------------------------------------------------------------------------ */

static void wrap_one(Parser *parser, const Node *block, const Run *run, Pos parent) {
    PUSH(parser, parser->wraps,
         (Wrap){.stop = run->stop, .old_parent = block->parent, .new_parent = parser->spare.count});
    PUSH(parser, parser->spare, (Node){
        .kind = DIRECTIVE,
        .start = block->start,
        .end = parser->blocks.items[run->last].end,
        .parent = parent,
        .title = run->title,
    });
}

/* Put each run of siblings under a new directive block. Runs come in order, outer before inner. */
static void wrap(Parser *parser) {
    Pos run = 0;
    parser->spare.count = parser->moved.count = parser->wraps.count = 0;
    for (Pos i = 0; i < parser->blocks.count; i++) {
        Node block = parser->blocks.items[i];
        while (parser->wraps.count && i >= parser->wraps.items[parser->wraps.count - 1].stop) parser->wraps.count--;
        Pos parent = block.parent >= 0 ? parser->moved.items[block.parent] : NONE;
        if (parser->wraps.count && parser->wraps.items[parser->wraps.count - 1].old_parent == block.parent) {
            parent = parser->wraps.items[parser->wraps.count - 1].new_parent;
        }
        for (; run < parser->runs.count && parser->runs.items[run].first == i; run++) {
            wrap_one(parser, &block, &parser->runs.items[run], parent);
            parent = parser->spare.count - 1;
        }
        PUSH(parser, parser->moved, parser->spare.count);
        block.parent = parent;
        PUSH(parser, parser->spare, block);
    }
    Node *items = parser->blocks.items;
    Pos room = parser->blocks.room;
    parser->blocks.items = parser->spare.items;
    parser->blocks.count = parser->spare.count;
    parser->blocks.room = parser->spare.room;
    parser->spare.items = items;
    parser->spare.room = room;
}

void wrap_directives(Parser *parser) {
    parser->tops.count = parser->runs.count = 0;
    for (Pos i = 0; i < parser->blocks.count; i++) {
        if (parser->blocks.items[i].parent < 0) PUSH(parser, parser->tops, i);
    }
    find_directives(parser);
    if (!parser->runs.count) return;
    qsort(parser->runs.items, (size_t)parser->runs.count, sizeof *parser->runs.items, by_place);
    PUSH(parser, parser->tops, parser->blocks.count);
    for (Pos i = 0; i < parser->runs.count; i++) {
        Run *run = &parser->runs.items[i];
        run->stop = parser->tops.items[run->last + 1];
        run->first = parser->tops.items[run->first];
        run->last = parser->tops.items[run->last];
    }
    wrap(parser);
}

/* Where the name of an admonition stands, NONE where the paragraph is none. */
static Pos admonition_name(const Text *text, const Node *block) {
    Pos at = block->start;
    if (starts_with(text, at, "!!!")) {
        at += 3;
    } else if (starts_with(text, at, "???")) {
        at += byte_at(text, at + 3) == '+' ? 4 : 3;
    } else {
        return NONE;
    }
    Pos name = at;
    while (byte_at(text, name) == ' ' || byte_at(text, name) == '\t') name++;
    return name > at && name < block->end && is_name_at(text, name) ? name : NONE;
}

void wrap_admonitions(Parser *parser) {
    const Node *blocks = parser->blocks.items;
    parser->runs.count = 0;
    for (Pos i = 0; i < parser->blocks.count; i++) {
        const Node *block = &blocks[i];
        if (block->kind != PARAGRAPH || (block->parent >= 0 && blocks[block->parent].kind != DIRECTIVE)) continue;
        Pos name = admonition_name(&parser->source, block), stop = i + 1;
        if (name < 0) continue;
        while (stop < parser->blocks.count && blocks[stop].kind == CODE && !blocks[stop].is_fenced &&
               blocks[stop].parent == block->parent) {
            stop++;
        }
        PUSH(parser, parser->runs, (Run){.first = i, .last = stop - 1, .stop = stop, .title = name});
    }
    if (parser->runs.count) wrap(parser);
}
