"""What parsers make of real and hostile files, beside the libraries of each format."""
