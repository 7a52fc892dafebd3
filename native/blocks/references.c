/* Link definitions, which CommonMark takes out of the flow, and the labels of footnotes. */

#include "parser.h"

#define LONGEST_LABEL 1000
#define DEEPEST_PARENTHESES 32

/* Whether a label, target or title may go on in a line; takes the marks of the blocks around it. */
static int goes_on_in(Parser *parser, Line *line, int underline_ends_it) {
    int inside = continued(parser, line) == parser->open.count;
    int level;
    if (has_columns(&parser->text, line, 4)) return 1;
    if (interrupts(parser, line->at, inside)) return 0;
    return !underline_ends_it || (!inside && underline_ends_it < 2) ||
           after_underline(&parser->text, line->at, &level) < 0;
}

/* White space in a label, with one line end at most, none without a parser; NONE where the label cannot go on. */
static Pos skip_white_in_label(Parser *parser, const Text *text, Pos at, Pos *weight) {
    Pos start = at, width = 0;
    int ends = 0;
    while (at < text->length && is_white(byte_at(text, at))) {
        Pos below = after_line_end(text, at);
        if (below < 0) {
            width += byte_at(text, at) == ' ' ? 1 : 2;
            at++;
            continue;
        }
        if (ends++ || !parser) return NONE;
        Line line = line_at(below);
        if (!goes_on_in(parser, &line, 1)) return NONE;
        at = line.at;
        width += 2;
    }
    *weight += width > 1 ? at - start : 1;
    return at;
}

/* After the bracket that closes a label, else NONE. `weight` counts as the Python path's parser does: escapes and
 * white space, not letters. */
static Pos after_label(Parser *parser, const Text *text, Pos at, int in_table) {
    Pos weight = 0;
    int is_empty = 1;
    while (weight < LONGEST_LABEL && at < text->length) {
        int byte = byte_at(text, at);
        if (byte == '[') return NONE;
        if (byte == ']') return is_empty ? NONE : at + 1;
        if (is_white(byte)) {
            at = skip_white_in_label(parser, text, at, &weight);
            if (at < 0) return NONE;
            continue;
        }
        is_empty = 0;
        if (byte == '\\' && at + 1 >= text->length) return NONE;
        if (byte == '\\' && is_escapable(byte_at(text, at + 1))) {
            weight += in_table && byte_at(text, at + 1) == '|' ? 1 : 2;
            at++;
        }
        at++;
    }
    return NONE;
}

Pos after_footnote_label(const Text *text, Pos at, int in_table) {
    if (byte_at(text, at) != '[' || byte_at(text, at + 1) != '^') return NONE;
    Pos end = after_label(NULL, text, at + 2, in_table);
    return end >= 0 && byte_at(text, end) == ':' ? end + 1 : NONE;
}

/* White space between the parts of a definition, with one line end at most. */
static Pos skip_white_in_definition(Parser *parser, Pos at, int *line_ends) {
    const Text *text = &parser->text;
    *line_ends = 0;
    for (;;) {
        at = skip_blanks(text, at);
        Pos below = after_line_end(text, at);
        if (below < 0) return at;
        if (++*line_ends > 1) return NONE;
        Line line = line_at(below);
        if (!goes_on_in(parser, &line, 2)) return NONE;
        at = line.at;
    }
}

static Pos after_pointed_target(const Text *text, Pos at) {
    for (at++; !is_line_end(text, at); at++) {
        int byte = byte_at(text, at);
        if (byte == '<') return NONE;
        if (byte == '>') return at + 1;
        if (byte == '\\' && is_escapable(byte_at(text, at + 1))) at++;
    }
    return NONE;
}

static Pos after_target(const Text *text, Pos at) {
    if (byte_at(text, at) == '<') return after_pointed_target(text, at);
    Pos start = at;
    int depth = 0;
    for (; at < text->length && byte_at(text, at) > ' '; at++) {
        int byte = byte_at(text, at);
        if (byte == '(' && depth++ > DEEPEST_PARENTHESES) return NONE;
        if (byte == ')' && depth-- == 0) break;
        if (byte == '\\' && is_escapable(byte_at(text, at + 1))) at++;
    }
    return depth > 0 || at == start ? NONE : at;
}

static Pos after_title(Parser *parser, Pos at) {
    const Text *text = &parser->text;
    int opener = byte_at(text, at);
    int closer = opener == '(' ? ')' : opener;
    if (opener != '(' && opener != '"' && opener != '\'') return NONE;
    at++;
    while (at < text->length) {
        int byte = byte_at(text, at);
        Pos below = after_line_end(text, at);
        if (below >= 0) {
            Line line = line_at(below);
            if (!goes_on_in(parser, &line, 2)) return NONE;
            take_all_columns(text, &line);
            at = line.at;
            if (after_blank_line(text, at) >= 0) return NONE;
        } else if (byte == closer) {
            return at + 1;
        } else if (byte == '(' && closer == ')') {
            return NONE;
        } else {
            at++;
            if (byte == '\\' && !is_line_end(text, at)) at++;
        }
    }
    return NONE;
}

/* After the definition that starts with the bracket here, its line end not included, else NONE. */
Pos after_link_definition(Parser *parser, Pos at) {
    const Text *text = &parser->text;
    int line_ends;
    at = after_label(parser, text, at + 1, 0);
    if (at < 0 || byte_at(text, at) != ':') return NONE;
    at = skip_white_in_definition(parser, at + 1, &line_ends);
    if (at < 0) return NONE;
    Pos target = after_target(text, at);
    if (target < 0) return NONE;
    Pos title = skip_white_in_definition(parser, target, &line_ends);
    if (title < 0) return target;
    if (title == target && !line_ends) return NONE;
    Pos end = after_title(parser, title);
    if (end >= 0 && after_blank_line(text, end) >= 0) return end;
    return line_ends ? target : NONE;
}
