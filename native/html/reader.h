/* What the steps of reading a page share. A page that needs any repair is given up at once, wherever that is noticed:
 * the Python path reads it then, over a parser that knows how browsers repair. All memory belongs to the reader, so
 * that leaving from any depth loses none. */

#ifndef SEAMLINE_HTML_READER_H
#define SEAMLINE_HTML_READER_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <setjmp.h>
#include <stdint.h>

#include "tags.h"

typedef int32_t Pos; /* an offset in the source, or an index */
#define NONE (-1)

typedef enum { FINE, NOT_MINE, FAILED } Outcome; /* FAILED: a Python error is set */

#define VECTOR(Type)     \
    struct {             \
        Type *items;     \
        Pos count, room; \
    }

/* Append a value. The arguments may be read more than once. */
#define PUSH(reader, vector, ...)                                                                                      \
    ((vector).count < (vector).room                                                                                    \
         ? (void)0                                                                                                     \
         : (void)((vector).items = room_for((reader), (vector).items, (vector).count, 1, &(vector).room,               \
                                            sizeof *(vector).items)),                                                  \
     (vector).items[(vector).count++] = (__VA_ARGS__))

typedef struct {
    Pos start, end; /* of the value in the source */
    unsigned char name, has_reference;
} Attribute;

typedef struct {
    Pos start, start_end;     /* the start tag, or a text; NONE where the tag is implied */
    Pos end, end_end;         /* the end tag; NONE where there is none */
    Pos past;                 /* the first node that is not inside: nodes come in the order of the source */
    Pos parent;
    Pos attributes, id;       /* the first of them, and the one that names the element or NONE */
    uint16_t attribute_count;
    unsigned char tag;
    unsigned char has_reference; /* of a text */
    unsigned char is_foreign;    /* in a drawing */
    unsigned char is_gone;       /* taken out, as no reader sees it */
} Node;

/* Text on one line, in which every run of white space is one space. */
typedef struct {
    Py_UCS4 *items;
    Pos count, room;
    Pos first;    /* of the line that is being written */
    int is_apart; /* a space is due before the next character */
} Line;

typedef struct {
    Pos node;
    unsigned char tag, has_p; /* has_p: a block here ends an open paragraph */
} Entry;

typedef struct {
    Pos from, to;   /* in the source */
    Pos id;         /* attribute that names the element, or NONE */
} Place;

typedef struct {
    Pos start, end, place;
} Run;

typedef enum { K_PARAGRAPH, K_HEADING, K_LIST, K_ITEM, K_QUOTE, K_CODE, K_TABLE, K_ROW, K_RULE, K_FIGURE, KINDS } Kind;

typedef struct {
    Pos start, end, parent;
    unsigned char kind, level;
} Written;

/* A block that is being written, as in parse/build.py. */
typedef struct {
    Pos index, start;
    unsigned char kind, level, is_asked, mark_length, margin_length;
    char mark[24], margin[4];
} Open;

/* A list, item or quote around the text, as in parse/html_flow.py. */
typedef struct {
    unsigned char kind, is_open, is_section;
    char label[22];
} Frame;

typedef struct {
    int64_t next;
    Pos style; /* attribute, or NONE */
    int step;
    unsigned char tag, has_item, is_defined;
} List;

/* An element whose end matters to the walk, and the id that held before it. */
typedef struct {
    Pos node, id;
} Around;

typedef enum { GAP_NONE, GAP_EMPTY, GAP_LINE, GAP_BLANK } Gap;

/* Python functions for what is rare, and the one place where it is written down. */
typedef struct {
    PyObject *entities, *styled_away, *image, *picture, *field, *number, *counted, *language, *table;
} Helpers;

typedef struct Reader {
    jmp_buf way_out;
    Outcome outcome;
    PyObject *held; /* the Python value at work */
    PyObject *kept; /* another, for longer: the cells of a table, or what is told of the page */
    PyObject *key;  /* the name of a character that is looked up */
    /* the source */
    const Py_UCS4 *source;
    Pos length;
    PyObject *part; /* the file in an archive; NULL for a page that is a file */
    Pos most;       /* characters that may be written */
    int is_xhtml;   /* elements may be closed in their start tags: those with raw text are left to Python then */
    Helpers call;
    VECTOR(Pos) newlines;
    VECTOR(Pos) pairs; /* where line ends were two characters */
    /* the tree */
    VECTOR(Node) nodes;
    VECTOR(Attribute) attributes;
    VECTOR(Entry) stack;
    int phase, is_standard, open_forms;
    Pos once[4]; /* how many of these are open: a, nobr, button, select */
    Pos hidden_elements, hidden_characters;
    /* the walk */
    Line line, cell;
    VECTOR(Pos) breaks; /* in `line`: where lines end */
    VECTOR(Around) around;
    Pos id, inner_id;
    Pos figures;
    Pos first_heading, first_heading_end; /* in `out` */
    Pos cut_tables;
    VECTOR(Pos) rows, found; /* of a table: nodes or places, and places */
    VECTOR(List) lists;
    VECTOR(Frame) frames;
    int is_ready;
    Pos shown, looked, ended;
    /* places */
    VECTOR(Place) places;
    Pos before, last, open_place;
    int is_after;
    /* what is written */
    VECTOR(Py_UCS4) out;
    VECTOR(Written) blocks;
    VECTOR(Run) runs;
    VECTOR(Open) open;
    Gap gap;
    Pos base, base_blocks; /* characters and blocks that were written before this page */
} Reader;

/* --- ways out ---------------------------------------------------------------------------------------------------- */

_Noreturn void leave(Reader *reader, Outcome outcome);
#define give_up(reader) leave((reader), NOT_MINE)
void *room_for(Reader *reader, void *items, Pos count, Pos more, Pos *room, size_t size);

