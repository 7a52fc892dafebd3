"""Which files are read, and how far: links, pipes, devices, sizes, and files that change meanwhile."""

from __future__ import annotations

import io
import os
import socket
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

import seamline.cut as cutting
from seamline import Chunk, ConfigError, Document, ParseError, Recipe, chunk, chunk_files, files, read
from seamline.api.index import open_index
from seamline.files import expand, fence_around, read_file, read_stream, shorten
from seamline.index.config import IndexConfig
from seamline.parse import parse_file
from seamline.recipe.toml import load_recipe
from seamline.runtime import Runtime

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="makes links, pipes and sockets")

SECRET = "The key is 4711.\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """docs/ with one file, and a secret beside it."""
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs/a.md").write_text("# A\n\nText.\n")
    (tmp_path / "private").mkdir()
    (tmp_path / "private/key.md").write_text(SECRET)
    return tmp_path


def names(folder: Path, *paths: str, follow_links: bool = False) -> list[str]:
    found = expand([str(folder / path) for path in paths], [".md", ".txt"], follow_links=follow_links)
    return [file.path.relative_to(folder).as_posix() for file in found.files if file]


# --- links -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("link", "target"),
    [
        ("env.txt", "/proc/self/environ"),
        ("passwd.txt", "/etc/passwd"),
        ("etc", "/etc"),
        ("key.md", "../private/key.md"),
        ("private", "../private"),
        ("sub/up.md", "../../private/key.md"),
        ("gone.md", "../private/gone.md"),
    ],
)
def test_a_link_that_leads_out_is_left_out_and_told(folder: Path, link: str, target: str) -> None:
    path = folder / "docs" / link
    path.parent.mkdir(exist_ok=True)
    path.symlink_to(target)
    inputs = expand([str(folder / "docs")], [".md", ".txt"])
    assert names(folder, "docs") == ["docs/a.md"]
    assert inputs.failures == []
    (told,) = inputs.skipped
    assert told.startswith(f"{path}: this link leads to {os.path.realpath(path)}, out of the paths that were given")
    assert "--follow-links" in told


def test_a_chain_of_links_is_judged_by_its_end(folder: Path) -> None:
    docs = folder / "docs"
    (docs / "one.md").symlink_to("two.md")
    (docs / "two.md").symlink_to("three.md")
    (docs / "three.md").symlink_to("../private/key.md")
    (docs / "here.md").symlink_to("there.md")
    (docs / "there.md").symlink_to("a.md")
    assert names(folder, "docs") == ["docs/a.md", "docs/here.md", "docs/there.md"]
    followed = names(folder, "docs", follow_links=True)
    assert followed == [f"docs/{name}.md" for name in ("a", "here", "one", "there", "three", "two")]


def test_loops_end(folder: Path) -> None:
    docs = folder / "docs"
    (docs / "self.md").symlink_to("self.md")
    (docs / "here").symlink_to(".")
    (docs / "above").symlink_to("..")
    (docs / "out").symlink_to("../private")
    (folder / "private/back").symlink_to("../docs")
    (folder / "private/again").symlink_to("../private")
    assert names(folder, "docs") == ["docs/a.md", "docs/self.md"]
    assert names(folder, "docs", follow_links=True) == ["docs/a.md", "docs/out/key.md", "docs/self.md"]
    with pytest.raises(ParseError, match="cannot be read: Too many levels"):
        read_file(docs / "self.md")


def test_a_link_to_another_path_that_was_given_is_allowed(folder: Path) -> None:
    (folder / "docs/key.md").symlink_to("../private/key.md")
    (folder / "docs/folder").symlink_to("../private")
    both = expand([str(folder / "docs"), str(folder / "private")], [".md"])
    assert (both.failures, both.skipped) == ([], [])
    assert names(folder, "docs", "private") == ["docs/a.md", "docs/key.md", "private/key.md"]
    assert names(folder, "docs", "private/key.md") == ["docs/a.md", "docs/key.md", "private/key.md"]


def test_a_link_that_is_named_is_read_and_what_it_leads_to_is_the_root(folder: Path) -> None:
    (folder / "chosen").symlink_to("private")
    (folder / "chosen.md").symlink_to("private/key.md")
    (folder / "private/out.md").symlink_to("../docs/a.md")
    assert names(folder, "chosen", "chosen.md") == ["chosen/key.md", "chosen.md"]


def test_a_name_that_only_begins_like_a_root_is_outside(tmp_path: Path) -> None:
    fence = fence_around([str(tmp_path / "docs")])
    real = os.path.realpath(tmp_path)
    assert fence.holds(f"{real}/docs")
    assert fence.holds(f"{real}/docs/a/b.md")
    assert not fence.holds(f"{real}/docs2/a.md")
    assert not fence.holds(real)
    assert fence_around(["/"]).holds("/etc/passwd")


def test_many_links_are_told_in_few_lines(folder: Path) -> None:
    for number in range(25):
        (folder / f"docs/{number}.md").symlink_to("/etc/passwd")
    told = shorten(expand([str(folder / "docs")], [".md"]).skipped)
    assert len(told) == 11
    assert told[-1] == "15 more links, pipes or devices in these folders were left out likewise"


@pytest.mark.parametrize("proc", [True, False], ids=["proc", "portable"])
@pytest.mark.parametrize("swapped", ["docs/a.md", "docs"])
def test_a_link_that_comes_in_the_place_of_a_file_is_not_read(
    folder: Path, monkeypatch: pytest.MonkeyPatch, swapped: str, proc: bool
) -> None:
    (file,) = expand([str(folder / "docs")], [".md"]).files
    assert file is not None
    if not proc:
        monkeypatch.setattr(os, "readlink", without_proc)
    assert read_file(file.path, real=file.real).data == b"# A\n\nText.\n"
    (folder / "private/a.md").write_text(SECRET)
    (folder / swapped).rename(folder / "aside")
    (folder / swapped).symlink_to(folder / "private/a.md" if swapped.endswith(".md") else folder / "private")
    with pytest.raises(ParseError, match="was replaced by a link while it was read: run again"):
        read_file(file.path, real=file.real)


READLINK = os.readlink


def without_proc(path: str) -> str:
    """As on systems that do not say where an open file stands."""
    if path.startswith("/proc/self/fd/"):
        raise FileNotFoundError(path)
    return READLINK(path)


def test_a_file_that_was_replaced_by_a_file_is_read(folder: Path) -> None:
    (file,) = expand([str(folder / "docs")], [".md"]).files
    assert file is not None
    (folder / "docs/new.md").write_text("New.\n")
    (folder / "docs/new.md").rename(folder / "docs/a.md")
    assert read_file(file.path, real=file.real).data == b"New.\n"


# --- what is no file -------------------------------------------------------------------------------------------------


@pytest.fixture
def special(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder with a pipe and a socket."""
    os.mkfifo(folder / "docs/pipe.md")
    monkeypatch.chdir(folder / "docs")  # the path of a socket is short
    server = socket.socket(socket.AF_UNIX)
    server.bind("socket.md")
    yield folder
    server.close()


