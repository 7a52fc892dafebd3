"""What people see of an index, kept as files that people read. SEAMLINE_UPDATE_GOLDEN=1 writes them anew."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest

from conftest import Warm, copy_handbook
from harness.warm import WarmProcess

GOLDEN = Path(__file__).parents[1] / "golden" / "cli"

QUERY = "why did the 429 retry fail"
READING = {
    "search": ["search", QUERY, "-k", "3"],
    "search-explain": [
        "search",
        "what is the difference between keys and tokens",
        "--adaptive",
        "-k",
        "3",
        "--explain",
    ],
    "search-full": ["search", "signature rotated", "-k", "1", "--full"],
    "context": ["context", QUERY, "--budget", "500"],
    "context-list": ["context", QUERY, "--budget", "300", "--sources", "list"],
    "stats": ["stats"],
}


def compare(name: str, text: str) -> None:
    golden = GOLDEN / f"{name}.txt"
    plain = re.sub(r"\bin \d+\.\d s\b", "in 0.0 s", text)
    plain = re.sub(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC", "2026-01-02 03:04:05 UTC", plain)
    plain = re.sub(r"(?m)^  size .*$", "  size          100 KB, 2 KB per chunk", plain)
    if os.environ.get("SEAMLINE_UPDATE_GOLDEN"):
        golden.write_text(plain, encoding="utf-8")
    assert plain == golden.read_text(encoding="utf-8"), f"SEAMLINE_UPDATE_GOLDEN=1 rewrites {golden.name}"


def test_reading(handbook: Warm) -> None:
    for name, args in READING.items():
        ended = handbook(*args)
        assert ended.code == 0, ended.err
        compare(name, ended.out + ended.err)


def test_colour(handbook: Warm) -> None:
    ended = handbook("search", QUERY, "-k", "1", "--explain", env={"FORCE_COLOR": "1"})
    compare("search-colour", ended.out)


@pytest.fixture(scope="module")
def edited(tmp_path_factory: pytest.TempPathFactory, server: WarmProcess) -> tuple[Warm, dict[str, str]]:
    """A handbook that was indexed, changed and indexed again; and citations from before."""
    cli = Warm(tmp_path_factory.mktemp("edited"), server)
    folder = copy_handbook(cli.folder)
    reports = [cli("index", "handbook", "--embedder", "hash").out]
    kept = cited(cli, "an answer within ten seconds", "current eight attempts", "error codes", "rotate keys", "pager")
    webhooks = (folder / "webhooks.md").read_text(encoding="utf-8")
    webhooks = webhooks.replace("within **ten seconds**", "within **twenty seconds**").replace("Webhooks\n", "Hooks\n")
    (folder / "webhooks.md").write_text(webhooks, encoding="utf-8")
    (folder / "authentication.md").rename(folder / "keys.md")
    (folder / "on-call.md").unlink()
    reports += [cli("index", "handbook").out, cli("index", "handbook").out]
    return cli, {**kept, "reports": "\n".join(reports)}


def cited(cli: Warm, *queries: str) -> dict[str, str]:
    """The citation of the best passage for each query."""
    found = [cli("search", query, "-k", "1", "--json") for query in queries]
    best = [json.loads(ended.out)["hits"][0]["citations"][0] for ended in found]
    return {query: f"{one['id']}@{one['version']}" for query, one in zip(queries, best, strict=True)}


def test_reports(edited: tuple[Warm, dict[str, str]]) -> None:
    compare("index", edited[1]["reports"])


def test_citations(edited: tuple[Warm, dict[str, str]]) -> None:
    cli, kept = edited
    shown = cli("cite", *(key for name, key in kept.items() if name != "reports"))
    assert shown.code == 0, shown.err
    assert {line.split()[0] for line in shown.out.splitlines() if line and line[0].isalpha()} == {
        "current", "moved", "edited", "deleted",
    }  # fmt: skip
    compare("cite", shown.out)
