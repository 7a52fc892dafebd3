"""The compiled cut against the Python it mirrors: the same chunks, field by field."""

from __future__ import annotations

import os
import random
import re
from collections.abc import Callable
from dataclasses import fields, replace

import pytest
import splintr
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

import seamline
from seamline.cut import cut, plain_cut
from seamline.cut.compiled import compiled_cut, is_usual
from seamline.cut.scores import NO_SIGNAL, Signal
from seamline.cut.scores.semantic import measure
from seamline.errors import BudgetError
from seamline.native import CUTS
from seamline.protocols import Tokenizer
from seamline.recipe.recipe import Overlap, Recipe
from seamline.runtime import Parts
from seamline.testing.strategies import HOSTILE, documents, recipes
from seamline.text.sentences import sentence_starts
from seamline.tokens import VOCABULARIES, load
from seamline.tokens.custom import FunctionTokenizer
from seamline.tokens.estimate import BIASES, estimate
from seamline.types import (
    Block,
    Budget,
    Chunk,
    Context,
    Document,
    Span,
)

pytestmark = pytest.mark.skipif(CUTS is None, reason="the compiled core is not in use")

EXAMPLES = int(os.environ.get("SEAMLINE_EXAMPLES", "120"))
law = settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck), print_blob=True)


JOINED = """. Wriylojsl"rtn,os
R=ef a(suue, y,ec:R.ict(sst;e  s anst tch; nea 0%2f..%2fevmd""%2e%2e%2fev.,"a\\0000d"l.\\u0000p"u2Efdp.e"O,"a*5000\
+"d""," ,.,"/xmd,"f/tc/psst/ha",/b/cd,"-rmd"$(d).m,`d`d,|i,"<i =xneorlert(1)>.m,"x.\\r\\nt-ooknigl,".nvnk.:
  a"ploa"v,th ame (LgG 1692, gpp 2,ngn-athat 5354)T
U"
"""
"""Short sentences are joined inside a line, where counts do not add up: the sum is one more than the count."""


class Reference:
    """A tokenizer that counts without any compiled counter of ours."""

    def __init__(self, name: str, additive: bool, count: Callable[[str], int]) -> None:
        self.name, self.additive, self.count = name, additive, count


TRUTHS = {name: splintr.Tokenizer.from_pretrained(name) for name in VOCABULARIES}
REFERENCES = {
    **{
        name: Reference(name, True, lambda text, t=truth: len(t.encode_ordinary(text)))
        for name, truth in TRUTHS.items()
    },
    "estimate": Reference("estimate", False, lambda text: estimate(text, BIASES["balanced"])),
}


def usual(recipe: Recipe) -> Recipe:
    """The nearest recipe that the compiled core takes."""
    budget = replace(recipe.budget, floor=0)
    plain = replace(recipe, packer="optimal", sections="heading", depth=0, overlap=Recipe().overlap, budget=budget)
    assert is_usual(plain)
    return plain


def values(chunks: list[Chunk]) -> list[dict[str, object]]:
    """All that a chunk holds and shows; `==` of chunks leaves out their names."""
    held = [f.name for f in fields(Chunk) if f.name not in ("document", "names")]
    return [{**{name: getattr(c, name) for name in held}, **c.to_dict()} for c in chunks]


def assert_equal(
    document: Document, recipe: Recipe, tokenizer: Tokenizer, reference: Tokenizer, signal: Signal = NO_SIGNAL
) -> None:
    assert CUTS is not None
    try:
        expected = plain_cut(document, recipe, Parts(reference), signal)
    except BudgetError as error:
        with pytest.raises(BudgetError, match=re.escape(error.args[0])):
            compiled_cut(CUTS, document, recipe, tokenizer, signal)
        return
    found = compiled_cut(CUTS, document, recipe, tokenizer, signal)
    assert found is not None
    assert values(found) == values(expected)
    assert {type(c.body) for c in found} <= {Span}
    assert {type(context) for c in found for context in c.context} <= {Context}


