/* Arrays that grow. All belong to the parser, so that leaving a parse from any depth loses none. */

#ifndef SEAMLINE_MEMORY_H
#define SEAMLINE_MEMORY_H

#include "text.h"

struct Parser;

#define VECTOR(Type)      \
    struct {              \
        Type *items;      \
        Pos count, room;  \
    }

/* Append a value. The arguments may be read more than once. */
#define PUSH(parser, vector, ...)                                                                                    \
    ((vector).items = room_for_one((parser), (vector).items, (vector).count, &(vector).room, sizeof *(vector).items), \
     (vector).items[(vector).count++] = (__VA_ARGS__))

/* The array, made larger where it is full; gives up the parse where memory ends. */
void *room_for_one(struct Parser *parser, void *array, Pos count, Pos *room, size_t size);

#endif
