/* All blocks of a Markdown text. */

#ifndef SEAMLINE_BLOCKS_H
#define SEAMLINE_BLOCKS_H

#include "parser.h"

/* From `source` to `blocks`, which hold only where the outcome is FINE. NOT_MINE: the Python path is to read it. */
Outcome find_blocks(Parser *parser);
void release(Parser *parser);

/* --- the steps after the parse ----------------------------------------------------------------------------------- */

/* Tables where GFM has them: the parser knows none after a line of text, and some that are not. */
void find_tables(Parser *parser);

/* Say so of fences that nothing closes. */
void mark_unclosed(Parser *parser);

/* Paragraphs that are nothing but images, or one formula. */
void mark_figures(Parser *parser);

/* `:::name` to `:::`, and `!!! name` with the indented text under it, as blocks around blocks. */
void wrap_directives(Parser *parser);
void wrap_admonitions(Parser *parser);

/* --- shared by them ---------------------------------------------------------------------------------------------- */

/* Index of the last block that starts at an offset or before it. */
Pos latest(const Parser *parser, Pos at);

/* Index of the smallest block around an offset, NONE where there is none. */
Pos block_around(const Parser *parser, Pos at);

/* Back over, or forward over, spaces, tabs and byte order marks as they were written. */
int indents(const Text *text, Pos at);

#endif
