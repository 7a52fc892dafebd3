/* seamline._html: the nodes of a page, one after the other.
 *
 * The loop of `Walk.run` in parse/html_walk.py. What an element does, and what text becomes, stays in Python: most nodes
 * of a page are text and elements inside lines, which need no more than to be passed. */

#define PY_SSIZE_T_CLEAN
#include <Python.h>

static PyObject *name_attr, *name_children, *name_data, *name_id, *name_tag, *name_around, *name_inner;

typedef struct {
    PyObject *nodes;   /* a list or tuple of siblings */
    Py_ssize_t next;   /* the first of them that was not looked at */
    PyObject *leave;   /* called after the last, or NULL */
    PyObject *element; /* that they are in; NULL without `leave` */
    PyObject *around;  /* the id in force outside of it */
} Level;

typedef struct {
    PyObject *walk, *parts, *enter, *element_type, *text_type; /* borrowed */
    Level *levels;
    Py_ssize_t depth, room;
} Way;

/* --- levels ------------------------------------------------------------------------------------------------------ */

static void release(Level *level) {
    Py_XDECREF(level->nodes);
    Py_XDECREF(level->leave);
    Py_XDECREF(level->element);
    Py_XDECREF(level->around);
}

/* Go into the children of a node. Takes over `leave` and `around`. */
static int descend(Way *way, PyObject *node, PyObject *children, PyObject *leave, PyObject *around) {
    Level level = {.leave = leave, .element = leave ? Py_NewRef(node) : NULL, .around = around};
    level.nodes = PySequence_Fast(children, "children are no sequence");
    if (level.nodes && way->depth == way->room) {
        Py_ssize_t room = way->room ? 2 * way->room : 64;
        Level *levels = PyMem_Resize(way->levels, Level, (size_t)room);
        if (!levels) {
            PyErr_NoMemory();
            Py_CLEAR(level.nodes);
        } else {
            way->levels = levels;
            way->room = room;
        }
    }
    if (!level.nodes) {
        release(&level);
        return -1;
    }
    way->levels[way->depth++] = level;
    return 0;
}

/* Leave the innermost level: what its element does at its end, and the id around it again. */
static int ascend(Way *way) {
    Level level = way->levels[--way->depth];
    int done = 0;
    if (level.leave) {
        PyObject *result = PyObject_CallFunctionObjArgs(level.leave, way->walk, level.element, NULL);
        done = result ? PyObject_SetAttr(way->walk, name_around, level.around) : -1;
        Py_XDECREF(result);
    }
    release(&level);
    return done;
}

/* --- nodes ------------------------------------------------------------------------------------------------------- */

static int is_blank(PyObject *text) {
    Py_ssize_t count = PyUnicode_GET_LENGTH(text);
    int kind = (int)PyUnicode_KIND(text);
    const void *data = PyUnicode_DATA(text);
    for (Py_ssize_t i = 0; i < count; i++) {
        if (!Py_UNICODE_ISSPACE(PyUnicode_READ(kind, data, i))) return 0;
    }
    return count > 0;
}

/* Text is kept, but for white space before any other. */
static int pass_text(Way *way, PyObject *node) {
    PyObject *text = PyObject_GetAttr(node, name_data);
    if (!text) return -1;
    int done = 0;
    if (!PyUnicode_Check(text)) {
        PyErr_SetString(PyExc_TypeError, "data of a text is no string");
        done = -1;
    } else if (PyList_GET_SIZE(way->parts) || !is_blank(text)) {
        done = PyList_Append(way->parts, text);
    }
    Py_DECREF(text);
    return done;
}

/* The first id inside the text since the last block is noted. */
static int note_id(Way *way, PyObject *node) {
    PyObject *told = PyObject_CallMethodOneArg(node, name_attr, name_id);
    if (!told) return -1;
    int done = told == Py_None ? 0 : PyObject_IsTrue(told);
    if (done > 0) {
        PyObject *known = PyObject_GetAttr(way->walk, name_inner);
        int is_known = known ? PyObject_IsTrue(known) : -1;
        Py_XDECREF(known);
        done = is_known ? is_known : PyObject_SetAttr(way->walk, name_inner, told);
    }
    Py_DECREF(told);
    return done < 0 ? -1 : 0;
}

