#include "blocks.h"

#include <stdlib.h>

Outcome find_blocks(Parser *parser) {
    if (setjmp(parser->way_out)) return parser->outcome;
    parse(parser);
    nest(parser);
    if (find_byte(&parser->source, 0, parser->source.length, '|') >= 0) find_tables(parser);
    mark_unclosed(parser);
    mark_figures(parser);
    wrap_directives(parser);
    wrap_admonitions(parser);
    return FINE;
}

_Noreturn void give_up(Parser *parser, Outcome why) {
    parser->outcome = why;
    longjmp(parser->way_out, 1);
}

void *room_for_one(Parser *parser, void *array, Pos count, Pos *room, size_t size) {
    if (count < *room) return array;
    Pos wanted = *room ? 2 * *room : 64;
    void *grown = realloc(array, (size_t)wanted * size);
    if (!grown) give_up(parser, NO_MEMORY);
    *room = wanted;
    return grown;
}

void release(Parser *parser) {
    void *owned[] = {
        parser->source.owned, parser->nodes.items,  parser->blocks.items, parser->spare.items,
        parser->open.items,   parser->quotes.items, parser->around.items, parser->edited,
        parser->edits.items,  parser->leads.items,  parser->tops.items,   parser->directives.items,
        parser->colons.items, parser->runs.items,   parser->wraps.items,  parser->moved.items,
    };
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++) free(owned[i]);
    memset(parser, 0, sizeof *parser);
}

Pos latest(const Parser *parser, Pos at) {
    Pos low = 0, high = parser->blocks.count;
    while (low < high) {
        Pos middle = low + (high - low) / 2;
        if (at < parser->blocks.items[middle].start) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return low - 1;
}

Pos block_around(const Parser *parser, Pos at) {
    Pos index = latest(parser, at);
    while (index >= 0 && parser->blocks.items[index].end <= at) index = parser->blocks.items[index].parent;
    return index;
}
