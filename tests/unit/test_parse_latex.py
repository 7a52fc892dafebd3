"""LaTeX: which blocks its source holds, what parts of a large one are put between, and what is said of odd input."""

from __future__ import annotations

import pytest
from block_views import said, shape, titles

import seamline
from seamline.parse import parse_bytes, parse_text
from seamline.recipe.recipe import ParseOptions
from seamline.testing.parsers import check_document
from seamline.types import NO_DETAIL, Block, Detail, Document


def read(text: str, front_matter: str = "metadata") -> Document:
    """With its comments, so that the text is the source."""
    reading = ParseOptions(front_matter=front_matter, comments="keep")
    document = parse_text(text, id="bridge", media_type="text/x-tex", reading=reading)
    assert document.text == text
    check_document(document)
    return document


def only(document: Document, kind: str) -> Block:
    (block,) = [block for block in document.blocks if block.kind == kind]
    return block


def codes(document: Document) -> list[str]:
    return [notice.code for notice in document.notices]


# --- headings --------------------------------------------------------------------------------------------------------


def test_levels_start_at_the_highest_command_in_use() -> None:
    document = read("\\section{A}\n\\subsection{B}\n\\paragraph{C} Words.\n\\section*{D}\nWords.\n")
    assert titles(document) == [(1, "A"), (2, "B"), (4, "C"), (1, "D")]


def test_a_part_is_above_all_and_the_deepest_level_is_six() -> None:
    names = ("part", "chapter", "section", "subsection", "subsubsection", "paragraph", "subparagraph")
    document = read("".join(f"\\{name}{{{name}}}\n" for name in names))
    assert [level for level, _ in titles(document)] == [1, 2, 3, 4, 5, 6, 6]


@pytest.mark.parametrize(
    ("source", "title"),
    [
        ("\\section[short]{A long\n  title}", "A long title"),
        ("\\section{On $n$ \\emph{bridges}\\footnote{Not all.} \\& more}", "On n bridges & more"),
        (
            "\\section{L\\\"owenheim--Skolem, \\L{}ukasz, {\\c{C}}aglar, \\'Etude}",
            "Löwenheim–Skolem, Łukasz, Çaglar, Étude",
        ),
        ("\\section {A [b] c}\\label{sec:a} % a comment", "A [b] c"),
        ("\\section%\n  {A}", "A"),
        ("\\olsection{Of a class}", "Of a class"),
        ("\\olchapter{fol}{int}{The last one}", "The last one"),
        ("\\section[a {]} b]{Brackets}", "Brackets"),
    ],
)
def test_titles_are_plain_words(source: str, title: str) -> None:
    document = read(source + "\nWords.\n")
    assert titles(document) == [(1, title)]
    assert said(document, "paragraph") == ["Words."]


def test_the_words_after_a_paragraph_command_are_a_block_of_their_own() -> None:
    document = read("\\paragraph{Thanks} To all.\nAnd more.\n")
    assert said(document, "heading") == ["\\paragraph{Thanks}"]
    assert said(document, "paragraph") == ["To all.\nAnd more."]


def test_what_is_defined_commented_out_or_verbatim_is_no_heading() -> None:
    document = read(
        "\\newcommand{\\a}[1]{\\section{#1}}\n\\def\\b#1{\\section{B}}\n% \\section{C}\n\\verb|\\section{D}|\n"
        "\\begin{verbatim}\n\\section{E}\n\\end{verbatim}\n\\begin{comment}\n\\section{F}\n\\end{comment}\n"
        "\\iffalse\n\\ifx a b \\fi\n\\section{G}\n\\fi\n\\url{http://a/%20} \\section{H}\n"
    )
    assert titles(document) == [(1, "H")]
    assert not document.notices


def test_a_heading_without_a_title_in_its_paragraph_is_text() -> None:
    document = read("\\section{A\n\nWords.\n\n\\section{B}\n")
    assert titles(document) == [(1, "B")]
    assert codes(document) == ["latex-braces"]


def test_environments_around_headings_leave_them_at_the_top() -> None:
    document = read("\\begin{appendices}\n\\section{A}\nWords.\n\\end{appendices}\n")
    assert shape(document) == ["paragraph", "heading", "paragraph", "paragraph"]
    assert not document.notices


# --- the document ----------------------------------------------------------------------------------------------------

PAPER = (
    "\\documentclass{article}\n\\title{On \\textbf{bridges}}\n\\author{Ann Bee\\thanks{Paid.}\\\\Here \\and Cee Dee}\n"
    "\\date{May 2020}\n\\begin{document}\n\\maketitle\n\\section{A}\nWords.\n\\end{document}\n"
)


