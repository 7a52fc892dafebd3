"""The looks and the behaviour of a report: a style sheet and a script, without anything from elsewhere."""

from __future__ import annotations

STYLE = """
:root{--bg:#fff;--fg:#1d2330;--dim:#5b6475;--line:#d9dee7;--card:#f6f8fb;--good:#0a7a3d;--bad:#b3261e;--mark:#fff3cd;
--c0:#2563c9;--c1:#c2570c;--c2:#0f8a6d;--c3:#8b3fc0;--c4:#b0316e;--c5:#6b7280;--c6:#8a6d00;--c7:#0e7fa8}
@media(prefers-color-scheme:dark){:root{--bg:#12151c;--fg:#e7eaf0;--dim:#9aa4b5;--line:#2c3442;--card:#1a1f29;
--good:#5bd08f;--bad:#ff8a80;--mark:#4a3f14;--c0:#7aa7ff;--c1:#ff9d57;--c2:#4fd1ae;--c3:#c792ff;--c4:#ff85b8;
--c5:#aab2c0;--c6:#e3c24d;--c7:#5cc8ee}}
*{box-sizing:border-box}
body{margin:0;background:var(--bg);color:var(--fg);font:15px/1.5 system-ui,-apple-system,"Segoe UI",sans-serif}
main{max-width:1180px;margin:0 auto;padding:16px}
h1{font-size:1.6rem;margin:.4em 0}h2{font-size:1.15rem;margin:1.6em 0 .5em}
.note,figcaption{color:var(--dim);font-size:.87rem}
.warning{background:var(--mark);padding:10px 12px;border-radius:8px}
.scroll{overflow-x:auto;border:1px solid var(--line);border-radius:8px}
table{border-collapse:collapse;width:100%;font-variant-numeric:tabular-nums;font-size:.9rem}
th,td{padding:6px 10px;text-align:right;white-space:nowrap;border-bottom:1px solid var(--line)}
tr:last-child>*{border-bottom:0}
thead th{color:var(--dim);font-weight:600;background:var(--card)}
th[scope=row]{text-align:left;font-weight:600;position:sticky;left:0;background:var(--bg)}
td:last-child{padding-right:14px}.contract td:last-child,.contract th:last-child{text-align:left}.plot{max-width:760px}
i{font-style:normal;font-size:.75em;display:inline-block;width:1.2em}
.good{color:var(--good)}.bad{color:var(--bad)}
figure{margin:0}svg{width:100%;height:auto;display:block}
svg text{fill:var(--dim);font-size:12px}svg rect{fill:var(--c0)}
.rule{stroke:var(--line)}polyline{fill:none;stroke-width:2}circle{stroke:var(--bg);stroke-width:1.5}
.grid{display:grid;grid-template-columns:repeat(auto-fill,minmax(220px,1fr));gap:16px}
.grid figure{background:var(--card);border-radius:8px;padding:12px}
.legend{display:flex;flex-wrap:wrap;gap:4px 16px;font-size:.9rem}
.legend b{display:inline-block;width:12px;height:12px;border-radius:3px;margin-right:6px}
.c0{--c:var(--c0)}.c1{--c:var(--c1)}.c2{--c:var(--c2)}.c3{--c:var(--c3)}.c4{--c:var(--c4)}.c5{--c:var(--c5)}
.c6{--c:var(--c6)}.c7{--c:var(--c7)}
polyline{stroke:var(--c)}circle{fill:var(--c)}.legend b{background:var(--c)}
details{margin:8px 0}summary{cursor:pointer}
.controls{display:flex;flex-wrap:wrap;gap:8px 14px;align-items:center}
.controls label{display:flex;gap:6px;align-items:center;color:var(--dim);font-size:.9rem}
select,input,button{font:inherit;color:var(--fg);background:var(--card);border:1px solid var(--line);border-radius:6px;
padding:5px 8px;max-width:100%}
button:disabled{opacity:.45}
.row{border:1px solid var(--line);border-radius:8px;margin:8px 0;padding:8px 12px}
.row>summary{display:flex;gap:12px;justify-content:space-between;align-items:baseline}
.row .ask{font-weight:600;overflow-wrap:anywhere}
.row .difference{font-variant-numeric:tabular-nums;white-space:nowrap}
.kind{color:var(--dim);font-weight:400;font-size:.85rem}
.sides{display:grid;grid-template-columns:1fr 1fr;gap:12px}
.passage{background:var(--card);border-radius:6px;padding:8px 10px;margin:6px 0;white-space:pre-wrap;
overflow-wrap:anywhere;font:13px/1.45 ui-monospace,SFMono-Regular,Menlo,monospace;max-height:220px;overflow:auto}
.passage cite{display:block;color:var(--dim);font-style:normal}
.answer{border-left:3px solid var(--good)}
.pager{display:flex;gap:12px;align-items:center;margin:12px 0 40px}
@media(max-width:640px){main{padding:10px}.plot svg text{font-size:20px}
.sides{grid-template-columns:1fr}body{font-size:14px}
.row>summary{flex-direction:column;gap:2px}.controls label{width:100%}
.controls select,.controls input{flex:1;min-width:0}}
"""

