"""What texts longer than the model's window lose when they are cut off, and when they are read in windows.

Texts of about 380 word pieces, made of whole sentences, from two sets of questions with marked answers (`chroma` and
`xquad_en` of chunkbench). A question counts by the share of its answer that stands in the five nearest texts.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks import engine
from benchmarks.common import need, options, progress, save, table

SETS = ("chroma", "xquad_en")
SIZE = 400
NEAREST = 5
JOINED = 8
"""Paragraphs of xquad_en that make one document: alone they are shorter than a window."""


class Piece(NamedTuple):
    """A text that can be found."""

    doc: str
    start: int
    end: int
    text: str


class Question(NamedTuple):
    """With the places of its answer: document, start, end."""

    text: str
    answers: list[tuple[str, int, int]]


def main() -> int:
    parser = options(__doc__)
    args = parser.parse_args()
    reader = Reader()
    ways = {
        "cut off after 256": (engine.embedder(0), True),
        "windows of 256": (engine.embedder(0), False),
        "windows of 128": (engine.embedder(0, window=128), False),
        "windows of 512": (engine.embedder(0, window=512), False),
    }
    rows = []
    for name in SETS:
        pieces, questions = load(args.data.parent / "chunkbench" / "data" / name, reader)
        for way, (embedder, cut_off) in ways.items():
            progress(f"{name}: {way}")
            texts = [reader.first(piece.text) if cut_off else piece.text for piece in pieces]
            share = recall(embedder, texts, pieces, questions)
            rows.append((name, way, len(pieces), len(questions), f"{100 * share:.1f}"))
    progress("")
    headers = ("questions of", "texts are", "texts", "questions", f"recall@{NEAREST}")
    print(table(headers, rows))
    save(args.json, "windows", [dict(zip(headers, row, strict=True)) for row in rows])
    return 0


def recall(embedder: Any, texts: Sequence[str], pieces: Sequence[Piece], questions: Sequence[Question]) -> float:
    """The mean share of an answer's characters in the nearest texts."""
    scores = embedder.embed([question.text for question in questions]) @ embedder.embed(texts).T
    found = 0.0
    for question, row in zip(questions, scores, strict=True):
        nearest = [pieces[at] for at in (-row).argsort(kind="stable")[:NEAREST]]
        found += sum(shared(answer, piece) for answer in question.answers for piece in nearest) / sum(
            end - start for _, start, end in question.answers
        )
    return found / len(questions)


def shared(answer: tuple[str, int, int], piece: Piece) -> int:
    doc, start, end = answer
    return max(0, min(end, piece.end) - max(start, piece.start)) if doc == piece.doc else 0


def load(folder: Path, reader: Reader) -> tuple[list[Piece], list[Question]]:
    documents = list(lines(folder / "docs.jsonl"))
    size = JOINED if folder.name.startswith("xquad") else 1
    moved: dict[str, tuple[str, int]] = {}
    texts: dict[str, str] = {}
    for at, document in enumerate(documents):
        whole = str(at // size)
        moved[document["id"]] = (whole, len(texts.get(whole, "")))
        texts[whole] = texts.get(whole, "") + document["text"] + "\n\n"
    questions = []
    for row in lines(folder / "queries.jsonl"):
        places = [(*moved[ref["doc"]], ref["start"], ref["end"]) for ref in row["refs"]]
        questions.append(Question(row["question"], [(doc, by + start, by + end) for doc, by, start, end in places]))
    return [piece for doc, text in texts.items() for piece in reader.pieces(doc, text)], questions


def lines(file: Path) -> Iterator[dict[str, Any]]:
    with need(file).open(encoding="utf-8") as rows:
        yield from map(json.loads, rows)


class Reader:
    """Cuts texts by the word pieces of the model."""

    def __init__(self) -> None:
        from tokenizers import Tokenizer

        self._tokenizer = Tokenizer.from_file(engine.model_files()[1])
        self._tokenizer.no_truncation()
        self._tokenizer.no_padding()

    def first(self, text: str) -> str:
        """As much of a text as fits one window."""
        offsets = self._tokenizer.encode(text, add_special_tokens=False).offsets
        return text[: offsets[min(254, len(offsets)) - 1][1]]

    def pieces(self, doc: str, text: str) -> Iterator[Piece]:
        """Runs of whole sentences of at most 400 word pieces."""
        offsets = self._tokenizer.encode(text, add_special_tokens=False).offsets
        ends = [at for at in range(1, len(offsets)) if sentence_ends(text, offsets[at - 1], offsets[at])]
        start = 0
        while start < len(offsets):
            most = min(start + SIZE, len(offsets))
            fitting = [end for end in ends if start + SIZE // 2 < end <= most]
            end = most if most == len(offsets) or not fitting else fitting[-1]
            yield Piece(doc, offsets[start][0], offsets[end - 1][1], text[offsets[start][0] : offsets[end - 1][1]])
            start = end


def sentence_ends(text: str, last: tuple[int, int], following: tuple[int, int]) -> bool:
    between = text[last[1] : following[0]]
    return "\n" in between or (bool(between) and text[last[0] : last[1]] in ".!?")


if __name__ == "__main__":
    raise SystemExit(main())
