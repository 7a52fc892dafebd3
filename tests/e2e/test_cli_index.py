"""`seamline index` as it is used: made, brought up to date, interrupted, watched."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from test_cli_streams import on_terminal

from conftest import Cli

HASH = ("--embedder", "hash")


def report(cli: Cli, *args: str) -> dict[str, object]:
    """What a run says to programs."""
    ended = cli("index", *args, "--json")
    assert ended.err == ""
    found: dict[str, object] = json.loads(ended.out)
    return found


def test_only_what_changed_is_touched(warm, write) -> None:
    write("docs/a.md")
    write("docs/b.md", "# B\n\nAbout bees.\n")
    first = warm("index", "docs", *HASH)
    assert (first.code, first.err) == (0, "")
    assert first.out.startswith("2 of 2 documents added, 3 chunks embedded\n.seamline: 2 documents, 3 chunks, in ")
    again = report(warm, "docs")
    assert (again["unchanged"], again["written"], again["embedded"], again["cached"]) == (2, 0, 0, 0)
    assert warm("index", "docs").out.startswith("nothing changed: 0 of 2 documents, 0 chunks embedded\n")
    write("docs/b.md", "# B\n\nAbout bees and wasps.\n")
    write("docs/c.md", "# C\n\nAbout cats.\n")
    assert warm("index", "docs").out.startswith("1 of 3 documents changed, 1 added, 2 chunks embedded\n")


def test_the_report_for_programs(warm, write) -> None:
    write("docs/a.md")
    write("docs/bad.md", b"\xff\xfe\x00\xd8")
    ended = warm("index", "docs", *HASH, "--json")
    assert ended.code == 1
    found = json.loads(ended.out)
    assert set(found) == {
        "index", "documents", "added", "changed", "removed", "moved", "unchanged", "written", "dropped", "chunks",
        "root", "embedded", "cached", "left_out", "failures", "notices", "holds", "seconds",
    }  # fmt: skip
    assert found["failures"][0]["doc"] == "docs/bad.md"
    assert found["holds"] == {"documents": 1, "chunks": 2}
    assert ended.lines[0].startswith("seamline: error: docs/bad.md: ")


def test_a_new_index_lies_where_the_documents_are(warm, write) -> None:
    write("project/docs/a.md")
    write("elsewhere/b.md")
    (warm.folder / "empty").mkdir()
    inside, beside = warm.at(warm.folder / "project"), warm.at(warm.folder / "empty")
    assert report(inside, "docs", *HASH)["index"] == ".seamline"
    assert report(beside, "../elsewhere", *HASH)["index"] == "../.seamline"
    assert (warm.folder / ".seamline/index.db").is_file()
    below = warm.at(warm.folder / "project/docs")
    assert report(below, "a.md")["unchanged"] == 1, "the nearest one, upward"
    assert report(inside, "docs", "--index", "kept/here", *HASH)["index"] == "kept/here"
    hit = json.loads(below("search", "parcels", "--json").out)["hits"][0]
    assert hit["label"].startswith("docs/a.md:"), "names count from the folder around the index"


def test_what_is_gone_is_followed(warm, write) -> None:
    write("docs/a.md")
    write("docs/b.md", "# B\n\nAbout bees.\n")
    write("docs/c.md", "# C\n\nAbout cats.\n")
    write("notes.md", "# Notes\n\nAbout nothing.\n")
    warm("index", "docs", "notes.md", *HASH)
    (warm.folder / "docs/b.md").rename(warm.folder / "docs/bees.md")
    (warm.folder / "docs/c.md").unlink()
    assert warm("index", "docs").out.startswith("1 of 2 documents moved, 1 removed, 1 chunk new, 0 texts embedded, ")
    (warm.folder / "docs/bees.md").unlink()
    (warm.folder / "notes.md").unlink()
    assert warm("index", "docs").out.startswith("1 document removed, 1 unchanged, 0 chunks embedded\n")
    assert warm("index", "notes.md").out.startswith("1 document removed, 0 unchanged, ")


def test_an_empty_folder_deletes_nothing(warm, write) -> None:
    path = write("docs/a.md")
    warm("index", "docs", *HASH)
    path.rename(warm.folder / "elsewhere.md")
    ended = warm("index", "docs")
    assert ended.code == 1
    assert "docs: no files to read in this folder" in ended.lines[0]
    assert ended.out.endswith("s\n")
    assert ".seamline: 1 document, 2 chunks" in ended.out


def test_nothing_to_index_makes_no_index(warm, write) -> None:
    write("docs/picture.png", b"x")
    ended = warm("index", "docs", "nowhere.md", "-", *HASH)
    assert (ended.code, ended.out) == (1, "")
    assert [line.split(": ")[2] for line in ended.lines] == ["docs", "nowhere.md"]
    assert not (warm.folder / ".seamline").exists()


def test_the_good_files_of_a_batch_are_indexed(warm, write) -> None:
    write("a.md")
    write("b.md", b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n")
    write("c.md", "# C\n\nПривет мир\n".encode("cp1251"))
    ended = warm("index", "a.md", "b.md", "c.md", "nowhere.md", "-", *HASH)
    assert ended.code == 1
    assert ended.out.startswith("1 of 5 documents added, 4 failed, 2 chunks embedded\n")
    assert sorted(line.split(": ")[2].split(",")[0] for line in ended.lines) == ["-", "b.md", "c.md", "nowhere.md"]
    assert warm("index", "c.md", "--encoding", "cp1251").out.startswith("1 of 1 document added")


def test_a_configuration_makes_the_recipe_of_a_new_index(warm, write) -> None:
    write("docs/a.md", "# A\n\n" + "Some words here. " * 100)
    write("seamline.toml", "[budget]\ntarget = 60\nlimit = 64\n")
    first = warm("index", "docs", *HASH)
    assert first.lines == ["seamline: using seamline.toml"]
    assert json.loads(warm("stats", "--json").out)["chunks"] > 5
    write("seamline.toml", "[budget]\ntarget = 90\nlimit = 96\n")
    changed = warm("index", "docs")
    assert changed.out.startswith("nothing changed")
    assert changed.lines[0].startswith("seamline: notice: seamline.toml has another recipe than this index")
    assert warm("index", "docs", "--quiet") == (0, "", "")
    refused = warm("index", "docs", "--limit", "96")
    assert refused.code == 1
    assert (
        "overlap.tokens 32 here, 48 asked for): index into another place, or leave the option out" in refused.lines[0]
    )
    same = warm("index", "docs", "--no-config", "--target", "60", "--limit", "64", *HASH)
    assert same.out.startswith("nothing changed")


def test_an_index_keeps_its_size_where_no_other_is_named(warm, write) -> None:
    write("docs/a.md", "# A\n\n" + "Some words here. " * 400)
    warm("index", "docs", *HASH, "--limit", "128")
    before = json.loads(warm("stats", "--json").out)["chunks"]
    write("docs/a.md", "# A\n\n" + "More words here. " * 400)
    assert warm("index", "docs").out.startswith("1 of 1 document changed")
    assert json.loads(warm("stats", "--json").out)["chunks"] == before


@pytest.mark.parametrize(
    ("option", "says"), [("--dual", "dual"), ("--no-hierarchy", "hierarchy"), ("--embedder=minilm", "embedder")]
)
def test_options_of_another_index_are_refused(warm, write, option: str, says: str) -> None:
    write("a.md")
    warm("index", "a.md", *HASH)
    ended = warm("index", "a.md", option)
    assert (ended.code, ended.out, len(ended.lines)) == (1, "", 1)
    assert f"was made with another {says}" in ended.lines[0]


def test_the_shapes_of_an_index(warm, write) -> None:
    write("a.md")
    plain, dual, flat = (report(warm, "a.md", *HASH, "--index", n, *o) for n, o in SHAPES.items())
    assert dual["embedded"] > plain["embedded"] > flat["embedded"]
    assert report(warm, "a.md", "--index", "dual", "--dual")["unchanged"] == 1


def test_a_late_index(warm, write) -> None:
    parts = [f"## Part {n}\n\n" + f"Rule {n} is about engine {n}. " * 12 for n in range(20)]
    write("a.md", "# Guide\n\n" + "\n\n".join(parts))
    sizes = ("--target", "60", "--limit", "64")
    first = report(warm, "a.md", "--late", *sizes)
    assert (first["added"], first["notices"]) == (1, [])
    assert report(warm, "a.md", "--late")["unchanged"] == report(warm, "a.md")["unchanged"] == 1
    stats = json.loads(warm("stats", "--json").out)
    assert (stats["late"], stats["dual"]) == (True, False)
    assert "seam, 384 dimensions, late\n" in warm("stats").out
    report(warm, "a.md", "--index", "plain", *sizes)
    write("a.md", "# Guide\n\n" + "\n\n".join(parts).replace("engine 9.", "motor 9.", 1))
    late, plain = (report(warm, "a.md", "--index", place) for place in (".seamline", "plain"))
    assert first["chunks"] / 4 > late["chunks"] > plain["chunks"], "the edited chunk, and those it is read with"
    assert late["embedded"] + late["cached"] >= late["chunks"]
    assert json.loads(warm("search", "the motor", "--json").out)["hits"][0]["label"].endswith("Part 9")


def test_a_late_index_with_large_chunks_says_what_that_means(warm, write) -> None:
    write("a.md")
    ended = warm("index", "a.md", "--late")
    assert ended.code == 0
    assert ended.lines[0].startswith("seamline: notice: seam reads 510 tokens at once, so few chunks of about ")
    assert len(ended.lines) == 1


def test_embedders_that_cannot_read_late_are_refused(warm, write) -> None:
    write("a.md")
    ended = warm("index", "a.md", "--late", *HASH)
    assert (ended.code, ended.out, len(ended.lines)) == (1, "", 1)
    assert "the embedder hash gives one vector for a text and none for its tokens" in ended.lines[0]
    assert not (warm.folder / ".seamline").exists()
    warm("index", "a.md", "--limit", "64", "--target", "60")
    ended = warm("index", "a.md", "--late")
    assert (ended.code, ended.out, len(ended.lines)) == (1, "", 1)
    assert "was made without late vectors: index into another place, or leave the option out" in ended.lines[0]


def test_an_index_has_the_stems_of_its_language(warm, write) -> None:
    pytest.importorskip("snowballstemmer", reason="the extra stemming is not installed")
    write("a.md", "# Verträge\n\nHäuser am Fluss.\n")
    write("b.md", "# Wetter\n\nRegen am Morgen.\n")
    assert warm("index", "a.md", "b.md", *HASH, "--stemming", "german").code == 0
    hits = json.loads(warm("search", "Haus", "--legs", "bm25", "--json").out)["hits"]
    assert [hit["title"] for hit in hits] == ["Verträge"]
    assert "stemming      german" in warm("stats").out
    assert json.loads(warm("stats", "--json").out)["stemming"] == "german"
    assert warm("index", "a.md").code == 0  # goes on with its language
    ended = warm("index", "a.md", "--stemming", "french")
    assert (ended.code, ended.out, len(ended.lines)) == (1, "", 1)
    assert "was made with stems of another language: index into another place" in ended.lines[0]
    ended = warm("index", "b.md", "--index", "other", "--stemming", "klingon")
    assert ended.code != 0
    assert "expected one of arabic" in ended.lines[0]


SHAPES: dict[str, tuple[str, ...]] = {"plain": (), "dual": ("--dual",), "flat": ("--no-hierarchy",)}


def test_the_bundled_model_finds_by_meaning(warm, write) -> None:
    write("docs/a.md", "# Accounts\n\nTo reset your credentials, open the account page.\n")
    write("docs/b.md", "# Garage\n\nThe car is painted red.\n")
    ended = warm("index", "docs")
    assert ended.out.startswith("2 of 2 documents added, 2 chunks embedded\n"), ended.err
    hits = json.loads(warm("search", "how do I change my password", "--json").out)["hits"]
    assert [hit["title"] for hit in hits] == ["Accounts", "Garage"]
    assert hits[0]["why"]["dense"]["score"] > 0.3
    assert "seam, 384 dimensions" in warm("stats").out


# --- broken off --------------------------------------------------------------------------------------------------


@pytest.fixture
def stuck(cli, write) -> Iterator[subprocess.Popen[bytes]]:
    """A run with 306 documents that are all written, 256 with their vectors; for the others the model waits on a pipe
    that nobody writes to."""
    for number in range(305):
        write(f"docs/{number:03}.md", f"# Page {number}\n\nAbout {number}.\n")
    write("slow.md", "# Slow\n\nAbout sloths.\n")
    os.mkfifo(cli.folder / "pipe")
    process = subprocess.Popen(
        [sys.executable, "-c", WAITING, "index", "docs", "slow.md", *HASH],
        cwd=cli.folder, env=cli.env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    pipe = os.open(cli.folder / "pipe", os.O_WRONLY)  # returns when the other side is open
    time.sleep(0.2)
    yield process
    process.kill()
    process.communicate()
    os.close(pipe)


WAITING = """
from seamline.cli.main import run
from seamline.embed.hashing import HashEmbedder

