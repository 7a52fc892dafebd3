"""Questions that rules write from the documents themselves, for those who have none: rows of tables, definitions,
names in code, headings, links between documents. They ask in the words of the document, so they are easier than what
people ask: they compare ways to cut, and do not say how often a person finds an answer."""

from __future__ import annotations

import posixpath
import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from hashlib import sha256
from itertools import chain, pairwise, zip_longest
from urllib.parse import unquote

from seamline.evaluate.metrics import AnswerSpan
from seamline.evaluate.questions import LabelledQuestion
from seamline.text.headings import heading_text
from seamline.text.sentences import sentence_starts
from seamline.text.tables import tables
from seamline.types import Block, Document

MOST = 200
"""Questions that are written unless more are asked for."""
_PER_DOCUMENT = 40
"""Of one kind: a table of a million rows asks no more than this."""
_LONGEST = 1500
"""Characters of an answer; of a longer function or section, its start answers."""
_TERM = r"[\w`./-]+(?:[ ][\w`./-]+){0,4}?"
_DEFINITION = re.compile(
    rf"(?:(?:The|An?)\s+(?P<after>{_TERM})|(?P<first>(?=[A-Z`]){_TERM}))"
    r"\s+(?P<verb>is|are|means|refers\s+to|describes|defines)\s+(?:an?|the|any|one)\s+\w"
)
_NO_TERM = frozenset(
    [
        *("this", "that", "these", "those", "it", "there", "he", "she", "they", "we", "you", "i"),
        *("what", "which", "who", "here", "if", "when"),
    ]
)
_LINK = re.compile(r"(?<!!)\[(?P<text>[^\[\]\n]{4,100})\]\((?P<target>[^()\s]{1,300})\)")
_NAME = re.compile(r"[A-Za-z_]\w{3,}")
_PLAIN_CELL = re.compile(r"[\w`].{1,60}", re.DOTALL)

_Draft = tuple[str, tuple[int, int]]
"""A question and the span of its own document that answers it."""


def generate_questions(documents: Mapping[str, Document], most: int = MOST) -> list[LabelledQuestion]:
    """At most so many questions, spread over kinds and documents; always the same for the same documents. One that
    would be asked twice has no single answer, and is not asked."""
    drafts: dict[str, list[LabelledQuestion]] = {kind: [] for kind in (*_MINERS, "link")}
    for name, document in documents.items():
        for kind, mine in _MINERS.items():
            for _, (text, (start, end)) in zip(range(_PER_DOCUMENT), mine(document), strict=False):
                drafts[kind].append(_question(text, AnswerSpan(name, start, end), kind))
    drafts["link"] = [_question(text, span, "link") for text, span in _links(documents)]
    seen: dict[str, int] = {}
    for question in chain.from_iterable(drafts.values()):
        seen[question.text.casefold()] = seen.get(question.text.casefold(), 0) + 1
    # By hash: a choice that does not depend on the order of files, and takes no document first.
    ordered = [
        sorted((one for one in found if seen[one.text.casefold()] == 1), key=lambda one: one.id)
        for found in drafts.values()
    ]
    mixed = [one for row in zip_longest(*ordered) for one in row if one is not None]
    return mixed[:most]


def _question(text: str, span: AnswerSpan, kind: str) -> LabelledQuestion:
    mark = sha256(f"{kind}\0{text}\0{span}".encode("utf-8", "replace")).hexdigest()[:12]
    return LabelledQuestion(f"{kind}-{mark}", text, (span,), kind, generated=True)


def _rows(document: Document) -> Iterator[_Draft]:
    """What is the COLUMN of KEY?, by the first column, where it tells rows apart."""
    for table in tables(document):
        names = [column.name for column in table.columns]
        if len(names) < 2 or len(table.body) < 2:
            continue
        rows = list(zip(range(4 * _PER_DOCUMENT), table.rows(), strict=False))
        keys = [row.cells[0] for _, row in rows]
        for number, row in rows:
            key, column = row.cells[0], 1 + number % (len(names) - 1)
            if keys.count(key) == 1 and _PLAIN_CELL.fullmatch(key) and row.cells[column]:
                asked = re.sub(r"^(?:an?|the)\s+", "", _plain(names[column]), flags=re.IGNORECASE)
                yield f"What is the {asked} of {_plain(key)}?", (row.span[0], row.span[1])


