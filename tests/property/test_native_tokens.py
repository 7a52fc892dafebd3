"""The compiled counters against the libraries and the Python they stand for."""

from __future__ import annotations

import os

import pytest
import splintr
from hypothesis import given, settings
from hypothesis import strategies as st

from seamline.native import CUTS
from seamline.testing.strategies import documents
from seamline.tokens import VOCABULARIES
from seamline.tokens.bpe import BpeTokenizer
from seamline.tokens.estimate import BIASES, estimate

pytestmark = pytest.mark.skipif(CUTS is None, reason="the compiled core is not in use")

EXAMPLES = int(os.environ.get("SEAMLINE_EXAMPLES", "120"))
law = settings(max_examples=EXAMPLES, deadline=None)
PIECES = (
    *("a", "Zz", "don't", "WE'LL", "x'ſ", "'re", "ǅ", "ß", "漢字", "漢A", "ʰ", "\u0301", "e\u0301", "١٢", "1234", "½"),
    *(" ", "  ", "\t", "\u00a0", "\u3000", "\n", "\r", "\r\n", "\n\n", " \n ", "\x0b", "\x85", "\u2028"),
    *(
        "/",
        "//",
        "!",
        "?!",
        "<|endoftext|>",
        "`",
        "```",
        "~~~",
        "|",
        "—",
        "👩‍👩‍👧",
        "\x00",
        "\ufeff",
        "<b>",
        "<",
        "import ",
    ),
)
mixed = st.lists(st.sampled_from(PIECES), max_size=40).map("".join)


@pytest.fixture(params=VOCABULARIES, scope="module")
def pair(request: pytest.FixtureRequest) -> tuple[BpeTokenizer, splintr.Tokenizer]:
    """The tokenizer, and the library whose counts are the truth."""
    return BpeTokenizer(request.param), splintr.Tokenizer.from_pretrained(request.param)


def test_every_code_point_is_of_the_same_class(pair: tuple[BpeTokenizer, splintr.Tokenizer]) -> None:
    tokenizer, truth = pair
    planes = (range(0xD800), range(0xE000, 0x34000), range(0xE0000, 0xE0200), range(0xF0000, 0x110000, 999))
    points = [chr(point) for plane in planes for point in plane]  # nothing is assigned in between
    wrong = []
    for low in range(0, len(points), 32):
        text = "".join(f"a{p}b{p}{p}A{p} {p}x {p}{p}\n{p}/{p}1{p}'s{p} !{p}  {p}" for p in points[low : low + 32])
        if tokenizer.count(text) != len(truth.encode_ordinary(text)):
            wrong.append(f"U+{ord(points[low]):04X}")
    assert not wrong


@pytest.mark.parametrize("name", VOCABULARIES)
def test_counts_are_the_librarys(name: str) -> None:
    tokenizer = BpeTokenizer(name)
    truth = splintr.Tokenizer.from_pretrained(name)

    @law
    @given(st.one_of(mixed, documents(), st.text(st.characters(exclude_categories=["Cs"]))))
    def check(text: str) -> None:
        assert tokenizer.count(text) == len(truth.encode_ordinary(text))

    check()


@pytest.mark.parametrize("length", [12, 13, 46, 47, 127, 128, 129, 130, 1000, 4096, 5000, 20_000])
@pytest.mark.parametrize("unit", ["a", "ab", "xQ", "-", "=-", " ", "漢", "👩‍👩", "e\u0301", "\n", "aéb"])
def test_words_of_any_length_count_the_same(
    pair: tuple[BpeTokenizer, splintr.Tokenizer], unit: str, length: int
) -> None:
    tokenizer, truth = pair
    word = (unit * length)[:length]
    for text in (word, f"x {word}.", f"{word}\n{word}"):
        assert tokenizer.count(text) == len(truth.encode_ordinary(text))


def test_a_count_does_not_depend_on_what_was_counted_before(pair: tuple[BpeTokenizer, splintr.Tokenizer]) -> None:
    """The memo of words is small: 300,000 different ones push each other out of it."""
    tokenizer, truth = pair
    for low in range(0, 300_000, 3000):
        text = " ".join(f"w{n * 7919}x{n % 11}" for n in range(low, low + 3000))
        assert tokenizer.count(text) == len(truth.encode_ordinary(text))


def test_lone_surrogates_are_refused_as_the_library_refuses_them(
    pair: tuple[BpeTokenizer, splintr.Tokenizer],
) -> None:
    with pytest.raises(UnicodeEncodeError):
        pair[0].count("a\ud800b")


@pytest.mark.parametrize(("tokens", "count"), [(b"a\xff", 2), (b"a\xffb", 2), (b"a\xffb\xff", 1), (b"", 1)])
def test_a_vocabulary_that_is_not_what_it_says_is_refused(tokens: bytes, count: int) -> None:
    assert CUTS is not None
    with pytest.raises(ValueError, match="expected"):
        CUTS.Counter("o200k_base", tokens, count)


@law
@given(st.one_of(mixed, documents(), st.text()), st.sampled_from(sorted(BIASES)))
def test_the_estimate_is_the_one_that_python_makes(text: str, bias: str) -> None:
    assert CUTS is not None
    assert CUTS.Estimate(*BIASES[bias]).count(text) == estimate(text, BIASES[bias])
