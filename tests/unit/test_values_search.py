"""What a search gives: a sequence of values that are read back from their records, and filters in every form."""

from __future__ import annotations

import asyncio
import copy
import json
import pickle
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime
from typing import Any

import pytest

import seamline
from harness.json_schema import objections
from seamline.errors import ConfigError, MissingExtra
from seamline.filters.language import parse_filter
from seamline.filters.mapping import FilterLike, filter_of
from seamline.filters.tree import All, Not, Test
from seamline.schema.json_schema import json_schema
from seamline.search.citations import Resolved
from seamline.search.hits import Citation, ContextText, Hit, Results

PUMP = "---\nteam: water\ndate: 2024-01-31\n---\n\n# Pumps\n\nThe pump lifts water from the well to the tank.\n"
VALVE = (
    "# Valves\n\nA valve keeps the water of the pump from flowing back.\n\n| part | price |\n|---|---|\n| pump | 3 |\n"
)


@pytest.fixture(scope="module")
def index() -> Iterator[seamline.Index]:
    with seamline.open_index("memory:", config=seamline.IndexConfig(embedder="hash")) as index:
        index.add("pump.md", PUMP)
        index.add("valve.md", VALVE)
        yield index


def through_json(record: Any) -> Any:
    return json.loads(json.dumps(record))


def check_value(value: Any, name: str) -> None:
    """A value survives pickling and copying, and its record fits the schema and is read back as the value."""
    for other in (pickle.loads(pickle.dumps(value)), copy.deepcopy(value)):
        assert (other, hash(other)) == (value, hash(value))
    record = through_json(value.to_dict())
    assert not list(objections(json_schema(name), record))
    back = type(value).from_dict(record)
    assert (back, hash(back)) == (value, hash(value))
    assert through_json(back.to_dict()) == record


def test_results_hits_and_citations_are_values(index: seamline.Index) -> None:
    for results in (index.search("pump water"), index.search("compare pump and valve", adaptive=True)):
        assert len(results) > 1
        check_value(results, "results")
        for hit in results:
            check_value(hit, "hit")
            check_value(hit.citation, "citation")
    assert index.search("pump", adaptive=True).plan == index.plan("pump")


def test_texts_for_prompts_and_resolved_citations_are_values(index: seamline.Index) -> None:
    check_value(index.context("pump water", budget=500), "context")
    key = index.search("pump").hits[0].citation.key
    check_value(index.cite(key), "resolved")
    check_value(index.cite("nobody@1"), "resolved")
    assert index.cite(key).key == key


def test_metadata_of_every_type_comes_back(index: seamline.Index) -> None:
    hit = index.search("pump")[0]
    meta = {"team": "water", "size": 3.0, "open": True, "at": datetime(2024, 1, 31, tzinfo=UTC), "tags": ("a", "b")}
    check_value(replace(hit, entry=replace(hit.entry, meta=meta)), "hit")


def test_hits_that_differ_in_a_vector_are_not_equal(index: seamline.Index) -> None:
    hit = index.search("pump")[0]
    one, other = (replace(hit.entry, vector=vector) for vector in vectors())
    assert one != other
    assert one == replace(one, vector=vectors()[0])
    assert one != hit.entry


def vectors() -> list[Any]:
    import numpy as np

    return [np.array([1.0, 0.0], np.float32), np.array([0.0, 1.0], np.float32)]


def test_results_are_a_sequence(index: seamline.Index) -> None:
    results = index.search("pump water", k=3)
    assert isinstance(results, Sequence)
    assert list(results) == list(results.hits)
    assert (results[0], results[-1]) == (results.hits[0], results.hits[-1])
    assert results.index(results[1]) == 1
    assert results[0] in results
    rest = results[1:]
    assert isinstance(rest, Results)
    assert (rest.hits, rest.query) == (results.hits[1:], "pump water")
    assert not Results()


def test_a_hit_says_where_it_is_from(index: seamline.Index) -> None:
    hit = index.search("pump lifts water", k=1)[0]
    assert (hit.doc, hit.path, hit.id) == ("pump.md", ("Pumps",), hit.entry.id)
    assert hit.meta["team"] == "water"
    assert "lifts" in hit.text


