"""Words, hashes and languages by the compiled core held against Python: the same for every text."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from seamline.enrich import language as identification
from seamline.text import words
from seamline.types import collapse

native = pytest.importorskip("seamline._native", reason="the kernels were not built: pip install -e . with a compiler")

NAMES = (
    "running",
    "classes",
    "studies",
    "tied",
    "agreed",
    "hopped",
    "noting",
    "strings",
    "maxRetry_count",
    "HTTPServer",
)
ODD = ("URLs", "os.path", "retry-after", "a.b-c_D", "___", "_foo_", "ABCDef", "e" * 64, "x" * 65, "Ed", "ING", "ﬁnal")
LETTERS = st.sampled_from("abcedingsxyzABCXYZ019_.- \n\t'`éßæø中文字กข한कि\u0301\u00ad\u3000\u2028😀İǅ²½")
TEXTS = st.lists(st.sampled_from(NAMES + ODD) | LETTERS | st.sampled_from("aeio .-_"), max_size=60).map("".join)
ANY = TEXTS | st.text() | st.text(st.characters(codec="ascii"))


@contextmanager
def python() -> Iterator[None]:
    """The Python path, in the modules that chose when they were imported."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(words, "WORD_KERNEL", None)
        patch.setattr(identification, "KERNELS", None)
        yield


@pytest.fixture(autouse=True)
def compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    """The compiled path, even where Python was asked for."""
    ranges = words._ranges(words._SILENT, words._SIGNS)
    analyzer = native.Analyzer(ranges)
    monkeypatch.setattr(words, "WORD_KERNEL", analyzer)
    monkeypatch.setattr(identification, "KERNELS", native)


@settings(deadline=None)
@given(ANY)
@example("x" * 65 + ".y caféBar naïve.Test " + "éx" * 40)
def test_words_are_those_of_python(text: str) -> None:
    makers = (words.words, words.whole_words, words.spaced, words.query_words, words.query_set)
    found = [make(text) for make in makers]
    with python():
        assert found == [make(text) for make in makers]


@settings(deadline=None)
@given(st.lists(st.integers(0, 120), min_size=50, max_size=150), st.booleans())
def test_a_long_query_ends_at_the_same_word(numbers: list[int], named: bool) -> None:
    """Names count as several words, so the last one may go over the end."""
    text = " ".join(f"w{'abc'[n % 3]}_q{n}" if named else f"the{n}" for n in numbers) + " the of"
    found = words.query_words(text), words.query_set(text)
    with python():
        assert found == (words.query_words(text), words.query_set(text))


def test_every_letter_belongs_to_the_words_that_python_puts_it_in() -> None:
    points = [chr(point) for point in range(0x110000) if not 0xD800 <= point < 0xE000]
    for text in (" ".join(points), "".join(f"{point}x" for point in points)):
        found = words.words(text)
        with python():
            assert found == words.words(text)


def test_words_of_long_texts_are_those_of_python_also_when_the_memory_was_emptied() -> None:
    text = " ".join(f"word{n} text{n % 7}" for n in range(70_000))
    found = words.words(text)
    assert words.words(text) == found
    with python():
        assert found == words.words(text)


@settings(deadline=None)
@given(ANY)
@example(" \u2003a\x1c\x85b\u200b ")
def test_collapsed_text_is_that_of_python(text: str) -> None:
    try:
        expected = collapse(text).encode()
    except UnicodeEncodeError:
        with pytest.raises(UnicodeEncodeError):
            native.collapsed(text)
    else:
        assert native.collapsed(text) == expected


@settings(deadline=None)
@given(ANY)
@example("DER SERVER ANTWORTET NICHT")
@example("ΑΒΓ" * 2000)
def test_languages_are_those_of_python(text: str) -> None:
    code, sure = identification.identify(text)
    with python():
        expected, share = identification.identify(text)
    assert sure == pytest.approx(share, abs=1e-9)
    assert code == expected


def test_a_model_that_is_cut_off_is_refused() -> None:
    model = identification._model()
    gains = identification._gains(4096)
    for at in range(4):
        parts = list(model[:5])
        parts[at] = parts[at][: len(parts[at]) // 2]
        with pytest.raises(ValueError, match="damaged"):
            native.weigh_languages("Größe und Gewicht der Sendung: сообщение".encode(), *parts, gains)
