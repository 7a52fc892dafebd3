"""Facts on chunks: those that are asked for, each by clear examples; those that are not cost nothing."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import numpy as np
import pytest

from seamline.code_outline import CodeOutline
from seamline.enrich.facts import MAKERS, Work, enrich
from seamline.enrich.measures import LACKS, WINDOW, ChunkReader, density
from seamline.errors import ConfigError
from seamline.facts import Facts
from seamline.parse import parse_text
from seamline.pipeline import chunk_document, make_runtime
from seamline.recipe.recipe import FACTS, Recipe
from seamline.recipe.strategies import Hierarchy
from seamline.text.sentences import sentence_starts
from seamline.types import Budget, Chunk, Document, Span

NOW = datetime(2026, 1, 11, tzinfo=UTC)
SMALL = Recipe(budget=Budget(48, 64), signal="hash")
PROSE = "The retry fails when the server is busy. It waits for one minute and then it tries again. "


def known(text: str | Document, *names: str, recipe: Recipe = SMALL) -> list[Chunk]:
    document = parse_text(text) if isinstance(text, str) else text
    return chunk_document(document, replace(recipe, enrich=names), now=NOW)


def facts(text: str | Document, *names: str, recipe: Recipe = SMALL) -> list[Facts]:
    found = [chunk.facts for chunk in known(text, *names, recipe=recipe)]
    assert all(one is not None for one in found)
    return [one for one in found if one is not None]


def fact(text: str, name: str, field: str = "") -> Any:
    (one,) = facts(text, name, recipe=Recipe(signal="hash"))
    return getattr(one, field or name)


# --- what is asked for, and nothing else ---------------------------------------------------------------------------


@pytest.mark.parametrize("name", sorted(set(MAKERS) - {"code"}))
def test_exactly_the_named_facts_are_set(name: str) -> None:
    fields = {"coherence": {"coherence", "distinct"}, "self-contained": {"self_contained"}, "position": {"relative"}}
    fields["recipe"] = {"strategy", "recipe"}
    for one in facts(f"---\ndate: 2026-01-01\n---\n# Retries\n\n{PROSE * 6}", name):
        assert set(one.to_dict()) == fields.get(name, {name})


def test_every_name_of_the_recipe_has_its_maker() -> None:
    assert set(MAKERS) == set(FACTS)


def test_a_name_without_a_maker_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("seamline.enrich.facts.MAKERS", {})
    with pytest.raises(ConfigError, match="density"):
        known(PROSE, "density")


def test_without_names_chunks_are_as_they_were() -> None:
    assert all(chunk.facts is None for chunk in known(PROSE))
    chunks = known(PROSE * 9)
    assert enrich(chunks, SMALL, make_runtime(SMALL), now=None, starts=never) == chunks


def never(text: str, start: int, end: int) -> list[int]:
    raise AssertionError("sentences were asked for")


def test_a_fact_that_is_off_is_not_even_imported() -> None:
    code = """
