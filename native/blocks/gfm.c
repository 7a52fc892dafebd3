/* Tables where GFM has them: the parser knows none after a line of text, and some that are not.
 *
 * Where it errs, it reads the text again with a few characters changed, lengths kept: an empty heading for the line
 * above a header row ends the paragraph there, and everything else about the table follows by its own rules. */

#include "kernels.h"

#include <stdlib.h>

#include "parser.h"

#define DEEP 4 /* columns of indentation that make code of a line */

/* A line that could be a delimiter row. */
typedef struct {
    Pos line;  /* where it starts */
    Pos start; /* after the margin: spaces, tabs and quote marks */
    Pos end;
} DelimiterRow;

static Pos skip_tabs(const Text *text, Pos at) {
    while (byte_at(text, at) == ' ' || byte_at(text, at) == '\t') at++;
    return at;
}

static int is_margin(int byte) { return byte == ' ' || byte == '\t' || byte == '>'; }

static Pos after_margin(const Text *text, Pos at) {
    while (is_margin(byte_at(text, at))) at++;
    return at;
}

/* Start of the line before the one that starts at an offset, 0 where there is none. */
static Pos line_above(const Text *text, Pos line) {
    Pos at = line - 1;
    while (at > 0 && byte_at(text, at - 1) != '\n') at--;
    return at > 0 ? at : 0;
}

/* After `:---:` and the white space below it, else NONE. */
static Pos after_cell(const Text *text, Pos at) {
    if (byte_at(text, at) == ':') at++;
    Pos hyphens = skip_run(text, at, '-');
    if (hyphens == at) return NONE;
    if (byte_at(text, hyphens) == ':') hyphens++;
    return skip_tabs(text, hyphens);
}

static int is_delimiter_row(const Text *text, Pos line, DelimiterRow *row) {
    Pos at = after_margin(text, line), next;
    *row = (DelimiterRow){.line = line, .start = at};
    if (byte_at(text, at) == '|') at++;
    at = after_cell(text, skip_tabs(text, at));
    if (at < 0) return 0;
    while (byte_at(text, at) == '|' && (next = after_cell(text, skip_tabs(text, at + 1))) >= 0) at = next;
    if (byte_at(text, at) == '|') at = skip_tabs(text, at + 1);
    row->end = at;
    return at >= text->length || byte_at(text, at) == '\n';
}

/* Pipes that divide a row, those at its ends not counted. */
static Pos dividers(const Text *text, Pos start, Pos end) {
    Pos count = 0;
    while (start < end && is_margin(byte_at(text, start))) start++;
    while (end > start && is_margin(byte_at(text, end - 1))) end--;
    while (start < end && byte_at(text, start) == '|') start++;
    while (end > start && byte_at(text, end - 1) == '|') end--;
    for (Pos at = start; at < end; at++) {
        count += byte_at(text, at) == '|' && (at == start || byte_at(text, at - 1) != '\\');
    }
    return count;
}

/* Indented like code, which the parser overlooks. */
static int is_deep(const Text *text, const DelimiterRow *row, const Node *table) {
    Pos columns = 0;
    for (Pos at = row->line; at < row->start; at++) columns += byte_at(text, at) == '\t' ? DEEP - columns % DEEP : 1;
    return table->parent < 0 && columns >= DEEP;
}

static int is_bullet(const Text *text, Pos at) {
    return byte_at(text, at) == '-' && (byte_at(text, at + 1) == ' ' || byte_at(text, at + 1) == '\t');
}

static Pos after_list_marker(const Text *text, Pos start) {
    Pos at = skip_tabs(text, start), digits = at;
    if (is_digit(byte_at(text, at))) {
        while (digits - at < LONGEST_NUMBER && is_digit(byte_at(text, digits))) digits++;
        if (byte_at(text, digits) != '.' && byte_at(text, digits) != ')') return start;
    } else if (byte_at(text, at) != '-' && byte_at(text, at) != '+' && byte_at(text, at) != '*') {
        return start;
    }
    Pos after = skip_tabs(text, digits + 1);
    return after > digits + 1 ? after : start;
}

