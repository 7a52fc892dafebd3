/* Blocks -> sections, as seamline.cut.sections finds them. */

#include "outline.h"

#include <string.h>

enum { DEEPEST = 6 };

/* --- blocks ------------------------------------------------------------------------------------------------------ */

static bool unusual(const char *what)
{
    PyErr_SetString(PyExc_NotImplementedError, what);
    return false;
}

static Kind kind_of(PyObject *name)
{
    static const struct {
        const char *name;
        Kind kind;
    } KINDS[] = {
        {"paragraph", PARAGRAPH}, {"heading", HEADING}, {"code", CODE},       {"html", HTML},       {"list", NESTED},
        {"rule", RULE},           {"table", NESTED},    {"quote", NESTED},    {"math", MATH},       {"item", NESTED},
        {"footnote", NESTED},     {"jsx", NESTED},      {"directive", NESTED},
        {"scope", SCOPE},         {"environment", NESTED}, {"turn", NESTED},    {"figure", NESTED},
    };
    for (size_t i = 0; i < sizeof KINDS / sizeof *KINDS; i++)
        if (PyUnicode_CompareWithASCIIString(name, KINDS[i].name) == 0)
            return KINDS[i].kind;
    return OTHER_KIND;
}

/* Blocks without such a fence share their attributes: `closed` is what was looked through last. */
static bool read_unclosed(Outline *outline, PyObject *block, PyObject *key, PyObject **closed)
{
    PyObject *attrs = PyTuple_GET_ITEM(block, BLOCK_ATTRS);
    if (attrs == Py_None || attrs == *closed)
        return true;
    int found = PySequence_Contains(attrs, key);
    if (found <= 0) {
        *closed = attrs;
        return found == 0;
    }
    if (!outline->unclosed && !(outline->unclosed = PyDict_New()))
        return false;
    PyObject *fence = PyObject_GetItem(attrs, key), *name = fence ? PyObject_Str(fence) : NULL;
    bool done = name && PyDict_SetItem(outline->unclosed, PyTuple_GET_ITEM(block, BLOCK_END), name) == 0;
    Py_XDECREF(fence);
    Py_XDECREF(name);
    return done;
}

static bool read_top(Outline *outline, PyObject *block, Py_ssize_t index)
{
    Top top = {.block = index, .kind_name = PyTuple_GET_ITEM(block, BLOCK_KIND)};
    if (!PyUnicode_Check(top.kind_name))
        return unusual("a kind that is no string");
    top.kind = kind_of(top.kind_name);
    top.start = PyLong_AsSsize_t(PyTuple_GET_ITEM(block, BLOCK_START));
    top.end = PyLong_AsSsize_t(PyTuple_GET_ITEM(block, BLOCK_END));
    long level = PyLong_AsLong(PyTuple_GET_ITEM(block, BLOCK_LEVEL));
    if (PyErr_Occurred())
        return false;
    top.level = top.kind == HEADING ? (int)level : 0;
    if (top.kind == HEADING && (level < 1 || level > DEEPEST))
        return unusual("a heading of no level");
    if (top.start < 0 || top.end <= top.start)
        return unusual("a block without text");
    if (outline->top_count && top.start < outline->tops[outline->top_count - 1].end)
        return unusual("blocks out of order");
    if (!GROW(outline->tops, outline->top_room, outline->top_count + 1))
        return false;
    outline->tops[outline->top_count++] = top;
    return true;
}

static bool read_all(Outline *outline, PyObject *key)
{
    PyObject *closed = NULL;
    outline->block_count = PyTuple_GET_SIZE(outline->blocks);
    for (Py_ssize_t i = 0; i < outline->block_count; i++) {
        PyObject *block = PyTuple_GET_ITEM(outline->blocks, i);
        if (!PyTuple_Check(block) || PyTuple_GET_SIZE(block) != BLOCK_FIELDS)
            return unusual("a block that is no Block");
        long parent = PyLong_AsLong(PyTuple_GET_ITEM(block, BLOCK_PARENT));
        if (parent == -1 && PyErr_Occurred())
            return false;
        if (!read_unclosed(outline, block, key, &closed) || (parent < 0 && !read_top(outline, block, i)))
            return false;
    }
    return true;
}

static bool read_blocks(Outline *outline)
{
    PyObject *key = PyUnicode_InternFromString("unclosed");
    bool done = key && read_all(outline, key);
    Py_XDECREF(key);
    return done;
}

/* --- sections ---------------------------------------------------------------------------------------------------- */

/* The headings above a place, outermost first; each is deeper than the one before, so there are DEEPEST at most. */
typedef struct {
    size_t tops[DEEPEST];
    size_t depth;
} Stack;

static bool add_section(Outline *outline, size_t first, size_t last, int level, const Stack *stack, int depth)
{
    if (!GROW(outline->sections, outline->section_room, outline->section_count + 1) ||
        !GROW(outline->paths, outline->path_room, outline->path_size + DEEPEST))
        return false;
    Section section = {.first = first, .last = last, .level = level, .path = outline->path_size};
    for (size_t i = 0; i < stack->depth; i++) {
        if (outline->tops[stack->tops[i]].level > depth)
            continue;
        outline->paths[outline->path_size++] = stack->tops[i];
        section.depth++;
        section.above += stack->tops[i] < first;
    }
    outline->sections[outline->section_count++] = section;
    return true;
}

/* Pop to the level above, then push. */
static void push(const Outline *outline, Stack *stack, size_t top)
{
    while (stack->depth && outline->tops[stack->tops[stack->depth - 1]].level >= outline->tops[top].level)
        stack->depth--;
    stack->tops[stack->depth++] = top;
}

static bool find_sections(Outline *outline, int depth)
{
    Stack stack = {.depth = 0};
    size_t first = 0;
    int level = 0;
    bool after_heading = false;
    for (size_t i = 0; i < outline->top_count; i++) {
        const Top *top = outline->tops + i;
        if (top->kind != HEADING) {
            after_heading = false;
            continue;
        }
        if (after_heading) {
            level = top->level < level ? top->level : level;
        } else {
            if (i > first && !add_section(outline, first, i, level, &stack, depth))
                return false;
            first = i;
            level = top->level;
        }
        push(outline, &stack, i);
        after_heading = true;
    }
    return first >= outline->top_count || add_section(outline, first, outline->top_count, level, &stack, depth);
}

bool outline_open(Outline *outline, PyObject *blocks, int depth)
{
    *outline = (Outline){.blocks = PySequence_Tuple(blocks)};
    return outline->blocks && read_blocks(outline) && find_sections(outline, depth);
}

void outline_close(Outline *outline)
{
    Py_CLEAR(outline->blocks);
    Py_CLEAR(outline->unclosed);
    PyMem_Free(outline->tops);
    PyMem_Free(outline->sections);
    PyMem_Free(outline->paths);
}
