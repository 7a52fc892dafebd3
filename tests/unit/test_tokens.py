"""Token counts: against tiktoken itself, tokenizer.json files, functions, and the estimate's arithmetic."""

from __future__ import annotations

import base64
import hashlib
import math
from collections.abc import Callable
from pathlib import Path

import pytest
import splintr
import tiktoken
import tiktoken_ext.openai_public as public
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers import Tokenizer as HfTokenizer
from tokenizers import models, pre_tokenizers, processors

import seamline
from seamline.errors import ConfigError
from seamline.recipe.recipe import Recipe
from seamline.testing.strategies import documents
from seamline.text.lines import counts_apart
from seamline.tokens import load
from seamline.tokens.estimate import BIASES
from seamline.types import Budget

VOCABULARIES = ("o200k_base", "cl100k_base")

RANKS = {
    # name: how many ordinary tokens, and the sha256 of the rank file that tiktoken pins
    "o200k_base": (199_998, "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d"),
    "cl100k_base": (100_256, "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7"),
}
TEXTS = [
    "",
    " ",
    "\n\n\n",
    "Hello, world!",
    "The retry's been failing; they'll look at 429s, won't they?",
    "WE'LL SEE'S",
    "    def f(x):\n\treturn x ** 2  # squared\n\n\n",
    "a\r\nb\rc\n",
    "https://example.org/a/b//c?d=e&f#g\n/etc\n//x",
    "1 12 123 1234 12345 3.14159 1_000_000",
    "| a | b |\n|---|---|\n| 1 | 2 |\n",
    "```python\nprint('x')\n```",
    "日本語の文章です。これは二番目。",
    "汉字没有空格" * 20,
    "Übergrößenträger naïve façade",
    "العربية؟ हिन्दी। ภาษาไทย",
    "e\u0301\u0302 👩‍👩‍👧‍👦 🇩🇪 🏳️‍🌈",
    "\u00a0\u2003\u2028\u2029\x85\x0b\x0c\x00\ufeff",
    "a" * 1000,
    "x  y   z    \t  end",
]
SPECIAL = [
    "<|endoftext|>",
    "<|endofprompt|>",
    "<|fim_prefix|>a<|fim_middle|>b<|fim_suffix|>",
    "<|im_start|>system<|im_end|>",
    "text <|endoftext|> text",
]


@pytest.fixture(scope="session")
def tiktoken_of(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], tiktoken.Encoding]:
    """Tiktoken's own encodings, without a network: their rank files are made from the vocabularies shipped here.

    They go where tiktoken keeps its downloads; tiktoken checks their hashes as it does for those.
    """
    cache = tmp_path_factory.mktemp("tiktoken")
    patch = pytest.MonkeyPatch()
    patch.setenv("TIKTOKEN_CACHE_DIR", str(cache))
    for name in RANKS:
        url = f"https://openaipublic.blob.core.windows.net/encodings/{name}.tiktoken"
        (cache / hashlib.sha1(url.encode()).hexdigest()).write_bytes(rank_file(name))
    encodings = {name: tiktoken.Encoding(**getattr(public, name)()) for name in RANKS}
    patch.undo()
    return encodings.__getitem__


def rank_file(name: str) -> bytes:
    """The vocabulary as tiktoken writes it: a token in base 64 and its rank, in order of rank."""
    token = splintr.Tokenizer.from_pretrained(name).decode_token_bytes
    return b"".join(base64.b64encode(token(rank)) + b" %d\n" % rank for rank in range(RANKS[name][0]))


# --- the vocabularies ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", VOCABULARIES)
def test_the_vocabulary_is_the_one_tiktoken_pins_byte_for_byte(name: str) -> None:
    assert hashlib.sha256(rank_file(name)).hexdigest() == RANKS[name][1]


@pytest.mark.parametrize("name", VOCABULARIES)
@pytest.mark.parametrize("text", TEXTS)
def test_counts_are_tiktokens(tiktoken_of: Callable[[str], tiktoken.Encoding], name: str, text: str) -> None:
    assert load(name).count(text) == len(tiktoken_of(name).encode_ordinary(text))


@settings(max_examples=300, deadline=None)
@given(text=documents())
def test_counts_are_tiktokens_for_any_text(tiktoken_of: Callable[[str], tiktoken.Encoding], text: str) -> None:
    for name in VOCABULARIES:
        assert load(name).count(text) == len(tiktoken_of(name).encode_ordinary(text))


