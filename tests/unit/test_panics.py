"""A panic of a library written in Rust costs one document, with an error that says what to do, and nothing else."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NoReturn

import pytest

from seamline.api import chunk, chunk_files
from seamline.api.index import Index
from seamline.embed.hashing import HashEmbedder
from seamline.errors import ConfigError, ParseError, ProviderError, SeamlineError, report_panics
from seamline.index.config import IndexConfig, settings_of
from seamline.parse.markdown import commonmark as markdown
from seamline.store.memory import MemoryStore
from seamline.text import sentences
from seamline.tokens.bpe import BpeTokenizer
from seamline.tokens.custom import JsonTokenizer, read_json

MINILM = Path(sentences.__file__).parents[1] / "embed/models/minilm.tokenizer.json"
PANICKING = "J\u00a0. Smith? yes. He left! 5 more. " * 200
"""`sentencex` panics on this, where it is not kept from seeing the space."""
REMEDY = "leave the document out"

Panic = Callable[..., NoReturn]


@pytest.fixture
def panic() -> Panic:
    """Does what a library does that panics."""
    kind = type("PanicException", (BaseException,), {"__module__": "pyo3_runtime"})

    def fail(*given: object, **options: object) -> NoReturn:
        raise kind("index out of bounds: the len is 3\nbut the index is 7")

    return fail


@pytest.fixture
def unguarded(monkeypatch: pytest.MonkeyPatch) -> None:
    """`sentencex` sees the text as it is, and so panics for real."""
    monkeypatch.setattr(sentences, "_WIDE_SPACE", re.compile("(?!)"))


def test_the_library_panics_for_real(unguarded: None) -> None:
    from sentencex import get_sentence_boundaries

    with pytest.raises(BaseException, match="char boundary") as caught:
        get_sentence_boundaries("en", "J\u00a0. Smith")
    assert not isinstance(caught.value, Exception)


@pytest.mark.parametrize("kind", [KeyboardInterrupt, SystemExit, MemoryError, ValueError])
def test_other_exceptions_pass(kind: type[BaseException]) -> None:
    with pytest.raises(kind), report_panics("a library"):
        raise kind


def test_a_panic_says_which_library_and_what_to_do(panic: Panic) -> None:
    with pytest.raises(ParseError) as caught, report_panics("a library"):
        panic()
    assert str(caught.value).startswith("a library failed on this text (index out of bounds: the len is 3): leave the")


def test_a_document_whose_sentences_panic(unguarded: None) -> None:
    with pytest.raises(ParseError, match=r"sentencex failed on this text.*char boundary"):
        chunk(PANICKING, limit=64)


def test_one_file_of_a_batch(unguarded: None, tmp_path: Path) -> None:
    paths = [tmp_path / name for name in ("a.md", "b.md", "c.md")]
    for path, text in zip(paths, ("# A\n\nText.\n", PANICKING, "# C\n\nText.\n"), strict=True):
        path.write_text(text)
    first, second, third = chunk_files(paths)
    assert [len(first.chunks), len(third.chunks)] == [1, 1]
    assert isinstance(second.error, SeamlineError)


def test_one_document_of_an_index_run(unguarded: None, tmp_path: Path) -> None:
    for name, text in {"a.md": "# A\n\nText.\n", "b.md": PANICKING, "c.md": "# C\n\nText.\n"}.items():
        (tmp_path / name).write_text(text)
    embedder = HashEmbedder()
    with Index(MemoryStore(settings_of(IndexConfig(embedder="hash"), embedder)), embedder, tmp_path) as index:
        report = index.update([tmp_path], now=datetime(2026, 1, 1, tzinfo=UTC))
        assert [head.doc for head in index.documents()] == ["a.md", "c.md"]
    (failure,) = report.failures
    assert failure.doc == "b.md"
    assert failure.message.startswith("sentencex failed on this text")


def test_markdown(panic: Panic, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(markdown.pyromark, "events_with_range", panic)
    with pytest.raises(ParseError, match=REMEDY):
        markdown.parse_blocks("# A\n")


def test_vocabularies(panic: Panic) -> None:
    tokenizer = BpeTokenizer("o200k_base")
    tokenizer.counter = None
    tokenizer._flat = tokenizer._ordinary = panic
    for text in ("a", "<|a|>"):
        with pytest.raises(ParseError, match=REMEDY):
            tokenizer.count(text)


class Panicking:
    """A tokenizer of the library `tokenizers` that panics."""

    def __init__(self, panic: Panic) -> None:
        self.encode = self.encode_batch = panic

    def enable_truncation(self, *given: Any, **options: Any) -> None:
        """Nothing is read anyway."""

    def no_truncation(self) -> None:
        """The same."""


def test_tokenizer_files(panic: Panic, monkeypatch: pytest.MonkeyPatch) -> None:
    tokenizer = JsonTokenizer(MINILM)
    tokenizer._tokenizer = Panicking(panic)
    with pytest.raises(ParseError, match=REMEDY):
        tokenizer.count("a")
    tokenizers = pytest.importorskip("tokenizers")
    monkeypatch.setattr(tokenizers, "Tokenizer", type("Tokenizer", (), {"from_str": panic}))
    with pytest.raises(ConfigError, match=r"is not a tokenizer\.json"):
        read_json(MINILM, "$.tokenizer")


def test_models(panic: Panic) -> None:
    from seamline.embed.onnx import OnnxEmbedder, OnnxOptions
    from seamline.search.cross_encoder import CrossEncoder

    embedder = OnnxEmbedder.__new__(OnnxEmbedder)
    embedder._tokenizer, embedder.reading, embedder.threads, embedder.dimensions = Panicking(panic), OnnxOptions(), 1, 4
    for read in (lambda: embedder.embed(["a"]), lambda: embedder.count_tokens("a")):
        with pytest.raises(ProviderError, match=REMEDY):
            read()
    reranker = CrossEncoder.__new__(CrossEncoder)
    reranker._tokenizer, reranker._window = Panicking(panic), 512
    with pytest.raises(ProviderError, match=REMEDY):
        reranker.score("a", ["b"])
