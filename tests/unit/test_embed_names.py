"""Names of embedders: what each means, and what is said about one that means nothing."""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seamline.embed import load
from seamline.embed.address import EmbedderAddress, parse
from seamline.embed.hashing import HashEmbedder
from seamline.embed.remote import RemoteEmbedder
from seamline.errors import ConfigError
from seamline.remote.model_names import OPENAI

law = settings(max_examples=int(os.environ.get("SEAMLINE_EXAMPLES", "120")), deadline=None)


@pytest.mark.parametrize(
    ("name", "address"),
    [
        ("minilm", EmbedderAddress("minilm", "", "", {})),
        ("static", EmbedderAddress("static", "", "", {})),
        ("hash", EmbedderAddress("hash", "", "", {})),
        ("a/b c.onnx", EmbedderAddress("onnx", "a/b c.onnx", "", {})),
        ("C:\\m.ONNX?window=9", EmbedderAddress("onnx", "C:\\m.ONNX", "", {"window": "9"})),
        ("m.onnx?query=query:%20&passage=", EmbedderAddress("onnx", "m.onnx", "", {"query": "query: ", "passage": ""})),
        ("openai:m", EmbedderAddress("openai", "m", OPENAI, {})),
        (
            "openai:a/b:latest@http://localhost:11434/v1",
            EmbedderAddress("openai", "a/b:latest", "http://localhost:11434/v1", {}),
        ),
        ("openai:@cf/bge@https://x.org", EmbedderAddress("openai", "@cf/bge", "https://x.org", {})),
        ("openai:m@https://x.org?dimensions=5", EmbedderAddress("openai", "m", "https://x.org", {"dimensions": "5"})),
    ],
)
def test_a_name_is_taken_apart(name: str, address: EmbedderAddress) -> None:
    assert parse(name) == address


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("", "unknown embedder ''"),
        ("minilmm", r"did you mean minilm\?"),
        ("all-MiniLM-L6-v2", r"did you mean minilm\?"),
        ("statik", r"did you mean static\?"),
        ("Hash", r"did you mean hash\?"),
        ("text-embedding-3-small", r"did you mean openai:text-embedding-3-small\?"),
        ("http://localhost:8080", r"did you mean openai:MODEL@http://localhost:8080\?"),
        ("bert", "expected seam, quality, minilm, static, hash, a path ending in .onnx, or openai:MODEL@URL"),
        ("openai:", "unknown embedder"),
        ("openai:m@localhost:8080", "a URL that starts with https:// or http://"),
        ("openai:m@ftp://example.org", "a URL that starts with https:// or http://"),
        ("m.onnx?pool=cls", r"unknown setting 'pool' of a onnx embedder \(did you mean pooling\?\)"),
        ("static?dimensions=128", "unknown setting 'dimensions' of a static embedder: it has none"),
        ("hash?x=1", "unknown setting 'x' of a hash embedder: it has none"),
        ("m.onnx?window", "expected setting=value"),
        ("m.onnx?window=1&window=2", "the setting window is given twice"),
        ("openai:m?dimensions=many", "expected dimensions to be a whole number, got 'many'"),
        ("openai:m?dimensions=0", "1 or more"),
    ],
)
def test_a_name_that_means_nothing_is_explained(name: str, message: str) -> None:
    with pytest.raises(ConfigError, match=message) as caught:
        load(name)
    assert caught.value.path == "$.embedder"


@law
@given(st.one_of(st.text(max_size=40), st.text(max_size=20).map("openai:{}".format), st.text().map("m.onnx?{}".format)))
def test_any_text_is_a_name_or_is_refused(name: str) -> None:
    with suppress(ConfigError):
        assert parse(name).kind


def test_a_secret_in_an_address_is_not_repeated() -> None:
    for name in ("openai:m@https://ada:hunter2@x.org", "openai:m@https://x.org?key=hunter2", "openai:m@x?hunter2"):
        with pytest.raises(ConfigError) as caught:
            load(name)
        assert "hunter2" not in str(caught.value)


def test_an_embedder_is_its_own_name() -> None:
    embedder = HashEmbedder()
    assert load(embedder) is embedder
    unreachable = RemoteEmbedder("http://127.0.0.1:1", "m")
    assert load(unreachable) is unreachable
    with pytest.raises(ConfigError, match="expected the name of an embedder or an Embedder, got 3, which has no name"):
        load(3)  # type: ignore[arg-type]


@pytest.mark.parametrize("package", ["onnxruntime", "tokenizers", "numpy"])
def test_a_missing_package_is_named_with_the_command_and_never_replaced(package: str) -> None:
    code = f"import sys; sys.modules[{package!r}] = None\nimport seamline.embed as e\ntry: e.load()\n"
    code += "except e.MissingExtra as error: print(error)"
    source = str(Path(__file__).parents[2] / "src")
    env = {**os.environ, "PYTHONPATH": source}
    said = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, check=True).stdout
    assert "pip install 'seamline[index]'" in said


def test_the_package_itself_is_light() -> None:
    heavy = {"numpy", "onnxruntime", "tokenizers", "sqlite3", "http"}
    code = f"import sys, seamline.embed; print({heavy} & set(sys.modules))"
    env = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2] / "src")}
    said = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, check=True).stdout
    assert said.strip() == "set()"
