"""How documents are read, as far as a recipe has a say in it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Reading:
    """What a parser is told beside the source."""

    front_matter: str = "metadata"
    """`metadata`, `include` or `strip`."""
    boilerplate: str = "keep"
    """What becomes of menus, banners and footers of web pages: `keep` or `remove`."""
    ocr: str = "auto"
    """Whether pages and images without text are read by sight: `auto` where an engine is installed, `off`, or `on`,
    which fails without one."""
    ocr_language: str = "eng"
    """The language OCR expects, by the engine's name for it."""
