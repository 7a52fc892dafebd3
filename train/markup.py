"""Source markup as the miner needs it: headings with their anchors, links with their sentences, plain sentences.

Markdown and reStructuredText are read as they are. DocBook (SGML) and nginx's XML are rewritten as Markdown first.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from typing import NamedTuple

FENCE = re.compile(r"^[ \t]*(`{3,}|~{3,})")
_ATX = re.compile(r"^ {0,3}(#{1,6})\s+(.+?)\s*#*\s*$")
_IDS = re.compile(
    r"\s*(?:\{/\*\s*([\w-]+)\s*\*/\}|\{\s*#\s*([\w.-]+)[^}]*\}|<a\s+(?:name|id)=\"([\w.-]+)\"[^>]*>(?:</a>)?)"
)
_ANCHOR = re.compile(r"^\s*<a\s+(?:name|id)=\"([\w.-]+)\"")
_RST_LINE = re.compile(r"^([=\-~^\"'`#*+.:_<>])\1{2,}\s*$")
_RST_LABEL = re.compile(r"^\.\. _([^:`]+|`[^`]+`):\s*$")
_LINK = re.compile(r"(?<!!)\[((?:[^\[\]]|\[[^\[\]]*\])+)\](?:\(\s*<?([^)\s>]*)>?[^)]*\)|\[([^\]]*)\])")
_DEFINITION = re.compile(r"^ {0,3}\[([^\]]+)\]:\s*<?(\S+?)>?(?:\s+[\"'(].*)?$", re.M)
_ROLE = re.compile(r":(ref|doc):`(?:([^`<]*?)\s*<([^`>]+)>|([^`]+))`")
_SENTENCE_END = re.compile(r"(?<=[.!?])[\"')\]]*\s+(?=[\"'(\[`]*[A-Z0-9`:])")
_ABBREVIATION = re.compile(r"(?:\b(?:e\.g|i\.e|etc|vs|cf|Dr|Mr|Fig|No)\.|\b[A-Z]\.)$")


class Heading(NamedTuple):
    """A heading and the names by which a link can point to it."""

    offset: int
    title: str
    anchors: tuple[str, ...]


class Link(NamedTuple):
    """A link inside a page: what a reader sees, where it points, and the sentence around it as plain text."""

    offset: int
    anchor: str
    target: str
    sentence: str
    before: str
    role: str


def slug(title: str) -> str:
    """The anchor that GitHub and most generators give a heading."""
    plain = re.sub(r"[`*]|<[^>]+>|\[([^\]]*)\]\([^)]*\)", r"\1", title).strip().lower()
    return re.sub(r"[^\w\- ]", "", plain).replace(" ", "-")


def plain(text: str) -> str:
    """Prose without its markup: links and roles become their words, code spans keep their back ticks."""
    text = re.sub(r"!\[[^\]]*\]\([^)]*\)", " ", text)
    text = _LINK.sub(r"\1", text)
    text = re.sub(r":[\w:.-]+:`~?(?:[^`<]*?<)?([^`<>]+)>?`", r"\1", text)
    text = re.sub(r"`([^`<]+?)\s*<[^`>]+>`__?", r"\1", text)
    text = re.sub(r"\[([^\[\]]+)\]\[\]?", r"\1", text)
    text = "".join(
        part if at % 2 else re.sub(r"</?[a-zA-Z][^<>]*>", " ", part)
        for at, part in enumerate(re.split(r"(`[^`]*`)", text))
    )
    text = re.sub(
        r"\*\*|__(?=\w)|(?<=\w)__|(?<![\w*])\*(?=\w)|(?<=\w)\*(?![\w*])|``", lambda m: "`" if m[0] == "``" else "", text
    )
    text = re.sub(r"^\s*(?:[-*+>]|\d+[.)]|#+)\s+", "", text)
    return " ".join(html.unescape(text).split())


def sentences(text: str) -> list[tuple[int, int]]:
    """Where the sentences of a paragraph stand."""
    out, start = [], 0
    for end in _SENTENCE_END.finditer(text):
        if _ABBREVIATION.search(text[start : end.start()]):
            continue
        out.append((start, end.start()))
        start = end.end()
    return [*out, (start, len(text))]


def headings(text: str, kind: str) -> list[Heading]:
    return list(_rst_headings(text) if kind == "rst" else _markdown_headings(text))


def _markdown_headings(text: str) -> Iterator[Heading]:
    offset, fence, pending, before = 0, "", [], ""
    seen: dict[str, int] = {}
    for line in text.splitlines(keepends=True):
        mark = FENCE.match(line)
        if mark and (not fence or mark[1].startswith(fence)):
            fence = "" if fence else mark[1]
        elif not fence:
            if anchor := _ANCHOR.match(line):
                pending.append(anchor[1])
            found, title = _ATX.match(line), ""
            if found:
                title = found[2]
            elif (
                before.strip()
                and re.fullmatch(r" {0,3}(=+|-+)\s*", line)
                and not before.lstrip().startswith(("|", "-", ">"))
            ):
                title = before.strip()
            if title:
                ids = [next(filter(None, m)) for m in _IDS.findall(title)]
                title = _IDS.sub("", title).strip()
                own = slug(title)
                number = seen[own] = seen.get(own, -1) + 1
                ids.append(f"{own}-{number}" if number else own)
                yield Heading(offset, title, tuple(dict.fromkeys([*ids, *pending])))
                pending = []
            before = "" if found else line
        offset += len(line)


def _rst_headings(text: str) -> Iterator[Heading]:
    offset, pending, before = 0, [], ("", 0)
    for line in text.splitlines(keepends=True):
        if label := _RST_LABEL.match(line):
            pending.append(label[1].strip("`").lower())
        elif _RST_LINE.match(line) and before[0].strip() and len(line.strip()) >= len(before[0].strip()):
            yield Heading(before[1], before[0].strip(), tuple(pending))
            pending = []
        elif line.strip() and not line.startswith("..") and not _RST_LINE.match(line) and pending and before[0].strip():
            pending = []  # a label before a paragraph
        before = (line, offset) if not _RST_LINE.match(line) else ("", 0)
        offset += len(line)


def paragraphs(text: str, kind: str) -> Iterator[tuple[int, str]]:
    """Paragraphs of prose and items of lists, outside code."""
    offset, fence, start, lines = 0, "", 0, list[str]()
    code_indent = kind == "rst"
    literal = False
    for line in [*text.splitlines(keepends=True), ""]:
        mark = FENCE.match(line) if kind != "rst" else None
        item = re.match(r"\s*(?:[-*+]|\d+[.)])\s", line)
        ends = not line.strip() or bool(mark) or bool(item) or line.lstrip().startswith(("#", "|", ".. ", ">", "<"))
        if ends and lines:
            block = "".join(lines)
            literal = code_indent and block.rstrip().endswith("::")
            yield start, block
            lines = []
        if mark and (not fence or mark[1].startswith(fence)):
            fence = "" if fence else mark[1]
        elif line.strip() and not fence and not (literal and line[:1] in " \t"):
            if not line.lstrip().startswith(("#", "|", ".. ", "<", "---", "===", "import ", "export ")):
                if not lines:
                    start = offset
                lines.append(line)
                if line[:1] not in " \t":
                    literal = False
        offset += len(line)


def links(text: str, kind: str) -> Iterator[Link]:
    """Links that stand in a sentence. Reference links are resolved here, pages by the caller."""
    defined = {name.lower(): target for name, target in _DEFINITION.findall(text)} if kind != "rst" else {}
    for start, block in paragraphs(text, kind):
        spans = sentences(block)
        for at, (first, last) in enumerate(spans):
            piece = block[first:last]
            found = list(_rst_links(piece) if kind == "rst" else _markdown_links(piece, defined))
            if not found or len(found) > 3:
                continue
            before = plain(block[slice(*spans[at - 1])]) if at else ""
            for anchor, target, role in found:
                yield Link(start + first, anchor, target, plain(piece), before, role)


def _markdown_links(piece: str, defined: dict[str, str]) -> Iterator[tuple[str, str, str]]:
    for found in _LINK.finditer(piece):
        target = found[2] if found[2] is not None else defined.get((found[3] or found[1]).lower(), "")
        if target:
            yield plain(found[1]), target, "url"
    for name in re.findall(r"(?<!!)\[([^\[\]]+)\](?![\[(:])", _LINK.sub("", piece)):
        if name.lower() in defined:
            yield plain(name), defined[name.lower()], "url"


def _rst_links(piece: str) -> Iterator[tuple[str, str, str]]:
    for role, words, target, bare in _ROLE.findall(piece):
        yield " ".join(words.split()), target or bare, role


def _fence(listing: re.Match[str]) -> str:
    """The content of a listing as a fenced block."""
    return f"\n\n```\n{_untag(listing[1]).strip(chr(10))}\n```\n\n"


def from_docbook(text: str) -> str:
    """DocBook as Markdown; `linkend` becomes `#id`."""
    text = re.sub(r"<!--.*?-->|<indexterm.*?</indexterm>|<\?.*?\?>|<!DOCTYPE.*?>", "", text, flags=re.S)
    text = re.sub(
        r"<(?:programlisting|screen|synopsis)[^>]*>(?:\s*<!\[CDATA\[)?(.*?)(?:\]\]>\s*)?</(?:programlisting|screen|synopsis)>",
        _fence,
        text,
        flags=re.S,
    )
    text = re.sub(r"<xref linkend=\"([^\"]+)\"[^>]*/>", r"[\1](#\1)", text)
    text = re.sub(r"<link linkend=\"([^\"]+)\"[^>]*>(.*?)</link>", r"[\2](#\1)", text, flags=re.S)
    text = re.sub(
        r"<(?:literal|command|function|varname|filename|option|type|structfield|structname|replaceable|parameter|application|token|symbol|envar)\b[^>]*>(.*?)</\w+>",
        lambda m: f"`{' '.join(_untag(m[1]).split())}`",
        text,
        flags=re.S,
    )
    return _rewrite_sections(
        _rewrite_tables(text, "row", "entry"),
        r"sect\d|chapter|appendix|refsect\d|refentry|article|section|simplesect|varlistentry",
    )


def from_nginx(text: str) -> str:
    """nginx's article format as Markdown; `doc` and `id` become a relative address."""
    text = re.sub(r"<!--.*?-->|<\?.*?\?>|<!DOCTYPE.*?>", "", text, flags=re.S)
    text = re.sub(
        r"<(?:programlisting|example)[^>]*>(.*?)</(?:programlisting|example)>",
        _fence,
        text,
        flags=re.S,
    )

    def link(found: re.Match[str]) -> str:
        doc, anchor = (re.search(rf"\b{name}=\"([^\"]*)\"", found[1]) for name in ("doc", "id"))
        words = found[2] or (anchor[1] if anchor else "")
        return f"[{words}]({doc[1] if doc else ''}{'#' + anchor[1] if anchor else ''})" if doc or anchor else words

    text = re.sub(r"<link\b([^>]*?)(?:/>|>(.*?)</link>)", link, text, flags=re.S)
    text = re.sub(r"<directive name=\"([^\"]+)\"[^>]*>", r'<section id="\1" name="\1">', text).replace(
        "</directive>", "</section>"
    )
    text = re.sub(
        r"<(?:literal|command|path|value|header|var|http-status)\b[^>]*>(.*?)</[\w-]+>",
        lambda m: f"`{' '.join(_untag(m[1]).split())}`",
        text,
        flags=re.S,
    )
    text = re.sub(r"<(article|section|module)\b([^>]*)\bname=\"([^\"]+)\"([^>]*)>", r"<\1\2\4><title>\3</title>", text)
    return _rewrite_sections(text, "article|section|module")