def test_the_preamble_is_metadata() -> None:
    document = read(PAPER)
    assert document.title == "On bridges"
    assert document.front_matter == {"title": "On bridges", "author": ["Ann Bee, Here", "Cee Dee"], "date": "May 2020"}
    assert shape(document) == ["paragraph", "heading", "paragraph"]
    start, end = document.removed
    assert document.text[start.start : start.end].endswith("\\begin{document}")
    assert document.text[end.start : end.end] == "\\end{document}"
    assert codes(document) == ["latex-preamble"]


def test_the_preamble_can_be_kept() -> None:
    document = read(PAPER, "include")
    assert shape(document) == ["front_matter", "paragraph", "heading", "paragraph", "paragraph"]
    assert not document.removed
    assert not document.notices


def test_the_preamble_can_be_stripped() -> None:
    document = read(PAPER, "strip")
    assert not document.front_matter
    assert len(document.removed) == 2


def test_text_after_the_end_is_kept_and_said() -> None:
    document = read("\\begin{document}\nWords.\n\\end{document}\nLeft over.\n")
    assert said(document, "paragraph") == ["Words.", "\\end{document}\nLeft over."]
    assert "latex-after-end" in codes(document)


def test_an_abstract_before_the_document_is_text() -> None:
    document = read(
        "\\documentclass{a}\n\\begin{abstract}\nShort.\n\\end{abstract}\n\\begin{document}\nWords.\n\\end{document}"
    )
    assert shape(document)[:2] == ["environment", "  paragraph"]


def test_a_source_without_a_document_environment_is_all_text() -> None:
    document = read("\\documentclass{article}\nJust words.\n")
    assert shape(document) == ["paragraph"]
    assert not document.removed


def test_other_files_are_named_and_not_read() -> None:
    document = read("\\input{/etc/hostname}\\include{b} \\lstinputlisting{c} \\olimport{d}\n")
    assert document.notices[0].code == "latex-input"
    assert document.notices[0].message.startswith("4 ")


# --- environments ----------------------------------------------------------------------------------------------------


def test_lists_have_items_and_lists_inside_them() -> None:
    document = read(
        "\\begin{itemize}\n  \\item One.\n  \\item Two:\n  \\begin{enumerate}\n    \\item[a] Deep.\n"
        "  \\end{enumerate}\n  More.\n\\end{itemize}\n"
    )
    assert shape(document) == [
        "list", "  item", "    paragraph", "  item", "    paragraph", "    list", "      item", "        paragraph",
        "    paragraph",
    ]  # fmt: skip
    assert [block.level for block in document.blocks if block.kind == "list"] == [0, 1]
    assert said(document, "item")[2] == "    \\item[a] Deep."


def test_an_environment_with_items_is_a_list() -> None:
    assert shape(read("\\begin{steps}\n\\item One.\n\\end{steps}\n")) == ["list", "  item", "    paragraph"]


def test_a_bibliography_is_a_list_of_its_entries() -> None:
    document = read(
        "\\begin{thebibliography}{9}\n\\bibitem{a} A book.\n\n\\bibitem[B]{b} Another.\n\\end{thebibliography}"
    )
    assert said(document, "item") == ["\\bibitem{a} A book.", "\\bibitem[B]{b} Another."]


def test_a_theorem_holds_paragraphs_and_formulas() -> None:
    document = read(
        "\\begin{theorem}[Euler]\nSo:\n\\begin{equation}\na = b\n\\end{equation}\n\nDone.\n\\end{theorem}\n"
    )
    assert shape(document) == ["environment", "  paragraph", "  math", "  paragraph"]
    start, end, close = (document.blocks[0].detail or NO_DETAIL).enclosure or (0, 0, "")
    assert (document.text[start:end], close) == ("\\begin{theorem}[Euler]", "\\end{theorem}")


@pytest.mark.parametrize("formula", ["\\[\na\n\\]", "$$a$$", "\\begin{align*}\na &= b\\\\\n\\end{align*}"])
def test_formulas_that_stand_alone_are_math(formula: str) -> None:
    document = read(f"So that\n{formula}\nwhere $b$ is c.\n")
    assert shape(document) == ["paragraph", "math", "paragraph"]
    assert said(document, "math") == [formula]


def test_a_formula_with_environments_inside_is_split_by_them() -> None:
    document = read("\\begin{equation}\nf = \\begin{cases} 1 \\\\ 2 \\end{cases}\n\\end{equation}\n")
    assert shape(document) == ["environment", "  math", "  math"]