/* Keep a new Python value until the next one; NULL is an error that ends the reading. */
PyObject *hold(Reader *reader, PyObject *value);
PyObject *keep_long(Reader *reader, PyObject *value);

/* --- characters and attributes (text.c) -------------------------------------------------------------------------- */

static inline int is_blank(Py_UCS4 c) { return c == ' ' || c == '\n' || c == '\t' || c == '\f'; }
static inline int is_letter(Py_UCS4 c) { return (c | 32) >= 'a' && (c | 32) <= 'z'; }
static inline int is_space(Py_UCS4 c) {
    return c < 128 ? c == ' ' || (c >= 9 && c <= 13) || (c >= 28 && c <= 31) : Py_UNICODE_ISSPACE(c);
}

/* The character reference at `at`, as one or two characters; the offset after it. */
Pos read_reference(Reader *reader, Pos at, Pos end, Py_UCS4 found[2], int *count);

/* Source text, decoded, at the end of a line; white space as one space. */
void add_text(Reader *reader, Line *line, Pos start, Pos end, int has_reference);
void add_string(Reader *reader, Line *line, PyObject *text);
static inline void add_gap(Line *line) { line->is_apart = line->count > line->first; }
void clear_line(Line *line);

/* Count characters of a text: all, or those that are not white space. */
Pos text_size(Reader *reader, const Node *text, int only_visible);

/* Source text as a Python string, decoded; a new reference. */
PyObject *string_of(Reader *reader, Pos start, Pos end, int has_reference);
static inline Pos attribute_of(const Reader *reader, const Node *node, int name) {
    for (Pos i = node->attributes; i < node->attributes + node->attribute_count; i++) {
        if (reader->attributes.items[i].name == name) return i;
    }
    return NONE;
}
/* Whether a value has a word in it, in letters of any case; references are not looked into. */
int has_word(const Reader *reader, const Attribute *value, const char *word);
PyObject *attribute_value(Reader *reader, Pos attribute);
/* None where there is no such attribute; a new reference. */
PyObject *attribute_string(Reader *reader, const Node *node, int name);
static inline int is_empty_attribute(const Reader *reader, Pos attribute) {
    return reader->attributes.items[attribute].start == reader->attributes.items[attribute].end;
}

/* --- steps ------------------------------------------------------------------------------------------------------- */

typedef struct {
    Pos start, end, attributes;
    uint16_t attribute_count;
    unsigned char tag, is_closed; /* is_closed: in itself, as in <br/> */
} Tag;

Pos read_start_tag(Reader *reader, Pos at, Tag *tag);        /* tokens.c; each gives the offset after it */
Pos read_end_tag(Reader *reader, Pos at, Tag *tag);
Pos skip_comment(Reader *reader, Pos at);
Pos skip_declaration(Reader *reader, Pos at);
Pos find_end_of_raw(Reader *reader, Pos at, Pos name, int is_script);
int is_same_name(const Reader *reader, Pos one, Pos other);

void build_tree(Reader *reader);                              /* tree.c */
void end_element(Reader *reader, const Tag *tag);             /* ends.c */
void table_part(Reader *reader, const Tag *tag);
Pos push_element(Reader *reader, const Tag *tag, int tag_id);
void pop_element(Reader *reader, const Tag *end);
void take_out_unshown(Reader *reader);                        /* prune.c */
void walk_page(Reader *reader);                               /* walk.c */
void walk_table(Reader *reader, Pos table, Pos name);         /* tables.c */
int is_layout(Reader *reader, Pos table);
void inline_text(Reader *reader, Line *line, Pos node);       /* inline.c */
void add_replaced(Reader *reader, Line *line, const Node *node);
void add_picture(Reader *reader, Line *line, const Node *node);
Pos next_inside(const Reader *reader, Pos at);

static inline Entry *top(Reader *reader) { return &reader->stack.items[reader->stack.count - 1]; }
static inline int rule_of(int tag) { return TAG_INFO[tag].rule; }
static inline int has_flag(int tag, int flag) { return TAG_INFO[tag].flags & flag; }

/* --- places (places.c), as in parse/html_places.py --------------------------------------------------------------- */

void passed(Reader *reader, Pos node, int is_end);
Pos place_around(Reader *reader, Pos node, int is_end, Pos id);
Pos place_of(Reader *reader, Pos node, Pos id);
void finish_places(Reader *reader);
Pos line_of(const Reader *reader, Pos offset);

/* --- lists and what is written (lists.c, flow.c, write.c) -------------------------------------------------------- */

void enter_list(Reader *reader, Pos node);
void leave_list(Reader *reader);
void enter_item(Reader *reader, Pos node);
void leave_item(Reader *reader);
void enter_term(Reader *reader, Pos node);

void push_frame(Reader *reader, Kind kind, const char *label);
void pop_frame(Reader *reader);
void flow_ready(Reader *reader);
void close_frames(Reader *reader);

void open_block(Reader *reader, Kind kind, int level, const char *mark, const char *margin, int is_tight);
void close_block(Reader *reader);
void write_line(Reader *reader, Kind kind, int level, const Py_UCS4 *text, Pos count, Pos place);
void write_lines(Reader *reader, Kind kind, const Py_UCS4 *text, const Pos *ends, Pos count, Pos place);
void write_code(Reader *reader, const Py_UCS4 *text, Pos count, PyObject *language, Pos place);
void put_text(Reader *reader, const Py_UCS4 *text, Pos count, Pos place);
void put_object(Reader *reader, PyObject *text, Pos place);
void emit(Reader *reader, const Py_UCS4 *text, Pos count);
void emit_ascii(Reader *reader, const char *text, Pos count);
void emit_margin(Reader *reader);

#endif
