"""Sources made to harm whoever reads them: each ends with a clear error, or with text and a notice."""

from __future__ import annotations

import io
import struct
import zipfile
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st
from office_files import cells, docx, odf, p, packed, xlsx

from seamline import audit, chunk
from seamline.errors import ParseError
from seamline.files import MAX_BYTES
from seamline.formats import FORMATS
from seamline.parse import parse_bytes
from seamline.parse.archive import Archive
from seamline.parse.code.guard import refuse_bomb
from seamline.parse.isolate import process
from seamline.parse.media.image import drop_bombs
from seamline.parse.parser_types import ParseInput, ParseLimits
from seamline.parse.xml import parse_xml, refuse_doctype
from seamline.testing.parsers import check_document
from seamline.types import Document

ENTITIES = "<!DOCTYPE x [<!ENTITY a 'lol'><!ENTITY b '&a;&a;&a;'>]>"


@pytest.fixture(autouse=True)
def here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SEAMLINE_ISOLATE", "0")


def read(data: bytes | str, uri: str) -> Document:
    document = parse_bytes(data.encode() if isinstance(data, str) else data, uri=uri)
    check_document(document)
    return document


def codes(document: Document) -> list[str]:
    return [notice.code for notice in document.notices]


# --- limits -------------------------------------------------------------------------------------------------------


def test_limits_that_nobody_set() -> None:
    """What SECURITY.md promises, and what the limits of an archive, of nesting, of text and of pixels are."""
    assert ParseLimits() == ParseLimits(
        expanded=250_000_000, part=100_000_000, parts=5_000, depth=200, characters=50_000_000, pixels=100_000_000
    )
    assert MAX_BYTES == 100_000_000
    page = next(one for one in FORMATS if one.name == "html")
    allowed = process.allowance(page, 3_000_000)
    assert allowed == (13.0, 512_000_000)
    assert allowed.seconds * process._wall_factor(allowed) == 78.0


@pytest.mark.parametrize(
    ("limits", "said"),
    [
        (ParseLimits(parts=4), ""),
        (ParseLimits(parts=3), "has 4 parts, and 3 are the most"),
        (ParseLimits(part=1000, expanded=4000), ""),
        (ParseLimits(part=999), "its part a unpacks to more than 999 bytes"),
        (ParseLimits(expanded=3999), "unpacks to more than 3,999 bytes"),
    ],
)
def test_an_archive_unpacks_to_so_much(limits: ParseLimits, said: str) -> None:
    data = packed(dict.fromkeys("abcd", "x" * 1000))

    def unpack() -> int:
        archive = Archive(ParseInput(data, limits=limits))
        return sum(len(archive.read(name)) for name in archive.names)

    if said:
        with pytest.raises(ParseError, match=said):
            unpack()
    else:
        assert unpack() == 4000


def test_an_archive_in_an_archive_is_not_opened() -> None:
    inner = packed({"page.html": "<p>The inner page.</p>"})
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as outer:
        outer.writestr("page.html", "<p>The outer page.</p>")
        outer.writestr("inner.zip", inner)
    text = read(made.getvalue(), "pages.zip").text
    assert "outer" in text
    assert "inner page" not in text


# --- XML and YAML -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("uri", ["a.xml", "a.svg", "a.xhtml", "a.rss"])
@pytest.mark.parametrize("head", ['<?xml version="1.0"?>\n', "", "\ufeff"])
def test_xml_that_declares_entities_is_refused(uri: str, head: str) -> None:
    with pytest.raises(ParseError, match="declares entities"):
        read(f"{head}{ENTITIES}<x>&b;</x>", uri)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-16-le", "utf-16-be"])
def test_a_part_in_xml_declares_no_document_type(encoding: str) -> None:
    if encoding in ("utf-8", "utf-16"):  # others need a declaration
        assert parse_xml("<x>text</x>".encode(encoding)).text == "text"
    for head in (ENTITIES, "<!DOCTYPE x SYSTEM 'file:///etc/passwd'>", "<!doctype x>"):
        for read_part in (parse_xml, refuse_doctype):  # before anything of it is read, too
            with pytest.raises(ParseError, match="declares a document type or entities"):
                read_part(f"{head}<x/>".encode(encoding))


