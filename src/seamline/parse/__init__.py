"""Bytes or text -> `Document`: decoded or extracted text, blocks with spans, anchors, metadata."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from seamline.errors import ParseError, ParserGaveUp
from seamline.files import MAX_BYTES, read_file
from seamline.formats import CODE_SUFFIXES, LATEX, Format, bare_type, format_named, format_names, plugin_of
from seamline.parse.decode import check_encodable, decode, encode_pieces
from seamline.parse.html.meta import declared_encoding
from seamline.parse.markdown.notices import notices_of_characters
from seamline.parse.parser_types import ParseInput, ParseResult, load_parser
from seamline.parse.xml import refuse_entities
from seamline.recipe.recipe import KINDS, ParseOptions
from seamline.registry import blame
from seamline.types import Document, Notice, Source

if TYPE_CHECKING:
    from seamline.parse.latex.project import LatexProject

__all__ = ["format_of", "gather_project", "parse_bytes", "parse_file", "parse_text"]

MARKDOWN = "text/markdown"


def parse_text(
    text: str,
    *,
    id: str | None = None,
    uri: str = "",
    media_type: str | None = None,
    reading: ParseOptions | None = None,
) -> Document:
    """A document from text. Its id is `id`, else its uri, else derived from the text."""
    document_id = id or uri or _text_id(text)
    if id or uri:
        check_encodable(text, uri)
    one = format_of(media_type or MARKDOWN, uri)
    if not one.is_text:
        raise ParseError(f"{one.name} is no text: pass its bytes, or the path of a file", uri)
    raw = ParseInput(b"", text, uri, _parser_type(media_type, one), reading or ParseOptions())
    return _make_document(document_id, Source(uri, _canonical_type(media_type, one)), _run_parser(one, raw))


def parse_file(
    path: Path,
    *,
    media_type: str | None = None,
    encoding: str | None = None,
    reading: ParseOptions | None = None,
    max_bytes: int | None = MAX_BYTES,
    real: str = "",
    root: Path | None = None,
) -> Document:
    """A document from a file; its id is the path as given. `max_bytes` and `real` are those of `read_file`. Files that
    LaTeX names are read where they are below `root`, which is the folder of the file where none is given."""
    uri = path.as_posix()
    data, notices = read_file(path, max_bytes=max_bytes, real=real)
    project = gather_project(data, path, root or path.parent, media_type, encoding, max_bytes)
    document = parse_bytes(data, uri=uri, media_type=media_type, encoding=encoding, reading=reading, project=project)
    return replace(document, notices=(*notices, *document.notices)) if notices else document


def gather_project(
    data: bytes, path: Path, root: Path, media_type: str | None, encoding: str | None, max_bytes: int | None
) -> LatexProject | None:
    """The files that a file of LaTeX names, from below a folder; None for other formats, and where it names none."""
    if media_type is None and path.suffix.lower() not in LATEX:
        return None
    if media_type is not None and format_of(media_type, path.as_posix()).name != "latex":
        return None
    from seamline.parse.latex.project import gather

    def read(place: Path, real: str) -> str:
        found = read_file(place, max_bytes=max_bytes, real=real)
        text, _ = _decode_source(found.data, format_of("latex"), place.as_posix(), encoding)
        return text

    try:
        text, _ = _decode_source(data, format_of("latex"), path.as_posix(), encoding)
    except ParseError:
        return None  # which is said when it is parsed
    project = gather(text, path, root, read)
    return project if len(project.files) > 1 or project.notices else None


def parse_bytes(
    data: bytes,
    *,
    uri: str = "",
    media_type: str | None = None,
    encoding: str | None = None,
    reading: ParseOptions | None = None,
    project: LatexProject | None = None,
) -> Document:
    """A document from the bytes of a file: as what `media_type` says, or as what it looks like. `project` holds the
    files that it names."""
    from seamline.parse.sniff import sniff

    media_type = media_type or sniff(data, uri)
    one = format_of(media_type, uri)
    text, notices = _decode_source(data, one, uri, encoding) if one.is_text else ("", ())
    digest = hashlib.sha256(data).hexdigest()
    kind = _parser_type(media_type, one)
    raw = ParseInput(b"" if one.is_text else data, text, uri, kind, reading or ParseOptions(), project=project)
    parsed = _run_parser(one, raw)
    if notices:
        parsed = replace(parsed, notices=(*notices, *parsed.notices))
    return _make_document(
        uri or _text_id(text or digest), Source(uri, _canonical_type(media_type, one), digest), parsed
    )


def _decode_source(data: bytes, one: Format, uri: str, encoding: str | None) -> tuple[str, tuple[Notice, ...]]:
    """The text of a source, and a remark where its encoding is not certain."""
    notices: tuple[Notice, ...] = ()
    if encoding is None and one.name == "html" and (encoding := declared_encoding(data)):
        notices = (Notice("encoding", f"the page is not UTF-8: it was read as {encoding}, which it declares"),)
    try:
        text = decode(data, source=uri, encoding=encoding)
    except ParseError:
        from seamline.parse.decode import decode_leniently

        if encoding is not None or (found := decode_leniently(data, one.name)) is None:
            raise
        text, notices = found[0], (found[1],)
    check_encodable(text, uri)
    if not uri.lower().endswith((".html", ".htm")):  # which knows no entities of its own: they are text
        refuse_entities(text, uri)
    return text, (*notices, *notices_of_characters(text))


def format_of(media_type: str, uri: str = "") -> Format:
    """The format of a media type or of its name."""
    one = format_named(media_type)
    if one is None:
        raise ParseError(f"no parser for {media_type}: expected one of {', '.join(format_names())}", uri)
    return one


def _canonical_type(media_type: str | None, one: Format) -> str:
    """The media type of a format that may have been called by its name or another type; one of a family, such as
    image/png, stays."""
    is_member = media_type is not None and "/" in media_type and one.media_type.endswith("/*")
    return bare_type(media_type or "") if is_member else one.media_type


def _parser_type(media_type: str | None, one: Format) -> str:
    """What its parser is told: of source code also the language, where the media type names it."""
    named = bare_type(media_type or "")
    return named if named in CODE_SUFFIXES else _canonical_type(media_type, one)


def _run_parser(one: Format, raw: ParseInput) -> ParseResult:
    """What its parser makes of a source; where that gives up on a text, the text without structure."""
    try:
        plugin = plugin_of(one)
        if one.is_proved:
            with blame(plugin):
                parsed = load_parser(one.parser)(raw)
        else:
            from seamline.parse.isolate.process import parse_apart

            parsed = parse_apart(one, raw)
        if plugin is not None:
            with blame(plugin):
                _check(parsed)
        return parsed
    except ParserGaveUp as error:
        if not one.is_text:
            raise
        from seamline.parse.plain import parse_unstructured

        return parse_unstructured(one, raw, error)


def _check(parsed: object) -> None:
    """Refuse what no parser may answer: the engine relies on blocks of known kinds, in order, inside of the text."""
    if not isinstance(parsed, ParseResult):
        raise TypeError(f"expected a ParseResult, got {type(parsed).__name__}")
    at = 0
    for index, block in enumerate(parsed.blocks):
        if block.kind not in KINDS:
            raise ValueError(f"expected blocks of {', '.join(KINDS)}, got {block.kind!r}")
        if not (at <= block.start <= block.end <= len(parsed.text) and -1 <= block.parent < index):
            raise ValueError(f"block {index}, {block.start}..{block.end}, is out of order or outside of the text")
        at = block.start


def _make_document(id: str, source: Source, parsed: ParseResult) -> Document:
    return Document(
        id,
        source,
        parsed.text,
        parsed.blocks,
        title=parsed.title,
        front_matter=parsed.meta,
        removed=parsed.removed,
        notices=parsed.notices,
        anchors=parsed.anchors,
        confidence=parsed.confidence,
        code=parsed.code,
    )


def _text_id(text: str) -> str:
    """A name for text that came without one; refuses what cannot be encoded, as `check_encodable` does."""
    digest = hashlib.sha256()
    for piece in encode_pieces(text, ""):
        digest.update(piece)
    return "text-" + digest.hexdigest()[:16]
