"""What is fuzzed: each family of parsers, filters, recipes and citations; how an input is made, and what must hold.

An input is bytes. A mutation starts from a valid document and knows the marks of its format, the parts of an archive
and what opens and closes. Whatever comes in, a check raises nothing but a `SeamlineError` of its own accord, and ends
within `SECONDS` of processor time; spans lie inside the text, and the bodies of chunks tile it.
"""

from __future__ import annotations

import time
import tomllib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from random import Random

from benchmarks.hostile.binaries import BINARIES
from benchmarks.hostile.mutations import ARCHIVE, BYTES, TEXT, Mutation, cut_out, cut_short, flip
from benchmarks.hostile.packages import ARCHIVES, FLAT
from benchmarks.hostile.texts import SOURCES, TEXTS, Seed

import seamline
from seamline.errors import SeamlineError
from seamline.filters.language import parse_filter, to_text
from seamline.formats import Format, format_named
from seamline.parse import _decode_source, _parser_type, parse_bytes
from seamline.parse.parser_types import ParseInput, load_parser
from seamline.recipe.toml import _parse, adjust, from_mapping, to_toml
from seamline.search.citations import parse_key, resolve
from seamline.store.memory import MemoryStore
from seamline.testing.entries import SETTINGS
from seamline.testing.parsers import check_document
from seamline.testing.stores.site import put
from seamline.types import Document, Source

from .texts import text

SMALLEST, LARGEST = 4, 1 << 15
"""Bytes of an input that is changed further, and of any."""
SMALL = (64, 120)
"""Tokens of chunks that are audited. Rules about what is torn apart hold for texts that somebody wrote, which property
tests draw; at these limits they are left out."""
SECONDS = 20.0
"""Processor time that one input may take, with its checks; the fuzzer's counters make everything some times slower."""

_APART = ("xlsx",)
"""Formats whose library ends the process on some files, as calamine does that asks for 50 GB. They are read as users
read them, in a restricted process, which the fuzzer does not see into."""

Check = Callable[[bytes], None]


@dataclass(frozen=True)
class Target:
    """One thing that is fuzzed."""

    name: str
    seeds: tuple[Seed, ...]
    ways: tuple[Mutation, ...]
    check: Check

    def mutate(self, data: bytes, chance: Random) -> bytes:
        """Another input, made of this one or of a seed."""
        seed = chance.choice(self.seeds)
        if self.ways is not BYTES and chance.random() < 0.05:
            return _written(chance)
        start = seed._replace(data=data) if len(data) >= SMALLEST and chance.random() < 0.8 else seed
        try:
            made = chance.choice(self.ways)(start, chance)
        except Exception:  # noqa: BLE001  # an archive that is none any more has no parts, a number no bytes after it
            made = chance.choice((flip, cut_short, cut_out))(start, chance)
        return made[:LARGEST]


def _written(chance: Random) -> bytes:
    """A text of no format in particular, structured as Markdown is."""
    return text(chance).encode("utf-8", "surrogatepass")


# --- documents -------------------------------------------------------------------------------------------------------


def _parses(name: str, suffixes: Sequence[str]) -> Check:
    """Read as this format under each of these names, whatever it looks like, in this process if its libraries allow."""
    one = format_named(name)
    assert one is not None

    def check(data: bytes) -> None:
        for suffix in suffixes:
            uri = f"a{suffix}"
            try:
                document = (
                    parse_bytes(data, uri=uri, media_type=name) if name in _APART else _parse_here(one, data, uri)
                )
            except SeamlineError:
                continue
            check_document(document, limits=SMALL)
            _check_tiles(document)

    return check


def _parse_here(one: Format, data: bytes, uri: str) -> Document:
    decoded = _decode_source(data, one, uri, None)[0] if one.is_text else ""
    raw = ParseInput(b"" if one.is_text else data, decoded, uri, _parser_type(None, one))
    found = load_parser(one.parser)(raw)
    return Document(
        uri, Source(uri, one.media_type), found.text, found.blocks, title=found.title, front_matter=found.meta,
        removed=found.removed, notices=found.notices, anchors=found.anchors, confidence=found.confidence,
        code=found.code,
    )  # fmt: skip


def _check_tiles(document: Document) -> None:
    """Bodies follow each other, apart, inside the text, and leave out nothing but white space and what was removed."""
    left_out = bytearray(len(document.text))
    for start, end in document.removed:
        left_out[start:end] = b"\1" * (end - start)
    bodies = [(chunk.start, chunk.end) for chunk in seamline.chunk(document, limit=200)]
    for start, end in bodies:
        assert 0 <= start < end <= len(document.text), f"{start}..{end} is no span of the text"
    edges = [(0, 0), *bodies, (len(document.text), len(document.text))]
    for (_, before), (after, _) in pairwise(edges):
        assert before <= after, f"bodies overlap at {after}..{before}"
        lost = "".join(document.text[at] for at in range(before, after) if not left_out[at])
        assert not lost.strip().strip("\ufeff"), f"in no body: {lost.strip()[:60]!r}"


