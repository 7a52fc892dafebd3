"""What enrichment found is kept by an index: filtered, sorted and shown by field, on every store."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from uuid import uuid4

import pytest

from conftest import Warm
from harness.postgres import shared_server
from harness.warm import WarmProcess
from seamline.api.index import Index, open_index
from seamline.errors import ConfigError
from seamline.index.config import IndexConfig
from seamline.recipe.recipe import FACTS, Recipe
from seamline.search.hits import Results
from seamline.search.options import SearchOptions

OLD = """---
date: 2020-01-01
authority: 0.9
version: v2.1
---
# Halden

Ada Reyes founded Halden Systems in Berlin. She left the company in 2004, after the merger with Borel Inc.
"""
NEW = """# Codes

| code | company |
| --- | --- |
| 429 | Halden |
| 500 | Borel |
"""
SHELF = '''"""Shelves of the company."""

import json


def open_shelf(path):
    """Read the shelf of a company."""
    if path:
        return json.loads(path)
    return None
'''
DOCUMENTS = {"halden.md": OLD, "codes.md": NEW, "shelf.py": SHELF}
QUERY = "company"


@pytest.fixture(params=["memory", "sqlite", "lance", "postgres"])
def index(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Index]:
    places = {"memory": "memory:", "sqlite": str(tmp_path / "index"), "lance": f"lance:{tmp_path / 'store'}"}
    if request.param == "postgres":
        places["postgres"] = shared_server().url(query=f"schema=facts_{uuid4().hex}")
    recipe = Recipe(strategy="auto", enrich=FACTS, signal="hash")
    with open_index(places[request.param], config=IndexConfig(recipe, "hash")) as made:
        for name, text in DOCUMENTS.items():
            made.add(name, text)
        yield made


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory, server: WarmProcess) -> Warm:
    warm = Warm(tmp_path_factory.mktemp("shop"), server)
    for name, text in DOCUMENTS.items():
        (warm.folder / name).write_text(text)
    ended = warm("index", ".", "--embedder", "hash", "--strategy", "auto", "--enrich", "all")
    assert ended.code == 0, ended.err
    return warm


def docs(index: Index, where: str, **options: object) -> set[str]:
    found = index.search(QUERY, where=where, k=50, options=SearchOptions(show="source", min_score=0.0))
    assert not found.notices
    return {hit.doc for hit in found}


@pytest.mark.parametrize(
    ("where", "holds"),
    [
        ('modality = "table"', {"codes.md"}),
        ('modality in ("table", "code")', {"codes.md", "shelf.py"}),
        ('kind in ("table", "scope")', {"codes.md", "shelf.py"}),
        ('strategy = "code"', {"shelf.py"}),
        ("density > 0 and density <= 1", set(DOCUMENTS)),
        ("self_containedness >= 0.5", set(DOCUMENTS)),
        ("boundary > 0.1 and distinct >= 0 and coherence > 0", set(DOCUMENTS)),
        ('entities has "Ada Reyes" and entity_types has "PERSON"', {"halden.md"}),
        ('meta.entities has "Ada Reyes"', {"halden.md"}),
        ('source_version = "v2.1"', {"halden.md"}),
        ("authority > 0.8", {"halden.md"}),
        ("created_at < 2021-01-01", {"halden.md"}),
        ("freshness < 0.5", {"halden.md"}),
        ("freshness > 0.5", {"codes.md", "shelf.py"}),
        ("not freshness > 0.5", {"halden.md"}),
        ("confidence = 1 and confidence > 0.8 and needs_review = false", set(DOCUMENTS)),
        ("needs_review = true or confidence < 0.5", set()),
        ('summary contains "founded Halden"', {"halden.md"}),
        ("position = 0 and relative_position = 0", set(DOCUMENTS)),
        ("total_chunks = 1", {"halden.md", "codes.md"}),
        ("exists recipe", set(DOCUMENTS)),
        ('symbol = "open_shelf" and symbols has "open_shelf" and complexity = 2', {"shelf.py"}),
    ],
)
def test_facts_can_be_filtered_by(index: Index, where: str, holds: set[str]) -> None:
    assert docs(index, where) == holds


def test_facts_are_shown_and_sorted_by(index: Index) -> None:
    options = SearchOptions(fields=("freshness", "entities", "doc"), sort="freshness", show="source", min_score=0.0)
    found = index.search(QUERY, options=options)
    best = found[0]
    assert best.doc == "halden.md"
    assert 0 <= dict(best.fields)["freshness"] < 0.1  # type: ignore[operator]
    names, types = best.facts["entities"], best.facts["entity_types"]
    assert isinstance(names, tuple)
    assert isinstance(types, tuple)
    assert dict(zip(names, types, strict=True))["Ada Reyes"] == "PERSON"
    assert {"modality", "strategy", "density", "self_containedness", "coherence"} <= best.facts.keys()
    assert isinstance(best.facts["density"], float)
    assert Results.from_dict(found.to_dict()) == found
    assert (
        index.search(QUERY, options=SearchOptions(sort="freshness:desc", show="source", min_score=0.0))[-1] is not best
    )
    turned = index.search(QUERY, options=SearchOptions(sort="freshness:desc", show="source", min_score=0.0))
    assert turned[-1].doc == "halden.md"
    assert {hit.id for hit in turned} == {hit.id for hit in found}


def test_how_sure_a_text_is_can_be_shown_of_every_text(index: Index) -> None:
    options = SearchOptions(fields=("confidence", "needs_review"), sort="confidence", show="source", min_score=0.0)
    found = index.search(QUERY, options=options)
    assert {(hit.facts["confidence"], hit.facts["needs_review"]) for hit in found} == {(1.0, False)}
    assert Results.from_dict(found.to_dict()) == found


def test_images_are_kept(index: Index) -> None:
    index.add("plan.md", "# Plan\n\nThe company from above.\n\n![Plan of the company](plan.png)\n")
    assert docs(index, 'images has "plan.png"') == {"plan.md"}


def test_the_position_follows_edits(index: Index) -> None:
    title, first = "---\ntitle: Firms\n---\n", "# First\n\nA new company.\n\n"
    halves = "# Before\n\nA company of old.\n\n# After\n\nA company of today.\n"
    index.add("edited.md", title + halves)
    assert index.add("edited.md", title + first + halves).chunks == 1  # the others are written, not embedded
    options = SearchOptions(fields=("position",), sort="position", show="source", min_score=0.0)
    found = index.search(QUERY, k=50, where='doc = "edited.md" and total_chunks = 3', options=options)
    assert [(hit.facts["position"], hit.path[-1]) for hit in found] == [(0, "First"), (1, "Before"), (2, "After")]


def test_what_lacks_the_field_comes_last(index: Index) -> None:
    for sort in ("source_version", "source_version:desc"):
        found = index.search(QUERY, options=SearchOptions(sort=sort, show="source", min_score=0.0))
        assert found[0].doc == "halden.md"


def test_a_second_run_writes_nothing(index: Index) -> None:
    for name, text in DOCUMENTS.items():
        report = index.add(name, text)
        assert (report.unchanged, report.written) == (1, 0)


# --- an index that keeps less ------------------------------------------------------------------------------------


def test_a_field_that_is_not_kept_says_how_to_get_it() -> None:
    with open_index("memory:", config=IndexConfig(Recipe(enrich=("density",)), "hash")) as index:
        index.add("halden.md", OLD)
        assert not index.search(QUERY, where="density > 0", options=SearchOptions(min_score=0.0)).notices
        found = index.search(QUERY, where='modality = "text"', options=SearchOptions(fields=("coherence",)))
        (notice,) = (one for one in found.notices if one.code == "field-not-kept")
        assert "modality, coherence" in notice.message
        assert "--enrich modality,coherence" in notice.message
        assert index.context(QUERY, where='modality = "text"').notices[-1].code == "field-not-kept"


@pytest.mark.parametrize(
    ("options", "where"),
    [({"fields": ("densty",)}, ""), ({"sort": "nobody"}, ""), ({"sort": "path"}, ""), ({}, "freshness = 0.5")],
)
def test_what_cannot_work_is_refused(options: dict[str, object], where: str) -> None:
    with open_index("memory:", config=IndexConfig(Recipe(), "hash")) as index, pytest.raises(ConfigError):
        index.search(QUERY, where=where, options=SearchOptions(**options))  # type: ignore[arg-type]


def test_freshness_is_that_of_the_question() -> None:
    with open_index("memory:", config=IndexConfig(Recipe(), "hash")) as index:
        day = datetime.now(UTC) - timedelta(days=100)
        index.add("a.md", f"---\ndate: {day:%Y-%m-%d}\n---\nA company.\n")
        for where, holds in (
            ("freshness > 0.36", 1),
            ("freshness > 0.38", 0),
            ("freshness >= 0", 1),
            ("freshness > 1", 0),
        ):
            assert len(index.search(QUERY, where=where, options=SearchOptions(min_score=0.0))) == holds
        slow = SearchOptions(decay=0.001, fields=("freshness",), min_score=0.0)
        (hit,) = index.search(QUERY, where="freshness > 0.9", options=slow)
        assert hit.facts["freshness"] == pytest.approx(0.904, abs=0.001)


def test_an_index_without_enrichment_keeps_nothing_more() -> None:
    with open_index("memory:", config=IndexConfig(Recipe(), "hash")) as index:
        index.add("codes.md", NEW)
        (hit,) = index.search(QUERY, options=SearchOptions(min_score=0.0))
        assert (hit.facts, dict(hit.entry.meta)) == ({}, {":media_type": "text/markdown"})


# --- the command line --------------------------------------------------------------------------------------------


def test_fields_on_the_command_line(shop: Warm) -> None:
    shown = shop("search", "Ada Reyes company", "-k", "1", "--fields", "entities,modality,source_version")
    assert "Ada Reyes (PERSON); Halden Systems (ORG)" in shown.out
    assert "modality text, source_version v2.1" in shown.out
    found = json.loads(shop("search", QUERY, "--sort", "freshness:desc", "--fields", "freshness", "--json").out)
    fresh = [hit["facts"]["freshness"] for hit in found["hits"]]
    assert fresh == sorted(fresh, reverse=True)
    assert len(fresh) > 1


def test_mistakes_on_the_command_line(shop: Warm) -> None:
    ended = shop("search", QUERY, "--fields", "densty")
    assert (ended.code, "did you mean `density`" in ended.err) == (2, True)
    assert "--fields" in ended.err
    ended = shop("search", QUERY, "--where", "token_count < 100")
    assert (ended.code, "unknown field 'token_count': did you mean `tokens`?" in ended.err) == (2, True)
    ended = shop("search", QUERY, "--where", "freshness = 1")
    assert (ended.code, "expected <, <=, > or >= after freshness" in ended.err) == (2, True)


def test_a_notice_on_the_command_line(handbook: Warm) -> None:
    ended = handbook("search", "retry", "--where", "density > 0.5")
    assert ended.code == 0
    assert "this index does not keep density: index into another place with `--enrich density`" in ended.err


def test_what_needs_review_is_counted_and_found(warm: Warm) -> None:
    said = [(-1.9, "The pump was repaired on Monday."), (-2.1, "Nobody knows who closed the valve.")]
    segments = [{"start": n, "end": n + 1, "text": text, "avg_logprob": sure} for n, (sure, text) in enumerate(said)]
    (warm.folder / "talk.json").write_text(json.dumps({"text": "", "segments": segments}))
    (warm.folder / "pump.md").write_text("# Pump\n\nThe pump has a valve.\n")
    assert warm("index", "talk.json", "pump.md", "--embedder", "hash").code == 0
    stats = warm("stats")
    assert "  to review     1 chunk of talk.json: the text is unsure\n" in stats.out
    assert json.loads(warm("stats", "--json").out)["needs_review"] == {"talk.json": 1}
    found = json.loads(warm("search", "pump valve", "--where", "needs_review = true", "--json").out)["hits"]
    assert [hit["doc"] for hit in found] == ["talk.json"]
    assert found[0]["facts"]["needs_review"] is True
    assert found[0]["facts"]["confidence"] < 0.2
    sure = json.loads(warm("search", "pump valve", "--where", "confidence > 0.9", "--json").out)["hits"]
    assert [hit["doc"] for hit in sure] == ["pump.md"]
