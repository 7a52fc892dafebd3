"""Whether the installation works, part by part, each checked by use."""

from __future__ import annotations

import platform
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

from seamline.errors import INDEX, LANCE, POSTGRES, READERS, SeamlineError, command
from seamline.trust.access import Target, check_owner, models_of, targets_of

__all__ = ["Check", "check_index_parts", "check_installation", "check_targets"]

NEEDED = ("pyromark", "splintr-rs", "sentencex", "PyYAML")
EXTRAS = {
    "tokenizers": (command("hf"), "reads tokenizer.json files"),
    **{package: (command(extra), purpose) for package, (extra, purpose) in READERS.items()},
}
"""Packages that are not needed, each with the command that installs it and what it is for."""
KNOWN_COUNTS = {
    ("o200k_base", "hello world"): 2,
    ("o200k_base", "Grüße, 世界! <|endoftext|>"): 13,
    ("cl100k_base", "hello world"): 2,
    ("cl100k_base", "Grüße, 世界! <|endoftext|>"): 15,
    ("estimate", "hello world"): 3,
}
"""As tiktoken counts them; the estimate by its own definition."""
_REINSTALL = "pip install --force-reinstall seamline"
_BROKEN = (ImportError, OSError, SeamlineError, ValueError, TypeError, AttributeError, RuntimeError)
"""What a damaged or mismatched package raises when it is used."""
PACKAGES = {
    "apsw": (INDEX, "keeps an index in a folder"),
    "onnxruntime": (INDEX, "runs embedding models"),
    "numpy": (INDEX, "every index needs it"),
    "psycopg": (POSTGRES, "keeps an index in PostgreSQL"),
    "lancedb": (LANCE, "keeps an index in a LanceDB folder"),
    "obstore": (command("s3"), "keeps an index on object storage"),
    "ray": (command("ray"), "indexes on many machines"),
    "snowballstemmer": (command("stemming"), "stems words of languages other than English"),
}
"""Packages that only an index needs: the command that installs each, and what it is for."""
KNOWN_TEXTS = ("The retry fails after the server answered 429 five times.", "Another attempt was refused.")
KNOWN_COSINE = 0.396
"""Of the two texts by the bundled model."""
_CLOSE = 0.03
"""Processors round differently. That it is the model that was shipped, its hash tells."""
KNOWN_WORDS = {"Retries after 429s": ("retry", "after", "429s"), "東京都": ("東京", "京都")}
"""What BM25 finds texts by."""


class Check(NamedTuple):
    """One part and how it does."""

    name: str
    state: str
    """ok, failed, or optional for an extra that is not there."""
    detail: str
    remedy: str = ""


def check_installation(version: str) -> Iterator[Check]:
    """Everything that chunks need, and what more could be installed; `version` is that of Seamline itself."""
    supported = sys.version_info >= (3, 11)
    yield Check(
        "python",
        "ok" if supported else "failed",
        f"{platform.python_version()} ({platform.python_implementation()}, {platform.system()} {platform.machine()})",
        "" if supported else "python3.11 -m pip install seamline",
    )
    yield Check("seamline", "ok", version)
    for package in NEEDED:
        version = _version(package)
        yield Check(package, "ok" if version else "failed", version or "missing", "" if version else _REINSTALL)
    for name in dict.fromkeys(name for name, _ in KNOWN_COUNTS):
        yield _try_check(f"tokenizer {name}", partial(_counts, name))
    yield _core()
    yield _try_check("Markdown parser", _parses)
    yield _try_check("sentence ends", _sentences)
    yield _try_check("front matter", _front_matter)
    yield _try_check("chunk and audit", _chunks)
    yield _isolation()
    yield from _plugins()
    yield from _extras(EXTRAS)
    yield from _config()


def check_index_parts() -> Iterator[Check]:
    """What only an index needs."""
    yield from _extras(PACKAGES)
    if model_can_run():
        yield _try_check("bundled model", model)
    yield _try_check("words for BM25", analyzer)


def check_targets(targets: Sequence[Target]) -> Iterator[Check]:
    """Whether services and files that were found to be named may be used. None of them is asked or opened."""
    for found in targets:
        state = "trusted for" if found.trusted else "not trusted for"
        yield Check(
            "trust",
            "ok" if found.trusted else "optional",
            f"{found.target} is {state} {found.folder}, whose files name it",
            found.remedy,
        )


def _config() -> Iterator[Check]:
    from seamline.recipe.toml import FILE_NAME, find, load_recipe

    path = find(Path.cwd())
    if path is None:
        yield Check(FILE_NAME, "ok", "none found from here upward; the defaults are used")
        return
    try:
        check_owner(path)
        recipe = load_recipe(path)
        yield Check(FILE_NAME, "ok", f"{path} is valid; recipe {recipe.fingerprint}")
        yield from check_targets(targets_of(path.parent, models_of(recipe)))
    except SeamlineError as error:
        yield Check(FILE_NAME, "failed", str(error))


