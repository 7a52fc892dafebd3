"""What names of documents start from, and where that is written down."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import seamline
from seamline.cli.place import root_for
from seamline.errors import StoreError
from seamline.indexing.root import remember_root, root_of

HASHED = seamline.Shape(embedder="hash")


def test_documents_are_named_from_the_folder_around_an_index(tmp_path: Path) -> None:
    remember_root(tmp_path, tmp_path.parent)
    assert root_of(tmp_path) == tmp_path.parent
    assert os.listdir(tmp_path) == []


def test_another_folder_is_remembered_and_moves_with_the_index(tmp_path: Path) -> None:
    index = tmp_path / "one" / "build" / "index"
    index.mkdir(parents=True)
    remember_root(index, tmp_path / "one")
    assert root_of(index) == tmp_path / "one"
    (tmp_path / "one").rename(tmp_path / "two")
    assert root_of(tmp_path / "two" / "build" / "index") == tmp_path / "two"


@pytest.mark.parametrize("held", [b"", b"\n", b"a\0b", b"a\nb", b"\xff\xfe"])
def test_a_damaged_note_is_told(tmp_path: Path, held: bytes) -> None:
    (tmp_path / "root").write_bytes(held)
    with pytest.raises(StoreError, match="root"):
        root_of(tmp_path)


def test_a_named_index_calls_documents_as_the_user_does(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.md").write_text("# A\n\nThe pump is blue.\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    with seamline.open_index("build/x", shape=HASHED, root=root_for("build/x", ["docs"])) as index:
        index.update(["docs"])
        assert index.search("pump").hits[0].citation.uri == "docs/a.md"
    monkeypatch.chdir(tmp_path / "docs")
    with seamline.open_index("../build/x") as index:
        assert index.update(["."]).documents == 1
        assert [head.doc for head in index.documents()] == ["docs/a.md"]


def test_documents_outside_are_named_from_the_folder_around_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    assert root_for("x", [str(tmp_path / "docs"), str(tmp_path / "more" / "b.md")]) == tmp_path
    assert root_for("x", ["a.md", "sub"]) == tmp_path / "here"
    assert root_for(None, ["a.md"]) is None
    assert root_for("postgresql://localhost/x", ["a.md"]) is None


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="needs a place where nobody can make a folder")
def test_a_place_that_cannot_be_written_is_not_called_damaged() -> None:
    with pytest.raises(StoreError, match="name a folder that can be written to"):
        seamline.open_index("/proc/x", shape=HASHED)
