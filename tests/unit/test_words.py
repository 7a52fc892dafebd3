"""Words: what BM25 counts, in any script and of any text."""

from __future__ import annotations

import os
import unicodedata
from collections import Counter
from dataclasses import replace
from itertools import chain

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from seamline.errors import ConfigError
from seamline.index.config import IndexConfig
from seamline.search.query import Wording
from seamline.testing.entries import WEIRD, entry, texts
from seamline.testing.strategies import documents
from seamline.text.words import (
    LONGEST_WORD,
    MOST_QUERY_WORDS,
    query_words,
    required_words,
    spaced,
    stem,
    typed_words,
    words,
)

EXAMPLES = int(os.environ.get("SEAMLINE_EXAMPLES", "120"))
law = settings(max_examples=EXAMPLES, deadline=None, print_blob=True)
anything = st.one_of(st.text(), documents(), texts(), st.lists(st.sampled_from(WEIRD)).map("".join))


# --- examples ---------------------------------------------------------------------------------------------------------

WORDS = {
    "": "",
    " \n\t ": "",
    "... --- !!! 👍 \x00 \ud800": "",
    "Wait for HTTP 429.": "wait for http 429",
    "webhook webhook": "webhook webhook",
    "one\x00two\ud800three": "one two thre",
    "3.14 and v1.2.3": "3.14 3 14 and v1.2.3 v1 2 3",
    "max_retry_count": "max_retry_count max retry count",
    "maxRetryCount": "maxretrycount max retry count",
    "getHTTPResponse": "gethttprespons get http respons",
    "MAX_RETRY": "max_retry max retry",
    "__init__ _private_": "init privat",
    "os.path.join(a)": "os.path.join os path join a",
    "retry-after: 30": "retry-after retry after 30",
    "x--y a..b": "x y a b",
    "API APIs URL URLs": "api api url url",
    "sha256 utf-8 k8s": "sha256 utf-8 utf 8 k8s",
    "don't it’s": "don t it s",
    "naïve Café": "naiv cafe",
    "cafe\u0301": "cafe",
    "Straße STRASSE": "strass strass",
    "Ǆ ﬁle ½ ①": "dz file 1 2 1",
    "ＦＵＬＬ　ｗｉｄｔｈ": "full width",
    "ΣΊΣΥΦΟΣ σίσυφος": "σισυφοσ σισυφοσ",
    "Ёлка Ёлка": "елка елка",
    "İstanbul Istanbul ısı": "istanbul istanbul isi",
    "smørrebrød Łódź": "smorrebrod lodz",
    "Donau\u00addampf": "donaudampf",
    "שָׁלוֹם שלום": "שלום שלום",
    "مُحَمَّد محمد": "محمد محمد",
    "می\u200cخواهم": "میخواهم",
    "हिन्दी में": "हिन्दी में",
    "தமிழ்": "தமிழ்",
    "日本語です。": "日本 本語 語で です",
    "東": "東",
    "Python入門2": "python 入門 2",
    "ｶﾞｷﾞ": "ガギ",
    "か\u3099": "が",
    "한국어": "한국 국어",
    "ไทย": "ไท ทย",
    "ﷺ": "صلى الله عليه وسلم",
    "a" * 100: "a" * 64,
    "x." * 100: ("x." * 100)[:64] + " x" * 100,
}


@pytest.mark.parametrize("text", WORDS, ids=lambda text: ascii(text)[:40])
def test_the_words_of_a_text(text: str) -> None:
    assert " ".join(words(text)) == WORDS[text]


MET = (
    *(("retry", "retries", "retried", "retrying"), ("fail", "fails", "failed", "failing")),
    *(("cache", "caches", "cached", "caching"), ("store", "stores", "stored", "storing")),
    *(("box", "boxes"), ("class", "classes"), ("database", "databases"), ("match", "matches", "matched")),
    *(("run", "runs", "running"), ("embed", "embedded", "embedding", "embeddings"), ("setting", "settings", "set")),
    *(("note", "notes", "noted", "noting"), ("use", "uses", "used", "using"), ("fix", "fixes", "fixed", "fixing")),
    *(("log", "logs", "logged", "logging"), ("add", "adds", "added", "adding"), ("name", "names", "named", "naming")),
    *(("size", "sizes", "sized"), ("index", "indexes", "indexed"), ("call", "calls", "calling"), ("API", "APIs")),
)
APART = (
    *(("string", "str"), ("speed", "spe"), ("thing", "th"), ("us", "use"), ("status", "statu")),
    *(
        ("analysis", "analysi"),
        ("need", "ne"),
        ("king", "k"),
        ("bring", "br"),
        ("note", "not"),
        ("car", "care"),
        ("code", "cod"),
    ),
)