@pytest.mark.parametrize("inside", ["<x>&b;</x>", "<x y='&b;'/>", "<x/>"])
def test_a_document_type_that_hides_is_refused(inside: str) -> None:
    """In an encoding that is not looked at before it is read, or behind more than is looked at."""
    wide = f'<?xml version="1.0" encoding="utf-32be"?>{ENTITIES}{inside}'.encode("utf-32-be")
    escaped = f"{ENTITIES}{inside}".encode("utf-7").replace(b"<", b"+ADw-").replace(b"!", b"+ACE-")
    late = f"<!--{'-'.join('x' * 40_000)}-->{ENTITIES}{inside}".encode()
    for data in (wide, b'<?xml version="1.0" encoding="utf-7"?>' + escaped, late):
        with pytest.raises(ParseError, match="declares a document type or entities"):
            parse_xml(data)


def test_a_part_in_xml_has_so_many_elements_and_levels() -> None:
    with pytest.raises(ParseError, match="more than 3,000,000 tags"):
        parse_xml(b"<x>" + b"<a/>" * 3_000_000 + b"</x>")
    parse_xml(b"<a>" * 200 + b"</a>" * 200)
    with pytest.raises(ParseError, match="200"):
        parse_xml(b"<a>" * 201 + b"</a>" * 201)


def test_entities_that_are_written_about_are_text() -> None:
    assert "<!ENTITY" in read(f"# XML bombs\n\n```xml\n{ENTITIES}\n```\n", "a.md").text
    assert read("<!DOCTYPE html><p>About &lt;!ENTITY and [so on]", "a.html").text


def test_a_document_type_in_another_file_is_told() -> None:
    outside = read('<?xml version="1.0"?>\n<!DOCTYPE a PUBLIC "-//A//B" "file:///etc/x">\n<a>b</a>\n', "a.xml")
    assert "doctype-outside" in codes(outside)
    web = read('<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://www.w3.org/svg.dtd">\n<svg>b</svg>\n', "a.xml")
    assert "doctype-outside" not in codes(web)


def test_xml_is_known_by_its_content() -> None:
    document = read("<svg xmlns='http://www.w3.org/2000/svg'><text>Words</text></svg>\n", "a.svg")
    assert document.code is not None
    assert document.code.language == "xml"


def test_yaml_whose_aliases_multiply_is_refused() -> None:
    flow = [f"a{n}: &a{n} [{','.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 9)]
    block = [f"a{n}: &a{n}" + f"\n- *a{n - 1}" * 10 for n in range(1, 9)]
    for lines in (flow, block):
        with pytest.raises(ParseError, match="aliases stand for more than"):
            read("\n".join(["a0: &a0 [x,x]", *lines]) + "\n", "a.yaml")


def test_yaml_with_some_aliases_is_read() -> None:
    some = "base: &base\n  a: 1\n" + "".join(f"s{n}:\n  <<: *base\n  b: {n}\n" for n in range(500))
    mixed = "".join(f"t{n}: &t{n}\n  a: 1\n" + f"j{n}:\n  - *t{max(n - 1, 0)}\n" * 5 for n in range(50))
    for text in (some, mixed):
        assert codes(read(text, "a.yaml")) == []


def test_brackets_in_yaml_only_so_deep() -> None:
    assert read("a: " + "[" * 150 + "]" * 150 + "\n", "a.yaml").text
    with pytest.raises(ParseError, match="nests brackets 1,000 deep"):
        read("a: " + "[" * 1_000 + "]" * 1_000 + "\n", "a.yaml")


def test_objects_of_programs_in_yaml_are_never_made_and_told() -> None:
    assert codes(read("a: !!python/object/apply:os.system ['id']\n", "a.yaml")) == ["yaml-objects"]


@given(st.text(alphabet="&*ab[]{}:,- \n'\"", max_size=300))
def test_any_yaml_is_read_or_refused(text: str) -> None:
    try:
        refuse_bomb("yaml", ParseInput(b"", text))
    except ParseError:
        assert len(text) > 200


# --- Markdown and text --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "uri", "said"),
    [
        ("# A\n\n<!-- never closed\n\ntext\n", "a.md", "a comment is"),
        ("---\ntitle: x\nkey: value\n\ntext\n", "a.md", "front matter is"),
        ("Intro.\n\n$$\nx = y\n\ntext\n", "a.md", "a formula is"),
        ("# A\n\ntext { never closed\n", "a.mdx", "a brace is"),
        ("export const x = {{{\n\n# B\n", "a.mdx", "3 braces are"),
        ("<Tabs>\n<Tab>\n\ntext\n\n</Tab>\n", "a.mdx", "tags (<Tabs>) are"),
    ],
)
def test_what_is_never_closed_is_told(text: str, uri: str, said: str) -> None:
    document = read(text, uri)
    assert document.text == text
    assert [notice.message.partition(" never")[0] for notice in document.notices] == [said]


