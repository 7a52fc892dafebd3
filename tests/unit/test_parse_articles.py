"""JATS and DocBook: sections, tables, figures and references of articles in XML, with their lines."""

from __future__ import annotations

import time

import pytest
from block_views import said, shape
from hypothesis import given, settings
from hypothesis import strategies as st

pytest.importorskip("lxml")

from seamline.errors import SeamlineError
from seamline.parse import parse_bytes
from seamline.parse.sniff import sniff
from seamline.testing.parsers import check_document
from seamline.text.figures import find_images
from seamline.types import Document

DOCTYPE = (
    '<?xml version="1.0"?>\n<!DOCTYPE article PUBLIC "-//NLM//DTD JATS (Z39.96) Journal Archiving DTD v1.2//EN"\n'
    '  "JATS-archivearticle1.dtd">\n'
)
FRONT = (
    "<front><journal-meta><journal-title>Ports</journal-title></journal-meta><article-meta>"
    '<article-id pub-id-type="doi">10.1/x</article-id><title-group><article-title>Tides &amp; <italic>ships</italic>'
    "</article-title></title-group><contrib-group><contrib><name><surname>Pilot</surname><given-names>Ada</given-names>"
    "</name></contrib></contrib-group><pub-date><month>2</month><year>2026</year></pub-date>"
    "<abstract><p>We measure&mdash;daily.</p></abstract></article-meta></front>"
)


@pytest.fixture(autouse=True)
def in_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SEAMLINE_ISOLATE", "0")


def jats(body: str, back: str = "") -> Document:
    source = f'{DOCTYPE}<article article-type="x" xmlns:xlink="http://www.w3.org/1999/xlink">\n{FRONT}\n'
    return checked(f"{source}<body>\n{body}\n</body><back>{back}</back></article>")


def docbook(body: str) -> Document:
    return checked(f'<article xmlns="http://docbook.org/ns/docbook" version="5.0">{body}</article>')


def checked(source: str) -> Document:
    document = parse_bytes(source.encode(), uri="a.xml")
    assert document.source.media_type in ("application/jats+xml", "application/docbook+xml")
    check_document(document)
    return document


def headings(document: Document) -> list[str]:
    return said(document, "heading")


# --- what it is ------------------------------------------------------------------------------------------------------


def test_the_content_says_which_xml_it_is() -> None:
    assert sniff(f"{DOCTYPE}<article/>".encode(), "a.xml") == "application/jats+xml"
    assert sniff(b'<book xmlns="http://docbook.org/ns/docbook"/>', "a.xml") == "application/docbook+xml"
    assert (
        sniff(b'<!DOCTYPE book PUBLIC "-//OASIS//DTD DocBook XML V4.5//EN" "x">\n<book/>', "")
        == "application/docbook+xml"
    )
    assert sniff(b"<config><a/></config>", "a.xml") == "text/x-source"


def test_entities_are_refused_and_those_of_html_are_known() -> None:
    with pytest.raises(SeamlineError, match="entities"):
        checked(
            '<!DOCTYPE article PUBLIC "JATS" "x" [<!ENTITY a SYSTEM "file:///etc/passwd">]>\n'
            '<article dtd-version="1">&a;</article>'
        )
    assert "We measure—daily." in jats("<p>x</p>").text
    assert "&unknown;" in jats("<p>x &unknown; y</p>").text


# --- JATS ------------------------------------------------------------------------------------------------------------


def test_title_abstract_and_sections_are_headings_with_metadata() -> None:
    document = jats("<sec><label>1</label><title>Methods</title><p>A.</p><sec><title>Deep</title><p>B.</p></sec></sec>")
    assert headings(document) == ["# Tides & ships", "## Abstract", "## 1 Methods", "### Deep"]
    assert document.title == "Tides & ships"
    assert dict(document.meta) == {"author": "Ada Pilot", "journal": "Ports", "doi": "10.1/x", "published": "2026-02"}


def test_blocks_know_their_lines_and_ids() -> None:
    document = jats('<sec id="s1"><title>M</title>\n\n<p>Here\nand on.</p></sec>')
    (block,) = [one for one in document.blocks if document.text[one.start : one.end] == "Here and on."]
    place = document.place_of(block.span)
    assert (place["lines"], place["element"]) == ([9, 10], "s1")


def test_lists_formulas_and_code() -> None:
    document = jats(
        "<p>Say <inline-formula><tex-math>$x$</tex-math></inline-formula>:</p><list"
        ' list-type="order"><list-item><p>One.</p>'
        "<list><list-item><p>In.</p></list-item></list></list-item></list><disp-formula><label>(1)</label><tex-math>"
        "\\begin{document}$$a=b$$\\end{document}</tex-math></disp-formula><preformat>a\n  b</preformat>"
    )
    assert document.text.endswith("Say $x$:\n\n1. One.\n   - In.\n\n$$\na=b\n$$\n\n```\na\n  b\n```")


