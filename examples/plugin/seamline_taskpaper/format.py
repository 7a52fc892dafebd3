"""The format: TaskPaper files, lists of tasks under the projects they belong to.

Garden:
    - water the beds @due(2026-05-02)
        only where it did not rain
    - prune the roses @done
"""

from __future__ import annotations

import re

from seamline.plugins import Block, Format, ParseInput, ParseResult

FORMAT = Format(
    name="taskpaper",
    media_type="text/x-taskpaper",
    suffixes=(".taskpaper", ".tasks"),
    parser="seamline_taskpaper.format:parse",
    is_text=True,  # it is decoded before it is parsed; chunks are slices of the file itself
    is_proved=True,  # one pass over the lines: it needs no process of its own that can be stopped
)

_LINE = re.compile(r"[^\r\n]+")


def parse(raw: ParseInput) -> ParseResult:
    """Projects as headings by their indentation, tasks as items of lists with the notes below them, else paragraphs."""
    blocks: list[Block] = []
    for line in _LINE.finditer(raw.text):
        text = line[0].strip()
        if not text:
            continue
        start, end = line.start() + line[0].index(text[0]), line.start() + len(line[0].rstrip())
        if text.startswith("- "):
            _add_task(blocks, start, end)
        elif text.endswith(":"):
            depth = len(line[0][: start - line.start()].expandtabs(4)) // 4
            blocks.append(Block("heading", start, end, level=min(depth + 1, 6)))
        elif blocks and blocks[-1].kind == "item" and start > line.start():
            _extend(blocks, end)  # an indented note belongs to the task above it
        else:
            blocks.append(Block("paragraph", start, end))
    return ParseResult(raw.text, blocks)


def _add_task(blocks: list[Block], start: int, end: int) -> None:
    if blocks and blocks[-1].kind == "item":
        parent = blocks[-1].parent
        blocks[parent] = blocks[parent]._replace(end=end)
    else:
        parent = len(blocks)
        blocks.append(Block("list", start, end))
    blocks.append(Block("item", start, end, parent=parent))


def _extend(blocks: list[Block], end: int) -> None:
    """Let the last task, and the list it is in, go on to here."""
    for index in (blocks[-1].parent, len(blocks) - 1):
        blocks[index] = blocks[index]._replace(end=end)
