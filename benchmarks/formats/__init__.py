<<<<<<< HEAD
"""What parsers make of real and hostile files, beside the libraries of each format."""
=======
"""Parsers beside the libraries of their formats: what they find, and how fast."""
>>>>>>> parse-office
