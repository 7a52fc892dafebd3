"""HTML: the text a browser shows, as blocks that stand where the source has them."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import seamline
from seamline.parse import parse_bytes
from seamline.parse.builder import CAPTION
from seamline.parse.html.meta import declared_encoding
from seamline.parse.html.page import parse
from seamline.parse.parser_types import ParseInput, ParseLimits, ParseResult
from seamline.recipe.recipe import ParseOptions
from seamline.testing.parsers import check_document
from seamline.types import Document


@pytest.fixture(autouse=True)
def here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SEAMLINE_ISOLATE", "0")


def read(markup: str, boilerplate: str = "keep") -> Document:
    document = parse_bytes(markup.encode(), uri="page.html", reading=ParseOptions(boilerplate=boilerplate))
    check_document(document)
    return document


def raw_parse(markup: str, limits: ParseLimits | None = None) -> ParseResult:
    return parse(ParseInput(b"", markup, "page.html", "text/html", ParseOptions(), limits or ParseLimits()))


def kinds(document: Document) -> list[str]:
    return [block.kind for block in document.blocks]


def source_of(document: Document, markup: str, index: int) -> str:
    start, end = document.place_of(document.blocks[index].span)["source"]
    return markup[start:end]


def codes(document: Document) -> list[str]:
    return [notice.code for notice in document.notices]


# --- text ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("markup", "text"),
    [
        ("<p>one\n   two\tthree</p>", "one two three"),
        ("<p>fo<b>o</b>bar <i> x</i> y</p>", "foobar x y"),
        ("<p>a&amp;b &lt;c&gt; &#8211; &nbsp; d&eacute;</p>", "a&b <c> – dé"),
        ("<p>one<br>two</p>", "one\ntwo"),
        ("<p>one<br><br>two<br> <br>three", "one\n\ntwo\n\nthree"),
        ("loose <b>text</b><p>p</p>tail", "loose text\n\np\n\ntail"),
        ("<div>a<div>b</div>c</div>", "a\n\nb\n\nc"),
        ("<a href=x><div>block in a link</div></a>", "block in a link"),
        ("<p>wo<wbr>rd</p>", "word"),
        ("<button>Yes</button><button>No</button>", "Yes No"),
        ("<select><option>a<option>b</select>", "a b"),
        (
            "<label>Name <input value=Ann></label><input type=hidden value=no><input type=submit value=Go>",
            "Name Ann Go",
        ),
        ("<textarea>typed\ntext</textarea>", "typed text"),
        ("<details><summary>More</summary>inside</details>", "More\n\ninside"),
        ("<ruby>漢<rp>(</rp><rt>kan</rt><rp>)</rp></ruby>", "漢(kan)"),
        ("<p>Sum <math><mi>x</mi><mo>+</mo><mn>1</mn></math></p>", "Sum x + 1"),
        ("<p>Let <math alttext='x^2'><mi>x</mi></math> be", "Let $x^2$ be"),
        ("<svg><text>label</text><text>two</text></svg>", "label two"),
        ("<frameset><noframes><p>no <b>frames</b></noframes></frameset>", "no frames"),
        ("just text, no tags", "just text, no tags"),
    ],
)
def test_text_is_joined_as_a_browser_shows_it(markup: str, text: str) -> None:
    assert read(markup).text == text


def test_a_formula_that_stands_alone_is_a_block_of_tex() -> None:
    markup = (
        "<p>So</p><math display=block><semantics><mi>x</mi><annotation encoding='application/x-tex'>x = 1</annotation>"
        "</semantics></math>"
    )
    document = read(markup)
    assert document.text == "So\n\n$$\nx = 1\n$$"
    assert kinds(document) == ["paragraph", "math"]


def test_code_keeps_its_lines_and_names_its_language() -> None:
    markup = "<pre class='highlight'><code class='language-py'>def f():\n    <b>return</b> 1 &lt; 2\n</code></pre>"
    document = read(markup)
    assert document.text == "```py\ndef f():\n    return 1 < 2\n```"
    assert kinds(document) == ["code"]
    assert source_of(document, markup, 0) == markup


@pytest.mark.parametrize(
    ("markup", "language"),
    [
        ("<div class='highlight-source-rust'><pre>x</pre></div>", "rust"),
        ("<pre class='sourceCode python'><code>x</code></pre>", "python"),
        ("<pre class='brush: js'>x</pre>", "js"),
        ("<pre data-lang=go>x</pre>", "go"),
        ("<pre class='my block'>x</pre>", ""),
        ("<pre class='language-`x`'>x</pre>", ""),
    ],
)
def test_languages_come_from_what_highlighters_leave(markup: str, language: str) -> None:
    assert read(markup).text == f"```{language}\nx\n```"


def test_line_breaks_in_code_are_lines() -> None:
    assert read("<pre>a<br>b<br>c</pre>").text == "```\na\nb\nc\n```"


# --- the tree -----------------------------------------------------------------------------------------------------


def test_headings_stand_at_the_top_wherever_they_are() -> None:
    document = read(
        "<h1>A</h1><div><section><h2>B <small>small</small></h2><p>b</p></section></div>"
        "<blockquote><h3>C</h3><p>quoted</p></blockquote><h6>D</h6>"
    )
    assert document.text == "# A\n\n## B small\n\nb\n\n### C\n\n> quoted\n\n###### D"
    assert [(b.kind, b.level) for b in document.blocks if b.kind == "heading"] == [
        ("heading", 1),
        ("heading", 2),
        ("heading", 3),
        ("heading", 6),
    ]
    assert all(block.parent == -1 for block in document.blocks if block.kind == "heading")
    assert document.title == "A"


def test_a_list_of_cards_is_a_list_of_sections() -> None:
    document = read("<ul><li><h3>One</h3><p>first</p></li><li><h3>Two</h3><p>second</p></li><li>plain</li></ul>")
    assert document.text == "### One\n\nfirst\n\n### Two\n\nsecond\n\n- plain"


def test_lists_nest_and_count_as_the_page_does() -> None:
    document = read(
        "<ol start=3><li>c<li value=7>g<ul><li>x<ul><li>y</ul></ul><li>h</ol><ol type=a><li>a<li>b</ol>"
        "<ol reversed><li>two<li>one</ol><ol type=I start=4><li>four"
    )
    assert document.text.splitlines() == [
        "3. c", "7. g", "   - x", "     - y", "8. h", "", "a. a", "b. b", "", "2. two", "1. one", "", "IV. four",
    ]  # fmt: skip
    assert [block.level for block in document.blocks if block.kind == "list"] == [1, 2, 3, 1, 1, 1]


def test_malformed_lists_keep_their_text() -> None:
    assert read("<li>alone").text == "- alone"
    assert read("<ul>loose<ul><li>inner</ul><p>para</ul>").text == "loose\n\n- inner\n\npara"
    assert read("<ol start=x><li value=1e9>a<li value=99999999999>b</ol>").text == "1. a\n2. b"


def test_terms_and_what_is_said_of_them_are_items() -> None:
    document = read("<dl><div><dt>A<dt>B<dd>one<dd>two</div><dt>C<dd><dl><dt>D<dd>d</dl></dl><p>end")
    assert document.text == "- A\n\n  B\n\n  one\n\n  two\n- C\n  - D\n\n    d\n\nend"


def test_quotes_rules_and_items_hold_blocks() -> None:
    document = read("<blockquote><p>a</p><ul><li>b<pre>c\nd</pre></ul></blockquote><hr><p>e")
    assert document.text == "> a\n>\n> - b\n>\n>   ```\n>   c\n>   d\n>   ```\n\n---\n\ne"
    assert kinds(document) == ["quote", "paragraph", "list", "item", "paragraph", "code", "rule", "paragraph"]


def test_figures_hold_what_stands_for_the_picture_and_its_caption() -> None:
    document = read("<figure><img alt='A duck'><figcaption>Fig. 1: <i>Anas</i>.</figcaption></figure>")
    assert document.text == "[A duck] Fig. 1: Anas."
    assert kinds(document) == ["figure"]


def test_an_image_that_leads_a_paragraph_is_a_figure_and_one_inside_is_a_word() -> None:
    document = read("<p><img alt='Photo of a pond'>Ducks swim <img alt='🦆'> in <img alt='ponds'>.<img alt=''></p>")
    assert document.text == "[Photo of a pond]\n\nDucks swim 🦆 in [ponds]."
    assert kinds(document) == ["figure", "paragraph"]


@pytest.mark.parametrize(
    ("image", "shown"),
    [
        ("<img src=duck.png alt='A duck'>", "![A duck](duck.png)"),
        ("<img src=' /img/duck(1).png?w=2&amp;h=3 ' alt='A duck'>", "![A duck](/img/duck%281%29.png?w=2&h=3)"),
        ("<img src='data:image/png;base64,AAAA' alt='A duck'>", "[A duck]"),
        ("<img src='a duck.png' alt='A duck'>", "[A duck]"),
        ("<img src='' alt='A duck'>", "[A duck]"),
        (f"<img src='{'x' * 301}' alt='A duck'>", "[A duck]"),
        ("<img src=duck.png alt='A [duck](x)'>", "[A [duck](x)]"),
        ("<img src=duck.png alt='🦆'>", "🦆"),
        ("<img src=e.png class=tex alt='e=mc'>", "$e=mc$"),
    ],
)
def test_pictures_keep_their_address_where_it_can_be_told(image: str, shown: str) -> None:
    assert read(f"<p>see {image}</p>").text == f"see {shown}"
    document = read(image)
    assert document.text == shown
    assert kinds(document) == ["figure" if shown[0] in "![" else "paragraph"]


def test_headings_and_cells_do_not_name_the_files_of_pictures() -> None:
    document = read("<h1><img src=a.png alt='Our logo'></h1><table><tr><th>a<th>b<tr><td><img src=b.png alt=Yes!><td>c")
    assert document.title == "[Our logo]"
    assert document.text.endswith("| [Yes!] | c |")


def test_a_figure_may_hold_code_or_a_table() -> None:
    document = read("<figure><pre>x</pre><figcaption>Listing</figcaption></figure>")
    assert kinds(document) == ["code", "paragraph"]
    assert document.blocks[1].detail == CAPTION


# --- places -------------------------------------------------------------------------------------------------------


def test_blocks_stand_from_tag_to_tag() -> None:
    markup = (
        "<body>\n<h1 id=top>T</h1>\n<div id=main>loose <b>text</b>\n<p>one\ntwo</p> tail </div>\n<ul><li>a<li>b</ul>"
    )
    document = read(markup)
    found = [(source_of(document, markup, index), block.kind) for index, block in enumerate(document.blocks)]
    assert [text for text, kind in found if kind in ("heading", "paragraph")] == [
        "<h1 id=top>T</h1>",
        "loose <b>text</b>",
        "<p>one\ntwo</p>",
        "tail",
        "<li>a",
        "<li>b",
    ]
    places = [document.place_of(block.span) for block in document.blocks]
    assert places[0]["element"] == "top"
    assert [place["lines"] for place in places[:4]] == [[2, 2], [3, 3], [4, 5], [5, 5]]
    assert [place.get("element") for place in places[1:4]] == ["main"] * 3


@pytest.mark.parametrize(
    ("markup", "name"),
    [
        ("<h2 id=a>x</h2>", "a"),
        ("<h2><span id=b>x</span></h2>", "b"),
        ("<a name=c></a><h2>x</h2>", "c"),
        ("<div id=d><div><p>x</p></div></div>", "d"),
        ("<div id=e></div><p>x</p>", None),
        ("<p id=f><span id=g>x</span></p>", "f"),
    ],
)
def test_the_nearest_id_names_a_block(markup: str, name: str | None) -> None:
    document = read(markup)
    assert document.place_of(document.blocks[0].span).get("element") == name


def test_line_ends_of_two_characters_count_as_two() -> None:
    unix = "<h1>A</h1>\n<p>one\ntwo</p>\n\n<table>\n<tr><th>x<th>y\n<tr><td>1<td>2\n</table>\n"
    dos = unix.replace("\n", "\r\n")
    mac = unix.replace("\n", "\r")
    first, second, third = read(unix), read(dos), read(mac)
    assert first.text == second.text == third.text
    for index in range(len(first.blocks)):
        there = source_of(second, dos, index)
        assert there.replace("\r\n", "\n") == source_of(first, unix, index)
        assert source_of(third, mac, index) == source_of(first, unix, index).replace("\n", "\r")
        places = [one.place_of(one.blocks[index].span)["lines"] for one in (first, second, third)]
        assert places[0] == places[1] == places[2]


def test_all_places_are_spans_of_the_source() -> None:
    markup = "<p>a<table><tr><td>x</table><div>b<b>c<p>d</b>e</div></p>f<li>g</body>h"
    document = read(markup)
    for run in document.anchors or ():
        start, end = run.place["source"]
        assert 0 <= start <= end <= len(markup)
        assert run.place["lines"] == [1, 1]


# --- what is not shown --------------------------------------------------------------------------------------------


def test_what_nobody_sees_is_left_out_and_counted() -> None:
    document = read(
        "<style>p{}</style><script>var x</script><p>seen</p><p hidden>four</p><div style='color:red; display: none'>"
        "five5<span hidden>six666</span></div><noscript>on</noscript><template>t</template><p hidden=until-found>found"
    )
    assert document.text == "seen\n\nfound"
    assert codes(document) == ["hidden-text"]
    assert "18 characters in elements that no reader sees (5)" in document.notices[0].message


def test_scripts_alone_are_not_worth_a_remark() -> None:
    assert read("<script>x</script><style>y</style><p>a<script>z</script>b</p>").notices == ()


@pytest.mark.parametrize(
    ("markup", "said"),
    [
        ("<p>a</p><!-- never closed <p>b</p>", "a comment is never closed"),
        ("<p>a</p><a href='never closed> <p>b</p>", "a tag is never closed"),
        ("<p>a</p><script>never closed <p>b</p>", "<script> is never closed and takes the last 21 characters"),
        ("<p>a</p><textarea>x", "<textarea> is never closed"),
    ],
)
def test_a_page_that_breaks_off_says_so(markup: str, said: str) -> None:
    document = read(markup)
    assert document.text.startswith("a")
    assert codes(document) == ["html-cut-off"]
    assert said in document.notices[0].message


def test_an_empty_page_says_so() -> None:
    for markup in ("", "   \n", "<html><head><title>T</title></head><body></body></html>", "<img src=x>"):
        document = read(markup)
        assert document.text == ""
        assert codes(document) == ["html-empty"]


def content(document: Document) -> str:
    """The text without what stands after it: what was left out."""
    return document.text[: document.removed[0].start].rstrip() if document.removed else document.text


def removed(document: Document) -> list[str]:
    return [document.text[start:end] for start, end in document.removed]


def test_boilerplate_is_listed_after_the_text_and_counted() -> None:
    markup = (
        "<body><header><a href=/>Logo</a></header>\n<nav><ul><li>Home<li>About</ul></nav>"
        "<div class='cookie-banner'>We use cookies</div><article><header><h1>Title</h1></header>"
        "<p>Content of the page, which is what people came for, and somewhat more than the rest of it.</p>"
        "<aside><a href=/b>Related</a></aside></article><footer>Imprint</footer></body>"
    )
    assert "We use cookies" in read(markup).text
    assert read(markup).removed == ()
    document = read(markup, "remove")
    assert content(document).startswith("# Title\n\nContent of the page, which is what people came for")
    assert removed(document) == ["Logo", "Home About", "We use cookies", "Related", "Imprint"]
    assert codes(document) == ["boilerplate"]
    assert "5 menus, banners and the like with 42 characters" in document.notices[0].message
    assert document.place_of(document.removed[1])["lines"] == [2, 2]
    assert not any("cookies" in chunk.text for chunk in seamline.chunk(document))


def test_only_the_main_element_is_content_where_there_is_one() -> None:
    document = read("<div>before<main><p>content that is long enough to be one</p></main>after</div>", "remove")
    assert content(document) == "content that is long enough to be one"
    assert removed(document) == ["before", "after"]


def test_the_heading_above_the_main_element_is_kept() -> None:
    markup = "<header><a href=/>Logo</a><h1>Ducks</h1></header><main><p>Words about ducks.</p></main>"
    assert content(read(markup, "remove")) == "# Ducks\n\nWords about ducks."


def test_a_page_that_does_not_say_what_its_content_is_loses_nothing() -> None:
    markup = "<div class=menu><a href=/>Home</a></div><div><p>Some words of it.</p></div><footer>Imprint</footer>"
    assert read(markup, "remove").text == read(markup).text
    long = "Running text that is about as long as that of the other part of the page, with more words in it."
    both = f"<article><p>{long}</p></article><div><p>{long} And it is not in an article.</p></div>"
    assert read(both, "remove").text == read(both).text


def test_notes_and_quotes_beside_the_text_are_content() -> None:
    markup = (
        "<main><h1>T</h1><p>Some words of the page.</p><aside class='note'>Mind the gap.</aside>"
        "<blockquote>Said so.<footer>A person</footer></blockquote><aside>Words without a link stay.</aside></main>"
    )
    assert read(markup, "remove").removed == ()


def test_what_holds_most_of_a_page_is_not_taken_for_a_menu() -> None:
    text = "All the text there is stands in a strangely named element."
    document = read(f"<main><div class=sidebar><p><a href=/>{text}</a></p></div></main>", "remove")
    assert document.text == text


# --- metadata -----------------------------------------------------------------------------------------------------


def test_metadata_is_what_the_page_says_of_itself() -> None:
    document = read(
        "<html lang=de><head><title> A \n title </title><meta name=author content='Ann Author'>"
        "<meta property='og:description' content=short><meta name=Description content='A page'>"
        "<meta property=article:published_time content=2024-05-01><link rel=canonical href='https://example.com/a'>"
        "<body><svg><title>no</title></svg><h1>Heading</h1>"
    )
    assert document.title == "A title"
    assert document.front_matter == {
        "description": "A page",
        "author": "Ann Author",
        "published": "2024-05-01",
        "language": "de",
        "canonical": "https://example.com/a",
    }


def test_a_title_that_is_no_title_is_cut() -> None:
    document = read(f"<title>{'t' * 10_000}</title><p>x")
    assert len(document.title) == 500
    assert codes(document) == ["title-cut"]


def test_xhtml_may_close_elements_at_once() -> None:
    markup = (
        '<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><head><title/><script src="a.js" /></head>'
        "<body><p>text</p></body></html>"
    )
    document = read(markup)
    assert document.text == "text"
    assert source_of(document, markup, 0) == "<p>text</p>"
    assert document.notices == ()


def test_entities_that_a_document_type_declares_are_text() -> None:
    document = read("<!DOCTYPE html [<!ENTITY x SYSTEM 'file:///etc/passwd'>]><p>&x;</p>")
    assert "&x;" in document.text
    assert "root:" not in document.text


@pytest.mark.parametrize(
    ("page", "encoding"),
    [
        ("<meta charset=windows-1251><p>Утка".encode("cp1251"), "cp1251"),
        ("<meta http-equiv=content-type content='text/html; charset=iso-8859-1'>\xe9".encode("latin-1"), "cp1252"),
        ("<?xml version='1.0' encoding='koi8-r'?><p>Утка".encode("koi8-r"), "koi8-r"),
        ("<meta charset=iso-2022-jp><p>日本".encode("iso-2022-jp"), "iso2022_jp"),
        ("<meta charset=utf-8><meta charset=shift_jis><p>日本".encode("shift_jis"), "cp932"),
        ("<meta charset=windows-1251><p>Утка".encode(), None),
        ("<meta charset=base64><p>\xe9".encode("latin-1"), None),
        ("<meta charset=utf-7><p>\xe9".encode("latin-1"), None),
        ("<meta charset=utf-16><p>\xe9".encode("latin-1"), None),
        ("<p>\xe9".encode("latin-1"), None),
        ("<meta charset=cp1251>x".encode("utf-16"), None),
    ],
)
def test_pages_that_are_not_utf8_declare_their_encoding(page: bytes, encoding: str | None) -> None:
    assert declared_encoding(page) == encoding


def test_a_page_that_is_not_utf8_says_how_it_was_read() -> None:
    data = "<meta charset=cp1251><p>Утка".encode("cp1251")
    document = parse_bytes(data, uri="page.html")
    assert document.text == "Утка"
    assert codes(document) == ["encoding"]


# --- hostile ------------------------------------------------------------------------------------------------------

HOSTILE = {
    "deep divs": "<div>" * 20_000 + "deep" + "</div>" * 20_000,
    "deep lists": "<ul><li>" * 3_000 + "deep",
    "deep lists with text": "".join(f"<ul><li>item {n}" for n in range(300)),
    "deep quotes": "<blockquote>q" * 3_000,
    "deep tables": "<table><tr><td>x" * 1_000,
    "deep formatting": "<b><i>" * 5_000 + "deep",
    "misnested": "<a><b><p>x</a></b>" * 500,
    "attributes": "<p " + " ".join(f"a{n}=1" for n in range(5_000)) + ">x",
    "spans": "<table>" + "<tr><td colspan=100000000 rowspan=100000000>x<td>y" * 30 + "</table>",
    "rows below spans": "<table><tr>" + "<td rowspan=65534>x" * 500 + "<tr><td>y" * 2_000 + "</table>",
    "ragged": "<table><tr>" + "<td>x" * 2_000 + "<tr><td>y" * 2_000 + "</table>",
    "wide": "<table>" + ("<tr>" + "<td>word" * 300) * 6 + "</table>",
    "long cell that spans": "<table><tr><td rowspan=1000>" + "word " * 2_000 + "<td>y" + "<tr><td>z" * 500 + "</table>",
    "breaks": "a<br>" * 5_000,
    "headings in tables": "<h1>a<table><tr><td><h2>b</h2>text</table>tail</h1>" * 100,
    "nulls": "<p\x00>te\x00xt</p><scr\x00ipt>x",
    "entities": "<p>&#0;&#xD800;&#x110000;&notit;&amp;amp;</p>",
    "cdata": "<![CDATA[x]]><svg><![CDATA[y]]></svg><?php echo 1?><![<p>z",
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_pages_are_read_within_bounds(name: str) -> None:
    start = time.process_time()
    document = read(HOSTILE[name])
    assert document.text
    assert len(document.text) < 40 * len(HOSTILE[name]) + 1_000
    assert time.process_time() - start < 60  # a hang, not a speed: a slow machine has room


def test_nesting_beyond_reading_is_flattened_and_told() -> None:
    document = read(HOSTILE["deep lists with text"])
    assert all(f"item {n}\n" in document.text + "\n" for n in range(250))
    assert codes(document) == ["deep-nesting"]


def test_tables_that_claim_too_much_are_told() -> None:
    assert codes(read(HOSTILE["ragged"])) == ["ragged-table"]
    assert "table-spans" in codes(read(HOSTILE["rows below spans"]))


def test_text_past_the_limit_is_counted() -> None:
    parsed = raw_parse("<p>12345</p>" * 100, ParseLimits(characters=100))
    assert len(parsed.text) < 120
    assert [notice.code for notice in parsed.notices] == ["text-limit"]
    assert parsed.notices[0].message.startswith("425 characters")


PIECES = """
<p> </p> <div_id=a> </div> <b> </b> <table> <tr> <td_rowspan=2> <th_colspan=3> </table> <ul> <ol_start=5> <li> </ul>
<h1> </h1> <h3>
<pre> </pre> <br> <hr> <img_alt='a_b'> <dl> <dt> <dd> </dl> <blockquote> </blockquote> <figure> <figcaption>
</figure> <caption> <script> </script> <template> </template> <select> <option> <svg> <math> </math> <!-- --> text &amp;
Wort. <a_name=x> <p_hidden> <details> <summary> | ``` #_ _
"""
SOUP = [piece.replace("_", " ") for piece in PIECES.split()] + ["\n", "\r\n"]


@settings(max_examples=150, deadline=None)
@given(st.lists(st.sampled_from(SOUP), max_size=60).map("".join))
def test_any_tag_soup_is_a_document(markup: str) -> None:
    parsed = raw_parse(markup)
    document = Document("d", parse_bytes(b"x", uri="x.md").source, parsed.text, parsed.blocks, anchors=parsed.anchors)
    check_document(document, limits=(64,))
    assert parsed == raw_parse(markup)
    for run in parsed.anchors or ():
        start, end = run.place["source"]
        assert 0 <= start <= end <= len(markup)


@settings(max_examples=100, deadline=None)
@given(st.text(max_size=200))
def test_any_text_is_a_page(markup: str) -> None:
    raw_parse(markup)


def test_elements_that_are_never_closed_are_told() -> None:
    told = parse(ParseInput(b"", "<div>" * 5000 + "deep")).notices
    assert [one.code for one in told] == ["deep-nesting"]
    assert parse(ParseInput(b"", "<div>" * 150 + "fine" + "</div>" * 150)).notices == ()