@law
@given(documents(), recipes().map(usual))
@example("# A\n\n" + "word " * 900 + "\n", Recipe(budget=Budget(30, 32)))
@example("```\n" + "x = 1\n\n" * 200, Recipe(budget=Budget(60, 64)))
@example("<div>\n" + "<p>one</p>\n" * 300 + "</div>\n", Recipe(budget=Budget(60, 64)))
@example(JOINED, Recipe(tokenizer="cl100k_base", budget=Budget(62, 200), breadcrumb=False))
@example("# A {#a}\n\n## B ##\n\n### C #c\n\nSetext\n===\n\n" + "text. " * 300, Recipe(budget=Budget(100, 128)))
@example("# " + "a" * 400 + "\n\n# " + "word " * 100 + "\n\n## seam", Recipe(budget=Budget(44, 119), breadcrumb=False))
@example("# A\n\n<p>\n" + "\t  <b>a</b>\n" * 99 + "   /b\n" * 99, Recipe(budget=Budget(60, 64)))
@example("# A\n\n# " + "word " * 20 + "\n\n" + "text " * 96, Recipe(budget=Budget(110, 119)))
@example("# " + "word " * 60 + "\n\n## " + "text " * 70 + "\n\n" + "seam " * 100, Recipe(budget=Budget(100, 119)))
def test_chunks_are_those_of_the_python_path(text: str, recipe: Recipe) -> None:
    document = seamline.read(text + "\n", id="doc", media_type="text/markdown", recipe=recipe)
    assert_equal(document, recipe, load(recipe.tokenizer), REFERENCES[recipe.tokenizer])


@law
@given(documents(), recipes(limits=(16, 200)).map(usual), st.integers(0, 40))
@example("# A\n\n## B\n\n" + "word " * 90 + "\n\ntext\n\n# C\n\n" + "seam. " * 90, Recipe(budget=Budget(30, 40)), 8)
def test_so_are_their_shadows(text: str, recipe: Recipe, tokens: int) -> None:
    recipe = replace(recipe, overlap=Overlap("shadows", min(tokens, recipe.budget.limit - 1)))
    assert is_usual(recipe)
    document = seamline.read(text + "\n", id="doc", media_type="text/markdown", recipe=recipe)
    assert_equal(document, recipe, load(recipe.tokenizer), REFERENCES[recipe.tokenizer])


@law
@given(documents(), recipes(limits=(16, 200)).map(usual), st.sampled_from(["len", "words", "odd"]))
def test_so_they_are_by_any_function(text: str, recipe: Recipe, name: str) -> None:
    counts: dict[str, Callable[[str], int]] = {
        "len": len,
        "words": lambda text: len(text.split()),
        "odd": lambda text: len(text) // 3 + text.count("a") % 2,
    }
    document = seamline.read(text + "\n", id="doc", media_type="text/markdown", recipe=recipe)
    tokenizer = FunctionTokenizer(counts[name])
    assert_equal(document, recipe, tokenizer, tokenizer)


@law
@given(
    documents(),
    recipes(limits=(16, 200)).map(usual),
    st.dictionaries(st.sampled_from(["code", "html", "paragraph"]), st.integers(0, 60)),
    st.dictionaries(st.sampled_from(["code", "list", "html", "table"]), st.booleans()),
)
def test_so_they_are_when_kinds_are_kept_whole_or_split_otherwise(
    text: str, recipe: Recipe, whole: dict[str, int], split: dict[str, bool]
) -> None:
    recipe = replace(recipe, whole=whole, split=split)
    document = seamline.read(text + "\n", id="doc", media_type="text/markdown", recipe=recipe)
    assert_equal(document, recipe, load(recipe.tokenizer), REFERENCES[recipe.tokenizer])


def gaps(document: Document) -> list[int]:
    """Where blocks, lines and sentences start, and some places where nothing does."""
    text = document.text
    lines = {at + 1 for at, point in enumerate(text) if point in "\r\n"}
    return sorted({*sentence_starts(text), *lines, *(block.start for block in document.blocks), 7, len(text)})


