"""Chunks of every format as flat metadata and back, in every framework: equal."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from format_samples import make_samples

import seamline
from seamline.adapters import haystack, langchain, llama_index
from seamline.adapters.cutting import DocumentNames, cut_files, recipe_of, recipe_text
from seamline.adapters.metadata import chunk_parts, chunk_record, embed_text, flatten, foreign_metadata, restore_record
from seamline.errors import ConfigError, ParseError
from seamline.formats import FORMATS
from seamline.recipe.recipe import FACTS
from seamline.types import Budget, Chunk

BY_MODEL = {"image", "audio", "video"}
"""Formats that are read by a model, whose records have the same fields as those of others."""
NAMED_BY_CONTENT = {"transcript", "htmlzip"}


@pytest.fixture(scope="module")
def chunks(tmp_path_factory: pytest.TempPathFactory) -> list[Chunk]:
    """Small ones with all that a record can hold: facts, shadows, context; and with sections and their summaries."""
    folder = make_samples(tmp_path_factory.mktemp("samples") / "docs")
    rich = seamline.Recipe(
        budget=Budget(target=60, limit=96),
        overlap=seamline.Overlap("shadows"),
        enrich=FACTS,
    )
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return [*cut_files(files, recipe=rich), *cut_files([folder / "handbook"], recipe="small")]


def test_the_samples_have_every_format(chunks: list[Chunk]) -> None:
    found = {one.document.source.media_type for one in chunks}
    wanted = {one.media_type for one in FORMATS if one.name not in BY_MODEL | NAMED_BY_CONTENT | {"code"}}
    assert not wanted - found
    assert len(chunks) >= 200


THERE_AND_BACK: dict[str, Callable[[Chunk], dict[str, Any]]] = {
    "langchain": lambda one: langchain.from_document(langchain.to_document(one)),
    "langchain, embedded": lambda one: langchain.from_document(langchain.to_document(one, content="embed")),
    "llama-index": lambda one: llama_index.from_node(llama_index.to_node(one)),
    "haystack": lambda one: haystack.from_document(haystack.to_document(one)),
}


@pytest.mark.parametrize("way", THERE_AND_BACK)
def test_every_chunk_comes_back_equal(chunks: list[Chunk], way: str) -> None:
    assert [THERE_AND_BACK[way](one) for one in chunks] == [chunk_record(one) for one in chunks]


def test_frameworks_keep_them_through_their_own_json(chunks: list[Chunk]) -> None:
    from haystack import Document
    from langchain_core.load import dumps, loads
    from llama_index.core.schema import TextNode

    for one in chunks:
        record = chunk_record(one)
        lang = loads(dumps(langchain.to_document(one)), allowed_objects="core")
        llama = TextNode.from_json(llama_index.to_node(one).to_json())
        hay = Document.from_dict(json.loads(json.dumps(haystack.to_document(one).to_dict())))
        assert langchain.from_document(lang) == llama_index.from_node(llama) == haystack.from_document(hay) == record
        assert lang.id == llama.node_id == hay.id == one.id


def test_metadata_is_flat(chunks: list[Chunk]) -> None:
    for one in chunks:
        assert not {k: v for k, v in chunk_parts(one).metadata.items() if not isinstance(v, str | int | float | bool)}


def test_the_embedded_text_is_the_embed_view(chunks: list[Chunk]) -> None:
    from llama_index.core.schema import MetadataMode

    assert any(one.render("embed") != one.text for one in chunks)
    for one in chunks:
        _, text, metadata = chunk_parts(one)
        wanted = one.render("embed")
        assert text == one.text
        assert embed_text(text, metadata) == wanted
        assert langchain.to_document(one, content="embed").page_content == wanted
        node = llama_index.to_node(one)
        assert node.get_content(MetadataMode.EMBED).strip() == wanted.strip()
        assert node.get_content(MetadataMode.LLM) == one.text


def test_places_are_keys_of_their_own(chunks: list[Chunk]) -> None:
    kept = {Path(one.doc_id).name: chunk_parts(one).metadata for one in chunks}
    assert (kept["talk.vtt"]["time_start"], kept["talk.vtt"]["time_end"]) == (181.0, 189.5)
    assert kept["handbook.pdf"]["pages_end"] == 4
    assert kept["plans.xlsx"]["sheet"] == "Old"
    assert kept["webhooks.md"]["lines_start"] > 1


def test_mappings_are_flattened_under_their_name() -> None:
    record = {
        "id": "a",
        "text": "t",
        "meta": {"team": "infra", "tags": ["x"], "done": False, "at": [1, 2]},
        "parent": "",
    }
    assert flatten(record) == {"meta_team": "infra", "meta_done": False, "meta_at_start": 1, "meta_at_end": 2}


def test_what_is_no_chunk_is_refused() -> None:
    with pytest.raises(ConfigError, match="`seamline`"):
        restore_record("text", {"source": "a.md"})


def test_a_chunk_that_is_cut_again_keeps_only_foreign_metadata(chunks: list[Chunk]) -> None:
    made = langchain.to_document(chunks[0], metadata={"team": "infra"})
    assert foreign_metadata(made.metadata) == {"team": "infra"}


def test_recipes_are_kept_as_text() -> None:
    recipe = seamline.Recipe(budget=Budget(target=60, limit=96), enrich=FACTS)
    assert recipe_of(recipe_text(recipe)) == recipe
    assert recipe_of(recipe_text("small")) == seamline.preset("small")
    assert recipe_of("") is None
    for wrong in ("= 1", "smal", "[cut]\nlimit = 1"):
        with pytest.raises(ConfigError):
            recipe_of(wrong)


def test_documents_of_one_name_are_told_apart() -> None:
    names = DocumentNames()
    assert [names.name(one) for one in ("a", "b", "a", "", "a")] == ["a", "b", "a#2", None, "a#3"]


def test_a_file_that_fails_is_raised_or_handed_over(tmp_path: Path) -> None:
    (tmp_path / "bad.pdf").write_bytes(b"%PDF-1.4\nnothing")
    (tmp_path / "good.md").write_text("# Good\n\nText.\n")
    with pytest.raises(ParseError):
        list(cut_files([tmp_path]))
    errors: list[seamline.SeamlineError] = []
    (only,) = cut_files([tmp_path, tmp_path / "missing.md"], on_error=errors.append)
    assert only.text.startswith("# Good")
    assert len(errors) == 2
    assert all(any(name in str(error) for error in errors) for name in ("bad.pdf", "missing.md"))


@pytest.mark.parametrize(
    ("module", "package", "extra"),
    [
        ("langchain", "langchain_core", "langchain"),
        ("llama_index", "llama_index", "llama-index"),
        ("haystack", "haystack", "haystack"),
    ],
)
def test_a_framework_that_is_not_installed_is_named(module: str, package: str, extra: str) -> None:
    code = f"import sys; sys.modules[{package!r}] = None; import seamline.adapters.{module}"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert f"is not installed: run `pip install 'seamline[{extra}]'`" in done.stderr