def test_formulas_in_a_paragraph_stay_there() -> None:
    document = read("A matrix $\\begin{pmatrix} a & b \\end{pmatrix}$ and \\(c\\) cost \\$5.\n")
    assert shape(document) == ["paragraph"]
    assert not document.notices


def test_verbatim_text_is_code_with_its_language() -> None:
    document = read(
        "\\begin{lstlisting}[language=Python, caption={A}]\nx = 1 % {\n\\end{lstlisting}\n"
        '\\begin{minted}{rust}\nlet a = "}";\n\\end{minted}\n\\begin{Verbatim}\n$5 \\begin{x}\n\\end{Verbatim}\n'
    )
    assert shape(document) == ["code", "code", "code"]
    assert [(b.detail or NO_DETAIL).language for b in document.blocks] == ["Python", "rust", ""]
    assert not document.notices


def test_environments_that_the_source_calls_verbatim_are() -> None:
    document = read("\\lstnewenvironment{py}[1]{}{}\n\\begin{py}\n\\section{no}\n\\end{py}\n")
    assert "code" in shape(document)
    assert not titles(document)


def test_a_figure_keeps_its_caption() -> None:
    document = read("\\begin{figure}[h]\n\\includegraphics{a}\n\\caption{The \\emph{bridge}}\n\\end{figure}\n")
    assert shape(document) == ["figure"]
    assert (document.blocks[0].detail or NO_DETAIL).caption == "The bridge"


# --- tables ----------------------------------------------------------------------------------------------------------

TABLE = (
    "\\begin{tabular}{lr}\n\\toprule\nA & B \\\\\n\\cmidrule(lr){1-2}\n\\midrule\na & 1 \\\\[2pt]\n"
    "\\makecell{b\\\\c} & 2 \\\\\n\\bottomrule\n\\end{tabular}"
)


def test_a_table_has_rows_under_a_header() -> None:
    document = read(TABLE)
    table = document.blocks[0]
    assert shape(document) == ["table", "  row", "  row", "  row"]
    assert said(document, "row") == ["\\toprule\nA & B \\\\", "a & 1 \\\\[2pt]", "\\makecell{b\\\\c} & 2 \\\\"]
    assert document.text[: (table.detail or NO_DETAIL).header_end].endswith("\\midrule")


def test_a_rule_under_some_cells_does_not_end_the_header() -> None:
    document = read(
        "\\begin{tabular}{ll}\n\\multicolumn{2}{c}{A} \\\\\n\\cmidrule{1-2}\nB & C \\\\\n\\hline\na & b \\\\\n"
        "\\hline\nc & d \\\\\n\\hline\n\\end{tabular}\n"
    )
    assert document.text[: (document.blocks[0].detail or NO_DETAIL).header_end].endswith("B & C \\\\\n\\hline")
    assert len(said(document, "row")) == 4


def test_a_table_without_a_rule_has_no_header() -> None:
    document = read("\\begin{tabular}{ll}\na & b \\\\\nc & d\n\\end{tabular}\n")
    assert said(document, "row") == ["a & b \\\\", "c & d"]
    assert document.text[: (document.blocks[0].detail or NO_DETAIL).header_end] == "\\begin{tabular}{ll}"


def test_a_long_table_has_the_head_it_names() -> None:
    document = read(
        "\\begin{longtable}{l}\nA \\\\\n\\hline\nA again \\\\\n\\endhead\na \\\\\nb \\\\\n\\end{longtable}\n"
    )
    assert document.text[: (document.blocks[0].detail or NO_DETAIL).header_end].endswith("\\endhead")


def test_parts_of_a_table_stand_under_its_header() -> None:
    rows = "".join(f"bridge {i} & {i} trains \\\\\n" for i in range(60))
    document = read(
        "\\begin{table}[t]\n\\begin{tabular}{lr}\nName & Trains \\\\\n\\hline\n"
        + rows
        + "\\end{tabular}\n\\end{table}\n"
    )
    chunks = seamline.chunk(document, limit=128)
    assert len(chunks) > 5
    for chunk in chunks:
        assert "\\begin{table}[t]\n\\begin{tabular}{lr}\nName & Trains \\\\\n\\hline\n" in chunk.text
        assert chunk.text.endswith("\\end{tabular}\n\\end{table}")


