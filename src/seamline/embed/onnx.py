"""Any embedding model that is an ONNX file with a tokenizer.json, run on the processor."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, get_args

import numpy as np

from seamline.embed.address import parse
from seamline.embed.overflow import sums_overflow
from seamline.embed.run import readable, stack_vectors, unit
from seamline.embed.windows import overlapping, windows, word_starts
from seamline.errors import INDEX, ConfigError, MissingExtra, ProviderError, report_panics
from seamline.protocols import EmbedderRequest
from seamline.records import Embedding

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from seamline.records import Parts, Vector

Pooling = Literal["mean", "cls"]

VERSION = 2
"""Of the rules that make windows of tokens, one vector of windows, and parts; another version makes other vectors."""
PART = 64
"""Tokens of a part, about."""

_INPUTS = ("input_ids", "attention_mask", "token_type_ids")
_TYPES = {"tensor(int64)": np.int64, "tensor(int32)": np.int32}
_PLACE = "$.embedder"
_SURROGATES = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class OnnxOptions:
    """How a model is to be used; its card says. Every field changes the vectors."""

    pooling: Pooling = "mean"
    """`mean` over all tokens, or the first token's output, `cls`."""
    window: int = 256
    """Most tokens the model reads at once, its special tokens and a prefix among them."""
    query: str = ""
    """Stands before every question, as in `query: `."""
    passage: str = ""
    """Stands before every other text."""

    def __post_init__(self) -> None:
        if self.pooling not in get_args(Pooling):
            raise ConfigError(f"expected pooling mean or cls, got {self.pooling!r}", _PLACE)
        if not 16 <= self.window <= 1 << 20:
            raise ConfigError(f"expected a window of 16 tokens or more, got {self.window}", _PLACE)


class Known(NamedTuple):
    """What need not be found out about a model: 0.06 s of a start."""

    dimensions: int
    hashes: Sequence[str]
    """Of the files with its weights, and last of its tokenizer."""


