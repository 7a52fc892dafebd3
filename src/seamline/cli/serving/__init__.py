"""Commands that open an index to others: each is a module, as in the folder above."""
