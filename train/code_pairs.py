"""Pairs from source code: from a documentation comment, a question about a symbol, or a call to the definition.

Files are cut as plain text, as an index cuts code it has no grammar for; a definition belongs to the chunk that holds
its first line.
"""

from __future__ import annotations

import random
import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import markup
from pages import LIMIT, TARGET, Piece

import seamline

if TYPE_CHECKING:
    from pairs import Mined

SUFFIXES = {
    ".py": "python",
    ".rs": "rust",
    ".ts": "script",
    ".tsx": "script",
    ".js": "script",
    ".go": "go",
    ".cc": "c",
    ".h": "c",
    ".cpp": "c",
    ".java": "java",
}
_DEFINE = {
    "python": re.compile(r"^([ \t]*)(?:async )?(def|class)\s+(\w+)", re.M),
    "rust": re.compile(
        r"^([ \t]*)(?:pub(?:\([^)]*\))?\s+)?(?:const |async |unsafe |extern \"C\" )*"
        r"(fn|struct|enum|trait|macro_rules!|static|type)\s+(\w+)",
        re.M,
    ),
    "script": re.compile(
        r"^([ \t]*)(?:export\s+)?(?:default\s+)?(?:abstract\s+|async\s+)*"
        r"(function|class|interface|enum|namespace|type)\s+(\w+)",
        re.M,
    ),
    "go": re.compile(r"^()(func|type)\s+(?:\([^)]*\)\s*)?(\w+)", re.M),
    "c": re.compile(r"^([ \t]*)(class|struct|enum)\s+(?:[A-Z_]+\s+)?(\w+)(?=[^;]*\{)", re.M),
    "java": re.compile(
        r"^([ \t]*)(?:public |private |protected |static |final |abstract )+(class|interface|enum)\s+(\w+)", re.M
    ),
}
_OWNER = {
    "rust": re.compile(r"^impl(?:<[^{]*?>)?\s+(?:[\w:<>', ]+\s+for\s+)?(\w+)", re.M),
    "python": re.compile(r"^class\s+(\w+)", re.M),
    "script": re.compile(r"^(?:export\s+)?(?:default\s+)?(?:abstract\s+)?class\s+(\w+)", re.M),
}
_SKIP = re.compile(
    r"(^|/)(tests?|testing|benches|vendor|node_modules|third_party|dist|build|static|_vendor|locales?|migrations)(/|$)|\.min\.|\.d\.ts$|_pb2|\.upb|\.upbdefs|generated",
    re.I,
)
_NOUN = {
    "def": "function",
    "fn": "function",
    "func": "function",
    "macro_rules!": "macro",
    "type": "type",
    "static": "static variable",
}


_PERMISSIVE = re.compile(r"\b(MIT|BSD|Apache|ISC|0BSD|PSF|HPND|Python Software Foundation)\b", re.I)
_OTHER = re.compile(r"\b(A?L?GPL|MPL|Mozilla|CC-BY-NC|Proprietary|EPL|EUPL)", re.I)


def licence(folder: Path) -> str:
    """What the package's metadata says of its licence; raises where that is not permissive."""
    near = [folder / "PKG-INFO", *sorted(folder.parent.glob(f"{folder.name}-*.dist-info/METADATA"))]
    file = next((path for path in near if path.is_file()), None)
    lines = (
        re.findall(
            r"^(?:License(?:-Expression)?|Classifier: License ::[^\n]*?)[:]+ *([^\n]*)",
            file.read_text(errors="replace"),
            re.M,
        )
        if file
        else []
    )
    text = "; ".join(dict.fromkeys(lines))[:160]
    if not _PERMISSIVE.search(text) or _OTHER.search(text):
        raise ValueError(f"{folder.name} has no permissive licence in its metadata: {text!r}")
    return text


class Definition(NamedTuple):
    offset: int
    kind: str
    name: str
    owner: str
    doc: tuple[int, int]


def definitions(text: str, language: str) -> Iterator[Definition]:
    owners = [(found.start(), found[1]) for found in _OWNER[language].finditer(text)] if language in _OWNER else []
    for found in _DEFINE[language].finditer(text):
        kind = _NOUN.get(found[2], found[2])
        at = bisect_right(owners, (found.start(), "")) - 1
        owner = owners[at][1] if found[1] and at >= 0 else ""
        if owner and kind == "function":
            kind = "method"
        yield Definition(found.start(), kind, found[3], owner, _comment(text, found.start(), found.end(), language))


def _comment(text: str, start: int, end: int, language: str) -> tuple[int, int]:
    """Where the documentation of a definition stands: below it in Python, above it elsewhere."""
    if language == "python":
        found = re.compile(r"[^\"']{0,500}?:[ \t]*\n\s*[rR]?(\"\"\"|''')").match(text, end)
        close = text.find(found[1], found.end()) if found else -1
        return (found.end(), close) if found and close > 0 else (0, 0)
    last = start
    for line in reversed(text[max(0, start - 2500) : start].split("\n")[:-1]):
        if not re.match(r"\s*(?:#\[|@\w|template\b)", line):
            break
        last -= len(line) + 1
    first = last
    for line in reversed(text[max(0, last - 2500) : last].split("\n")[:-1]):
        if not re.match(r"\s*(?://|/\*\*|\*)", line):
            break
        first -= len(line) + 1
    return (first, last) if last > first else (0, 0)


