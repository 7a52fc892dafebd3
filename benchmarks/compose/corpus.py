"""A folder of real Markdown files, the same one every time; the edit of a morning; and questions about it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import accumulate
from pathlib import Path
from random import Random

from benchmarks.common import markdown

SHELVES = 100
"""A filter by shelf lets 1% of the documents through. The shelf is a field of the front matter."""
WORDS = 8
"""Words of a question, in a row from some paragraph."""
ADDED = " This was read again in November, and it still holds for every release since the last."
"""What an edit appends to a paragraph: 17 words, so that everything below them moves."""
_PROSE = re.compile(r"[A-Z][a-z]")
_LEAST_WORDS = 25
"""Of a paragraph that is edited or asked about."""


class Corpus:
    """The first so many documents of markdown.jsonl, in an order that mixes its sources."""

    def __init__(self, data: Path, documents: int) -> None:
        samples = markdown(data)
        if documents > len(samples):
            raise SystemExit(f"markdown.jsonl has {len(samples)} documents, not {documents}")
        Random("order").shuffle(samples)
        chosen = enumerate(samples[:documents])
        self.texts = {sample.path: _shelved(sample.text, number % SHELVES) for number, sample in chosen}

    def __len__(self) -> int:
        return len(self.texts)

    def write(self, folder: Path) -> None:
        """All documents as files."""
        for path, text in self.texts.items():
            _put(folder / path, text)

    def edit(self, folder: Path, share: float) -> list[str]:
        """Append a sentence to one paragraph in the middle of every so many files, and name those files."""
        paths = list(self.texts)
        step = round(1 / share)
        edited = []
        for first in range(step // 2, len(paths), step):
            path = next(path for path in paths[first:] + paths if _paragraphs(self.texts[path]))
            found = _paragraphs(self.texts[path])
            end = found[len(found) // 2][1]
            _put(folder / path, self.texts[path][:end] + ADDED + self.texts[path][end:])
            edited.append(path)
        return edited

    def questions(self, count: int, start: int) -> Iterator[str]:
        """Different questions, from number `start` on."""
        paths = list(self.texts)
        for number in range(start, start + count):
            random = Random(f"question {number}")
            found: list[tuple[int, int]] = []
            while not found:
                text = self.texts[random.choice(paths)]
                found = _paragraphs(text)
            begin, end = random.choice(found)
            words = text[begin:end].split()
            at = random.randrange(len(words) - WORDS)
            yield " ".join(words[at : at + WORDS])


def shelf(number: int) -> str:
    """What a document, or a filter, of this number has as its shelf."""
    return f"s{number % SHELVES:02}"


def _shelved(text: str, number: int) -> str:
    line = f"shelf: {shelf(number)}\n"
    return f"---\n{line}{text[4:]}" if text.startswith("---\n") else f"---\n{line}---\n\n{text}"


def _paragraphs(text: str) -> list[tuple[int, int]]:
    """Where paragraphs of prose stand, outside front matter and fences."""
    found = []
    parts = text.split("\n\n")
    fences = 0
    for start, part in zip(accumulate((len(part) + 2 for part in parts), initial=0), parts, strict=False):
        if fences % 2 == 0 and _PROSE.match(part) and "```" not in part and len(part.split()) >= _LEAST_WORDS:
            found.append((start, start + len(part)))
        fences += part.count("```")
    return found


def _put(file: Path, text: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(text.encode())
