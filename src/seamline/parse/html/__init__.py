"""HTML: the text that a browser shows, in blocks with source places."""
