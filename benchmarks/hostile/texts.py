"""Small valid documents of the text formats, and the marks of each that a mutation puts where they hurt.

Marks are written in one string, apart by blanks: `·` is a blank in a mark and `⏎` the end of a line.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import NamedTuple


class Seed(NamedTuple):
    """A valid document to start from."""

    name: str
    """The format as Seamline calls it; code has the language after a dash."""
    suffix: str
    data: bytes
    marks: tuple[str, ...] = ()
    """Marks of the format, put anywhere and many times over."""
    pairs: tuple[tuple[str, str], ...] = ()
    """What opens and what closes, to be nested."""

    @property
    def format(self) -> str:
        return self.name.partition("-")[0]


_MARKDOWN = """---
title: Parcels
tags: [a, b]
---

# Parcels

A parcel *leaves* the **house** by `road`. See [the map](map.md "Map") and ![a van](van.png).

## Rates

| weight | price |
|--------|------:|
| 1 kg   | 4.20  |
| 5 kg   | 9.80  |

- first
  - second
    1. third

> quoted words[^1]

```python
print("code")
```

$$
x = y^2
$$

[^1]: A note.
"""
_MDX = """import { Tabs } from './tabs'

export const n = 3

# Parcels {n}

<Tabs items={["a", "b"]}>
  <Tab title="One">Words of *one*.</Tab>
</Tabs>

{/* a comment */}

Text with {n + 1} in it.
"""
_HTML = """<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>Parcels</title></head>
<body><nav><a href="/">Home</a></nav><main>
<h1 id="a">Parcels</h1><p>A parcel <em>leaves</em> the <b>house</b>.</p>
<ul><li>one<ul><li>two</li></ul></li></ul>
<table><thead><tr><th>weight</th><th colspan="2">price</th></tr></thead>
<tbody><tr><td rowspan="2">1</td><td>4</td><td>5</td></tr></tbody></table>
<pre><code>x = 1
</code></pre><dl><dt>a</dt><dd>b</dd></dl><img src="a.png" alt="a van"></main></body></html>
"""
_LATEX = r"""\documentclass{article}
\title{Parcels}
\begin{document}
\maketitle
\section{Rates}\label{sec:a}
A parcel \emph{leaves} the \textbf{house} with $x^2$ and \cite{key}.
\begin{itemize}\item one \item two\end{itemize}
\begin{tabular}{l|r} weight & price \\ \hline 1 & 4.20 \\ \end{tabular}
\begin{equation} a = b \end{equation}
\begin{verbatim}
code
\end{verbatim}
\footnote{A note.}
\end{document}
"""
_RST = """Parcels
=======

A parcel *leaves* the **house** by ``road``. See `the map <map.html>`_ and [1]_.

Rates
-----

+--------+-------+
| weight | price |
+========+=======+
| 1 kg   | 4.20  |
+--------+-------+

.. note:: Be careful.

.. code-block:: python

   print("code")

- first

  - second

.. [1] A note.
"""
_ASCIIDOC = """= Parcels
Ada <ada@example.org>
:toc: left

A parcel *leaves* the house. See <<rates,the rates>>.

[[rates]]
== Rates

.Prices
[cols="1,1",options="header"]
|===
|weight |price
|1 kg
|4.20
|===

[source,python]
----
print("code")
----

NOTE: Be careful.

* first
** second
+
====
An example.
====

Term:: Its words.

image::map.png[A map]
"""
_ORG = """#+TITLE: Parcels
* Parcels :mail:
:PROPERTIES:
:ID: x
:END:
A parcel /leaves/ the house.

#+CAPTION: Prices
| weight | price |
|--------+-------|
| 1 kg   | 4.20  |

#+BEGIN_SRC python
print("code")
#+END_SRC

- first
  - second
- term :: words

#+begin_quote
Quoted.
#+end_quote

