"""Formats: how much of a document a parser keeps, and at what cost, beside the libraries it stands on."""