@pytest.mark.parametrize(("kind", "name"), [(Citation, "citation"), (Hit, "hit"), (Results, "results")])
def test_a_record_that_does_not_fit_is_refused(kind: Any, name: str) -> None:
    with pytest.raises(ConfigError, match="expected the key"):
        kind.from_dict({"query": ""})
    for other in (ContextText, Resolved):
        with pytest.raises(ConfigError, match="expected an object"):
            other.from_dict([])  # type: ignore[arg-type]


# --- tables ----------------------------------------------------------------------------------------------------------


def test_results_as_a_table(index: seamline.Index) -> None:
    results = index.search("pump water")
    table = results.to_arrow()
    assert table.num_rows == len(results)
    assert table["id"].to_pylist() == [hit.id for hit in results]
    assert table["path"].to_pylist()[0] == list(results[0].path)
    assert json.loads(table["citations"].to_pylist()[0]) == [one.to_dict() for one in results[0].citations]
    assert Results().to_arrow().schema == table.schema


def test_results_as_a_data_frame(index: seamline.Index) -> None:
    results = index.search("pump water")
    frame = results.to_pandas()
    assert list(frame["id"]) == [hit.id for hit in results]
    assert frame.loc[0, "score"] == results[0].score
    assert list(Results().to_pandas().columns) == list(frame.columns)


def test_missing_packages_are_named(index: seamline.Index, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(MissingExtra, match="pip install pandas"):
        index.search("pump").to_pandas()
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(MissingExtra, match=r"pip install 'seamline\[tables\]'"):
        index.search("pump").to_arrow()


# --- filters ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("where", "text"),
    [
        ({"doc": "pump.md"}, 'doc = "pump.md"'),
        ({"kind": ["table", "code"]}, 'kind in ("table", "code")'),
        ({"tokens": {">": 10, "<=": 200}}, "tokens > 10 and tokens <= 200"),
        ({"path": "Pumps"}, 'path has "Pumps"'),
        ({"path": ["Pumps", "Valves"]}, 'path has "Pumps" or path has "Valves"'),
        ({"meta": {"team": "water"}, "level": 0}, 'meta.team = "water" and level = 0'),
        ({"meta.team": {"!=": "air"}}, 'meta.team != "air"'),
        ({"coherence": None}, "not exists coherence"),
        ({"coherence": {"exists": True}}, "exists coherence"),
        ({"kind": {"not in": ["code"]}}, 'kind not in ("code")'),
        ({"created_at": {">=": date(2024, 1, 31)}}, "created_at >= 2024-01-31"),
        ({"doc": {"starts": "docs/"}}, 'doc starts "docs/"'),
        (Not(Test("kind", "=", "code")), 'not kind = "code"'),
        (' kind = "code" ', 'kind = "code"'),
    ],
)
def test_a_mapping_is_the_filter_that_its_text_is(where: FilterLike, text: str) -> None:
    assert filter_of(where) == parse_filter(text)


@pytest.mark.parametrize("where", ["", " ", None, {}])
def test_no_filter(where: FilterLike) -> None:
    assert filter_of(where) is None


@pytest.mark.parametrize(
    ("where", "message"),
    [
        ({"docs": "x"}, "unknown field 'docs'"),
        ({"tokens": {"=>": 3}}, "unknown operator '=>' for tokens"),
        ({"tokens": "3"}, "expected a number"),
        (All((Test("nobody", "=", 1.0),)), "unknown field"),
        (3, "expected a filter as text"),
    ],
)
def test_a_filter_that_cannot_work_is_refused(where: Any, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        filter_of(where)


def test_a_search_takes_filters_in_every_form(index: seamline.Index) -> None:
    forms: list[FilterLike] = ['doc = "pump.md"', {"doc": "pump.md"}, Test("doc", "=", "pump.md")]
    assert [[hit.doc for hit in index.search("water", where=where)] for where in forms] == [["pump.md"]] * 3
    assert {one.doc for one in index.context("water", where={"meta": {"team": "water"}}).citations} == {"pump.md"}


def test_async_twins_say_the_same(index: seamline.Index) -> None:
    async def both() -> tuple[Results, ContextText]:
        found, text = await asyncio.gather(index.asearch("pump water", k=2), index.acontext("pump water"))
        return found, text

    found, text = asyncio.run(both())
    assert found == index.search("pump water", k=2)
    assert text == index.context("pump water")
