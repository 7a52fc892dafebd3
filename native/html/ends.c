/* End tags, and the parts of tables, whose tags end each other. */

#include "reader.h"

/* Elements whose end tag may be left out end, up to one with a name. */
static void pop_implied(Reader *reader, int but) {
    while (top(reader)->tag != but && has_flag(top(reader)->tag, IMPLIED)) pop_element(reader, NULL);
}

/* The innermost element ends if it has the name of the tag, as must be. */
static void pop_named(Reader *reader, const Tag *tag) {
    Entry *entry = top(reader);
    if (entry->tag != tag->tag) give_up(reader);
    if (tag->tag == UNKNOWN) {
        Pos start = reader->nodes.items[entry->node].start;
        if (!is_same_name(reader, start + 1, tag->start + 2)) give_up(reader);
    }
    pop_element(reader, tag);
}

/* The cell or caption around ends, with what may be open in it. */
static void close_cell(Reader *reader) {
    pop_implied(reader, UNKNOWN);
    int tag = top(reader)->tag;
    if (tag != TD && tag != TH && tag != CAPTIONS) give_up(reader);
    pop_element(reader, NULL);
}

static int is_group(int tag) { return tag == TBODY || tag == THEAD || tag == TFOOT; }

/* One step towards where a part of a table may start; 1 where it was put there. */
static int place_part(Reader *reader, const Tag *tag) {
    int is_cell = tag->tag == TD || tag->tag == TH, here = top(reader)->tag;
    if (here == TR || is_group(here)) {
        if (here == TR ? is_cell : tag->tag == TR) {
            push_element(reader, tag, tag->tag);
            return 1;
        }
        if (is_cell) give_up(reader);
        pop_element(reader, NULL);
    } else if (here == TABLE) {
        if (tag->tag == COL) {
            push_element(reader, NULL, COLGROUP);
        } else if (is_cell) {
            give_up(reader);
        } else if (tag->tag == TR) {
            push_element(reader, NULL, TBODY);
        } else {
            push_element(reader, tag, tag->tag);
            return 1;
        }
    } else if (here == COLGROUP) {
        if (tag->tag != COL) {
            pop_element(reader, NULL);
            return 0;
        }
        Tag open = *tag;
        open.is_closed = 0;
        push_element(reader, &open, COL);
        pop_element(reader, NULL);
        return 1;
    } else {
        close_cell(reader);
    }
    return 0;
}

void table_part(Reader *reader, const Tag *tag) {
    while (!place_part(reader, tag)) {
    }
}

/* What is open in a table ends, up to the element that the tag names. */
static void end_part(Reader *reader, const Tag *tag) {
    int wanted = tag->tag;
    if (wanted == TD || wanted == TH || wanted == CAPTIONS) {
        pop_implied(reader, UNKNOWN);
    } else if (wanted != COLGROUP) {
        int here = top(reader)->tag;
        if (here != TABLE && here != TR && here != COLGROUP && !is_group(here)) close_cell(reader);
        if (top(reader)->tag == TR && wanted != TR) pop_element(reader, NULL);
        if (wanted == TABLE && (is_group(top(reader)->tag) || top(reader)->tag == COLGROUP)) pop_element(reader, NULL);
    }
    pop_named(reader, tag);
}

void end_element(Reader *reader, const Tag *tag) {
    switch (rule_of(tag->tag)) {
        case BLOCKISH:
        case TITLED:
        case PREISH:
        case FORMED:
        case LISTED:
        case TERMED:
        case ENCLOSED:
            pop_implied(reader, tag->tag);
            break;
        case ONCE:
            if (tag->tag == BUTTON) pop_implied(reader, UNKNOWN);
            if (tag->tag == SELECT) {
                if (top(reader)->tag == OPTION) pop_element(reader, NULL);
                if (top(reader)->tag == OPTGROUP) pop_element(reader, NULL);
            }
            break;
        case OPTIONED:
            if (tag->tag == OPTGROUP && top(reader)->tag == OPTION) pop_element(reader, NULL);
            break;
        case TABLED:
        case PART:
            end_part(reader, tag);
            return;
        case OTHER:
        case NOSCRIPTED:
        case FORMATTING:
        case RUBY:
            break;
        default:
            give_up(reader);
    }
    pop_named(reader, tag);
}