def _untag(text: str) -> str:
    return html.unescape(re.sub(r"<!\[CDATA\[|\]\]>|</?[a-zA-Z][^<>]*>", "", text))


def _rewrite_tables(text: str, row: str, cell: str) -> str:
    def table(found: re.Match[str]) -> str:
        rows = [
            [
                " ".join(_untag(c).split()).replace("|", "\\|")
                for c in re.findall(rf"<{cell}\b[^>]*>(.*?)</{cell}>", r, re.S)
            ]
            for r in re.findall(rf"<{row}\b[^>]*>(.*?)</{row}>", found[0], re.S)
        ]
        rows = [r for r in rows if r]
        if len(rows) < 2:
            return _untag(found[0])
        rows.insert(1, ["---"] * len(rows[0]))
        return "\n\n" + "\n".join("| " + " | ".join(r) + " |" for r in rows) + "\n\n"

    return re.sub(r"<tgroup.*?</tgroup>", table, text, flags=re.S)


def _rewrite_sections(text: str, names: str) -> str:
    """Sections by depth become `#` headings with their id."""
    out, depth, ids, at = [], 0, [""] * 32, 0
    parts = re.compile(
        rf"<(/?)({names})\b([^>]*)>|<(?:title|term)>(.*?)</(?:title|term)>|<refname>(.*?)</refname>", re.S
    )
    for found in parts.finditer(text):
        out.append(text[at : found.start()])
        at = found.end()
        if found[2]:
            if found[1]:
                depth = max(0, depth - 1)
            else:
                depth = min(30, depth + 1)
                anchor = re.search(r"\bid=\"([^\"]+)\"", found[3])
                ids[depth] = anchor[1] if anchor else ""
        else:
            title = " ".join(_untag(found[4] or found[5] or "").split())
            mark = f" {{#{ids[depth]}}}" if ids[depth] else ""
            ids[depth] = ""
            out.append(f"\n\n{'#' * min(6, max(1, depth))} {title}{mark}\n\n")
    out.append(text[at:])
    body = "".join(out)
    body = re.sub(r"</?(?:para|listitem|itemizedlist|orderedlist|note|warning|tip|variablelist)\b[^>]*>", "\n\n", body)
    blocks = re.split(r"(```.*?```)", body, flags=re.S)
    blocks = [
        b if b.startswith("```") else re.sub(r"\n{3,}", "\n\n", re.sub(r"^[ \t]+", "", _untag(b), flags=re.M))
        for b in blocks
    ]
    return "".join(blocks)