def signals(places: list[int]) -> st.SearchStrategy[Signal]:
    some = st.sets(st.sampled_from(places), max_size=40)
    scores = some.flatmap(lambda at: st.fixed_dictionaries({one: st.floats(0, 1) for one in sorted(at)}))
    return st.builds(Signal, scores, some.map(frozenset), st.floats(0, 1), st.booleans(), some.map(frozenset))


@law
@given(documents(), recipes().map(usual), st.data())
def test_so_they_are_whatever_a_signal_says(text: str, recipe: Recipe, data: st.DataObject) -> None:
    document = seamline.read(text + "\n", id="doc", media_type="text/markdown", recipe=recipe)
    signal = data.draw(signals(gaps(document)))
    assert_equal(document, recipe, load(recipe.tokenizer), REFERENCES[recipe.tokenizer], signal)


@law
@given(documents(), recipes().map(usual), st.sampled_from(VOCABULARIES), st.data())
def test_so_they_are_where_a_strategy_has_counted_the_words(
    text: str, recipe: Recipe, name: str, data: st.DataObject
) -> None:
    recipe = replace(recipe, tokenizer=name)
    document = seamline.read(text + "\n", id="doc", media_type="text/markdown", recipe=recipe)
    tokenizer = load(recipe.tokenizer)
    signal = replace(data.draw(signals(gaps(document))), measure=measure(document, tokenizer))
    assert signal.measure is not None
    assert_equal(document, recipe, tokenizer, REFERENCES[recipe.tokenizer], signal)


PIECES = [
    "a",
    "Ab",
    "'",
    "'s",
    "'RE",
    "don't ",
    " ",
    "  ",
    "   ",
    "\t",
    "\n",
    "\n\n",
    "\r\n",
    "\u00a0",
    "5",
    "1234",
    ". ",
    "/",
]
PIECES += [
    "// ",
    "/\n",
    "Word. ",
    "<td>",
    "      <",
    "|---|",
    "é",
    "漢",
    "。",
    "🇩",
    "\u0301",
    "\u2019",
    "x" * 30,
    " ab" * 9,
    "-" * 200,
]


@law
@given(st.lists(st.sampled_from(PIECES), max_size=120).map("".join), st.sampled_from(VOCABULARIES), st.data())
@example("x" * 5000 + " and more words. Here they are.", "o200k_base", None)
def test_a_measure_counts_any_range(text: str, name: str, data: st.DataObject | None) -> None:
    assert CUTS is not None
    places = st.integers(0, len(text))
    spans = (
        data.draw(st.lists(st.tuples(places, places).map(sorted).map(tuple), max_size=40)) if data else [(4990, 5025)]
    )
    counted = [REFERENCES[name].count(text[start:end]) for start, end in spans]
    assert CUTS.Measure(load(name).counter, text).counts(spans) == counted  # type: ignore[attr-defined]


def test_a_measure_is_of_one_text() -> None:
    assert CUTS is not None
    document, other = (seamline.read(text, id="doc") for text in ("# A\n\ntext\n", "# B\n\ntext\n"))
    signal = Signal(measure=measure(other, load("o200k_base")))
    with pytest.raises(ValueError, match="a measure of this document"):
        compiled_cut(CUTS, document, Recipe(), load("o200k_base"), signal)
    with pytest.raises(ValueError, match="a range of the text"):
        CUTS.Measure(load("o200k_base").counter, "abc").counts([(2, 4)])  # type: ignore[attr-defined]


@law
@given(documents(), recipes(limits=(16, 200)))
def test_every_other_recipe_is_left_to_python(text: str, recipe: Recipe) -> None:
    document = seamline.read(text + "\n", id="doc", media_type="text/markdown", recipe=recipe)
    expected = plain_cut(document, recipe, Parts(REFERENCES[recipe.tokenizer]))
    assert values(cut(document, recipe, Parts(load(recipe.tokenizer)))) == values(expected)


