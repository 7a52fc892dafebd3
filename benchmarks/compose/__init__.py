"""Seamline beside what people put together today from a splitter, a vector store and a BM25 retriever."""
