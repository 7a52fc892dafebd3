"""Texts to fuzz with: Markdown with structure, prose of many languages, random Unicode, fixtures with small changes."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from random import Random

from .pieces import MARKDOWN, MARKS, PROSE, TAGS

TESTS = Path(__file__).parents[1]
LONGEST = 3000
"""Code points of most texts: long enough for structure, short enough for thousands of them."""

# At the ends of what the patterns count: notes of 8 letters, code of 200, 4 late closers, 6 openers, 40 letters before.
EDGES = (
    *(f"x.[^{'n' * size}] B" for size in (7, 8, 9)),
    *(f"`{'c' * size}. D` E" for size in (196, 197, 198)),
    *(f"x.{'*' * size} B" for size in (4, 5, 6)),
    *(f"x. {'“' * size}b" for size in (4, 5, 6)),
    *(f"{'w' * size}. 5" for size in (38, 39, 40, 41)),
    *(f"{'1' * size}. B" for size in (3, 4)),
)
RANGES = (
    *((0x00, 0x7F), (0x00, 0x7F), (0x80, 0x24F), (0x2B0, 0x36F), (0x370, 0x5FF), (0x600, 0x8FF), (0x900, 0xDFF)),
    *((0xE00, 0xEFF), (0x1000, 0x17FF), (0x2000, 0x206F), (0x2E80, 0x33FF), (0x4E00, 0x4EFF), (0xAC00, 0xACFF)),
    *((0xD800, 0xDFFF), (0xFE00, 0xFEFF), (0xFF00, 0xFFEF), (0x1F1E6, 0x1F6FF), (0x20000, 0x200FF), (0, 0x10FFFF)),
)


def text(chance: Random) -> str:
    """Any of the texts below, now and then with other line ends."""
    made = chance.choice((structure, structure, prose, prose, noise, seed, seed, pieces))(chance)
    if chance.random() < 0.3:
        made = change(chance, made)
    if chance.random() < 0.1:
        made = made.replace("\n", chance.choice(("\r\n", "\r", "\n\r")))
    if chance.random() < 0.02:
        made *= chance.randrange(2, 30)
        return made[: 10 * LONGEST]
    return made[:LONGEST]


def prose(chance: Random) -> str:
    """Words and what stands between them."""
    out = []
    for _ in range(chance.randrange(60)):
        out.append(chance.choice(PROSE if chance.random() < 0.95 else EDGES))
        out.append(chance.choice(MARKS) if chance.random() < 0.4 else " ")
    return "".join(out)


def noise(chance: Random) -> str:
    """Code points of a few scripts: controls, surrogates, accents, marks and letters of scripts without spaces."""
    some = chance.sample(RANGES, 3)
    return "".join(chr(chance.randint(*chance.choice(some))) for _ in range(chance.randrange(200)))


def pieces(chance: Random) -> str:
    """What means something to Markdown, side by side."""
    return "".join(chance.choice(MARKDOWN if chance.random() < 0.6 else MARKS) for _ in range(chance.randrange(40)))


def markup(chance: Random) -> str:
    """HTML among Markdown, much of it not as it should be."""
    made = "".join(chance.choice(TAGS if chance.random() < 0.9 else MARKDOWN) for _ in range(chance.randrange(120)))
    if chance.random() < 0.3:
        at = chance.randint(0, len(made))
        made = made[:at] + html_table(chance) + made[at:] if chance.random() < 0.5 else html_table(chance)
    if chance.random() < 0.02:
        made *= chance.randrange(2, 30)
    return "\n<div>\n" + made if chance.random() < 0.5 else made


def html_table(chance: Random) -> str:
    """A table of HTML with rows of as many cells each, nearly."""
    cells = (
        "Name",
        "Use",
        "a text of forty characters, neither more",
        "x" * 41,
        "<b>c</b>",
        " d ",
        "",
        "<td>",
        "é" * 20,
    )
    columns = chance.randrange(1, 4)
    rows = []
    for _ in range(chance.randrange(1, 5)):
        tag = chance.choice(("td", "td", "th"))
        row = "".join(f"<{tag}>{chance.choice(cells)}</{tag}>" for _ in range(columns + (chance.random() < 0.1)))
        rows.append(f"{chance.choice(('', '  '))}<tr>{row}</tr>")
    head = chance.choice(("", "<thead>", "<tbody>")) if chance.random() < 0.5 else ""
    return "\n".join(("<table>", head, *rows, chance.choice(("", "</thead>", "</tbody>")), "</table>\n"))


def structure(chance: Random) -> str:
    """Blocks in blocks, some of them not as they should be."""
    return "".join(f"{block}{chance.choice(GAPS)}" for block in _blocks(chance, 0))


GAPS = ("\n\n", "\n\n", "\n\n", "\n", "\n \n", "\n\n\n", "\n>\n", "")


def _blocks(chance: Random, depth: int) -> list[str]:
    return [chance.choice(KINDS if depth < 4 else LEAVES)(chance, depth + 1) for _ in range(chance.randrange(1, 5))]


def _line(chance: Random) -> str:
    words = " ".join(chance.choice(PROSE) for _ in range(chance.randrange(1, 9)))
    return chance.choice(MARKDOWN) + words if chance.random() < 0.15 else words


def _lines(chance: Random, most: int = 5) -> str:
    return "\n".join(_line(chance) for _ in range(chance.randrange(1, most)))


def _heading(chance: Random, depth: int) -> str:
    if chance.random() < 0.3:
        return f"{_line(chance)}\n{chance.choice('=-') * chance.randrange(1, 5)}"
    return "#" * chance.randrange(1, 8) + chance.choice((" ", "\t", "")) + _line(chance)


def _fence(chance: Random, depth: int) -> str:
    fence = chance.choice("`~") * chance.choice((3, 3, 4, 5, 101))
    close = "\n" + chance.choice((fence, fence, fence, fence + "`", fence[:-1], " " + fence, ""))
    return f"{fence}{chance.choice(('', 'py', ' c++ x', '`'))}\n{_lines(chance, 8)}{close}"


def _table(chance: Random, depth: int) -> str:
    columns = chance.randrange(1, 5)
    lead = _line(chance) + "\n" if chance.random() < 0.3 else ""
    header = "|".join(_line(chance) for _ in range(columns + (chance.random() < 0.1)))
    rule = "|".join(chance.choice(("-", "---", ":-", "-:", ":-:", " - ", "\t-")) for _ in range(columns))
    rows = [
        "|".join(chance.choice(PROSE) for _ in range(chance.randrange(columns + 2))) for _ in range(chance.randrange(6))
    ]
    bar = chance.choice(("", "|", "| "))
    return lead + "\n".join(bar + row + bar for row in (header, rule, *rows))


def _indent(chance: Random, first: str, block: str) -> str:
    """A block in a container: its other lines indented as they should be, or nearly."""
    rest = " " * max(0, len(first) + chance.choice((0, 0, 0, 0, -1, 1, 4)))
    lines = block.split("\n")
    return "\n".join((first + lines[0], *(line if chance.random() < 0.05 else rest + line for line in lines[1:])))


def _list(chance: Random, depth: int) -> str:
    marker = chance.choice(("- ", "* ", "+ ", "1. ", "7) ", "-   ", "-\t", " - "))
    joint = chance.choice(("\n", "\n\n"))
    return joint.join(
        _indent(chance, marker, "\n\n".join(_blocks(chance, depth + 1))) for _ in range(chance.randrange(1, 4))
    )


def _quote(chance: Random, depth: int) -> str:
    lines = "\n\n".join(_blocks(chance, depth)).split("\n")
    return "\n".join(line if chance.random() < 0.05 else chance.choice(("> ", ">", "> ")) + line for line in lines)


def _footnote(chance: Random, depth: int) -> str:
    return _indent(chance, f"[^{chance.choice(('1', 'x y', 'é'))}]: ", "\n\n".join(_blocks(chance, depth + 1)))


def _directive(chance: Random, depth: int) -> str:
    if chance.random() < 0.3:
        return _indent(chance, chance.choice(("!!! note", "??? tip", "???+ é", "!!!x")) + "\n    ", _lines(chance))
    colons = ":" * chance.choice((3, 3, 4, 5))
    inner = "\n\n".join(_blocks(chance, depth))
    return f"{colons}{chance.choice(('note', ' tip é', ''))}\n\n{inner}\n\n{chance.choice((colons, colons[1:], ''))}"


def _html(chance: Random, depth: int) -> str:
    name = chance.choice(("div", "pre", "script", "b", "custom-x", "h1", "textarea", "p"))
    start = chance.choice(
        (f"<{name}>", f"<{name} a='b' c>", f"<{name}", "<!--", "<?x", "<![CDATA[", "<!X", f"</{name}>")
    )
    return (
        start
        + chance.choice(("\n", "", "\n\n"))
        + _lines(chance)
        + chance.choice((f"</{name}>", "-->", "?>", "]]>", ""))
    )


def _reference(chance: Random, depth: int) -> str:
    label = chance.choice(("a", "a\nb", "é", "a\\]", " ", "x" * 30))
    target = chance.choice(("b", "<b c>", "b(c)", "b\\ c", "", "\nb"))
    title = chance.choice(("", "", " ", " 't'", "\n(t)", ' "t\nu"', "'t'"))
    return f"[{label}]: {target}{title}"


def _other(chance: Random, depth: int) -> str:
    return chance.choice(
        ("---", "***", "$$\nx\n$$", "![a](b)", "[![a](b)](c)\n![d][e]", "    code\n\n    more", "\ufeff")
    )


LEAVES: tuple[Callable[[Random, int], str], ...] = (
    lambda chance, depth: _lines(chance),
    *(_heading, _fence, _table, _html, _reference, _other),
)
KINDS = (*LEAVES, _list, _list, _quote, _footnote, _directive)


def seed(chance: Random) -> str:
    """A text of the fixtures, or a part of it, with a few changes."""
    whole = chance.choice(SEEDS)
    start = chance.randrange(max(1, len(whole) - LONGEST))
    made = whole[start : start + LONGEST]
    for _ in range(chance.randrange(1, 5)):
        made = change(chance, made)
    return made


def change(chance: Random, made: str) -> str:
    """A piece put in, taken out, doubled or moved; or all lines put into a container."""
    at, size = chance.randint(0, len(made)), chance.randrange(1, 12)
    how = chance.randrange(6)
    if how == 0:
        return made[:at] + chance.choice((*MARKDOWN, *MARKS, *PROSE)) + made[at:]
    if how == 1:
        return made[:at] + made[at + size :]
    if how == 2:
        return made[: at + size] + made[at:]
    if how == 3:
        return made[:at] + chance.choice(("\n", "\x00", "\ud800", "\u0301", "😀", "é", "\r")) + made[at + 1 :]
    lines = made.split("\n")
    if how == 4:
        one, other = chance.randrange(len(lines)), chance.randrange(len(lines))
        lines[one], lines[other] = lines[other], lines[one]
        return "\n".join(lines)
    mark = chance.choice(("> ", "- ", "\t", "    ", "[^a]: ", "  "))
    return "\n".join(mark + line for line in lines)


def _read_seeds() -> list[str]:
    found = []
    for name in ("spec", "tables"):
        found += [row["markdown"] for row in json.loads((TESTS / f"fixtures/commonmark/{name}.json").read_bytes())]
    files = [*TESTS.glob("golden/**/*.md"), *TESTS.glob("fixtures/code/*"), *TESTS.glob("fixtures/entities/*.txt")]
    found += [path.read_text("utf-8") for path in sorted(files)]
    return [text for text in found if text]


SEEDS = _read_seeds()
