/* Text of the source as a reader sees it: character references decoded, white space as one space. */

#include <string.h>

#include "reader.h"

#define LONGEST_REFERENCE 32 /* no name of a character is longer */
#define LONGEST_LEGACY 6     /* letters of a name that may stand without its semicolon */

void leave(Reader *reader, Outcome outcome) {
    reader->outcome = outcome;
    longjmp(reader->way_out, 1);
}

void *room_for(Reader *reader, void *items, Pos count, Pos more, Pos *room, size_t size) {
    if (more <= *room - count) return items;
    if (more > INT32_MAX / 4 || count > INT32_MAX / 4) give_up(reader);
    Pos wanted = count + more;
    Pos larger = wanted + wanted / 2 + 16;
    void *moved = PyMem_Realloc(items, (size_t)larger * size);
    if (!moved) {
        PyErr_NoMemory();
        leave(reader, FAILED);
    }
    *room = larger;
    return moved;
}

PyObject *hold(Reader *reader, PyObject *value) {
    Py_XSETREF(reader->held, value);
    if (!value) leave(reader, FAILED);
    return value;
}

PyObject *keep_long(Reader *reader, PyObject *value) {
    Py_XSETREF(reader->kept, value);
    if (!value) leave(reader, FAILED);
    return value;
}

/* --- character references ---------------------------------------------------------------------------------------- */

/* `&#38;` or `&#x26;`. What browsers would replace by another character is left to Python. */
static Pos read_number(Reader *reader, Pos at, Pos end, Py_UCS4 *found) {
    const Py_UCS4 *s = reader->source;
    Pos digits = at + 2;
    int is_hex = digits < end && (s[digits] | 32) == 'x';
    if (is_hex) digits++;
    Py_UCS4 number = 0;
    Pos stop = digits;
    for (; stop < end && stop - digits < 9; stop++) {
        Py_UCS4 c = s[stop];
        if (c >= '0' && c <= '9') {
            number = number * (is_hex ? 16 : 10) + (c - '0');
        } else if (is_hex && (c | 32) >= 'a' && (c | 32) <= 'f') {
            number = number * 16 + ((c | 32) - 'a' + 10);
        } else {
            break;
        }
        if (number > 0x10FFFF) give_up(reader);
    }
    if (stop == digits || stop >= end || s[stop] != ';') give_up(reader);
    int is_control = (number < 32 && number != '\t' && number != '\n') || (number >= 127 && number < 160);
    if (is_control || (number >= 0xD800 && number < 0xE000)) give_up(reader);
    *found = number;
    return stop + 1;
}

static PyObject *entity(Reader *reader, const char *name, int length) {
    Py_XSETREF(reader->key, PyUnicode_FromStringAndSize(name, length));
    if (!reader->key) leave(reader, FAILED);
    PyObject *value = PyDict_GetItemWithError(reader->call.entities, reader->key);
    if (!value && PyErr_Occurred()) leave(reader, FAILED);
    return value && PyUnicode_Check(value) ? value : NULL;
}

/* Whether letters that no semicolon follows begin with a name that needs none. */
static int is_legacy(Reader *reader, const char *name, int length) {
    for (int i = 2; i <= length && i <= LONGEST_LEGACY; i++) {
        if (entity(reader, name, i)) return 1;
    }
    return 0;
}

/* The names that nearly all references are made of. */
static Py_UCS4 common_entity(const char *name, int length) {
    static const struct { const char *name; Py_UCS4 value; } COMMON[] = {
        {"amp;", '&'}, {"lt;", '<'}, {"gt;", '>'}, {"quot;", '"'}, {"nbsp;", 0xA0}, {"apos;", '\''},
    };
    for (size_t i = 0; i < sizeof COMMON / sizeof *COMMON; i++) {
        if (!strncmp(COMMON[i].name, name, (size_t)length) && !COMMON[i].name[length]) return COMMON[i].value;
    }
    return 0;
}

Pos read_reference(Reader *reader, Pos at, Pos end, Py_UCS4 found[2], int *count) {
    const Py_UCS4 *s = reader->source;
    char name[LONGEST_REFERENCE + 2];
    int length = 0;
    found[0] = '&';
    *count = 1;
    if (at + 1 < end && s[at + 1] == '#') return read_number(reader, at, end, &found[0]);
    Pos stop = at + 1;
    for (; stop < end && (is_letter(s[stop]) || (s[stop] >= '0' && s[stop] <= '9')); stop++) {
        if (length < LONGEST_REFERENCE) name[length++] = (char)s[stop];
    }
    if (!length) return at + 1;
    if (stop < end && s[stop] == ';' && stop - at - 1 == length) {
        name[length] = ';';
        if ((found[0] = common_entity(name, length + 1))) return stop + 1;
        PyObject *value = entity(reader, name, length + 1);
        if (value && PyUnicode_GET_LENGTH(value) >= 1 && PyUnicode_GET_LENGTH(value) <= 2) {
            *count = (int)PyUnicode_GET_LENGTH(value);
            for (int i = 0; i < *count; i++) found[i] = PyUnicode_READ_CHAR(value, i);
            return stop + 1;
        }
    }
    if (is_legacy(reader, name, length)) give_up(reader);
    found[0] = '&';
    return at + 1;
}

