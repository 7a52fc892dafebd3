/* Tables: the delimiter row that makes one, its columns, and the rows below it. */

#include "parser.h"

#define MOST_MISSING_CELLS (1 << 18) /* where the Python path's parser stops; what it does then is left to it */

/* After a delimiter row and its line end, else NONE. */
Pos after_delimiter_row(const Text *text, Pos at, Pos *columns) {
    int spaces = 0, has_pipe = 0, has_hyphen = 0, in_column = 0, has_hyphen_in_column = 0;
    while (byte_at(text, at) == ' ' && spaces < 4) at++, spaces++;
    if (spaces > 3) return NONE;
    *columns = 0;
    if (byte_at(text, at) == '|') at++, has_pipe = 1;
    for (; !is_line_end(text, at); at++) {
        switch (byte_at(text, at)) {
            case ' ':
                break;
            case ':':
                in_column = 1;
                break;
            case '-':
                in_column = has_hyphen = has_hyphen_in_column = 1;
                break;
            case '|':
                if (!has_hyphen_in_column) return NONE;
                ++*columns;
                has_pipe = 1;
                in_column = has_hyphen_in_column = 0;
                break;
            default:
                return NONE;
        }
    }
    *columns += in_column;
    return has_pipe && has_hyphen ? after_line_end(text, at) : NONE;
}

/* Pipes at the two ends of a header row do not divide it. */
Pos header_columns(const Text *text, Pos start, Pos pipes, Pos last_pipe) {
    if (byte_at(text, skip_blanks(text, start)) == '|') pipes--;
    return after_blank_line(text, last_pipe + 1) >= 0 ? pipes : pipes + 1;
}

/* The next pipe that no backslash hides, or the end of the line. */
Pos next_pipe(const Text *text, Pos at) {
    for (; !is_line_end(text, at); at++) {
        int byte = byte_at(text, at);
        if (byte == '|' && byte_at(text, at - 1) != '\\') break;
        if (byte == '\\' && is_escapable(byte_at(text, at + 1))) at++;
    }
    return at;
}

/* The body of the table whose header row starts with the pipe here, else NONE. */
Pos table_below(Parser *parser, Pos start, Pos *columns) {
    const Text *text = &parser->text;
    Pos pipes = 0, last = start, at = start;
    for (int is_escaped = 0; !is_line_end(text, at); at++) {
        int byte = byte_at(text, at);
        if (byte == '|' && !is_escaped) {
            pipes++;
            last = at;
        }
        is_escaped = byte == '\\';
    }
    if (at >= text->length) return NONE;
    Line line = line_at(after_line_end(text, at));
    if (continued(parser, &line) != parser->open.count) return NONE;
    Pos body = after_delimiter_row(text, line.at, columns);
    return body >= 0 && *columns == header_columns(text, start, pipes, last) ? body : NONE;
}

/* After the row and its line end; how many cells it has. */
static Pos after_row(const Text *text, Pos at, Pos *cells) {
    *cells = 0;
    for (;;) {
        if (byte_at(text, at) == '|') at++;
        at = skip_blanks(text, at);
        if (is_line_end(text, at)) return after_line_end(text, at);
        at = next_pipe(text, at);
        ++*cells;
    }
}

/* Add a row; the line below it, or NONE for a row without cells, which is none. */
static Pos add_row(Parser *parser, Pos start, Pos columns, int is_header) {
    Pos cells;
    Pos end = after_row(&parser->text, start, &cells);
    if (!cells && !is_header) return NONE;
    if (cells < columns) parser->missing_cells += columns - cells;
    if (parser->missing_cells > MOST_MISSING_CELLS) give_up(parser, NOT_MINE);
    add_block(parser, ROW, start, end);
    return end;
}

Pos parse_table(Parser *parser, Pos header, Pos body, Pos columns) {
    parser->missing_cells = 0;
    add_row(parser, header, columns, 1);
    Pos at = body;
    while (at < parser->text.length) {
        Line line = line_at(at);
        if (continued(parser, &line) != parser->open.count) break;
        take_all_columns(&parser->text, &line);
        if (interrupts_row(parser, line.at, 1, 1)) break;
        Pos end = add_row(parser, line.at, columns, 0);
        if (end < 0) break;
        at = end;
    }
    close_block(parser, at);
    return at;
}
