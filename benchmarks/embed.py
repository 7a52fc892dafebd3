"""Speed of the bundled embedder: sentences and passages a second, beside batches of any size run by hand.

Batches are what a user of onnxruntime would write: texts sorted by length, padded to the longest of their batch. The
column `cosine` shows what they cost beyond time: the model quantizes its activations by the largest number in a batch,
so that vectors depend on their neighbours; it is the lowest similarity of a text to itself embedded alone.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from benchmarks import engine
from benchmarks.common import markdown, options, progress, save, table

BATCH_TOKENS = (256, 512, 1024, 2048, 4096, 8192)
PASSAGE = 250


class Texts(NamedTuple):
    """What is embedded."""

    sentences: list[str]
    passages: list[str]
    """Of 250 word pieces each, special tokens among them."""


class Speed(NamedTuple):
    """Of one way to embed."""

    wall: float
    """Texts a second."""
    cpu: float
    """Texts a second of CPU time."""
    vectors: Any


def main() -> int:
    parser = options(__doc__)
    parser.add_argument("--sentences", type=int, default=600)
    parser.add_argument("--passages", type=int, default=60)
    parser.add_argument("--repeat", type=int, default=3, help="runs of each; the best counts")
    args = parser.parse_args()
    by_hand = Batches()
    texts = sample([row.text for row in markdown(args.data)], by_hand, args.sentences, args.passages)
    cores = os.cpu_count() or 1
    rows = []
    alone: list[Any] = []
    for threads in sorted({1, cores}):
        progress(f"one at a time, {threads} cores")
        speeds = [measured(engine.embedder(threads).embed, each, args.repeat) for each in texts]
        alone = alone or [speed.vectors for speed in speeds]
        rows.append(row("seamline", "one text", threads, speeds, alone))
    for tokens in BATCH_TOKENS:
        progress(f"batches of {tokens} tokens")
        by_hand.tokens = tokens
        speeds = [measured(by_hand.embed, each, args.repeat) for each in texts]
        rows.append(row("onnxruntime", f"{tokens} tokens", 1, speeds, alone))
    progress("")
    print(f"{len(texts.sentences)} sentences, {by_hand.mean(texts.sentences):.0f} word pieces each in the mean;")
    print(f"{len(texts.passages)} passages of {PASSAGE}. Texts a second; best of {args.repeat}.\n")
    headers = ("embedder", "batch", "cores", "sentences/s", "per CPU s", "passages/s", "per CPU s", "cosine")
    print(table(headers, rows))
    save(args.json, "embed", [dict(zip(headers, each, strict=True)) for each in rows])
    return 0


def row(who: str, batch: str, threads: int, speeds: Sequence[Speed], alone: Sequence[Any]) -> tuple[object, ...]:
    figures = [f"{number:.1f}" for speed in speeds for number in (speed.wall, speed.cpu)]
    lowest = min(float((one * speed.vectors).sum(axis=1).min()) for one, speed in zip(alone, speeds, strict=True))
    return who, batch, threads, *figures, f"{lowest:.4f}"


def measured(embed: Callable[[Sequence[str]], Any], texts: Sequence[str], repeat: int) -> Speed:
    """The best of some runs, after one on a few texts."""
    embed(texts[:4])
    best = Speed(0.0, 0.0, None)
    for _ in range(repeat):
        wall, cpu = time.perf_counter(), time.process_time()
        vectors = embed(texts)
        wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
        best = Speed(max(best.wall, len(texts) / wall), max(best.cpu, len(texts) / cpu), vectors)
    return best


def sample(documents: Sequence[str], by_hand: Batches, sentences: int, passages: int) -> Texts:
    """The first sentences and passages of the corpus."""
    pieces = (piece.strip() for text in documents for piece in re.split(r"(?<=[.!?])\s+|\n+", text))
    short = [piece for piece in pieces if 20 < len(piece) < 250][:sentences]
    return Texts(short, [piece for text in documents for piece in by_hand.passages(text)][:passages])


class Batches:
    """The same model by hand: batches of so many tokens, padding among them."""

    def __init__(self) -> None:
        import onnxruntime
        from tokenizers import Tokenizer

        model, tokenizer = engine.model_files()
        settings = onnxruntime.SessionOptions()
        settings.intra_op_num_threads = 1
        self.tokens = BATCH_TOKENS[0]
        self._session = onnxruntime.InferenceSession(model, settings, providers=["CPUExecutionProvider"])
        self._tokenizer = Tokenizer.from_file(tokenizer)
        self._tokenizer.no_padding()
        self._tokenizer.no_truncation()

    def mean(self, texts: Sequence[str]) -> float:
        return sum(len(self._tokenizer.encode(text).ids) for text in texts) / len(texts)

    def passages(self, text: str) -> Iterator[str]:
        """Runs of a text that the model reads as 250 word pieces."""
        offsets = self._tokenizer.encode(text, add_special_tokens=False).offsets
        size = PASSAGE - 2
        for start in range(0, len(offsets) - size, size):
            yield text[offsets[start][0] : offsets[start + size - 1][1]]

    def embed(self, texts: Sequence[str]) -> Any:
        import numpy as np

        rows = [self._tokenizer.encode(text).ids for text in texts]
        vectors = np.empty((len(texts), 384), np.float32)
        for batch in self._batches(rows):
            vectors[batch] = self._run([rows[at] for at in batch])
        return vectors

    def _batches(self, rows: Sequence[list[int]]) -> Iterator[list[int]]:
        batch: list[int] = []
        for at in sorted(range(len(rows)), key=lambda at: len(rows[at])):
            if batch and (len(batch) + 1) * len(rows[at]) > self.tokens:
                yield batch
                batch = []
            batch.append(at)
        yield batch

    def _run(self, rows: Sequence[list[int]]) -> Any:
        import numpy as np

        ids = np.zeros((len(rows), max(map(len, rows))), np.int64)
        mask = np.zeros_like(ids)
        for at, each in enumerate(rows):
            ids[at, : len(each)] = each
            mask[at, : len(each)] = 1
        feed = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        hidden = self._session.run(None, feed)[0] * mask[..., None]
        vectors = hidden.sum(axis=1)
        return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


if __name__ == "__main__":
    raise SystemExit(main())