def explain(comment: str) -> str:
    """The first sentence or two of a documentation comment."""
    lines = [re.sub(r"^\s*(?:///?!?|/?\*+/?|#)\s?", "", line).rstrip(" */") for line in comment.strip().split("\n")]
    text = "\n".join(lines).strip().split("\n\n")[0]
    if re.match(r"@|:param|Args|SPDX|Copyright|eslint|Licensed|TOD[O]", text):
        return ""
    text = re.split(r"\n\s*(?:@|:param|Args:|Parameters|#\s|Returns)", text)[0]
    return " ".join(markup.plain(text[a:b]) for a, b in markup.sentences(text)[:2])[:300]


def symbol_question(one: Definition, rng: random.Random) -> str:
    name = one.name if rng.random() < 0.5 else f"`{one.name}`"
    if one.name in ("new", "__init__", "constructor", "default", "from") and one.owner:
        return rng.choice(
            [
                f"How do you create a new {one.owner} instance?",
                f"What parameters does {one.owner} take when it is created?",
                f"How is {one.owner} initialized?",
            ]
        )
    forms = [
        f"What is the purpose of the {name} {one.kind}?",
        f"What does the {name} {one.kind} do?",
        f"{one.kind} {one.name}",
        f"How is the {name} {one.kind} implemented?",
    ]
    if one.owner:
        forms += [
            f"What does the {name} {one.kind} of {one.owner} do?",
            f"What happens in the {name} {one.kind} of the {one.owner}?",
            f"How does {one.owner} {_split(one.name)}?",
        ]
    elif one.kind in ("function", "macro"):
        forms += [
            f"How does {name} work?",
            f"How to {_split(one.name)}?",
            f"what is returned by {name}",
            f"which function is used to {_split(one.name)}",
        ]
    else:
        forms += [
            f"What fields does the {name} {one.kind} have?",
            f"What is {_split(one.name)}?",
            f"which methods does {name} have",
            f"How is {_split(one.name)} represented?",
        ]
    return rng.choice(forms)


def _split(name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|_", " ", name).strip().lower()


def files(folder: Path) -> Iterator[Path]:
    for path in sorted(folder.rglob("*")):
        inside = str(path.relative_to(folder))
        if (
            path.suffix in SUFFIXES
            and path.is_file()
            and not _SKIP.search(inside)
            and 800 < path.stat().st_size < 120_000
        ):
            yield path


def mine(mined: Mined, folder: Path, rng: random.Random, most: int = 3000) -> None:
    """Add one package: at most so many chunks, and the pairs that lead to them."""
    repo = f"code:{folder.name}"
    chosen = list(files(folder))
    rng.shuffle(chosen)
    start = len(mined.passages)
    homes: dict[str, set[int]] = defaultdict(set)
    calls: list[tuple[str, str, int]] = []
    for path in chosen:
        if len(mined.passages) - start >= most:
            break
        _mine_file(mined, path, f"{repo}/{path.relative_to(folder)}", repo, rng, homes, calls)
    rng.shuffle(calls)
    asked: set[int] = set()
    for name, snippet, here in calls:
        home = homes.get(name, set())
        place = next(iter(home)) if len(home) == 1 else here
        if place != here and place not in asked and len(asked) < (len(mined.passages) - start) // 5:
            asked.add(place)
            mined.ask("code-call", snippet, place, origin=here)


def _mine_file(
    mined: Mined,
    path: Path,
    page: str,
    repo: str,
    rng: random.Random,
    homes: dict[str, set[int]],
    calls: list[tuple[str, str, int]],
) -> None:
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        return
    if max(map(len, text.split("\n"))) > 400 or text.count("\x00"):
        return
    language = SUFFIXES[path.suffix]
    found = list(definitions(text, language))
    # One list of this many definitions in every file would be a table of constants, not code.
    if not found:
        return
    chunks = seamline.chunk(text, target=TARGET, limit=LIMIT, media_type="text/plain")
    for chunk in chunks:
        body = text[chunk.start : chunk.end]
        if len(body) < 120 or re.match(r"\s*(?://|#|/\*)[^\n]*(?:Copyright|SPDX|License)", body):
            continue
        passage = mined.add(page, repo, "code", Piece("", body, chunk.start, chunk.end))
        inside = [
            one for one in found if chunk.start <= one.offset < chunk.end - 60 and not one.name.startswith("test")
        ]
        for one in inside:
            homes[one.name].add(passage)
        for one in rng.sample(inside, min(2, len(inside))):
            start, end = max(one.doc[0], chunk.start), min(one.doc[1], chunk.end)
            words = explain(text[one.doc[0] : one.doc[1]]) if one.doc[1] else ""
            if len(words.split()) >= 4:
                mined.ask(
                    "code-doc", words, passage, (start - chunk.start, end - chunk.start) if end > start else (0, 0)
                )
            if len(words.split()) < 4 or rng.random() < 0.5:
                mined.ask("code-symbol", symbol_question(one, rng), passage)
        names = {one.name for one in inside}
        for call in re.finditer(r"(?<![\w])(?:\w+[.:]+)*([a-zA-Z_]\w{5,})\(", body):
            if call[1] not in names:
                a = body.rfind("\n", 0, call.start()) + 1
                b = body.find("\n", call.end())
                line = " ".join(body[a : b if b > 0 else len(body)].split())
                if 15 < len(line) < 160 and not re.match(r"(pub |async |export )*(def|fn|func|function|class)\b", line):
                    calls.append((call[1], line, passage))
