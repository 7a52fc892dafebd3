"""LaTeX: blocks of the source; nothing is expanded or run."""
