/* The block parser: a list of blocks in pre-order, and the stack of those that are open.
 *
 * It gives the structure that pulldown-cmark gives with tables and footnotes on, quirks included, because the Python
 * path is built on that parser and both paths must agree. There is no recursion: input may nest as deep as it is
 * long. */

#ifndef SEAMLINE_PARSER_H
#define SEAMLINE_PARSER_H

#include <setjmp.h>

#include "text.h"

/* --- arrays that grow --------------------------------------------------------------------------------------------- */

/* All belong to the parser, so that leaving a parse from any depth loses none. */
struct Parser;

#define VECTOR(Type)      \
    struct {              \
        Type *items;      \
        Pos count, room;  \
    }

/* Append a value. The arguments may be read more than once. */
#define PUSH(parser, vector, ...)                                                                                    \
    ((vector).items = room_for_one((parser), (vector).items, (vector).count, &(vector).room, sizeof *(vector).items), \
     (vector).items[(vector).count++] = (__VA_ARGS__))

/* The array, made larger where it is full; gives up the parse where memory ends. */
void *room_for_one(struct Parser *parser, void *array, Pos count, Pos *room, size_t size);

/* --- what is found ------------------------------------------------------------------------------------------------ */

typedef enum {
    PARAGRAPH,
    HEADING,
    LIST,
    ITEM,
    CODE,
    TABLE,
    ROW,
    QUOTE,
    RULE,
    HTML,
    FOOTNOTE,
    REFERENCE,
    MATH,
    FIGURE,
    DIRECTIVE,
    KINDS,
} Kind;

typedef struct {
    unsigned char kind;
    unsigned char delimiter; /* of a list */
    unsigned char is_tight;  /* of a list: the paragraphs in its items are not blocks */
    unsigned char is_fenced; /* of code */
    unsigned char is_marked; /* for whoever walks over the blocks */
    int level;               /* of a heading or, once nested, a list */
    Pos start, end;
    Pos parent; /* index of the block around it, NONE at the top */
    union {
        Pos width;      /* of an item: columns to its content */
        uint64_t first; /* of an ordered list: its first number */
        Pos title;      /* of a directive: where its name is looked for */
        Pos fence;      /* of code that nothing closes: where its fence stands, else 0 */
    };
} Node;

/* A block that others are placed in, and where it ends, white space included. */
typedef struct {
    Pos block, end;
} Around;

/* A paragraph's last line before a table's header row, on which the parser should end the paragraph. */
typedef struct {
    Pos start, end;
    Pos header; /* an offset in the header row */
    Kind kind;  /* of what holds both: a paragraph, a setext heading, or an item without paragraphs */
    Pos text;   /* and where that starts */
    Pos parent; /* start of the block that is to hold the table, NONE at the top */
    int is_good;
} Lead;

/* A delimiter row to be written so that the parser sees it, or one byte that spoils a row. */
typedef struct {
    Pos start, end;
    enum { NO_TABS, FIRST_COLON_AS_PIPE, SPOIL } how;
} Edit;

/* A directive that waits for its closing fence. */
typedef struct {
    Pos colons;
    Pos first; /* position in `tops` of the block that holds the fence */
    Pos order;
    Pos title;
    Pos fewest; /* least colons of this one and those around it: a shorter fence closes nothing */
    Pos below;  /* the next one outwards with as many colons, else NONE */
} OpenDirective;

/* The innermost open directive with so many colons, NONE where there is none. */
typedef struct {
    Pos colons, latest;
} Colons;

/* Sibling blocks, with all that is in them, to be put into a directive. */
typedef struct {
    Pos first, last;
    Pos stop; /* one past the last block inside the last one */
    Pos order, title;
} Run;

/* A directive that is being filled: where it stops, the parent its blocks had, and the one they get. */
typedef struct {
    Pos stop, old_parent, new_parent;
} Wrap;

typedef enum { FINE, NO_MEMORY, NOT_MINE } Outcome;

typedef struct Parser {
    Text source; /* what was written */
    Text text;   /* what the parser reads: the same, but for the edits that make tables of it */
    VECTOR(Node) nodes;  /* what it finds */
    VECTOR(Node) blocks; /* and what becomes of them */
    VECTOR(Node) spare;
    VECTOR(Pos) open;   /* indices of the open nodes, outermost first */
    VECTOR(Pos) quotes; /* positions in `open` of block quotes: on a blank line, everything between them goes on */
    Pos empty_item;     /* after the line of an item that has no content yet, else NONE */
    int after_blank;
    Pos missing_cells; /* of the table that is read */
    VECTOR(Around) around;
    unsigned char *edited;
    VECTOR(Edit) edits;
    VECTOR(Lead) leads;
    VECTOR(Pos) tops; /* indices of the top-level blocks */
    VECTOR(OpenDirective) directives;
    VECTOR(Colons) colons; /* sorted */
    VECTOR(Run) runs;
    VECTOR(Wrap) wraps;
    VECTOR(Pos) moved;
    Outcome outcome;
    jmp_buf way_out;
} Parser;

