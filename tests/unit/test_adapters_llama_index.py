"""The adapters for LlamaIndex against LlamaIndex: a pipeline, an index, a directory reader."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest
from llama_index.core import MockEmbedding, SimpleDirectoryReader, VectorStoreIndex
from llama_index.core.ingestion import IngestionPipeline
from llama_index.core.llms import MockLLM
from llama_index.core.query_engine import RetrieverQueryEngine
from llama_index.core.response_synthesizers import ResponseMode, get_response_synthesizer
from llama_index.core.schema import Document, MetadataMode, NodeRelationship

import seamline
from seamline.adapters.cutting import recipe_of
from seamline.adapters.llama_index import SeamlineNodeParser, SeamlineNodeRetriever, SeamlineReader, from_node
from seamline.types import Budget

HANDBOOK = Path(__file__).parents[2] / "examples/handbook"
SMALL = seamline.Recipe(budget=Budget(target=60, limit=96))
PAGE = (HANDBOOK / "webhooks.md").read_text(encoding="utf-8")
PARSER = SeamlineNodeParser(recipe=SMALL)


def test_nodes_are_the_chunks_of_a_document() -> None:
    document = Document(id_="w.md", text=PAGE, metadata={"team": "infra"})
    nodes = PARSER.get_nodes_from_documents([document])
    wanted = seamline.chunk(seamline.read(PAGE, id="w.md"), recipe=SMALL)
    assert [from_node(node) for node in nodes] == [one.to_dict() for one in wanted]
    for node, one in zip(nodes, wanted, strict=True):
        assert (node.node_id, node.ref_doc_id, node.metadata["team"]) == (one.id, "w.md", "infra")
        assert PAGE[node.start_char_idx : node.end_char_idx] == one.render("body")
        assert (node.prev_node.node_id if node.prev_node else "") == one.previous
        assert (node.next_node.node_id if node.next_node else "") == one.next


def test_sections_are_parents_and_children() -> None:
    recipe = seamline.Recipe(strategy="hierarchical", budget=Budget(target=60, limit=96))
    chunks = seamline.chunk(seamline.read(PAGE, id="w.md"), recipe=recipe)
    nodes = SeamlineNodeParser(recipe=recipe).get_nodes_from_documents([Document(id_="w.md", text=PAGE)])
    assert any(one.parent for one in chunks)
    for node, one in zip(nodes, chunks, strict=True):
        assert (node.parent_node.node_id if node.parent_node else "") == one.parent
        assert [child.node_id for child in node.child_nodes or []] == list(one.children)


def test_the_parser_is_a_step_of_a_pipeline_and_can_be_kept() -> None:
    parser = SeamlineNodeParser(recipe="small")
    nodes = IngestionPipeline(transformations=[parser]).run(documents=[Document(id_="w.md", text=PAGE)])
    assert SeamlineNodeParser.from_dict(parser.to_dict()).to_dict() == parser.to_dict()
    assert recipe_of(SeamlineNodeParser.from_dict(PARSER.to_dict()).recipe) == SMALL
    assert [node.node_id for node in nodes] == [
        one.id for one in seamline.chunk(seamline.read(PAGE, id="w.md"), recipe="small")
    ]


def test_what_models_see() -> None:
    hidden = Document(
        id_="w.md", text=PAGE, metadata={"file": "w.md", "team": "infra"}, excluded_embed_metadata_keys=["file", "team"]
    )
    node = PARSER.get_nodes_from_documents([hidden])[3]
    headings = node.metadata["headings"]
    assert node.get_content(MetadataMode.EMBED) == f"{headings}\n\n{node.text}"
    assert node.get_content(MetadataMode.LLM) == f"w.md\ninfra\n\n{node.text}"


def test_an_index_of_llama_index_gives_the_chunks_back() -> None:
    nodes = PARSER.get_nodes_from_documents([Document(id_="w.md", text=PAGE)])
    index = VectorStoreIndex(nodes, embed_model=MockEmbedding(embed_dim=8))
    found = index.as_retriever(similarity_top_k=len(nodes)).retrieve("retry")
    assert {one.node_id: from_node(one.node) for one in found} == {node.node_id: from_node(node) for node in nodes}


def test_the_reader_reads_files_for_a_directory_reader(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text("<title>A</title><h1>A</h1><p>Ten calls each second.</p>")
    reader = SimpleDirectoryReader(input_dir=str(tmp_path), file_extractor={".html": SeamlineReader()})
    (document,) = reader.load_data()
    assert document.metadata["title"] == "A"
    assert document.metadata["file_name"] == "a.html"
    assert document.text == seamline.chunk(tmp_path / "a.html")[0].text


def test_the_reader_reads_folders() -> None:
    documents = SeamlineReader(recipe=SMALL).load_data(HANDBOOK)
    wanted = [one for file in sorted(HANDBOOK.iterdir()) for one in seamline.chunk(file, recipe=SMALL)]
    assert sorted(document.doc_id for document in documents) == sorted(one.id for one in wanted)
    assert asyncio.run(SeamlineReader(recipe=SMALL).aload_data(HANDBOOK)) == documents


@pytest.fixture(scope="module")
def index() -> Iterator[seamline.Index]:
    with seamline.open_index("memory:", config=seamline.IndexConfig(SMALL, embedder="hash"), root=HANDBOOK) as opened:
        opened.update([HANDBOOK])
        yield opened


def test_the_retriever_gives_hits(index: seamline.Index) -> None:
    found = SeamlineNodeRetriever(index, k=3).retrieve("retry after 429")
    hits = index.search("retry after 429", k=3).hits
    assert [(one.node_id, one.score, one.text) for one in found] == [
        (hit.entry.id, hit.score, hit.text) for hit in hits
    ]
    assert [from_node(one.node) for one in found] == [hit.to_dict() for hit in hits]
    assert [one.node.metadata["citation"] for one in found] == [hit.citation.key for hit in hits]
    assert found[0].node.relationships[NodeRelationship.SOURCE].node_id == hits[0].citation.doc


def test_the_retriever_is_asynchronous_too(index: seamline.Index) -> None:
    retriever = SeamlineNodeRetriever(index, k=3, where='doc = "webhooks.md"')
    found = asyncio.run(retriever.aretrieve("retry"))
    assert [one.node_id for one in found] == [one.node_id for one in retriever.retrieve("retry")]
    assert {one.node.metadata["doc"] for one in found} == {"webhooks.md"}


def test_a_query_engine_answers_from_its_nodes(index: seamline.Index) -> None:
    writer = get_response_synthesizer(llm=MockLLM(), response_mode=ResponseMode.COMPACT)
    engine = RetrieverQueryEngine(SeamlineNodeRetriever(index, k=2), response_synthesizer=writer)
    assert len(engine.query("retry").source_nodes) == 2
