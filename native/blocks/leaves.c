/* Paragraphs, headings under them, code, HTML and tables: blocks that hold no others. */

#include "parser.h"

int interrupts_row(Parser *parser, Pos at, int inside, int in_table) {
    const Text *text = &parser->text;
    Pos stop;
    int alone;
    if (is_line_end(text, at)) return 1;
    switch (byte_at(text, at)) {
        case '>':
            return 1;
        case '#':
            return heading_level(text, at) > 0;
        case '`':
        case '~':
            return fence_length(text, at) > 0;
        case '<':
            return html_closer(text, at) != NULL || is_html_block_tag(text, at);
        case '[':
            return after_footnote_label(text, at, in_table) >= 0;
        case '_':
            return after_rule(text, at, &stop) >= 0;
        case '*':
        case '-':
            if (after_rule(text, at, &stop) >= 0) return 1;
            break;
        default:
            break;
    }
    return is_list_item(text, at, &alone) && (!inside || in_table || alone);
}

int interrupts(Parser *parser, Pos at, int inside) {
    Pos columns;
    if (interrupts_row(parser, at, inside, 0)) return 1;
    return byte_at(&parser->text, at) == '|' && table_below(parser, at, &columns) >= 0;
}

/* --- paragraphs -------------------------------------------------------------------------------------------------- */

/* Whether an odd number of backslashes stands before a line end, which makes it part of the text. */
static int is_escaped(const Text *text, Pos line_end) {
    Pos at = line_end;
    while (byte_at(text, at - 1) == '\\') at--;
    return (line_end - at) % 2 == 1;
}

/* The table whose header is a paragraph's first line: the offset of its body and its columns, else NONE. */
static Pos table_in(Parser *parser, Pos start, Pos end, Pos *columns) {
    const Text *text = &parser->text;
    if (find_byte(text, start, end, '|') < 0 || byte_at(text, end - 1) != '\n') return NONE;
    Pos line_end = byte_at(text, end - 2) == '\r' && end - 2 >= start ? end - 2 : end - 1;
    if (is_escaped(text, line_end) && end < text->length) return NONE;
    Pos pipes = 0, last = start;
    for (Pos at = next_pipe(text, start); at < line_end; at = next_pipe(text, at + 1)) {
        pipes++;
        last = at;
    }
    if (!pipes) return NONE;
    Line line = line_at(end);
    if (continued(parser, &line) != parser->open.count) return NONE;
    Pos body = after_delimiter_row(text, line.at, columns);
    return body >= 0 && *columns == header_columns(text, start, pipes, last) ? body : NONE;
}

Pos parse_paragraph(Parser *parser, Pos start) {
    const Text *text = &parser->text;
    finish_list(parser, start);
    Pos index = open_block(parser, PARAGRAPH, start);
    Pos end = next_line(text, start), columns;
    Pos body = table_in(parser, start, end, &columns);
    if (body >= 0) {
        node_at(parser, index)->kind = TABLE;
        return parse_table(parser, start, body, columns);
    }
    for (;;) {
        Line line = line_at(end);
        int inside = continued(parser, &line) == parser->open.count;
        if (!has_columns(text, &line, 4)) {
            int level;
            Pos below = inside ? after_underline(text, line.at, &level) : NONE;
            if (below >= 0) {
                node_at(parser, index)->kind = HEADING;
                node_at(parser, index)->level = level;
                close_block(parser, below);
                return below;
            }
            if (interrupts(parser, line.at, inside)) break;
        }
        take_all_columns(text, &line);
        if (is_line_end(text, line.at)) break;
        end = next_line(text, line.at);
    }
    close_block(parser, end);
    return end;
}

/* --- code -------------------------------------------------------------------------------------------------------- */

Pos parse_indented_code(Parser *parser, Pos start) {
    const Text *text = &parser->text;
    open_block(parser, CODE, start);
    parser->after_blank = 0;
    Pos at = start, end = start;
    for (;;) {
        at = next_line(text, at);
        if (!parser->after_blank) end = at;
        Line line = line_at(at);
        if (continued(parser, &line) < parser->open.count) break;
        if (!has_columns(text, &line, 4) && !is_line_end(text, line.at)) break;
        if (line.at == text->length) break;
        at = line.at;
        parser->after_blank = after_blank_line(text, at) >= 0;
    }
    close_block(parser, end);
    return at;
}

Pos parse_fenced_code(Parser *parser, Pos start, int indent, Pos length) {
    const Text *text = &parser->text;
    int mark = byte_at(text, start);
    node_at(parser, open_block(parser, CODE, start))->is_fenced = 1;
    Pos at = next_line(text, skip_blanks(text, start + length));
    for (;;) {
        Line line = line_at(at);
        if (continued(parser, &line) < parser->open.count) {
            close_block(parser, at);
            return at;
        }
        take_columns(text, &line, indent);
        Line close = line;
        if (!has_columns(text, &close, 4 - indent)) {
            Pos end = after_closing_fence(text, close.at, mark, length);
            if (end >= 0) {
                close_block(parser, end);
                Pos below = after_blank_line(text, end);
                return below >= 0 ? below : end;
            }
        }
        at = next_line(text, line.at);
    }
}

/* --- HTML -------------------------------------------------------------------------------------------------------- */

static int holds(const Text *text, Pos start, Pos end, const char *word) {
    for (Pos at = start; (at = find_byte(text, at, end, word[0])) >= 0; at++) {
        if (at + (Pos)strlen(word) <= end && starts_with(text, at, word)) return 1;
    }
    return 0;
}

Pos parse_raw_html(Parser *parser, Pos start, const char *closer) {
    const Text *text = &parser->text;
    Pos at = start, end;
    open_block(parser, HTML, start);
    for (;;) {
        Pos first = at;
        end = at = next_line(text, at);
        Line line = line_at(at);
        if (continued(parser, &line) < parser->open.count || holds(text, first, at, closer)) break;
        end = line.at;
        if (line.at == text->length) break;
        at = line.at;
    }
    close_block(parser, end);
    return at;
}

Pos parse_html(Parser *parser, Pos start) {
    const Text *text = &parser->text;
    Pos at = start, end;
    open_block(parser, HTML, start);
    for (;;) {
        end = at = next_line(text, at);
        Line line = line_at(at);
        if (continued(parser, &line) < parser->open.count || is_line_end(text, line.at)) break;
        end = line.at;
        if (after_blank_line(text, line.at) >= 0) break;
        at = line.at;
    }
    close_block(parser, end);
    return at;
}

/* --- tables: the delimiter row that makes one, its columns, and the rows below it --------------------------------- */

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
