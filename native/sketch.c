/* Words -> their sketch, as seamline.enrich.sketch makes it. BLAKE2b is that of RFC 7693, without a key, with a digest
   of 8 bytes. */

#include "sketch.h"

#include <string.h>

static const uint64_t START[8] = {
    0x6A09E667F3BCC908, 0xBB67AE8584CAA73B, 0x3C6EF372FE94F82B, 0xA54FF53A5F1D36F1,
    0x510E527FADE682D1, 0x9B05688C2B3E6C1F, 0x1F83D9ABFB41BD6B, 0x5BE0CD19137E2179,
};
static const uint8_t ORDER[10][16] = {
    {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}, {14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3},
    {11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4}, {7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8},
    {9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13}, {2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9},
    {12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11}, {13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10},
    {6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5}, {10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0},
};

static uint64_t turned(uint64_t value, int by) { return value >> by | value << (64 - by); }

static void mix(uint64_t v[16], int a, int b, int c, int d, uint64_t x, uint64_t y) {
    v[a] += v[b] + x;
    v[d] = turned(v[d] ^ v[a], 32);
    v[c] += v[d];
    v[b] = turned(v[b] ^ v[c], 24);
    v[a] += v[b] + y;
    v[d] = turned(v[d] ^ v[a], 16);
    v[c] += v[d];
    v[b] = turned(v[b] ^ v[c], 63);
}

static void compress(uint64_t state[8], const uint8_t block[128], uint64_t done, int last) {
    uint64_t v[16], m[16];
    for (int i = 0; i < 16; i++) {
        m[i] = 0;
        for (int byte = 7; byte >= 0; byte--) m[i] = m[i] << 8 | block[8 * i + byte];
    }
    memcpy(v, state, 64);
    memcpy(v + 8, START, 64);
    v[12] ^= done;
    if (last) v[14] = ~v[14];
    for (int round = 0; round < 12; round++) {
        const uint8_t *s = ORDER[round % 10];
        for (int i = 0; i < 4; i++) mix(v, i, i + 4, i + 8, i + 12, m[s[2 * i]], m[s[2 * i + 1]]);
        for (int i = 0; i < 4; i++)
            mix(v, i, (i + 1) % 4 + 4, (i + 2) % 4 + 8, (i + 3) % 4 + 12, m[s[2 * i + 8]], m[s[2 * i + 9]]);
    }
    for (int i = 0; i < 8; i++) state[i] ^= v[i] ^ v[i + 8];
}

/* The digest as a number, its first byte the highest. */
uint64_t word_hash(const uint8_t *word, size_t length) {
    uint64_t state[8], done = 0, found = 0;
    memcpy(state, START, 64);
    state[0] ^= 0x01010000 ^ 8;
    while (length > 128) {
        done += 128;
        compress(state, word, done, 0);
        word += 128;
        length -= 128;
    }
    uint8_t block[128] = {0};
    memcpy(block, word, length);
    compress(state, block, done + length, 1);
    for (int byte = 0; byte < 8; byte++) found = found << 8 | (state[0] >> 8 * byte & 0xFF);
    return found;
}

static const uint64_t FACTORS[3] = {0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9};

static uint64_t run_hash(const uint64_t *words, size_t width) {
    uint64_t sum = 0;
    for (size_t place = 0; place < width; place++) sum += words[place] * FACTORS[place];
    sum = (sum ^ sum >> 30) * 0xBF58476D1CE4E5B9;
    sum = (sum ^ sum >> 27) * 0x94D049BB133111EB;
    return sum ^ sum >> 31;
}

/* The majority of each bit over all different runs. `room` has `size` zeros, a power of two above twice the words. */
static int64_t majority(const uint64_t *words, size_t count, uint64_t *room, size_t size) {
    size_t width = count < 3 ? count : 3;
    int zero = 0;
    uint64_t planes[64] = {0}, different = 0, found = 0; /* planes[k] holds bit k of all 64 counts */
    for (size_t at = 0; at + width <= count; at++) {
        uint64_t run = run_hash(words + at, width);
        if (!run) { /* which the table takes for nothing; it adds to no bit */
            zero = 1;
            continue;
        }
        size_t place = (size_t)run & (size - 1);
        while (room[place] && room[place] != run) place = (place + 1) & (size - 1);
        if (room[place]) continue;
        room[place] = run;
        different++;
        for (int k = 0; run; k++) {
            uint64_t carried = planes[k] & run;
            planes[k] ^= run;
            run = carried;
        }
    }
    different += (uint64_t)zero;
    for (int bit = 0; bit < 64; bit++) {
        uint64_t sum = 0;
        for (int k = 0; k < 63; k++) sum |= (planes[k] >> bit & 1) << k;
        found |= (uint64_t)(2 * sum > different) << bit;
    }
    return (int64_t)found;
}

PyObject *sketch_of(const uint64_t *words, size_t count) {
    if (!count) return PyLong_FromLong(0);
    size_t size = 4;
    while (size <= 2 * count) size *= 2;
    uint64_t *room = PyMem_Calloc(size, sizeof *room);
    if (!room) return PyErr_NoMemory();
    int64_t found = majority(words, count, room, size);
    PyMem_Free(room);
    return PyLong_FromLongLong(found);
}

PyObject *sketch_words(PyObject *Py_UNUSED(module), PyObject *words) {
    if (!PyList_CheckExact(words)) return PyErr_Format(PyExc_TypeError, "expected a list of words");
    size_t count = (size_t)PyList_GET_SIZE(words);
    uint64_t *hashes = PyMem_Malloc((count + 1) * sizeof *hashes);
    bool whole = hashes != NULL;
    if (!hashes) PyErr_NoMemory();
    for (size_t i = 0; whole && i < count; i++) {
        Py_ssize_t length;
        const char *bytes = PyUnicode_AsUTF8AndSize(PyList_GET_ITEM(words, (Py_ssize_t)i), &length);
        whole = bytes != NULL;
        if (whole) hashes[i] = word_hash((const uint8_t *)bytes, (size_t)length);
    }
    PyObject *found = whole ? sketch_of(hashes, count) : NULL;
    PyMem_Free(hashes);
    return found;
}
