/* What no reader sees is taken out and counted, as in parse/html_prune.py. */

#include "reader.h"

/* Whether a style has a word in it that may hide an element; Python knows all about the few that have. */
static int may_hide(const Reader *reader, const Attribute *style) {
    return style->has_reference || has_word(reader, style, "none") || has_word(reader, style, "hidden") ||
           has_word(reader, style, "font-size");
}

static int is_until_found(Reader *reader, const Attribute *hidden) {
    static const char WORD[] = "until-found";
    const Py_UCS4 *s = reader->source;
    if (hidden->has_reference) give_up(reader);
    if (hidden->end - hidden->start != (Pos)sizeof WORD - 1) return 0;
    for (Pos i = 0; i < (Pos)sizeof WORD - 1; i++) {
        if (s[hidden->start + i] != (Py_UCS4)WORD[i]) return 0;
    }
    return 1;
}

static int is_unshown(Reader *reader, const Node *node) {
    if (has_flag(node->tag, UNSHOWN)) return 1;
    if (!node->attribute_count) return 0;
    Pos hidden = attribute_of(reader, node, ATTR_HIDDEN);
    if (hidden != NONE && !is_until_found(reader, &reader->attributes.items[hidden])) return 1;
    Pos style = attribute_of(reader, node, ATTR_STYLED);
    if (style == NONE || !may_hide(reader, &reader->attributes.items[style])) return 0;
    if (hidden != NONE) give_up(reader);
    PyObject *text = hold(reader, attribute_string(reader, node, ATTR_STYLED));
    PyObject *answer = hold(reader, PyObject_CallOneArg(reader->call.styled_away, text));
    return answer == Py_True;
}

/* What is inside several such elements counts for the innermost. */
static void count_hidden(Reader *reader, Pos first) {
    Pos past = reader->nodes.items[first].past, own = 0;
    for (Pos at = first + 1; at < past;) {
        Node *node = &reader->nodes.items[at];
        if (node->is_gone) {
            at = node->past;
            continue;
        }
        if (node->tag == TEXT) own += text_size(reader, node, 1);
        at++;
    }
    reader->hidden_elements += own > 0;
    reader->hidden_characters += own;
}

/* From the last to the first, so that what is inside others is gone before they are counted. */
void take_out_unshown(Reader *reader) {
    for (Pos at = reader->nodes.count - 1; at >= 0; at--) {
        Node *node = &reader->nodes.items[at];
        if (node->tag == TEXT) continue;
        if (node->tag == SCRIPT || node->tag == STYLE) {
            node->is_gone = 1;
        } else if (is_unshown(reader, node)) {
            count_hidden(reader, at);
            reader->nodes.items[at].is_gone = 1;
        }
    }
}
