/* The marks that start blocks. */

#include <stdlib.h>

#include "parser.h"

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

/* --- where HTML blocks start -------------------------------------------------------------------------------------- */

#define LONGEST_TAG 10

static const char *const BLOCK_TAGS[] = {
    "address", "article",  "aside",   "base",     "basefont", "blockquote", "body",    "caption",    "center",
    "col",     "colgroup", "dd",      "details",  "dialog",   "dir",        "div",     "dl",         "dt",
    "fieldset", "figcaption", "figure", "footer", "form",     "frame",      "frameset", "h1",        "h2",
    "h3",      "h4",       "h5",      "h6",       "head",     "header",     "hr",      "html",       "iframe",
    "legend",  "li",       "link",    "main",     "menu",     "menuitem",   "nav",     "noframes",   "ol",
    "optgroup", "option",  "p",       "param",    "search",   "section",    "summary", "table",      "tbody",
    "td",      "tfoot",    "th",      "thead",    "title",    "tr",         "track",   "ul",
};

/* Tags whose content is raw, and what ends it, blank lines or not. */
static const struct {
    const char *name, *closer;
} RAW_TAGS[] = {{"pre", "</pre>"}, {"style", "</style>"}, {"script", "</script>"}, {"textarea", "</textarea>"}};

static int is_alphanumeric(int byte) { return is_letter(byte) || is_digit(byte); }

static int names_tag(const Text *text, Pos at, const char *name) {
    for (; *name; name++, at++) {
        if ((byte_at(text, at) | 0x20) != *name) return 0;
    }
    return at >= text->length || is_white(byte_at(text, at)) || byte_at(text, at) == '>';
}

const char *html_closer(const Text *text, Pos at) {
    at++;
    for (size_t i = 0; i < sizeof RAW_TAGS / sizeof *RAW_TAGS; i++) {
        if (names_tag(text, at, RAW_TAGS[i].name)) return RAW_TAGS[i].closer;
    }
    if (starts_with(text, at, "!--")) return "-->";
    if (starts_with(text, at, "?")) return "?>";
    if (starts_with(text, at, "![CDATA[")) return "]]>";
    return byte_at(text, at) == '!' && is_letter(byte_at(text, at + 1)) ? ">" : NULL;
}

static int compare_tags(const void *name, const void *known) {
    return strcmp((const char *)name, *(const char *const *)known);
}

int is_html_block_tag(const Text *text, Pos at) {
    char name[LONGEST_TAG + 1] = "";
    int size = 0;
    at++;
    if (byte_at(text, at) == '/') at++;
    while (is_alphanumeric(byte_at(text, at))) {
        if (size == LONGEST_TAG) return 0;
        name[size++] = (char)(byte_at(text, at++) | 0x20);
    }
    if (!bsearch(name, BLOCK_TAGS, sizeof BLOCK_TAGS / sizeof *BLOCK_TAGS, sizeof *BLOCK_TAGS, compare_tags)) return 0;
    int next = byte_at(text, at);
    return is_line_end(text, at) || next == ' ' || next == '\t' || next == '>' || starts_with(text, at, "/>");
}

/* After white space on the same line; NONE where a line ends first. */
static Pos skip_white_in_line(const Text *text, Pos at) {
    at = skip_blanks(text, at);
    return at < text->length && is_line_end(text, at) ? NONE : at;
}

static Pos after_attribute_value(const Text *text, Pos at) {
    int quote = byte_at(text, at);
    if (at >= text->length) return NONE;
    if (quote == '"' || quote == '\'') {
        for (at++; at < text->length && !is_line_end(text, at); at++) {
            if (byte_at(text, at) == quote) return at + 1;
        }
        return NONE;
    }
    if (strchr(" =><`\n\r", quote) && quote) return NONE;
    while (at < text->length && !(byte_at(text, at) && strchr("'\" =><`\n\r", byte_at(text, at)))) at++;
    return at;
}

static Pos after_attribute(const Text *text, Pos at) {
    int byte = byte_at(text, at);
    if (!is_letter(byte) && byte != '_' && byte != ':') return NONE;
    while (is_alphanumeric(byte) || (byte && strchr("_.:-", byte))) byte = byte_at(text, ++at);
    Pos equals = skip_white_in_line(text, at);
    if (equals < 0 || byte_at(text, equals) != '=') return equals < 0 ? NONE : at;
    Pos value = skip_white_in_line(text, equals + 1);
    return value < 0 ? NONE : after_attribute_value(text, value);
}

/* After the attributes of an opening tag, at its `/` or `>`. */
static Pos after_attributes(const Text *text, Pos at) {
    for (;;) {
        Pos next = skip_blanks(text, at);
        if (is_line_end(text, next)) return NONE;
        if (byte_at(text, next) == '/' || byte_at(text, next) == '>') return next;
        if (next == at) return NONE;
        at = after_attribute(text, next);
        if (at < 0) return NONE;
    }
}

int is_lone_html_tag(const Text *text, Pos at) {
    at++;
    int closing = byte_at(text, at) == '/';
    at += closing;
    if (!is_letter(byte_at(text, at))) return 0;
    while (is_alphanumeric(byte_at(text, at)) || byte_at(text, at) == '-') at++;
    if (!closing) at = after_attributes(text, at);
    if (at < 0) return 0;
    at = skip_blanks(text, at);
    if (!closing && byte_at(text, at) == '/') at++;
    return byte_at(text, at) == '>' && after_blank_line(text, at + 1) >= 0;
}
