"""Tables and talks: strategies made for them keep the contract, and texts about tables keep to the document."""

from __future__ import annotations

import csv
import io
import json
import os
from dataclasses import replace

from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

import seamline
from seamline.enrich.links import links
from seamline.enrich.tables import pivot, rows_text, table_summary
from seamline.facts import Derived
from seamline.parse.media.turns import TurnMarks, Utterance, write_turns
from seamline.recipe.recipe import Recipe
from seamline.recipe.strategies import Multimodal, Tabular
from seamline.testing.strategies import HOSTILE, WORDS, markdown, recipes, words
from seamline.text.tables import tables
from seamline.tokens import load
from seamline.types import Chunk, Document, Source

EXAMPLES = int(os.environ.get("SEAMLINE_EXAMPLES", "80"))
WHOLENESS = ("torn-fence", "torn-markup", "headless-table", "mid-sentence", "dangling-heading")
law = settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck), print_blob=True)

CELLS = st.one_of(
    st.sampled_from(
        ("", "Acme", "Q2", "2024", "$4.2M", "31%", "1,234", "(5.0)", "2024-03-01", "true", "x y", "a|b", '"')
    ),
    st.sampled_from(WORDS),
    st.sampled_from([one for one in HOSTILE if one.isprintable()]),
)
NAMES = ("company", "year", "quarter", "revenue", "margin", "Attempt", "unit_price", "date", "notes", "id")


@st.composite
def grids(draw: st.DrawFn) -> tuple[list[str], list[list[str]]]:
    names = draw(st.lists(st.sampled_from(NAMES), min_size=1, max_size=6, unique=True))
    row = st.lists(CELLS, min_size=len(names), max_size=len(names))
    return names, draw(st.lists(row, min_size=1, max_size=25))


@st.composite
def sheets(draw: st.DrawFn) -> Document:
    """A table in one of the formats that tables come in."""
    names, rows = draw(grids())
    form = draw(st.sampled_from(("csv", "json", "jsonl", "markdown")))
    if form == "csv":
        out = io.StringIO()
        csv.writer(out, lineterminator="\n").writerows([names, *rows])
        return seamline.read(out.getvalue(), id="doc", media_type="csv")
    if form == "markdown":
        cells = [[cell.replace("|", "\\|") for cell in row] for row in (names, ["---"] * len(names), *rows)]
        text = "# Sales\n\nWords.\n\n" + "\n".join(f"| {' | '.join(row)} |" for row in cells) + "\n"
        return seamline.read(text, id="doc", media_type="markdown")
    records = [json.dumps(dict(zip(names, row, strict=True))) for row in rows]
    text = "\n".join(records) if form == "jsonl" else f"[{', '.join(records)}]"
    return seamline.read(text, id="doc", media_type=form)


def tabular() -> st.SearchStrategy[Tabular]:
    rows = st.sampled_from(("markdown", "sentence", "json", "key-value"))
    return st.builds(Tabular, rows=rows, group=st.integers(0, 4), key=st.sampled_from(("", "1")))


def proved(chunks: list[Chunk], recipe: Recipe) -> None:
    found = seamline.audit(chunks, limit=recipe.budget.limit, tokenizer=recipe.tokenizer)
    found = [one for one in found if one.rule != "changed-role"]  # test_roles draws for it, and less hostile text
    if recipe.budget.limit < 64:
        found = [one for one in found if one.rule not in WHOLENESS]
    assert not found


@law
@given(sheets(), recipes(), tabular())
def test_tables_keep_the_contract(document: Document, recipe: Recipe, told: Tabular) -> None:
    recipe = replace(recipe, strategy="tabular", tabular=told if tables(document) else Tabular())
    proved(seamline.chunk(document, recipe=recipe), recipe)


@law
@given(sheets(), recipes(), tabular())
def test_texts_about_tables_keep_to_the_document_and_to_the_limit(
    document: Document, recipe: Recipe, told: Tabular
) -> None:
    assume(tables(document))
    recipe = replace(recipe, strategy="tabular", tabular=replace(told, key="1"))
    chunks = seamline.chunk(document, recipe=recipe)
    tokenizer = load(recipe.tokenizer, recipe.bias)
    ids = {chunk.id for chunk in chunks}
    found: list[Derived] = []
    for make in (rows_text, pivot, table_summary):
        found += make(document, chunks, recipe, tokenizer)
    assert any(one.kind == "table-summary" for one in found)
    for one in found:
        assert one.of
        assert ids >= set(one.of)
        assert one.spans
        assert all(0 <= start < end <= len(document.text) for start, end in one.spans)
        assert list(one.spans) == sorted(one.spans)
        assert one.tokens == tokenizer.count(one.text) <= recipe.budget.limit


@law
@given(sheets(), st.sampled_from(("sentence", "key-value")))
def test_every_cell_is_said(document: Document, rows: str) -> None:
    recipe = Recipe(strategy="tabular", tabular=Tabular(rows=rows))  # type: ignore[arg-type]
    found = rows_text(document, seamline.chunk(document, recipe=recipe), recipe, load(recipe.tokenizer))
    said = " ".join(" ".join(one.text.split()) for one in found)
    for table in tables(document):
        for row in table.rows():
            for cell in row.cells:
                assert " ".join(cell.split()) in said


@st.composite
def talks(draw: st.DrawFn) -> Document:
    said: list[Utterance] = []
    at = 0.0
    for _ in range(draw(st.integers(0, 25))):
        start = at + draw(st.sampled_from((0.0, 0.3, 2.5, 40.0)))
        at = start + draw(st.floats(0.1, 20))
        said.append(Utterance(draw(words()), (start, at), draw(st.sampled_from(("", "Ann", "Bo")))))
    scenes = tuple(sorted(draw(st.sets(st.floats(0, 300), max_size=4))))
    text, blocks, anchors = write_turns(said, TurnMarks(scenes=scenes))
    return Document("talk", Source(), text, blocks, anchors=anchors)


@law
@given(talks(), recipes(), st.floats(0, 10))
def test_talks_keep_the_contract(document: Document, recipe: Recipe, pause: float) -> None:
    recipe = replace(recipe, strategy="multimodal", multimodal=Multimodal(pause=pause))
    proved(seamline.chunk(document, recipe=recipe), recipe)


@law
@given(markdown(), recipes())
def test_documents_keep_the_contract_with_their_figures(text: str, recipe: Recipe) -> None:
    recipe = replace(recipe, strategy="multimodal")
    proved(seamline.chunk(text + "\n", media_type="text/markdown", recipe=recipe), recipe)


@law
@given(markdown(), recipes())
def test_links_lead_from_one_chunk_to_another(text: str, recipe: Recipe) -> None:
    chunks = seamline.chunk(text + "\n\nSee Figure 1 and [x](#the).\n", media_type="text/markdown", recipe=recipe)
    by_id = {chunk.id: chunk for chunk in chunks}
    for name, some in links(chunks).items():
        for link in some:
            assert link.target in by_id
            assert link.target != name
            assert by_id[name].start <= link.start < link.end
