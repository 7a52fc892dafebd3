"""A query -> hits with citations: plan, find, fuse, rerank, expand."""
