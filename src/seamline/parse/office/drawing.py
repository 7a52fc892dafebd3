"""Charts and diagrams of office files: the values and words that are kept beside the picture."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from seamline.parse.office.ooxml import OfficePackage, attribute, name_of, number
from seamline.parse.office.pieces import OfficePicture, OfficePiece

_MOST_POINTS = 10_000
"""Of one series; more are left out with a notice."""


def drawn_pieces(package: OfficePackage, picture: OfficePicture) -> list[OfficePiece]:
    """What a chart or diagram says, as a table or a list; one that is shown again has been said."""
    root = package.xml_if_any(picture.target) if picture.target and package.is_first(picture.target) else None
    if root is None:
        return []
    return (
        chart_pieces(package, root, picture.target) if picture.kind == "chart" else diagram_pieces(root, picture.target)
    )


def chart_pieces(package: OfficePackage, root: Any, path: str) -> list[OfficePiece]:
    """A chart as a table: a row for each category, a column for each series; its title above."""
    title = ""
    series: list[tuple[str, dict[int, str], dict[int, str]]] = []
    for one in root.iter():
        name = name_of(one)
        if name == "c:title" and not title:
            title = " ".join("".join(_texts(one)).split())
        elif name == "c:ser":
            series.append(_series(package, one, path))
    pieces = [OfficePiece("caption", title, path)] if title else []
    if series:
        pieces.append(_table(series, path))
    return pieces


def _series(package: OfficePackage, element: Any, path: str) -> tuple[str, dict[int, str], dict[int, str]]:
    """The name of a series, its categories and its values."""
    name = ""
    categories: dict[int, str] = {}
    values: dict[int, str] = {}
    for part in element:
        kind = name_of(part)
        if kind == "c:tx":
            name = " ".join(text for text in _points(package, part, path).values() if text)
        elif kind in ("c:cat", "c:xVal"):
            categories = _points(package, part, path)
        elif kind in ("c:val", "c:yVal"):
            values = _points(package, part, path)
    return name, categories, values


def _points(package: OfficePackage, element: Any, path: str) -> dict[int, str]:
    """Cached values by their index."""
    found: dict[int, str] = {}
    for one in element.iter():
        if name_of(one) == "c:pt":
            text = plain_number("".join(inner.text or "" for inner in one if name_of(inner) == "c:v"))
            found[number(attribute(one, "idx"), 0, 1_000_000_000, len(found))] = text
        elif name_of(one) == "c:v" and not found and name_of(one.getparent()) == "c:tx":
            found[0] = one.text or ""
        if len(found) >= _MOST_POINTS:
            package.note("chart-limit", f"values of a chart after the first {_MOST_POINTS:,} are left out", path)
            break
    return found


def plain_number(text: str) -> str:
    """A number without the noise of its binary form; other text as it is."""
    try:
        return f"{float(text):.15g}" if len(text) > 15 and "." in text else text
    except ValueError:
        return text


def _table(series: list[tuple[str, dict[int, str], dict[int, str]]], path: str) -> OfficePiece:
    categories: dict[int, str] = {}
    for _, names, values in series:
        categories |= {index: names.get(index, categories.get(index, "")) for index in {**names, **values}}
    head = ("", *(name or f"Series {index}" for index, (name, _, _) in enumerate(series, 1)))
    rows = [
        head,
        *((text, *(values.get(at, "") for _, _, values in series)) for at, text in sorted(categories.items())),
    ]
    return OfficePiece("table", "", path, rows=tuple(rows), places=(path,) * len(rows))


def diagram_pieces(root: Any, path: str) -> list[OfficePiece]:
    """The words of a diagram (SmartArt), one item for each of its points."""
    texts = [" ".join("".join(_texts(one)).split()) for one in root.iter() if name_of(one) == "dgm:t"]
    return [OfficePiece("item", text, path, 0, "-", path) for text in texts if text]


def _texts(element: Any) -> Iterator[str]:
    for one in element.iter():
        if name_of(one) == "a:t":
            yield one.text or ""
        elif name_of(one) in ("a:br", "a:p"):
            yield " "
