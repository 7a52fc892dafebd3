"""The report in a real browser: nothing is fetched, nothing of a document is run, and many questions open at once."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from harness.browser import running_browser
from seamline.evaluate.metrics import AnswerSpan, RetrievedPassage, score_question
from seamline.evaluate.questions import LabelledQuestion
from seamline.evaluate.report import render_report
from seamline.evaluate.trials import Evaluation, Trial, TrialCost, size_stats

HOSTILE = "</script><script>document.title='owned'</script><img src=x onerror=\"document.title='owned'\">"
TEXT = f"Some words.\n{HOSTILE}\nMore words of the document, and a last line.\n"


def trial(name: str, questions: int, shift: int) -> Trial:
    passages = [(RetrievedPassage("d.md", ((at * shift % 40, at * shift % 40 + 30),), 10),) for at in range(questions)]
    answers = [AnswerSpan("d.md", 5, 25)]
    return Trial(
        name=name,
        strategy=name.partition(" ")[0],
        size=256,
        settings={},
        is_peer=False,
        chunks=30,
        sizes=size_stats(range(10, 200, 7)),
        violations={"torn-fence": shift},
        examples=(f"d.md: torn-fence: {HOSTILE}",),
        facts={"coherence": 0.5, "self-contained": 0.9, "density": 0.5, "boundary": 0.6},
        cost=TrialCost(1.0, 2.0, 3.0, 10, 5, 1.1),
        scores=tuple(score_question(answers, found) for found in passages),
        passages=tuple(passages),
        by_document={"d.md": {"violations": shift / 30, "coherence": 0.5}},
    )


def evaluation(questions: int, generated: bool = False) -> Evaluation:
    asked = tuple(
        LabelledQuestion(f"q{at}", f"Question {at} {HOSTILE}?", (AnswerSpan("d.md", 5, 25),), "fact", generated)
        for at in range(questions)
    )
    trials = (trial(f"one <b>{HOSTILE}", questions, 1), trial("two 256", questions, 3))
    return Evaluation(trials, asked, 1, generated, (f"note {HOSTILE}",))


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with running_browser() as opened:
        yield opened


def open_page(browser: Any, path: Path, text: str, width: int = 1200, scheme: str = "light") -> tuple[Any, list[str]]:
    """The page, and what it asked for or complained about."""
    path.write_text(text, encoding="utf-8")
    page = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme).new_page()
    noise: list[str] = []
    page.on("request", lambda request: noise.append(request.url))
    page.on("pageerror", lambda error: noise.append(str(error)))
    page.on("console", lambda message: noise.append(message.text))
    page.goto(path.as_uri())
    page.wait_for_selector("#rows details")
    return page, noise


def test_the_page_asks_nothing_and_runs_nothing_of_a_document(browser: Any, tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    page, noise = open_page(browser, path, render_report(evaluation(60), {"d.md": TEXT}))
    for at in range(3):
        page.locator("#rows details").nth(at).locator("summary").click()
    assert page.title() == "Evaluation - Seamline"
    assert [line for line in noise if line != path.as_uri() and not line.startswith("data:")] == []
    assert page.locator("main img, main script").count() == 0
    assert page.locator("svg").count() == 3
    assert page.locator("#rows .passage").first.inner_text().strip().startswith("d.md")


def test_questions_are_chosen_and_turned_over(browser: Any, tmp_path: Path) -> None:
    page, _ = open_page(browser, tmp_path / "report.html", render_report(evaluation(60), {"d.md": TEXT}))
    assert page.locator("#rows details").count() == 25
    assert page.inner_text("#page") == "page 1 of 3"
    page.click("#after")
    assert page.inner_text("#page") == "page 2 of 3"
    page.fill("#words", "question 17")
    assert page.locator("#rows details").count() == 1
    page.fill("#words", "")
    page.select_option("#metric", label="iou@5")
    counts = {}
    for which in ("win", "loss", "tie", "all"):
        page.select_option("#which", which)
        counts[which] = int(re.search(r"(\d+) shown", page.inner_text("#tally"))[1])  # type: ignore[index]
    assert counts["win"] + counts["loss"] + counts["tie"] == counts["all"] == 60
    assert counts["win"]
    assert counts["loss"]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1200])
def test_it_fits_the_screen_and_can_be_read(browser: Any, tmp_path: Path, width: int, scheme: str) -> None:
    text = render_report(evaluation(30, generated=True), {"d.md": TEXT})
    page, _ = open_page(browser, tmp_path / "report.html", text, width, scheme)
    page.locator("#rows details summary").first.click()
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert "These questions were generated" in page.inner_text(".warning")
    colours = page.evaluate("[getComputedStyle(document.body).color, getComputedStyle(document.body).backgroundColor]")
    light = [sum(int(part) for part in re.findall(r"\d+", one)[:3]) for one in colours]
    assert abs(light[0] - light[1]) > 450
    assert (light[1] > light[0]) == (scheme == "light")


def test_twenty_thousand_questions_open_within_three_seconds(browser: Any, tmp_path: Path) -> None:
    text = render_report(evaluation(20_000), {"d.md": TEXT})
    begun = time.monotonic()
    page, _ = open_page(browser, tmp_path / "report.html", text)
    took = page.evaluate("performance.now()") / 1000
    assert took < 3, f"{took:.1f} s of the page, {time.monotonic() - begun:.1f} s in all"
    assert page.locator("#rows details").count() == 25
    begun = time.monotonic()
    page.fill("#words", "question 19999")
    assert page.locator("#rows details").count() == 1
    assert time.monotonic() - begun < 3


def test_without_questions_the_chunks_are_shown() -> None:
    bare = trial("one 256", 0, 1)
    text = render_report(Evaluation((bare,), (), 3, False), {})
    assert 'id="questions"' not in text
    assert "Contract and chunks" in text
