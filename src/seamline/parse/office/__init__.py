"""Office documents and books: DOCX, PPTX, OpenDocument, EPUB."""
