"""An evaluation as one page: figures, plots, violations, costs, and every question with what was found for it.

The page asks nothing of any server. Texts of documents and questions reach it as data and are shown as text alone;
rows of questions are made as they are looked at, so that 20,000 of them open like 20.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from html import escape
from typing import Any

from seamline.evaluate.compare import PairedDifference
from seamline.evaluate.language_model import JUDGED
from seamline.evaluate.metrics import WEIGHTS
from seamline.evaluate.report_page import SCRIPT, STYLE
from seamline.evaluate.trials import COMPARED, TARGETS, Evaluation, Trial

DETAILED = 300
"""Questions whose passages are shown: those that trials differ in most."""
PASSAGES = 3
CLIP = 500
"""Characters of a passage or an answer."""
_TRIALS = 8
"""Trials whose passages are kept for a question."""
_COLUMNS = (
    *("composite", "budget_recall", "recall@5", "precision@5", "mrr", "ndcg@5", "full@5"),
    *("token_precision@5", "iou@5"),
)


def render_report(done: Evaluation, texts: Mapping[str, str]) -> str:
    """The page. `texts` are the documents by name, which passages are cut from."""
    data = json.dumps(_data(done, texts), ensure_ascii=True, separators=(",", ":"))
    # In a script element only `<` could end it; escaped as JSON it is the same value.
    data = data.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
    parts = [_summary(done), _figures(done), _plots(done), _contract(done), _costs(done)]
    parts += [_QUESTIONS] if done.questions else []
    return _PAGE.format(style=STYLE, script=SCRIPT, body="\n".join(parts), data=data)


_PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy"
 content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:">
<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark">
<link rel="icon" href="data:,"><title>Evaluation - Seamline</title><style>{style}</style></head>
<body><main>
{body}
</main><script type="application/json" id="data">{data}</script><script>{script}</script></body></html>
"""

_QUESTIONS = """<section id="questions"><h2>Questions</h2>
<div class="controls">
<label>Baseline <select id="left"></select></label><label>against <select id="right"></select></label>
<label>by <select id="metric"></select></label>
<label>show <select id="which"><option value="all">all</option><option value="win">wins</option>
<option value="loss">losses</option><option value="tie">ties</option></select></label>
<label>with <input id="words" type="search" placeholder="words of the question"></label></div>
<p id="tally" role="status"></p><div id="rows"></div>
<div class="pager"><button id="before" type="button">Previous</button><span id="page"></span>
<button id="after" type="button">Next</button></div></section>"""


def _summary(done: Evaluation) -> str:
    kind = "questions generated from the documents" if done.generated else "questions"
    lines = [f"<h1>Evaluation</h1><p>{len(done.questions):,} {kind} on {done.documents:,} documents.</p>"]
    if done.generated:
        lines.append(
            '<p class="warning">These questions were generated: they ask in the words of the documents, so figures are'
            " higher than for questions of people. Compare trials with each other; do not read them as how often a"
            " person finds an answer. In tests they ranked trials as written questions do for documents with headings,"
            " tables and lists (rank correlation 0.65 to 0.99), and not for source code (0.1 to 0.6) or prose.</p>"
        )
    if done.notes:
        items = "".join(f"<li>{escape(note)}</li>" for note in done.notes[:50])
        more = f"<li>{len(done.notes) - 50:,} more</li>" if len(done.notes) > 50 else ""
        lines.append(f"<details><summary>Notes: {len(done.notes):,}</summary><ul>{items}{more}</ul></details>")
    return f"<header>{''.join(lines)}</header>"


def _table(head: Sequence[str], rows: Iterable[Sequence[str]], *, caption: str = "") -> str:
    """Cells are HTML already; the first of a row names it."""
    top = "".join(f'<th scope="col">{escape(name)}</th>' for name in head)
    body = "".join(
        f'<tr><th scope="row">{row[0]}</th>{"".join(f"<td>{cell}</td>" for cell in row[1:])}</tr>' for row in rows
    )
    told = f"<caption>{caption}</caption>" if caption else ""
    return f'<div class="scroll"><table>{told}<thead><tr>{top}</tr></thead><tbody>{body}</tbody></table></div>'


def _figures(done: Evaluation) -> str:
    if not done.questions:
        return ""
    rows = [_figure_row(done, trial) for trial in done.trials]
    base = escape(done.trials[0].name)
    weights = ", ".join(f"{name} {weight:g}" for name, weight in WEIGHTS.items())
    note = (
        f"Compared with <b>{base}</b>, the first. ▲ better, ▼ worse by more than chance: paired bootstrap over"
        f" questions, p &lt; 0.05 after Holm's correction. Hover for the interval. composite = {escape(weights)}."
    )
    return f"<section><h2>Figures</h2>{_table(['', *_columns(done)], rows)}<p class='note'>{note}</p></section>"


