"""`search`, `context`, `cite` and `stats`: what people and programs are told, and what becomes of a citation."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from test_cli_streams import on_terminal

from conftest import Cli, Ended, Warm

QUERY = "why did the 429 retry fail"


def found(cli: Cli, *args: str) -> list[dict[str, Any]]:
    """The passages of a search, as programs get them."""
    ended = cli("search", *args, "--json")
    assert (ended.code, ended.err) == (0, "")
    hits: list[dict[str, Any]] = json.loads(ended.out)["hits"]
    return hits


def resolved(cli: Cli, *keys: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in cli("cite", *keys, "--json").out.splitlines()]


def key(hit: dict[str, Any]) -> str:
    return f"{hit['citations'][0]['id']}@{hit['citations'][0]['version']}"


# --- search --------------------------------------------------------------------------------------------------------


def test_a_passage_is_a_slice_of_its_file(handbook: Warm) -> None:
    hits = found(handbook, QUERY, "-k", "4")
    assert [hit["rank"] for hit in hits] == [1, 2, 3, 4]
    assert [hit["score"] for hit in hits] == sorted((hit["score"] for hit in hits), reverse=True)
    for hit in hits:
        cited = hit["citations"][0]
        text = (handbook.folder / cited["uri"]).read_text(encoding="utf-8")
        first, last = cited["anchor"]["lines"]
        assert text[cited["start"] : cited["end"]] == cited["quote"]
        assert text[: cited["start"]].count("\n") + 1 == first
        assert hit["label"] == f"{cited['uri']}:{first}-{last} § {' > '.join(cited['path'])}"
        assert all(hit["text"][start:end].strip() for start, end in hit["marks"])


def test_the_issue_s_own_example(handbook: Warm) -> None:
    where = 'language = "en" and created_at >= 2023-01-01'
    shown = handbook("search", QUERY, "-k", "5", "--where", where)
    assert (shown.code, shown.err) == (0, "")
    assert re.match(r"   1  [01]\.\d\d  handbook/webhooks.md:64-100\n      § Webhooks > Retries\n", shown.out)
    assert shown.out.count("\n\n") == 5
    assert found(handbook, QUERY, "--where", 'language = "en" and created_at >= 2024-01-01') == []


@pytest.mark.parametrize(
    ("where", "holds"),
    [
        ('language = "ja"', lambda hit: hit["citations"][0]["uri"] == "handbook/onboarding.ja.md"),
        ('doc starts "handbook/web"', lambda hit: hit["citations"][0]["uri"] == "handbook/webhooks.md"),
        ('path has "Retries"', lambda hit: "Retries" in hit["citations"][0]["path"]),
        ('not (kind = "text") and tokens < 200', lambda hit: hit["kind"] != "text"),
    ],
)
def test_filters(handbook: Warm, where: str, holds: Any) -> None:
    hits = found(handbook, "retries", "-k", "8", "--where", where)
    assert hits
    assert all(holds(hit) for hit in hits)


def test_the_parts_of_a_score(handbook: Warm) -> None:
    assert found(handbook, QUERY, "-k", "1", "--legs", "bm25")[0]["why"].keys() == {"bm25", "fused"}
    assert found(handbook, QUERY, "-k", "1", "--legs", "dense")[0]["why"].keys() == {"dense", "fused"}
    told = handbook("search", QUERY, "-k", "1", "--explain").out
    assert "      score: cosine " in told
    assert ", BM25 " in told


def test_words_need_no_quotes_and_may_come_from_a_pipe(handbook: Warm) -> None:
    quoted = found(handbook, "retry schedule")
    assert found(handbook, "retry", "schedule") == quoted
    piped = handbook("search", "-", "--json", stdin=b"retry schedule")
    assert json.loads(piped.out)["hits"] == quoted


def test_nothing_found_is_said_and_is_no_failure(handbook: Warm) -> None:
    ended = handbook("search", "zyzzyva", "--legs", "bm25")
    assert ended == (0, "", "seamline: nothing found: no passage has these words\n")
    filtered = handbook("search", "retry", "--where", 'language = "xx"')
    assert filtered.lines == ["seamline: nothing found: no passage that the filter lets through answers this"]
    assert handbook("search", "retry", "--where", 'language = "xx"', "--quiet") == (0, "", "")


def test_near_duplicates_are_one_passage(warm: Warm, write) -> None:
    write("docs/a.md", "# Limits\n\nA key may send sixty requests a minute, and a burst of ten more on top of it.\n")
    write("docs/b.md", "# Limits\n\nA key may send sixty requests a minute, and a burst of ten more on top of it.\n")
    warm("index", "docs", "--embedder", "hash")
    shown = warm("search", "requests a minute").out
    assert "   2  " not in shown
    assert "      also in docs/b.md:1-3 § Limits\n" in shown
    assert len(found(warm, "requests a minute", "--no-collapse")) == 2
    assert "duplicates    1 group, 50.0% of chunks would not be missed" in warm("stats").out


def test_a_terminal_gets_colour_and_its_own_width(handbook: Warm) -> None:
    shown = on_terminal(Cli(handbook.folder), "search", QUERY, "-k", "2", stream="stdout", env={"COLUMNS": "60"})
    assert "\x1b[1;33m429\x1b[0m" in shown
    plain = shown.replace("\r\n", "\n")
    for code in ("\x1b[0m", "\x1b[1m", "\x1b[2m", "\x1b[36m", "\x1b[1;33m"):
        plain = plain.replace(code, "")
    assert "\x1b" not in plain
    assert max(map(len, plain.splitlines())) <= 60


def test_documents_cannot_speak_to_the_terminal(warm: Warm, write) -> None:
    write("a.md", "# Title \x1b[31m\n\nA \x1b]0;owned\x07 word and \u202eanother\u202c one.\n")
    warm("index", "a.md", "--embedder", "hash")
    hit = found(warm, "word")[0]
    seen = warm("search", "word").out + warm("search", "word", "--full").out + warm("cite", key(hit)).out
    assert not {"\x1b", "\x07", "\u202e"} & set(seen)
    assert "\\x1b]0;owned\\x07" in seen
    on_screen = on_terminal(Cli(warm.folder), "context", "word", stream="stdout")
    assert "\x1b" not in on_screen


# --- context -------------------------------------------------------------------------------------------------------


def test_a_context_keeps_its_budget_and_its_order(handbook: Warm) -> None:
    from seamline.tokens import load

    ended = handbook("context", QUERY, "--budget", "900", "--json")
    told = json.loads(ended.out)
    assert load("o200k_base").count(told["text"]) == told["tokens"] <= 900
    assert [passage["number"] for passage in told["passages"]] == list(range(1, len(told["passages"]) + 1))
    places = [(cited["uri"], cited["start"]) for passage in told["passages"] for cited in passage["citations"]]
    by_document: dict[str, list[int]] = {}
    for uri, start in places:
        by_document.setdefault(uri, []).append(start)
    assert all(starts == sorted(starts) for starts in by_document.values())
    assert handbook("context", QUERY, "--budget", "900").out.strip() == told["text"].strip()


def test_a_context_says_what_had_no_room(handbook: Warm) -> None:
    ended = handbook("context", QUERY, "--budget", "300")
    assert ended.code == 0
    assert ended.lines[0].endswith(" of 300 tokens")
    assert ended.lines[1].startswith("seamline: no room for handbook/")
    assert handbook("context", QUERY, "--budget", "300", "--quiet").err == ""
    nothing = handbook("context", QUERY, "--where", 'language = "xx"')
    assert (nothing.code, nothing.lines) == (0, ["seamline: nothing found: the text is empty"])


# --- cite ----------------------------------------------------------------------------------------------------------

PAGE = """\
# Orders