@pytest.mark.parametrize("name", VOCABULARIES)
@pytest.mark.parametrize("text", SPECIAL)
def test_special_tokens_are_ordinary_text(
    tiktoken_of: Callable[[str], tiktoken.Encoding], name: str, text: str
) -> None:
    assert load(name).count(text) == len(tiktoken_of(name).encode(text, disallowed_special=())) > 3


def test_special_tokens_in_a_document_change_nothing_but_the_count() -> None:
    text = "# Tokens\n\n" + "The mark <|endoftext|> ends a text. " * 30
    chunks = seamline.chunk(text, limit=64)
    assert "".join("".join(chunk.render("body").split()) for chunk in chunks) == "".join(text.split())
    assert not seamline.audit(chunks, limit=64)


# --- additivity ------------------------------------------------------------------------------------------------------

_ANY = st.text(
    st.one_of(st.sampled_from(" \t\r\n/'!.-|`a1Z\u2028\xa0"), st.characters(exclude_categories=["Cs"])), max_size=40
)


def _safe(line: str) -> bool:
    """A line start at which counts are taken to add up: not blank, no slash first."""
    first = line.replace("\r", "\n").partition("\n")[0]
    return bool(first.strip()) and line[0] != "/"


@pytest.mark.parametrize("name", VOCABULARIES)
@settings(max_examples=500, deadline=None)
@given(before=_ANY, after=_ANY.filter(_safe))
def test_counts_add_up_at_safe_line_starts(name: str, before: str, after: str) -> None:
    count = load(name).count
    assert load(name).additive
    assert count(before + "\n" + after) == count(before + "\n") + count(after)


@settings(max_examples=500, deadline=None)
@given(text=_ANY.filter(bool))
def test_safe_line_starts_are_recognised(text: str) -> None:
    assert counts_apart(text, 0) == _safe(text)


def test_counts_do_not_add_up_elsewhere() -> None:
    count = load("o200k_base").count
    assert count("-\n/*") != count("-\n") + count("/*")
    assert count("a\n\n\nb") != count("a\n") + count("\n\nb")
    assert not load("estimate").additive
    assert not load(len).additive


# --- tokenizer.json --------------------------------------------------------------------------------------------------


@pytest.fixture
def json_path(tmp_path: Path) -> Path:
    """A small word-level tokenizer whose file asks for truncation, padding and a template."""
    words = ["[UNK]", "[CLS]", "[SEP]", "[PAD]", "the", "lamp", "is", "on", ".", "[", "]", "CLS"]
    tokenizer = HfTokenizer(models.WordLevel({word: i for i, word in enumerate(words)}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.add_special_tokens(["[UNK]", "[CLS]", "[SEP]", "[PAD]"])
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 1), ("[SEP]", 2)]
    )
    tokenizer.enable_truncation(max_length=6)
    tokenizer.enable_padding(length=16, pad_id=3, pad_token="[PAD]")
    path = tmp_path / "tokenizer.json"
    tokenizer.save(str(path))
    return path


def test_a_tokenizer_file_counts_without_truncation_padding_or_template(json_path: Path) -> None:
    raw = HfTokenizer.from_file(str(json_path))
    assert len(raw.encode("the lamp").ids) == 16  # as the file itself would have it
    count = load(str(json_path)).count
    assert count("") == 0
    assert count("the lamp") == 2
    assert count("the lamp is on . " * 20) == 100


def test_a_tokenizer_file_reads_special_tokens_as_text(json_path: Path) -> None:
    assert load(str(json_path)).count("[CLS]") == 3


def test_a_tokenizer_file_holds_the_limit(json_path: Path) -> None:
    text = "# Lamp\n\n" + "The lamp is on. " * 100
    chunks = seamline.chunk(text, tokenizer=str(json_path), limit=40)
    assert len(chunks) > 5
    assert not seamline.audit(chunks, limit=40, tokenizer=str(json_path))


def test_a_missing_or_broken_tokenizer_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="no such tokenizer file"):
        load(str(tmp_path / "none.json"))
    broken = tmp_path / "broken.json"
    broken.write_text('{"model": 1}')
    with pytest.raises(ConfigError, match=r"is not a tokenizer\.json"):
        load(str(broken))


