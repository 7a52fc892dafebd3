"""Sentence starts: the marks of many scripts, the traps of real prose, and the laws of tiling."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fuzz.pieces import LETTERS, SENTENCES
from seamline.text.graphemes import is_boundary
from seamline.text.sentences import _GAP, _gaps, last_sentence, sentence_starts, sentence_starts_of

PIECES = st.sampled_from([*LETTERS, *SENTENCES])
TEXTS = st.lists(PIECES, max_size=40).map("".join)


@given(TEXTS, st.integers(0, 20), st.integers(0, 20))
def test_gaps_are_all_that_the_pattern_finds(text: str, before: int, after: int) -> None:
    start, end = min(before, len(text)), max(min(before, len(text)), len(text) - after)
    expected = [(gap.span(), gap.groupdict()) for gap in _GAP.finditer(text, start, end)]
    assert [(gap.span(), gap.groupdict()) for gap in _gaps(text, start, end)] == expected


def sentences(text: str) -> list[str]:
    starts = sentence_starts(text)
    return [text[a:b] for a, b in zip(starts, [*starts[1:], len(text)], strict=True)]


def split(text: str) -> list[str]:
    return [sentence.strip() for sentence in sentences(text)]


@pytest.mark.parametrize(
    "text",
    [
        # Each line is one sentence of its language per "|".
        "The cat sat. |It slept! |Did it? |Yes.",
        "Das ist gut. |Ist es das? |Ja, am 31. Mai im 6. Stock.",
        "Il est parti ! |Pourquoi ? |« Parce que. » |Elle rit.",
        "¿Qué hora es? |¡Son las dos! |Vale.",
        "Он пришёл. |Кто? |Она ушла.",
        "你好。|你叫什么名字？|再见！|1941年开始了。",
        "これは本です。|あれは何ですか？|2007年に始まった。",
        "안녕하세요. |저는 학생입니다. |감사합니다!",
        "مرحبا. |كيف حالك؟ |أنا بخير.",
        "یہ اچھا ہے۔ |وہ کہاں ہے؟ |یہاں۔",
        "यह एक है। |वह दो है। |ठीक है॥ |हाँ।",
        "สวัสดีครับ |ผมชื่อสมชาย |ไปไหนมา",
        "ሰላም ነው። |ደህና ነኝ።",
        "Բարև։ |Ինչպես ես։",
        "မင်္ဂလာပါ။|နေကောင်းလား။",
    ],
)
def test_languages(text: str) -> None:
    assert sentences(text.replace("|", "")) == text.split("|")


@pytest.mark.parametrize(
    "text",
    [
        "We met Dr. Smith and Prof. Jones at St. Mary's.",
        "See Fig. 3, Eq. (4), Eqs. 5 and No. 7 in Vol. A1.",
        "Use fruit, e.g. Apples, i.e. Pears, cf. Plums vs. Grapes.",
        "Python 3.11.7 and pi of 3.14 cost $1.50 in v2.0 now.",
        "It weighs approx. five pounds, incl. tax etc. and more.",
        "J. R. R. Tolkien wrote to C. S. Lewis.",
        "He works for the U.S. Army today.",
        "As Miller et al. [3] and Ng et al. (2019) show.",
        "See https://example.org/a.b?c=d.e!f and www.example.org/x?y for more.",
        "Write `a. B` and ``c! D`` there.",
        "Well... maybe not… but yes.",
        "A soft\nline break\r\nends nothing here.",
        "“What?” she asked.",
        "1. First item.",
        "\u00a01. First item.",
        "Die 27. Große Strafkammer tagte im 18. Jahrhundert, z.B. in Bonn, d. h. dort.",
        "彼は「行こう。」と言った。",
        "Yahoo!ニュースを見た。",
    ],
)
def test_one_sentence(text: str) -> None:
    assert sentences(text) == [text]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("He said no. I agreed. No. 5 is alive.", ["He said no.", "I agreed.", "No. 5 is alive."]),
        ("He came. “Let me in.” She did.", ["He came.", "“Let me in.”", "She did."]),
        ('"Go away. Now." (He left. Fast.) Done.', ['"Go away.', 'Now."', "(He left.", "Fast.)", "Done."]),
        (
            "他说：“走吧。”然后走了。「好。」他说（真的。）再见",
            ["他说：“走吧。”", "然后走了。", "「好。」", "他说（真的。）", "再见"],
        ),
        (
            "**Bold end.** Then *more.* Then `code`. End.",
            ["**Bold end.**", "Then *more.*", "Then `code`.", "End."],
        ),
        ("It works.[1] So it does.[^note] Yes.", ["It works.[1]", "So it does.[^note]", "Yes."]),
        ("Stop!!! Why?! Well… Then go... Now.", ["Stop!!!", "Why?!", "Well…", "Then go...", "Now."]),
        ("One line.\nTwo lines\nhere. End", ["One line.", "Two lines\nhere.", "End"]),
        ("oh. my bad. i forgot.", ["oh.", "my bad.", "i forgot."]),
        ("We left at 5 p.m. Then it rained.", ["We left at 5 p.m.", "Then it rained."]),
        (
            "It ended in 1990. 5 years on. 1. First. 2.1. Second.",
            ["It ended in 1990.", "5 years on.", "1. First.", "2.1. Second."],
        ),
        ("It runs on 3.11. Not on 3.10.", ["It runs on 3.11.", "Not on 3.10."]),
        ("Go to https://a.b/c. Then rest.", ["Go to https://a.b/c.", "Then rest."]),
        ("本当か?嘘だ!", ["本当か?", "嘘だ!"]),
    ],
)
def test_splits(text: str, expected: list[str]) -> None:
    assert split(text) == expected


@pytest.mark.parametrize("blank", ["\n\n", "\r\n\r\n", "\r\r", "\n \t\n", " \n\n\n  "])
def test_a_blank_line_always_ends_a_sentence(blank: str) -> None:
    assert sentences(f"no mark{blank}and on") == [f"no mark{blank}", "and on"]
    assert sentences(f"after Dr.{blank}and on") == [f"after Dr.{blank}", "and on"]


def test_a_single_line_end_is_not_a_blank_line() -> None:
    for line_end in ("\n", "\r", "\r\n"):
        assert sentence_starts(f"no mark{line_end}and on") == [0]


def test_leading_white_space_opens_the_first_sentence() -> None:
    assert sentence_starts("\n\n  One. Two.") == [0, 9]


@pytest.mark.parametrize("space", ["\u00a0", "\u2009", "\u3000", "\x85", "\u3000\u00a0", " \u202f"])
def test_an_initial_may_stand_apart_from_its_point(space: str) -> None:
    text = f"a? oh J{space}. b and on. The end."
    assert sentence_starts(text)[-1] == text.index("The")


def test_offsets_are_those_of_the_text() -> None:
    text = "👩‍👩‍👧 skip. 漢字。 One here. Two here. rest"
    start, end = text.index("One"), text.index(" rest")
    assert sentence_starts(text, start, end) == [start, text.index("Two")]


def test_a_range_sees_nothing_outside_itself() -> None:
    text = "Hello Dr. Smith. Bye."
    assert sentence_starts(text, 0, 9) == [0]
    assert sentence_starts(text, 6, 16) == [6]
    assert sentence_starts(text, 16) == [16]


def test_an_empty_range_has_no_sentences() -> None:
    assert sentence_starts("") == []
    assert sentence_starts("abc", 2, 2) == []
    assert last_sentence("abc", 2, 2) == 2


def test_a_mark_on_a_space_is_no_start() -> None:
    assert sentence_starts("One. \u0301Two") == [0]


def test_doubtful_gaps_far_apart_are_each_asked() -> None:
    text = "It cost a lot. 5 dollars in fact, " + "and so on and on " * 400 + "to the end. 7 more came."
    assert sentence_starts(text) == [0, text.index("5 d"), text.index("7 m")]


@settings(deadline=None)
@given(TEXTS, st.integers(0, 10), st.integers(0, 10))
def test_sentences_tile_the_range(text: str, skip: int, drop: int) -> None:
    start, end = min(skip, len(text)), max(min(skip, len(text)), len(text) - drop)
    starts = sentence_starts(text, start, end)
    assert starts[:1] == ([start] if start < end else [])
    assert starts == sorted(set(starts))
    for at in starts[1:]:
        assert start < at < end
        assert not text[at].isspace()
        assert is_boundary(text, at)
        assert text[start:at].strip()


@settings(deadline=None)
@given(TEXTS)
def test_the_last_sentence_is_the_last_start(text: str) -> None:
    assert last_sentence(text, 0, len(text)) == (sentence_starts(text) or [0])[-1]


def test_the_last_sentence_of_a_long_range() -> None:
    text = "This is some prose. " * 1000 + "This is last."
    assert text[last_sentence(text, 0, len(text)) :] == "This is last."


def test_a_last_sentence_beyond_reach_is_the_range() -> None:
    text = "First. " + "word " * 2000
    assert last_sentence(text, 3, len(text)) == 3


@pytest.mark.parametrize(
    "text",
    [
        "a" * 1_000_000,
        "." * 300_000,
        "?" * 300_000,
        " " * 1_000_000,
        "漢字" * 250_000,
        "漢字漢字。" * 60_000,
        "a\n" * 200_000,
        "e.g. " * 60_000,
        "foo. 5 " * 40_000,
        "." + "*" * 300_000,
        "`" * 300_000,
    ],
    ids=lambda text: repr(text[:8]),
)
def test_hostile_text_stays_linear(text: str) -> None:
    # Each takes well under a second; quadratic work would take minutes.
    assert sentence_starts(text)[0] == 0


@given(TEXTS, st.data())
def test_many_ranges_in_one_call_are_each_as_alone(text: str, data: st.DataObject) -> None:
    bounds = st.integers(0, len(text))
    pairs = data.draw(st.lists(st.tuples(bounds, bounds), max_size=4))
    ranges = [(min(pair), max(pair)) for pair in pairs]
    assert sentence_starts_of(text, ranges) == [sentence_starts(text, start, end) for start, end in ranges]