import sys
from seamline.pipeline import chunk_document
from seamline.parse import parse_text
from seamline.recipe.recipe import Recipe
document = parse_text("# Title\\n\\nOne sentence. Another one.\\n")
chunk_document(document, Recipe())
print(sorted(name for name in sys.modules if name.startswith("seamline.enrich.")))
chunk_document(document, Recipe(enrich=("position",)))
print(sorted(name for name in sys.modules if name.startswith(("seamline.enrich.measures", "seamline.enrich.ent"))))
print("numpy" in sys.modules)
"""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.splitlines() == ["[]", "['seamline.enrich.measures']", "False"]


def test_a_fact_that_is_off_asks_for_nothing() -> None:
    """Neither sentences, nor tokens, nor vectors, nor the time."""
    chunks = known(PROSE * 9)

    class Refusing:
        name = "refusing"
        additive = False

        def count(self, text: str) -> int:
            raise AssertionError("tokens were counted")

    def refuse() -> Any:
        raise AssertionError("an embedder was loaded")

    parts = replace(make_runtime(SMALL), tokenizer=Refusing(), make_embedder=refuse)
    recipe = replace(SMALL, enrich=("authority", "modality", "position", "recipe", "density"))
    assert len(enrich(chunks, recipe, parts, now=None, starts=never)) == len(chunks)


def test_chunks_of_several_documents_come_back_in_order() -> None:
    one, two = known("---\nauthority: 0.9\n---\n" + PROSE * 9), known(PROSE * 9)
    mixed = [chunk for pair in zip(one, two, strict=False) for chunk in pair]
    recipe = replace(SMALL, enrich=("authority",))
    found = enrich(mixed, recipe, make_runtime(recipe), now=None, starts=sentence_starts)
    assert [chunk.id for chunk in found] == [chunk.id for chunk in mixed]
    assert [chunk.facts.authority for chunk in found if chunk.facts] == [0.9, 0.5] * (len(mixed) // 2)


def test_no_chunks_have_no_facts() -> None:
    recipe = replace(SMALL, enrich=tuple(MAKERS))
    assert enrich([], recipe, make_runtime(recipe), now=NOW, starts=sentence_starts) == []


def test_every_level_has_facts() -> None:
    recipe = replace(SMALL, strategy="hierarchical", hierarchy=Hierarchy(limits=(256,)))
    chunks = known(PROSE * 20, *sorted(MAKERS), recipe=recipe)
    assert {chunk.level for chunk in chunks} == {0, 1}
    for chunk in chunks:
        assert chunk.facts
        assert chunk.facts.strategy == "hierarchical over structural"
    assert next(c.facts.relative for c in chunks if c.facts and c.level == 1) == 0


# --- one by one ----------------------------------------------------------------------------------------------------


def test_a_summary_is_short_and_of_its_own_words() -> None:
    count = make_runtime(SMALL).tokenizer.count
    for chunk in known(PROSE * 9, "summary"):
        assert chunk.facts
        assert chunk.facts.summary
        assert count(chunk.facts.summary) <= 50
        body = " ".join(chunk.render("body").split())
        assert all(part.strip(" .") in body for part in chunk.facts.summary.split(". "))
    assert fact("```\nx = 1\n```\n", "summary") == ""


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The retry fails when the server answers with a rate limit, and the client has to wait.", "en"),
        ("Der erneute Versuch schlägt fehl, wenn der Server wegen zu vieler Anfragen ablehnt.", "de"),
        ("サーバーがリクエストの上限に達したと応答すると、再試行は失敗します。もう一度お試しください。", "ja"),
        ("```python\nx = 1\n```\n", "python"),
        ("~~~ {.rb}\nputs 1\n~~~\n", "ruby"),
        ("```\nx = 1\n```\n", ""),
        ("42", ""),
    ],
)
def test_the_language_of_a_chunk(text: str, expected: str) -> None:
    assert fact(text, "language") == expected


def test_a_short_chunk_has_the_language_of_its_document() -> None:
    german = "Der erneute Versuch schlägt fehl, wenn der Server wegen zu vieler Anfragen ablehnt. " * 3
    found = facts(f"# Eins\n\n{german}\n\n# OK\n\nJa.\n\n# Zwei\n\n{german}", "language", recipe=Recipe())
    assert [one.language for one in found] == ["de", "de", "de"]


def test_a_long_chunk_has_its_own_language() -> None:
    english = "The retry fails when the server is busy, so the client waits for a minute and then it tries again."
    german = "Der erneute Versuch schlägt fehl, wenn der Server wegen zu vieler Anfragen ablehnt."
    found = facts(f"# One\n\n{english}\n\n# Zwei\n\n{german}\n", "language", recipe=Recipe())
    assert [one.language for one in found] == ["en", "de"]


def test_source_code_is_named_by_its_parser() -> None:
    document = parse_text("x = 1\n", media_type="text/x-source")
    told = replace(document, code=CodeOutline("python"))
    assert [one.language for one in facts(told, "language", recipe=Recipe())] == ["python"]


def test_front_matter_says_nothing_of_the_language_of_code() -> None:
    text = "---\nprogramming_language: rust\n---\n\n```python\nimport os\nprint(os.sep)\n```\n"
    document = parse_text(text, media_type="text/markdown")
    assert [one.language for one in facts(document, "language", recipe=Recipe())] == ["python"]


class Marked:
    """Texts with the same first letter are alike, all others are not."""

    name = fingerprint = "marked"
    dimensions = 26

    def embed(self, texts: Sequence[str]) -> Any:
        rows = np.zeros((len(texts), 26), np.float32)
        for at, text in enumerate(texts):
            rows[at, ord(text.strip().lower()[0]) - ord("a")] = 1
        return rows


def test_coherence_and_difference_come_from_vectors() -> None:
    text = "# One\n\nApples are red. All of them fall.\n\n# Two\n\nAnts walk. Bees fly.\n\n# Three\n\nCats sleep.\n"
    recipe = Recipe(enrich=("coherence",))
    parts = make_runtime(recipe, embedder=Marked())
    one, two, three = (chunk.facts for chunk in chunk_document(parse_text(text), recipe, parts))
    assert one
    assert two
    assert three
    assert (one.coherence, two.coherence, three.coherence) == (1.0, 0.0, 1.0)
    assert one.distinct == pytest.approx(1 - 0.5**0.5, abs=1e-4)
    assert two.distinct == pytest.approx((2 - 0.5**0.5) / 2, abs=1e-4)
    assert three.distinct == 1.0


def test_a_single_chunk_differs_from_nothing() -> None:
    assert fact(PROSE, "coherence", "distinct") == 1.0


def work_of(chunks: Sequence[Chunk]) -> Work:
    return Work(chunks[0].document, chunks, SMALL, make_runtime(SMALL), NOW, sentence_starts)


def lacks(text: str, body: Span | None = None, **changes: Any) -> list[str]:
    (chunk, *_) = chunk_document(parse_text(text), Recipe())
    changed = replace(chunk, body=body or chunk.body, **changes)
    return ChunkReader(work_of([changed])).lacks(changed)


def test_what_stands_alone_lacks_nothing() -> None:
    assert lacks("# Retries\n\nThe retry fails when the server is busy.\n") == []
    assert fact("# Retries\n\nThe retry fails when the server is busy.\n", "self-contained", "self_contained") == 1.0


@pytest.mark.parametrize(
    "text",
    [
        "However, the client waits.",
        "It waits for a minute.",
        "Deshalb wartet der Client.",
        "Cependant, le client attend.",
        "Además, el cliente espera.",
        "> These are sent again.",
        "- They are sent again.",
    ],
)
def test_a_word_that_points_back_is_seen(text: str) -> None:
    assert lacks(text + "\n") == ["starts with a word that points back"]


@pytest.mark.parametrize(
    ("text", "is_seen"),
    [
        ("At last the old man said that he was tired.", True),
        ("At last Tom said that he was tired.", False),
        ("At last I said nothing at all.", False),
        ("Dort war sie müde.", True),
        ("À la fin elle était là.", True),
        ("Al final él estaba aquí.", True),
    ],
)
def test_a_pronoun_before_any_name_is_seen(text: str, is_seen: bool) -> None:
    assert lacks(text + "\n") == (["says he, it or this before it names anything"] if is_seen else [])


@pytest.mark.parametrize(
    "text", ["As described above, it fails.", "Siehe oben: es geht nicht.", "Use the aforementioned option."]
)
def test_a_pointer_to_elsewhere_is_seen(text: str) -> None:
    assert "points above or below" in lacks(text + "\n")


def test_cuts_within_a_sentence_are_seen() -> None:
    text = "The retry fails when the server is busy. The client waits for one minute.\n"
    at = text.index("when")
    assert "starts within a sentence" in lacks(text, Span(at, len(text) - 1))
    assert "ends within a sentence or on a colon" in lacks(text, Span(0, at - 1))
    assert "starts within a paragraph" in lacks(text, Span(text.index("The client"), len(text) - 1))
    assert "starts within a sentence" not in lacks(text, Span(text.index("The client"), len(text) - 1))


def test_a_promise_that_is_not_kept_is_seen() -> None:
    assert "ends within a sentence or on a colon" in lacks("These are the options:\n")


def test_fragments_and_chunks_without_headings_are_seen() -> None:
    assert "no whole sentence" in lacks("retry after failure\n")
    assert "no whole sentence" not in lacks("再試行は失敗します。\n")
    assert "no heading" in lacks(PROSE, index=1)
    assert "no heading" not in lacks(f"# Retries\n\n{PROSE}", index=1)


def test_rows_without_a_header_are_seen_and_ours_have_one() -> None:
    table = "| name | value |\n|---|---|\n" + "".join(f"| name {n} | value {n} |\n" for n in range(40))
    chunks = known(table, "self-contained")
    assert len(chunks) > 2
    assert all(chunk.facts and chunk.facts.self_contained == 0.9 for chunk in chunks[1:])  # no heading
    bare = replace(chunks[1], context=())
    assert "rows without their header" in ChunkReader(work_of([bare])).lacks(bare)


def test_code_without_its_imports_is_seen() -> None:
    code = "import datetime\n\n\ndef f():\n    return datetime.now()\n\n\ndef g():\n    return 1\n"
    document = parse_text(code, media_type="text/x-source")
    (whole,) = chunk_document(document, Recipe())
    parts = [
        replace(whole, body=Span(*at)) for at in ((0, 50), (code.index("def f"), 54), (code.index("def g"), len(code)))
    ]
    reader = ChunkReader(work_of(parts))
    assert ["code without what it imports" in reader.lacks(part) for part in parts] == [False, True, False]


def test_all_that_is_lacking_together_is_not_below_zero() -> None:
    assert sum(LACKS.values()) > 1
    text = "It is shown above when the"
    (chunk,) = chunk_document(parse_text(f"So: {text}\n"), Recipe())
    torn = replace(chunk, body=Span(4, 4 + len(text)), index=1)
    recipe = replace(SMALL, enrich=("self-contained",))
    (found,) = enrich([torn], recipe, make_runtime(recipe), now=None, starts=sentence_starts)
    assert found.facts
    assert found.facts.self_contained is not None
    assert 0 <= found.facts.self_contained < 0.5


def test_density_falls_with_repetition_and_with_filler() -> None:
    dense = fact("Webhooks retry failed deliveries with exponential backoff, jitter and signed headers.", "density")
    again = fact("Webhooks retry failed deliveries. " * 8, "density")
    filler = fact("It is what it is, and that is how it has been for some of them, as it may be.", "density")
    assert dense > 0.8
    assert again < 0.4
    assert filler < 0.1
    assert fact("***\n", "density") == 0.0


def test_density_does_not_fall_with_length_alone() -> None:
    words = [f"word{n}" for n in range(WINDOW * 5)]
    assert density(words) == density(words[:WINDOW]) == 1.0
    assert density(["one"] * WINDOW * 2) == 1 / WINDOW
    assert density([]) == 0.0


def test_density_knows_small_words_of_other_languages() -> None:
    assert fact("Der und die oder das mit dem, für den und über das.", "density") == 0.0
    assert fact("Le la les et dans une pour avec, où il était.", "density") == 0.0


def test_boundaries_by_the_kind_of_gap() -> None:
    recipe = Recipe(enrich=("boundary",))
    headings = [c.facts.boundary for c in known("# A\n\nOne.\n\n# B\n\nTwo.\n", "boundary", recipe=Recipe()) if c.facts]
    assert headings == [1.0, 1.0]
    chunks = chunk_document(parse_text(PROSE * 30), replace(SMALL, enrich=()))
    assert chunks[1].seam == "sentence"
    enriched = enrich(chunks, recipe, make_runtime(recipe), now=None, starts=sentence_starts)
    assert enriched[1].facts
    assert enriched[1].facts.boundary == pytest.approx(0.5 + 0.5 * 0.1**0.5, abs=1e-3)
    torn = [replace(c, body=Span(c.start + 9, c.end), seam="word") if c.index == 1 else c for c in chunks]
    worse = enrich(torn, recipe, make_runtime(recipe), now=None, starts=sentence_starts)
    assert worse[1].facts
    assert worse[1].facts.boundary == pytest.approx((0 + 0.5 + 0.5 * 0.1**0.5) / 2, abs=1e-3)


def test_what_is_old_is_less_fresh() -> None:
    assert fact(f"---\ndate: 2026-01-11\n---\n{PROSE}", "freshness") == 1.0
    assert fact(f"---\ndate: 2026-01-01\n---\n{PROSE}", "freshness") == pytest.approx(0.9048, abs=1e-4)
    assert fact(f"---\ndate: 2026-01-01\nfreshness_rate: 0.1\n---\n{PROSE}", "freshness") == pytest.approx(
        0.3679, abs=1e-4
    )
    assert fact(f"---\ndate: 2030-01-01\n---\n{PROSE}", "freshness") == 1.0
    assert fact(f"---\ndate: 2026-01-01\nfreshness_rate: -3\n---\n{PROSE}", "freshness") == pytest.approx(
        0.9048, abs=1e-4
    )


def test_what_has_no_date_has_no_freshness() -> None:
    assert fact(PROSE, "freshness") is None


@pytest.mark.parametrize("rate", [str(2**1024 - 1), "1.0e+999", ".nan", ".inf", "-1", "fast"])
def test_a_rate_that_is_no_rate_is_as_none(rate: str) -> None:
    said, none = (
        fact(f"---\ndate: 2020-01-01\n{line}---\n{PROSE}", "freshness") for line in (f"freshness_rate: {rate}\n", "")
    )
    assert said == none


def test_freshness_asks_for_the_time() -> None:
    with pytest.raises(ConfigError, match="now="):
        chunk_document(parse_text(PROSE), Recipe(enrich=("freshness",)))


def test_authority_is_what_the_front_matter_says() -> None:
    assert fact(f"---\nauthority: 0.9\n---\n{PROSE}", "authority") == 0.9
    assert fact(PROSE, "authority") == 0.5


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (PROSE, "text"),
        ("# Only a heading\n", "text"),
        ("# Title\n\n```\nx = 1\n```\n", "code"),
        ("| a | b |\n|---|---|\n| 1 | 2 |\n", "table"),
        (f"{PROSE}\n\n```\n{'x = 1; ' * 15}\n```\n", "mixed"),
    ],
)
def test_the_modality_of_a_chunk(text: str, expected: str) -> None:
    assert fact(text, "modality") == expected


@pytest.mark.parametrize(("media_type", "expected"), [("image/png", "image"), ("audio/wav", "speech")])
def test_the_modality_of_pictures_and_recordings(media_type: str, expected: str) -> None:
    document = parse_text(PROSE)
    seen = replace(document, source=replace(document.source, media_type=media_type))
    assert [one.modality for one in facts(seen, "modality", recipe=Recipe())] == [expected]


def test_the_place_of_a_chunk() -> None:
    found = [one.relative for one in facts(PROSE * 20, "position")]
    assert found[0] == 0
    assert found[-1] == 1
    assert found == sorted(found, key=lambda at: at or 0)
    assert fact(PROSE, "position", "relative") == 0


def test_how_a_chunk_was_cut() -> None:
    recipe = replace(SMALL, enrich=("recipe",))
    (one, *_) = facts(PROSE * 20, "recipe")
    assert (one.strategy, one.recipe) == ("structural", recipe.fingerprint)


def test_words_that_point_are_linked() -> None:
    table = "Table 1: Fees\n\n| plan | fee |\n|---|---|\n| basic | 20 |\n"
    chunks = known(f"# Plans\n\nAll fees are in Table 1.\n\n# Fees\n\n{table}", "links", recipe=Recipe())
    assert chunks[0].facts
    assert [(link.text, link.target) for link in chunks[0].facts.links or ()] == [("Table 1", chunks[1].id)]


def test_source_code_has_facts_of_code_and_prose_has_none() -> None:
    code = "import os\n\n\ndef name(path):\n    return os.path.basename(path) if path else None\n"
    (one,) = facts(parse_text(code, id="a.py", uri="a.py", media_type="text/x-source"), "code", recipe=Recipe())
    assert one.code
    assert one.code.imports == ("os",)
    assert one.code.complexity == 2
    assert fact(PROSE, "code") is None
