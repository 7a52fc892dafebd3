/* The start of a line: indentation counted in columns, with tab stops of four. */

#ifndef SEAMLINE_LINE_H
#define SEAMLINE_LINE_H

#include "text.h"

typedef struct {
    Pos at;       /* the next byte */
    Pos tab_stop; /* an offset that falls on a tab stop, with no tab between it and `at` */
    Pos no_rule;  /* no thematic break starts before this offset: keeps `- - - x` from being read again and again */
    int spare;    /* columns of a tab that were not taken yet */
} Line;

static inline Line line_at(Pos at) { return (Line){.at = at, .tab_stop = at, .no_rule = at, .spare = 0}; }

/* Take up to `wanted` columns of indentation; how many were there. */
static inline int take_columns(const Text *text, Line *line, int wanted) {
    int taken = line->spare < wanted ? line->spare : wanted;
    line->spare -= taken;
    while (taken < wanted) {
        int byte = byte_at(text, line->at);
        if (byte == ' ') {
            line->at++;
            taken++;
        } else if (byte == '\t') {
            int width = 4 - (int)((line->at - line->tab_stop) % 4);
            int used = width < wanted - taken ? width : wanted - taken;
            line->at++;
            line->tab_stop = line->at;
            taken += used;
            line->spare = width - used;
        } else {
            break;
        }
    }
    return taken;
}

static inline int has_columns(const Text *text, Line *line, int wanted) {
    return take_columns(text, line, wanted) == wanted;
}

static inline void take_all_columns(const Text *text, Line *line) {
    line->spare = 0;
    while (byte_at(text, line->at) == ' ' || byte_at(text, line->at) == '\t') line->at++;
}

#endif
