"""Seamline inside other frameworks: `langchain`, `llama_index` and `haystack`, each imported only where it is used."""
