"""TaskPaper files and journals for Seamline."""