# --- functions -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "function",
    [
        len,
        lambda text: len(text.split()),
        lambda text: len(text.split()) + 2,  # a model that adds a start and an end
        lambda text: len(text.encode()),
    ],
)
def test_any_function_can_count(function: Callable[[str], int]) -> None:
    text = "# Lamp\n\n" + "The lamp is on. The room is bright. " * 60
    chunks = seamline.chunk(text, tokenizer=function, limit=200)
    assert len(chunks) > 1
    assert [chunk.tokens for chunk in chunks] == [function(chunk.text) for chunk in chunks]
    assert not seamline.audit(chunks, limit=200, tokenizer=function)


def test_an_object_with_the_three_members_is_a_tokenizer() -> None:
    class Vowels:
        name = "vowels"
        additive = True

        def count(self, text: str) -> int:
            return sum(map(text.count, "aeiou"))

    vowels = Vowels()
    assert load(vowels) is vowels
    assert [chunk.tokens for chunk in seamline.chunk("A lamp and a room.", tokenizer=vowels)] == [5]


@pytest.mark.parametrize("wrong", [None, 1.5, "3", [1, 2], -1])
def test_a_function_that_does_not_count_is_refused(wrong: object) -> None:
    with pytest.raises(ConfigError, match="to return a count, got"):
        seamline.chunk("Some words.", tokenizer=lambda text: wrong)  # type: ignore[arg-type, return-value]


def test_unknown_names_are_answered_with_the_nearest() -> None:
    with pytest.raises(ConfigError, match="did you mean o200k_base"):
        load("o200k")
    with pytest.raises(ConfigError, match="expected a tokenizer name"):
        load(3)  # type: ignore[arg-type]


# --- the estimate ----------------------------------------------------------------------------------------------------


def test_prose_has_a_token_for_four_characters() -> None:
    count = load("estimate").count
    assert [count("x" * n) for n in (0, 1, 4, 5, 400, 401)] == [0, 1, 1, 2, 100, 101]


@pytest.mark.parametrize("bias", BIASES)
@pytest.mark.parametrize("fence", ["```", "~~~", "`````"])
def test_code_is_denser_than_prose(bias: str, fence: str) -> None:
    prose, code = BIASES[bias]
    lines = "run it now\n" * 20
    before, block, after = "Words before.\n\n", f"{fence}sh\n{lines}{fence}", "\n\nWords after.\n"
    expected = math.ceil((len(before) + len(after)) / prose + len(block) / code - 1e-9)
    assert load("estimate", bias).count(before + block + after) == expected


def test_a_fence_that_is_left_open_is_code_to_the_end() -> None:
    text = "Words.\n\n```\n" + "x = 1\n" * 50
    assert load("estimate").count(text) == math.ceil(8 / 4 + (len(text) - 8) / 2.7)


def test_the_bias_moves_both_rates_within_their_bounds() -> None:
    assert all(3.6 <= prose <= 4.4 and 2.4 <= code <= 3.0 for prose, code in BIASES.values())
    prose, code = "Plain words of prose. " * 40, "```\n" + "x = y + 1\n" * 80 + "```"
    by_prose = sorted(BIASES, key=lambda bias: load("estimate", bias).count(prose))
    by_code = sorted(BIASES, key=lambda bias: load("estimate", bias).count(code))
    assert by_prose == by_code[::-1] == ["code-heavy", "balanced", "prose-heavy"]


def test_the_bias_of_a_recipe_is_used() -> None:
    text = "Plain words of prose. " * 12
    tokens = {
        bias: sum(c.tokens for c in seamline.chunk(text, recipe=Recipe(tokenizer="estimate", bias=bias)))
        for bias in ("prose-heavy", "balanced", "code-heavy")
    }
    assert tokens["prose-heavy"] > tokens["balanced"] > tokens["code-heavy"]


def test_components_are_counted_as_code() -> None:
    component = (
        '<Tabs items={["one", "two"]}>\n' + '  <Tab label="one" onOpen={() => track("one")} />\n' * 10 + "</Tabs>"
    )
    (chunk,) = seamline.chunk(
        seamline.read(component, media_type="text/mdx"), recipe=Recipe(tokenizer="estimate", budget=Budget(900, 1000))
    )
    assert chunk.kind == "jsx"
    assert chunk.tokens == math.ceil(len(component) / 2.7)


@settings(deadline=None)
@given(documents())
def test_an_estimate_is_never_more_than_its_denser_rate(text: str) -> None:
    for bias, (prose, code) in BIASES.items():
        tokens = load("estimate", bias).count(text)
        assert len(text) / prose - 1e-6 <= tokens <= math.ceil(len(text) / code)
