/* Where HTML blocks start. */

#include <stdlib.h>

#include "marks.h"

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
    while (is_alphanumeric(byte) || byte == '_' || byte == '.' || byte == ':' || byte == '-') byte = byte_at(text, ++at);
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