/* The line above a header row, where it is text of the same block. */
static void note_lead(Parser *parser, Pos holder, Pos header) {
    const Text *text = &parser->text;
    const Node *blocks = parser->blocks.items, *block = &blocks[holder];
    Pos start = line_above(text, header);
    if (start < block->start) start = block->start;
    if (block->kind == ITEM && start == block->start) {
        start = after_list_marker(text, start);
    } else if (block->parent >= 0) {
        start = after_margin(text, start);
    }
    if (start >= header - 1 || block_around(parser, start) != holder) return;
    Pos parent = block->kind == ITEM ? holder : block->parent;
    PUSH(parser, parser->leads, (Lead){
        .start = start,
        .end = header - 1,
        .header = after_margin(text, header),
        .kind = block->kind,
        .text = block->start,
        .parent = parent >= 0 ? blocks[parent].start : NONE,
        .is_good = 1,
    });
}

/* Make the parser see the table below a line of text. */
static void note_table(Parser *parser, Pos holder, const DelimiterRow *row) {
    const Text *text = &parser->text;
    Pos header = line_above(text, row->line), run = latest(parser, row->start);
    if (parser->blocks.items[run].is_marked) return;              /* it has its table: what follows are rows */
    if (parser->blocks.items[holder].start >= row->line) return; /* a block that starts here has no header row */
    if (dividers(text, header, row->line - 1) != dividers(text, row->start, row->end)) return;
    int has_pipe = find_byte(text, row->start, row->end, '|') >= 0;
    if (!has_pipe) {
        int has_colon = find_byte(text, row->start, row->end, ':') >= 0;
        if (!has_colon || find_byte(text, header, row->line - 1, '|') < 0) return;
    }
    if (!has_pipe || find_byte(text, row->start, row->end, '\t') >= 0) {
        PUSH(parser, parser->edits,
             (Edit){.start = row->start, .end = row->end, .how = has_pipe ? NO_TABS : FIRST_COLON_AS_PIPE});
    }
    parser->blocks.items[run].is_marked = 1;
    if (header > parser->blocks.items[holder].start) note_lead(parser, holder, header);
}

/* Find what the parser must be shown differently. Tables whose second line is right are marked. */
static void note_delimiter_rows(Parser *parser) {
    const Text *text = &parser->text;
    DelimiterRow row;
    for (Pos line = next_line(text, 0); line < text->length; line = next_line(text, line)) {
        if (!is_delimiter_row(text, line, &row)) continue;
        Pos holder = block_around(parser, row.start);
        Node *block = holder >= 0 ? &parser->blocks.items[holder] : NULL;
        if (!block) continue;
        if (block->kind == TABLE) {
            int is_right = !is_deep(text, &row, block) && !is_bullet(text, row.start);
            if (is_right && line == next_line(text, parser->blocks.items[holder + 1].end)) block->is_marked = 1;
        } else if (block->kind == PARAGRAPH || block->kind == HEADING || block->kind == ITEM) {
            note_table(parser, holder, &row);
        }
    }
}

/* Spoil second lines that the parser takes for a delimiter row and GFM does not. */
static void note_false_tables(Parser *parser) {
    const Text *text = &parser->text;
    for (Pos i = 0; i + 1 < parser->blocks.count; i++) {
        const Node *block = &parser->blocks.items[i];
        if (block->kind != TABLE || block->is_marked) continue;
        Pos line = next_line(text, block[1].end), content = after_margin(text, line);
        DelimiterRow row = {.line = line, .start = content};
        int is_item = is_bullet(text, content) && !is_deep(text, &row, block);
        Pos at = is_item ? find_byte(text, content, text->length, '|') : content;
        if (at >= 0 && at < text->length) PUSH(parser, parser->edits, (Edit){.start = at, .end = at + 1, .how = SPOIL});
    }
}

/* --- reading again ----------------------------------------------------------------------------------------------- */

