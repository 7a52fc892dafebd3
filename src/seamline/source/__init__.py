"""Source code read by its marks alone: lines, brackets, names. Cheap, and the same wherever it runs."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING
from weakref import ReferenceType, ref

from seamline.source.nodes import Outline
from seamline.types import Document

if TYPE_CHECKING:
    from seamline.source.imports import Imports
    from seamline.source.symbols import Symbols


class Source:
    """What one document of source code says, each part found when it is first asked for."""

    def __init__(self, document: Document) -> None:
        self._document: ReferenceType[Document] = ref(document)
        self.language = document.language

    @property
    def document(self) -> Document:
        found = self._document()
        assert found is not None  # whoever asks holds it
        return found

    @cached_property
    def outline(self) -> Outline | None:
        """Finds statements; None where the language is not known here."""
        text = self.document.text
        if self.language == "python":
            from seamline.source.python_lines import PythonLines

            return PythonLines(text)
        from seamline.source.marks import LANGUAGES

        if self.language not in LANGUAGES:
            return None
        from seamline.source.braces import BraceLines

        return BraceLines(text, self.language, self.document.blocks)

    @cached_property
    def imports(self) -> Imports:
        from seamline.source.imports import Imports

        return Imports(self.document, self.outline)

    @cached_property
    def symbols(self) -> Symbols:
        from seamline.source.symbols import Symbols

        return Symbols(self.document, self.outline)


_last: dict[str, tuple[ReferenceType[Document], Source]] = {}


def source_of(document: Document) -> Source:
    """What is known of a document. The last one is kept, as its chunks are asked about one by one."""
    known = _last.get("")
    if known is None or known[0]() is not document:
        known = _last[""] = (ref(document), Source(document))
    return known[1]
