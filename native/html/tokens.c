/* Tags, comments and raw text of the source. What a browser would have to repair gives the page up. */

#include "reader.h"

static inline Py_UCS4 at_or_end(const Reader *reader, Pos at) { return at < reader->length ? reader->source[at] : 0; }

static Pos skip_blank(const Reader *reader, Pos at) {
    while (at < reader->length && is_blank(reader->source[at])) at++;
    return at;
}

/* The end of a name; `small` gets its first letters in lower case. */
static Pos read_name(Reader *reader, Pos at, char small[LONGEST_NAME + 1], int *length) {
    *length = 0;
    for (;; at++) {
        Py_UCS4 c = at_or_end(reader, at);
        if (is_blank(c) || c == '>' || c == '/' || c == '=') return at;
        if (c < 33 || c > 126 || c == '"' || c == '\'' || c == '<' || c == '&') give_up(reader);
        if (*length <= LONGEST_NAME) small[(*length)++] = (char)(c >= 'A' && c <= 'Z' ? c + 32 : c);
        if (*length > LONGEST_NAME) *length = LONGEST_NAME + 1; /* longer than any that is known */
    }
}

static int known_tag(const char *small, int length) {
    return length && length <= LONGEST_NAME ? tag_named(small, length) : UNKNOWN;
}

int is_same_name(const Reader *reader, Pos one, Pos other) {
    for (;; one++, other++) {
        Py_UCS4 a = at_or_end(reader, one), b = at_or_end(reader, other);
        int is_end = is_blank(a) || a == '>' || a == '/', is_other_end = is_blank(b) || b == '>' || b == '/';
        if (is_end || is_other_end) return is_end && is_other_end;
        if (a >= 'A' && a <= 'Z') a += 32;
        if (b >= 'A' && b <= 'Z') b += 32;
        if (a != b || !a) return 0;
    }
}

/* --- attributes -------------------------------------------------------------------------------------------------- */

static Pos read_quoted(Reader *reader, Pos at, Attribute *value) {
    const Py_UCS4 *s = reader->source;
    Py_UCS4 quote = s[at++];
    Pos stop = at;
    while (stop < reader->length && s[stop] != quote) stop++;
    if (stop == reader->length) give_up(reader);
    if (value->name != NO_ATTRIBUTE || reader->is_xhtml) {
        unsigned has_reference = 0, has_tag = 0;
        for (Pos i = at; i < stop; i++) {
            has_reference |= s[i] == '&';
            has_tag |= s[i] == '<';
        }
        if (has_tag && reader->is_xhtml) give_up(reader);
        value->has_reference = (unsigned char)has_reference;
    }
    value->start = at;
    value->end = stop;
    Py_UCS4 after = at_or_end(reader, stop + 1);
    if (!is_blank(after) && after != '>' && after != '/') give_up(reader);
    return stop + 1;
}

static Pos read_bare(Reader *reader, Pos at, Attribute *value) {
    value->start = at;
    for (;; at++) {
        Py_UCS4 c = at_or_end(reader, at);
        if (is_blank(c) || c == '>') break;
        if (!c || c == '"' || c == '\'' || c == '<' || c == '=' || c == '`') give_up(reader);
        value->has_reference |= c == '&';
    }
    if (at == value->start) give_up(reader);
    value->end = at;
    return at;
}

/* Keep an attribute that says something; of several with one name the first counts, so that there are never many. */
static void keep(Reader *reader, Tag *tag, const Attribute *one) {
    for (Pos i = tag->attributes; i < reader->attributes.count; i++) {
        if (reader->attributes.items[i].name == one->name) return;
    }
    PUSH(reader, reader->attributes, *one);
    tag->attribute_count++;
}

static Pos read_attribute(Reader *reader, Pos at, Tag *tag) {
    char small[LONGEST_NAME + 1];
    int length;
    Pos start = at;
    at = read_name(reader, at, small, &length);
    if (at == start) give_up(reader);
    Attribute one = {.start = at, .end = at};
    if (length <= LONGEST_NAME) one.name = (unsigned char)attribute_named(small, length);
    Pos next = skip_blank(reader, at);
    if (at_or_end(reader, next) == '=') {
        at = skip_blank(reader, next + 1);
        Py_UCS4 c = at_or_end(reader, at);
        at = c == '"' || c == '\'' ? read_quoted(reader, at, &one) : read_bare(reader, at, &one);
    }
    if (one.name != NO_ATTRIBUTE) keep(reader, tag, &one);
    return at;
}