def _family(name: str, *members: str) -> Target:
    """The seeds of all formats of a family, each mutated in the ways of its kind, and read as what it was."""
    kinds = ((TEXTS, TEXT), (SOURCES, TEXT), (ARCHIVES, ARCHIVE), (FLAT, TEXT), (BINARIES, BYTES))
    found = [(seed, ways) for group, ways in kinds for seed in group if seed.format in members]
    suffixes = {member: sorted({seed.suffix for seed, _ in found if seed.format == member}) for member in members}
    checks = [_parses(member, suffixes[member]) for member in members]

    def check(data: bytes) -> None:
        for one in checks:
            one(data)

    ways = found[0][1] if all(ways is found[0][1] for _, ways in found) else (*ARCHIVE, *TEXT)
    return Target(name, tuple(seed for seed, _ in found), ways, check)


# --- filters, recipes, citations -------------------------------------------------------------------------------------


def _check_filter(data: bytes) -> None:
    """A filter that can be read is read the same from its own text."""
    try:
        found = parse_filter(data.decode("utf-8", "surrogatepass"))
    except (SeamlineError, UnicodeDecodeError):
        return
    assert to_text(parse_filter(to_text(found))) == to_text(found)


def _check_recipe(data: bytes) -> None:
    """A recipe that can be read is read the same from its own text, and one setting is changed or refused."""
    try:
        written = data.decode()
        found = from_mapping(_parse(written, "seamline.toml"))
    except (SeamlineError, UnicodeDecodeError):
        found, written = from_mapping({}), data.decode("utf-8", "replace")
    again = from_mapping(tomllib.loads(to_toml(found)))
    assert again == found, "a recipe is not what its own text says"
    for line in written.splitlines()[:20]:
        try:
            adjust(found, [line])
        except SeamlineError:
            continue


@cache
def _cited() -> tuple[MemoryStore, tuple[str, ...]]:
    store = MemoryStore(SETTINGS)
    first = put(store, "a.md", "A parcel leaves the house.", "It comes back.")
    put(store, "a.md", "A parcel leaves the house today.", "It comes back.")
    return store, tuple(entry.id for entry in first)


def _check_citation(data: bytes) -> None:
    """Any key is found, unknown, or refused; one that is found is what was written."""
    store, ids = _cited()
    key = data.decode("utf-8", "replace").replace("ID", ids[0])
    with store.reader() as reader:
        try:
            id, number = parse_key(key)
            found = resolve(reader, key)
        except SeamlineError:
            return
    if found.cited is not None:
        assert id in ids
        assert number is None or found.cited.version == number


_FILTER_MARKS = (
    "(",
    ")",
    '"',
    "and",
    "or",
    "not",
    "=",
    "!=",
    "<",
    ">",
    "~",
    "in",
    "has",
    "[",
    "]",
    ",",
    "starts",
    "1e9",
)
_TOML_MARKS = (
    "[",
    "]",
    "=",
    "'",
    '"',
    "{",
    "}",
    ".",
    ",",
    "#",
    "-1",
    "0",
    "1e999",
    "nan",
    "true",
    "[[budget]]",
    "10_0",
)
_FILTERS = tuple(
    Seed("filter", "", line.encode(), (*_FILTER_MARKS, "1e9", "meta.a", "\\", "#"), (("(", ")"), ("not (", ")")))
    for line in (
        'language = "en" and (meta.stars > 4.5 or not meta.reviewed)',
        'meta.tags has "web" and path starts "Handbook"',
        "created_at >= 2024-01-31 and tokens < 100 or false",
        'meta.name in ["a", "b"] and title != "x \\u0041"',
    )
)
_RECIPES = tuple(
    Seed("recipe", "", written.encode(), (*_TOML_MARKS, "10_0", "inf"), (("[", "]"), ("{a = ", "}")))
    for written in (
        to_toml(from_mapping({})),
        'preset = "semantic"\n[budget]\nlimit = 300\ntarget = 200\n',
        '[strategies]\n"*.md" = "structure"\n',
    )
)
_CITATIONS = tuple(
    Seed("citation", "", key, ("@", "ID", "@1", "@0", "@-1", "@99999999999999999999", "@\u0661", " ", "\0"))
    for key in (b"ID@1", b"ID@2", b"ID", b"unknown@1", b"ID@" + b"9" * 5000)
)

TARGETS = {
    one.name: one
    for one in (
        _family("markdown", "markdown", "text"),
        _family("mdx", "mdx"),
        _family("html", "html"),
        _family("latex", "latex"),
        _family("rst", "rst"),
        _family("asciidoc", "asciidoc"),
        _family("org", "org"),
        _family("articles", "jats"),
        _family("rtf", "rtf"),
        _family("pdf", "pdf"),
        _family("docx", "docx"),
        _family("odt", "odt"),
        _family("pptx", "pptx"),
        _family("epub", "epub", "htmlzip"),
        _family("xlsx", "xlsx"),
        _family("csv", "csv", "tsv"),
        _family("json", "json", "jsonl"),
        _family("code", "code"),
        _family("subtitles", "vtt", "srt", "transcript"),
        _family("eml", "eml"),
        _family("notebook", "ipynb"),
        _family("databases", "sqlite", *(("parquet",) if any(seed.name == "parquet" for seed in BINARIES) else ())),
        Target("filters", _FILTERS, TEXT, _check_filter),
        Target("recipes", _RECIPES, TEXT, _check_recipe),
        Target("citations", _CITATIONS, TEXT, _check_citation),
    )
}


def run_check(target: Target, data: bytes) -> None:
    """Check one input, its cost included."""
    before = time.process_time()
    target.check(data)
    spent = time.process_time() - before
    assert spent < SECONDS, f"{spent:.1f} s of processor time for {len(data)} bytes"
