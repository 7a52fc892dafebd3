"""Whatever AsciiDoc or Org is nested in what: its blocks keep the contract, no source makes the parser fail, and time
grows with the length of the source."""

from __future__ import annotations

import os
import time

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from seamline.parse import parse_text
from seamline.testing.parsers import check_document

EXAMPLES = int(os.environ.get("SEAMLINE_EXAMPLES", "120"))
law = settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck), print_blob=True)

COMMON = (
    "word", " ", "  ", "    ", "\t", "\n", "\n", "\n\n", "\r\n", "\r", "- ", "* ", "** ", "1. ", ". ", "é",
    "\U0001f600", "\ufeff", "\x85", "|a |b\n", "| a | b |\n", "A sentence that is longer than a word. ",
)  # fmt: skip
ASCIIDOC = (
    *COMMON, "= T\n", "== T\n", "[[x]]\n", "[source,c]\n", "[cols=2]\n", ".Title\n", "----\n", "====\n", "....\n",
    "____\n", "|===\n", ",===\n", "++++\n", "////\n", "--\n", "```\n", "+\n", "a:: b\n", "a::\n", "<1> a\n", "// c\n",
    ":a: b\n", "image::a.png[x]\n", "include::x[]\n", "ifdef::x[]\n", "'''\n", "2+|c\n", ".2+|", "3*|d\n", "\\|",
)  # fmt: skip
ORG = (
    *COMMON, "*** T\n", "#+TITLE: x\n", "#+BEGIN_SRC c\n", "#+END_SRC\n", "#+begin_quote\n", "#+end_quote\n",
    ":PROPERTIES:\n", ":ID: x\n", ":END:\n", ": fixed\n", "|---+---|\n", "#+CAPTION: c\n", "#+TBLFM: x\n", "# c\n",
    "[fn:1] n\n", "-----\n", "\\begin{a}\n", "\\end{a}\n", "[[file:a.png]]\n", "a :: b\n", "  - ", "    + ", "[ ] ",
    "#+INCLUDE: x\n", "SCHEDULED: <x>\n",
)  # fmt: skip


@law
@given(st.lists(st.sampled_from(ASCIIDOC), max_size=60).map("".join))
def test_no_asciidoc_makes_it_fail(source: str) -> None:
    document = parse_text(source, id="a", media_type="asciidoc")
    assert document.text == source
    check_document(document, limits=(64, 128))


@law
@given(st.lists(st.sampled_from(ORG), max_size=60).map("".join))
def test_no_org_makes_it_fail(source: str) -> None:
    document = parse_text(source, id="a", media_type="org")
    assert document.text == source
    check_document(document, limits=(64, 128))


LONG = "a word " * 400


@pytest.mark.parametrize(
    ("media_type", "source"),
    [
        ("org", f"#+begin_quote {LONG}\n{LONG}\n#+end_quote\n"),
        ("org", f"#+BEGIN_SRC {LONG}\n{LONG}\n#+END_SRC\n"),
        ("org", f"#+CAPTION: {LONG}\n| a |\n|---|\n| {LONG} |\n"),
        ("org", f"- {LONG} :: {LONG}\n"),
        ("asciidoc", f".{LONG}\n[source]\n----\n{LONG}\n----\n"),
        ("asciidoc", f".{LONG}\n[{LONG}]\n====\n{LONG}\n====\n"),
        ("asciidoc", f"{'-' * 900}\n{LONG}\n{'-' * 900}\n"),
        ("asciidoc", f"{'=' * 900}\n{LONG}\n{'=' * 900}\n"),
        ("asciidoc", f"|{'=' * 900}\n|a |b\n\n|{LONG} |c\n|{'=' * 900}\n"),
        ("asciidoc", f".{LONG}\n|===\n|a |b\n\n|{LONG} |c\n|===\n"),
        ("asciidoc", f"{LONG}:: {LONG}\n"),
    ],
)
def test_a_long_opening_leaves_room_for_what_it_opens(media_type: str, source: str) -> None:
    check_document(parse_text(source, id="a", media_type=media_type), limits=(32, 64, 128))


HOSTILE = {
    "asciidoc": (
        "----\n", "====\n", "--\n\n", "|===\n", "* a\n", "a::\n", "+\n", "[x]\n", ".T\n", "|" * 40 + "\n", ".999+|a\n",
        "|===\n.999+|a\n", "999*|a\n", ":a: b\n", "// c\n", "image::a[", "a\n-\n", "x:: y;; ", "ifdef::x[]\n",
        "[[a]]\n\n",
        "*" * 5 + " a\n" + "." * 5 + " b\n",
    ),
    "org": (
        "* a\n", "#+BEGIN_QUOTE\n", "#+BEGIN_SRC\n", ":A:\n", ":END:\n", "| a\n", "|-\n", "- a\n", "#+CAPTION: a\n",
        "# c\n", "[fn:1] a\n", "\\begin{a}\n", ": a\n", "#+TITLE: a\n", "- a :: b :: ", "[[a.png", "#+CAPTION: a\n\n",
    ),
}  # fmt: skip


def _spent(source: str, media_type: str) -> float:
    times = []
    for _ in range(3):
        before = time.process_time()
        parse_text(source, id="a", media_type=media_type)
        times.append(time.process_time() - before)
    return min(times)


@pytest.mark.parametrize(("media_type", "line"), [(name, line) for name, lines in HOSTILE.items() for line in lines])
def test_time_grows_with_the_length(media_type: str, line: str) -> None:
    small, large = (_spent(line * count, media_type) for count in (1_000, 8_000))
    assert large < 8 * 2.2 * small + 0.05, f"{small:.3f} s, then {large:.3f} s for eight times as much"
