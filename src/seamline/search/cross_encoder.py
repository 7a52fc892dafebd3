"""Cross-encoders, the bundled one or one in an ONNX file that the user names: they read query and text together, and
say how well they fit."""

from __future__ import annotations

import math
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from seamline.errors import INDEX, ConfigError, MissingExtra, ProviderError, report_panics
from seamline.tokens.custom import read_json

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

WINDOW = 512
"""Tokens of query and text together that common cross-encoders were trained on."""
_OVERLAP = 8
"""Windows of a long text share an eighth, so that no sentence is cut in both."""
_BATCH = 16
_INPUTS = {"input_ids", "attention_mask", "token_type_ids"}
_PAD = ("[PAD]", "<pad>")


class _Window(NamedTuple):
    """Query and a part of one text, as the model reads them."""

    text: int
    """Position of the text it is of."""
    ids: list[int]
    types: list[int]


class CrossEncoder:
    """A Reranker. A text that is too long is read in windows, and the best of them counts."""

    def __init__(
        self, model: str | Path, tokenizer: str | Path | None = None, *, window: int = WINDOW, weight: float = 1.0
    ) -> None:
        """`tokenizer` is the tokenizer.json of the model; without one, that beside the model. `weight` is what it
        counts beside the fused score."""
        self.weight = weight
        self._session = _session(Path(model))
        self._inputs = [given.name for given in self._session.get_inputs()]
        if "input_ids" not in self._inputs or set(self._inputs) - _INPUTS:
            raise ConfigError(f"expected inputs among {sorted(_INPUTS)}, got {sorted(self._inputs)}", _SETTING)
        self._window = window
        self._tokenizer = read_json(Path(tokenizer or Path(model).with_name("tokenizer.json")), _SETTING)
        self._pad = next((i for i in map(self._tokenizer.token_to_id, _PAD) if i is not None), 0)
        self._name = f"cross-encoder {sha256(Path(model).read_bytes()).hexdigest()[:12]}"

    @property
    def name(self) -> str:
        return self._name

    def score(self, query: str, texts: Sequence[str]) -> list[float]:
        """How well each text answers the query, 0-1."""
        windows = sorted(self._windows(query, texts), key=lambda window: len(window.ids))
        best = [0.0] * len(texts)
        for at in range(0, len(windows), _BATCH):
            batch = windows[at : at + _BATCH]
            for window, logit in zip(batch, self._logits(batch), strict=True):
                best[window.text] = max(best[window.text], _sigmoid(logit))
        return best

    def _windows(self, query: str, texts: Sequence[str]) -> list[_Window]:
        with report_panics("tokenizers", ProviderError):
            room = self._window - len(self._tokenizer.encode(query, "").ids)
        if room < self._window // 2:
            raise ProviderError(
                f"the query has {self._window - room} tokens of the reranker's {self._window}: ask a shorter question, "
                "or search without a reranker"
            )
        self._tokenizer.enable_truncation(self._window, stride=room // _OVERLAP, strategy="only_second")
        try:
            with report_panics("tokenizers", ProviderError):
                encoded = self._tokenizer.encode_batch([(query, text) for text in texts])
        finally:
            self._tokenizer.no_truncation()
        return [
            _Window(n, part.ids, part.type_ids)
            for n, whole in enumerate(encoded)
            for part in (whole, *whole.overflowing)
        ]

    def _logits(self, batch: Sequence[_Window]) -> list[float]:
        import numpy as np

        width = max(len(window.ids) for window in batch)
        shape = (len(batch), width)
        ids, types, mask = np.full(shape, self._pad, np.int64), np.zeros(shape, np.int64), np.zeros(shape, np.int64)
        for row, window in enumerate(batch):
            ids[row, : len(window.ids)] = window.ids
            types[row, : len(window.ids)] = window.types
            mask[row, : len(window.ids)] = 1
        feed = {"input_ids": ids, "attention_mask": mask, "token_type_ids": types}
        out = self._session.run(None, {name: feed[name] for name in self._inputs})[0]
        return _single(np.asarray(out, np.float64).reshape(len(batch), -1))


_SETTING = "$.search.reranker"


def _session(model: Path) -> Any:
    try:
        import onnxruntime
    except ImportError:
        raise MissingExtra("the runtime of ONNX models", INDEX) from None
    from onnxruntime.capi import onnxruntime_pybind11_state as faults

    if not model.is_file():
        raise ConfigError(f"no such model file: {model}", _SETTING)
    try:
        return onnxruntime.InferenceSession(str(model), providers=["CPUExecutionProvider"])
    except (faults.InvalidProtobuf, faults.InvalidGraph, faults.Fail, faults.NotImplemented) as error:
        raise ConfigError(f"{model} is not an ONNX model that can run here: {error}", _SETTING) from error


def _single(logits: NDArray[np.float64]) -> list[float]:
    """One logit per row: the only one, or that of the second class over the first."""
    if logits.shape[1] not in (1, 2):
        raise ProviderError(f"expected one or two scores per text, got {logits.shape[1]}: is this a cross-encoder?")
    if not (logits == logits).all():
        raise ProviderError("the reranker gave scores that are not numbers")
    return [float(row[-1]) - (float(row[0]) if len(row) == 2 else 0.0) for row in logits]


def _sigmoid(logit: float) -> float:
    return 1 / (1 + math.exp(-logit)) if logit >= 0 else math.exp(logit) / (1 + math.exp(logit))
