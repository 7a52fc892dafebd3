"""The inspector in a real browser: `seamline inspect --web` as a process, Chromium by Playwright."""

from __future__ import annotations

import json
import re
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.resources import files
from typing import Any, NamedTuple
from urllib.parse import urlencode

import pytest

from conftest import GUIDE, Cli
from harness.browser import running_browser
from unit.pdf_maker import PageMaker, pdf, rows

EXTRA = "needs `pip install 'seamline[dev]'`"
sync_api = pytest.importorskip("playwright.sync_api", reason=EXTRA)
axe = pytest.importorskip("axe_playwright_python", reason=EXTRA)
pytest.importorskip("starlette", reason=EXTRA)
expect = sync_api.expect
expect.set_options(timeout=20_000)  # milliseconds: cores are shared

pytestmark = pytest.mark.slow

LORRY = "# Fleet\n\nThe lorry that brings the parcels is {colour} and older than the depot.\n"
LONG = GUIDE + "\n" + "\n\n".join(f"Attempt {n} waits longer than the one before it, and gives up." for n in range(40))
HOSTILE = """\
# <script>window.hit = 1</script>

<img src=x onerror="window.hit = 2"> <svg onload="window.hit = 3"></svg> [link](javascript:window.hit=4)

</div></article><iframe srcdoc="<script>parent.hit = 5</script>"></iframe> ![](https://evil.example/leak.png)

| <b onmouseover="window.hit = 6">cell</b> | {{constructor.constructor('window.hit = 7')()}} |
|---|---|
| "><style>@import 'https://evil.example/x.css'</style> | \u202eevil\u202c |
"""
HOSTILE_NAME = "\"><img src=x onerror='window.hit=8'>.md"
BIG = "".join(
    f"## Section {n}\n\n" + "The quick brown fox jumps over the lazy dog while the band plays on. " * 14 + "\n\n"
    for n in range(2100)
)


class Served(NamedTuple):
    """A running inspector."""

    url: str
    old_citation: str
    """Of a sentence that was edited since."""

    def at(self, **state: str) -> str:
        """The address of a state of the page."""
        return f"{self.url}?{urlencode(state)}"


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("inspector")
    cli = Cli(folder)
    (folder / "guide.md").write_text(LONG)
    (folder / "fleet.md").write_text(LORRY.format(colour="red"))
    (folder / "report.pdf").write_bytes(report())
    assert cli("index", ".", "--embedder", "hash").code == 0
    found = json.loads(cli("search", "lorry red", "--json").out)["hits"][0]["citations"][0]
    (folder / "fleet.md").write_text(LORRY.format(colour="blue"))
    (folder / HOSTILE_NAME).write_text(HOSTILE)
    assert cli("index", ".").code == 0
    (folder / "big.md").write_text(BIG)
    with cli.start("inspect", "--web", "guide.md", HOSTILE_NAME, "big.md", "report.pdf") as process:
        try:
            assert process.stderr is not None
            said = process.stderr.readline().decode()
            address = re.search(r"http://127\.0\.0\.1:\d+/", said)
            assert address, said
            yield Served(address[0], f"{found['id']}@{found['version']}")
        finally:
            process.terminate()


def report() -> bytes:
    """Two pages; the second has a sentence worth finding."""
    first = PageMaker().text(72, 100, "Depots", 18, "F2").lines(72, 130, rows(12))
    sentence = "The harbour crane lifts forty tonnes and is inspected in spring."
    return pdf(first, PageMaker().text(72, 100, "Cranes", 18, "F2").text(72, 300, sentence))


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with running_browser() as launched:
        yield launched


@pytest.fixture(params=["light"])
def page(browser: Any, served: Served, request: pytest.FixtureRequest) -> Iterator[Any]:
    """A page that must not complain, ask another machine or open a dialog."""
    context = browser.new_context(color_scheme=request.param, viewport={"width": 1280, "height": 800})
    opened = context.new_page()
    wrong: list[str] = []
    opened.on("console", lambda message: wrong.append(message.text) if is_wrong(message) else None)
    opened.on("pageerror", lambda error: wrong.append(str(error)))
    opened.on("dialog", lambda dialog: (wrong.append(dialog.message), dialog.dismiss()))
    own = (served.url, "data:")
    opened.on("request", lambda asked: None if asked.url.startswith(own) else wrong.append(asked.url))
    yield opened
    context.close()
    assert not wrong


def is_wrong(message: Any) -> bool:
    """Whether a page complains; of a request that was refused, the browser itself tells."""
    return message.type == "error" and "Failed to load resource" not in message.text


