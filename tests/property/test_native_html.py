"""What the compiled reader makes of pages held against the path over turbohtml: the same text, blocks, places, titles,
metadata and notices for every page, whether it needs repair or not."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from random import Random
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from seamline import native
from seamline.parse.builder import Builder
from seamline.parse.html.page import parse, read_page
from seamline.parse.raw import Limits, Raw
from seamline.recipe.recipe import Reading

pytest.importorskip("seamline._html", reason="the extension was not built: pip install -e . with a compiler")

WORDS = [
    "a", "b c", " ", "\n", "  x  ", "&amp;", "&lt;b&gt;", "&nbsp;", "AT&T", "&copy;", "&#65;", "&#x1F600;", "&fjlig;",
    "\u2003z", "\u3000", "|", "`", "```x```", "\x0b", "\x1c", "\x85", "\u2028k", "# z", "> q", "日本", "&#10;", "\r\n",
]  # fmt: skip
WRONG = [
    "&copy",
    "&notit;",
    "&#128;",
    "&#0;",
    "\0",
    "1 < 2",
    "<",
    "</",
    "<!x>",
    "<?x?>",
    "<![CDATA[x]]>",
    "<!-->",
    "&#1",
]
ATTRIBUTES = [
    "id=x", 'id="y z"', "id=''", "id", "ID=Q", 'id="a&amp;b"', "name=n", "class=python", 'class="language-js c"',
    "class=mwe-math", "hidden", "hidden=until-found", 'style="display:none"', "style='font-size:0'",
    "style='color:red'", 'style="&#100;isplay:none"', 'alt="a b  c"', "alt=''", "alt=:)", "type=a", "type=submit",
    "type=I", "value=7", "start=5", "start=x", "reversed", "role=none", "colspan=2", "rowspan=2", "rowspan=0",
    "lang=de", "data-lang=rust", "title='<'", "href='?a=b&copy=c'", "pubdate", "datetime=2020", "content=k",
    "x='<title/>'", "shadowrootmode=open",
]  # fmt: skip
INLINE = [
    "b",
    "i",
    "em",
    "span",
    "code",
    "small",
    "sup",
    "q",
    "time",
    "font",
    "label",
    "x-y",
    "text",
    "ruby",
    "kbd",
    "marquee",
]
BLOCKS = [
    "div",
    "section",
    "article",
    "header",
    "nav",
    "aside",
    "blockquote",
    "center",
    "details",
    "address",
    "fieldset",
    "figure",
    "summary",
    "dialog",
]
ANY = [
    *INLINE, *BLOCKS, "p", "a", "button", "select", "option", "optgroup", "h1", "h2", "ul", "ol", "li", "dl", "dt",
    "dd", "pre", "table", "caption", "colgroup", "col", "thead", "tbody", "tr", "td", "th", "form", "figcaption", "svg",
    "math", "title", "script", "style", "noscript", "iframe", "video", "template", "object", "textarea", "br", "img",
    "input", "hr", "link", "meta", "html", "head", "body", "frameset", "plaintext", "xmp", "nobr", "rt", "rp", "desc",
]  # fmt: skip


HEAD = [
    "<title>t &amp; u</title>",
    "<meta name=author content='x  y'>",
    "<link rel='a CANONICAL' href=' u '>",
    "\n<style>a</style>",
    "<noscript><link></noscript>",
    "<meta property=og:title content=&hellip;>",
]


class Writer:
    """Writes a page that a number stands for: drawing each of its parts from Hypothesis takes far longer."""

    def __init__(self, seed: int) -> None:
        self._random = Random(seed)

    def one(self, *choices: str) -> str:
        return self._random.choice(choices)

    def some(self, write: Callable[[], str], most: int = 3) -> str:
        return "".join(write() for _ in range(self._random.randint(0, most)))

    def attrs(self) -> str:
        count = self._random.choice((0, 0, 0, 1, 1, 2))
        return "".join(f" {one}" for one in self._random.sample(ATTRIBUTES, count))

    def words(self) -> str:
        return self.some(lambda: self.one(*WORDS))

    def element(self, names: Sequence[str], write: Callable[[], str]) -> str:
        name = self.one(*names)
        return f"<{name}{self.attrs()}>{write()}</{name}>"

    def apart(self) -> str:
        """What stands in lines and is no running text."""
        attrs, words = self.attrs(), self.words()
        return self.one(
            f"<a{attrs}>{words}</a>",
            f"<select{attrs}><option>a<option>{words}</option></select>",
            f"<svg{attrs}><g><path d='x'/><text>{words}</text></g><title>t</title></svg>",
            f"<textarea>\n{words}</textarea>",
            f"<template{attrs}>{words}<p>x</template>",
            f"<{self.one('br', 'img', 'img', 'input', 'wbr', 'link')}{attrs}>",
            self.one(
                "<script>a<b<!--c</script>", "<style>p>a{}</style>", "<!-- <p> -- -->", "<video>v</video>", "<br>"
            ),
        )

    def line(self, depth: int = 2) -> str:
        def part() -> str:
            which = self._random.random()
            if which < 0.5 or not depth:
                return self.words()
            return self.apart() if which < 0.75 else self.element(INLINE, lambda: self.line(depth - 1))

        return self.some(part)

    def table(self) -> str:
        above = self.one("<tbody>", "<caption>c</caption><tbody id=t>", "<thead><tr><th>h<th>i</thead><tbody>", "\n")
        end = "" if above == "\n" else "</tbody>"

        def row() -> str:
            return f"<tr{self.attrs()}>" + self.some(
                lambda: f"<{self.one('td', 'td', 'th')}{self.attrs()}>{self.line()}"
            )

        return f"<table{self.attrs()}>{above}{self.some(row, 4)}{end}</table>"

    def listed(self, depth: int) -> str:
        name = self.one("ul", "ol", "menu", "dl")
        tags = ("dt", "dd") if name == "dl" else ("li",)
        items = self.some(lambda: f"<{self.one(*tags)}{self.attrs()}>{self.content(depth - 1)}", 4)
        return f"<{name}{self.attrs()}>{items}</{name}>"

    def block(self, depth: int) -> str:
        which = self._random.randrange(9)
        if which == 0 and depth:
            return self.element(BLOCKS, lambda: self.content(depth - 1))
        if which == 1 and depth:
            return self.listed(depth)
        if which < 4:
            return self.element(("p", "p", "h1", "h2", "h6"), self.line)
        if which == 4:
            return self.table()
        if which == 5:
            return f"<pre{self.attrs()}>\n{self.words()}<br>{self.words()}</pre>"
        if which == 6:
            return f"<figure{self.attrs()}><img alt='p q'>{self.words()}<figcaption>{self.line()}</figcaption></figure>"
        return self.one(self.line(), f"<hr{self.attrs()}>", "<p>open", "\n")

    def content(self, depth: int) -> str:
        return self.some(lambda: self.block(depth))

    def page(self) -> str:
        kind = self.one("<!doctype html>", "<!-- x --><!DOCTYPE HTML >\n", "<?xml version='1.0'?><!DOCTYPE html>", "")
        root = self.one("<html lang=en>", "<html xmlns='http://www.w3.org/1999/xhtml'>", "")
        head, body = self.some(lambda: self.one(*HEAD)), self.one("<body>", "<body id=b>", "")
        return f"{kind}{root}{head}{body}{self.content(4)}" + self.one("</body></html>\n", "</body>", "")

    def soup(self) -> str:
        def part() -> str:
            name = self.one(*ANY)
            return self.one(self.one(*WORDS), self.one(*WRONG), f"<{name}{self.attrs()}>", f"</{name}>", f"<{name}/>")

        return self.some(part, 12)

    def damaged(self) -> str:
        """A page that a tag was taken out of, or something put into."""
        page = self.page()
        tags = list(re.finditer(r"<[^<>]*>", page))
        if tags and self._random.random() < 0.5:
            found = self._random.choice(tags)
            return page[: found.start()] + page[found.end() :]
        at = self._random.randint(0, len(page))
        return page[:at] + self.soup() + page[at + self._random.randint(0, 2) :]


patient = settings(deadline=None)
"""The first page loads turbohtml."""
seeds = st.integers(0, 2**64)
pages = st.builds(lambda seed: Writer(seed).page(), seeds)
soup = st.builds(lambda seed: Writer(seed).soup(), seeds)
damaged = st.builds(lambda seed: Writer(seed).damaged(), seeds)


# --- both paths ---------------------------------------------------------------------------------------------------


def both(markups: list[str], part: str = "", limits: Limits | None = None) -> list[Any]:
    """Pages one after the other, by the compiled reader and without it."""
    out = []
    for reader in (native.HTML, None):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(native, "HTML", reader)
            builder = Builder()
            raw = Raw(b"", limits=limits or Limits())
            read = [read_page(markup, builder, raw, part) for markup in markups]
            text, blocks, anchors = builder.finish()
            out.append((text, blocks, list(anchors or ()), read))
    return out


def is_taken(markup: str, **told: Any) -> bool:
    """Whether the compiled reader takes a page."""
    calls: list[object] = []

    class Spy:
        @staticmethod
        def read_page(*args: Any) -> Any:
            calls.append(found := compiled.read_page(*args))
            return found

    compiled = native.HTML
    assert compiled is not None
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(native, "HTML", Spy)
        parse(Raw(b"", markup, **told))
    return bool(calls) and calls[0] is not None


@patient
@given(pages, st.sampled_from(["", "p.xhtml"]))
@example("<!doctype html><title>a</title><p>x<img alt='a b'><table><tr><td>1<td><img alt='c d'><td>3</table>", "")
@example("<html lang=en><title></title></head>\n&#65;b</body></html>", "")  # an end tag of what has no start tag
def test_pages_are_read_alike(page: str, part: str) -> None:
    one, other = both([page], part)
    assert one == other


@patient
@given(soup)
@example("<svg><title><b>x</b></title><desc>y</desc></svg>")
@example("<p><svg><span>x")
@example("<script><!--<script></script>a</script>b")
@example("<p>a<table><tr><td>b</table>")  # a table in a paragraph, by the rules of old pages
@example("<template><td>x</td></template>")
def test_soup_is_read_alike(page: str) -> None:
    one, other = both([page])
    assert one == other


@patient
@given(damaged)
def test_damaged_pages_are_read_alike(page: str) -> None:
    one, other = both([page])
    assert one == other


@given(st.lists(pages, min_size=2, max_size=3))
@patient
def test_pages_of_a_book_are_read_alike(several: list[str]) -> None:
    one, other = both(several, "p.xhtml")
    assert one == other


@given(pages, st.integers(0, 60))
@patient
def test_limits_are_kept_alike(page: str, most: int) -> None:
    one, other = both([page], limits=Limits(characters=most))
    assert one == other


# --- which pages --------------------------------------------------------------------------------------------------

TAKEN = """<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>A &amp; B</title><script>if (a < b) go("</b>")</script></head>
<body class="x">
<h1 id="top">Ducks &hellip;</h1>
<p>One<br>two <a href="?a=1&b=2">link</a>, AT&T <img src="d.png" alt="a duck">
<ul><li>one<li>two<ol start="3"><li>three</li></ol></ul>
<dl><dt>term<dd>said</dl>
<table><caption>Kinds</caption><tr><th>a<th>b<tr><td>1<td>2</table>
<pre><code class="language-python">x = 1
</code></pre>
<svg viewBox="0 0 1 1"><path d="M0"/></svg><div hidden>gone</div>
<select><option>a<option>b</select>
</body></html>
"""
"""What nearly all pages are made of."""
REFUSED = [
    "<p><b>one</p><p>two</b></p>",
    "<b><i>x</b></i>",
    "<table><tr>text<td>a</table>",
    "<table><td>a</table>",
    "<p>a</div>",
    "<p>a</p></p>",
    "<p>&copy 2020</p>",
    "<p>nul \0 here</p>",
    "<math><mi>x</mi></math>",
    "<frameset><frame></frameset>",
    "<a href=x>a<a href=y>b</a>",
    "<div/>text",
    "<p a='b'c='d'>",
    "<!-- never closed",
    "<title>never closed",
    "<h1>a<table><tr><td>b<td>c</table></h1>",
    "<div>" * 300,
    "<ul><li>" * 30 + "x",
    "<html><body>a</body>b</html>",
]
"""What a browser repairs, or what is rare."""


def test_what_pages_are_made_of_is_taken() -> None:
    one, other = both([TAKEN])
    assert is_taken(TAKEN)
    assert one == other
    assert "| 1 | 2 |" in one[0]


@pytest.mark.parametrize("end", ["\r\n", "\r"])
def test_line_ends_of_two_characters_are_taken(end: str) -> None:
    page = TAKEN.replace("\n", end)
    one, other = both([page])
    assert is_taken(page)
    assert one == other


@pytest.mark.parametrize("page", REFUSED, ids=lambda page: page[:30])
def test_what_needs_repair_is_left_to_the_other_path(page: str) -> None:
    one, other = both([page])
    assert not is_taken(page)
    assert one == other


def test_boilerplate_is_left_to_the_other_path() -> None:
    assert not is_taken(TAKEN, reading=Reading(boilerplate="remove"))


@pytest.mark.parametrize(
    "unit", ["<p>x", "<b>x</b>", "<li>x", "x<br>", "<img alt='a b'>", "&amp;", "<tr><td>a<td>b", "<div hidden>x</div>"]
)
def test_long_pages_are_taken(unit: str) -> None:
    page = f"<!doctype html><body>{'<table>' if unit.startswith('<tr') else ''}{unit * 2000}"
    one, other = both([page])
    assert is_taken(page)
    assert one == other


@pytest.mark.parametrize(
    "arguments",
    [(), ("x",), (1, "", False, [], 0, 0, 9, (), tuple, tuple, {}), ("x", "", False, [], 0, 0, 9, (), dict, tuple, {})],
)
def test_wrong_arguments_are_refused(arguments: tuple[Any, ...]) -> None:
    assert native.HTML is not None
    with pytest.raises(TypeError):
        native.HTML.read_page(*arguments)
