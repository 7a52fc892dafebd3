/* Paragraphs that are nothing but images, or one formula. */

#include "blocks.h"
#include "characters.h"

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
