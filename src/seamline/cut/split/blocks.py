"""Splitting blocks that are too large, each kind by its own rule.

Code goes by lines under its reopened fence, tables by rows under their header, lists by items, quotes and other
containers by the blocks inside them, and everything else down the ladder of blank lines, sentences, lines, words.

How blocks of each kind are split when they are too large: one small rule per kind.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from seamline.code_outline import CodeOutline
from seamline.cut.atoms import MARKS, Atom, Frame, cost
from seamline.cut.captions import caption_gaps
from seamline.cut.measure import LONGEST_TOKEN, Measure
from seamline.cut.scores import NO_SCORER, Scorer
from seamline.cut.scores.structure import code_seam
from seamline.cut.split.elements import (
    ELEMENT,
    HTML,
    ElementFrames,
    is_closing,
    is_element,
    is_html,
    is_raw,
    opening_end,
    seam_inside,
    starts_torn,
)
from seamline.cut.split.ladder import CODE, LINES, PROSE, Piece, Room, Rung, coalesce, split_by_ladder
from seamline.cut.split.statements import Statements
from seamline.cut.split.tables import LEAST, TableShape, split_rows, split_table
from seamline.text.lines import line_end, line_start, next_line, trimmed
from seamline.text.markup import FENCE_MARK, MARKER
from seamline.types import NO_DETAIL, Block, Context, Enclosure

_MARKER = re.compile(rf"{MARKER}[ \t]*")
_TEXT = re.compile(r"[^ \t\r\n>]")
_PREFIX = 1000  # no list or quote marker before a fence is longer
_SMALL = 24  # pieces below a twenty-fourth of the room are joined: packers then look at most that far


class Task(NamedTuple):
    """A range still to be turned into atoms."""

    start: int
    end: int
    block: int
    """Index of the block that fills the range, -1 for text between blocks."""
    seam: str
    frame: Frame | None = None
    forbidden: bool = False
    """Whether it follows a heading, and so may not be cut from it."""


def _one_mark(frame: Frame | None) -> Frame | None:
    """Frames around a list or quote mark with one such mark at most: no more are ever repeated, and nesting is deep."""
    if frame is None or frame.role not in MARKS:
        return frame
    outer = frame.outer
    while outer is not None and outer.role in MARKS:
        outer = outer.outer
    return frame._replace(outer=outer)


def _affordable(frame: Frame | None, room: int, *, must_close: bool = False) -> Frame | None:
    """A frame that leaves at least half of the room to the text in it, less where it must be closed; those around it
    give way first."""
    while frame and frame.outer and cost(frame) > room // 2:
        frame = frame._replace(outer=frame.outer.outer)
    return frame if cost(frame) <= (room - LEAST if must_close else room // 2) else None


def separate_open_frames(atoms: list[Atom]) -> list[Atom]:
    """Atoms with a cut forced where one leaves something open that the next is not in, or is not known to be in."""
    for index in range(1, len(atoms)):
        before, after = atoms[index - 1], atoms[index]
        at = after.start
        if before.frame is after.frame or _closable(before.frame, at) == _closable(after.frame, at):
            continue
        atoms[index] = after._replace(forbidden=False, alone=after.alone or after.tokens > before.tokens)
        if not atoms[index].alone:
            atoms[index - 1] = before._replace(alone=True)
    return atoms


def _closable(frame: Frame | None, at: int) -> list[tuple[int, int]]:
    """The frames that are open at a place and have to be closed."""
    out = []
    while frame is not None:
        if frame.close and frame.start < at < frame.end:
            out.append((frame.start, frame.end))
        frame = frame.outer
    return out


class Splitter:
    """Splits the blocks of one document to a given room."""

    def __init__(
        self,
        measure: Measure,
        blocks: Sequence[Block],
        whole: Mapping[str, int],
        own_rule: Mapping[str, bool],
        scorer: Scorer = NO_SCORER,
    ) -> None:
        text, count = measure.text, measure.count
        self.text = text
        self.blocks = blocks
        self.count = count
        self._measure = measure
        self.whole = whole
        self.own_rule = own_rule
        self.slack = 0
        """Tokens that the room was reduced by, which a grapheme cluster may have all the same."""
        self.cluster = 0
        """Tokens that a grapheme cluster may have whatever the room."""
        self._scorer = scorer
        self._children: dict[int, list[int]] | None = None
        self._texts: dict[int, int] = {}
        self._statements: Statements | None = None
        self._tags = ElementFrames(text, count)

    def open_code(self, outline: CodeOutline, *, docstring: bool) -> None:
        """From now on split source code by its statements."""
        self._statements = Statements(
            self.text, self.blocks, outline, self._scorer, self.count, self._by_lines, docstring=docstring
        )

    @property
    def children(self) -> dict[int, list[int]]:
        if self._children is None:
            self._children = defaultdict(list)
            for index, block in enumerate(self.blocks):
                self._children[block.parent].append(index)
        return self._children

    def split(self, task: Task, room: int) -> list[Atom]:
        """Atoms of a range that is too large, each within `room`."""
        if self._statements is not None and task.frame is None:
            found = self._statements.split(task.start, task.end, task.seam, room, forbidden=task.forbidden)
            if found is not None:
                return found
        atoms: list[Atom] = []
        is_framed = self._is_framed(task)
        stack = [task]
        too_large = True  # known of the range itself, and of a block that fills a container alone
        while stack:
            task = stack.pop()
            reserved = atoms[-1].tokens if task.forbidden and atoms else 0  # the heading it may not be cut from
            if not too_large and (atom := self._whole(task, room - cost(task.frame, whole_lines=True) - reserved)):
                atoms.append(atom)
                continue
            space = max(room - cost(task.frame) - reserved, room // 8)
            too_large = False
            kind = self._kind(task)
            if rule_of(kind).bare and (atom := self._without_frame(task, room - reserved)):
                atoms.append(atom)
                continue
            if self.own_rule.get(kind, True) and self._holds_blocks(task, kind):
                is_framed = is_framed or kind in _HTML
                inner = self._inner(task, kind, room)
                too_large = len(inner) == 1 and inner[0].block >= 0
                stack.extend(reversed(inner))
                continue
            parts = self._parts(task, kind, room, space)
            if task.forbidden:
                parts[0] = parts[0]._replace(forbidden=True)
            atoms.extend(parts)
        return separate_open_frames(atoms) if is_framed else atoms

    def _holds_blocks(self, task: Task, kind: str) -> bool:
        """Whether a block is split by the blocks inside it; a scope in which nothing is told apart goes by lines."""
        if task.block >= 0 and is_html(self.blocks[task.block]):
            return bool(self._html_children(task))
        rule = rule_of(kind)
        if not rule.holds or (rule.needs_frame and not self._is_framed(task)):
            return False
        return not rule.filled or bool(self.children[task.block])

    def _kind(self, task: Task) -> str:
        """Whose rule a range is split by; text between elements is HTML too."""
        if task.block >= 0:
            return self.blocks[task.block].kind
        return "html" if task.frame is not None and task.frame.role == ELEMENT else "paragraph"

    def _is_framed(self, task: Task) -> bool:
        """Whether its parser gave the block a frame."""
        return task.block >= 0 and (self.blocks[task.block].detail or NO_DETAIL).enclosure is not None

    def _parts(self, task: Task, kind: str, room: int, space: int) -> list[Atom]:
        """Atoms of one block that holds no others, by the rule of its kind."""
        if not self.own_rule.get(kind, True):
            return self._ladder(task, space, LINES)
        if kind == "table" and not is_element(self.blocks[task.block]):
            return self._table(task, space, room)
        rungs = rule_of(kind).rungs
        frame = self.frame(task, kind, room)
        if frame is None:
            atoms = self._ladder(task, space, rungs)
        else:
            atoms = self._ladder(task._replace(frame=frame), room - cost(frame), rungs)
        if rungs is HTML:
            return [self._apart(atom) for atom in atoms]
        return [self._indented(atom) for atom in atoms] if kind == "code" and frame is None else atoms

    def _indented(self, atom: Atom) -> Atom:
        """Indented code that starts inside a line, below the indentation of that line: it would be text otherwise."""
        begin = line_start(self.text, atom.start, max(0, atom.start - LONGEST_TOKEN * 64))
        first = _TEXT.search(self.text, begin)
        if atom.start == begin or first is None or not begin < first.start() < atom.start:
            return atom
        margin = Context("marker", begin, first.start())
        tokens = self.count(self.text[begin : first.start()])
        return atom._replace(frame=Frame("indent", -1, atom.end, (margin,), "", tokens, 0, atom.frame))

    def _apart(self, atom: Atom) -> Atom:
        """HTML that starts with half a tag starts a chunk, below a tag that is whole: it would be text otherwise."""
        if not starts_torn(self.text, atom.start, atom.end):
            return atom
        around = atom.frame.outer if atom.frame and atom.frame.start in (-1, atom.start) else atom.frame
        return atom._replace(alone=True, frame=self._tags.bare(-1, atom.end, around))

    def _whole(self, task: Task, room: int) -> Atom | None:
        """The range as one atom, where it fits."""
        if self._scorer.opens(task.start, task.end):
            return None
        if task.block >= 0:
            room = min(room, self.whole.get(self.blocks[task.block].kind, room))
        tokens = self._measure.size(task.start, task.end, room)
        return Atom(task.start, task.end, tokens, task.seam, task.frame, task.forbidden) if tokens <= room else None

    def _without_frame(self, task: Task, room: int) -> Atom | None:
        """A scope as one atom, where it fits but for the scopes around it and the blanks after it: those give way."""
        atom = self._whole(task._replace(end=trimmed(self.text, task.start, task.end), frame=None), room)
        return atom and atom._replace(end=task.end, exact=False)

    def _ladder(self, task: Task, room: int, rungs: Sequence[Rung]) -> list[Atom]:
        pieces: list[Piece] = []
        for start, end in self._scorer.parts(task.start, task.end):
            part = split_by_ladder(self.text, start, end, self._room(room), self.count, rungs)
            part[0] = part[0]._replace(seam="sentence" if rungs is PROSE else "line")
            pieces += coalesce(part, room // _SMALL, room)
        atoms = [Atom(p.start, p.end, p.tokens, p.seam, task.frame, exact=p.exact) for p in pieces]
        atoms[0] = atoms[0]._replace(seam=task.seam)
        return atoms

    def _room(self, tokens: int) -> Room:
        return Room(tokens, max(tokens + self.slack, self.cluster))

    def _by_lines(self, start: int, end: int, seam: str, frame: Frame | None, room: int) -> list[Atom]:
        return self._ladder(Task(start, end, -1, seam, frame), room, CODE)

    def _table(self, task: Task, room: int, most: int) -> list[Atom]:
        rows = [self.blocks[i] for i in self.children[task.block] if self.blocks[i].kind == "row"]
        given = self._room(room)
        detail = self.blocks[task.block].detail or NO_DETAIL
        if detail.header_end is not None:
            _, opening, close = detail.enclosure or (0, task.start, "")
            shape = TableShape(task.start, task.end, opening, detail.header_end, f"\n{close}" if close else "")
            atoms = split_rows(self.text, rows, shape, given, self.count, task.frame, most)
        else:
            atoms = split_table(self.text, rows, task.start, task.end, given, self.count, task.frame)
        atoms = atoms or self._ladder(task, room, LINES)
        atoms[0] = atoms[0]._replace(seam=task.seam)
        return atoms

    # --- containers ------------------------------------------------------------------------------------------

    def _inner(self, task: Task, kind: str, room: int) -> list[Task]:
        """One task for each block inside a container, and for text that none of them claims."""
        if kind in _HTML:
            return self._html_inner(task, room)
        rule = rule_of(kind)
        if rule.framed and self._is_framed(task):
            return self._framed_inner(task, rule.seam, room)
        frame = self._container_frame(task, kind)
        while rule.bare and frame and frame.outer and cost(frame) > room // 4:
            frame = frame._replace(outer=frame.outer.outer)  # a method's signature says more than its class's
        if cost(frame) > room // 4:
            frame = task.frame
        seam = rule.seam
        tasks: list[Task] = []
        after_heading = False
        before = -1
        for start, end, child in self._bounds(task):
            first = start == task.start
            forbidden = task.forbidden if first else after_heading
            if rule.inline:
                seam = code_seam(self.text, self.blocks, before, child, start)
            around = frame._replace(is_code=True) if frame and self._is_indented_code(child) else frame
            tasks.append(Task(start, end, child, task.seam if first else seam, around, forbidden))
            after_heading = child >= 0 and self.blocks[child].kind == "heading"
            before = child
        return self._keep_captions(tasks, room) if not rule.inline else tasks

    def _keep_captions(self, tasks: list[Task], room: int) -> list[Task]:
        """Tasks of which a caption is not cut from what it names, where both fit."""
        at = [index for index, task in enumerate(tasks) if task.block >= 0]
        for gap in caption_gaps(self.text, self.blocks, [tasks[index].block for index in at]):
            before, after = at[gap - 1], at[gap]
            space = room - cost(tasks[after].frame)
            size = tasks[after].end - tasks[before].start
            if after - before == 1 and not tasks[before].forbidden and size <= LONGEST_TOKEN * max(space, 0):
                whole = self.text[tasks[before].start : tasks[after].end]
                if self.count(whole) < space:
                    tasks[after] = tasks[after]._replace(forbidden=True)
        return tasks

    def _framed_inner(self, task: Task, seam: str, room: int) -> list[Task]:
        """Tasks of a container that opens and closes: what is inside keeps to both, or does without where the frames
        leave too little room; then only the opening and the close are put into it, and are cut from the rest."""
        block = self.blocks[task.block]
        assert block.detail is not None  # only those with an enclosure come here
        assert block.detail.enclosure is not None
        around = self._own_frame(task, block, block.detail.enclosure)
        fits = cost(around) <= room // 2
        edge: Frame | None = around if fits else around._replace(outer=None)
        if cost(edge) > room - LEAST:
            edge = task.frame
        tasks: list[Task] = []
        bounds = self._exact_bounds(task)
        for index, (start, end, child) in enumerate(bounds):
            is_edge = child < 0 and index in (0, len(bounds) - 1)
            frame = around if fits else edge if is_edge else task.frame
            forbidden = fits and (index == 1 or (is_edge and index > 0 and bool(around.close)))
            tasks.append(
                Task(start, end, child, seam if index else task.seam, frame, forbidden if index else task.forbidden)
            )
        return self._keep_captions(tasks, room)

    def _is_indented_code(self, child: int) -> bool:
        if child < 0 or self.blocks[child].kind != "code":
            return False
        return not (self.blocks[child].detail or NO_DETAIL).fenced

    def _html_children(self, task: Task) -> list[int]:
        """The blocks in HTML that are told apart: those in what is repeated are not."""
        block = self.blocks[task.block]
        after = opening_end(block) if is_element(block) else block.start
        return [child for child in self.children[task.block] if self.blocks[child].start >= after]

    def _html_inner(self, task: Task, room: int) -> list[Task]:
        """Tasks of HTML: the elements in it, the Markdown in it, and text between them. An opening that leaves room
        goes to the first of them and a close to the last, where that is HTML too."""
        block = self.blocks[task.block]
        around = task.frame
        if is_element(block):
            around = self._tag_frame(task, block, room)
        seam = seam_inside(block)
        bounds = self._visible_bounds(self._exact_bounds(task, self._html_children(task)))
        is_html_at = [child >= 0 and is_element(self.blocks[child]) for _, _, child in bounds]  # comments are not
        if len(bounds) > 1 and bounds[0][2] < 0 and is_html_at[1] and self._leads_in(bounds, room - cost(task.frame)):
            bounds[:2] = [(task.start, *bounds[1][1:])]
            del is_html_at[0]
        if len(bounds) > 1 and bounds[-1][2] < 0 and is_html_at[-2] and is_closing(self.text, *bounds[-1][:2]):
            bounds[-2:] = [(bounds[-2][0], task.end, bounds[-2][2])]
            del is_html_at[-1]
        tasks: list[Task] = []
        for index, (start, end, child) in enumerate(bounds):
            frame = around
            forbidden = task.forbidden if index == 0 else False
            if child < 0 and (not is_element(block) or (index == 0 and not self._is_short(start, end, room))):
                frame = self._tags.bare(start, end, task.frame)
            elif child >= 0 and index and is_raw(self.blocks[child]) and not is_element(block):
                frame = self._tags.bare(-1, end, task.frame)  # alone it would end with its line
            elif child >= 0 and not is_html_at[index]:
                frame = self._tags.spaced(around)
                forbidden = forbidden or (index == 1 and bounds[0][2] < 0 and self._is_short(*bounds[0][:2], room))
            name = task.seam if index == 0 else seam if child >= 0 else "line"
            tasks.append(Task(start, end, child, name, frame, forbidden))
        return tasks

    def _tag_frame(self, task: Task, block: Block, room: int) -> Frame | None:
        until = opening_end(block)
        rows = [self.blocks[child] for child in self.children[task.block]] if block.kind == "table" else []
        heads = [row for row in rows if row.kind == "row" and row.start < until]
        return self._tags.of(block, task.start, task.end, task.frame, room, heads)

    def _visible_bounds(self, bounds: list[tuple[int, int, int]]) -> list[tuple[int, int, int]]:
        """Bounds of which none but the first starts with white space: a blank line below a tag would end the HTML."""
        out: list[tuple[int, int, int]] = []
        for start, end, child in bounds:
            first = start
            while out and first < end and self.text[first].isspace():
                first += 1
            if first > start:
                out[-1] = (out[-1][0], first, out[-1][2])
            out.append((first, end, child))
        return out

    def _leads_in(self, bounds: Sequence[tuple[int, int, int]], room: int) -> bool:
        """Whether an opening goes with what follows it: a small one always, another where both fit a chunk."""
        (start, end, _), (_, stop, _) = bounds[:2]
        if end - start > LONGEST_TOKEN * room or stop - start > LONGEST_TOKEN * room:
            return False
        return self.count(self.text[start:end]) <= room // 8 or self.count(self.text[start:stop]) <= room

    def _is_short(self, start: int, end: int, room: int) -> bool:
        """Whether a range leaves half of the room."""
        return end - start <= LONGEST_TOKEN * room and self.count(self.text[start:end]) <= room // 2

    def _exact_bounds(self, task: Task, children: Sequence[int] | None = None) -> list[tuple[int, int, int]]:
        """(start, end, block) that tile a container, whose blocks may start inside a line."""
        starts = [(task.start, -1)]
        end = task.start
        for child in self.children[task.block] if children is None else children:
            block = self.blocks[child]
            if starts[-1][1] >= 0 and self._has_text(end, block.start):
                starts.append((end, -1))
            if block.start > starts[-1][0]:
                starts.append((block.start, child))
            elif starts[-1][1] < 0:
                starts[-1] = (block.start, child)
            end = block.end
        if starts[-1][1] >= 0 and self._has_text(end, task.end):
            starts.append((end, -1))
        ends = [start for start, _ in starts[1:]]
        return [(start, end, child) for (start, child), end in zip(starts, [*ends, task.end], strict=True)]

    def _bounds(self, task: Task) -> list[tuple[int, int, int]]:
        """(start, end, block) of whole lines that tile a container; block -1 where no child claims the text."""
        inline = rule_of(self.blocks[task.block].kind).inline  # minified code has many on one line
        starts: list[tuple[int, int]] = []
        end = task.start
        for child in self.children[task.block]:
            block = self.blocks[child]
            start = block.start if inline else line_start(self.text, block.start, task.start)
            if starts and starts[-1][0] == start:
                continue  # several blocks on one line: the first stands for them
            if start > end and (not starts or self._has_text(end, start)):
                starts.append((task.start if not starts else next_line(self.text, end, start), -1))
            if not starts or start > starts[-1][0]:
                starts.append((start, child))
            end = block.end
        if starts and end < task.end and self._has_text(end, task.end):
            rest = next_line(self.text, end, task.end)
            if starts[-1][0] < rest < task.end:
                starts.append((rest, -1))
        if not starts:
            return [(task.start, task.end, -1)]
        ends = [start for start, _ in starts[1:]]
        ends.append(task.end)
        return [(start, end, child) for (start, child), end in zip(starts, ends, strict=True)]

    def _has_text(self, start: int, end: int) -> bool:
        """Whether there is more between two blocks than white space and quote markers."""
        first = self._texts.get(start)
        if first is None:  # containers inside each other end at one place: what follows is looked at once
            found = _TEXT.search(self.text, start)
            first = self._texts[start] = found.start() if found else len(self.text)
        return first < end

    def _container_frame(self, task: Task, kind: str) -> Frame | None:
        block = self.blocks[task.block]
        if block.detail is not None and block.detail.enclosure is not None:
            return self._own_frame(task, block, block.detail.enclosure)
        if kind == "item" and (match := _MARKER.match(self.text, block.start)):
            return self._marker("marker", task, block.start, match.end())
        if kind == "quote":
            return self._marker("quote", task, block.start, min(block.start + 2, block.end))
        if kind == "directive" and self.text.startswith(":::", block.start):
            stop = line_end(self.text, block.start, block.end)
            colons = stop - block.start - len(self.text[block.start : stop].lstrip(":"))
            return self._open_close("directive", task, block.start, stop, "\n\n", "\n\n" + ":" * colons)
        return task.frame

    def _marker(self, role: str, task: Task, start: int, end: int) -> Frame:
        tokens = self.count(self.text[start:end]) + 1
        mark = Context("marker", start, end)
        return Frame(role, task.start, task.end, (mark,), "", tokens, 0, _one_mark(task.frame))

    # --- what is reopened and closed -------------------------------------------------------------------------

    def frame(self, task: Task, kind: str, room: int) -> Frame | None:
        """The fence, comment or formula that every piece of a block is put into, where it leaves enough room."""
        if task.block < 0:
            return None
        block = self.blocks[task.block]
        frame: Frame | None = None
        detail = block.detail or NO_DETAIL
        if is_element(block):
            return self._tag_frame(task, block, room)
        if detail.enclosure is not None:
            frame = self._own_frame(task, block, detail.enclosure)
        elif kind == "code" and detail.fenced:
            frame = self._fence(task, block, room)
        elif kind == "html" and self.text.startswith("<!--", block.start):
            frame = self._open_close("comment", task, block.start, block.start + 4, "\n", "\n-->")
            if (close := self.text.find("-->", block.start, task.end)) >= 0:  # text may follow it
                frame = frame._replace(end=close + 3)
        elif kind == "html" and not self.text.startswith("<!--", _TEXT.search(self.text, block.start).start()):  # type: ignore[union-attr]
            frame = self._tags.bare(task.start, task.end, task.frame)
        elif kind == "math" and self.text.startswith("$$", block.start):
            frame = self._open_close("math", task, block.start, block.start + 2, "\n", "\n$$")
        return _affordable(frame, room, must_close=bool(detail.enclosure and detail.enclosure.close))

    def _own_frame(self, task: Task, block: Block, enclosure: Enclosure) -> Frame:
        """What its parser says that parts of a block are put between."""
        start, end, close = enclosure
        frame = self._open_close(block.kind, task, start, end, "\n", f"\n{close}" if close else "")
        # Its line end may be one token with the blanks after it, or not; one packing too many would cut what fits.
        return frame._replace(opening_tokens=frame.opening_tokens + 1)

    def _fence(self, task: Task, block: Block, room: int) -> Frame:
        begin = line_start(self.text, block.start, max(0, block.start - _PREFIX))
        stop = line_end(self.text, block.start, block.end)
        match = FENCE_MARK.match(self.text, block.start) or FENCE_MARK.search(self.text, begin, stop)
        if match is None:
            return Frame("fence", task.start, task.end, (), "", 0, 0, task.frame)
        prefix = self.text[begin : match.start()]
        indent = re.sub(r"[^>\s]", " ", prefix)
        outer = task.frame
        if prefix.strip("> \t") and outer and outer.role == "marker":
            outer = outer.outer  # the opening line brings the list marker along
        task = task._replace(frame=outer)
        mark = match.group()
        if stop - begin <= 4 * room:
            full = self._open_close("fence", task, begin, stop, "\n", f"\n{indent}{mark}")
            if full.opening_tokens + full.close_tokens <= room // 2:
                return full
        # A long info string or fence would fill the chunk: a bare one, longer than any inside, serves.
        if len(mark) > 8:
            inside = re.findall(rf"^[ \t>]*({mark[0]}{{3,}})", self.text[stop : block.end], re.MULTILINE)
            mark = mark[0] * (1 + max([2, *(len(run) for run in inside if len(run) < len(mark))]))
        return self._open_close("fence", task, begin, begin, f"{indent}{mark}\n", f"\n{indent}{mark}")

    def _open_close(self, role: str, task: Task, start: int, end: int, added: str, close: str) -> Frame:
        opening = Context(role, start, end, added)
        tokens = self.count(self.text[start:end] + added)
        return Frame(role, task.start, task.end, (opening,), close, tokens, self.count(close), task.frame)


class Rule(NamedTuple):
    """What is peculiar about a kind."""

    holds: bool = False
    """Whether it is split by the blocks inside it."""
    filled: bool = False
    """Whether that is so only where there are any."""
    framed: bool = False
    """Whether it has an opening and a close of its own where its parser says so."""
    needs_frame: bool = False
    """Whether it is split by the blocks inside it only where its parser gave it a frame."""
    bare: bool = False
    """Whether it stands without what is around it rather than be cut, and gives its own frame the room of others."""
    inline: bool = False
    """Whether blocks inside it may start within a line, and seams between them depend on what they are."""
    seam: str = "paragraph"
    """The gap between blocks inside it."""
    rungs: tuple[Rung, ...] = LINES
    """How its text is split where no block helps."""


_HTML = frozenset(("html", "table", "row"))
"""Kinds that are elements of HTML, or may be."""
_PLAIN = Rule()
_RULES: Mapping[str, Rule] = {
    "paragraph": Rule(rungs=PROSE),
    "heading": Rule(rungs=PROSE),
    "code": Rule(rungs=CODE),
    "html": Rule(rungs=HTML),
    "row": Rule(rungs=HTML),
    "list": Rule(holds=True, framed=True, seam="item"),
    "item": Rule(holds=True, framed=True, rungs=PROSE),
    "quote": Rule(holds=True, rungs=PROSE),
    "footnote": Rule(holds=True),
    "directive": Rule(holds=True),
    "jsx": Rule(holds=True),
    "turn": Rule(holds=True, rungs=PROSE),
    "environment": Rule(holds=True, framed=True),
    "figure": Rule(holds=True, filled=True, framed=True, needs_frame=True),
    "scope": Rule(holds=True, filled=True, bare=True, inline=True, rungs=CODE),
}


def rule_of(kind: str) -> Rule:
    return _RULES.get(kind, _PLAIN)
