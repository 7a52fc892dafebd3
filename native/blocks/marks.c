#include "marks.h"

Pos after_rule(const Text *text, Pos at, Pos *stop) {
    int mark = byte_at(text, at);
    int count = 0;
    *stop = at;
    if (text->length - at < 3 || (mark != '*' && mark != '-' && mark != '_')) return NONE;
    while (!is_line_end(text, at)) {
        int byte = byte_at(text, at);
        if (byte == mark) {
            count++;
        } else if (byte != ' ' && byte != '\t') {
            *stop = at;
            return NONE;
        }
        at++;
    }
    *stop = at;
    return count >= 3 ? after_line_end(text, at) : NONE;
}

int heading_level(const Text *text, Pos at) {
    int level = 0;
    while (level < 7 && byte_at(text, at + level) == '#') level++;
    if (level < 1 || level > 6) return 0;
    return at + level >= text->length || is_white(byte_at(text, at + level)) ? level : 0;
}

Pos after_underline(const Text *text, Pos at, int *level) {
    int mark = byte_at(text, at);
    if (mark != '=' && mark != '-') return NONE;
    *level = mark == '=' ? 1 : 2;
    return after_blank_line(text, skip_run(text, at, mark));
}

Pos fence_length(const Text *text, Pos at) {
    int mark = byte_at(text, at);
    if (mark != '`' && mark != '~') return 0;
    Pos end = skip_run(text, at, mark);
    if (end - at < 3) return 0;
    if (mark == '`' && find_byte(text, end, next_line(text, end), '`') >= 0) return 0;
    return end - at;
}

Pos after_closing_fence(const Text *text, Pos at, int mark, Pos length) {
    if (at >= text->length) return at;
    Pos end = skip_run(text, at, mark);
    if (end - at < length) return NONE;
    end = skip_run(text, end, ' ');
    return is_line_end(text, end) ? end : NONE;
}

/* The columns after a marker belong to it, up to three of them: four or more are code in the item. */
static void finish_marker(const Text *text, Line *line, ListMarker *marker) {
    if (after_blank_line(text, line->at) >= 0) return;
    Line before = *line;
    int columns = take_columns(text, line, 4);
    if (columns < 4) {
        marker->width += columns;
    } else {
        *line = before;
    }
}

static int take_bullet(const Text *text, Line *line, int indent, ListMarker *marker) {
    Line before = *line;
    Pos stop;
    if (line->at >= line->no_rule) {
        if (after_rule(text, line->at, &stop) >= 0) return 0;
        line->no_rule = stop;
    }
    int mark = byte_at(text, line->at);
    line->at++;
    if (has_columns(text, line, 1) || is_line_end(text, line->at)) {
        *marker = (ListMarker){.delimiter = mark, .width = indent + 2, .first = 0};
        finish_marker(text, line, marker);
        return 1;
    }
    *line = before;
    return 0;
}

static int take_number(const Text *text, Line *line, int indent, ListMarker *marker) {
    Line before = *line;
    Pos at = line->at;
    uint64_t value = 0;
    while (at - line->at < LONGEST_NUMBER && is_digit(byte_at(text, at))) {
        value = value * 10 + (uint64_t)(byte_at(text, at) - '0');
        at++;
    }
    int delimiter = byte_at(text, at);
    if (delimiter != '.' && delimiter != ')') return 0;
    int width = indent + (int)(at + 2 - line->at);
    line->at = at + 1;
    if (has_columns(text, line, 1) || is_line_end(text, line->at)) {
        *marker = (ListMarker){.delimiter = delimiter, .width = width, .first = value};
        finish_marker(text, line, marker);
        return 1;
    }
    *line = before;
    return 0;
}

int take_list_marker(const Text *text, Line *line, int indent, ListMarker *marker) {
    int byte = byte_at(text, line->at);
    if (byte == '-' || byte == '+' || byte == '*') return take_bullet(text, line, indent, marker);
    return is_digit(byte) ? take_number(text, line, indent, marker) : 0;
}

int is_list_item(const Text *text, Pos at, int *interrupts) {
    int byte = byte_at(text, at);
    uint64_t value = 1;
    Pos end = at + 1;
    if (is_digit(byte)) {
        end = at;
        value = 0;
        while (end - at < LONGEST_NUMBER && is_digit(byte_at(text, end))) {
            value = value * 10 + (uint64_t)(byte_at(text, end) - '0');
            end++;
        }
        if (byte_at(text, end) != '.' && byte_at(text, end) != ')') return 0;
        end++;
    } else if (byte != '-' && byte != '+' && byte != '*') {
        return 0;
    }
    int next = byte_at(text, end);
    if (next != ' ' && next != '\t' && !is_line_end(text, end)) return 0;
    *interrupts = value == 1 && after_blank_line(text, end) < 0;
    return 1;
}