def large_document(seed: int) -> str:
    """Hundreds of blocks, in an order of their own."""
    rng = random.Random(seed)
    blocks = [
        "# One\n\n## Two",
        "Some words: and more of them.",
        "Introduced:",
        "- a\n- b\n\n  c",
        "```py\ndef f():\n    return 1\n\n\nx = f()\n```",
        "<div>\n" + "<p>line</p>\n" * 60 + "</div>",
        "<!-- " + "comment\n" * 80 + "-->",
        "| a | b |\n|---|---|\n" + "| 1 | 2 |\n" * 40,
        "A paragraph that is longer. " * 40,
        "word\n" * 30,
        "***",
        "$$\nx = y\n$$",
        *HOSTILE,
    ]
    return "\n\n".join(rng.choice(blocks) for _ in range(400))


@pytest.mark.parametrize("name", ["o200k_base", "cl100k_base", "estimate"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("limit", [24, 128, 512])
def test_large_documents_are_cut_the_same(name: str, end: str, limit: int) -> None:
    text = large_document(limit).replace("\n", end)
    recipe = Recipe(tokenizer=name, budget=Budget(limit * 15 // 16, limit))
    document = seamline.read(text, id="doc", media_type="text/markdown")
    assert_equal(document, recipe, load(name), REFERENCES[name])
    rng = random.Random(limit)
    places = gaps(document)
    scores = {at: rng.random() for at in places[::3]}
    forced, kept = frozenset(rng.sample(places, 60)), frozenset(rng.sample(places, 60))
    assert_equal(document, recipe, load(name), REFERENCES[name], Signal(scores, forced, 0.7, kept=kept))


def test_a_crowd_of_one_word_paragraphs_is_thinned_the_same() -> None:
    document = seamline.read("\n\n".join(["word"] * 6000), id="doc", media_type="text/markdown")
    assert_equal(document, Recipe(budget=Budget(480, 512)), load("o200k_base"), REFERENCES["o200k_base"])
    for signal in (Signal(forced=frozenset((6, 600))), Signal({12: 0.9}), Signal(kept=frozenset((6,)))):
        assert_equal(document, Recipe(budget=Budget(480, 512)), load("o200k_base"), REFERENCES["o200k_base"], signal)


@pytest.mark.parametrize(
    "block",
    [Block("heading", 0, 3, 7), Block("paragraph", 2, 2), Block("paragraph", 0, 99)],
    ids=["no level", "no text", "behind the text"],
)
def test_blocks_of_no_usual_shape_are_left_to_python(block: Block) -> None:
    document = Document("doc", seamline.read("x\n").source, "abc\n", [block])
    assert CUTS is not None
    assert compiled_cut(CUTS, document, Recipe(), load("o200k_base")) is None


def test_lone_surrogates_are_left_to_python() -> None:
    document = Document("doc", seamline.read("x\n").source, "a\ud800b\n", [Block("paragraph", 0, 3)])
    expected = plain_cut(document, Recipe(tokenizer="estimate"), Parts(REFERENCES["estimate"]))
    assert cut(document, Recipe(tokenizer="estimate"), Parts(load("estimate"))) == expected


def test_an_error_of_the_tokenizer_comes_through() -> None:
    def broken(text: str) -> int:
        raise LookupError("no such word")

    document = seamline.read("# A\n\ntext\n")
    with pytest.raises(LookupError, match="no such word"):
        cut(document, Recipe(), Parts(FunctionTokenizer(broken)))


def test_chunks_are_the_frozen_values_they_always_were() -> None:
    import copy
    import pickle

    chunk = cut(seamline.read("# A\n\ntext\n", id="doc"), Recipe(), Parts(load("o200k_base")))[0]
    assert copy.copy(chunk) == chunk == pickle.loads(pickle.dumps(chunk))
    assert replace(chunk, index=0) == chunk
    with pytest.raises(AttributeError):
        chunk.tokens = 1  # type: ignore[misc]