@pytest.mark.parametrize("forms", MET, ids=lambda forms: forms[0])
def test_forms_of_an_english_word_meet(forms: tuple[str, ...]) -> None:
    assert len({stem(form) for form in forms}) == 1


@pytest.mark.parametrize("pair", APART, ids=lambda pair: pair[0])
def test_words_that_only_look_alike_do_not(pair: tuple[str, str]) -> None:
    assert stem(pair[0]) != stem(pair[1])


@pytest.mark.parametrize("word", ["", "a", "is", "its", "été", "sha256", "日本", "os.path"])
def test_a_stem_of_what_is_no_english_word_is_the_word(word: str) -> None:
    assert stem(word) == word


def test_a_name_is_found_by_each_of_its_writings() -> None:
    asked = {"max", "retry", "count"}
    for name in ("maxRetryCount", "MaxRetryCount", "max_retry_count", "MAX_RETRY_COUNT", "max-retry-count"):
        assert asked < set(words(name))


# --- laws -------------------------------------------------------------------------------------------------------------


@law
@given(anything)
def test_words_can_be_joined_by_spaces(text: str) -> None:
    found = words(text)
    assert " ".join(found).split() == found
    assert all(0 < len(word) <= LONGEST_WORD for word in found)
    assert "\x00" not in "".join(found)
    "".join(found).encode()


@law
@given(anything, anything)
def test_words_of_two_texts_are_those_of_each(one: str, other: str) -> None:
    assert words(f"{one}\n{other}") == words(one) + words(other)


@law
@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=60))
def test_composed_and_decomposed_letters_are_the_same(text: str) -> None:
    forms = [unicodedata.normalize(form, text) for form in ("NFC", "NFD")]
    assert words(forms[0]) == words(forms[1])


@law
@given(st.text(st.characters(categories=["Ll", "Lu"], max_codepoint=0x24F), max_size=12))
def test_case_is_folded(text: str) -> None:
    assert set(words(text.casefold())) <= set(words(text))


def test_long_runs_of_marks_take_no_long_time() -> None:
    """Normalising 400,000 marks at once would take minutes."""
    for marks in ("\u0301\u0316", "\u093c\u094d", "\u0e38\u0e48", "\u3099\u05b0"):
        assert len(words("a" + marks * 200_000)) <= 800_000


# --- queries ----------------------------------------------------------------------------------------------------------


@law
@given(anything)
def test_a_query_asks_for_words_of_its_text_once(text: str) -> None:
    asked = query_words(text)
    assert set(asked) <= set(words(text))
    assert max(Counter(asked).values(), default=0) <= 1
    assert len(asked) <= MOST_QUERY_WORDS
    assert bool(asked) == bool(words(text))


@pytest.mark.parametrize(
    ("query", "asked"),
    [
        ("why did the 429 retry fail", "429 retry fail"),
        ("What's the budget for retries?", "budget retry"),
        ("to be or not to be", "to be or not"),
        ("the who", "the who"),
        ("retry retries RETRY", "retry"),
        ("maxRetry", "maxretry max retry"),
        ("", ""),
        ("?!", ""),
    ],
)
def test_what_a_query_asks_for(query: str, asked: str) -> None:
    assert " ".join(query_words(query)) == asked


def test_later_words_of_a_long_query_are_not_asked_for() -> None:
    numbers = [str(n) for n in range(1000, 1100)]
    assert query_words(" ".join(numbers)) == numbers[:MOST_QUERY_WORDS]
    common = ["the"] * 100
    assert query_words(" ".join(chain(common, numbers))) == numbers[:MOST_QUERY_WORDS]


