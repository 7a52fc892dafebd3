"""A question in steps: what the first search finds names what the next one looks for."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import pytest

from conftest import Warm
from harness.postgres import shared_server
from harness.warm import WarmProcess
from seamline.api.index import Index, open_index
from seamline.index.config import IndexConfig
from seamline.recipe.recipe import Budget, Recipe
from seamline.search.hits import Hit
from seamline.search.hops import MOST_STEPS
from seamline.search.options import SearchOptions
from seamline.search.rerank import Weights

OWNERS = {"Ledger": "Harbour", "Courier": "Lighthouse", "Quarry": "Granary", "Beacon": "Workshop"}
LEADS = {"Harbour": "Ines Valdor", "Lighthouse": "Tomas Ekholm", "Granary": "Ruth Abara", "Workshop": "Oskar Lind"}
DOCUMENTS = {
    "services.md": "# Services\n\n"
    + "".join(
        f"## {service}\n\n{service} is one of the services. It is looked after by {team}.\n\n"
        for service, team in OWNERS.items()
    ),
    "people.md": "# People\n\n"
    + "".join(f"## {team}\n\n{lead} is at the head of {team}, since two years.\n\n" for team, lead in LEADS.items()),
    **{
        f"note-{n}.md": f"# Note {n}\n\nWho is at the head of a queue, and which service looks after it, is note {n}.\n"
        for n in range(12)
    },
}


@pytest.fixture(scope="module", params=["sqlite", "postgres"])
def index(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Index]:
    place = str(tmp_path_factory.mktemp("teams") / "index")
    if request.param == "postgres":
        place = shared_server().url(query=f"schema=hops_{uuid4().hex}")
    with open_index(place, config=IndexConfig(Recipe(), "hash")) as made:
        for name, text in DOCUMENTS.items():
            made.add(name, text)
        yield made


@pytest.mark.parametrize(("service", "team"), OWNERS.items())
def test_the_second_step_is_among_the_first_five(index: Index, service: str, team: str) -> None:
    question = f"Who is at the head of the team that looks after {service}?"
    plain = [hit.text for hit in index.search(question, k=5)]
    found = index.search(question, k=5, adaptive=True)
    assert not any(LEADS[team] in text for text in plain)
    assert any(f"looked after by {team}" in hit.text for hit in found)
    (second,) = (hit for hit in found if LEADS[team] in hit.text)
    assert team in second.why.query
    assert found.plan is not None
    assert second.why.query in found.plan.queries
    assert len(found.plan.queries) <= 1 + MOST_STEPS


def test_a_prompt_holds_both_steps(index: Index) -> None:
    made = index.context("Who is at the head of the team that looks after Quarry?", budget=400)
    assert "looked after by Granary" in made.text
    assert "Ruth Abara" in made.text


def test_nothing_is_followed_where_one_passage_says_it_all() -> None:
    with open_index("memory:", config=IndexConfig(Recipe(), "hash")) as made:
        made.add("a.md", "# Teams\n\nInes leads the team that looks after Ledger.\n")
        made.add("b.md", "# Ines\n\nInes keeps bees.\n")
        found = made.search("Who leads the team that looks after Ledger?", adaptive=True)
    assert found.plan is not None
    assert found.plan.queries == ("Who leads the team that looks after Ledger?", "the team that looks after Ledger")


def test_a_next_step_is_about_what_was_found() -> None:
    with open_index("memory:", config=IndexConfig(Recipe(), "hash")) as made:
        made.add("a.md", "# Ledger\n\nLedger is looked after by Harbour.\n")
        made.add("b.md", "# Kites\n\nWho leads a kite into the wind needs gloves.\n")
        found = made.search("Who leads the team that looks after Ledger?", adaptive=True)
    assert found.plan is not None
    assert found.plan.queries[-1] == "leads team Harbour"
    assert not [hit for hit in found if hit.why.query == found.plan.queries[-1] and "kite" in hit.text]


def test_an_empty_index_has_no_steps() -> None:
    with open_index("memory:", config=IndexConfig(Recipe(), "hash")) as made:
        assert not made.search("Who leads the team that looks after Ledger?", adaptive=True).hits


def test_both_steps_are_explained_on_the_command_line(tmp_path: Path, server: WarmProcess) -> None:
    warm = Warm(tmp_path, server)
    for name, text in DOCUMENTS.items():
        (tmp_path / name).write_text(text)
    assert warm("index", ".", "--embedder", "hash").code == 0
    ended = warm("search", "Who is at the head of the team that looks after Courier?", "--adaptive", "--explain")
    assert "plan: multi-hop" in ended.out
    assert 'found for: "head team Lighthouse"' in ended.out
    assert "Tomas Ekholm" in ended.out


def test_the_kind_of_question_decides_how_much_is_shown() -> None:
    paragraphs = [
        f"Paragraph {n} of the rules about parcels says that {'the clerk weighs them again ' * 9}." for n in range(8)
    ]
    with open_index("memory:", config=IndexConfig(Recipe(budget=Budget(100, 120)), "hash")) as made:
        made.add("rules.md", "# Parcels\n\n" + "\n\n".join(paragraphs) + "\n")
        fact, why = (
            made.search(f"{ask} paragraph 4 of the rules", adaptive=True) for ask in ("what is", "why is there")
        )
    assert (fact.plan, why.plan) != (None, None)
    assert len(fact[0].text) < len(why[0].text)


def test_weights_on_the_command_line(tmp_path: Path, server: WarmProcess) -> None:
    warm = Warm(tmp_path, server)
    (tmp_path / "old.md").write_text(
        "---\ndate: 2001-01-01\n---\n# Tide\n\nThe tide turns at six, and the gate opens.\n"
    )
    (tmp_path / "new.md").write_text("# Gate\n\nThe tide turns at seven since this year.\n")
    assert warm("index", ".", "--embedder", "hash").code == 0
    question = ("search", "tide turns gate opens", "-k", "2", "--min-score", "0")
    assert "old.md" in warm(*question).out.splitlines()[0]
    ended = warm(*question, "--weight", "freshness=2", "--explain")
    assert "new.md" in ended.out.splitlines()[0]
    assert "freshness 1.00" in ended.out
    assert "relevance" in ended.out
    (tmp_path / "seamline.toml").write_text("[search.weights]\nfreshness = 2\n")
    assert "new.md" in warm(*question).out.splitlines()[0]
    assert "old.md" in warm(*question, "--weight", "relevance=1").out.splitlines()[0]
    (tmp_path / "seamline.toml").write_text("[search.weights]\nage = 2\n")
    refused = warm(*question)
    assert refused.code == 2
    assert "seamline.toml: expected one of relevance, freshness, authority, coherence" in refused.err
    (tmp_path / "seamline.toml").unlink()
    wrong = warm(*question, "--weight", "age=2")
    assert wrong.code == 2
    assert (
        "expected one of relevance, freshness, authority, coherence, language, entities and a number, as freshness=0.2,"
        " got 'age=2'" in wrong.err
    )


def test_what_is_old_still_answers(tmp_path: Path, server: WarmProcess) -> None:
    """Weights order hits. They do not make the only answer one that is not relevant."""
    warm = Warm(tmp_path, server)
    (tmp_path / "old.md").write_text(
        "---\ndate: 2001-01-01\n---\n# Tide\n\nThe tide turns at six, and the gate opens.\n"
    )
    (tmp_path / "new.md").write_text("# Bread\n\nThe bakery sells rye bread since this year.\n")
    assert warm("index", ".").code == 0
    question = ("search", "when does the tide turn", "--json")
    plain, weighed = (json.loads(warm(*question, *more).out)["hits"] for more in ((), ("--weight", "freshness=0.5")))
    scores = [next(hit["score"] for hit in hits if hit["doc"] == "old.md") for hits in (plain, weighed)]
    assert scores[0] == pytest.approx(scores[1], abs=1e-6)
    assert scores[0] > 0.2
    why = next(hit["why"] for hit in weighed if hit["doc"] == "old.md")
    assert why["freshness"] < 0.01
    assert why["relevance"] > 0.9


WARMTH = {
    "en.md": "# Pump\n\nThe pump takes warmth from the air, and Karin Holm measured what the pump needs in the cold.\n",
    "de.md": "# Pumpe\n\nDie Pumpe nimmt die Luft von draußen, und niemand hat gemessen, was sie im Winter braucht.\n",
    "other.md": "# Pump\n\nThe pump takes warmth from the air, and nobody measured what the pump needs in the cold.\n",
}


@pytest.mark.parametrize("store", ["sqlite", "postgres"])
def test_language_and_names_of_a_question_may_count(store: str, tmp_path: Path) -> None:
    """They change the order, and leave nothing out."""
    schema = f"schema=asked_{uuid4().hex}"
    place = shared_server().url(query=schema) if store == "postgres" else str(tmp_path / "index")
    with open_index(place, config=IndexConfig(Recipe(enrich=("language",)), "hash")) as made:
        for name, text in WARMTH.items():
            made.add(name, text)

        def find(query: str, **weights: float) -> list[Hit]:
            weighed = SearchOptions(weights=Weights(**weights), min_score=0.0, collapse=False)
            found = made.search(query, options=weighed)
            assert {hit.doc for hit in found} == set(WARMTH)
            return list(found)

        german = "Welches Gerät holt sich seine warmth aus der air, und was ist mit cold?"
        assert find(german)[0].doc != "de.md"
        best = find(german, language=1.0)[0]
        assert (best.doc, best.why.language) == ("de.md", 1.0)
        named = find("What did Karin Holm say of the pump?", entities=1.0)
        assert {hit.doc: hit.why.entities for hit in named} == {"en.md": 1.0, "de.md": 0.0, "other.md": 0.0}
        assert named[0].doc == "en.md"
        short = find("pump air", language=1.0, entities=1.0)[0].why  # too short to tell, and without names
        assert (short.language, short.entities) == (None, None)
