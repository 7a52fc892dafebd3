/* Text, blocks and the runs that know their place, as in parse/build.py. */

#include <string.h>

#include "reader.h"

static Py_UCS4 *grow(Reader *reader, Pos more) {
    reader->out.items = room_for(reader, reader->out.items, reader->out.count, more, &reader->out.room, sizeof(Py_UCS4));
    return reader->out.items + reader->out.count;
}

void emit(Reader *reader, const Py_UCS4 *text, Pos count) {
    if (!count) return;
    memcpy(grow(reader, count), text, (size_t)count * sizeof *text);
    reader->out.count += count;
}

void emit_ascii(Reader *reader, const char *text, Pos count) {
    if (!count) return;
    Py_UCS4 *to = grow(reader, count);
    for (Pos i = 0; i < count; i++) to[i] = (unsigned char)text[i];
    reader->out.count += count;
}

void emit_margin(Reader *reader) {
    for (Pos i = 0; i < reader->open.count; i++) {
        emit_ascii(reader, reader->open.items[i].margin, reader->open.items[i].margin_length);
    }
}

/* A line with nothing but the margins of what is open, which must not end in spaces. */
static void emit_blank_line(Reader *reader, int only_begun) {
    emit_ascii(reader, "\n", 1);
    Pos from = reader->out.count;
    for (Pos i = 0; i < reader->open.count; i++) {
        const Open *one = &reader->open.items[i];
        if (!only_begun || one->start >= 0) emit_ascii(reader, one->margin, one->margin_length);
    }
    while (reader->out.count > from && reader->out.items[reader->out.count - 1] == ' ') reader->out.count--;
}

/* The first text of a line, and of all blocks around it that are still empty. */
static void begin(Reader *reader) {
    Gap gap = reader->gap;
    reader->gap = GAP_NONE;
    if (gap == GAP_BLANK) emit_blank_line(reader, 1);
    if (gap == GAP_BLANK || gap == GAP_LINE) emit_ascii(reader, "\n", 1);
    for (Pos i = 0; i < reader->open.count; i++) {
        Open *one = &reader->open.items[i];
        if (one->start < 0) {
            one->start = reader->out.count;
            emit_ascii(reader, one->mark, one->mark_length);
        } else {
            emit_ascii(reader, one->margin, one->margin_length);
        }
    }
}

static Pos parent_here(const Reader *reader) {
    return reader->open.count ? reader->open.items[reader->open.count - 1].index : NONE;
}

/* What was written since `start` stands in a place. */
static void add_run(Reader *reader, Pos start, Pos place) {
    if (place == NONE) return;
    Run *last = reader->runs.count ? &reader->runs.items[reader->runs.count - 1] : NULL;
    if (last && last->place == place) {
        last->end = reader->out.count;
    } else {
        PUSH(reader, reader->runs, (Run){start, reader->out.count, place});
    }
}

void put_text(Reader *reader, const Py_UCS4 *text, Pos count, Pos place) {
    if (!count) return;
    if (reader->gap != GAP_NONE) begin(reader);
    Pos start = reader->out.count;
    emit(reader, text, count);
    add_run(reader, start, place);
}

void open_block(Reader *reader, Kind kind, int level, const char *mark, const char *margin, int is_tight) {
    Open one = {.index = reader->blocks.count, .start = NONE, .kind = (unsigned char)kind, .level = (unsigned char)level};
    one.is_asked = reader->gap == GAP_NONE;
    one.mark_length = (unsigned char)strlen(mark);
    one.margin_length = (unsigned char)strlen(margin);
    if (one.mark_length > sizeof one.mark || one.margin_length > sizeof one.margin) give_up(reader);
    memcpy(one.mark, mark, one.mark_length);
    memcpy(one.margin, margin, one.margin_length);
    if (one.is_asked) reader->gap = is_tight ? GAP_LINE : GAP_BLANK;
    PUSH(reader, reader->open, one);
    PUSH(reader, reader->blocks, (Written){.start = NONE});
}

void close_block(Reader *reader) {
    Open one = reader->open.items[--reader->open.count];
    if (one.start >= 0) {
        reader->blocks.items[one.index] = (Written){one.start, reader->out.count, parent_here(reader), one.kind, one.level};
        return;
    }
    reader->blocks.count = one.index;
    if (one.is_asked) reader->gap = GAP_NONE;
}