def cards(page: Any) -> Any:
    return page.locator("article.chunk")


def count(page: Any) -> int:
    """How many chunks the status line tells."""
    expect(page.locator("#status")).to_contain_text(re.compile(r"\d chunks? by"))
    return int(re.search(r"([\d,]+) chunks? by", page.locator("#status").inner_text())[1].replace(",", ""))


def test_chunks_and_why_they_are_cut(page: Any, served: Served) -> None:
    page.goto(served.at(**{"a.limit": "64"}))
    expect(cards(page).first).to_contain_text("How to send parcels.")
    expect(cards(page).nth(1).locator(".borrowed.role-heading")).to_have_text("heading# Guide")
    expect(cards(page).nth(1).locator(".crumbs")).to_have_text("Guide › Retries")
    expect(cards(page).nth(1).locator(".bar-tokens")).to_have_attribute(
        "aria-label", re.compile(r"of at most 64 tokens")
    )
    page.locator(".gap.open").first.hover()
    expect(page.locator("#tooltip")).to_contain_text(re.compile(r"score 0\.\d\d: "))
    cards(page).nth(1).locator(".seam").hover()
    expect(page.locator("#tooltip")).to_contain_text('section "## Retries"')
    page.keyboard.press("j")
    page.keyboard.press("j")
    expect(page.locator(".details h2")).to_have_text(re.compile("Chunk 3 of"))
    assert "chunk=3" in page.url
    page.reload()
    expect(page.locator(".details h2")).to_have_text(re.compile("Chunk 3 of"))
    expect(page.locator(".chunk.selected .number")).to_have_text("3")


def test_settings_are_applied_at_once(page: Any, served: Served) -> None:
    page.goto(served.url)
    before = count(page)
    page.get_by_label("limit", exact=True).press_sequentially("64", delay=400)  # slower than a change is waited for
    expect(page.locator("#status")).to_contain_text(re.compile(r"[1-9]\d chunks"))
    expect(page.get_by_label("limit", exact=True)).to_have_value("64")
    assert count(page) > before
    page.locator("#a-overlap").select_option("sentences")
    page.get_by_label("overlap tokens", exact=True).fill("20")
    expect(page.locator(".role-overlap").first).to_be_visible()
    assert "a.limit=64" in page.url
    page.get_by_label("target", exact=True).fill("9999")
    expect(page.locator("#status.error")).to_contain_text("target")
    page.get_by_role("button", name="Reset").click()
    expect(page.locator("#status")).to_contain_text(f"{before} chunk")
    assert "a.limit" not in page.url


def test_two_recipes_side_by_side(page: Any, served: Served) -> None:
    page.goto(served.at(view="compare"))
    expect(page.locator("main")).to_contain_text("Set a second recipe")
    page.locator("#b-limit").fill("100")
    expect(page.locator(".pair").first).to_be_visible()
    expect(page.locator(".summary")).to_contain_text("difference")
    expect(page.get_by_text("only B cuts here").first).to_be_visible()
    page.locator("#b-limit").fill("")
    page.locator("#b-breadcrumb").select_option("false")
    expect(page.locator(".summary")).to_contain_text("No difference")
    page.locator(".folded button").click()
    expect(page.locator(".pair .side").first.locator(".chunk")).to_have_count(3)
    expect(page.locator(".pair .chunk")).to_have_count(6)


def test_lists_and_tree(page: Any, served: Served) -> None:
    page.goto(served.url)
    text = "# Guide\n\nThe same sentence.\n\n# Guide\n\nThe same sentence.\n\n# Rule\n\n***\n\n# Last\n\nAnother end.\n"
    page.locator("#file").set_input_files({"name": "twice.md", "mimeType": "text/plain", "buffer": text.encode()})
    expect(page.locator("#status")).to_contain_text("twice.md: 4 chunks")
    page.keyboard.press("3")
    expect(page.get_by_role("heading", name="Duplicates").locator("..").locator(".entry")).to_have_count(2)
    expect(page.get_by_role("heading", name="Without content").locator("..").locator(".entry")).to_have_count(1)
    page.get_by_role("heading", name="Smallest").locator("..").locator(".entry").first.click()
    expect(page.locator(".chunk.selected")).to_be_visible()
    page.keyboard.press("4")
    page.get_by_role("button", name="Cut hierarchically").click()
    expect(page.locator(".tree details").first).to_be_visible()
    page.go_back()
    expect(page.locator(".chunk.selected")).to_be_visible()