def _columns(done: Evaluation) -> list[str]:
    return [*_COLUMNS, *(JUDGED if any(trial.judged for trial in done.trials) else ())]


def _figure_row(done: Evaluation, trial: Trial) -> list[str]:
    means, found = trial.means, done.differences[trial.name]
    cells = [escape(trial.name)]
    for name in _columns(done):
        text = f"{means[name]:.3f}" if name in means else ""
        if name in found:
            text = f'<span title="{_interval(found[name])}">{text}{_sign(name, found[name])}</span>'
        elif name in (*COMPARED, *JUDGED):
            text += "<i></i>"  # the room of a sign, so that figures stand below each other
        cells.append(text)
    return cells


def _interval(found: PairedDifference) -> str:
    return f"{found.mean:+.3f}, 95% interval {found.low:+.3f} to {found.high:+.3f}, p = {found.p:.3f}"


def _sign(name: str, found: PairedDifference) -> str:
    """A mark of what is better or worse by more than chance; of violations, fewer are better."""
    if not found.is_significant:
        return "<i></i>"
    up = found.mean > 0
    return f'<i class="{"good" if up != (name == "violations") else "bad"}">{"▲" if up else "▼"}</i>'


def _plots(done: Evaluation) -> str:
    plots = [_scatter(done)] if done.questions else []
    shapes = "".join(f"<figure>{_histogram(trial)}</figure>" for trial in done.trials)
    plots.append(f'<h2>Sizes of chunks, in tokens</h2><div class="grid">{shapes}</div>')
    return f"<section>{''.join(plots)}</section>"


_WIDE, _HIGH, _LEFT, _BOTTOM = 640, 320, 52, 44


def _scatter(done: Evaluation) -> str:
    """Recall at a budget of tokens over the mean size of chunks: a line for each strategy."""
    groups: dict[str, list[tuple[float, float, str]]] = {}
    for trial in done.trials:
        means = trial.means
        groups.setdefault(trial.strategy, []).append((means["tokens"], means["budget_recall"], trial.name))
    points = [point for group in groups.values() for point in group]
    most = _round_up(max(x for x, _, _ in points) * 1.05)
    low = max(0.0, min(y for _, y, _ in points) - 0.05)
    high = min(1.0, max(y for _, y, _ in points) + 0.02)
    high = high if high > low else low + 0.1

    def at(x: float, y: float) -> tuple[float, float]:
        return (
            _LEFT + x / most * (_WIDE - _LEFT - 16),
            _HIGH - _BOTTOM - (y - low) / (high - low) * (_HIGH - _BOTTOM - 16),
        )

    out = []
    for step in range(5):
        value = low + (high - low) * step / 4
        _, y = at(0, value)
        out.append(f'<line class="rule" x1="{_LEFT}" x2="{_WIDE - 16}" y1="{y:.1f}" y2="{y:.1f}"/>')
        out.append(f'<text x="{_LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{value:.2f}</text>')
        x, _ = at(most * step / 4, low)
        out.append(f'<text x="{x:.1f}" y="{_HIGH - _BOTTOM + 18}" text-anchor="middle">{most * step / 4:.0f}</text>')
    legend = []
    for number, (name, group) in enumerate(groups.items()):
        colour = f"c{number % 8}"
        placed = [(*at(x, y), label, x, y) for x, y, label in sorted(group)]
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y, *_ in placed)
        out.append(f'<polyline class="{colour}" points="{path}"/>')
        for x, y, label, tokens, value in placed:
            told = escape(f"{label}: {value:.3f} at {tokens:.0f} tokens")
            out.append(f'<circle class="{colour}" cx="{x:.1f}" cy="{y:.1f}" r="5"><title>{told}</title></circle>')
        legend.append(f'<span><b class="{colour}"></b>{escape(name)}</span>')
    axis = f'<text x="{(_WIDE + _LEFT) / 2}" y="{_HIGH - 6}" text-anchor="middle">mean tokens of a chunk</text>'
    label = "budget_recall over the mean size of chunks, by strategy"
    svg = f'<svg viewBox="0 0 {_WIDE} {_HIGH}" role="img" aria-label="{label}">{"".join(out)}{axis}</svg>'
    keys = f'<div class="legend">{"".join(legend)}</div>'
    return f"<h2>Answers within a budget of tokens (budget_recall)</h2>{keys}<figure class='plot'>{svg}</figure>"


