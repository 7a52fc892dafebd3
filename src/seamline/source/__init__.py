"""Source code read by its marks alone: lines, brackets, names. Cheap, and the same wherever it runs."""

from __future__ import annotations

from seamline.source.nodes import Outline
from seamline.types import Document


def outline_of(document: Document) -> Outline | None:
    """What finds the statements of a document; None where it is no source code of a language known here."""
    language = str(document.front_matter.get("programming_language", ""))
    if language == "python":
        from seamline.source.python_lines import PythonLines

        return PythonLines(document.text)
    from seamline.source.marks import LANGUAGES

    if language not in LANGUAGES:
        return None
    from seamline.source.braces import BraceLines

    return BraceLines(document.text, language)
