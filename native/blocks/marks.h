/* The marks that start blocks. Each function looks at one place and keeps no state. */

#ifndef SEAMLINE_MARKS_H
#define SEAMLINE_MARKS_H

#include "line.h"

#define LONGEST_NUMBER 9 /* digits of an ordered list's first number */

typedef struct {
    int delimiter; /* - + * for bullets, . ) for numbers */
    int width;     /* columns from the margin to the item's content */
    uint64_t first;
} ListMarker;

/* After a thematic break and its line end, else NONE; `*stop` is then where the search ended. */
Pos after_rule(const Text *text, Pos at, Pos *stop);

/* Level of an ATX heading, 0 where there is none. */
int heading_level(const Text *text, Pos at);

/* After a setext underline and its line end, else NONE. */
Pos after_underline(const Text *text, Pos at, int *level);

/* Length of an opening code fence, 0 where there is none. */
Pos fence_length(const Text *text, Pos at);

/* After a closing code fence, its line end not included, else NONE. The end of the text closes too. */
Pos after_closing_fence(const Text *text, Pos at, int mark, Pos length);

/* Take a list marker and the columns after it. */
int take_list_marker(const Text *text, Line *line, int indent, ListMarker *marker);

/* Whether a list item starts here; whether it could do so in the middle of a paragraph. */
int is_list_item(const Text *text, Pos at, int *interrupts);

/* What ends the HTML block of the kinds 1-5 that starts at `<`, NULL where there is none. */
const char *html_closer(const Text *text, Pos at);

/* Whether an HTML block of the kind that ends at a blank line starts at `<`: a known tag, or any tag alone. */
int is_html_block_tag(const Text *text, Pos at);
int is_lone_html_tag(const Text *text, Pos at);

#endif
