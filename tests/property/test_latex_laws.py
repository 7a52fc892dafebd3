"""Whatever LaTeX is nested in what: every chunk closes what it opens, and no source makes the parser fail."""

from __future__ import annotations

import os
import re

from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

import seamline
from seamline.parse import parse_text
from seamline.recipe.recipe import ParseOptions
from seamline.testing.parsers import check_document
from seamline.types import Document

EXAMPLES = int(os.environ.get("SEAMLINE_EXAMPLES", "120"))
law = settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck), print_blob=True)

LATEX = "text/x-tex"
WORDS = ("the", "bridge", "over", "a", "river", "carries", "six", "trains", "an", "hour", "in", "both", "directions")
VERBATIM = re.compile(r"\\begin\{(verbatim|lstlisting|comment)\}.*?\\end\{\1\}", re.DOTALL)
COMMENT = re.compile(r"(?<!\\)%[^\r\n]*")
EDGE = re.compile(r"\\(begin|end)\{([^}]+)\}|(\\\[)|(\\\])")


def read(text: str, comments: str = "keep") -> Document:
    return parse_text(text, id="bridge", media_type=LATEX, reading=ParseOptions(comments=comments))


def balance(text: str) -> list[str]:
    """What is open at the end of a text, and what is closed without having been opened."""
    stack: list[str] = []
    for edge in EDGE.finditer(COMMENT.sub("", VERBATIM.sub("", text))):
        name = edge[2] or "\\["
        if edge[1] == "begin" or edge[3]:
            stack.append(name)
        elif stack and stack[-1] == name:
            stack.pop()
        else:
            return [*stack, f"end {name}"]
    return stack


# --- sources ---------------------------------------------------------------------------------------------------------

sentences = st.lists(st.sampled_from(WORDS), min_size=3, max_size=25).map(
    lambda words: " ".join(words).capitalize() + "."
)
prose = st.lists(sentences, min_size=1, max_size=4).map(" ".join)
gaps = st.sampled_from(("\n", "\n\n", " ", "\n  "))
rows = st.lists(st.lists(st.sampled_from(WORDS), min_size=2, max_size=4), min_size=1, max_size=30)


@st.composite
def tables(draw: st.DrawFn) -> str:
    name = draw(st.sampled_from(("tabular", "longtable")))
    rule = draw(st.sampled_from(("", "\\hline\n", "\\midrule\n")))
    lines = [" & ".join(row) + " \\\\\n" for row in draw(rows)]
    return f"\\begin{{{name}}}{{llll}}\n" + lines[0] + rule + "".join(lines[1:]) + f"\\end{{{name}}}"


@st.composite
def codes(draw: st.DrawFn) -> str:
    name = draw(st.sampled_from(("verbatim", "lstlisting", "comment")))
    lines = draw(st.lists(st.sampled_from(("x = 1", "\\end{itemize}", "", "  call(x) % no", "$5 {")), max_size=40))
    return f"\\begin{{{name}}}\n" + "\n".join(lines) + f"\n\\end{{{name}}}"


@st.composite
def formulas(draw: st.DrawFn) -> str:
    lines = " \\\\\n".join(
        draw(st.lists(st.sampled_from(("a &= b + c", "x_{i} &= \\frac{1}{2}")), min_size=1, max_size=20))
    )
    opening, close = draw(
        st.sampled_from(
            (("\\begin{align*}", "\\end{align*}"), ("\\[", "\\]"), ("\\[\\begin{aligned}", "\\end{aligned}\\]"))
        )
    )
    return f"{opening}\n{lines}\n{close}"


def wrapped(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    environments = st.sampled_from(("theorem", "proof", "quote", "center", "table", "figure"))
    lists = st.sampled_from(("itemize", "enumerate"))
    bodies = st.lists(inner, min_size=1, max_size=4)

    def environment(name: str, parts: list[str], gap: str) -> str:
        return f"\\begin{{{name}}}{gap}{gap.join(parts)}{gap}\\end{{{name}}}"

    def listed(name: str, parts: list[str], gap: str) -> str:
        return f"\\begin{{{name}}}{gap}" + "".join(f"\\item {part}{gap}" for part in parts) + f"\\end{{{name}}}"

    return st.builds(environment, environments, bodies, gaps) | st.builds(listed, lists, bodies, gaps)


blocks = st.recursive(prose | tables() | codes() | formulas(), wrapped, max_leaves=12)
titles = st.lists(st.sampled_from(WORDS), min_size=1, max_size=4).map(
    " ".join
)  # headings of most of a chunk leave no room
headings = st.builds("\\{}{{{}}}".format, st.sampled_from(("section", "subsection", "paragraph")), titles)
sources = st.lists(blocks | blocks | headings, min_size=1, max_size=6).map("\n\n".join)


@law
@given(sources, st.integers(64, 512))
def test_a_chunk_closes_what_it_opens(source: str, limit: int) -> None:
    assert not balance(source)
    document = read(source)
    assert not document.notices
    for chunk in seamline.chunk(document, limit=limit):
        assert not balance(chunk.text), chunk.text
        assert chunk.tokens <= limit


@law
@given(sources)
def test_a_generated_source_keeps_the_contract(source: str) -> None:
    check_document(read(source))


SCRAPS = (
    "\\begin{", "\\end{", "itemize}", "verbatim}", "{", "}", "[", "]", "\\item", "$", "$$", "\\[", "\\]", "\\section",
    "\\section*{A}", "\\\\", "&", "%", "\n", "\r\n", "\r", " ", "\n\n", "\\verb|", "\\iffalse", "\\fi", "tabular}{ll}",
    "\\hline", "\\newcommand\\a", "\\def\\b", "\\title{", "\\footnote{", "word", "\\begin{document}", "\\end{document}",
    "\\begin{figure}", "\\caption{", "\\", "é", "\U0001f600", "\\begin{abstract}", "\\'",
)  # fmt: skip


@law
@example("$$\\begin{document}$$")
@given(st.lists(st.sampled_from(SCRAPS), max_size=60).map("".join))
def test_no_source_makes_it_fail(source: str) -> None:
    document = read(source)
    assert document.text == source
    assert read(source).blocks == document.blocks
    check_document(document, limits=(64,))


@law
@given(sources)
def test_line_ends_change_nothing_but_offsets(source: str) -> None:
    plain, dos = read(source), read(source.replace("\n", "\r\n"))
    assert [(b.kind, b.level, b.parent) for b in plain.blocks] == [(b.kind, b.level, b.parent) for b in dos.blocks]
    texts = [dos.text[b.start : b.end].replace("\r\n", "\n") for b in dos.blocks]
    assert texts == [plain.text[b.start : b.end] for b in plain.blocks]


@law
@given(st.lists(st.sampled_from(SCRAPS), max_size=60).map("".join))
def test_comments_move_to_the_end_and_nothing_is_lost(source: str) -> None:
    document = read(source, "remove")
    check_document(document, limits=(64,))
    assert sorted("".join(document.text.split())) == sorted("".join(source.split()))
    taken = [document.text[start:end] for start, end in document.removed]
    lines = source.splitlines()
    for text, span in zip(taken, document.removed, strict=True):
        if text.startswith("%"):
            number = document.place_of(span)["lines"][0]
            assert text in lines[number - 1]
    again = read(document.text, "remove")
    assert again.text == document.text  # as an index reads back what it stored
