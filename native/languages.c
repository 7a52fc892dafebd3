/* `_weighed` of seamline.enrich.language: how well a text fits each language. */

#include "kernels.h"

/* A state of the automaton. Its children stand side by side, by their bytes; those of the next state follow. */
typedef struct {
    uint32_t first, back;
    int32_t feature;
    uint32_t byte;
} Node;

typedef struct {
    Py_buffer text, nodes, starts, languages, steps, least, gains;
} Model;

#define STEPS 512 /* to 1 */
#define COUNT(buffer, type) ((buffer).len / (Py_ssize_t)sizeof(type))

static int whole(const Model *m) {
    return COUNT(m->nodes, Node) > 1 && COUNT(m->starts, uint32_t) > 0 &&
           COUNT(m->steps, uint16_t) == m->languages.len && COUNT(m->gains, double) > m->text.len;
}

/* The state after one more byte; -1 where the tree is not one. */
static int64_t moved(const Model *m, uint32_t state, uint8_t byte) {
    const Node *nodes = m->nodes.buf;
    uint32_t states = (uint32_t)(COUNT(m->nodes, Node) - 1);
    for (;;) {
        uint32_t low = nodes[state].first, high = nodes[state + 1].first, end = high;
        if (low > high || high > states) return -1;
        while (low < high) {
            uint32_t middle = low + (high - low) / 2;
            if (nodes[middle].byte < byte)
                low = middle + 1;
            else
                high = middle;
        }
        if (low < end && nodes[low].byte == byte) return low;
        if (!state) return 0;
        if (nodes[state].back >= state) return -1;
        state = nodes[state].back;
    }
}

/* Features in the order in which they are met, and how often; -1 where the model is damaged. */
static int count_features(const Model *m, uint32_t *counts, uint32_t *met, Py_ssize_t *different) {
    const uint8_t *text = m->text.buf;
    const Node *nodes = m->nodes.buf;
    int32_t features = (int32_t)(COUNT(m->starts, uint32_t) - 1);
    int64_t state = 0;
    for (Py_ssize_t at = 0; at < m->text.len; at++) {
        state = moved(m, (uint32_t)state, text[at]);
        if (state < 0) return -1;
        int32_t feature = nodes[state].feature;
        if (feature < 0) continue;
        if (feature >= features) return -1;
        if (!counts[feature]++) met[(*different)++] = (uint32_t)feature;
    }
    return 0;
}

static int add_up(const Model *m, const uint32_t *counts, const uint32_t *met, Py_ssize_t different, double *scores) {
    const uint32_t *starts = m->starts.buf;
    const uint8_t *languages = m->languages.buf;
    const uint16_t *steps = m->steps.buf;
    const double *least = m->least.buf, *gains = m->gains.buf;
    Py_ssize_t classes = COUNT(m->least, double);
    for (Py_ssize_t i = 0; i < different; i++) {
        double gain = gains[counts[met[i]]];
        uint32_t end = starts[met[i] + 1];
        if (end > (uint64_t)m->languages.len) return -1;
        for (uint32_t at = starts[met[i]]; at < end; at++) {
            if (languages[at] >= classes) return -1;
            scores[languages[at]] += gain * steps[at];
        }
    }
    double gain = 0;
    for (Py_ssize_t i = 0; i < different; i++) gain += gains[counts[met[i]]];
    for (Py_ssize_t one = 0; one < classes; one++) scores[one] = scores[one] / STEPS + gain * least[one];
    return 0;
}

/* Zeros, as many as there are features: 400 kB, most of which no text touches. */
static uint32_t *zeros(Py_ssize_t features) {
    static uint32_t *held;
    static Py_ssize_t count;
    if (features > count) {
        PyMem_Free(held);
        held = PyMem_Calloc((size_t)features, sizeof *held);
        count = held ? features : 0;
    }
    return held;
}

static PyObject *weighed(const Model *m) {
    Py_ssize_t classes = COUNT(m->least, double), different = 0;
    uint32_t *counts = zeros(COUNT(m->starts, uint32_t));
    uint32_t *met = PyMem_Malloc(((size_t)m->text.len + 1) * sizeof *met);
    double *scores = PyMem_Calloc((size_t)classes, sizeof *scores);
    PyObject *found = NULL;
    if (!counts || !met || !scores) {
        PyErr_NoMemory();
        goto done;
    }
    int damaged = count_features(m, counts, met, &different) < 0 || add_up(m, counts, met, different, scores) < 0;
    for (Py_ssize_t i = 0; i < different; i++) counts[met[i]] = 0;
    if (damaged) {
        PyErr_SetString(PyExc_ValueError, "the model of languages is damaged");
        goto done;
    }
    found = PyBytes_FromStringAndSize((const char *)scores, different ? classes * (Py_ssize_t)sizeof *scores : 0);
done:
    PyMem_Free(met);
    PyMem_Free(scores);
    return found;
}

PyObject *weigh_languages(PyObject *Py_UNUSED(module), PyObject *args) {
    Model m;
    if (!PyArg_ParseTuple(args, "y*y*y*y*y*y*y*:weigh_languages", &m.text, &m.nodes, &m.starts, &m.languages, &m.steps,
                          &m.least, &m.gains))
        return NULL;
    PyObject *found = NULL;
    if (whole(&m))
        found = weighed(&m);
    else
        PyErr_SetString(PyExc_ValueError, "the model of languages is damaged");
    Py_buffer *all[] = {&m.text, &m.nodes, &m.starts, &m.languages, &m.steps, &m.least, &m.gains};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) PyBuffer_Release(all[i]);
    return found;
}
