"""Source code: the syntax tree of its grammar as blocks."""
