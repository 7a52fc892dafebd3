"""JATS and DocBook -> what a document is made of. The document type is not read, and no entity is expanded.

Sections are headings by their depth; blocks know the lines of the source that they stand in, and their ids.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from html.entities import html5
from posixpath import basename
from typing import Any

from seamline.parse.articles.names import (
    BOXES,
    CODE,
    EXAMPLES,
    FIGURES,
    FORMULAS,
    HIDDEN,
    INFOS,
    INLINE,
    ITEMS,
    LISTS,
    NOTES,
    QUOTES,
    SECTIONS,
    TABLES,
    TERM_LISTS,
    TERMS,
    TITLES,
)
from seamline.parse.builder import CAPTION, DocumentBuilder
from seamline.parse.html.flow import HtmlFlow
from seamline.parse.html.tables import Group, read_table
from seamline.parse.parser_types import ParseInput, ParseResult
from seamline.parse.xml import parse_xml, without_doctype, xml_faults
from seamline.types import Detail, Notice

_DECLARATION = re.compile(r"\A[\ufeff\s]*<\?xml[^>]{0,300}\?>")
_ENTITY = re.compile(r"&([A-Za-z][A-Za-z0-9]{1,40});")
_KNOWN = frozenset(("amp", "lt", "gt", "quot", "apos"))
_XLINK = "{http://www.w3.org/1999/xlink}href"
_XML_ID = "{http://www.w3.org/XML/1998/namespace}id"
_LONGEST = 1_000
"""Characters of what is kept as metadata."""


def _name(element: Any) -> str:
    tag = element.tag
    return tag.rpartition("}")[2] if isinstance(tag, str) else ""


def _children(element: Any, *names: str) -> Iterator[Any]:
    return (one for one in element if _name(one) in names)


def _descendants(element: Any, *names: str) -> Iterator[Any]:
    return (one for one in element.iter() if _name(one) in names)


class ArticleWalk:
    """Writes the blocks of one article or book."""

    def __init__(self, flow: HtmlFlow) -> None:
        self._flow = flow
        self._depth = 0
        self._notes: list[tuple[str, Any]] = []
        """Footnotes that stand in the text and are written after their block."""
        self._noted = 0
        self.left_out = 0

    def run(self, root: Any) -> None:
        self._section(root) if _name(root) in SECTIONS else self._blocks(root)

    # --- sections ---------------------------------------------------------------------------------------------------

    def _section(self, element: Any) -> None:
        """A section: its title one level below that of the section around it."""
        self._depth += 1
        self._heading(element)
        self._blocks(element)
        self._depth -= 1

    def _heading(self, element: Any) -> None:
        if title := self._title_of(element):
            place = self._place(element)
            self._flow.heading(self._depth, title, place | {"lines": place["lines"][:1] * 2})

    def _title_of(self, element: Any) -> str:
        """The label and the title of a section; of an article those that its front matter holds."""
        where = [element, *_children(element, *INFOS)]
        for one in list(where):
            where += list(_children(one, "article-meta"))
        for one in list(where):
            where += list(_children(one, "title-group"))
        label = next((_plain(found) for found in _children(element, "label")), "")
        for one in where:
            for found in _children(one, "title", "article-title", "refname", "refnamediv"):
                if text := _plain(found):
                    return f"{label} {text}".strip()
        usual = {
            "abstract": "Abstract",
            "ref-list": "References",
            "bibliography": "Bibliography",
            "ack": "Acknowledgements",
        }
        return label or usual.get(_name(element), "")

    def _blocks(self, element: Any) -> None:
        """Everything inside of an element: blocks as such, and the text between them as paragraphs."""
        words: list[str] = [element.text or ""]
        first: Any = element
        for one in element:
            name = _name(one)
            if self._is_inline(one, name):
                words.append(self._inline(one))
            elif name and name not in TITLES:
                self._write(words, first)
                words, first = [], one
                self._block(one, name)
            words.append(one.tail or "")
        self._write(words, first)

    def _is_inline(self, element: Any, name: str) -> bool:
        if name in NOTES:
            return (element.getprevious() is not None or bool((element.getparent().text or "").strip())) and (
                _name(element.getparent()) not in ("fn-group", "table-wrap-foot", "notes", "back")
            )
        return name in INLINE or (name == "code" and bool((element.getparent().text or element.tail or "").strip()))

    def _write(self, words: list[str], element: Any) -> None:
        if text := " ".join("".join(words).split()):
            self._flow.paragraph(text, self._place(element))
        self._write_notes()

    def _write_notes(self) -> None:
        notes, self._notes = self._notes, []
        for label, element in notes:
            self._note(label, element)

    def _note(self, label: str, element: Any) -> None:
        self._flow.paragraph(
            f"[^{label}]: {_plain(element, skip=('label',))}".rstrip(), self._place(element), "footnote"
        )

    def _place(self, element: Any) -> dict[str, Any]:
        """Lines of the source, and the nearest id."""
        first = element.sourceline or 1
        place: dict[str, Any] = {"lines": [first, first + sum(text.count("\n") for text in element.itertext())]}
        around = element
        for _ in range(3):
            if around is None:
                break
            if found := around.get("id") or around.get(_XML_ID):
                place["element"] = found
                break
            around = around.getparent()
        return place

    # --- blocks -----------------------------------------------------------------------------------------------------

    def _block(self, element: Any, name: str) -> None:
        if name in HIDDEN or name in INFOS:
            self._info(element)
        elif name == "ref-list":
            self._section_of_items(element)
        elif name in SECTIONS:
            self._section(element)
        elif name in LISTS or name in TERM_LISTS:
            self._list(element)
        elif name in ITEMS:
            self._item(element, "-")
        elif name in CODE:
            self._flow.code("".join(element.itertext()), element.get("language") or "", self._place(element))
        elif name in TABLES:
            self._table(element)
        elif name in FIGURES:
            self._figure(element)
        elif name in FORMULAS:
            self._formula(element)
        elif name in QUOTES or name in BOXES:
            self._quote(element, name)
        elif name in EXAMPLES:
            self._caption(element)
            self._blocks(element)
        elif name in NOTES:
            label = next((_plain(one) for one in _children(element, "label")), "") or str(self._noted + 1)
            self._noted += 1
            self._note(label, element)
        else:
            self._blocks(element)

    def _info(self, element: Any) -> None:
        """Of metadata only the abstract is text."""
        for one in _descendants(element, "abstract", "trans-abstract"):
            self._section(one)

    def _section_of_items(self, element: Any) -> None:
        self._depth += 1
        self._heading(element)
        self._flow.push("list")
        for one in _descendants(element, "ref"):
            label = next((_plain(found) for found in _children(one, "label")), "").strip("[]().")
            self._flow.push("item", f"{label}." if label.isdecimal() and len(label) < 6 else "-")
            if text := _citation(one):
                self._flow.paragraph(text, self._place(one))
            self._flow.pop()
        self._flow.pop()
        self._depth -= 1

    def _list(self, element: Any) -> None:
        is_numbered = _name(element) in ("orderedlist", "procedure", "substeps") or element.get("list-type") in (
            "order", "alpha-lower", "alpha-upper", "roman-lower", "roman-upper", "ordered",
        )  # fmt: skip
        self._caption(element)
        self._flow.push("list")
        number = 0
        for one in element:
            name = _name(one)
            if name in ITEMS:
                number += 1
                self._item(one, f"{number}." if is_numbered else "-")
            elif name and name not in TITLES:
                self._flow.push("item", "-")
                self._block(one, name)
                self._flow.pop()
        self._flow.pop()

    def _item(self, element: Any, label: str) -> None:
        """An item; one of a term begins with that."""
        self._flow.push("item", label)
        terms = ", ".join(filter(None, (_plain(one) for one in element if _name(one) in TERMS)))
        if terms:
            self._flow.paragraph(terms, self._place(element))
            for one in element:
                if _name(one) and _name(one) not in TERMS:
                    self._blocks(one)
        else:
            self._blocks(element)
        self._flow.pop()

    def _caption(self, element: Any) -> str:
        """The label, title and caption of a table, figure or example, written above it; its text."""
        text = _caption_text(element)
        if text:
            self._flow.paragraph(text, self._place(element), detail=CAPTION)
        return text

    def _quote(self, element: Any, name: str) -> None:
        self._flow.push("quote")
        title = next((_plain(one) for one in _children(element, "title")), "")
        for one in _children(element, "caption"):
            title = title or _plain(one)
        if title := title or BOXES.get(name, ""):
            self._flow.paragraph(title, self._place(element))
        self._blocks(element)
        self._flow.pop()

    def _figure(self, element: Any) -> None:
        pictures = list(_descendants(element, "graphic", "inline-graphic", "imagedata"))
        if next(_descendants(element, *CODE, "table", "tgroup"), None) is not None and not pictures:
            self._caption(element)
            self._blocks(element)
            return
        uri = next((one.get(_XLINK) or one.get("fileref") or "" for one in pictures), "")
        alts = [*_descendants(element, "alt-text"), *_descendants(element, "textobject")]
        alt = next((text for one in alts if (text := _plain(one))), "")
        caption = _caption_text(element)
        if text := " ".join(filter(None, (f"![{alt or 'image'}]({uri})" if uri else alt, caption))):
            detail = Detail(name=basename(uri), caption=caption, image=uri, alt=alt) if uri else None
            self._flow.paragraph(text, self._place(element), "figure", detail)

    def _formula(self, element: Any) -> None:
        tex = next((one.text or "" for one in _descendants(element, "tex-math")), "")
        formula = tex or " ".join("".join(_texts(element, ("label", "title"))).split())
        self._flow.math(_formula(formula), self._place(element))

    def _table(self, element: Any) -> None:
        self._caption(element)
        rows = list(_descendants(element, "tr", "row"))
        if rows:
            found = read_table(_groups(element))
            origins = [self._place(rows[origin[0]]) if origin else None for origin in found.origins]
            for title, number in found.titles:
                self._flow.paragraph(title, self._place(rows[number]), detail=CAPTION)
            self._flow.table(found.rows, origins)
        else:
            self._figure(element)
        for foot in _descendants(element, "table-wrap-foot"):
            self._blocks(foot)

    # --- running text -----------------------------------------------------------------------------------------------

    def _inline(self, element: Any) -> str:
        """An element inside of running text; a footnote is a mark there, and written after the block."""
        name = _name(element)
        if name in NOTES:
            self._noted += 1
            self._notes.append((str(self._noted), element))
            return f"[^{self._noted}]"
        if name == "break" or name == "lb":
            return " "
        if name == "inline-formula":
            tex = next((one.text or "" for one in _descendants(element, "tex-math")), "")
            return f"${_formula(tex)}$" if tex else "".join(_texts(element))
        parts = [element.text or ""]
        for one in element:
            inner = _name(one)
            parts.append(self._inline(one) if inner in INLINE or inner in NOTES else "".join(_texts(one)))
            parts.append(one.tail or "")
        return "".join(parts)


def _texts(element: Any, skip: tuple[str, ...] = ()) -> Iterator[str]:
    """The text of an element, with a space between blocks in it."""
    hidden = (
        (*skip, "indexterm", "tex-math")
        if next(_descendants(element, "math"), None) is not None
        else (*skip, "indexterm")
    )
    stack: list[Any] = [element]
    while stack:
        one = stack.pop()
        if isinstance(one, str):
            yield one
            continue
        if one.tail and one is not element:
            stack.append(one.tail)
        name = _name(one)
        if not name or (name in hidden and one is not element):
            continue
        if name not in INLINE and one is not element:
            yield " "
            stack.append(" ")
        stack.extend(reversed(one))
        if one.text:
            stack.append(one.text)


def _plain(element: Any, skip: tuple[str, ...] = ()) -> str:
    return " ".join("".join(_texts(element, skip)).split())


def _citation(element: Any) -> str:
    """A reference on one line: as it is written, or its parts with commas."""
    for one in _descendants(element, "mixed-citation", "bibliomixed"):
        return _plain(one)
    parts = [
        _plain(one) for cited in _descendants(element, "element-citation", "citation", "nlm-citation") for one in cited
    ]
    return ", ".join(filter(None, parts)) or _plain(element, skip=("label",))


def _caption_text(element: Any) -> str:
    parts = [_plain(one) for one in _children(element, "label", "title")]
    for one in _children(element, "caption"):
        parts.append(_plain(one))
    return " ".join(filter(None, parts))


def _formula(tex: str) -> str:
    """A formula without the document that journals wrap it in, and without its own dollars."""
    if (at := tex.find("\\begin{document}")) >= 0:
        tex = tex[at + len("\\begin{document}") :].partition("\\end{document}")[0]
    return tex.strip().strip("$").strip()


def _groups(element: Any) -> Iterator[Group]:
    """The rows of a table by its parts, as HTML or as CALS has them."""
    columns = [one.get("colname") or str(n) for n, one in enumerate(_descendants(element, "colspec"), 1)]
    numbers = {name: number for number, name in enumerate(columns)}
    for part in _descendants(element, "thead", "tbody", "tfoot"):
        rows = []
        for row in _children(part, "tr", "row"):
            cells = []
            for cell in _children(row, "td", "th", "entry"):
                wide, tall = cell.get("colspan"), cell.get("rowspan")
                first, last = numbers.get(cell.get("namest") or ""), numbers.get(cell.get("nameend") or "")
                if first is not None and last is not None and last > first:
                    wide = str(last - first + 1)
                if (more := cell.get("morerows") or "").isdecimal() and len(more) < 6:
                    tall = str(int(more) + 1)
                cells.append((_plain(cell), wide, tall, _name(cell) == "th"))
            rows.append(cells)
        yield _name(part) == "thead", rows
    bare = [row for row in _descendants(element, "tr") if _name(row.getparent()) == "table"]
    if bare:
        yield (
            False,
            [
                [(_plain(c), c.get("colspan"), c.get("rowspan"), _name(c) == "th") for c in _children(r, "td", "th")]
                for r in bare
            ],
        )


def _meta(root: Any) -> dict[str, Any]:
    """Authors, date, identifier and keywords."""
    out: dict[str, Any] = {}
    heads = [one for one in root if _name(one) in INFOS]
    for head in heads:
        people = [_person(one) for one in _descendants(head, "contrib", "author")]
        found = {
            "author": ", ".join(filter(None, people)),
            "journal": next((_plain(one) for one in _descendants(head, "journal-title")), ""),
            "doi": next(
                (_plain(one) for one in _descendants(head, "article-id") if one.get("pub-id-type") == "doi"), ""
            ),
            "published": next((_date(one) for one in _descendants(head, "pub-date", "pubdate", "date")), ""),
            "keywords": ", ".join(filter(None, (_plain(one) for one in _descendants(head, "kwd", "keyword")))),
        }
        out |= {key: value[:_LONGEST] for key, value in found.items() if value and key not in out}
    if language := root.get("{http://www.w3.org/XML/1998/namespace}lang") or root.get("lang"):
        out["language"] = language[:40]
    return out


def _person(element: Any) -> str:
    given = next((_plain(one) for one in _descendants(element, "given-names", "firstname", "givenname")), "")
    family = next((_plain(one) for one in _descendants(element, "surname")), "")
    known = f"{given} {family}".strip()
    return known or next(
        (_plain(one) for one in _descendants(element, "collab", "personname", "orgname", "string-name")), ""
    )


def _date(element: Any) -> str:
    parts = [next((_plain(one) for one in _children(element, name)), "") for name in ("year", "month", "day")]
    if parts[0].isdecimal():
        return "-".join(part.zfill(2) for part in parts if part.isdecimal())
    return _plain(element)


def _replace_entity(found: re.Match[str]) -> str:
    """Entities that the document type would declare are those of HTML; others stay as text."""
    if found[1] in _KNOWN:
        return found[0]
    return html5.get(f"{found[1]};", f"&amp;{found[1]};")


def parse(raw: ParseInput) -> ParseResult:
    """An article or a book; its text is extracted."""
    declared = _DECLARATION.match(raw.text)
    text = "\n" * declared[0].count("\n") + raw.text[declared.end() :] if declared else raw.text
    bare = without_doctype(text)
    bare = "\n" * (text.count("\n") - bare.count("\n")) + bare
    if "&" in bare:
        bare = _ENTITY.sub(_replace_entity, bare)
    root = parse_xml(bare.encode("utf-8", "replace"), raw.uri, depth=raw.limits.depth)
    builder = DocumentBuilder()
    flow = HtmlFlow(builder, raw.limits.characters)
    ArticleWalk(flow).run(root)
    text, blocks, anchors = builder.finish()
    first = next((block for block in blocks[:1] if block.kind == "heading" and block.level == 1), None)
    title = text[first.start : first.end].lstrip("# ") if first else ""
    return ParseResult(text, blocks, title[:_LONGEST], _meta(root), anchors, notices=_notices(root, flow, blocks))


def _notices(root: Any, flow: HtmlFlow, blocks: list[Any]) -> tuple[Notice, ...]:
    out = []
    if fault := xml_faults(root):
        out.append(Notice("xml-damaged", f"the XML is not well-formed and was read as far as it goes: {fault}"))
    if flow.flattened:
        out.append(Notice("deep-nesting", "lists and quotes inside each other are shown 24 deep"))
    if flow.dropped:
        out.append(Notice("text-limit", f"{flow.dropped:,} characters past the limit were left out"))
    if not blocks:
        out.append(Notice("no-text", "holds no text"))
    return tuple(out)
