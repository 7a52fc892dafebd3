"""Where a text about chunks is the best match, it is what is shown, with citations of what it was made from."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from conftest import Cli, Warm
from harness.postgres import shared_server
from harness.warm import WarmProcess
from seamline.api.index import Index, open_index
from seamline.index.config import IndexConfig
from seamline.recipe.recipe import Recipe
from seamline.recipe.strategies import Tabular
from seamline.recipe.toml import to_toml
from seamline.search.hits import Results
from seamline.search.options import SearchOptions

REGIONS = ("North", "South", "East", "West")
SALES = "company,region,quarter,revenue\n" + "".join(
    f"Company {n:03d},{REGIONS[n * 7 % 4]},Q{n % 4 + 1} 2024,{(n * 37 % 900 + 100) / 100:.2f}\n" for n in range(160)
)
MEAN = sum((n * 37 % 900 + 100) / 100 for n in range(160)) / 160
CODE = '''"""Keeps parcels on shelves until somebody comes for them."""

import json
import os
from pathlib import Path


class Parcel:
    """One parcel."""

    def weigh(self) -> float:
        """Kilograms."""
        return float(os.environ["SCALE"])


def open_shelf(path: str) -> dict:
    """Read the file of a shelf."""
    return json.loads(Path(path).read_text())
'''
PLANT = """# Plant

