/* Fences that nothing closes: the last block's, or one that ends with the list or quote around it. */

#include "blocks.h"

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