def test_a_file_is_dropped(page: Any, served: Served) -> None:
    page.goto(served.url)
    expect(cards(page).first).to_be_visible()
    data = page.evaluate_handle(
        "() => { const data = new DataTransfer();"
        " data.items.add(new File(['# Dropped\\n\\nHello.'], 'dropped.md')); return data; }"
    )
    page.dispatch_event("main", "drop", {"dataTransfer": data})
    expect(cards(page).first).to_contain_text("Hello.")
    expect(page.locator("#source option:checked")).to_have_text("dropped.md")


def test_pages_of_a_pdf(page: Any, served: Served) -> None:
    page.goto(served.at(key="file-3", view="pages"))
    expect(page.locator(".pager")).to_contain_text("Page 1 of 2")
    expect(page.locator(".box").first).to_be_visible()
    page.keyboard.press("j")
    expect(page.locator(".pager")).to_contain_text("Page 2 of 2")
    page.locator(".box").last.click()
    expect(page.locator(".chunk.selected")).to_contain_text("harbour crane")
    page.get_by_role("button", name="Show on page 2").click()
    expect(page.locator(".box.selected").first).to_be_visible()


def test_search_and_a_citation_on_its_page(page: Any, served: Served) -> None:
    page.goto(served.url)
    expect(cards(page).first).to_be_visible()
    page.keyboard.press("/")
    page.get_by_label("Question").fill("harbour crane")
    page.keyboard.press("Enter")
    hit = page.locator(".hit").first
    expect(hit.locator("strong")).to_contain_text("report.pdf p. 2")
    expect(hit.locator("mark").first).to_have_text("harbour")
    expect(hit.locator(".leg-bar")).to_have_text(
        [re.compile("meaning"), re.compile("words.*rank 1"), re.compile("together")]
    )
    expect(page.locator(".legs")).to_contain_text("By words: BM25")
    hit.get_by_role("button", name="Citation on its page").click()
    box = page.locator(".sheet .box")
    expect(box.first).to_be_visible()
    picture, drawn = page.locator(".sheet img").bounding_box(), box.last.bounding_box()
    height = (drawn["y"] + drawn["height"] / 2 - picture["y"]) / picture["height"]
    assert abs(height - 300 / 792) < 0.02  # where the sentence stands on the page
    assert picture["x"] < drawn["x"] < drawn["x"] + drawn["width"] < picture["x"] + picture["width"]
    hit.get_by_role("button", name="Open document").click()
    expect(page.locator(".chunk.selected")).to_contain_text("harbour crane")
    page.keyboard.press("5")
    expect(page.locator(".box").first).to_be_visible()  # an indexed PDF has pages as well


def test_why_not_this_chunk(page: Any, served: Served) -> None:
    page.goto(served.at(view="search", query="harbour crane"))
    expect(page.locator(".hit").first).to_be_visible()
    page.locator("#why-doc").select_option("fleet.md")
    page.locator("#why-chunk option").nth(1).wait_for(state="attached")
    page.locator("#why-chunk").select_option(index=1)
    expect(page.locator(".answer")).to_contain_text(re.compile("It lacks: harbour crane"))
    expect(page.locator(".answer")).to_contain_text("By words: not among the first")


def test_the_history_of_a_citation(page: Any, served: Served) -> None:
    page.goto(served.at(view="search", cite=served.old_citation))
    expect(page.locator(".cited .badge")).to_have_text("edited")
    expect(page.locator(".diff del")).to_have_text("red")
    expect(page.locator(".diff ins")).to_have_text("blue")
    expect(page.locator(".versions li")).to_have_count(2)
    page.locator(".cited").get_by_role("button").click()
    expect(page.locator(".cited .badge")).to_have_text("current")


@pytest.mark.parametrize("view", ["chunks", "compare", "lists", "tree", "search"])
@pytest.mark.parametrize("source", [{"key": "file-1"}, {"doc": HOSTILE_NAME}])
def test_hostile_documents_stay_text(page: Any, served: Served, view: str, source: dict[str, str]) -> None:
    script = "<img src=x onerror=window.hit=9>"
    state = {"view": view, "a.strategy": "hierarchical", "b.limit": "40", "query": f"cell {script}", **source}
    page.goto(served.at(**state))
    expect(page.locator("main")).to_contain_text(re.compile("script|hit|tokens"))
    page.wait_for_load_state("networkidle")
    for mark in page.locator("main [data-tip]").all()[:5]:
        mark.hover()
    assert page.evaluate("window.hit") is None
    assert page.locator("script:not([src]), svg, iframe, style, main img, main a").count() == 0
    assert "evil.example" not in "".join(page.evaluate("performance.getEntries().map((one) => one.name)"))


