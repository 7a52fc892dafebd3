"""The compiled walk over a page held against the Python one: the same document for every page."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from unittest import mock

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from seamline import native
from seamline.parse.html import parse
from seamline.parse.raw import Parsed, Raw

compiled = pytest.importorskip("seamline._html", reason="the extension was not built: pip install -e . with a compiler")
pytest.importorskip("turbohtml", reason="needs the extra html")

# Tags that open, close or mean something alone, in any order: pages are rarely well made.
TAGS = """
<p> </p> <p~id=p> <div> </div> <div~id=d> <ul> </ul> <ol~start=3> </ol> <li> </li> <li~id=i> <dl> <dt> <dd> </dl>
<blockquote> </blockquote> <h1> </h1> <h2~id=h> </h2> <table> <tr> <td> <th> </table> <caption> <b> </b> <i~id=b> </i>
<a~name=n> </a> <span> </span> <br> <hr> <img~alt=words> <input~value=v> <pre> </pre> <code> </code> <figure> </figure>
<figcaption> <button> </button> <svg> <title> </svg> <math~alttext=m> </math> <template> </template> <!--c--> <noframes>
<template~shadowrootmode=open> <select><option> </select> <body> </html> <script>s</script> <p~hidden> <frameset>
a word é 漢 &amp; two~words
"""
PIECES = st.sampled_from([*(tag.replace("~", " ") for tag in TAGS.split()), " ", "\n", "\r\n", "\t", "\u3000"])


@contextmanager
def interpreted() -> Iterator[None]:
    with mock.patch.object(native, "HTML", None):
        yield


def told(parsed: Parsed) -> tuple[Any, ...]:
    return parsed.text, list(parsed.blocks), list(parsed.anchors or ()), parsed.title, parsed.notices


@given(st.lists(PIECES, max_size=60).map("".join) | st.text(max_size=80))
@example("<p>a<b id=x>b</b></p> <ul><li id=y>c<p>d</ul>e")
def test_pages_are_walked_the_same(markup: str) -> None:
    with mock.patch.object(native, "HTML", compiled):
        quick = told(parse(Raw(b"", markup)))
    with interpreted():
        assert quick == told(parse(Raw(b"", markup)))


def test_a_page_may_be_as_deep_as_it_likes() -> None:
    markup = "<div><b>" * 50_000 + "deep"
    with mock.patch.object(native, "HTML", compiled):
        assert parse(Raw(b"", markup)).text == "deep"


class Node:
    """What is no node of a page."""

    def __init__(self, **attributes: Any) -> None:
        self.__dict__.update(attributes)


class Text(Node):
    pass


class Walk:
    def __init__(self) -> None:
        self._id = self._inner_id = ""


def fails(*_: object) -> None:
    raise ZeroDivisionError


def walk(*children: Node, enter: Any = None) -> list[str]:
    parts: list[str] = []
    compiled.walk(Node(children=children), Walk(), parts, enter or {}, Node, Text)
    return parts


def test_what_goes_wrong_in_python_comes_back() -> None:
    assert walk(Text(data=" "), Text(data="a"), Text(data=" ")) == ["a", " "]
    with pytest.raises(AttributeError):
        walk(Text())
    with pytest.raises(TypeError, match="no string"):
        walk(Text(data=1))
    with pytest.raises(AttributeError):
        walk(Node(tag="p"))
    with pytest.raises(ZeroDivisionError):
        walk(Node(tag="p", attr=fails))
    with pytest.raises(ZeroDivisionError):
        walk(Node(tag="p", children=[]), enter={"p": fails})
    with pytest.raises(ZeroDivisionError):
        walk(Node(tag="p", children=[]), enter={"p": lambda *_: fails})
    with pytest.raises(TypeError, match="no sequence"):
        walk(Node(tag="p", children=1), enter={"p": lambda *_: fails})
    with pytest.raises(TypeError):
        walk(Node(tag=[]))
