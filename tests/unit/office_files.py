"""Small office files for the tests, written part by part."""

from __future__ import annotations

import io
import random
import zipfile
from collections.abc import Callable, Mapping

from seamline.errors import SeamlineError
from seamline.parse.parser_types import ParseInput, ParseResult

TRANSITIONAL = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
STRICT = "http://purl.oclc.org/ooxml/wordprocessingml/main"
_RELATIONS = "http://schemas.openxmlformats.org/package/2006/relationships"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_NAMES = (
    f' xmlns:r="{_OFFICE}" xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"'
    ' xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math"'
    ' xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"'
    ' xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing"'
    ' xmlns:wps="http://schemas.microsoft.com/office/word/2010/wordprocessingShape"'
    ' xmlns:pic="http://schemas.openxmlformats.org/drawingml/2006/picture"'
    ' xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart"'
    ' xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main"'
    ' xmlns:dgm="http://schemas.openxmlformats.org/drawingml/2006/diagram"'
    ' xmlns:v="urn:schemas-microsoft-com:vml"'
)
_TYPES = '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>'


def packed(parts: Mapping[str, str | bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in parts.items():
            archive.writestr(zipfile.ZipInfo(name), data)
    return out.getvalue()


def unpacked(data: bytes) -> dict[str, str | bytes]:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return {name: archive.read(name).decode() for name in archive.namelist()}


def relations(targets: Mapping[str, tuple[str, str]]) -> str:
    """Relations by id: the last word of the type, and the target; an address is outside."""
    rows = "".join(
        f'<Relationship Id="{key}" Type="{_OFFICE}/{kind}" Target="{target}"'
        + (' TargetMode="External"' if "://" in target else "")
        + "/>"
        for key, (kind, target) in targets.items()
    )
    return f'<Relationships xmlns="{_RELATIONS}">{rows}</Relationships>'


def package(main: str, parts: Mapping[str, str | bytes]) -> bytes:
    root = relations({"rId1": ("officeDocument", main), "rId2": ("core-properties", "docProps/core.xml")})
    return packed({"[Content_Types].xml": _TYPES, "_rels/.rels": root, **parts})


def docx(
    body: str,
    *,
    space: str = TRANSITIONAL,
    targets: Mapping[str, tuple[str, str]] | None = None,
    **parts: str,
) -> bytes:
    """A Word document; other parts by name, such as `styles=`, hold what goes inside their root."""
    roots = {
        "styles": "styles",
        "numbering": "numbering",
        "footnotes": "footnotes",
        "endnotes": "endnotes",
        "comments": "comments",
        "header1": "hdr",
        "footer1": "ftr",
    }
    kinds = {"header1": "header", "footer1": "footer"}
    known = {f"rX{name}": (kinds.get(name, name), f"{name}.xml") for name in parts if name in roots}
    files: dict[str, str | bytes] = {
        "word/document.xml": f'<w:document xmlns:w="{space}"{_NAMES}><w:body>{body}</w:body></w:document>',
        "word/_rels/document.xml.rels": relations({**known, **(targets or {})}),
    }
    for name, inside in parts.items():
        if name in roots:
            root = roots[name]
            files[f"word/{name}.xml"] = f'<w:{root} xmlns:w="{space}"{_NAMES}>{inside}</w:{root}>'
        else:
            files[name.replace("__", "/") + ".xml"] = inside
    return package("word/document.xml", files)


def p(text: str = "", style: str = "", more: str = "") -> str:
    """A paragraph."""
    named = f'<w:pStyle w:val="{style}"/>' if style else ""
    run = f'<w:r><w:t xml:space="preserve">{text}</w:t></w:r>' if text else ""
    return f"<w:p><w:pPr>{named}{more}</w:pPr>{run}</w:p>"


def item(text: str, level: int = 0, key: int = 1) -> str:
    return p(text, more=f'<w:numPr><w:ilvl w:val="{level}"/><w:numId w:val="{key}"/></w:numPr>')


def cell(inside: str, properties: str = "") -> str:
    return f"<w:tc><w:tcPr>{properties}</w:tcPr>{inside}</w:tc>"


def row(*cells: str) -> str:
    return f"<w:tr>{''.join(cells)}</w:tr>"


def table(*rows: str, columns: int = 2) -> str:
    return f"<w:tbl><w:tblGrid>{'<w:gridCol/>' * columns}</w:tblGrid>{''.join(rows)}</w:tbl>"


def pptx(slides: list[str], targets: Mapping[int, Mapping[str, tuple[str, str]]] | None = None, **parts: str) -> bytes:
    """A presentation; each slide is what stands in its shape tree. `targets` are the relations of slides, from 1."""
    listed = "".join(f'<p:sldId id="{256 + n}" r:id="rId{n}"/>' for n in range(1, len(slides) + 1))
    known = {f"rId{n}": ("slide", f"slides/slide{n}.xml") for n in range(1, len(slides) + 1)}
    files: dict[str, str | bytes] = {
        "ppt/presentation.xml": f"<p:presentation{_NAMES}><p:sldIdLst>{listed}</p:sldIdLst></p:presentation>",
        "ppt/_rels/presentation.xml.rels": relations(known),
    }
    for n, inside in enumerate(slides, 1):
        files[f"ppt/slides/slide{n}.xml"] = f"<p:sld{_NAMES}><p:cSld><p:spTree>{inside}</p:spTree></p:cSld></p:sld>"
        if targets and n in targets:
            files[f"ppt/slides/_rels/slide{n}.xml.rels"] = relations(targets[n])
    for name, data in parts.items():
        files[name.replace("__", "/") + ".xml"] = data.replace("NAMES", _NAMES)
    return package("ppt/presentation.xml", files)


def shape(*paragraphs: str, kind: str = "") -> str:
    """A shape with paragraphs, each text or whole XML; `kind` is that of its placeholder."""
    holder = f'<p:ph type="{kind}"/>' if kind else ""
    texts = "".join(one if one.startswith("<a:p>") else f"<a:p><a:r><a:t>{one}</a:t></a:r></a:p>" for one in paragraphs)
    return f"<p:sp><p:nvSpPr><p:nvPr>{holder}</p:nvPr></p:nvSpPr><p:txBody>{texts}</p:txBody></p:sp>"


_SHEET = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"


def xlsx(sheets: Mapping[str, str], shared: list[str] | None = None, **options: str) -> bytes:
    """A workbook; each sheet is what stands in its `sheetData`. Options: `styles`, and `state_NAME` of a sheet."""
    listed = known = ""
    files: dict[str, str | bytes] = {}
    targets: dict[str, tuple[str, str]] = {
        "rIdS": ("sharedStrings", "sharedStrings.xml"),
        "rIdY": ("styles", "styles.xml"),
    }
    for n, (name, inside) in enumerate(sheets.items(), 1):
        state = f' state="{options[f"state_{name}"]}"' if f"state_{name}" in options else ""
        listed += f'<sheet name="{name}" sheetId="{n}"{state} r:id="rId{n}"/>'
        targets[f"rId{n}"] = ("worksheet", f"worksheets/sheet{n}.xml")
        data, _, after = inside.partition("<!--after-->")
        files[f"xl/worksheets/sheet{n}.xml"] = (
            f'<?xml version="1.0"?><worksheet xmlns="{_SHEET}"><sheetData>{data}</sheetData>{after}</worksheet>'
        )
    files["xl/workbook.xml"] = (
        f'<workbook xmlns="{_SHEET}" xmlns:r="{_OFFICE}"><sheets>{listed}{known}</sheets></workbook>'
    )
    files["xl/_rels/workbook.xml.rels"] = relations(targets)
    texts = "".join(f"<si><t>{text}</t></si>" for text in shared or [])
    files["xl/sharedStrings.xml"] = f'<sst xmlns="{_SHEET}">{texts}</sst>'
    files["xl/styles.xml"] = f'<styleSheet xmlns="{_SHEET}">{options.get("styles", "")}</styleSheet>'
    return package("xl/workbook.xml", files)


def cells(*rows: list[object], top: int = 1) -> str:
    """Rows of cells from column A on: texts and numbers; None for a cell that is not there."""
    out = ""
    for number, values in enumerate(rows, top):
        inside = ""
        for column, value in enumerate(values):
            at = f"{chr(65 + column)}{number}"
            if isinstance(value, str):
                inside += f'<c r="{at}" t="inlineStr"><is><t>{value}</t></is></c>'
            elif value is not None:
                inside += f'<c r="{at}"><v>{value}</v></c>'
        out += f'<row r="{number}">{inside}</row>'
    return out


_ODF = "urn:oasis:names:tc:opendocument:xmlns:"
ODF_NAMES = "".join(
    f' xmlns:{prefix}="{_ODF}{name}:1.0"'
    for prefix, name in (
        ("office", "office"), ("text", "text"), ("table", "table"), ("draw", "drawing"), ("style", "style"),
        ("presentation", "presentation"), ("svg", "svg-compatible"), ("meta", "meta"), ("manifest", "manifest"),
    )
) + ' xmlns:xlink="http://www.w3.org/1999/xlink" xmlns:dc="http://purl.org/dc/elements/1.1/"'  # fmt: skip


def odf(inside: str, kind: str = "text", automatic: str = "", styles: str = "", **parts: str) -> bytes:
    """An OpenDocument file; `inside` stands in `office:text` or what `kind` says."""
    mime = "spreadsheet" if kind == "spreadsheet" else "presentation" if kind == "presentation" else "text"
    content = (
        f"<office:document-content{ODF_NAMES}><office:automatic-styles>{automatic}</office:automatic-styles>"
        f"<office:body><office:{kind}>{inside}</office:{kind}></office:body></office:document-content>"
    )
    return packed(
        {
            "mimetype": f"application/vnd.oasis.opendocument.{mime}",
            "content.xml": content,
            "styles.xml": f"<office:document-styles{ODF_NAMES}>{styles}</office:document-styles>",
            **{name.replace("__", "/") + ".xml": data.replace("NAMES", ODF_NAMES) for name, data in parts.items()},
        }
    )


def survives_damage(parse: Callable[[ParseInput], ParseResult], whole: bytes, seed: int) -> None:
    """A few bytes are changed: what comes of it is the same twice, or an error of ours."""
    chance = random.Random(seed)
    data = bytearray(whole)
    for _ in range(chance.randint(1, 12)):
        data[chance.randrange(len(data))] = chance.randrange(256)
    try:
        first = parse(ParseInput(bytes(data)))
    except SeamlineError:
        return
    assert parse(ParseInput(bytes(data))) == first
