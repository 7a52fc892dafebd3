"""The adapters for LangChain against LangChain: its standard tests, a vector store, a chain of steps."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from langchain_core.documents import Document
from langchain_core.embeddings import DeterministicFakeEmbedding
from langchain_core.runnables import RunnableLambda
from langchain_core.vectorstores import InMemoryVectorStore
from langchain_tests.integration_tests.retrievers import RetrieversIntegrationTests

import seamline
from seamline.adapters.langchain import SeamlineLoader, SeamlineRetriever, SeamlineTextSplitter, from_document
from seamline.types import Budget

HANDBOOK = Path(__file__).parents[2] / "examples/handbook"
SMALL = seamline.Recipe(budget=Budget(target=60, limit=96))
PAGE = (HANDBOOK / "webhooks.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def index() -> Iterator[seamline.Index]:
    with seamline.open_index("memory:", config=seamline.IndexConfig(SMALL, embedder="hash"), root=HANDBOOK) as opened:
        opened.update([HANDBOOK])
        yield opened


class TestStandard(RetrieversIntegrationTests):
    """What LangChain asks of every retriever."""

    pytestmark = pytest.mark.anyio
    __index: seamline.Index

    @pytest.fixture(autouse=True)
    def _take_index(self, index: seamline.Index) -> None:
        self.__index = index

    @pytest.fixture
    def anyio_backend(self) -> str:
        return "asyncio"

    @property
    def retriever_constructor(self) -> type[SeamlineRetriever]:
        return SeamlineRetriever

    @property
    def retriever_constructor_params(self) -> dict[str, Any]:
        return {"index": self.__index}

    @property
    def retriever_query_example(self) -> str:
        return "why did the retry fail"


def test_a_hit_keeps_its_score_its_place_and_its_citation(index: seamline.Index) -> None:
    (found,) = SeamlineRetriever(index=index, k=1, where='doc = "webhooks.md"').invoke("retry after 429")
    (hit,) = index.search("retry after 429", k=1, where='doc = "webhooks.md"').hits
    assert from_document(found) == hit.to_dict()
    assert (found.id, found.page_content, found.metadata["score"]) == (hit.entry.id, hit.text, hit.score)
    assert found.metadata["citation"] == hit.citation.key
    assert index.cite(found.metadata["citation"]).cited == hit.citation
    assert found.metadata["lines_start"] == hit.citation.anchor["lines"][0]


def test_a_hit_that_is_cut_again_has_the_places_of_its_parts(index: seamline.Index) -> None:
    found = SeamlineRetriever(index=index, k=3).invoke("retry after 429")
    tiny = SeamlineTextSplitter(seamline.Recipe(budget=Budget(target=24, limit=32)))
    for part in tiny.split_documents(found):
        record = from_document(part)
        assert (part.metadata["start"], part.metadata["doc"]) == (record["start"], record["doc"])
        assert not {"citation", "score", "uri", "label"} & part.metadata.keys()


def test_a_filter_can_be_given_with_the_question(index: seamline.Index) -> None:
    found = SeamlineRetriever(index=index).invoke("retry", where='doc = "on-call.md"')
    assert {one.metadata["doc"] for one in found} == {"on-call.md"}


@pytest.mark.anyio
@pytest.mark.parametrize("anyio_backend", ["asyncio"])
async def test_many_questions_at_a_time(index: seamline.Index, anyio_backend: str) -> None:
    retriever = SeamlineRetriever(index=index, k=3)
    questions = ["retry", "signature", "deploy", "rate limit"] * 5
    assert await retriever.abatch(questions) == retriever.batch(questions)


def test_it_is_a_step_of_a_chain(index: seamline.Index) -> None:
    chain = SeamlineRetriever(index=index, k=2) | RunnableLambda(len)
    assert chain.invoke("retry") == 2


def test_texts_are_cut_within_the_limit() -> None:
    splitter = SeamlineTextSplitter(SMALL)
    documents = splitter.create_documents([PAGE], [{"source": "w.md", "team": "infra"}])
    wanted = seamline.chunk(seamline.read(PAGE, id="w.md"), recipe=SMALL)
    assert [one.id for one in documents] == [one.id for one in wanted]
    assert [from_document(one) for one in documents] == [one.to_dict() for one in wanted]
    assert {one.metadata["team"] for one in documents} == {"infra"}
    assert splitter.split_text(PAGE) == [one.text for one in wanted]


def test_metadata_of_a_document_stays_as_it_was() -> None:
    given = {"source": "w.md", "title": "Mine", "page": 3, "tags": ["a"]}
    original = Document(page_content=PAGE, metadata=given)
    made = SeamlineTextSplitter(SMALL).transform_documents([original])
    assert original.metadata == {"source": "w.md", "title": "Mine", "page": 3, "tags": ["a"]}
    assert all({name: one.metadata[name] for name in given} == given for one in made)
    assert from_document(made[0])["title"] == "Webhooks"


def test_pages_of_one_source_have_ids_of_their_own() -> None:
    pages = [Document(page_content="# Same\n\nText.\n", metadata={"source": "a.pdf"}) for _ in range(2)]
    first, second = SeamlineTextSplitter().split_documents(pages)
    assert first.id != second.id


def test_an_empty_text_and_a_text_that_looks_like_a_file() -> None:
    splitter = SeamlineTextSplitter()
    assert splitter.split_text("") == []
    assert splitter.split_text("notes.md") == ["notes.md"]


def test_files_of_all_formats_are_loaded_with_their_place(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text("<title>A</title><h1>A</h1><p>Ten calls each second.</p>")
    (tmp_path / "b.md").write_text("# B\n\nText.\n")
    first, second = SeamlineLoader(tmp_path).load()
    assert (Path(first.metadata["source"]).name, first.metadata["title"]) == ("a.html", "A")
    assert second.metadata["lines_end"] == 3
    assert [one.id for one in SeamlineLoader([tmp_path / "b.md"]).lazy_load()] == [second.id]


@pytest.mark.anyio
@pytest.mark.parametrize("anyio_backend", ["asyncio"])
async def test_files_are_loaded_asynchronously(anyio_backend: str) -> None:
    loader = SeamlineLoader(HANDBOOK, recipe=SMALL)
    assert [one async for one in loader.alazy_load()] == loader.load()


def test_a_vector_store_keeps_all_of_a_chunk() -> None:
    store = InMemoryVectorStore(DeterministicFakeEmbedding(size=16))
    documents = SeamlineTextSplitter(SMALL, content="embed").create_documents([PAGE], [{"source": "w.md"}])
    assert store.add_documents(documents) == [one.id for one in documents]
    found = store.similarity_search("retry", k=len(documents))
    wanted = seamline.chunk(seamline.read(PAGE, id="w.md"), recipe=SMALL)
    assert {one.id: from_document(one) for one in found} == {one.id: one.to_dict() for one in wanted}
