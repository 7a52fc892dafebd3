"""The adapters for Haystack against Haystack: components in pipelines, kept as YAML."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from haystack import Document, Pipeline
from haystack.components.embedders import MockDocumentEmbedder
from haystack.components.writers import DocumentWriter
from haystack.document_stores.in_memory import InMemoryDocumentStore

import seamline
from seamline.adapters.haystack import (
    SeamlineDocumentRetriever,
    SeamlineDocumentSplitter,
    SeamlineFileConverter,
    from_document,
    to_document,
    where_of,
)
from seamline.errors import ConfigError
from seamline.types import Budget

HANDBOOK = Path(__file__).parents[2] / "examples/handbook"
SMALL = seamline.Recipe(budget=Budget(target=60, limit=96))
PAGE = (HANDBOOK / "webhooks.md").read_text(encoding="utf-8")


def test_the_splitter_gives_chunks() -> None:
    source = Document(id="w.md", content=PAGE, meta={"team": "infra"})
    found = SeamlineDocumentSplitter(recipe="small").run(documents=[source])["documents"]
    wanted = seamline.chunk(seamline.read(PAGE, id="w.md"), recipe="small")
    assert [from_document(one) for one in found] == [one.to_dict() for one in wanted]
    assert [one.id for one in found] == [one.id for one in wanted]
    assert {(one.meta["team"], one.meta["source_id"]) for one in found} == {("infra", "w.md")}


def test_embedders_read_the_embed_view() -> None:
    read: list[str] = []
    embedder = MockDocumentEmbedder(
        embedding_fn=lambda text: read.append(text) or [1.0],
        meta_fields_to_embed=["headings"],
        embedding_separator="\n\n",
    )
    wanted = seamline.chunk(seamline.read(PAGE, id="w.md"), recipe=SMALL)
    embedder.run(documents=[to_document(one) for one in wanted])
    assert read == [one.render("embed") for one in wanted]


def test_a_document_without_text_is_refused() -> None:
    with pytest.raises(ConfigError, match="content"):
        SeamlineDocumentSplitter().run(documents=[Document(id="empty")])


def test_files_go_through_a_pipeline_into_a_store(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text("<title>A</title><h1>A</h1><p>Ten calls each second.</p>")
    store = InMemoryDocumentStore()
    pipeline = Pipeline()
    pipeline.add_component("convert", SeamlineFileConverter())
    pipeline.add_component("write", DocumentWriter(store))
    pipeline.connect("convert.documents", "write.documents")
    pipeline.run({"convert": {"sources": [tmp_path], "meta": {"team": "infra"}}})
    (kept,) = store.filter_documents({"field": "meta.team", "operator": "==", "value": "infra"})
    assert from_document(kept) == seamline.chunk(tmp_path / "a.html")[0].to_dict()


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("haystack") / "index"
    with seamline.open_index(folder, config=seamline.IndexConfig(SMALL, embedder="hash"), root=HANDBOOK) as opened:
        opened.update([HANDBOOK])
    return str(folder)


@pytest.fixture
def retriever(place: str) -> Iterator[SeamlineDocumentRetriever]:
    made = SeamlineDocumentRetriever(place, top_k=3)
    yield made
    made.close()


def test_the_retriever_gives_hits(retriever: SeamlineDocumentRetriever, place: str) -> None:
    found = retriever.run(query="retry after 429")["documents"]
    with seamline.open_index(place) as index:
        hits = index.search("retry after 429", k=3).hits
    assert [(one.id, one.content, one.score) for one in found] == [(hit.entry.id, hit.text, hit.score) for hit in hits]
    assert [from_document(one) for one in found] == [hit.to_dict() for hit in hits]
    assert [one.meta["citation"] for one in found] == [hit.citation.key for hit in hits]


def test_the_question_can_bring_its_own_filter_and_number(retriever: SeamlineDocumentRetriever) -> None:
    on = {"field": "meta.doc", "operator": "==", "value": "on-call.md"}
    found = retriever.run(query="retry", filters=on, top_k=2)["documents"]
    assert [one.meta["doc"] for one in found] == ["on-call.md"] * 2


def test_a_pipeline_is_kept_as_yaml(place: str) -> None:
    pipeline = Pipeline()
    pipeline.add_component("find", SeamlineDocumentRetriever(place, top_k=1))
    pipeline.add_component("split", SeamlineDocumentSplitter(recipe=SMALL))
    pipeline.connect("find.documents", "split.documents")
    again = Pipeline.loads(pipeline.dumps(), allowed_modules=["seamline.*"])
    assert again.dumps() == pipeline.dumps()
    assert again.run({"find": {"query": "retry"}})["split"]["documents"]
    again.get_component("find").close()


@pytest.mark.parametrize(
    ("filters", "text"),
    [
        ({"field": "meta.kind", "operator": "==", "value": "table"}, 'kind = "table"'),
        ({"field": "meta.meta_team", "operator": "!=", "value": "infra"}, 'not meta.team = "infra"'),
        ({"field": "tokens", "operator": ">=", "value": 40}, "tokens >= 40"),
        ({"field": "meta.kind", "operator": "in", "value": ["code", "table"]}, 'kind in ("code", "table")'),
        ({"field": "meta.kind", "operator": "not in", "value": ["code"]}, 'not kind in ("code")'),
        ({"field": "meta.created_at", "operator": ">", "value": "2026-01-02"}, "created_at > 2026-01-02"),
        (
            {
                "operator": "OR",
                "conditions": [
                    {"field": "meta.doc", "operator": "==", "value": "a.md"},
                    {"operator": "NOT", "conditions": [{"field": "meta.level", "operator": ">", "value": 0}]},
                ],
            },
            'doc = "a.md" or not level > 0',
        ),
    ],
)
def test_filters_of_haystack_mean_the_same_here(filters: dict[str, Any], text: str) -> None:
    from seamline.filters.language import parse_filter, to_text

    assert where_of(filters) == to_text(parse_filter(text))


@pytest.mark.parametrize("filters", [{"field": "meta.kind"}, {"field": "a", "operator": "like", "value": "x"}])
def test_other_filters_are_refused(filters: dict[str, Any]) -> None:
    with pytest.raises(ConfigError, match="filter of Haystack"):
        where_of(filters)