void write_line(Reader *reader, Kind kind, int level, const Py_UCS4 *text, Pos count, Pos place) {
    static const char MARKS[] = "######";
    if (reader->gap == GAP_NONE) reader->gap = GAP_BLANK;
    begin(reader);
    Pos start = reader->out.count;
    if (level) {
        emit_ascii(reader, MARKS, level);
        emit_ascii(reader, " ", 1);
    }
    Pos at = reader->out.count;
    emit(reader, text, count);
    Written block = {start, reader->out.count, parent_here(reader), (unsigned char)kind, (unsigned char)level};
    PUSH(reader, reader->blocks, block);
    add_run(reader, at, place);
}

/* Lines of one text that end at `ends`, one after the other. */
void write_lines(Reader *reader, Kind kind, const Py_UCS4 *text, const Pos *ends, Pos count, Pos place) {
    open_block(reader, kind, 0, "", "", 0);
    put_text(reader, text, ends[0], place);
    Pos start = reader->out.count;
    for (Pos i = 1; i < count; i++) {
        if (ends[i] > ends[i - 1]) {
            emit_ascii(reader, "\n", 1);
            emit_margin(reader);
            emit(reader, text + ends[i - 1], ends[i] - ends[i - 1]);
        } else {
            emit_blank_line(reader, 0);
        }
    }
    if (reader->out.count > start) add_run(reader, start, place);
    close_block(reader);
}

/* --- code -------------------------------------------------------------------------------------------------------- */

static Pos longest_ticks(const Py_UCS4 *text, Pos count) {
    Pos longest = 2, run = 0;
    for (Pos i = 0; i < count; i++) {
        run = text[i] == '`' ? run + 1 : 0;
        if (run > longest) longest = run;
    }
    return longest;
}

static Pos line_end(const Py_UCS4 *text, Pos at, Pos count) {
    while (at < count && !Py_UNICODE_ISLINEBREAK(text[at])) at++;
    return at;
}

static void emit_code_line(Reader *reader, const Py_UCS4 *text, Pos count) {
    if (!count) {
        emit_blank_line(reader, 0);
        return;
    }
    emit_ascii(reader, "\n", 1);
    emit_margin(reader);
    emit(reader, text, count);
}

static void emit_fence(Reader *reader, Pos count) {
    for (Pos i = 0; i < count; i++) emit_ascii(reader, "`", 1);
}

/* The text must not end in white space. */
void write_code(Reader *reader, const Py_UCS4 *text, Pos count, PyObject *language, Pos place) {
    Pos fence = longest_ticks(text, count) + 1, at = 0;
    while (at < count && (text[at] == '\n' || text[at] == '\r')) at++;
    open_block(reader, K_CODE, 0, "", "", 0);
    begin(reader);
    Pos start = reader->out.count;
    emit_fence(reader, fence);
    for (Py_ssize_t i = 0; i < PyUnicode_GET_LENGTH(language); i++) {
        Py_UCS4 one = PyUnicode_READ_CHAR(language, i);
        emit(reader, &one, 1);
    }
    while (at < count) {
        Pos end = line_end(text, at, count);
        emit_code_line(reader, text + at, end - at);
        at = end + 1;
        if (end < count && text[end] == '\r' && at < count && text[at] == '\n') at++;
    }
    emit_ascii(reader, "\n", 1);
    emit_margin(reader);
    emit_fence(reader, fence);
    add_run(reader, start, place);
    close_block(reader);
}

void put_object(Reader *reader, PyObject *text, Pos place) {
    if (!PyUnicode_Check(text)) give_up(reader);
    Py_ssize_t count = PyUnicode_GET_LENGTH(text);
    if (count > INT32_MAX / 8) give_up(reader);
    if (!count) return;
    if (reader->gap != GAP_NONE) begin(reader);
    Pos start = reader->out.count;
    Py_UCS4 *to = grow(reader, (Pos)count);
    for (Py_ssize_t i = 0; i < count; i++) to[i] = PyUnicode_READ_CHAR(text, i);
    reader->out.count += (Pos)count;
    add_run(reader, start, place);
}
