"""Words that point at figures, tables and sections lead to the right chunk, or nowhere."""

from __future__ import annotations

import pytest

import seamline
from seamline.enrich.links import links
from seamline.recipe.recipe import Recipe
from seamline.types import Budget, Chunk

FILL = "\n\n".join("Some words that fill a paragraph, and some more of them after these." for _ in range(4))


def cut(text: str, media: str = "markdown") -> list[Chunk]:
    """A chunk for nearly every block."""
    return seamline.chunk(text, media_type=media, recipe=Recipe(budget=Budget(16, 48)))


def pointing(text: str, media: str = "markdown") -> list[tuple[str, str, str]]:
    """(kind, words, start of the target) of all links."""
    chunks = cut(text, media)
    by_id = {chunk.id: chunk for chunk in chunks}
    found = links(chunks)
    for name, some in found.items():
        for link in some:
            assert by_id[name].start <= link.start < by_id[name].end
            assert link.target in by_id
            assert link.target != name
    return [(one.kind, one.text, by_id[one.target].render("body").strip()) for some in found.values() for one in some]


def only(text: str, media: str = "markdown") -> tuple[str, str, str]:
    (found,) = pointing(text, media)
    return found


@pytest.mark.parametrize(
    ("words", "caption", "said"),
    [
        ("The pump (see Figure 3) hums.", "Figure 3: The pump.", "Figure 3"),
        ("As Fig. 3b shows, it hums.", "Fig. 3. The pump.", "Fig. 3b"),
        ("Wie in Abbildung 3 zu sehen ist.", "Abb. 3: Die Pumpe.", "Abbildung 3"),
        ("Voir la figure 3 pour la pompe.", "Figure 3 : La pompe.", "figure 3"),
        ("Compare figures 1 and 3.", "Figure 3: The pump.", "figures 1 and 3"),
        ("See Figures 2-4.", "Figure 3: The pump.", "Figures 2-4"),
    ],
)
def test_a_figure_is_found_by_its_number(words: str, caption: str, said: str) -> None:
    kind, text, target = only(f"{words}\n\n{FILL}\n\n![pump](pump.png)\n\n{caption}\n")
    assert (kind, text) == ("figure", said)
    assert "![pump]" in target


def test_the_number_may_be_in_the_words_for_the_picture() -> None:
    kind, _, target = only(f"See Figure 3.\n\n{FILL}\n\n![Figure 3: A pump](pump.png)\n\n{FILL}\n")
    assert kind == "figure"
    assert "![Figure 3" in target


@pytest.mark.parametrize(
    "words",
    [
        "Figure 3 of Smith et al. shows it.",
        "This is Figure 3 in [12].",
        "See [12], Figure 3.",
        "See Smith et al., Figure 3.",
        "Compare their Figure 3.",
        "It is in Figure 33.",
        "It is in Figure 3.1.",
        "The `code` says nothing.",
        "In figure-3 mode it hums.",
        "Take figure 1 and 3 pumps.",
        "See /figure 3/x.",
    ],
)
def test_words_about_something_else_point_nowhere(words: str) -> None:
    assert pointing(f"{words}\n\n{FILL}\n\n![pump](pump.png)\n\nFigure 3: The pump.\n") == []


def test_two_figures_of_one_number_are_none() -> None:
    picture = "![pump](pump.png)\n\nFigure 3: The pump.\n"
    assert pointing(f"See Figure 3.\n\n{FILL}\n\n{picture}\n{FILL}\n\n{picture}") == []


def test_a_list_of_figures_is_no_second_figure() -> None:
    listed = "Figure 3: The pump ............ 12\n"
    found = pointing(f"See Figure 3.\n\n{FILL}\n\n{listed}\n{FILL}\n\n![pump](pump.png)\n\nFigure 3: The pump.\n")
    assert [(kind, "![pump]" in target) for kind, _, target in found] == [("figure", True)] * 2


def test_no_words_in_code_or_headings_point() -> None:
    figure = "![pump](pump.png)\n\nFigure 3: The pump.\n"
    assert pointing(f"```\nsee Figure 3\n```\n\n{FILL}\n\n{figure}") == []
    assert pointing(f"# About Figure 3\n\n{FILL}\n\n# Pictures\n\n{figure}") == []


TABLE = "Table 2: Pumps by maker\n\n| Maker | Litres |\n|---|---|\n" + "| A | 1 |\n" * 3


def test_a_table_and_the_text_that_names_it_point_at_each_other() -> None:
    found = pointing(f"All makers are in Table 2, with sizes.\n\n{FILL}\n\n{TABLE}")
    assert sorted((kind, target[:7]) for kind, _, target in found) == [("discusses", "All mak"), ("table", "Table 2")]


