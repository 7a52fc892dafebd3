r"""The pictures of a document as data: address, alternative text, caption and size, whatever its format writes.

Where the text is the source, they are found in it: `![alt](uri)`, `<img src=...>`, `\includegraphics{...}`,
`.. image:: uri`, `image::uri[alt]`, `[[file:uri]]`. Elsewhere a figure block stands for a picture: its part of the
file, or its page.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from seamline.facts import ImageFact
from seamline.text.captions import caption
from seamline.types import NO_DETAIL, Block, Document

_MARKDOWN = re.compile(
    r"!\[(?P<alt>[^\]\[\n]{0,500})\]\(\s{0,3}<?(?P<uri>[^\s()<>]{1,2000})>?"
    r"(?:\s{1,3}[\"'(](?P<title>[^\"'()\n]{0,500})[\"')])?\s{0,3}\)(?:\{(?P<attributes>[^}\n]{0,300})\})?"
)
_HTML = re.compile(r"<(?:img|image)\s(?P<attributes>[^<>]{1,4000})>", re.IGNORECASE)
_LATEX = re.compile(r"\\includegraphics\*?(?:\[(?P<attributes>[^\]\n]{0,300})\])?\{(?P<uri>[^{}\n]{1,500})\}")
_RST = re.compile(
    r"^[ \t]{0,40}(?:\.\. (?:\|[^|\n]{1,80}\| )?)(?:image|figure)::[ \t]{1,8}(?P<uri>\S{1,2000})"
    r"(?P<attributes>(?:\n[ \t]{1,40}:[\w-]{1,20}:[^\n]{0,500}){0,12})",
    re.MULTILINE,
)
_ASCIIDOC = re.compile(
    r"\bimage::?(?P<uri>[^\s\[\]:][^\s\[\]]{0,2000})\[(?P<alt>(?:(?![\w-]{1,40}=)[^\]\n,=]{1,500})?)"
    r"(?:,\s{0,3}(?P<width>\d{1,6}))?(?:,\s{0,3}(?P<height>\d{1,6}))?(?P<attributes>[^\]\n]{0,500})\]"
)
_ORG = re.compile(
    r"\[\[(?:file:)?(?P<uri>[^\]\[\n]{1,1000}\.(?:png|jpe?g|gif|svg|webp|bmp|tiff?))\](?:\[(?P<alt>[^\]\n]{0,300})\])?\]",
    re.IGNORECASE,
)
_NAMED = re.compile(r"([\w:-]{1,40})\s{0,3}=\s{0,3}(?:\"([^\"]{0,4000})\"|'([^']{0,4000})'|([^\s\"'>,\]]{1,4000}))")
_OPTION = re.compile(r":([\w-]{1,20}):[ \t]{0,8}([^\n]{0,500})")
_NUMBER = re.compile(r"\d{1,6}(?:\.\d{1,4})?(?=\s*(?:px|pt)?\s*\Z)")
_FIGCAPTION = re.compile(r"<figcaption[^<>]{0,300}>(.{0,2000}?)</figcaption>", re.IGNORECASE | re.DOTALL)
_CAPTIONED = re.compile(r"\\caption\*?(?:\[[^\]\n]{0,300}\])?\{([^{}]{0,2000})\}")
_TAG = re.compile(r"<[^<>]{0,300}>")
_ALT = re.compile(r"!\[([^\]\n]{0,500})\]")
_PATTERNS: Mapping[str, Sequence[re.Pattern[str]]] = {
    "text/markdown": (_MARKDOWN, _HTML),
    "text/mdx": (_MARKDOWN, _HTML),
    "text/x-tex": (_LATEX,),
    "text/x-rst": (_RST,),
    "text/asciidoc": (_ASCIIDOC,),
    "text/org": (_ORG,),
}
"""How formats whose text is the source write a picture."""
_LINE = 1000
"""Characters of a line before a picture that are looked at."""
_LONGEST = 4000
"""Characters of a block that are looked at for a caption."""
_MOST = 10_000
"""Pictures of a document."""


def find_images(document: Document) -> list[ImageFact]:
    """All pictures in order."""
    if document.anchors is None:
        patterns = _PATTERNS.get(document.source.media_type, ())
        return sorted(_written(document, patterns), key=lambda one: one.start)[:_MOST]
    found = list(_written(document, (_MARKDOWN,)))
    starts = [one.start for one in found]
    for block in document.blocks:
        is_known = bisect_left(starts, block.start) < bisect_left(starts, block.end)
        if block.kind == "figure" and not is_known and (image := _shown(document, block)):
            found.append(image)
    return sorted(found, key=lambda one: one.start)[:_MOST]


def _written(document: Document, patterns: Sequence[re.Pattern[str]]) -> Iterator[ImageFact]:
    """Pictures that the text itself names, outside of code."""
    text = document.text
    code = [block for block in document.blocks if block.kind == "code"]
    starts = [block.start for block in code]
    tops = [document.blocks[index] for index in document.tops]
    sized = [block for block in document.blocks if block.kind == "figure" and (block.detail or NO_DETAIL).size]
    firsts = [block.start for block in sized]
    edges = [block.start for block in tops]
    for pattern in patterns:
        for found in pattern.finditer(text):
            at = bisect_right(starts, found.start()) - 1
            if (at >= 0 and found.start() < code[at].end) or _is_quoted(text, found.start()):
                continue
            said = _attributes(found)
            uri = said.get("uri") or said.get("src") or said.get("href", "")
            if uri and not uri.startswith("data:"):
                near = bisect_right(firsts, found.start()) - 1
                size = _own_size(sized[near], found.start()) if near >= 0 else (0.0, 0.0)
                around = _around(text, tops, bisect_right(edges, found.start()) - 1, found.end())
                yield ImageFact(
                    uri,
                    said.get("alt", ""),
                    around or said.get("title", ""),
                    _points(said.get("width")) or size[0],
                    _points(said.get("height")) or size[1],
                    found.start(),
                    found.end(),
                )


def _own_size(figure: Block, at: int) -> tuple[float, float]:
    """The size of the picture of a figure that holds a place; of another, nothing."""
    size = (figure.detail or NO_DETAIL).size
    return size if size and at < figure.end else (0.0, 0.0)


def _attributes(found: re.Match[str]) -> dict[str, str]:
    """What a picture says of itself, by name."""
    groups = found.groupdict()
    attributes = groups.pop("attributes", None) or ""
    pairs = _OPTION.findall(attributes) if "\n" in attributes and ":" in attributes else ()
    said = {name.lower(): value.strip() for name, value in pairs}
    for name, double, single, bare in _NAMED.findall(attributes) if not pairs else ():
        said[name.lower()] = double or single or bare
    return said | {name: value for name, value in groups.items() if value}


def _is_quoted(text: str, start: int) -> bool:
    """Whether a place is inside `code` of its line."""
    line = text.rfind("\n", max(start - _LINE, 0), start) + 1
    return text.count("`", max(line, start - _LINE), start) % 2 == 1


def _around(text: str, blocks: Sequence[Block], at: int, end: int) -> str:
    """The caption of a picture in a block that ends at `end`: that of the figure it is in, or the caption that stands
    right after or before it."""
    if at < 0:
        return ""
    block = blocks[at]
    detail = block.detail or NO_DETAIL
    if detail.caption:
        return detail.caption
    if block.kind == "figure" and (rest := _plain(text[end : block.end])) and block.start <= end:
        return rest
    inside = text[block.start : min(block.end, block.start + _LONGEST)]
    if block.kind != "paragraph" and (found := _FIGCAPTION.search(inside) or _CAPTIONED.search(inside)):
        return _plain(found[1])
    near = [blocks[i] for i in (at + 1, at - 1) if 0 <= i < len(blocks)]
    places = [(end, block.end), *((one.start, one.end) for one in near)]
    for first, last in places:
        said = text[first : min(last, first + _LONGEST)].strip()
        label = caption(said) if said else None
        if label is not None and label.kind == "figure":
            return _plain(said)
    return ""


def _shown(document: Document, block: Block) -> ImageFact | None:
    """The picture that a figure block of an extracted text stands for."""
    detail = block.detail or NO_DETAIL
    said = document.text[block.start : block.end]
    alt = found[1] if (found := _ALT.search(said)) else ""
    place = (
        next((run.place for run in document.anchors.runs_in(block.start, block.end)), {}) if document.anchors else {}
    )
    uri = detail.image or detail.name or _page_uri(document, place)
    own = detail.caption or ("" if found else _plain(said))
    width, height = detail.size or _box_size(place)
    alt = detail.alt or ("" if alt == "image" else alt)
    return ImageFact(uri, alt, own, width, height, block.start, block.end) if uri or alt or own else None


def _page_uri(document: Document, place: Mapping[str, Any]) -> str:
    """Where a picture is that has no name: the file, and its page."""
    page = place.get("page")
    is_image = document.source.media_type.startswith("image/")
    return document.source.uri + (f"#page={page}" if page and not is_image else "")


def _box_size(place: Mapping[str, Any]) -> tuple[float, float]:
    box = place.get("box")
    return (round(box[2] - box[0], 2), round(box[3] - box[1], 2)) if box else (0.0, 0.0)


def _points(value: str | None) -> float:
    """A width or height in pixels or points; 0 where there is none, or it is a share of the page."""
    found = _NUMBER.match(value.strip()) if value else None
    return float(found[0]) if found else 0.0


def _plain(text: str) -> str:
    return " ".join(_TAG.sub(" ", text).split())[:2000]
