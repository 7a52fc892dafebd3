"""The embedded store: the truth in one SQLite database, and search structures that are derived from it.

    index.db        documents, versions, entries, vectors, answers of language models: everything that was acknowledged
    search-N.db     words and vectors arranged for search; made anew from index.db when missing or damaged
    acknowledged    the last change that a writer was told is durable, to notice an index.db that lost it
    writer.lock     who writes

`database` opens files with a checksum in every page; `truth` is the schema and what a row is; `writer` changes it;
`segments`, `words` and `clusters` are the search structures, `structures` makes them and `upkeep` keeps their files;
`reader` answers questions.
"""

from seamline.store.sqlite.store import SqliteStore

__all__ = ["SqliteStore"]