/* Go into a node that does nothing itself. */
static int pass_inline(Way *way, PyObject *node) {
    PyObject *children = PyObject_GetAttr(node, name_children);
    if (!children) return -1;
    int done = PyObject_IsTrue(children);
    if (done > 0) done = descend(way, node, children, NULL, NULL);
    Py_DECREF(children);
    return done;
}

/* An element that does something where it starts, and mostly where it ends. */
static int pass_block(Way *way, PyObject *node, PyObject *enter) {
    PyObject *around = PyObject_GetAttr(way->walk, name_around);
    if (!around) return -1;
    PyObject *leave = PyObject_CallFunctionObjArgs(enter, way->walk, node, NULL);
    if (!leave || leave == Py_None) {
        Py_DECREF(around);
        Py_XDECREF(leave);
        return leave ? 0 : -1;
    }
    PyObject *children = PyObject_GetAttr(node, name_children);
    if (!children) {
        Py_DECREF(around);
        Py_DECREF(leave);
        return -1;
    }
    int done = descend(way, node, children, leave, around);
    Py_DECREF(children);
    return done;
}

static int pass_element(Way *way, PyObject *node) {
    PyObject *tag = PyObject_GetAttr(node, name_tag);
    if (!tag) return -1;
    PyObject *enter = PyDict_GetItemWithError(way->enter, tag);
    Py_DECREF(tag);
    if (enter) return pass_block(way, node, enter);
    if (PyErr_Occurred() || note_id(way, node) < 0) return -1;
    return pass_inline(way, node);
}

static int pass(Way *way, PyObject *node) {
    PyObject *type = (PyObject *)Py_TYPE(node);
    if (type == way->text_type) return pass_text(way, node);
    return type == way->element_type ? pass_element(way, node) : pass_inline(way, node);
}

/* --- the module -------------------------------------------------------------------------------------------------- */

static PyObject *walk(PyObject *module, PyObject *args) {
    (void)module;
    PyObject *root;
    Way way = {0};
    if (!PyArg_ParseTuple(args, "OOO!O!OO:walk", &root, &way.walk, &PyList_Type, &way.parts, &PyDict_Type, &way.enter,
                          &way.element_type, &way.text_type)) {
        return NULL;
    }
    int done = pass_inline(&way, root);
    while (done >= 0 && way.depth) {
        Level *level = &way.levels[way.depth - 1];
        if (level->next >= PySequence_Fast_GET_SIZE(level->nodes)) {
            done = ascend(&way);
            continue;
        }
        PyObject *node = Py_NewRef(PySequence_Fast_GET_ITEM(level->nodes, level->next));
        level->next++;
        done = pass(&way, node);
        Py_DECREF(node);
    }
    while (way.depth) release(&way.levels[--way.depth]);
    PyMem_Free(way.levels);
    if (done < 0) return NULL;
    Py_RETURN_NONE;
}

static PyMethodDef methods[] = {
    {"walk", walk, METH_VARARGS, "Pass all nodes below one, in order; elements in a table do what it says."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, .m_name = "seamline._html", .m_size = -1, .m_methods = methods};

PyMODINIT_FUNC PyInit__html(void) {
    static const struct {
        PyObject **name;
        const char *text;
    } NAMES[] = {
        {&name_attr, "attr"}, {&name_children, "children"}, {&name_data, "data"},        {&name_id, "id"},
        {&name_tag, "tag"},   {&name_around, "_id"},        {&name_inner, "_inner_id"},
    };
    for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++) {
        if (!*NAMES[i].name) *NAMES[i].name = PyUnicode_InternFromString(NAMES[i].text);
        if (!*NAMES[i].name) return NULL;
    }
    return PyModule_Create(&definition);
}
