"""Commands that open an index to others: one module each, as beside this folder."""