/* --- the steps, in order ------------------------------------------------------------------------------------------ */

/* Leave the parse from any depth. */
_Noreturn void give_up(Parser *parser, Outcome why);

/* From `text` to `nodes`. */
void parse(Parser *parser);

/* From `nodes` to `blocks`: whole lines, trimmed ends, and parents by where blocks lie. */
void nest(Parser *parser);

/* Tables where GFM has them: the parser knows none after a line of text, and some that are not. */
void find_tables(Parser *parser);

/* Say so of fences that nothing closes. */
void mark_unclosed(Parser *parser);

/* Paragraphs that are nothing but images, or one formula. */
void mark_figures(Parser *parser);

/* `:::name` to `:::`, and `!!! name` with the indented text under it, as blocks around blocks. */
void wrap_directives(Parser *parser);
void wrap_admonitions(Parser *parser);

/* --- shared by the parser's files -------------------------------------------------------------------------------- */

Pos add_block(Parser *parser, Kind kind, Pos start, Pos end);
Pos open_block(Parser *parser, Kind kind, Pos start);
void close_block(Parser *parser, Pos end);
Node *node_at(Parser *parser, Pos index);
Node *innermost(Parser *parser, Pos up);
void finish_list(Parser *parser, Pos at);

/* How many of the open blocks go on in a line; takes their marks and indentation. */
Pos continued(Parser *parser, Line *line);

/* Whether a line that starts with this cannot be a paragraph's next. `inside`: all open blocks go on in it. */
int interrupts(Parser *parser, Pos at, int inside);
int interrupts_row(Parser *parser, Pos at, int inside, int in_table);

/* Leaf blocks; each gives the offset to go on from. */
Pos parse_paragraph(Parser *parser, Pos start);
Pos parse_indented_code(Parser *parser, Pos start);
Pos parse_fenced_code(Parser *parser, Pos start, int indent, Pos length);
Pos parse_raw_html(Parser *parser, Pos start, const char *closer);
Pos parse_html(Parser *parser, Pos start);

/* Tables. */
Pos after_delimiter_row(const Text *text, Pos at, Pos *columns);
Pos header_columns(const Text *text, Pos start, Pos pipes, Pos last_pipe);
Pos next_pipe(const Text *text, Pos at);
Pos table_below(Parser *parser, Pos start, Pos *columns);
Pos parse_table(Parser *parser, Pos header, Pos body, Pos columns);

/* Link definitions. */
Pos after_footnote_label(const Text *text, Pos at, int in_table);
Pos after_link_definition(Parser *parser, Pos at);

/* --- marks that start blocks: each function looks at one place and keeps no state --------------------------------- */

#define LONGEST_NUMBER 9 /* digits of an ordered list's first number */

typedef struct {
    int delimiter; /* - + * for bullets, . ) for numbers */
    int width;     /* columns from the margin to the item's content */
    uint64_t first;
} ListMarker;

/* After a thematic break and its line end, else NONE; `*stop` is then where the search ended. */
Pos after_rule(const Text *text, Pos at, Pos *stop);

/* Level of an ATX heading, 0 where there is none. */
int heading_level(const Text *text, Pos at);

/* After a setext underline and its line end, else NONE. */
Pos after_underline(const Text *text, Pos at, int *level);

/* Length of an opening code fence, 0 where there is none. */
Pos fence_length(const Text *text, Pos at);

/* After a closing code fence, its line end not included, else NONE. The end of the text closes too. */
Pos after_closing_fence(const Text *text, Pos at, int mark, Pos length);

/* Take a list marker and the columns after it. */
int take_list_marker(const Text *text, Line *line, int indent, ListMarker *marker);

/* Whether a list item starts here; whether it could do so in the middle of a paragraph. */
int is_list_item(const Text *text, Pos at, int *interrupts);

/* What ends the HTML block of the kinds 1-5 that starts at `<`, NULL where there is none. */
const char *html_closer(const Text *text, Pos at);

/* Whether an HTML block of the kind that ends at a blank line starts at `<`: a known tag, or any tag alone. */
int is_html_block_tag(const Text *text, Pos at);
int is_lone_html_tag(const Text *text, Pos at);

/* --- shared by the steps after the parse -------------------------------------------------------------------------- */

/* Index of the last block that starts at an offset or before it. */
Pos latest(const Parser *parser, Pos at);

/* Index of the smallest block around an offset, NONE where there is none. */
Pos block_around(const Parser *parser, Pos at);

/* Back over, or forward over, spaces, tabs and byte order marks as they were written. */
int indents(const Text *text, Pos at);

#endif