@pytest.mark.parametrize(
    ("text", "uri"),
    [
        ("<!-- closed -->\n\ntext\n", "a.md"),
        ("---\n\nA rule, then text: words.\n", "a.md"),
        ("It costs $$ and more.\n\n```\necho $$\n```\n\n$$\nx\n$$\n", "a.md"),
        ("<Tabs>\n<Tab name={x} />\n\nUse `{` and `<Tab>`.\n\n</Tabs>\n", "a.mdx"),
        ("1. Code\n\n   ```jsx\n   <Layout>\n   {\n   ```\n", "a.mdx"),
        ("{/* a comment */}\n\n# T\n", "a.mdx"),
    ],
)
def test_what_is_closed_is_not_told(text: str, uri: str) -> None:
    assert codes(read(text, uri)) == []


@pytest.mark.parametrize(
    ("text", "uri", "code"),
    [
        ("a\0b", "a.txt", "nul-characters"),
        ("lost \ufffd\ufffd words", "a.txt", "lost-characters"),
        (f"![x](data:image/png;base64,{'A' * 9_000})\n", "a.md", "data-in-text"),
        ("# " + "word " * 2_000 + "\n", "a.md", "heading-long"),
        ("---\ntitle: " + "word " * 2_000 + "\n---\n\nText.\n", "a.md", "title-cut"),
        ("<!-- as HTML has it -->\n\n# T\n", "a.mdx", "mdx-comments"),
    ],
)
def test_what_is_no_text_is_told_and_kept(text: str, uri: str, code: str) -> None:
    document = read(text, uri)
    assert document.text == text
    assert codes(document) == [code]
    assert len(document.title) <= 500


@pytest.mark.parametrize("mark", ["`", "~"])
@pytest.mark.parametrize("around", ["{}", "> {}", "- {}"])
def test_a_fence_longer_than_a_chunk_is_code_without_it(mark: str, around: str) -> None:
    run = mark * 10_000
    document = read(around.format(f"{run}\n") + f"words of code\n{run}\n\nand more\n", "a.md")
    assert "fence-long" in codes(document)
    assert "code" in [block.kind for block in document.blocks]
    assert not audit(chunk(document, limit=64), limit=64)


def test_a_fence_of_a_hundred_marks_is_kept_whole() -> None:
    fence = "`" * 100
    document = read(f"{fence}\n" + "words of code\n" * 300 + f"{fence}\n", "a.md")
    assert codes(document) == []
    chunks = chunk(document, limit=256)
    assert all(one.text.startswith("```") for one in chunks)
    assert not audit(chunks, limit=256)


def test_a_table_of_thousands_of_columns_is_told() -> None:
    document = read("|a" * 3_000 + "|\n" + "|-" * 3_000 + "|\n" + "|a\n" * 300, "a.md")
    assert codes(document) == ["table-wide"]
    assert "3,000 columns" in document.notices[0].message
    assert [block.kind for block in document.blocks] == ["table"] + ["row"] * 301
    assert codes(read("|a" * 200 + "|\n" + "|-" * 200 + "|\n", "a.md")) == []


