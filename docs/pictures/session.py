"""A terminal session as an SVG picture: runs the commands below for real and draws what they print.

    python docs/pictures/session.py docs/pictures/session.svg
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from html import escape
from pathlib import Path

COMMANDS = (
    "seamline index handbook",
    'seamline search "why did the 429 retry fail" -k 1',
    "sed -i 's/else 60 seconds/else 90 seconds/' handbook/webhooks.md",
    "seamline index handbook",
    "seamline cite {key}",
)
COLUMNS = 104
HANDBOOK = Path(__file__).parents[2] / "examples" / "handbook"

WIDTH, HEIGHT, MARGIN = 8.4, 19, 16  # of a character, of a line, around the text
COLOURS = {"31": "#f47067", "32": "#8ddb8c", "33": "#daaa3f", "34": "#6cb6ff", "35": "#dcbdfb", "36": "#76e3ea"}
PAPER, INK, FAINT = "#1c2128", "#cdd9e5", "#768390"
SEQUENCE = re.compile(r"\x1b\[([\d;]*)m")
KEY = re.compile(r"\b[0-9a-f]{24}@1\b")
SECONDS = re.compile(r"(?<=chunks, in )[\d.]+ s\b")


def run() -> list[str]:
    """The session, line by line, with its colours as escape sequences."""
    lines: list[str] = []
    environment = {**os.environ, "FORCE_COLOR": "1", "COLUMNS": str(COLUMNS), "TERM": "xterm-256color"}
    environment["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), environment.get("PATH", "")])
    environment.pop("NO_COLOR", None)
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(HANDBOOK, Path(folder, "handbook"))
        key = ""
        for template in COMMANDS:
            command = template.format(key=key)
            done = subprocess.run(
                command,
                shell=True,
                cwd=folder,
                env=environment,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                check=True,
            )
            key = key or next(iter(KEY.findall(SEQUENCE.sub("", done.stdout))), "")
            shown = [SECONDS.sub("1.2 s", line.split("\r")[-1]) for line in done.stdout.splitlines()]
            lines += [f"\x1b[1m$ {command}\x1b[0m", *shown, ""]
    return [line for line, after in zip(lines, lines[1:], strict=False) if line or after]


def draw_line(line: str, y: float) -> str:
    """One line of text: a span for each run of one look, at its own column."""
    spans: list[str] = []
    column, colour, is_bold = 0, INK, False
    parts = SEQUENCE.split(line)
    for index, part in enumerate(parts):
        if index % 2:
            for code in part.split(";") if part else ["0"]:
                if code == "0":
                    colour, is_bold = INK, False
                elif code == "1":
                    is_bold = True
                elif code == "2":
                    colour = FAINT
                elif code in COLOURS:
                    colour = COLOURS[code]
        elif part:
            weight = ' font-weight="bold"' if is_bold else ""
            x = MARGIN + column * WIDTH
            length = len(part) * WIDTH
            spans.append(
                f'<tspan x="{x:.1f}" textLength="{length:.1f}" fill="{colour}"{weight}>{escape(part, quote=False)}</tspan>'
            )
            column += len(part)
    return f'<text y="{y:.1f}">{"".join(spans)}</text>' if spans else ""


def draw(lines: list[str]) -> str:
    """The whole picture."""
    width = 2 * MARGIN + max(len(SEQUENCE.sub("", line)) for line in lines) * WIDTH
    height = 2 * MARGIN + len(lines) * HEIGHT
    drawn = [draw_line(line, MARGIN + (index + 0.75) * HEIGHT) for index, line in enumerate(lines)]
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" role="img" '
            'font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, monospace" font-size="14" xml:space="preserve">',
            "<title>A terminal session: index a folder, search it, edit a file, follow the citation</title>",
            f'<rect width="100%" height="100%" rx="8" fill="{PAPER}"/>',
            *filter(None, drawn),
            "</svg>\n",
        ]
    )


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(draw(run()), encoding="utf-8")