def embed(self, texts):
    if any("sloths" in text for text in texts):
        open("pipe").read()
    return at_once(self, texts)

at_once, HashEmbedder.embed = HashEmbedder.embed, embed
run()
"""
"""The command line with a model that takes its time."""


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_an_interrupted_run_keeps_what_is_written(cli, stuck, number: signal.Signals, code: int) -> None:
    stuck.send_signal(number)
    out, err = stuck.communicate(timeout=60)
    assert (stuck.returncode, out) == (code, b"")
    assert err.decode() == (
        "seamline: interrupted: 306 of 306 documents are in the index, 50 of 306 chunks without a vector yet;"
        " run the same command again to go on\n"
    )
    ended = report(cli, "docs")
    assert (ended["added"], ended["unchanged"], ended["chunks"]) == (0, 305, 50)


def test_a_killed_run_is_searched_by_words_and_goes_on_with_the_vectors(cli, stuck) -> None:
    """`kill -9` while vectors are made: everything is found by words, and no document has to change for the rest."""
    during = cli("search", "sloths", "-k", "1")
    stuck.kill()
    stuck.communicate(timeout=60)
    said = "seamline: notice: meaning: 83% of the chunks have vectors so far; run `seamline index` to go on\n"
    after = cli("search", "sloths", "-k", "1")
    assert ("slow.md" in during.out, during.err) == (True, said)
    assert ("slow.md" in after.out, after.err) == (True, said)
    assert cli("search", "sloths", "-k", "1", "--legs", "bm25").err == ""
    assert "50 chunks to go: run `seamline index`" in cli("stats").out
    assert "306 chunks, 50 of them without a vector yet, all as it was written" in cli("doctor", "--verify").out
    assert cli("index", "docs").out.startswith("nothing changed: 0 of 305 documents, 50 chunks embedded\n")
    assert cli("search", "sloths", "-k", "1").err == ""
    assert json.loads(cli("stats", "--json").out)["missing_vectors"] == 0
    assert cli("index", "docs").out.startswith("nothing changed: 0 of 305 documents, 0 chunks embedded\n")


def test_a_second_writer_is_told_who_writes(cli, stuck) -> None:
    ended = cli("index", "docs")
    assert (ended.code, ended.out, len(ended.lines)) == (1, "", 1)
    assert f"process {stuck.pid} on " in ended.lines[0]
    assert "is writing to the index" in ended.lines[0]
    found = json.loads(cli("search", "about", "-k", "300", "--json").out)
    assert len(found["hits"]) == 300, "readers do not wait"
    assert [notice["code"] for notice in found["notices"]] == ["vectors-missing"]


def test_progress_on_a_terminal_only(cli, write) -> None:
    for number in range(30):
        write(f"docs/{number:02}.md", f"# Page {number}\n\nAbout {number}.\n")
    write("slow.md", "# Slow\n\nAbout sloths.\n")
    seen = on_terminal(cli, "index", "slow.md", "docs", *HASH, stream="stderr")
    assert "░ reading 1 of 31 documents, slow.md" in seen
    assert seen.endswith("\r\x1b[K")
    assert cli("index", "docs").err == ""


# --- watch -------------------------------------------------------------------------------------------------------


class Watching:
    """A command that watches, and what it prints."""

    def __init__(self, cli: Cli, *args: str) -> None:
        self.process = cli.start("index", *args, "--watch")
        assert self.process.stdout is not None
        assert self.process.stderr is not None
        self.out, self.err = self.process.stdout, self.process.stderr

    def line(self) -> str:
        return self.out.readline().decode()

    def end(self, number: signal.Signals) -> tuple[int, list[str]]:
        self.process.send_signal(number)
        _, err = self.process.communicate(timeout=60)
        return self.process.returncode, err.decode().splitlines()


@pytest.fixture
def watching(cli, write) -> Iterator[Watching]:
    write("docs/a.md")
    write("docs/b.md", "# B\n\nAbout bees.\n")
    watch = Watching(cli, "docs", *HASH)
    yield watch
    watch.process.kill()
    watch.process.communicate()


def test_watching(cli, write, watching: Watching) -> None:
    assert watching.line().startswith("2 of 2 documents added")
    assert watching.line().startswith(".seamline: 2 documents")
    assert watching.err.readline() == b"seamline: watching 2 files; Ctrl-C ends\n"
    write("docs/b.md", "# B\n\nAbout bees and wasps.\n")
    assert watching.line() == "docs/b.md: 1 of 1 document changed, 1 chunk embedded\n"
    (cli.folder / "docs/b.md").rename(cli.folder / "docs/c.md")
    assert watching.line().startswith("docs/b.md, docs/c.md: 1 of 2 documents moved, ")
    write("docs/bad.md", b"%PDF-1.7\n")
    assert b"error: docs/bad.md: the PDF is damaged" in watching.err.readline()
    assert watching.line().startswith("docs/bad.md: 1 of 1 document failed")
    for path in (cli.folder / "docs").iterdir():
        path.unlink()
    assert watching.line().startswith("docs/a.md, docs/bad.md, docs/c.md: 1 of 1 document failed"), "not mounted?"
    code, err = watching.end(signal.SIGINT)
    assert (code, err[-1]) == (0, "seamline: stopped watching; the next run picks up what changes from here on")
    assert len(json.loads(cli("search", "about", "--json").out)["hits"]) == 3


def test_a_watch_ends_with_its_service(watching: Watching) -> None:
    watching.line()
    watching.err.readline()
    assert watching.end(signal.SIGTERM)[0] == 143


# --- what does not need an index does not load one ---------------------------------------------------------------


def test_other_commands_load_nothing_heavy(cli, write) -> None:
    write("a.md")
    code = (
        "import sys; from seamline.cli.main import main; main(sys.argv[1:]);"
        "print(*sorted({'numpy', 'pyarrow', 'lancedb', 'onnxruntime', 'psycopg'} & set(sys.modules)), file=sys.stderr)"
    )
    for args in (["--version"], ["chunk", "a.md"], ["index", "--help"], ["search", "--help"]):
        done = subprocess.run(
            [sys.executable, "-c", code, *args], cwd=cli.folder, env=cli.env, capture_output=True, timeout=60
        )
        assert done.stderr == b"\n", args


def test_a_lance_store_is_named_by_its_address(warm, write) -> None:
    write("docs/a.md", "# Keys\n\nKeys are renewed each year.\n")
    assert warm("index", "docs", *HASH, "--index", "lance:kept").code == 0
    assert "Keys are renewed" in warm("search", "keys", "--index", "lance:kept").out
    assert (warm.folder / "kept/entries.lance").is_dir()
    missing = warm("search", "keys", "--index", "lance:elsewhere")
    assert missing.code == 1
    assert "there is no index in elsewhere" in missing.lines[0]


def test_a_cron_job_hears_nothing(warm, write) -> None:
    write("docs/a.md", "---\ntitle: [broken\n---\n\n# Page\n")
    assert warm("index", "docs", *HASH, "--quiet") == (0, "", "")
    write("docs/a.md", "---\ntitle: [broken\n---\n\n# Other page\n")
    told = warm("index", "docs")
    assert told.lines[0].startswith("seamline: notice: docs/a.md, line")
    assert Path(warm.folder / ".seamline").is_dir()
