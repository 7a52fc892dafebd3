"""LaTeX projects: are all parts there, in order, each line with the right file and number, and no comment in a chunk?

The files are read here line by line, with patterns of this file alone; seamline reads the same main file. Every line of
text that is no comment must be in the document, in the order of a reader who follows `\\input` by hand, and the place
that the document gives for it must be its file and line. No commented line may be in a chunk.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from benchmarks import engine
from benchmarks.common import need, options, save, table, verdict

MAINS = ("1706.03762/main.tex", "openlogic/introduction.tex")
_COMMENT = re.compile(r"(?<!\\)%.*")
_PART = re.compile(r"\\(?:input|include|subfile|olimport)\{([^}]+)\}")


class Line(NamedTuple):
    file: str
    number: int
    text: str


def by_hand(folder: Path, name: str, *, is_part: bool = False) -> Iterator[Line]:
    """The lines of a project without comments, blank lines and commands that name parts. Of a part that could be a
    document of its own, the lines between its `\\begin{document}` and `\\end{document}`."""
    lines = [_COMMENT.sub("", line).strip() for line in (folder / name).read_text(encoding="utf-8").splitlines()]
    begin, end = r"\begin{document}", r"\end{document}"
    inside = (lines.index(begin) + 1, lines.index(end)) if is_part and begin in lines else (0, len(lines))
    for number, shown in enumerate(lines, 1):
        if not inside[0] < number <= inside[1]:
            continue
        part = _PART.search(shown)
        if part is None:
            if shown:
                yield Line(name, number, shown)
        else:
            yield from by_hand(folder, f"{part[1].removesuffix('.tex')}.tex", is_part=True)


def comments(folder: Path, files: set[str]) -> list[str]:
    """Lines of which nothing is left without their comment, of 20 characters and more."""
    out = []
    for name in files:
        for line in (folder / name).read_text(encoding="utf-8").splitlines():
            if line.lstrip().startswith("%") and len(line.strip(" %")) > 20:
                out.append(line.strip(" %\t"))
    return out


def main() -> None:
    args = options(__doc__).parse_args()
    rows, failed, results = [], False, []
    for name in MAINS:
        path = need(args.data / "documents" / "latex" / name)
        document = engine.read_path(path)
        lines = list(by_hand(path.parent, path.name))
        at = missing = wrong = 0
        for line in lines:
            found = document.text.find(line.text, at)
            if found < 0:
                missing += 1
                continue
            place = document.place_of(engine.span(found, found + len(line.text)))
            wrong += (place.get("part", path.name), place["lines"]) != (line.file, [line.number, line.number])
            at = found + len(line.text)
        chunks = engine.leaves(document, "structural", 512)
        hidden = comments(path.parent, {line.file for line in lines})
        shown = "\n".join(chunk.text for chunk in chunks)
        commented = sum(one in shown and not any(one in line.text for line in lines) for one in hidden)
        files = len({line.file for line in lines})
        ok = not (missing or wrong or commented)
        failed = failed or not ok
        rows.append((name, files, len(lines), missing, wrong, len(hidden), commented, len(chunks), verdict(ok)))
        results.append(
            dict(zip(("name", "files", "lines", "missing", "wrong", "comments", "shown"), rows[-1], strict=False))
        )
    headers = ("project", "files", "lines", "missing", "wrong place", "commented lines", "in chunks", "chunks", "bar")
    print(table(headers, rows))
    save(args.json, "latex_projects", results)
    if failed:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
