"""A web page in a ZIP archive, as Google Docs exports one: its HTML files; images are counted and not read."""

from __future__ import annotations

from pathlib import PurePosixPath

from seamline.errors import ParseError
from seamline.parse.archive import Archive
from seamline.parse.build import Builder
from seamline.parse.html import read_page
from seamline.parse.html_charset import decode_page
from seamline.parse.raw import Parsed, Raw
from seamline.types import Notice

_PAGES = (".html", ".htm", ".xhtml")


def parse(raw: Raw) -> Parsed:
    """All pages of an archive, in the order of their names."""
    archive = Archive(raw)
    names = [name for name in archive.names if not _is_litter(name)]
    pages = sorted(name for name in names if name.lower().endswith(_PAGES))
    if not pages:
        raise ParseError("is a ZIP archive without a web page: unpack it and name what is inside", raw.uri)
    builder = Builder()
    notices: list[Notice] = []
    read = []
    for name in pages:
        markup, remark = decode_page(archive.read(name))
        if remark:
            notices.append(Notice("encoding", remark, name))
        page = read_page(markup, builder, raw, name)
        notices += page.notices
        read.append(page)
    if beside := len(names) - len(pages):
        notices.append(Notice("images", f"{beside:,} other files of the archive, such as images, were not read"))
    text, blocks, anchors = builder.finish()
    title = next((page.title for page in read if page.title), "")
    return Parsed(text, blocks, title, read[0].meta, anchors, notices=tuple(notices))


def _is_litter(name: str) -> bool:
    """What systems leave in archives."""
    path = PurePosixPath(name)
    return path.parts[0] == "__MACOSX" or path.name.startswith(".")