def test_a_paragraph_beside_a_table_that_names_its_columns_is_about_it() -> None:
    rows = "| Maker | Litres |\n|---|---|\n" + "| Acme Pumps and Valves | twelve and a half |\n" * 4
    words = "The column Litres is what the Maker says of the pump, which we have not measured, and never will."
    found = pointing(f"{rows}\n{words}\n")
    assert {kind for kind, _, _ in found} == {"discusses"}
    assert [text for _, text, _ in found if text == "Litres"]
    assert (
        pointing(f"{rows}\nA paragraph of no more than other words, which say nothing of pumps or of sizes at all.\n")
        == []
    )


def test_a_table_below_is_the_next_block_or_nothing() -> None:
    words = "The table below has all of the pumps that were ever made by anyone, anywhere, and that still run today."
    rows = "| Pump | Size |\n|---|---|\n" + "| of some make or other | large |\n" * 5
    kind, text, target = only(f"{words}\n\n{rows}")
    assert (kind, text) == ("table", "table below")
    assert target.startswith("| Pump")
    assert pointing(f"{words}\n\n{FILL}\n\n{rows}") == []


@pytest.mark.parametrize(
    "words", ["See Section 2.1.", "Siehe Abschnitt 2.1.", "(cf. § 2.1)", "See Sections 1 and 2.1."]
)
def test_a_section_is_found_by_the_number_of_its_heading(words: str) -> None:
    found = pointing(f"# 9 Start\n\n{words}\n\n{FILL}\n\n## 2.1 Pumps\n\nThey hum.\n")
    assert [(kind, target) for kind, _, target in found] == [("section", "## 2.1 Pumps\n\nThey hum.")]


def test_sections_of_other_texts_point_nowhere() -> None:
    for words in ("See RFC 7231, Section 2.1.", "By Section 2.1 of the Act.", "Section 2.1 of that report says so."):
        assert pointing(f"# 9 Start\n\n{words}\n\n{FILL}\n\n## 2.1 Pumps\n\nThey hum.\n") == []


MARKDOWN = f"""# Top

See [how](#the-pump-hums) and [why](#why).

{FILL}

## The pump hums

It does.

## Reason {{#why}}

So.
"""


def test_anchors_of_markdown() -> None:
    assert [(words, target[:8]) for _, words, target in pointing(MARKDOWN)] == [
        ("[how](#the-pump-hums)", "## The p"),
        ("[why](#why)", "## Reaso"),
    ]
    assert pointing(f"See [how](#gone).\n\n{FILL}\n\n## Here\n\nIt does.\n") == []


LATEX = rf"""\section{{One}}
The pump in Figure~\ref{{fig:pump}} hums, as \cref{{tab:a,eq:b}} say. % not \ref{{sec:x}}

{FILL}

\begin{{figure}}
\includegraphics{{pump}}
\caption{{A pump.}}\label{{fig:pump}}
\end{{figure}}

\begin{{table}}
\caption{{All}}\label{{tab:a}}
\begin{{tabular}}{{ll}}
a & b \\
1 & 2 \\
\end{{tabular}}
\end{{table}}

\begin{{equation}}
x = y \label{{eq:b}}
\end{{equation}}

\section{{Two}}\label{{sec:x}}
Words.
"""


def test_labels_of_latex() -> None:
    assert {(kind, words) for kind, words, _ in pointing(LATEX, "latex") if kind != "discusses"} == {
        ("figure", "Figure~\\ref{fig:pump}"),
        ("table", "\\cref{tab:a,eq:b}"),
        ("equation", "\\cref{tab:a,eq:b}"),
    }


RST = f"""One
===

See :ref:`there <the-pump>` and `Other Things`_.

{FILL}

.. _the-pump:

Pump
----

Hums.

Other Things
------------

No.
"""


def test_targets_of_rst() -> None:
    assert [(words, target[:5].strip()) for _, words, target in pointing(RST, "rst")] == [
        (":ref:`there <the-pump>`", "Pump"),
        ("`Other Things`_", "Other"),
    ]


def test_captions_of_web_pages() -> None:
    text = (
        f"<p>See Figure 1.</p><p>{FILL}</p><p>{FILL}</p>"
        "<figure><img src=a.png alt='A pump'><figcaption>Figure 1: The pump</figcaption></figure>"
    )
    kind, _, target = only(text, "html")
    assert kind == "figure"
    assert "![A pump](a.png) Figure 1: The pump" in target


def test_documents_do_not_point_at_each_other() -> None:
    one, two = cut(f"See Figure 3.\n\n{FILL}\n"), cut("![pump](pump.png)\n\nFigure 3: The pump.\n")
    assert links([*one, *two]) == {}