class OnnxEmbedder:
    """One text, one run of the model; several run side by side, each on one core.

    Batches would gain little (on one core 31 passages of 250 tokens a second instead of 33, 507 short sentences
    instead of 424) and, with a model whose activations are quantized as they come, change the vectors: their scale is
    that of the largest number in the batch. The same sentence alone and among others had a cosine similarity of 0.969.
    Alone, a vector is the same to the bit, whatever it is embedded with and on however many cores.
    """

    balance: float
    """Of bundled models, which were measured; others have none. See `protocols.CalibratedEmbedder`."""

    def __init__(
        self,
        model: str | os.PathLike[str],
        tokenizer: str | os.PathLike[str] | None = None,
        reading: OnnxOptions | None = None,
        *,
        name: str = "",
        threads: int | None = None,
        known: Known | None = None,
    ) -> None:
        """`tokenizer`: by default `tokenizer.json` beside the model. `threads`: by default, one for each core. `known`:
        what was found out about these very files before."""
        if threads is not None and threads < 1:
            raise ConfigError(f"expected 1 thread or more, got {threads}", _PLACE)
        path = Path(model)
        vocabulary = Path(tokenizer) if tokenizer else path.with_name("tokenizer.json")
        self.name = name or str(model)
        self.reading = reading or OnnxOptions()
        self.threads = threads or cores()
        self._session = _session(path)
        self._types = _input_types(self._session, path)
        self._output = _output(self._session, path)
        self._tokenizer = _tokenizer(vocabulary)
        self._before, self._after = self._special_tokens()
        self._failures = _failures()
        hashes = known.hashes if known else [file_hash(file) for file in (*model_files(path), vocabulary)]
        self.fingerprint = self._hash(hashes)
        self.dimensions = known.dimensions if known else self._tried(path)

    def __repr__(self) -> str:
        return f"OnnxEmbedder({self.name!r}, {self.reading})"

    def embed(self, texts: Sequence[str]) -> Vector:
        """One row per text, in order. A text longer than the window is read in windows, and its vector is their mean
        by tokens."""
        return stack_vectors(self._read(texts, self.reading.passage), self.dimensions)

    def embed_parts(self, texts: Sequence[str]) -> list[Embedding]:
        """The same, and the parts of each text: the means of about 64 tokens each, which the model reads in the context
        of the whole window. A model whose vector is that of the first token tells none."""
        return self._read(texts, self.reading.passage)

    def embed_queries(self, texts: Sequence[str]) -> Vector:
        """The rows of questions, with the prefix that the model wants for them."""
        return stack_vectors(self._read(texts, self.reading.query), self.dimensions)

    def _read(self, texts: Sequence[str], prefix: str) -> list[Embedding]:
        question = len(texts) == 1 and len(texts[0]) <= self.reading.window
        if self.threads == 1 or question:
            return [_joined([self._run(part) for part in self._windows(text, prefix)]) for text in texts]
        # Longest first, so that no core is left alone with a long text at the end.
        order = sorted(range(len(texts)), key=lambda at: len(texts[at]), reverse=True)
        pool = ThreadPoolExecutor(self.threads)
        try:
            runs = {at: [pool.submit(self._run, part) for part in self._windows(texts[at], prefix)] for at in order}
            return [_joined([future.result() for future in runs[at]]) for at in range(len(texts))]
        finally:
            pool.shutdown(cancel_futures=True)

    def _windows(self, text: str, prefix: str) -> list[list[int]]:
        """The token ids of each window of a text, without special tokens; each after the tokens of the prefix."""
        encoding = self._encoded(prefix + readable(text))
        ids: list[int] = encoding.ids
        room = self.reading.window - len(self._before) - len(self._after)
        if len(ids) <= room:
            return [ids]
        head = sum(end <= len(prefix) for _, end in encoding.offsets) if prefix else 0
        words = encoding.word_ids[head:]
        cuts = windows(len(words), room - head, word_starts(words))
        return [ids[:head] + ids[head + start : head + end] for start, end in cuts]

    def token_room(self) -> int:
        """Most tokens of a text that are read at once."""
        if self.reading.pooling != "mean":
            raise ProviderError(
                f"vectors of {self.name} are those of the first token: late chunking needs a model with pooling=mean"
            )
        return self.reading.window - len(self._before) - len(self._after) - len(self._passage())

    def count_tokens(self, text: str) -> int:
        """How many tokens a text takes of that room."""
        return len(self._encoded(readable(text)).ids)

    def token_vectors(self, text: str) -> Iterator[tuple[list[tuple[int, int]], NDArray[np.float32]]]:
        """Every token of a text once, in order and a window at a time: where it stands, and its vector as the model
        makes it among the tokens around it. Windows overlap, so that none is read at the edge of one."""
        room = self.token_room()
        plain = _SURROGATES.sub("\ufffd", text)  # one for one: places are those of the text
        encoding = self._encoded(plain)
        head = self._passage()
        for part in overlapping(len(encoding.ids), room):
            hidden = self._hidden(head + encoding.ids[part.start : part.end])
            first = len(self._before) + len(head) + part.first - part.start
            yield encoding.offsets[part.first : part.last], hidden[first : first + part.last - part.first]

    def _encoded(self, text: str) -> Any:
        """The tokens of a text, without special ones."""
        with report_panics("tokenizers", ProviderError):
            return self._tokenizer.encode(text, add_special_tokens=False)

    def _passage(self) -> list[int]:
        """The tokens that stand before every text but questions."""
        ids: list[int] = self._tokenizer.encode(self.reading.passage, add_special_tokens=False).ids
        return ids

    def _run(self, tokens: list[int]) -> _Window:
        """What the model makes of one window."""
        hidden = self._hidden(tokens)
        is_mean = self.reading.pooling == "mean"
        pooled = hidden.mean(axis=0) if is_mean else hidden[0]
        if not np.isfinite(pooled).all() or not pooled.any():
            raise ProviderError(f"the model {self.name} made a vector that is no direction: its numbers are 0 or NaN")
        return _Window(unit(pooled), max(1, len(tokens)), _parts(hidden) if is_mean else None)

    def _hidden(self, tokens: list[int]) -> NDArray[np.float32]:
        """A vector for each token of one window, special ones included."""
        # Where nothing stands around a text, one without tokens is read as a full stop.
        ids = [*self._before, *tokens, *self._after] or self._tokenizer.encode(".").ids
        values = {"input_ids": ids, "attention_mask": [1] * len(ids), "token_type_ids": [0] * len(ids)}
        feed = {name: np.array([values[name]], kind) for name, kind in self._types.items()}
        try:
            hidden: NDArray[np.float32] = self._session.run([self._output], feed)[0][0]
        except self._failures as error:
            raise ProviderError(
                f"the model {self.name} failed on {len(ids)} tokens: {_first_line(error)}. "
                "Does its tokenizer belong to it?"
            ) from error
        return hidden

    def _special_tokens(self) -> tuple[list[int], list[int]]:
        """What the tokenizer puts before and after a text, seen on a text it puts them around."""
        plain = self._tokenizer.encode("a", add_special_tokens=False).ids
        full = self._tokenizer.encode("a", add_special_tokens=True).ids
        starts = (at for at in range(len(full)) if full[at : at + len(plain)] == plain)
        at = next(starts, 0)
        return full[:at], full[at + len(plain) :]

    def _hash(self, hashes: Sequence[str]) -> str:
        parts = {"weights": [*hashes[:-1]], "vocabulary": hashes[-1]}
        settings = {"version": VERSION, **asdict(self.reading), **parts}
        return sha256(json.dumps(settings, sort_keys=True).encode()).hexdigest()

    def _tried(self, path: Path) -> int:
        """How many dimensions vectors have, by making one; and another one from a full window."""
        prefix = max(self.reading.query, self.reading.passage, key=len)
        room = self.reading.window - len(self._before) - len(self._after)
        head = len(self._tokenizer.encode(prefix, add_special_tokens=False).ids)
        if head * 2 > room:
            raise ConfigError(f"the prefix {prefix!r} leaves too little of a window of {self.reading.window}", _PLACE)
        word = self._tokenizer.encode("a", add_special_tokens=False).ids
        dimensions = len(self._run(word).vector)
        try:
            self._run((word or self._before) * room)
        except ProviderError as error:
            raise ConfigError(
                f"{path} cannot read {self.reading.window} tokens at once: set a smaller window", _PLACE
            ) from error
        return dimensions


