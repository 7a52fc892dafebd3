"""Commands that bring other things to a folder of documents: one module each, as in the folder above."""
