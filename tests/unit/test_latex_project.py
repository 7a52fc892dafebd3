"""LaTeX in several files: parts in order with their places, what is not followed, comments, and the index of it."""

from __future__ import annotations

from pathlib import Path

import pytest

import seamline
from seamline.index.config import IndexConfig
from seamline.recipe.recipe import Recipe
from seamline.search.options import SearchOptions
from seamline.testing.parsers import check_document
from seamline.types import Document

MAIN = r"""\documentclass{article}
\input{macros}
\title{Bridges}
\begin{document}
\section{Start}
Words of the main file. % a remark
\input{parts/one}
\include{two}
% \input{never}
\section{End}
Last words.
\end{document}
"""

SUB = r"""\documentclass[../main]{subfiles}
\begin{document}
\subsection{Sub}
Text of sub.
\end{document}
"""


def write(folder: Path, **files: str) -> None:
    for name, text in files.items():
        path = folder / (name.replace("__", "/") + ".tex")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


@pytest.fixture
def paper(tmp_path: Path) -> Path:
    write(
        tmp_path,
        main=MAIN,
        macros="% macros\n\\newcommand{\\x}{y}\n",
        parts__one="\\section{One}\nText of one.\n\\begin{comment}\nsecret plan\n\\end{comment}\nMore of one.\n",
        two="% first\n\\section{Two}\n\nText of two.\n\\subfile{parts/sub}\n",
        parts__sub=SUB,
        never="\\section{Never}\n",
    )
    return tmp_path


def titles(document: Document) -> list[str]:
    return [b.detail.title or "" for b in document.blocks if b.kind == "heading" and b.detail]


def codes(document: Document) -> list[str]:
    return [notice.code for notice in document.notices]


def test_parts_stand_in_order_with_their_files_and_lines(paper: Path) -> None:
    document = seamline.read(paper / "main.tex")
    check_document(document)
    assert titles(document) == ["Start", "One", "Two", "Sub", "End"]
    for block in document.blocks:
        place = document.place_of(block.span)
        lines = (paper / place["part"]).read_text().splitlines()
        first = document.text[block.start : block.end].splitlines()[0]
        assert lines[place["lines"][0] - 1].startswith(first.strip()), place


def test_comments_are_removed_and_listed(paper: Path) -> None:
    document = seamline.read(paper / "main.tex")
    taken = [document.text[start:end] for start, end in document.removed]
    assert "% a remark" in taken
    assert any("secret plan" in one for one in taken)
    assert not any("secret" in chunk.text or "remark" in chunk.text for chunk in seamline.chunk(document))
    kept = seamline.read(paper / "main.tex", recipe=Recipe(comments="keep"))
    assert any("secret plan" in chunk.text for chunk in seamline.chunk(kept))


def test_what_leads_out_of_the_folder_is_told_and_not_read(tmp_path: Path) -> None:
    (tmp_path / "secret.tex").write_text("hidden words")
    inside = tmp_path / "paper"
    write(inside, main="\\input{../../etc/passwd}\n\\input{../secret}\n\\input{/etc/passwd}\n\\input{link}\nWords.\n")
    (inside / "link.tex").symlink_to(tmp_path / "secret.tex")
    document = seamline.read(inside / "main.tex")
    assert codes(document).count("latex-outside") == 4
    assert "hidden" not in document.text
    assert [notice.where for notice in document.notices][:2] == ["line 1", "line 2"]


def test_cycles_are_told_and_not_followed(tmp_path: Path) -> None:
    write(tmp_path, main="\\input{a}\nWords.\n", a="A before.\n\\input{b}\n", b="B words.\n\\input{a}\n\\input{main}\n")
    document = seamline.read(tmp_path / "main.tex")
    assert codes(document).count("latex-cycle") == 2
    assert document.text.count("A before.") == document.text.count("B words.") == 1


def test_parts_that_name_each_other_twice_stay_bounded(tmp_path: Path) -> None:
    write(tmp_path, **{f"p{n}": f"Words {n}.\n\\input{{p{n + 1}}}\n\\input{{p{n + 1}}}\n" for n in range(30)})
    document = seamline.read(tmp_path / "p0.tex")
    assert "latex-parts" in codes(document)
    assert len(document.text) < 1_000_000


def test_a_missing_part_is_told(tmp_path: Path) -> None:
    write(tmp_path, main="Words.\n\\input{nowhere}\n")
    assert codes(seamline.read(tmp_path / "main.tex")) == ["latex-missing", "latex-input"]


def test_an_index_has_a_project_once_and_follows_its_parts(paper: Path) -> None:
    index = seamline.open_index(paper / ".index", config=IndexConfig(embedder="hash"))
    index.update([str(paper)])
    assert [head.doc for head in index.documents()] == ["main.tex", "never.tex"]
    assert index.search("secret plan", options=SearchOptions(legs="bm25")).hits == ()
    before = index.version("main.tex")
    assert before is not None
    index.update([str(paper)])
    again = index.version("main.tex")
    assert again is not None
    assert again.number == before.number
    write(paper, two="\\section{Two}\n\nEntirely rewritten crane text.\n")
    index.update([str(paper)])
    now = index.version("main.tex")
    assert now is not None
    assert now.number == before.number + 1
    hit = index.search("crane", options=SearchOptions(legs="bm25")).hits[0]
    assert hit.citations[0].anchor["part"] == "two.tex"
    assert hit.citations[0].anchor["lines"][0] == 1


def test_lines_of_two_files_are_told_apart(paper: Path) -> None:
    document = seamline.read(paper / "main.tex")
    place = document.anchors.at(0, len(document.text)) if document.anchors else {}
    assert [one[0] for one in place["part_lines"]][:3] == ["main.tex", "macros.tex", "parts/one.tex"]
