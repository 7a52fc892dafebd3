/* The top-level blocks of a document and the sections that its headings make of them. */

#ifndef SEAMLINE_CUTS_OUTLINE_H
#define SEAMLINE_CUTS_OUTLINE_H

#include "growth.h"

/* Fields of seamline.types.Block. */
enum { BLOCK_KIND, BLOCK_START, BLOCK_END, BLOCK_LEVEL, BLOCK_PARENT, BLOCK_ATTRS, BLOCK_FIELDS };

/* Block kinds as far as the cut tells them apart. */
typedef enum {
    PARAGRAPH,
    HEADING,
    CODE,
    RULE,
    HTML,
    MATH,
    SCOPE,  /* classes and functions: made of other blocks, and code */
    NESTED, /* made of other blocks: lists, quotes, tables, ... */
    OTHER_KIND,
} Kind;

typedef struct {
    Py_ssize_t start;
    Py_ssize_t end;
    Py_ssize_t block; /* its index among all blocks */
    PyObject *kind_name; /* borrowed */
    Kind kind;
    int level; /* of a heading: 1 to 6 */
} Top;

/* As seamline.cut.sections.Section, but a path holds positions among the top-level blocks. */
typedef struct {
    size_t first;
    size_t last;
    size_t path; /* where its path starts in `paths` */
    size_t depth;
    size_t above;
    int level;
} Section;

typedef struct {
    PyObject *blocks; /* as a tuple: what the tops borrow lives as long as this */
    Py_ssize_t block_count;
    Top *tops;
    size_t top_count;
    size_t top_room;
    Section *sections;
    size_t section_count;
    size_t section_room;
    size_t *paths;
    size_t path_size;
    size_t path_room;
    PyObject *unclosed; /* from the end of a block to the fence that it leaves open; NULL where all are closed */
} Outline;

/* Reads the blocks; paths keep headings up to level `depth`. False with an exception set; NotImplementedError where the
   blocks are not of the usual shape. */
bool outline_open(Outline *outline, PyObject *blocks, int depth);
void outline_close(Outline *outline);

#endif