# --- packages -----------------------------------------------------------------------------------------------------


def test_cells_end_where_spreadsheets_end_them() -> None:
    long = "word " * 10_000
    row = '<row r="1"><c r="A1" t="s"><v>0</v></c><c r="B1"><v>1</v></c></row>'
    table = (
        f"<table:table table:name='S'><table:table-row><table:table-cell office:value-type='string'><text:p>{long}"
        "</text:p></table:table-cell></table:table-row></table:table>"
    )
    for data, uri in (
        (xlsx({"S": cells([long, 1], ["short", 2])}), "a.xlsx"),
        (xlsx({"S": row}, [long]), "a.xlsx"),
        (odf(table, "spreadsheet"), "a.ods"),
    ):
        document = parse_bytes(data, uri=uri)
        assert codes(document) == ["cells-cut"]
        assert "a cell holds more than 32,767 characters: 17,23" in document.notices[0].message
        assert 32_700 < len(document.text) < 33_000


def test_maps_to_outside_data_are_told() -> None:
    data = xlsx({"S": cells(["a", "b"], [1, 2])})
    from office_files import unpacked

    assert "xml-maps" in codes(read(packed({**unpacked(data), "xl/xmlMaps.xml": "<MapInfo/>"}), "a.xlsx"))


def png(*parts: tuple[bytes, bytes]) -> bytes:
    def chunk(kind: bytes, content: bytes) -> bytes:
        return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))

    head = chunk(b"IHDR", struct.pack(">IIBBBBB", 2, 2, 8, 0, 0, 0, 0))
    pixels = chunk(b"IDAT", zlib.compress(bytes(6)))
    return b"\x89PNG\r\n\x1a\n" + head + b"".join(chunk(*part) for part in parts) + pixels + chunk(b"IEND", b"")


@pytest.mark.parametrize("kind", [b"zTXt", b"iCCP"])
def test_a_picture_is_read_without_what_blows_up_beside_it(kind: bytes) -> None:
    bomb = b"name\0\0" + zlib.compress(bytes(20_000_000), 9)
    document = read(png((kind, bomb)), "a.png")
    assert "image-data" in codes(document)
    assert document.front_matter["width"] == 2
    whole = png((b"zTXt", b"Title\0\0" + zlib.compress(b"A small picture")))
    assert drop_bombs(whole) == (whole, 0)
    assert read(whole, "a.png").text.startswith("A small picture")


@given(st.binary(max_size=200))
def test_any_png_is_kept_or_cut(noise: bytes) -> None:
    data = b"\x89PNG\r\n\x1a\n" + noise
    assert drop_bombs(data) == (data, 0)


def test_a_damaged_part_without_text_is_told() -> None:
    whole = docx(p("Words"), word__theme__theme1="<theme>colours and fonts</theme>")
    assert codes(read(whole, "a.docx")) == []
    with zipfile.ZipFile(io.BytesIO(whole)) as archive:
        info = archive.getinfo("word/theme/theme1.xml")
    at = whole.find(struct.pack("<L", info.CRC), info.header_offset)
    central = whole.find(struct.pack("<L", info.CRC), at + 4)
    broken = bytearray(whole)
    broken[at] ^= 1
    broken[central] ^= 1
    document = read(bytes(broken), "a.docx")
    assert document.text == "Words"
    assert [(notice.code, notice.where) for notice in document.notices] == [
        ("part-unreadable", "part word/theme/theme1.xml")
    ]


def test_a_saved_page_is_a_letter() -> None:
    head = "MIME-Version: 1.0\nContent-Type: multipart/related; boundary=x\n\n"
    page = f"{head}--x\nContent-Type: text/html\n\n<p>a</p>\n--x"
    document = read(page, "a.mhtml")
    assert document.text == "a"
    assert codes(document) == ["mail-damaged"]