def test_the_policy_stops_what_gets_in_anyway(browser: Any, served: Served) -> None:
    opened = browser.new_page()
    opened.goto(served.url)
    opened.evaluate("document.body.insertAdjacentHTML('beforeend', '<img src=x onerror=\"window.hit = 1\">')")
    opened.evaluate("document.body.append(Object.assign(document.createElement('script'), {textContent: 'hit = 2'}))")
    assert opened.evaluate("fetch('https://evil.example/').catch(() => 'refused')") == "refused"
    opened.wait_for_timeout(200)
    assert opened.evaluate("window.hit") is None
    opened.close()


def test_a_server_that_asks_for_a_token(browser: Any) -> None:
    with guarded_server("let me in") as url:
        opened = browser.new_page()
        opened.goto(url)
        opened.locator("#token-value").fill("wrong")
        opened.get_by_role("button", name="Continue").click()
        expect(opened.get_by_role("alert")).to_have_text("The server refused that token.")
        opened.locator("#token-value").fill("let me in")
        opened.get_by_role("button", name="Continue").click()
        expect(opened.get_by_role("heading", name="Drop a document here")).to_be_visible()
        assert "let" not in opened.url
        opened.close()


@contextmanager
def guarded_server(token: str) -> Iterator[str]:
    """The page inside of another application, as `seamline serve` has it."""
    import uvicorn
    from starlette.applications import Starlette
    from starlette.responses import JSONResponse

    from seamline.inspector.web import OPEN_PATHS, routes

    inner = Starlette(routes=routes())

    async def guard(scope: Any, receive: Any, send: Any) -> None:
        allowed = (b"authorization", f"Bearer {token}".encode()) in scope.get("headers", ())
        refused = scope["type"] == "http" and scope["path"] not in OPEN_PATHS and not allowed
        await (JSONResponse({"title": "Unauthorized"}, 401) if refused else inner)(scope, receive, send)

    with socket.create_server(("127.0.0.1", 0)) as listener:
        server = uvicorn.Server(uvicorn.Config(guard, log_level="warning", lifespan="off"))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
        thread.start()
        try:
            yield f"http://127.0.0.1:{listener.getsockname()[1]}/"
        finally:
            server.should_exit = True
            thread.join()


def test_two_megabytes_scroll(page: Any, served: Served) -> None:
    assert len(BIG) > 2_000_000
    page.goto(served.at(key="file-2"))
    assert count(page) == 2100
    assert cards(page).count() < 40
    frames = page.evaluate(
        """async () => {
            const list = document.querySelector('.scroller'), times = [];
            let last = performance.now();
            for (let step = 0; step < 60; step++) {
                list.scrollTop += 900;
                await new Promise(requestAnimationFrame);
                times.push(performance.now() - last);
                last = performance.now();
            }
            return times.sort((a, b) => a - b);
        }"""
    )
    assert frames[30] < 50, frames  # milliseconds; half of all frames, on a machine that does other things too
    assert cards(page).count() < 40
    page.keyboard.press("End")
    expect(page.locator(".chunk.selected")).to_contain_text("Section 2099")
    expect(page.locator(".chunk.selected")).to_be_in_viewport()


@pytest.mark.parametrize("page", ["light", "dark"], indirect=True)
def test_nothing_serious_stands_in_the_way_of_a_reader(page: Any, served: Served) -> None:
    script = files(axe).joinpath("axe.min.js").read_text()
    recipe = {"a.strategy": "hierarchical", "a.overlap": "sentences", "a.overlap_tokens": "20", "b.limit": "80"}
    states: list[dict[str, str]] = [
        *({**recipe, "view": view} for view in ("chunks", "compare", "lists", "tree")),
        {"view": "pages", "key": "file-3"},
        {"view": "search", "query": "lorry that brings parcels", "cite": served.old_citation},
        {"view": "tree"},
        {"key": "gone"},
    ]
    for state in states:
        page.goto(served.at(**state))
        page.wait_for_load_state("networkidle")
        assert violations(page, script) == [], state
    page.goto(served.url)
    expect(cards(page).first).to_be_visible()
    page.keyboard.press("?")
    expect(page.locator("#help")).to_be_visible()
    assert violations(page, script) == []
    page.keyboard.press("Escape")
    expect(page.locator("#help")).to_be_hidden()


def violations(page: Any, script: str) -> list[str]:
    page.evaluate(script)
    found = page.evaluate("axe.run(document)")["violations"]
    return [
        f"{one['id']}: {node['html'][:160]}"
        for one in found
        if one["impact"] in ("serious", "critical")
        for node in one["nodes"]
    ]