def test_tables_and_figures_have_their_captions() -> None:
    document = jats(
        "<table-wrap><label>Table 1</label><caption><p>Speeds.</p></caption><table><thead><tr>"
        "<th>Ship</th><th>Speed</th></tr>"
        "</thead><tbody><tr><td>Barge</td><td>4</td></tr></tbody></table><table-wrap-foot><fn>"
        "<label>a</label><p>Knots.</p>"
        "</fn></table-wrap-foot></table-wrap><fig><label>Figure 1</label><caption><p>A gauge.</p></caption><graphic "
        'xlink:href="g.png"/></fig>'
    )
    assert said(document, "row") == ["| Ship | Speed |", "| Barge | 4 |"]
    assert "Table 1 Speeds." in said(document, "paragraph")
    assert said(document, "footnote") == ["[^a]: Knots."]
    assert [(one.uri, one.caption) for one in find_images(document)] == [("g.png", "Figure 1 A gauge.")]


def test_references_are_items() -> None:
    back = (
        "<ref-list><ref><label>1</label><mixed-citation>Doe J. <source>Tides</source>. 2001.</mixed-citation></ref>"
        "<ref><element-citation><name><surname>Roe</surname></name><year>2002</year>"
        "</element-citation></ref></ref-list>"
    )
    assert jats("<p>x</p>", back).text.endswith("## References\n\n1. Doe J. Tides. 2001.\n- Roe, 2002")


# --- DocBook ---------------------------------------------------------------------------------------------------------


def test_sections_notes_terms_and_examples() -> None:
    document = docbook(
        "<info><title>Manual</title></info><section><title>Rules</title><para>Wait<footnote><para>In"
        " line.</para></footnote>"
        " for <command>pilot</command>.</para><note><para>Careful.</para></note><variablelist>"
        "<varlistentry><term>Tug</term>"
        "<listitem><para>Pulls.</para></listitem></varlistentry></variablelist><example><title>Call</title>"
        '<programlisting language="sh">call --now</programlisting></example></section>'
    )
    assert document.text == (
        "# Manual\n\n## Rules\n\nWait[^1] for pilot.\n\n[^1]: In line.\n\n> Note\n>\n> Careful.\n\n-"
        " Tug\n\n  Pulls.\n\n"
        "Call\n\n```sh\ncall --now\n```"
    )


def test_a_list_inside_a_paragraph_parts_it() -> None:
    document = docbook("<para>Take <itemizedlist><listitem><para>one</para></listitem></itemizedlist> or none.</para>")
    assert shape(document) == ["paragraph", "list", "  item", "    paragraph", "paragraph"]


def test_cells_span_as_cals_says() -> None:
    document = docbook(
        '<table><title>Speeds</title><tgroup cols="2"><colspec colname="a"/><colspec colname="b"/>'
        "<thead><row><entry>Ship"
        '</entry><entry>Speed</entry></row></thead><tbody><row><entry morerows="1">Barge</entry>'
        "<entry>4</entry></row><row>"
        '<entry>5</entry></row><row><entry namest="a" nameend="b">both</entry></row></tbody></tgroup></table>'
    )
    assert said(document, "row") == ["| Ship | Speed |", "| Barge | 4 |", "| Barge | 5 |", "| both |  |"]


# --- whatever comes --------------------------------------------------------------------------------------------------

NAMES = ("sec", "title", "p", "para", "list", "list-item", "table-wrap", "table", "tr", "td", "fig", "fn", "code",
"term",
         "def-list", "def-item", "disp-quote", "note", "xref", "ref-list", "ref", "caption", "label", "unknown",
         "math")  # fmt: skip
trees = st.recursive(
    st.sampled_from(("word", " ", "\n", "A sentence of words. ", "&amp;", "&nbsp;")),
    lambda inner: st.tuples(st.sampled_from(NAMES), st.lists(inner, max_size=4)).map(
        lambda made: f"<{made[0]}>{''.join(made[1])}</{made[0]}>"
    ),
    max_leaves=25,
)


@settings(max_examples=150, deadline=None)
@given(trees, st.integers(0, 40))
def test_whatever_is_nested_in_what(tree: str, cut: int) -> None:
    source = f'<article dtd-version="1"><body>{tree}</body></article>'
    try:
        document = parse_bytes(source[: len(source) - cut].encode(), uri="a.xml")
    except SeamlineError:
        return
    check_document(document, limits=(64,))


@pytest.mark.parametrize(
    "piece",
    ["<p>a</p>", "<sec><title>a</title><p>b</p></sec>", "<p>a<fn><p>b</p></fn></p>",
    "<list><list-item>a</list-item></list>",
     "<table-wrap><table><tr><td>a</td></tr></table></table-wrap>", "a<b/>", "<fig><graphic/></fig>", "<xref>a</xref>"],
)  # fmt: skip
def test_time_grows_with_the_length(piece: str) -> None:
    def spent(count: int) -> float:
        before = time.process_time()
        parse_bytes(f'<article dtd-version="1"><body>{piece * count}</body></article>'.encode(), uri="a.xml")
        return time.process_time() - before

    small, large = (min(spent(count) for _ in range(3)) for count in (1_000, 8_000))
    assert large < 8 * 2.2 * small + 0.05