The plant in Turin was built in 1961. It was closed after the flood. Ada Reyes founded Halden Systems in Turin. The old
halls were let to a bakery, which used the ovens of the foundry. Trams stop at the gate every ten minutes. The roof of
the eastern hall was renewed with slate, since the insurance asked for it. Two of the cranes were sold to a museum.
"""
AVERAGE = "average revenue of all companies"


def recipe() -> Recipe:
    return Recipe(
        strategy="auto",
        derive=("proposition", "pivot"),
        tabular=Tabular(key="region", rows="sentence"),
        signal="hash",
    )


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory, server: WarmProcess) -> Warm:
    """A folder with a table, code and prose, and an index of them."""
    warm = Warm(tmp_path_factory.mktemp("shop"), server)
    for name, text in {"sales.csv": SALES, "shelf.py": CODE, "plant.md": PLANT}.items():
        (warm.folder / name).write_text(text)
    (warm.folder / "seamline.toml").write_text(to_toml(recipe()))
    ended = warm("index", ".", "--embedder", "hash")
    assert ended.code == 0, ended.err
    return warm


@pytest.fixture(params=["memory", "sqlite", "lance", "postgres"])
def index(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Index]:
    places = {"memory": "memory:", "sqlite": str(tmp_path / "index"), "lance": f"lance:{tmp_path / 'store'}"}
    if request.param == "postgres":
        places["postgres"] = shared_server().url(query=f"schema=derived_{uuid4().hex}")
    with open_index(places[request.param], config=IndexConfig(recipe(), "hash")) as made:
        made.add("sales.csv", SALES, media_type="text/csv")
        made.add("plant.md", PLANT)
        yield made


def hits(cli: Cli, *args: str) -> list[dict[str, Any]]:
    ended = cli("search", *args, "--json")
    assert ended.code == 0, ended.err
    found: list[dict[str, Any]] = json.loads(ended.out)["hits"]
    return found


# --- the command line --------------------------------------------------------------------------------------------


def test_a_question_about_a_column_shows_the_summary_of_its_table(shop: Warm) -> None:
    shown = shop("search", AVERAGE, "-k", "1")
    assert shown.out.startswith("   1  ")
    assert "sales.csv:1-161\n" in shown.out
    assert "      derived: table summary\n" in shown.out
    assert f"mean {MEAN:.3f}".rstrip("0") in shown.out  # never cut before what was asked for
    best = hits(shop, AVERAGE)[0]
    assert (best["derived"], best["kind"], best["ids"]) == ("table-summary", "table-summary", [])
    (cited,) = best["citations"]
    assert (cited["start"], cited["end"]) == (0, len(SALES.rstrip()))
    assert SALES.startswith(cited["quote"])
    resolved = json.loads(shop("cite", f"{cited['id']}@1", "--json").out)
    assert (resolved["status"], resolved["cited"]["quote"]) == ("current", SALES.rstrip())


def test_the_chunk_is_shown_instead_where_that_is_asked_for(shop: Warm) -> None:
    best = hits(shop, AVERAGE, "--show", "source")[0]
    assert best["derived"] == ""
    assert best["citations"][0]["quote"] in SALES
    assert not any(hit["derived"] for hit in hits(shop, "what is in shelf.py", "--show", "source"))


def test_a_pivot_cites_each_run_of_its_rows(shop: Warm) -> None:
    best = next(hit for hit in hits(shop, "region: West", "-k", "10") if hit["derived"] == "pivot")
    assert best["text"].startswith("region: ")
    region = best["text"].split()[1]
    assert len(best["citations"]) > 1
    for cited in best["citations"]:
        assert SALES[cited["start"] : cited["end"]] == cited["quote"]
    lines = {line for cited in best["citations"] for line in cited["quote"].splitlines()}
    assert sum(region in line for line in lines) >= len(lines) / 4  # at most sixteen places are kept apart


def test_a_file_summary_is_shown_and_not_the_imports(shop: Warm) -> None:
    best = hits(shop, "shelf.py imports class Parcel def open_shelf")[0]
    assert best["derived"] == "file-summary"
    assert "def open_shelf(path: str) -> dict" in best["text"]
    assert all(CODE[one["start"] : one["end"]] == one["quote"] for one in best["citations"])
    shown = shop("search", "shelf.py imports class Parcel def open_shelf", "-k", "1").out
    assert "derived: file summary from 1" in shown


def test_a_claim_is_shown_and_its_chunk_is_not_repeated(shop: Warm) -> None:
    found = hits(shop, "Ada Reyes founded Halden Systems")
    best = found[0]
    assert best["derived"] == "proposition"
    assert best["citations"][0]["quote"] in PLANT
    assert best["citations"][0]["quote"] != PLANT.rstrip()
    assert sum(hit["doc"] == "plant.md" for hit in found) == 1


def test_a_prompt_has_the_derived_text_within_its_budget(shop: Warm) -> None:
    made = json.loads(shop("context", AVERAGE, "--budget", "250", "--json").out)
    assert made["tokens"] <= 250
    assert made["passages"][0]["derived"] == "table-summary"
    assert "[1 sales.csv:1-161, derived table-summary]" in made["text"]
    assert "mean 5." in made["text"]
    source = json.loads(shop("context", AVERAGE, "--budget", "900", "--show", "source", "--json").out)
    assert not any(passage["derived"] for passage in source["passages"])


def test_a_chunk_is_read_beside_a_claim_where_there_is_room(shop: Warm) -> None:
    made = json.loads(shop("context", "Ada Reyes founded Halden Systems", "--budget", "2000", "--json").out)
    kinds = {passage["derived"] for passage in made["passages"] if passage["label"].startswith("plant.md")}
    assert kinds == {"proposition", ""}
    assert "It was closed after the flood" in made["text"]


FAQ = """# Help

**Q: How do I reset my password?**

A: Open the settings, choose Security and press Reset. A mail comes within five minutes.

**Q: Can I change my plan?**

A: Yes. The plan is changed at the end of the month, and the difference is paid back.

**Q: Where are my invoices?**