def test_a_text_is_searched_under_its_title_and_headings() -> None:
    one = replace(entry("a.md", "Trim the wick.", lead="# Wick\n\n"), title="Lamps", path=("Oil", "Wick"))
    assert one.searched == "Lamps > Oil > Wick\n\n# Wick\n\nTrim the wick."
    assert words(one.searched) == ["lamp", "oil", "wick", "wick", "trim", "the", "wick"]


@pytest.mark.parametrize(
    ("query", "required"),
    [
        ("the exit code 137", "exit code 137"),
        ("os.path", "os path"),
        ("useState useState", "use stat"),
        ("usestate", "usestat"),
        ("--dry-run", "dry run"),
        ("what is the", "what is the"),
        ("検索する", "検索 索す する"),
        ("...", ""),
    ],
)
def test_words_that_a_text_must_hold(query: str, required: str) -> None:
    assert required_words(query) == required.split()


_PIECES = st.lists(st.sampled_from(["os.path", "exit", "v1.2", "useState", "ERR_137", "codes", "検索", "--all", "of"]))


@given(_PIECES.filter(bool), _PIECES, _PIECES, st.sampled_from([" ", ", ", ".", "(", "/"]))
def test_a_text_that_holds_a_query_as_it_is_typed_holds_what_is_required(
    asked: list[str], before: list[str], after: list[str], between: str
) -> None:
    query = " ".join(asked)
    text = between.join((" ".join(before), query, " ".join(after)))
    assume(Wording(query).is_in(text))
    assert {*required_words(query)} <= {*words(text)}


@given(st.text(alphabet="ab-_. é日\n'\"", max_size=14), st.integers(0, 13), st.integers(1, 9))
def test_a_text_that_holds_a_query_as_it_is_typed_holds_its_words_in_a_row(text: str, start: int, length: int) -> None:
    query = text[start : start + length].strip()
    assume(query and Wording(query).is_in(text))
    held, row = typed_words(text), typed_words(query)
    assert any(held[at : at + len(row)] == row for at in range(len(held) - len(row) + 1))


FORMS = {
    "german": ("Häuser Häusern Hauses Haus", "verbinden verbindet"),
    "french": ("général générales généraux", "configurer configurée configurées"),
    "spanish": ("camino caminos caminar", "instalado instaladas instalar"),
    "italian": ("articolo articoli",),
    "russian": ("книга книгами книгу",),
    "swedish": ("flicka flickor flickorna",),
}


@pytest.mark.parametrize(("language", "forms"), [(name, line) for name, lines in FORMS.items() for line in lines])
def test_forms_of_a_word_meet_in_their_language(language: str, forms: str) -> None:
    pytest.importorskip("snowballstemmer", reason="the extra stemming is not installed")
    assert len({*words(forms, language)}) == 1
    assert len({*words(forms)}) > 1
    assert spaced(forms, language).split() == words(forms, language)


@law
@given(anything, st.sampled_from(["german", "french", "russian", "arabic"]))
def test_words_of_other_languages_can_be_stored_and_found(text: str, language: str) -> None:
    pytest.importorskip("snowballstemmer", reason="the extra stemming is not installed")
    found = words(text, language)
    assert all(word and len(word) <= LONGEST_WORD and word.split() == [word] and "\0" not in word for word in found)
    assert {*query_words(text, language)} <= {*found}
    assert {*required_words(text, language)} <= {*found}


@given(st.text("aéèüößñçАЁй", max_size=9), st.sampled_from(["german", "french", "spanish", "russian"]))
def test_composed_and_decomposed_letters_have_the_same_stem(text: str, language: str) -> None:
    pytest.importorskip("snowballstemmer", reason="the extra stemming is not installed")
    assert words(unicodedata.normalize("NFD", text), language) == words(text, language)


def test_names_codes_and_unspaced_scripts_are_the_same_in_every_language() -> None:
    pytest.importorskip("snowballstemmer", reason="the extra stemming is not installed")
    assert words("ERR_137 v1beta1 検索", "german") == words("ERR_137 v1beta1 検索")


def test_a_language_without_a_stemmer_is_refused() -> None:
    with pytest.raises(ConfigError, match="klingon"):
        IndexConfig(stemming="klingon")