def _definitions(document: Document) -> Iterator[_Draft]:
    """What is TERM?, where a sentence says so."""
    for block in document.blocks:
        if block.kind != "paragraph" or block.end - block.start > 20_000:
            continue
        starts = [*sentence_starts(document.text, block.start, block.end), block.end]
        for start, end in pairwise(starts):
            found = _DEFINITION.match(document.text, start, end)
            term = found["after"] or found["first"] if found else ""
            if found and term.split()[0].casefold() not in _NO_TERM:
                end = start + len(document.text[start:end].rstrip())
                verb = "are" if found["verb"] == "are" else "is"
                yield f"What {verb} {_plain(term)}?", (start, min(end, start + _LONGEST))


def _symbols(document: Document) -> Iterator[_Draft]:
    """Where is NAME defined?, for functions and classes of source code."""
    for block in document.blocks:
        name = block.detail.name if block.kind == "scope" and block.detail else None
        if name and _NAME.fullmatch(name):
            yield (
                f"Where is {name} defined, and what does it do?",
                (block.start, min(block.end, block.start + _LONGEST)),
            )


def _headings(document: Document) -> Iterator[_Draft]:
    """What a heading says, answered by the first text under it."""
    for block, after in _heading_pairs(document):
        text = _plain(heading_text(document.text, block))
        if 2 <= len(text.split()) <= 14:
            yield text, (after.start, min(after.end, after.start + _LONGEST))


def _heading_pairs(document: Document) -> Iterator[tuple[Block, Block]]:
    """Headings with the block of text right after them."""
    tops = [document.blocks[at] for at in document.tops]
    for block, after in pairwise(tops):
        if block.kind == "heading" and after.kind in ("paragraph", "list", "code", "table"):
            yield block, after


_MINERS: Mapping[str, Callable[[Document], Iterator[_Draft]]] = {
    "table": _rows,
    "definition": _definitions,
    "code": _symbols,
    "heading": _headings,
}


def _links(documents: Mapping[str, Document]) -> Iterator[tuple[str, AnswerSpan]]:
    """The sentence around a link, answered by the start of the section that it leads to, in another document."""
    for name, document in documents.items():
        count = 0
        for found in _LINK.finditer(document.text):
            target = _target(found["target"], name, documents)
            if target is None or count >= _PER_DOCUMENT:
                continue
            sentence = _sentence_at(document, found.start())
            if len(sentence.split()) >= 4:
                count += 1
                yield sentence, target


def _target(link: str, name: str, documents: Mapping[str, Document]) -> AnswerSpan | None:
    path, _, fragment = unquote(link).partition("#")
    if not path or "://" in path or path.startswith("mailto:"):
        return None
    other = posixpath.normpath(posixpath.join(posixpath.dirname(name), path))
    if other == name or other not in documents:
        return None
    document = documents[other]
    for block, after in _heading_pairs(document):
        if not fragment or _slug(heading_text(document.text, block)) == fragment.casefold():
            return AnswerSpan(other, after.start, min(after.end, after.start + _LONGEST))
    return None


def _slug(heading: str) -> str:
    return re.sub(r"[^\w -]", "", heading.casefold()).strip().replace(" ", "-")


def _sentence_at(document: Document, at: int) -> str:
    """The sentence that holds a place, without marks; of a paragraph of prose."""
    tops = [document.blocks[one] for one in document.tops]
    block = tops[max(0, bisect_right([one.start for one in tops], at) - 1)]
    if block.kind not in ("paragraph", "list") or not block.start <= at < block.end or block.end - block.start > 20_000:
        return ""
    starts = [*sentence_starts(document.text, block.start, block.end), block.end]
    here = max(1, bisect_right(starts, at))
    return _plain(document.text[starts[here - 1] : starts[min(here, len(starts) - 1)]])[:300]


def _plain(text: str) -> str:
    """A text as one would say it: links by their words, no marks, one line."""
    said: Sequence[str] = _LINK.sub(lambda found: found["text"], text).replace("`", "").replace("*", "").split()
    return " ".join(said).strip(" -|#:")
