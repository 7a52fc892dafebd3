"""Sections -> atoms: blocks whole where they fit, in parts where they do not, headings forbidden to what follows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from seamline.cut.atoms import Atom
from seamline.cut.captions import caption_gaps
from seamline.cut.context import HeadingContexts
from seamline.cut.measure import Measure
from seamline.cut.scores import Scorer
from seamline.cut.scores.structure import seam_before
from seamline.cut.sections import Section
from seamline.cut.split.blocks import Splitter, Task
from seamline.cut.split.ladder import Piece, coalesce
from seamline.types import Document

_CROWD = 5000  # atoms in one range above which tiny paragraphs are joined before packing


class Glue:
    """The headings that directly precede a block, and may not be cut from it."""

    def __init__(self) -> None:
        self.tokens = 0
        self.borrowed = 0
        """Tokens of the headings that the first of them borrows itself."""
        self.top = 0
        """Where the first of them starts."""

    def start(self, at: int, borrowed: int) -> None:
        self.tokens, self.borrowed, self.top = 0, borrowed, at

    def drop(self) -> None:
        self.tokens = self.borrowed = 0


class Atomizer:
    """Makes atoms of the top-level blocks of a document."""

    def __init__(
        self,
        document: Document,
        tops: Sequence[int],
        starts: Sequence[int],
        sections: Sequence[Section],
        leads: HeadingContexts,
        splitter: Splitter,
        scorer: Scorer,
        measure: Measure,
        whole: Mapping[str, int],
    ) -> None:
        self._text = document.text
        self._blocks = document.blocks
        self._tops = tops
        self._starts = starts
        self._sections = sections
        self._leads = leads
        self._splitter = splitter
        self._scorer = scorer
        self._size = measure.size
        self._whole = whole
        self._plain = not whole and scorer.is_silent

    def atoms(self, first: int, last: int, end: int, limit: int) -> list[Atom]:
        """The atoms of the sections [first, last), each small enough for a chunk of `limit` tokens."""
        out: list[Atom] = []
        for section in range(first, last):
            until = end if section + 1 == last else self._starts[self._sections[section + 1].first]
            self._add_section(out, section, until, limit)
        return _thin_atoms(out, limit) if len(out) > _CROWD and not self._scorer.forces(out[0].start, end) else out

    def _add_section(self, out: list[Atom], section: int, end: int, limit: int) -> None:
        """The atoms of one section, which ends at `end`: its headings, then its blocks."""
        blocks, tops, starts = self._blocks, self._tops, self._starts
        position, last = self._sections[section][:2]
        glue = Glue()
        while position < last and blocks[tops[position]].kind == "heading":
            until = starts[position + 1] if position + 1 < last else end
            self._heading(out, glue, position, until, section, limit)
            position += 1
        if position == last:
            return
        text, size, least = self._text, self._size, limit // 8
        captions = caption_gaps(text, blocks, tops[position:last])
        inside = self._leads.at(section, blocks[tops[position]].end).tokens
        above = glue.tokens  # headings that the next block may not be cut from
        chain = above  # all that may not be cut apart so far
        loose = False  # whether the last block could do without the one before it
        room = max(limit - max(glue.borrowed + above, inside), least)
        for place in range(position, last):
            index = tops[place]
            start = starts[place]
            until = starts[place + 1] if place + 1 < last else end
            tokens = size(start, until, room)
            seam = seam_before(text, blocks, tops, place)
            if tokens <= room and (
                self._stays_whole(index, tokens)
                or (captions and self._in_pair(captions, place - position, index, tokens))
            ):
                if captions and place - position in captions:
                    if chain + tokens > room and loose:
                        out[-1] = out[-1]._replace(forbidden=False)
                        chain = out[-1].tokens
                    stays = chain + tokens <= room
                    loose = False
                else:
                    stays = (seam == "lead-in" or not self._plain) and self._stays_with_before(
                        start, seam, chain + tokens, room, limit
                    )
                    loose = stays and not above
                chain = tokens + (chain if stays else above)
                out.append(Atom(start, until, tokens, seam, None, above > 0 or stays))
            else:
                chain = limit
                loose = False
                out.extend(self._splitter.split(Task(start, until, index, seam, None, above > 0), room))
            if above:
                above = 0
                room = max(limit - inside, least)

    def _stays_whole(self, index: int, tokens: int) -> bool:
        """Whether nothing asks for cuts inside a block that fits."""
        if self._plain:
            return True
        kind, start, end = self._blocks[index][:3]
        return tokens <= self._whole.get(kind, tokens) and not self._scorer.opens(start, end)

    def _in_pair(self, captions: frozenset[int], place: int, index: int, tokens: int) -> bool:
        """Whether a block is a caption, or stands beside its caption and nothing must be cut in it."""
        if place not in captions and place + 1 not in captions:
            return False
        kind, start, end = self._blocks[index][:3]
        if tokens > self._whole.get(kind, tokens):
            return False
        return kind == "paragraph" or not self._scorer.forces(start, end)

    def _stays_with_before(self, start: int, seam: str, tokens: int, room: int, limit: int) -> bool:
        """Whether a block stays with the one before it: that introduces it, or a signal says so. `tokens` are those of
        all that would then stay together."""
        if self._scorer.is_forbidden(start):
            return tokens <= room
        return seam == "lead-in" and tokens <= limit // 2 and not self._scorer.is_forced(start)

    def _heading(self, out: list[Atom], glue: Glue, position: int, until: int, section: int, limit: int) -> None:
        """A heading glues to what follows, and to the one before it where it goes deeper and both fit a chunk."""
        start = self._starts[position]
        lead = self._leads.at(section, start).tokens
        tokens = self._size(start, until, limit)
        seam = seam_before(self._text, self._blocks, self._tops, position)
        deeper = glue.tokens > 0 and self._is_deeper(position)
        if tokens > limit:
            room = max(limit - max(glue.borrowed + glue.tokens, lead), limit // 8)
            out.extend(self._splitter.split(Task(start, until, self._tops[position], seam, None, deeper), room))
            glue.drop()
            return
        deeper = deeper and glue.tokens + tokens <= limit
        out.append(Atom(start, until, tokens, seam, None, deeper))
        if not deeper:
            glue.start(start, lead)
        glue.tokens += tokens
        if glue.borrowed and glue.borrowed + glue.tokens > limit - limit // 4:
            self._leads.bare.add(glue.top)  # rather no borrowed heading than one cut from what is under it
            glue.borrowed = 0
        if glue.tokens > limit - limit // 8:
            glue.drop()

    def _is_deeper(self, position: int) -> bool:
        blocks, tops = self._blocks, self._tops
        return position > 0 and blocks[tops[position - 1]].level < blocks[tops[position]].level


def _thin_atoms(atoms: list[Atom], limit: int) -> list[Atom]:
    """Tiny neighbours joined, so that the search stays linear on half a million one-word paragraphs."""
    if any(a.frame or a.forbidden or a.alone for a in atoms):
        return atoms
    pieces = coalesce([Piece(*a[:4], exact=a.exact) for a in atoms], limit // 48, limit // 2)
    return [Atom(*piece[:4], exact=piece.exact) for piece in pieces]
