/* Arrays that grow. */

#ifndef SEAMLINE_CUTS_GROWTH_H
#define SEAMLINE_CUTS_GROWTH_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <stdbool.h>
#include <stdint.h>

/* The array with room for `wanted` elements, by doubling; as it was, with MemoryError set, where there is no memory. */
static inline void *grow(void *array, size_t *room, size_t wanted, size_t element)
{
    size_t more = wanted > *room * 2 ? wanted : *room * 2;
    if (more < 16)
        more = 16;
    void *moved = more <= (size_t)PY_SSIZE_T_MAX / element ? PyMem_Realloc(array, more * element) : NULL;
    if (!moved) {
        PyErr_NoMemory();
        return array;
    }
    *room = more;
    return moved;
}

/* Whether there is room for `wanted` elements now. */
#define GROW(array, room, wanted)                                                                                      \
    ((wanted) <= (room) || ((array) = grow((array), &(room), (wanted), sizeof *(array)), (wanted) <= (room)))

#endif
