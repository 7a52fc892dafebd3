"""Tables of any format, read the same way: columns with types, rows with cells and spans."""
