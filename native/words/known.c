/* Runs of letters and their words, in a table. What is found in it is to be used before any Python code can run: that
code might use, and empty, the same memory. */

#include "known.h"

#include <string.h>

#define MOST_KNOWN (1 << 16) /* runs; a full memory is emptied */
#define SLOTS (MOST_KNOWN << 1)

static void forget(Known *known) {
    Py_XDECREF(known->words);
    PyMem_Free(known);
}

static void empty(Memory *memory) {
    for (Py_ssize_t i = 0; i < SLOTS && memory->used; i++) {
        if (!memory->slots[i]) continue;
        Known *known = memory->slots[i];
        memory->slots[i] = NULL;
        memory->used--;
        forget(known);
    }
}

/* Eight bytes at a time: runs are short, and each of them is looked up. */
static uint32_t raw_hash(const char *raw, int size) {
    uint64_t hash = (uint64_t)size * 0x9E3779B97F4A7C15, part = 0;
    for (; size > 8; raw += 8, size -= 8) {
        memcpy(&part, raw, 8);
        hash = (hash ^ part) * 0x9E3779B97F4A7C15;
        hash ^= hash >> 32;
    }
    part = 0;
    memcpy(&part, raw, (size_t)size);
    hash = (hash ^ part) * 0xC2B2AE3D27D4EB4F;
    return (uint32_t)(hash >> 32 ^ hash >> 17);
}

static Known **slot_of(Memory *memory, const char *raw, int size, uint32_t hash) {
    Py_ssize_t at = hash & (SLOTS - 1);
    for (;; at = (at + 1) & (SLOTS - 1)) {
        Known *known = memory->slots[at];
        if (!known || (known->hash == hash && known->size == size && !memcmp(known->raw, raw, (size_t)size)))
            return &memory->slots[at];
    }
}

static int fill(Memory *memory, Known *known, const Terms *terms) {
    known->words = PyTuple_New(terms->count);
    if (!known->words) return -1;
    for (int i = 0, start = 0; i < terms->count; start = terms->ends[i++] + 1) {
        Py_ssize_t length = terms->ends[i] - start;
        known->hashes[i] = word_hash((const uint8_t *)terms->text + start, (size_t)length);
        PyObject *word = PyUnicode_DecodeASCII(terms->text + start, length, NULL);
        if (!word) return -1;
        PyTuple_SET_ITEM(known->words, i, word);
        int common = PySet_Contains(memory->common, word);
        if (common < 0) return -1;
        known->common |= (uint64_t)common << i;
    }
    return 0;
}

static Known *made(Memory *memory, const char *raw, int size, uint32_t hash) {
    Terms terms;
    analyse(raw, size, &terms);
    size_t hashes = (size_t)terms.count * sizeof(uint64_t);
    Known *known = PyMem_Calloc(1, sizeof *known + hashes + (size_t)size + (size_t)terms.length);
    if (!known) {
        PyErr_NoMemory();
        return NULL;
    }
    char *raws = (char *)known->hashes + hashes;
    known->hash = hash;
    known->size = (uint8_t)size;
    known->count = (uint8_t)terms.count;
    known->length = (uint8_t)terms.length;
    known->raw = memcpy(raws, raw, (size_t)size);
    known->text = memcpy(raws + size, terms.text, (size_t)terms.length);
    if (fill(memory, known, &terms) < 0) {
        forget(known);
        return NULL;
    }
    return known;
}

/* The words of a run of ASCII letters. The memory keeps them; use them before any Python code can run. */
const Known *known_of(Memory *memory, const char *raw, int size) {
    uint32_t hash = raw_hash(raw, size);
    Known **slot = slot_of(memory, raw, size, hash);
    if (*slot) return *slot;
    Known *known = made(memory, raw, size, hash);
    if (!known) return NULL;
    if (memory->used >= MOST_KNOWN) empty(memory);
    slot = slot_of(memory, raw, size, hash); /* again: what was made meanwhile may have moved it */
    if (*slot)
        forget(known);
    else {
        *slot = known;
        memory->used++;
    }
    return *slot;
}

int memory_open(Memory *memory, PyObject *common) {
    memory->common = Py_NewRef(common);
    memory->slots = PyMem_Calloc(SLOTS, sizeof *memory->slots);
    if (memory->slots) return 0;
    PyErr_NoMemory();
    return -1;
}

void memory_close(Memory *memory) {
    if (memory->slots) empty(memory);
    PyMem_Free(memory->slots);
    Py_XDECREF(memory->common);
}