A: Under Billing, as PDF files. They are kept for ten years.
"""


def test_a_list_of_questions_is_not_summed_up_by_what_is_asked(warm: Warm) -> None:
    (warm.folder / "faq.md").write_text(FAQ)
    assert warm("index", ".", "--embedder", "hash", "--derive", "summary", "--enrich", "summary").code == 0
    for hit in hits(warm, "how do I reset my password", "--min-score", "0"):
        assert "Reset" in hit["text"]
        assert "?" not in hit["facts"].get("summary", "")


def test_places_of_one_line_are_named_once(warm: Warm) -> None:
    said = "Grease the bearing of the pump every 500 hours. However, it must be cold. The pump has a valve."
    (warm.folder / "pump.md").write_text(f"# Pump\n\n{said}\n\nTrams stop at the gate of the hall in the morning.\n")
    assert warm("index", ".", "--embedder", "hash", "--derive", "summary").code == 0
    shown = warm("search", "grease the bearing of the pump every 500 hours", "-k", "1", "--min-score", "0").out
    assert "derived: summary from 3, 5\n" in shown


# --- Python, on every store --------------------------------------------------------------------------------------


def test_every_store_shows_and_cites_them(index: Index) -> None:
    results = index.search(AVERAGE)
    best = results[0]
    assert best.derived == "table-summary"
    assert "mean" in best.text
    assert best.citation.start == 0
    assert index.cite(best.citation.key).status == "current"
    assert Results.from_dict(results.to_dict()) == results
    pivot = next(hit for hit in index.search("region: West", k=20) if hit.derived == "pivot")
    assert [one.quote for one in pivot.citations] == [SALES[one.start : one.end] for one in pivot.citations]
    assert all(one.anchor["lines"][0] > 1 for one in pivot.citations)
    assert not any(hit.derived for hit in index.search(AVERAGE, options=SearchOptions(show="source")))


def test_a_question_that_a_table_does_not_answer_is_not_led_there() -> None:
    with open_index("memory:", config=IndexConfig(recipe(), "hash")) as index:
        index.add("sales.csv", SALES, media_type="text/csv")
        index.add("retries.md", "# Retries\n\nHow many attempts are made: a delivery has five attempts.\n")
        assert index.search("how many attempts has a delivery")[0].doc == "retries.md"


def test_modes_that_widen_leave_derived_texts_alone() -> None:
    with open_index("memory:", config=IndexConfig(recipe(), "hash", hierarchy=True)) as index:
        index.add("sales.csv", SALES, media_type="text/csv")
        for mode in ("parents", "multi-level"):
            best = index.search(AVERAGE, options=SearchOptions(mode=mode))[0]
            assert (best.derived, best.ids, best.why.expanded) == ("table-summary", (), "")


def test_a_section_that_is_shown_by_its_summary_says_so() -> None:
    text = "# Bees\n\n" + "".join(f"## Part {n}\n\n" + f"Bees of part {n} make honey. " * 60 + "\n\n" for n in range(9))
    with open_index("memory:", config=IndexConfig(Recipe(), "hash", hierarchy=True)) as index:
        index.add("bees.md", text)
        options = SearchOptions(mode="multi-level", widest=10)
        found = index.search("bees make honey", where="level > 0", options=options)
        assert {hit.derived for hit in found if hit.entry.level} == {"summary"}
        assert all(hit.citation.quote in text for hit in found)


@pytest.mark.parametrize("store", ["sqlite", "postgres"])
def test_a_prompt_does_not_repeat_a_chunk_by_its_summary(store: str, tmp_path: Path) -> None:
    place = (
        shared_server().url(query=f"schema=quoted_{uuid4().hex}") if store == "postgres" else str(tmp_path / "index")
    )
    said = "Grease the bearing of the pump every 500 hours."
    with open_index(place, config=IndexConfig(Recipe(derive=("summary",)), "hash")) as index:
        index.add(
            "pump.md", f"# Pump\n\n{said} It must be cold before. The pump has a valve, and the valve has a wheel.\n"
        )
        assert index.search("grease the bearing of the pump every 500 hours")[0].derived == "summary"
        made = index.context("grease the bearing of the pump every 500 hours", budget=1000)
        assert [passage.derived for passage in made.passages] == [""]
        assert made.text.count(said) == 1
        small = index.context("grease the bearing of the pump every 500 hours", budget=75)
        assert [passage.derived for passage in small.passages] == ["summary"]