[fn:1] A note.
"""
_JATS = """<article article-type="a" xmlns:xlink="http://www.w3.org/1999/xlink"><front><article-meta><title-group>
<article-title>Parcels</article-title></title-group><abstract><p>A parcel leaves.</p></abstract></article-meta></front>
<body><sec id="s"><title>Rates</title><p>It <bold>leaves</bold><fn><p>Note.</p></fn>.</p><list><list-item><p>first</p>
</list-item></list><table-wrap><label>Table 1</label><table><thead><tr><th>weight</th><th>price</th></tr></thead><tbody>
<tr><td rowspan="2">1 kg</td><td>4.20</td></tr></tbody></table></table-wrap><fig><graphic xlink:href="a.png"/></fig>
<disp-formula><tex-math>$$a$$</tex-math></disp-formula><preformat>code</preformat></sec></body><back><ref-list><ref>
<mixed-citation>Doe.</mixed-citation></ref></ref-list></back></article>
"""
_RTF = r"""{\rtf1\ansi\ansicpg1252{\fonttbl{\f0\fcharset0 Arial;}{\f1\fcharset204 Cyr;}}{\stylesheet{\s1 heading 1;}}
{\info{\title Parcels}}\pard\s1 Parcels\par\pard A parcel {\b leaves}\'e9\u8364?{\footnote A note.}\par
\pard{\listtext 1.\tab}\ls1\ilvl0 first\par\trowd\pard\intbl weight\cell price\cell\row\pard After.\par}"""
_TRANSCRIPT = {
    "language": "en",
    "segments": [
        {"start": 0.0, "end": 2.5, "text": "Good morning.", "speaker": "A"},
        {"start": 2.5, "end": 5.0, "text": "A parcel left the house.", "speaker": "B"},
    ],
}
_NOTEBOOK = {
    "nbformat": 4,
    "nbformat_minor": 5,
    "metadata": {"language_info": {"name": "python"}},
    "cells": [
        {"cell_type": "markdown", "metadata": {}, "source": ["# Parcels\n", "Words of the cell."]},
        {
            "cell_type": "code",
            "metadata": {},
            "execution_count": 1,
            "source": "print('code')",
            "outputs": [{"output_type": "stream", "name": "stdout", "text": ["code\n"]}],
        },
    ],
}
_JSON = [
    {"id": 1, "name": "parcel", "price": 4.2, "tags": ["a", "b"], "to": {"city": "Rome"}},
    {"id": 2, "name": "box"},
]
_VTT = (
    "WEBVTT - Parcels\n\nNOTE a remark\n\nSTYLE\n::cue { color: red }\n\n1\n00:00:00.000 --> 00:00:02.500 align:start\n"
    "<v Ann>Good <i>morning</i>.\n\n2\n00:00:02.500 --> 00:00:05.000\n- A parcel left.\n- Which one?\n"
)
_SRT = "1\n00:00:00,000 --> 00:00:02,500\nGood morning.\n\n2\n00:00:02,500 --> 00:00:05,000\n<i>A parcel left.</i>\n"
_CSV = 'id,name,price,note\n1,parcel,4.20,"two\nlines, quoted ""so"""\n2,box,9.80,\n3,crate,1e3,=SUM(A1:A2)\n'

_CODE = Path(__file__).parents[2] / "tests" / "fixtures" / "code"


def _marks(line: str) -> tuple[str, ...]:
    return tuple(mark.replace("·", " ").replace("⏎", "\n") for mark in line.split())


def _pairs(line: str) -> tuple[tuple[str, str], ...]:
    """Marks that open and close, by turns."""
    marks = _marks(line)
    return tuple(zip(marks[::2], marks[1::2], strict=True))


_JSON_MARKS = _marks('{ [ " \\ , : 1e999 -0 "\\ud800" NaN "segments": "cells": null \\u0000 } ] ⏎ }⏎{')
_JSON_PAIRS = _pairs('[ ] {"a": } [{"a": }] {"text": } {"source": }')
_CODE_MARKS = _marks(
    "( [ { < ) ] } > ' ` ''' "
    '" """ /* */ // # -- \\ ; , : . = => -> :: @ @a⏎ #[ #if·a⏎ #endif⏎ #include·< ${ `${ #{ $( "${ $"{ @" r#" R"a( <<A⏎'
    " <<~A⏎ <<< [[a]] [==[ --[[ {- #= if·( if·a:⏎ a<b, a·=>· a( a[ a. lambda·a:· not· end· do· begin· case·a·of·"
    ' select· (select· template< a::b< ? ! | & * ~ % %w[ <a> <a·b=" <![CDATA[ <!-- <?php· &a· *a· -· a:· --- def·a('
    " fn·a< a!{ 'a· ⏎····"
)
_CODE_PAIRS = _pairs('( ) [ ] { } < > a( ) if·(a)·{ } " " /* */ ([{ }]) `${ }` <a> </a> begin⏎ end⏎ $( ) A< >')