def test_pipes_and_sockets_in_folders_are_left_out_and_told(special: Path) -> None:
    (special / "docs/zero.md").symlink_to("/dev/zero")
    inputs = expand([str(special / "docs")], [".md"])
    assert names(special, "docs") == ["docs/a.md"]
    assert [message.removeprefix(f"{special}/docs/").split(",")[0] for message in inputs.skipped] == [
        "pipe.md: is a pipe and not a file",
        "socket.md: is a socket and not a file",
        "zero.md: this link leads to /dev/zero",
    ]


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("pipe.md", "a pipe"),
        ("socket.md", "a socket"),
        ("/dev/zero", "a device"),
        ("/dev/null", "a device"),
        ("/dev/tty", "a device"),
    ],
)
def test_what_is_no_file_is_refused_also_where_it_is_named(special: Path, path: str, kind: str) -> None:
    for attempt in (read_file, parse_file, read, chunk):
        with pytest.raises(ParseError, match=f"expected a file, got {kind}: save its content in a file"):
            attempt(Path(path))
    (done,) = chunk_files([Path(path)])
    assert isinstance(done.error, ParseError)


def test_a_pipe_that_comes_in_the_place_of_a_file_does_not_hang(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    os.mkfifo(folder / "pipe.md")
    seen = os.stat(folder / "docs/a.md")
    monkeypatch.setattr(os, "stat", lambda path: seen)  # as it was just before
    with pytest.raises(ParseError, match="expected a file, got a pipe"):
        read_file(folder / "pipe.md")


@pytest.mark.skipif(not os.path.exists("/proc/self/environ"), reason="no /proc here")
def test_a_pseudo_file_that_is_named_is_bounded() -> None:
    data = read_file(Path("/proc/self/environ")).data
    assert b"PATH=" in data
    assert os.stat("/proc/self/environ").st_size == 0
    with pytest.raises(ParseError, match=f"has more than {len(data) - 1:,} bytes, which is the limit"):
        read_file(Path("/proc/self/environ"), max_bytes=len(data) - 1)


def test_a_directory_and_a_missing_file_say_what_they_are(folder: Path) -> None:
    with pytest.raises(ParseError, match="is a directory: name files in it"):
        read_file(folder)
    with pytest.raises(ParseError, match="no such file: check the name"):
        read_file(folder / "gone.md")
    with pytest.raises(ParseError, match="cannot be read: embedded null"):
        read_file(Path("a\0b"))


def test_a_file_that_may_not_be_read(folder: Path) -> None:
    (folder / "docs/a.md").chmod(0)
    with without_rights(), pytest.raises(ParseError, match="cannot be read: Permission denied"):
        read_file(folder / "docs/a.md")


@contextmanager
def without_rights() -> Iterator[None]:
    """For root, who may read everything: as nobody for a while."""
    before = os.geteuid()
    os.seteuid(before or 65534)
    try:
        yield
    finally:
        os.seteuid(before)


# --- how much --------------------------------------------------------------------------------------------------------


def sparse(path: Path, size: int) -> Path:
    """A file of a size that takes no room; skips where the file system has none such."""
    with path.open("wb") as file:
        try:
            file.truncate(size)
        except OSError as error:
            pytest.skip(f"no file of {size:,} bytes here: {error}")
    return path


def test_a_file_above_the_limit_is_refused_before_it_is_read(folder: Path) -> None:
    huge = sparse(folder / "docs/huge.txt", 60_000_000_000)
    with pytest.raises(ParseError, match="has 60,000,000,000 bytes, and the limit is 100,000,000: split it, or raise"):
        read(huge)
    done = list(chunk_files([huge, folder / "docs/a.md"]))
    assert "--max-bytes" in str(done[0].error)
    assert [len(one.chunks) for one in done] == [0, 1]


def test_the_limit_is_exact(folder: Path) -> None:
    path = folder / "docs/a.md"
    size = path.stat().st_size
    assert read(path, max_bytes=size).text == path.read_text()
    assert chunk(path, max_bytes=0) == chunk(path, max_bytes=None) == chunk(path)
    for attempt in (read, chunk):
        with pytest.raises(ParseError, match=f"has {size} bytes, and the limit is {size - 1}"):
            attempt(path, max_bytes=size - 1)
    with pytest.raises(ConfigError, match="expected max_bytes >= 0, got -1"):
        read(path, max_bytes=-1)


def test_more_than_one_step_is_read_whole(folder: Path) -> None:
    data = os.urandom(3 * files._STEP + 7)
    (folder / "big").write_bytes(data)
    assert read_file(folder / "big").data == data
    assert read_stream(io.BytesIO(data)) == data


def test_a_stream_that_never_ends_is_refused_at_the_limit() -> None:
    with open("/dev/zero", "rb") as endless, pytest.raises(ParseError, match="standard input: has more than 1,000,000"):
        read_stream(endless, max_bytes=1_000_000)


def test_a_file_that_grows_while_it_is_read_ends_at_the_limit(folder: Path, growing: Path) -> None:
    with pytest.raises(ParseError, match="has more than 5,000,000 bytes, which is the limit"):
        read_file(growing, max_bytes=5_000_000)


@pytest.fixture
def growing(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file that gets longer with every look at it."""
    path = folder / "docs/growing.md"
    path.write_bytes(b"x" * 1000)
    at_once = os.read

    def reads(descriptor: int, size: int) -> bytes:
        with path.open("ab") as file:
            file.write(b"x" * files._STEP)
        return at_once(descriptor, size)

    monkeypatch.setattr(os, "read", reads)
    return path


class Writer:
    """Writes to a file in the middle of the first `times` attempts to read it."""

    def __init__(self, path: Path, times: int) -> None:
        self.path = path
        self.times = times
        self.at_once = os.read

    def __call__(self, descriptor: int, size: int) -> bytes:
        data = self.at_once(descriptor, size)
        if not data and self.times:  # at the end, before the file is looked at again
            self.times -= 1
            with self.path.open("ab") as file:
                file.write(b"More.\n")
        return data


def test_a_file_that_changes_once_is_read_again(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = folder / "docs/a.md"
    monkeypatch.setattr(os, "read", Writer(path, 1))
    document = parse_file(path)
    assert document.text == path.read_text() == "# A\n\nText.\nMore.\n"
    assert not document.notices


def test_a_file_that_keeps_changing_is_told(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = folder / "docs/a.md"
    monkeypatch.setattr(os, "read", Writer(path, 2))
    document = parse_file(path)
    assert [notice.code for notice in document.notices] == ["changed-while-read"]
    assert document.text == "# A\n\nText.\nMore.\n"


@pytest.mark.parametrize("kind", ["pipe", "device", "large"])
def test_settings_are_bounded_too(folder: Path, kind: str) -> None:
    path = folder / "seamline.toml"
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "device":
        path.symlink_to("/dev/zero")
    else:
        path.write_bytes(b"#" * 1_000_001)
    with pytest.raises(ConfigError, match="expected a file of at most 1,000,000 bytes, got more, or a pipe or device"):
        load_recipe(path)


# --- an index --------------------------------------------------------------------------------------------------------


def test_an_index_takes_the_rest(special: Path) -> None:
    docs = special / "docs"
    sparse(docs / "huge.txt", 60_000_000_000)
    (docs / "env.txt").symlink_to("/proc/self/environ")
    with open_index("memory:", config=IndexConfig(embedder="hash"), root=special) as index:
        report = index.update([docs, docs / "pipe.md", "/dev/zero"])
        assert [head.doc for head in index.documents()] == ["docs/a.md"]
        told = {failure.doc.rpartition("/")[2]: failure.message.partition(":")[0] for failure in report.failures}
        assert told == {
            "huge.txt": "has 60,000,000,000 bytes, and the limit is 100,000,000",
            "pipe.md": "expected a file, got a pipe",
            "zero": "expected a file, got a device",
        }
        assert len(report.notices) == 3
        assert "this link leads to /proc/" in report.notices[0]
        assert index.update([docs / "a.md"], max_bytes=3).failures[0].message.startswith("has 11 bytes")


def test_an_index_follows_links_if_asked(folder: Path) -> None:
    (folder / "docs/private").symlink_to("../private")
    with open_index("memory:", config=IndexConfig(embedder="hash"), root=folder) as index:
        assert index.update([folder / "docs"]).added == 1
        assert index.update([folder / "docs"], follow_links=True).added == 1
        assert [head.doc for head in index.documents()] == ["docs/a.md", "docs/private/key.md"]


def test_an_index_reads_no_link_that_a_watched_file_became(folder: Path) -> None:
    path = folder / "docs/a.md"
    with open_index("memory:", config=IndexConfig(embedder="hash"), root=folder) as index:
        index.update([folder / "docs"])
        path.unlink()
        path.symlink_to("../private/key.md")
        report = index.update([path], roots=[folder / "docs"])
        assert (report.changed, len(report.notices)) == (0, 1)
        assert not [hit for hit in index.search("key").hits if "4711" in hit.text]


def test_a_file_that_is_gone_between_walk_and_read(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "docs/b.md").write_text("# B\n")
    found = expand([str(folder / "docs")], [".md"])
    (folder / "docs/a.md").unlink()
    first, second = found.files
    assert first is not None
    assert second is not None
    with pytest.raises(ParseError, match="no such file"):
        read_file(first.path, real=first.real)
    assert read_file(second.path, real=second.real).data == b"# B\n"


# --- memory ----------------------------------------------------------------------------------------------------------


def test_a_document_without_memory_does_not_end_a_batch(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "docs/greedy.md").write_text("# Greedy\n\nNever enough.\n")
    cut = cutting.cut

    def starved(document: Document, recipe: Recipe, parts: Runtime) -> list[Chunk]:
        if "Never enough" in document.text:
            raise MemoryError
        return cut(document, recipe, parts)

    monkeypatch.setattr(cutting, "cut", starved)
    done = list(chunk_files(sorted((folder / "docs").iterdir())))
    assert [bool(one.chunks) for one in done] == [True, False]
    assert "needs more memory than there is" in str(done[1].error)
    with open_index("memory:", config=IndexConfig(embedder="hash"), root=folder) as index:
        report = index.update([folder / "docs"])
        assert (report.added, [failure.doc for failure in report.failures]) == (1, ["docs/greedy.md"])


def test_vectors_without_memory_do_not_end_a_batch(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "docs/b.md").write_text("# B\n\nMore.\n")
    (folder / "docs/greedy.md").write_text("# Greedy\n\nNever enough.\n")
    with open_index("memory:", config=IndexConfig(embedder="hash"), root=folder) as index:
        embed = index._embedder.embed

        def starved(texts: Sequence[str]) -> Any:
            if any("Never enough" in text for text in texts):
                raise MemoryError
            return embed(texts)

        monkeypatch.setattr(index._embedder, "embed", starved)
        report = index.update([folder / "docs"])
        assert [failure.doc for failure in report.failures] == ["docs/greedy.md"]
        assert [head.doc for head in index.documents()] == ["docs/a.md", "docs/b.md", "docs/greedy.md"]
        assert index.missing_vectors() == 1  # found by words, and by meaning after the next run
        monkeypatch.undo()
        assert index.update([folder / "docs"]).chunks == 1
        assert index.missing_vectors() == 0