@pytest.mark.parametrize("limit", [64, 96, 128, 192, 256])
def test_a_header_of_half_a_chunk_is_cut_short_and_never_left_out(limit: int) -> None:
    head = "\\multirow{2}{*}{Model} & \\multicolumn{2}{c}{Score} & & \\multicolumn{2}{c}{Training Cost (FLOPs)} \\\\\n"
    names = "\\cmidrule{2-3} \\cmidrule{5-6}\n& EN-DE & EN-FR & & EN-DE & EN-FR \\\\\n"
    rows = "".join(f"Model of the year {i} & {i} & {i} & & $10^{i}$ & \\\\\n" for i in range(30))
    opening = "\\begin{table}[t]\n\\begin{center}\n\\begin{tabular}{lccccc}\n\\toprule\n"
    document = read(f"{opening}{head}{names}\\hline\n{rows}\\end{{tabular}}\n\\end{{center}}\n\\end{{table}}\n")
    chunks = seamline.chunk(document, limit=limit)
    assert seamline.audit(chunks, limit=limit) == []
    assert all("Model} " in chunk.text for chunk in chunks if "of the year" in chunk.text)
    short = [chunk for chunk in chunks if " ...\n" in chunk.text]
    assert bool(short) == (limit < 128)


def test_a_header_too_large_to_repeat_leaves_the_table_closed() -> None:
    head = " & ".join(f"a rather long name of column {i}" for i in range(12))
    rows = "".join(f"{i} & " * 11 + f"{i} \\\\\n" for i in range(40))
    document = read(f"\\begin{{tabular}}{{l}}\n{head} \\\\\n\\hline\n{rows}\\end{{tabular}}\n")
    chunks = seamline.chunk(document, limit=128)
    for chunk in chunks:
        assert chunk.text.count("\\begin{tabular}{l}") == chunk.text.count("\\end{tabular}") == 1


# --- parts -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["verbatim", "align", "quote", "itemize", "figure", "comment"])
@pytest.mark.parametrize("limit", [64, 256])
def test_parts_open_and_close_their_environment(name: str, limit: int) -> None:
    item = "\\item " if name == "itemize" else ""
    lines = "".join(f"{item}line {i} about the bridge over the river \\\\\n" for i in range(80))
    document = read(f"Words before.\n\n\\begin{{{name}}}\n{lines}\\end{{{name}}}\n\nWords after.\n")
    chunks = seamline.chunk(document, limit=limit)
    assert len(chunks) > 3
    for chunk in chunks:
        assert chunk.text.count(f"\\begin{{{name}}}") == chunk.text.count(f"\\end{{{name}}}") <= 1


def test_environments_deeper_than_a_chunk_has_room_for_are_closed_where_they_open() -> None:
    depth = 12
    inner = "Words about the bridge over the river, again and again. " * 20
    document = read("\\begin{quote}\n" * depth + inner + "\n\\end{quote}" * depth)
    for chunk in seamline.chunk(document, limit=64):
        assert chunk.text.count("\\begin{quote}") == chunk.text.count("\\end{quote}")


# --- odd input -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("source", "code"),
    [
        ("{" * 3000, "latex-braces"),
        ("a } b", "latex-braces"),
        ("\\begin{itemize}\\item " * 500, "latex-environments"),
        ("a \\end{quote} b", "latex-environments"),
        ("\\begin{quote}\\begin{center} a \\end{quote}", "latex-environments"),
        ("\\begin{verbatim}\n never closed", "latex-environments"),
        ("text $x + y\n\npara", "latex-math"),
        ("\\catcode`\\|=0 |section{Hi}", "latex-catcode"),
        ("\\begin{quote}" * 250 + "a" + "\\end{quote}" * 250, "latex-depth"),
    ],
)
def test_what_cannot_be_read_as_meant_is_said(source: str, code: str) -> None:
    assert code in codes(read(source))


@pytest.mark.parametrize(
    "source",
    [
        "",
        "\n\n",
        "\\",
        "\\begin",
        "\\begin{",
        "\\section",
        "\\verb",
        "\\verb|",
        "%",
        "\ufeff",
        "\\begin{document}",
        "\\iffalse",
    ],
)
def test_sources_of_next_to_nothing_are_read(source: str) -> None:
    read(source)


def test_comments_belong_to_blocks() -> None:
    document = read("% A remark\n% of two lines\n\nWords. % here\n% and here\nMore.\n")
    assert [block.detail for block in document.blocks] == [Detail(comment=True), None]


def test_macros_that_would_never_end_are_not_expanded() -> None:
    assert shape(read("\\def\\a{\\a\\a}\\a \\loop\\iftrue x\\repeat \\write18{touch x}")) == ["paragraph"]


def test_files_are_known_by_content() -> None:
    document = parse_bytes(b"% a comment\n\\documentclass{article}\n\\begin{document}\n\\section{A}\n\\end{document}\n")
    assert document.source.media_type == "text/x-tex"
    assert titles(document) == [(1, "A")]
