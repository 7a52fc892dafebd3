"""How far an index run is: a bar, documents, texts a second, and about how long it still takes."""

from __future__ import annotations

import sys
import time
from collections.abc import Collection, Sequence

from seamline.cli.progress import MANY, Progress
from seamline.cli.style import Style, plural, shows_glyphs, visible

_BAR = 10
_ENOUGH_SECONDS = 3.0
_ENOUGH_SHARE = 0.01
"""When and where a guess of the time that is left is worth showing."""


class IndexProgress:
    """Watches a run; draws one line where stderr is a terminal, and knows what is safe when it is broken off."""

    def __init__(self, *, wanted: bool) -> None:
        self._line = Progress(0, wanted=wanted)
        self._style = Style(glyphs=shows_glyphs(sys.stderr))
        self._begun = time.monotonic()
        self._total = 0
        self._seen: list[str] = []
        self._settled = 0
        """How many of those seen needed nothing, or are written."""
        self._texts = 0
        self._group = (0, 0)
        """Texts of the present group that have vectors, and how many it has."""
        self.wrote = 0
        """Documents written."""

    def document(self, done: int, total: int, doc: str) -> None:
        """A source was looked at."""
        self._total = total
        self._seen.append(doc)
        self._draw(doc)

    def embedding(self, done: int, total: int) -> None:
        """So many of the texts of the present group have vectors."""
        self._group = (done, total)
        self._draw(self._seen[-1] if self._seen else "")

    def written(self, docs: Sequence[str]) -> None:
        """These documents are in the index for good."""
        self.wrote += len(docs)
        self._settled = len(self._seen)
        self._texts += self._group[0]
        self._group = (0, 0)

    def so_far(self, held: Collection[str]) -> str:
        """What a broken-off run leaves: how many of its documents an index with these documents has."""
        if not self._total:
            return "no document was looked at yet"
        safe = sum(doc in held for doc in self._seen)
        return f"{safe:,} of {plural(self._total, 'document')} {'is' if self._total == 1 else 'are'} in the index"

    def clear(self) -> None:
        """Take the line away, as before anything else is printed."""
        self._line.clear()

    def _draw(self, doc: str) -> None:
        seconds = time.monotonic() - self._begun
        texts = self._texts + self._group[0]
        rate = f", {texts / seconds:,.0f} a second" if texts > seconds > 1 else ""
        share = self._share()
        parts = [f"{len(self._seen):,}/{self._total:,} documents", f"{plural(texts, 'text')} embedded{rate}"]
        if share > _ENOUGH_SHARE and seconds > _ENOUGH_SECONDS:
            parts.append(f"{spoken(seconds / share - seconds)} left")
        self._line.show(f"{self._bar(share)} {', '.join([*parts, visible(doc)])}", long=self._total > MANY)

    def _bar(self, share: float) -> str:
        done = round(_BAR * share)
        return self._style.mark("█", "#") * done + self._style.mark("░", ".") * (_BAR - done)

    def _share(self) -> float:
        """The part of the run that is behind, the present group by its texts."""
        done, total = self._group
        open_documents = len(self._seen) - self._settled
        inside = open_documents * (done / total if total else 0.0)
        return (self._settled + inside) / self._total if self._total else 0.0


def spoken(seconds: float) -> str:
    """A time that is left, as coarse as the guess is."""
    if seconds < 90:
        return f"{max(1, round(seconds))} s"
    return f"{round(seconds / 60)} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