def _plugins() -> Iterator[Check]:
    """What installed packages add, and which packages bring it."""
    from seamline.plugins import report

    for plugin, detail, problem in report():
        said = f"{f'{detail}, ' if detail else ''}by the plugin {plugin.package}"
        yield Check(f"{plugin.family.noun} {plugin.name}", "failed" if problem else "ok", problem or said)


def _extras(packages: Mapping[str, tuple[str, str]]) -> Iterator[Check]:
    for package, (remedy, purpose) in packages.items():
        version = _version(package)
        detail = version or f"not installed; {purpose}"
        yield Check(package, "ok" if version else "optional", detail, "" if version else remedy)


def _version(package: str) -> str:
    from importlib import metadata

    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return ""


def _try_check(name: str, check: Callable[[], str]) -> Check:
    """A check by use: the detail it returns, or what it raised."""
    try:
        return Check(name, "ok", check())
    except _BROKEN as error:
        return Check(name, "failed", f"{type(error).__name__}: {error}", _REINSTALL)


def _expect(what: str, expected: object, got: object) -> None:
    if expected != got:
        raise ValueError(f"{what}: expected {expected!r}, got {got!r}")


def _counts(name: str) -> str:
    from seamline.tokens import load

    tokenizer = load(name)
    known = {text: count for (vocabulary, text), count in KNOWN_COUNTS.items() if vocabulary == name}
    for text, count in known.items():
        _expect(f"tokens of {text!r}", count, tokenizer.count(text))
    return "counts known strings " + ("as it should" if name == "estimate" else "exactly")


def _core() -> Check:
    """Whether the compiled core runs, or the Python that gives the same results more slowly."""
    from seamline import native

    if native.KERNELS:
        return Check("core", "ok", "compiled")
    if native.REFUSED:
        return Check("core", "ok", "Python, as SEAMLINE_NATIVE=0 asks for")
    return Check(
        "core", "optional", "Python, 3 times slower: not compiled at the install, for which a C compiler is needed"
    )


def _isolation() -> Check:
    """What holds the parsers of formats that others wrote."""
    from seamline.parse.isolate.process import is_switched_off, isolation

    name = "parser isolation"
    if is_switched_off():
        return Check(name, "optional", "none, as SEAMLINE_ISOLATE=0 asks for: parsers run in this process")
    try:
        level = isolation()
    except SeamlineError as error:
        return Check(name, "failed", str(error), _REINSTALL)
    return Check(name, "ok" if level.is_full else "optional", level.describe())


def _parses() -> str:
    from seamline.parse import parse_text
    from seamline.parse.markdown import commonmark as markdown

    text = "# Title\n\n- item\n\n```py\ncode\n```\n\n|a|b|\n|-|-|\n|1|2|\n"
    for blocks in (parse_text(text).blocks, markdown.parse_blocks(text)):
        _expect("blocks", ["heading", "list", "code", "table"], [block.kind for block in blocks if block.parent < 0])
    return "finds headings, lists, fences and tables"


def _sentences() -> str:
    from seamline.text.sentences import sentence_starts

    text = "Dr. Ada left. She came back."
    _expect("sentence starts", [0, 14], sentence_starts(text, 0, len(text)))
    return "found"


def _front_matter() -> str:
    from seamline.parse import parse_text

    plain, rich = "title: Hello\n", "title: Hello\nby: {name: Ada}\n"  # the second is read by the YAML library
    for head in (plain, rich):
        _expect("title", "Hello", parse_text(f"---\n{head}---\n\nText.\n").title)
    return "read"


def _chunks() -> str:
    from seamline.api import chunk
    from seamline.cut.audit.audit import audit

    chunks = chunk("# Title\n\n" + "One sentence here. " * 200, limit=64)
    _expect("violations", [], [v.rule for v in audit(chunks, limit=64)])
    return f"{len(chunks)} chunks of a test document keep the contract"


def model_can_run() -> bool:
    return all(find_spec(name) is not None for name in ("numpy", "onnxruntime", "tokenizers"))


def model() -> str:
    """The bundled model, by its checksums and a known pair of texts."""
    from seamline.embed import DEFAULT
    from seamline.embed.bundled import bundled

    one, other = bundled(DEFAULT).embed(KNOWN_TEXTS)
    cosine = float(one @ other)
    if abs(cosine - KNOWN_COSINE) > _CLOSE:
        raise ValueError(f"cosine of two known texts: expected {KNOWN_COSINE} +- {_CLOSE}, got {cosine:.3f}")
    return "whole, and sees known texts as near as it should"


def analyzer() -> str:
    """The rules that make words of text."""
    from seamline.text.words import ANALYZER, words

    for text, expected in KNOWN_WORDS.items():
        if (got := tuple(words(text))) != expected:
            raise ValueError(f"words of {text!r}: expected {expected}, got {got}")
    return f"finds known words, rules {ANALYZER}"
