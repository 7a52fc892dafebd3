"""Erasing documents: afterwards no file of the index holds their text, nor anything made of it.

What a file system, a disk or a copy keeps of older files is beyond this.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from seamline.store import codec
from seamline.store.codec import pack_head, unpack_head
from seamline.store.sqlite.database import Database, seal, unseal
from seamline.store.sqlite.truth import heads_of, new_mark, state_of

_OF_A_DOCUMENT = (
    "DELETE FROM holders WHERE row IN (SELECT row FROM entries WHERE document = ?)",
    "DELETE FROM bodies WHERE row IN (SELECT row FROM entries WHERE document = ?)",
    "DELETE FROM entries WHERE document = ?",
    "DELETE FROM gone WHERE document = ?",
    "DELETE FROM versions WHERE document = ?",
    "DELETE FROM documents WHERE number = ?",
)
# Vectors and answers that no entry uses are of texts nobody knows any more: perhaps of those that are erased.
_OF_NOBODY = (
    "DELETE FROM terms WHERE number NOT IN (SELECT term FROM holders)",
    "DELETE FROM vectors WHERE number NOT IN (SELECT vector FROM entries WHERE vector IS NOT NULL"
    " UNION SELECT summary_vector FROM entries WHERE summary_vector IS NOT NULL)",
    "DELETE FROM embeddings WHERE vector NOT IN (SELECT number FROM vectors)",
    "DELETE FROM answers",
    "DELETE FROM removed",
    "DELETE FROM changes",
)


def erase(truth: Database, docs: Sequence[str]) -> list[str]:
    """Erase documents with all their versions; the names of those that were there. Search structures made before are
    of another history afterwards."""
    found = heads_of(truth, docs)
    if not found:
        return []
    truth.run("PRAGMA secure_delete = ON")
    with truth.transaction():
        counter = state_of(truth).counter + 1
        for number, _ in found.values():
            for statement in _OF_A_DOCUMENT:
                truth.run(statement, (number,))
        for statement in _OF_NOBODY:
            truth.run(statement)
        _forget_moves(truth, found.keys())
        truth.run("INSERT INTO changes (counter, mark) VALUES (?, ?)", (counter, new_mark()))
    truth.run("VACUUM")
    truth.rows("PRAGMA wal_checkpoint(TRUNCATE)")
    return sorted(found)


def _forget_moves(truth: Database, docs: Collection[str]) -> None:
    """No document was moved to one that is erased."""
    for number, name, sealed in truth.rows("SELECT number, name, head FROM documents"):
        head = unpack_head(unseal(sealed, "the head of a document", name))
        if head.moved_to in docs:
            kept = seal(pack_head(replace(head, moved_to="")), codec.text_bytes(head.doc))
            truth.run("UPDATE documents SET head = ? WHERE number = ?", (kept, number))