def _round_up(value: float) -> float:
    """The next number whose quarters are whole and easy to read."""
    step = 4.0
    while step * 8 < value:
        step *= 2.5 if f"{step:g}"[0] == "4" else 2
    return step * max(1, -(-value // step))


def _histogram(trial: Trial) -> str:
    sizes, width, height = trial.sizes, 240, 90
    tallest = max(sizes.histogram) or 1
    step = width / len(sizes.histogram)
    bars = "".join(
        f'<rect x="{at * step + 1:.1f}" y="{height - count / tallest * height:.1f}" width="{step - 2:.1f}"'
        f' height="{count / tallest * height:.1f}"/>'
        for at, count in enumerate(sizes.histogram)
    )
    name = escape(trial.name)
    told = f"{trial.chunks:,} chunks, mean {sizes.mean:.0f}, median {sizes.median}, 90% below {sizes.high}"
    return (
        f"<figcaption><b>{name}</b><br>{told}</figcaption>"
        f'<svg viewBox="0 0 {width} {height + 16}" role="img" aria-label="{name}: {told}">{bars}'
        f'<text x="0" y="{height + 13}">0</text>'
        f'<text x="{width}" y="{height + 13}" text-anchor="end">{sizes.most}</text></svg>'
    )


def _contract(done: Evaluation) -> str:
    facts = list(dict.fromkeys(name for trial in done.trials for name in trial.facts))
    head = ["", "violations", *(f"{name}{_target(name)}" for name in facts), "which"]
    rows = []
    for trial in done.trials:
        broken = sum(trial.violations.values())
        which = ", ".join(f"{escape(rule)} {count:,}" for rule, count in trial.violations.items()) or "none"
        told = {"violations": (float(broken), f"{broken:,}")}
        told |= {name: (trial.facts[name], f"{trial.facts[name]:.3f}") for name in facts if name in trial.facts}
        found = done.differences[trial.name]
        cells = [
            _judged(name, *one) + (_sign(name, found[name]) if name in found else "") for name, one in told.items()
        ]
        rows.append([escape(trial.name), *cells, which])
    examples = "".join(
        f"<details><summary>{escape(trial.name)}: first {len(trial.examples)}</summary><ul>"
        + "".join(f"<li>{escape(line[:CLIP])}</li>" for line in trial.examples)
        + "</ul></details>"
        for trial in done.trials
        if trial.examples
    )
    note = "▲ more, ▼ less than the first by more than chance, document by document; green is better."
    table = f"{_table(head, rows)}<p class='note'>{note}</p>"
    return f"<section class='contract'><h2>Contract and chunks</h2>{table}{examples}</section>"


def _target(name: str) -> str:
    return f" (≥ {TARGETS[name]:g})" if name in TARGETS else ""


def _judged(name: str, value: float, text: str) -> str:
    if name not in TARGETS:
        return text
    good = value <= TARGETS[name] if name == "violations" else value >= TARGETS[name]
    return f'<span class="{"good" if good else "bad"}">{text}</span>'


def _costs(done: Evaluation) -> str:
    head = ["", "stored for each token", "cut, s", "embed, s", "search, s", "ms a question", "embedded", "known"]
    rows = [
        [
            escape(trial.name),
            f"{trial.cost.expansion:.2f}",
            f"{trial.cost.cut_seconds:.2f}",
            f"{trial.cost.embed_seconds:.2f}",
            f"{trial.cost.search_seconds:.2f}",
            f"{1000 * trial.cost.search_seconds / max(1, len(done.questions)):.1f}",
            f"{trial.cost.embedded:,}",
            f"{trial.cost.cached:,}",
        ]
        for trial in done.trials
    ]
    note = "Texts that an earlier trial embedded are known, and cost later trials nothing."
    return f"<section><h2>Cost</h2>{_table(head, rows)}<p class='note'>{note}</p></section>"


def _data(done: Evaluation, texts: Mapping[str, str]) -> dict[str, Any]:
    """What the table of questions is made from."""
    return {
        "trials": [trial.name for trial in done.trials],
        "metrics": list(COMPARED),
        "questions": [
            [
                question.id,
                question.text[:CLIP],
                question.kind,
                "; ".join(dict.fromkeys(a.doc for a in question.answers)),
            ]
            for question in done.questions
        ],
        "scores": [[[round(one[metric], 3) for metric in COMPARED] for one in trial.scores] for trial in done.trials],
        "details": dict(_details(done, texts)),
    }


def _details(done: Evaluation, texts: Mapping[str, str]) -> Iterator[tuple[str, Any]]:
    """By number of a question: its answers, and what the trials found."""

    def spread(at: int) -> float:
        values = [sum(trial.scores[at][metric] for metric in COMPARED) for trial in done.trials]
        return max(values) - min(values)

    most = sorted(range(len(done.questions)), key=lambda at: (-spread(at), at))[:DETAILED]
    for at in most:
        answers = [[a.doc, _clip(texts.get(a.doc, "")[a.start : a.end])] for a in done.questions[at].answers[:5]]
        found = [
            [
                [passage.doc, _clip(" … ".join(texts.get(passage.doc, "")[start:end] for start, end in passage.spans))]
                for passage in trial.passages[at][:PASSAGES]
            ]
            for trial in done.trials[:_TRIALS]
        ]
        yield str(at), {"answers": answers, "found": found}


def _clip(text: str) -> str:
    return text if len(text) <= CLIP else f"{text[:CLIP]} …"
