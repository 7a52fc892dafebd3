"""AsciiDoc: blocks of the source; nothing is included or evaluated."""