TEXTS = (
    Seed(
        "markdown",
        ".md",
        _MARKDOWN.encode(),
        _marks("* _ ` ```⏎ ~~~ [ ]( ![ | ⏎|-|⏎ >· -· 1.· #· $$ <!-- [^1] &#0; \\ ---⏎ <a· [a]:·b⏎"),
        _pairs("[ ](x) ** ** >· ⏎ <div> </div> ![ ](y) ` `"),
    ),
    Seed(
        "mdx",
        ".mdx",
        _MDX.encode(),
        _marks('{ } < </ /> <A· {/* ` export· import· <> ={ " <!-- ${ ⏎⏎'),
        _pairs("{ } <A> </A> <A·b={ }/> {`${ }`} <> </>"),
    ),
    Seed(
        "text",
        ".txt",
        b"Parcels\n\nA parcel leaves the house. It comes back.\n\n  - one\n  - two\n",
        _marks(". · ⏎ ⏎⏎ ) ... ? 1. Mr.·"),
        _pairs("( ) [ ]"),
    ),
    Seed(
        "html",
        ".html",
        _HTML.encode(),
        _marks('< </ <!-- --> <![CDATA[ <script> </p> <table> <td> <b> & &#x110000; " <svg> <select> <plaintext>'),
        _pairs(
            "<div> </div> <table><tr><td> </td></tr></table> <b> </b> <ul><li> </li></ul> <a> <p> <svg><desc>"
            " </desc></svg> <q> </blockquote>"
        ),
    ),
    Seed(
        "latex",
        ".tex",
        _LATEX.encode(),
        _marks("{ } $ $$ \\ \\begin{ \\end{ % & \\\\ \\verb| \\[ \\section{ \\input{a} \\item \\def\\a{\\a\\a} ^^M"),
        _pairs(
            "{ } \\begin{a} \\end{a} \\footnote{ } $ $"
            " \\begin{itemize}\\item· \\end{itemize} \\begin{tabular}{l} \\end{tabular}"
        ),
    ),
    Seed(
        "rst",
        ".rst",
        _RST.encode(),
        _marks(
            "=====⏎ -----⏎ `` * | +---+⏎ +===+⏎ ..· ::· `_ __· :a:` ⏎⏎··· "
            "..·|a|·replace::·|a|⏎ ..·include::·x⏎ ===··===⏎"
        ),
        _pairs("-· ⏎ ..·note::· ⏎ `` `` :a:` ` |· ⏎"),
    ),
    Seed(
        "asciidoc",
        ".adoc",
        _ASCIIDOC.encode(),
        _marks(
            "----⏎ ====⏎ |===⏎ ,===⏎ |·a⏎ 2+| .9+| 9*| +⏎ *· **· .· a::· [a]⏎ [[a]]⏎ .T⏎ ==·a⏎ //· :a:·b⏎ include::x[]"
        ),
        _pairs("----⏎ ----⏎ ====⏎ ====⏎ *· ⏎ |===⏎| |===⏎ __ __"),
    ),
    Seed(
        "org",
        ".org",
        _ORG.encode(),
        _marks("*·a⏎ #+begin_a⏎ #+end_a⏎ #+BEGIN_SRC⏎ :A:⏎ :END:⏎ |a|⏎ |-⏎ -· ··-· #+CAPTION:·a⏎ :·a⏎ [fn:1]·"),
        _pairs("#+begin_a⏎ #+end_a⏎ -· ⏎ [[ ]]"),
    ),
    Seed(
        "jats",
        ".nxml",
        _JATS.encode(),
        _marks(
            "< </ /> <p> </p> <sec> <title> <table> <tr> <td> <fn> <list> & &amp; &a; <![CDATA[ <!-- <!DOCTYPE·a> <?a?>"
        ),
        _pairs("<sec> </sec> <p> </p> <list><list-item> </list-item></list> <fn> </fn> <td> </td>"),
    ),
    Seed(
        "rtf",
        ".rtf",
        _RTF.encode(),
        _marks("{ } \\ \\par· \\cell· \\row· \\intbl· \\'82 \\u-1? \\bin9· {\\*\\a· {\\footnote· {\\pict· \\f1·"),
        _pairs("{ } {\\footnote· } {\\listtext· } {\\*\\a }"),
    ),
    Seed("csv", ".csv", _CSV.encode(), _marks(', " "" ⏎ ; ", =cmd \' | ,,,,'), _pairs('" "')),
    Seed("tsv", ".tsv", _CSV.replace(",", "\t").encode(), ("\t", '"', "\n", "\t\t", "\r\n", ","), _pairs('" "')),
    Seed("json", ".json", json.dumps(_JSON, indent=1).encode(), _JSON_MARKS, _JSON_PAIRS),
    Seed("jsonl", ".jsonl", "".join(f"{json.dumps(row)}\n" for row in _JSON * 3).encode(), _JSON_MARKS, _JSON_PAIRS),
    Seed(
        "vtt",
        ".vtt",
        _VTT.encode(),
        _marks("--> <v· </v> <c. <00:00:01.000> ⏎⏎ NOTE 99:99:99.999 &lt; STYLE⏎ REGION⏎"),
        _pairs("<i> </i> <v·A> </v> <ruby> <rt>"),
    ),
    Seed(
        "srt",
        ".srt",
        _SRT.encode(),
        _marks("--> <i> ⏎⏎ 1⏎ 00:00:01,000 -1 {\\an8} 99999999999"),
        _pairs("<i> </i> <font·color= >"),
    ),
    Seed("transcript", ".json", json.dumps(_TRANSCRIPT).encode(), _JSON_MARKS, _JSON_PAIRS),
    Seed("ipynb", ".ipynb", json.dumps(_NOTEBOOK, indent=1).encode(), _JSON_MARKS, _JSON_PAIRS),
)
"""All text formats but code."""
SOURCES = tuple(
    Seed(f"code-{path.name}", path.suffix, path.read_bytes(), _CODE_MARKS, _CODE_PAIRS)
    for path in sorted(_CODE.iterdir())
)
"""A source of each language that has a grammar, from the fixtures of the tests."""
