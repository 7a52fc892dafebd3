"""What a document is made of, before it is written: paragraphs and the like, each of lines."""

from __future__ import annotations

from dataclasses import dataclass, field

from seamline.parse.pdf.model import Box, Figure, Line, Table, Word


@dataclass(slots=True)
class Passage:
    """A block of the document."""

    kind: str
    """paragraph, heading, item, code, footnote, figure or table."""
    lines: list[Line] = field(default_factory=list)
    level: int = 0
    label: str = ""
    """The mark of an item or a footnote, which its lines no longer hold."""
    mark: Word | None = None
    """Where the label stands, and how it looks."""
    indent: float = 0.0
    """Where an item's mark stands."""
    table: Table | None = None
    figure: Figure | None = None
    gap: float = 0.0
    """White space above it, in points."""
    full: bool = False
    """Whether its last line is as long as the column is wide."""
    indented: bool = False
    """Whether its first line stands further in than its column."""

    @property
    def page(self) -> int:
        if self.table is not None:
            return self.table.page
        return self.figure.page if self.figure is not None else self.lines[0].page

    @property
    def text(self) -> str:
        return " ".join(line.text for line in self.lines)

    @property
    def size(self) -> float:
        return self.lines[0].size if self.lines else 0.0

    @property
    def box(self) -> Box:
        box = self.lines[0].box
        for line in self.lines[1:]:
            box = box.around(line.box)
        return box

    def share(self, name: str) -> float:
        """The share of its characters that are bold, italic or mono."""
        total = sum(len(word.text) for line in self.lines for word in line.words)
        own = sum(len(word.text) for line in self.lines for word in line.words if getattr(word.style, name))
        return own / max(total, 1)