/* The text with every line end one byte, and the edits where they are asked for. */
static void write_edited(Parser *parser, int with_edits) {
    unsigned char *bytes = parser->edited;
    memcpy(bytes, parser->source.bytes, (size_t)parser->source.length);
    for (Pos at = 0; (at = find_byte(&parser->text, at, parser->text.length, '\r')) >= 0; at++) bytes[at] = ' ';
    for (Pos i = 0; with_edits && i < parser->edits.count; i++) {
        const Edit *edit = &parser->edits.items[i];
        int wants_pipe = edit->how == FIRST_COLON_AS_PIPE;
        for (Pos at = edit->start; at < edit->end; at++) {
            if (edit->how == SPOIL) bytes[at] = 'x';
            if (bytes[at] == '\t') bytes[at] = ' ';
            if (wants_pipe && bytes[at] == ':') bytes[at] = '|', wants_pipe = 0;
        }
    }
    for (Pos i = 0; with_edits && i < parser->leads.count; i++) {
        const Lead *lead = &parser->leads.items[i];
        if (!lead->is_good) continue;
        memset(bytes + lead->start, ' ', (size_t)(lead->end - lead->start));
        bytes[lead->start] = '#';
    }
}

static void read_again(Parser *parser) {
    write_edited(parser, 1);
    parse(parser);
    nest(parser);
}

/* Whether a table now follows the lead in the same place of the tree: not where only lazy lines make one. */
static int is_interrupted(const Parser *parser, const Lead *lead) {
    const Node *blocks = parser->blocks.items;
    Pos row = block_around(parser, lead->header), line = block_around(parser, lead->start);
    if (line < 0) line = parser->blocks.count - 1;
    if (row < 0 || blocks[row].kind != ROW || blocks[line].kind != HEADING) return 0;
    const Node *table = &blocks[blocks[row].parent];
    Pos parent = table->parent >= 0 ? blocks[table->parent].start : NONE;
    return parent == lead->parent && row == blocks[row].parent + 1;
}

/* The headings that stood for the last lines of paragraphs become text again; those to be left out are marked. */
static void restore_leads(Parser *parser) {
    Node *blocks = parser->blocks.items;
    for (Pos i = 0; i < parser->leads.count; i++) {
        const Lead *lead = &parser->leads.items[i];
        Pos index = lead->is_good ? block_around(parser, lead->start) : NONE;
        if (index < 0) continue;
        if (lead->kind == ITEM) {
            blocks[index].is_marked = 1;
        } else if (index && blocks[index - 1].kind == PARAGRAPH && blocks[index - 1].start == lead->text) {
            blocks[index - 1].end = blocks[index].end;
            blocks[index].is_marked = 1;
        } else {
            blocks[index].kind = PARAGRAPH;
            blocks[index].level = 0;
        }
    }
}

/* Leave out the marked blocks, which hold no others. */
static void drop_marked(Parser *parser) {
    Node *blocks = parser->blocks.items;
    Pos kept = 0;
    parser->moved.count = 0;
    for (Pos i = 0; i < parser->blocks.count; i++) {
        PUSH(parser, parser->moved, kept);
        if (blocks[i].is_marked) continue;
        blocks[kept] = blocks[i];
        if (blocks[i].parent >= 0) blocks[kept].parent = parser->moved.items[blocks[i].parent];
        kept++;
    }
    parser->blocks.count = kept;
}

void find_tables(Parser *parser) {
    parser->edited = PyMem_Malloc((size_t)parser->source.length + 1);
    if (!parser->edited) give_up(parser, NO_MEMORY);
    write_edited(parser, 0);
    parser->text.bytes = parser->edited;
    note_delimiter_rows(parser);
    note_false_tables(parser);
    if (!parser->edits.count && !parser->leads.count) return;
    read_again(parser);
    int all_good = 1;
    for (Pos i = 0; i < parser->leads.count; i++) {
        Lead *lead = &parser->leads.items[i];
        lead->is_good = is_interrupted(parser, lead);
        all_good = all_good && lead->is_good;
    }
    if (!all_good) read_again(parser);
    restore_leads(parser);
    drop_marked(parser);
}