def cores() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def file_hash(path: Path) -> str:
    """SHA-256 of a file. 14 ms for the 23 MB of the bundled model, on a core that has instructions for it."""
    with path.open("rb") as file:
        hasher = sha256()
        while block := file.read(1 << 20):
            hasher.update(block)
    return hasher.hexdigest()


def model_files(path: Path) -> list[Path]:
    """A model, and the files beside it that hold its weights where they are not inside: `model.onnx_data`."""
    apart = (f"{path.name}_data", f"{path.name}.data")
    return [path, *sorted(file for file in path.parent.iterdir() if file.name.startswith(apart))]


class _Window(NamedTuple):
    """What a model made of one window."""

    vector: Vector
    tokens: int
    """Of the text; they are its weight."""
    parts: Parts | None
    """At least one, where the model tells them."""


def _parts(hidden: NDArray[np.float32]) -> Parts:
    """The directions of equal parts of a window, a byte for each number."""
    count = max(1, round(len(hidden) / PART))
    sums = np.add.reduceat(hidden, [at * len(hidden) // count for at in range(count)], axis=0)
    largest = np.maximum(np.abs(sums).max(axis=1, keepdims=True), np.finfo(np.float32).tiny)
    parts: Parts = np.rint(sums * (127 / largest)).astype(np.int8)
    return parts


def _joined(windows: Sequence[_Window]) -> Embedding:
    """One vector of all windows of a text, each with the weight of its tokens, and all their parts."""
    found = [window.parts for window in windows if window.parts is not None]
    parts = np.concatenate(found) if sum(map(len, found)) > 1 else None
    if len(windows) == 1:
        return Embedding(windows[0].vector, parts)
    rows, weights, _ = zip(*windows, strict=True)
    mean = np.average(np.array(rows, np.float64), axis=0, weights=weights)
    return Embedding(unit(mean) if mean.any() else rows[0], parts)


def _failures() -> tuple[type[Exception], ...]:
    """What the runtime raises; there is no common kind of it."""
    from onnxruntime.capi import onnxruntime_pybind11_state as errors

    loading = (errors.InvalidProtobuf, errors.InvalidGraph, errors.NoSuchFile, errors.NotImplemented)
    return (*loading, errors.InvalidArgument, errors.Fail, errors.RuntimeException, errors.EPFail)


def _session(path: Path) -> Any:
    try:
        import onnxruntime
    except ImportError:
        raise MissingExtra("onnxruntime, which runs embedding models,", INDEX) from None
    if not path.is_file():
        raise ConfigError(f"no such model file: {path}", _PLACE)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 4
    if sums_overflow(onnxruntime):
        options.add_session_config_entry("session.x64quantprecision", "1")
    try:
        return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    except _failures() as error:
        raise ConfigError(f"{path} is not an ONNX model that can be run: {_first_line(error)}", _PLACE) from error


def _input_types(session: Any, path: Path) -> dict[str, Any]:
    wanted = {given.name: _TYPES.get(given.type) for given in session.get_inputs()}
    strange = [name for name, kind in wanted.items() if name not in _INPUTS or kind is None]
    if strange or "input_ids" not in wanted:
        raise ConfigError(
            f"{path} is not a text embedding model: expected the inputs {', '.join(_INPUTS)} or some of them as "
            f"integers, got {', '.join(wanted)}",
            _PLACE,
        )
    return wanted


def _output(session: Any, path: Path) -> str:
    """The output with a vector for every token."""
    outputs = session.get_outputs()
    names = [given.name for given in outputs if len(given.shape) == 3]
    if not names:
        shown = ", ".join(f"{given.name} {given.shape}" for given in outputs)
        raise ConfigError(f"{path} has no output with a vector for each token, only {shown}", _PLACE)
    return str(names[0])


def _tokenizer(path: Path) -> Any:
    try:
        import tokenizers  # noqa: F401 - asked for here, so that the message names the extra of the index
    except ImportError:
        raise MissingExtra("the reader of tokenizer.json files", INDEX) from None
    from seamline.tokens.custom import read_json

    return read_json(path, _PLACE)


def _first_line(error: Exception) -> str:
    return str(error).strip().splitlines()[0][:200] if str(error).strip() else type(error).__name__


def make(request: EmbedderRequest) -> OnnxEmbedder:
    """The model in a file, used as the settings of its name say."""
    address = parse(request.name)
    settings, plain = address.settings, OnnxOptions()
    options = OnnxOptions(
        settings.get("pooling", plain.pooling),  # type: ignore[arg-type]  # OnnxOptions refuses what it does not know
        plain.window if (window := address.number("window")) is None else window,
        settings.get("query", plain.query),
        settings.get("passage", plain.passage),
    )
    tokenizer = Path(settings["tokenizer"]) if settings.get("tokenizer") else None
    return OnnxEmbedder(Path(address.target), tokenizer, options, name=request.name, threads=request.threads)
