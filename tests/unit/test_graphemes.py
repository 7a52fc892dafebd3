"""Cuts between grapheme clusters, held against the `regex` module's own `\\X`."""

from itertools import pairwise

import pytest
import regex
from hypothesis import example, given, settings
from hypothesis import strategies as st

from seamline.text.graphemes import boundary_before, is_boundary

FAMILY = "👨‍👩‍👧‍👦"
WELSH = "🏴\U000e0067\U000e0062\U000e0077\U000e006c\U000e0073\U000e007f"
ALPHABET = (
    "ab1 .é\r\n\t\u0301\u0308\u20dd\ufe0e\ufe0f\u200b\u200c\u200d\u200e\u2028\ufeff"
    "👨👩🏽🏻❤☠★🇩🇪🇫🏴\U000e0067\U000e007f"
    "\u1100\u1161\u11a8가각힣\ua960\ud7b0\ud7cb"
    "कषर\u094d\u093f\u0902\u093c\u0d4e\u0600\u06dd\u0e33กำ\u0bbf漢字あ\uff9e"
)
CONJUNCT = regex.compile(
    r"\p{InCB=Consonant}[\p{InCB=Extend}\p{InCB=Linker}]*\p{InCB=Linker}"
    r"[\p{InCB=Extend}\p{InCB=Linker}]*(?=\p{InCB=Consonant})"
)


def boundaries(text: str) -> list[int]:
    return [at for at in range(len(text) + 1) if is_boundary(text, at)]


def expected(text: str) -> list[int]:
    """What `\\X` says, less the cuts inside Indic conjuncts: it has no GB9c yet."""
    ends = {0, *(m.end() for m in regex.finditer(r"\X", text))}
    return sorted(ends - {m.end() for m in CONJUNCT.finditer(text, overlapped=True)})


@pytest.mark.parametrize(
    "cluster",
    [
        "\r\n",
        "e\u0301",
        "e\u0301\u0323\u20dd",
        "❤\ufe0f",
        "👍🏽",
        FAMILY,
        "👩🏽\u200d🚀",
        "🏳\ufe0f\u200d🌈",
        WELSH,
        "🇩🇪",
        "1\ufe0f\u20e3",
        "\u1112\u1161\u11ab",
        "가\u11a8",
        "नि",
        "กำ",
        "க\u0bbf",
        "\u0600١",
        "a\u200d",
        "a\u200c",
    ],
)
def test_a_cluster_is_never_cut(cluster: str) -> None:
    text = f"x{cluster}y"
    assert expected(text) == boundaries(text) == [0, 1, len(text) - 1, len(text)]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "plain ASCII, with\nlines\r\nand\rothers\n\r",
        "🇩🇪🇫🇷🇯",
        "a🇩🇪b🇫c🇷🇯",
        "👨\u200da",
        "a\u200d👨",
        "👨\u0301\u200d👩",
        "👨\u200d\u200d👩",
        "\u0301leading mark",
        "\n\u0301",
        "\u200b\u0301",
        "각\u1161",
        "\u11a8\u1161\u1100",
        "\u0600\n",
        "漢字か\u3099な",
        "สวัสดีครับ ผมชื่อสมชาย",
        "مَرْحَبًا",
        "שָׁלוֹם",
        "Việt Nam nặng",
        FAMILY + WELSH + "🇺🇳" + FAMILY,
    ],
)
def test_agrees_with_regex(text: str) -> None:
    assert boundaries(text) == expected(text)


@settings(max_examples=600, deadline=None)
@given(st.text(st.sampled_from(ALPHABET), max_size=24))
@example("क\u094d\u200d\u094dष\u094d")
@example("👨\u200c\u200d👩")
def test_agrees_with_regex_on_a_rich_alphabet(text: str) -> None:
    assert boundaries(text) == expected(text)


@settings(max_examples=300, deadline=None)
@given(st.text(max_size=30))
def test_agrees_with_regex_on_any_text(text: str) -> None:
    assert boundaries(text) == expected(text)


def test_every_code_point_has_the_class_that_regex_gives_it() -> None:
    everything = "".join(map(chr, [*range(0x80, 0xD800), *range(0xE000, 0x110000)]))
    special = regex.findall(r"[^\p{GCB=Other}]|\p{Extended_Pictographic}|\p{InCB=Linker}", everything)
    for char in special:
        # A mark, jamo and an emoji on either side tell all the classes apart.
        text = f"a{char}\u0301{char}\u1161{char}\u1100{char}👨\u200d{char}\u11a8{char}b"
        assert boundaries(text) == expected(text), hex(ord(char))
    plain = regex.sub(r"[^\p{GCB=Other}]|\p{Extended_Pictographic}|\p{InCB=Linker}", "", everything)
    assert len(boundaries(plain)) == len(plain) + 1


def test_every_consonant_joins_a_conjunct() -> None:
    for code in range(0x900, 0x11FFF):
        text = f"क\u094d{chr(code)}\u094dष"
        if not 0xD800 <= code < 0xE000:
            assert boundaries(text) == expected(text), hex(code)


class TestKnownExceptions:
    """Where the answer differs from `\\X` on purpose."""

    @pytest.mark.parametrize("conjunct", ["क\u094dष", "क\u094d\u200dष", "स\u094dत\u094dर", "ক\u09cdষ"])
    def test_indic_conjuncts_stay_whole(self, conjunct: str) -> None:
        assert boundaries(conjunct) == [0, len(conjunct)]
        assert len(regex.findall(r"\X", conjunct)) > 1

    def test_a_non_joiner_opens_the_conjunct(self) -> None:
        assert boundaries("क\u094d\u200cष") == [0, 3, 4]

    def test_a_row_of_flags_beyond_the_reach_still_pairs(self) -> None:
        text = "x" + "🇩🇪" * 4000
        far = [at for at in range(5000, 5100) if is_boundary(text, at)]
        assert {b - a for a, b in pairwise(far)} == {2}


def test_ends_are_boundaries() -> None:
    assert is_boundary("\u0301", 0)
    assert is_boundary("👨\u200d", 2)
    assert is_boundary("", 0)


def test_boundary_before_steps_back_to_a_whole_cluster() -> None:
    text = f"ab{FAMILY}cd"
    assert boundary_before(text, 6, 0) == 2
    assert boundary_before(text, 9, 0) == 9
    assert boundary_before("ab\r\ncd", 3, 0) == 2


def test_boundary_before_excludes_the_floor() -> None:
    text = f"ab{FAMILY}cd"
    assert boundary_before(text, 6, 1) == 2
    assert boundary_before(text, 6, 2) == 6


@given(st.text(st.sampled_from(ALPHABET), max_size=20), st.integers(0, 20), st.integers(0, 20))
def test_boundary_before_is_the_largest(text: str, at: int, floor: int) -> None:
    at = min(at, len(text))
    found = [b for b in boundaries(text) if floor < b <= at]
    assert boundary_before(text, at, floor) == (found[-1] if found else at)


def test_hostile_rows_stay_cheap() -> None:
    # Some 10^5 answers each: quadratic work would take minutes.
    for text in (
        "a" + "\u0301" * 100_000,
        "🇩" * 100_000,
        "क" + "\u094d" * 100_000 + "ष",
        "👨\u200d" * 50_000,
    ):
        assert len(boundaries(text)) >= 2