What happens to an order, from the invoice to the refund.

## Paying

An order is paid within ten days of its invoice. Late orders are cancelled without a word.

## Sending

Parcels leave the house at noon, and the carrier is told an hour before that.

## Returning

Whatever comes back within a month is refunded in full, postage included.
"""


@pytest.fixture
def cited(warm: Warm, write) -> dict[str, str]:
    """Citations of a page, by the heading they stand under."""
    write("docs/orders.md", PAGE)
    warm("index", "docs", "--embedder", "hash")
    hits = found(warm, "order parcels refunded", "-k", "9")
    return {hit["citations"][0]["path"][-1]: key(hit) for hit in hits if len(hit["citations"][0]["path"]) == 2}


def statuses(warm: Warm, cited: dict[str, str]) -> dict[str, str]:
    found = resolved(warm, *cited.values())
    return {name: one["status"] for name, one in zip(cited, found, strict=True)}


def test_an_edited_paragraph(warm: Warm, write, cited: dict[str, str]) -> None:
    write("docs/orders.md", PAGE.replace("ten days", "fourteen days"))
    assert warm("index", "docs").out.startswith("1 of 1 document changed, 1 chunk embedded\n")
    assert statuses(warm, cited) == {"Paying": "edited", "Sending": "current", "Returning": "current"}
    shown = warm("cite", cited["Paying"]).out
    assert shown.startswith("edited  docs/orders.md:5-7\n      § Orders > Paying\n")
    assert "An order is paid within [-ten-]{+fourteen+} days of its invoice." in shown
    told = resolved(warm, cited["Paying"])[0]
    assert "within ten days" in told["cited"]["quote"]
    assert "within fourteen days" in told["now"][0]["quote"]
    assert told["now"][0]["version"] == 2
    successor = f"{told['now'][0]['id']}@2"
    assert successor in shown
    assert resolved(warm, successor)[0]["status"] == "current"


def test_a_paragraph_that_moved(warm: Warm, write, cited: dict[str, str]) -> None:
    write("docs/orders.md", PAGE.replace("## Paying", "Read all of it.\n\n## Paying"))
    warm("index", "docs")
    assert statuses(warm, cited) == {"Paying": "moved", "Sending": "moved", "Returning": "moved"}
    assert "docs/orders.md:7-9 § Orders > Paying" in warm("cite", cited["Paying"]).out


def test_a_renamed_file(warm: Warm, cited: dict[str, str]) -> None:
    (warm.folder / "docs/orders.md").rename(warm.folder / "docs/sales.md")
    assert "1 of 1 document moved" in warm("index", "docs").out
    assert statuses(warm, cited) == {"Paying": "moved", "Sending": "moved", "Returning": "moved"}
    told = warm("cite", cited["Sending"]).out
    assert "docs/orders.md is now docs/sales.md" in told
    assert "docs/sales.md:9-11 § Orders > Sending" in told


def test_a_deleted_file(warm: Warm, write, cited: dict[str, str]) -> None:
    write("docs/other.md", "# Other\n\nSomething else.\n")
    (warm.folder / "docs/orders.md").unlink()
    assert "1 removed" in warm("index", "docs").out
    assert set(statuses(warm, cited).values()) == {"deleted"}
    told = warm("cite", cited["Sending"]).out
    assert "docs/orders.md was deleted; this is its version 1" in told
    assert "Parcels leave the house at noon" in told
    assert not [hit for hit in found(warm, "parcels") if hit["title"] == "Orders"]


def test_many_versions(warm: Warm, write, cited: dict[str, str]) -> None:
    for number in range(5):
        write("docs/orders.md", PAGE.replace("ten days", f"{number} days"))
        warm("index", "docs")
    told = resolved(warm, cited["Paying"])[0]
    assert "within ten days" in told["cited"]["quote"]
    assert "within 4 days" in told["now"][0]["quote"]
    assert json.loads(warm("stats", "--json").out)["versions"] == 6


def test_a_program_can_follow_what_it_kept(handbook: Warm) -> None:
    hits = found(handbook, QUERY, "-k", "3")
    ended: Ended = handbook("cite", *(key(hit) for hit in hits), "--json")
    lines = [json.loads(line) for line in ended.out.splitlines()]
    assert [line["key"] for line in lines] == [key(hit) for hit in hits]
    assert [line["cited"]["quote"] for line in lines] == [hit["citations"][0]["quote"] for hit in hits]


# --- stats ---------------------------------------------------------------------------------------------------------


def test_stats_for_programs(handbook: Warm) -> None:
    told = json.loads(handbook("stats", "--json").out)
    assert (told["documents"], told["chunks"], told["versions"]) == (8, 53, 8)
    assert sum(told["kinds"].values()) == sum(told["languages"].values()) == 53
    assert told["embedder"] == "hash"
    assert "limit = 512" in told["recipe"]