SCRIPT = """
"use strict";
const data = JSON.parse(document.getElementById("data").textContent), size = 25;
const get = id => document.getElementById(id);
const make = (tag, name, text) => { const one = document.createElement(tag); if (name) one.className = name;
  if (text !== undefined) one.textContent = text; return one; };
let page = 0, shown = [];
function option(select, names, chosen) {
  names.forEach((name, at) => { const one = make("option", "", name); one.value = at; select.append(one); });
  select.value = chosen;
}
function score(trial, at) { return data.scores[trial][at][+get("metric").value]; }
function choose() {
  const left = +get("left").value, right = +get("right").value, which = get("which").value;
  const words = get("words").value.toLowerCase().split(/\\s+/).filter(Boolean);
  const rows = []; let wins = 0, losses = 0;
  data.questions.forEach((question, at) => {
    const difference = score(right, at) - score(left, at);
    if (difference > 0) wins++; else if (difference < 0) losses++;
    const kind = difference > 0 ? "win" : difference < 0 ? "loss" : "tie";
    if (which !== "all" && which !== kind) return;
    const text = question[1].toLowerCase();
    if (words.every(word => text.includes(word))) rows.push([at, difference]);
  });
  rows.sort((one, other) => Math.abs(other[1]) - Math.abs(one[1]) || one[0] - other[0]);
  shown = rows; page = 0;
  get("tally").textContent = `${data.trials[right]} against ${data.trials[left]}: ${wins} wins, ${losses} losses, ` +
    `${data.questions.length - wins - losses} ties; ${rows.length} shown`;
  draw();
}
function passage(pair, name) {
  const one = make("div", name); one.append(make("cite", "", pair[0]), document.createTextNode(pair[1])); return one;
}
function fill(row, at) {
  const left = +get("left").value, right = +get("right").value, detail = data.details[at];
  if (!detail) { row.append(make("p", "note", "Passages are kept for the " + Object.keys(data.details).length +
    " questions that trials differ in most; the answer is in " + data.questions[at][3])); return; }
  row.append(make("p", "note", "Answer"));
  detail.answers.forEach(one => row.append(passage(one, "passage answer")));
  const sides = make("div", "sides");
  (left === right ? [left] : [left, right]).forEach(trial => {
    const side = make("div"); side.append(make("p", "note", data.trials[trial] + " found"));
    (detail.found[trial] || []).forEach(one => side.append(passage(one, "passage")));
    sides.append(side);
  });
  row.append(sides);
}
function draw() {
  const pages = Math.max(1, Math.ceil(shown.length / size)), rows = get("rows");
  page = Math.min(Math.max(0, page), pages - 1);
  rows.replaceChildren(...shown.slice(page * size, (page + 1) * size).map(([at, difference]) => {
    const [, text, kind] = data.questions[at], row = make("details", "row"), line = make("summary");
    const left = +get("left").value, right = +get("right").value, ask = make("span", "ask", text);
    if (kind) ask.append(make("span", "kind", "  " + kind));
    const sign = difference > 0 ? "▲ " : difference < 0 ? "▼ " : "";
    line.append(ask, make("span", "difference " + (difference > 0 ? "good" : difference < 0 ? "bad" : ""),
      `${sign}${score(left, at).toFixed(2)} → ${score(right, at).toFixed(2)}`));
    row.append(line);
    row.addEventListener("toggle", () => { if (row.open && row.children.length === 1) fill(row, at); });
    return row;
  }));
  get("page").textContent = `page ${page + 1} of ${pages}`;
  get("before").disabled = page === 0; get("after").disabled = page === pages - 1;
}
if (get("questions")) {
  option(get("left"), data.trials, 0); option(get("right"), data.trials, data.trials.length > 1 ? 1 : 0);
  option(get("metric"), data.metrics, 0);
  ["left", "right", "metric", "which"].forEach(id => get(id).addEventListener("change", choose));
  get("words").addEventListener("input", choose);
  get("before").addEventListener("click", () => { page--; draw(); });
  get("after").addEventListener("click", () => { page++; draw(); });
  choose();
}
"""