/* --- lines ------------------------------------------------------------------------------------------------------- */

void clear_line(Line *line) { line->count = line->first = line->is_apart = 0; }

/* There must be room for two characters. */
static inline void add_character(Line *line, Py_UCS4 c) {
    if (is_space(c)) {
        line->is_apart = line->count > line->first;
        return;
    }
    if (line->is_apart) {
        line->items[line->count++] = ' ';
        line->is_apart = 0;
    }
    line->items[line->count++] = c;
}

void add_text(Reader *reader, Line *line, Pos start, Pos end, int has_reference) {
    const Py_UCS4 *s = reader->source;
    line->items = room_for(reader, line->items, line->count, 2 * (end - start) + 2, &line->room, sizeof *line->items);
    if (!has_reference) {
        for (Pos at = start; at < end; at++) add_character(line, s[at]);
        return;
    }
    for (Pos at = start; at < end;) {
        if (s[at] != '&') {
            add_character(line, s[at++]);
            continue;
        }
        Py_UCS4 found[2];
        int count;
        at = read_reference(reader, at, end, found, &count);
        for (int i = 0; i < count; i++) add_character(line, found[i]);
    }
}

void add_string(Reader *reader, Line *line, PyObject *text) {
    Py_ssize_t count = PyUnicode_GET_LENGTH(text);
    if (count > INT32_MAX / 8) give_up(reader);
    line->items =
        room_for(reader, line->items, line->count, (Pos)(2 * count + 2), &line->room, sizeof *line->items);
    int kind = (int)PyUnicode_KIND(text);
    const void *data = PyUnicode_DATA(text);
    for (Py_ssize_t i = 0; i < count; i++) add_character(line, PyUnicode_READ(kind, data, i));
}

Pos text_size(Reader *reader, const Node *text, int only_visible) {
    const Py_UCS4 *s = reader->source;
    Pos size = 0;
    if (!text->has_reference && !only_visible) return text->start_end - text->start;
    for (Pos at = text->start; at < text->start_end;) {
        Py_UCS4 found[2] = {s[at], 0};
        int count = 1;
        at = s[at] == '&' && text->has_reference ? read_reference(reader, at, text->start_end, found, &count) : at + 1;
        for (int i = 0; i < count; i++) size += !only_visible || !is_space(found[i]);
    }
    return size;
}

/* --- strings and attributes -------------------------------------------------------------------------------------- */

PyObject *string_of(Reader *reader, Pos start, Pos end, int has_reference) {
    const Py_UCS4 *s = reader->source;
    if (!has_reference) return PyUnicode_FromKindAndData(PyUnicode_4BYTE_KIND, s + start, end - start);
    Line *line = &reader->cell; /* its room is used, what is in it stays */
    Pos first = line->count;
    line->items = room_for(reader, line->items, first, 2 * (end - start) + 2, &line->room, sizeof *line->items);
    Pos at = start, to = first;
    while (at < end) {
        Py_UCS4 found[2] = {s[at], 0};
        int count = 1;
        at = s[at] == '&' ? read_reference(reader, at, end, found, &count) : at + 1;
        for (int i = 0; i < count; i++) line->items[to++] = found[i];
    }
    return PyUnicode_FromKindAndData(PyUnicode_4BYTE_KIND, line->items + first, to - first);
}

int has_word(const Reader *reader, const Attribute *value, const char *word) {
    const Py_UCS4 *s = reader->source;
    Pos length = (Pos)strlen(word);
    for (Pos at = value->start; at + length <= value->end; at++) {
        Pos i = 0;
        while (i < length && (s[at + i] | 32) == ((Py_UCS4)(unsigned char)word[i] | 32)) i++;
        if (i == length) return 1;
    }
    return 0;
}

PyObject *attribute_value(Reader *reader, Pos attribute) {
    const Attribute *one = &reader->attributes.items[attribute];
    return string_of(reader, one->start, one->end, one->has_reference);
}

PyObject *attribute_string(Reader *reader, const Node *node, int name) {
    Pos found = attribute_of(reader, node, name);
    return found == NONE ? Py_NewRef(Py_None) : attribute_value(reader, found);
}
