/* What XML of a sheet has anywhere, in one look: `has_marks` in parse/sheet_cells.py.
 *
 * Nothing in the loop depends on what was seen before, so that compilers turn it into one over many bytes at a time. */

#include "rows.h"

#define LONGEST 6 /* bytes of a mark */
#define STRETCH 240 /* so many bytes cannot hold more marks than one byte can count */

typedef struct {
    unsigned char column, formula, error;
    Py_ssize_t shared;
} Marks;

static inline unsigned char is_letter(unsigned char byte) { return (unsigned char)(byte - 'A') < 26; }

/* Look at marks that begin in `count` bytes; LONGEST - 1 more can be read. */
static void look(const unsigned char *at, Py_ssize_t count, Marks *marks) {
    unsigned char column = 0, formula = 0, error = 0, shared = 0;
    for (Py_ssize_t i = 0; i < count; i++) {
        const unsigned char *p = at + i;
        column |= (unsigned char)((p[0] == ' ') & (p[1] == 'r') & (p[2] == '=') & (p[3] == '"') & is_letter(p[4]) & is_letter(p[5]));
        formula |= (unsigned char)((p[0] == '<') & (p[1] == '/') & (p[2] == 'f') & (p[3] == '>'));
        unsigned char quoted = (unsigned char)((p[0] == 't') & (p[1] == '=') & (p[2] == '"') & (p[4] == '"'));
        error |= (unsigned char)(quoted & (p[3] == 'e'));
        shared = (unsigned char)(shared + (quoted & (p[3] == 's')));
    }
    marks->column |= column;
    marks->formula |= formula;
    marks->error |= error;
    marks->shared += shared;
}

PyObject *has_marks(PyObject *module, PyObject *data) {
    (void)module;
    if (!PyBytes_Check(data)) return PyErr_Format(PyExc_TypeError, "expected bytes, got %R", Py_TYPE(data));
    const unsigned char *bytes = (const unsigned char *)PyBytes_AS_STRING(data);
    Py_ssize_t size = PyBytes_GET_SIZE(data), at = 0;
    Marks marks = {0};
    while (size - at >= LONGEST) {
        Py_ssize_t count = size - at - (LONGEST - 1);
        if (count > STRETCH) count = STRETCH;
        look(bytes + at, count, &marks);
        at += count;
    }
    unsigned char end[2 * LONGEST] = {0}; /* zeros to look at behind the last bytes */
    for (Py_ssize_t i = at; i < size; i++) end[i - at] = bytes[i];
    look(end, size - at, &marks);
    PyObject *column = marks.column ? Py_True : Py_False, *formula = marks.formula ? Py_True : Py_False;
    return Py_BuildValue("(OOOn)", column, formula, marks.error ? Py_True : Py_False, marks.shared);
}
