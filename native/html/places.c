/* Where blocks stand in the source, as in parse/html_places.py. A place that is not closed yet is `open_place`. */

#include "reader.h"

/* The line, from 1, that an offset stands in. */
Pos line_of(const Reader *reader, Pos offset) {
    Pos low = 0, high = reader->newlines.count;
    while (low < high) {
        Pos middle = low + (high - low) / 2;
        if (reader->newlines.items[middle] < offset) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low + 1;
}

static void close_place(Reader *reader, Pos end) {
    Pos place = reader->open_place;
    reader->open_place = NONE;
    if (place == NONE || end <= reader->last) return;
    reader->places.items[place].to = end;
    reader->last = end;
}

/* What is open ends here, less the white space before. */
static void close_before(Reader *reader, Pos end) {
    if (end == NONE) return;
    Pos begin = reader->last;
    while (end > begin && is_space(reader->source[end - 1])) end--;
    close_place(reader, end);
}

static Pos begin_place(Reader *reader, Pos start, Pos id) {
    if (reader->open_place != NONE) close_before(reader, start);
    PUSH(reader, reader->places, (Place){start, start, id});
    reader->open_place = reader->places.count - 1;
    reader->last = start;
    return reader->open_place;
}

void passed(Reader *reader, Pos node, int is_end) {
    if (reader->open_place != NONE) {
        const Node *one = &reader->nodes.items[node];
        close_before(reader, is_end ? one->end : one->start);
    }
    reader->before = node;
    reader->is_after = is_end;
}

Pos place_of(Reader *reader, Pos node, Pos id) {
    if (reader->part) {
        PUSH(reader, reader->places, (Place){0, 0, id});
        return reader->places.count - 1;
    }
    const Node *one = &reader->nodes.items[node];
    if (one->start == NONE) return begin_place(reader, reader->last, id);
    Pos place = begin_place(reader, one->start, id);
    if (one->end != NONE) close_place(reader, one->end_end);
    return place;
}

Pos place_around(Reader *reader, Pos node, int is_end, Pos id) {
    Pos before = reader->before;
    if (reader->part || (is_end && before == node && !reader->is_after)) return place_of(reader, node, id);
    Pos start = NONE;
    if (before != NONE) {
        const Node *one = &reader->nodes.items[before];
        start = reader->is_after ? one->end_end : one->start_end;
    }
    if (start == NONE) start = reader->last;
    while (start < reader->length && is_space(reader->source[start])) start++;
    Pos place = begin_place(reader, start, id);
    const Node *one = &reader->nodes.items[node];
    close_before(reader, is_end ? one->end : one->start);
    return place;
}

void finish_places(Reader *reader) {
    if (reader->open_place != NONE) close_before(reader, reader->length);
}