/* --- tags -------------------------------------------------------------------------------------------------------- */

Pos read_start_tag(Reader *reader, Pos at, Tag *tag) {
    char small[LONGEST_NAME + 1];
    int length;
    *tag = (Tag){.start = at, .attributes = reader->attributes.count};
    at = read_name(reader, at + 1, small, &length);
    if (at_or_end(reader, at) == '=') give_up(reader);
    tag->tag = (unsigned char)known_tag(small, length);
    for (;;) {
        Pos next = skip_blank(reader, at);
        Py_UCS4 c = at_or_end(reader, next);
        if (c == '>') {
            tag->end = next + 1;
            return next + 1;
        }
        if (c == '/') {
            if (at_or_end(reader, next + 1) != '>') give_up(reader);
            tag->is_closed = 1;
            tag->end = next + 2;
            return next + 2;
        }
        if (next == at || next == reader->length) give_up(reader);
        at = read_attribute(reader, next, tag);
    }
}

Pos read_end_tag(Reader *reader, Pos at, Tag *tag) {
    char small[LONGEST_NAME + 1];
    int length;
    *tag = (Tag){.start = at, .attributes = reader->attributes.count};
    at = skip_blank(reader, read_name(reader, at + 2, small, &length));
    if (at_or_end(reader, at) != '>') give_up(reader);
    tag->tag = (unsigned char)known_tag(small, length);
    tag->end = at + 1;
    return at + 1;
}

/* --- what is no element ------------------------------------------------------------------------------------------ */

Pos skip_comment(Reader *reader, Pos at) {
    const Py_UCS4 *s = reader->source;
    Pos inside = at + 4;
    if (at_or_end(reader, inside) == '>') give_up(reader);
    if (at_or_end(reader, inside) == '-' && at_or_end(reader, inside + 1) == '>') give_up(reader);
    for (Pos end = inside; end + 2 < reader->length; end++) {
        if (s[end] != '-' || s[end + 1] != '-') continue;
        if (s[end + 2] == '>') return end + 3;
        if (s[end + 2] == '!') give_up(reader);
    }
    give_up(reader);
}

static int is_word(const Reader *reader, Pos at, const char *word) {
    for (; *word; word++, at++) {
        Py_UCS4 c = at_or_end(reader, at);
        if ((c >= 'A' && c <= 'Z' ? c + 32 : c) != (Py_UCS4)(unsigned char)*word) return 0;
    }
    return 1;
}

/* The document type, or the declaration of XML, which is a comment to HTML. Only `<!doctype html>` is sure to stand
 * for the modern rules. */
Pos skip_declaration(Reader *reader, Pos at) {
    Pos end = at;
    while (end < reader->length && reader->source[end] != '>') end++;
    if (end == reader->length) give_up(reader);
    if (is_word(reader, at, "<?xml ")) {
        if (reader->source[end - 1] != '?') give_up(reader);
        return end + 1;
    }
    if (!is_word(reader, at, "<!doctype") || !is_blank(at_or_end(reader, at + 9))) give_up(reader);
    Pos name = skip_blank(reader, at + 9);
    if (!is_word(reader, name, "html") || skip_blank(reader, name + 4) != end) give_up(reader);
    reader->is_standard = 1;
    return end + 1;
}

/* Where the end tag of an element with raw text starts, whose name stands at `name`. In a script that opens a comment,
 * a second one hides the end tag. */
Pos find_end_of_raw(Reader *reader, Pos at, Pos name, int is_script) {
    const Py_UCS4 *s = reader->source;
    int is_comment = 0;
    for (; at + 2 < reader->length; at++) {
        if (s[at] != '<') continue;
        if (is_script && is_word(reader, at, "<!--")) is_comment = 1;
        if (is_comment && is_word(reader, at, "<script")) give_up(reader);
        if (s[at + 1] == '/' && is_same_name(reader, at + 2, name)) return at;
    }
    give_up(reader);
}
