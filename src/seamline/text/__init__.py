"""What any part may ask of text: lines, sentences, words, graphemes, headings, tables."""
