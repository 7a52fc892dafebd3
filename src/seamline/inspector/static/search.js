// Search: hits with the score of each leg, what each leg alone would have found, and a panel beside them for citations
// and chunks that were not found.

import { ask, complain, fill, h, plural, say, teach } from "./dom.js";
import { CitationPanel, WhyNotPanel } from "./citation.js";

const MOST_HITS = 10;

const spell = (value) => (value === undefined || value === null ? "–" : value.toFixed(2));

export function searchView(app) {
  const { state, start } = app;
  if (!start.index)
    return teach(
      "No index is open",
      "An index makes a folder searchable by meaning and by words. Make one, then start this page in the same folder:",
      h("pre", {}, "seamline index docs/\nseamline inspect --web"),
    );
  const hits = h("div", { class: "results" });
  const legs = h("section", { class: "legs" });
  const query = h("input", {
    type: "search",
    id: "query",
    value: state.query,
    placeholder: "What do you want to know?",
    autocomplete: "off",
  });
  const citation = new CitationPanel(app);
  const whyNot = new WhyNotPanel(app, () => query.value.trim(), MOST_HITS);
  const search = async (event) => {
    event?.preventDefault();
    app.set({ query: query.value });
    if (!query.value.trim())
      return fill(hits, h("p", { class: "hint" }, "Ask in plain words, or for an exact name or error code."));
    say("Searching…");
    try {
      const found = await ask("search", { query: query.value, k: MOST_HITS });
      fill(hits, renderHits(found, start.index.whole && hitActions(app, citation)));
      fill(legs, renderLegs(found));
      say(`${plural(found.hits.length, "hit")} for ${query.value}`);
      if (state.why) whyNot.show(state.why);
    } catch (error) {
      complain(hits, error);
    }
  };
  app.focusSearch = () => query.focus();
  app.afterMount = () => {
    if (!state.query && !state.cite) query.focus();
    search();
    if (state.cite) citation.show(state.cite);
  };
  const form = h(
    "form",
    { class: "row ask", role: "search", onsubmit: search },
    h("label", { class: "field grow", for: "query" }, "Question", query),
    h("button", { class: "primary" }, "Search"),
  );
  return h(
    "div",
    { class: "split search" },
    h("div", { class: "page", tabIndex: 0, role: "region", "aria-label": "Hits" }, form, hits),
    h(
      "aside",
      { class: "details", tabIndex: 0, "aria-label": "Citations and legs" },
      start.index.whole && [citation.element, whyNot.element],
      legs,
    ),
  );
}

function hitActions(app, citation) {
  const open = (hit) => {
    app.wanted = hit.id;
    app.go({ view: "chunks", doc: hit.doc, key: "" });
  };
  return (hit) =>
    h(
      "div",
      { class: "actions" },
      h(
        "button",
        { type: "button", onclick: () => citation.show(hit.key) },
        hit.boxes.length ? "Citation on its page" : "Citation and history",
      ),
      h("button", { type: "button", onclick: () => open(hit) }, "Open document"),
    );
}

function renderHits(found, actions) {
  const most = Math.max(1, ...found.hits.map((hit) => hit.why.bm25?.score || 0));
  const hit = (one) =>
    h(
      "li",
      { class: "hit" },
      h(
        "div",
        { class: "hit-head" },
        h("strong", {}, one.label),
        h(
          "span",
          { class: "score", title: "How likely it answers the question" },
          `${Math.round(one.score * 100)}%`,
        ),
      ),
      h(
        "p",
        { class: "text" },
        one.excerpt.map(([kind, text]) => (kind === "mark" ? h("mark", {}, text) : text)),
      ),
      legBars(one.why, most),
      one.duplicates.length > 0 && h("p", { class: "hint" }, `The same in ${one.duplicates.join("; ")}`),
      actions && actions(one),
    );
  return [
    found.notices.map((notice) => h("p", { class: "notice" }, notice)),
    h("ol", { class: "hits", "aria-label": "Hits" }, found.hits.map(hit)),
    !found.hits.length && h("p", {}, "Nothing was found."),
  ];
}

function legBars(why, most) {
  const bar = (name, share, text) =>
    h(
      "div",
      { class: "leg-bar" },
      h("span", {}, name),
      h(
        "span",
        { class: "track" },
        h("span", { class: "bar-fill", style: { width: `${clamp(share) * 100}%` } }),
      ),
      h("span", {}, text),
    );
  const rank = (leg) =>
    leg?.rank ? `${spell(leg.score)}, rank ${leg.rank}` : `${spell(leg?.score)}, not found by this leg`;
  return h(
    "div",
    { class: "leg-bars" },
    bar("meaning", why.dense?.score, rank(why.dense)),
    bar("words", (why.bm25?.score || 0) / most, rank(why.bm25)),
    bar("together", why.fused, fusion(why)),
  );
}

const clamp = (share) => Math.max(0, Math.min(1, share || 0));

// How the legs were put together.
function fusion(why) {
  const parts = [spell(why.fused)];
  if (why.weight !== undefined) {
    const meaning = Math.round(why.weight * 100);
    parts.push(`${meaning}% meaning and ${100 - meaning}% words`);
  }
  if (why.wording) parts.push(`wording +${spell(why.wording)}`);
  if (why.headings) parts.push(`headings +${spell(why.headings)}`);
  return parts.join(", ");
}

function renderLegs(found) {
  const leg = (title, rows) => [
    h("h3", {}, title),
    rows.length
      ? h(
          "ol",
          {},
          rows.map((row) => h("li", {}, h("span", { class: "score" }, spell(row.score)), " ", row.label)),
        )
      : h("p", { class: "hint" }, "nothing"),
  ];
  return [
    h("h2", {}, "Each leg alone"),
    leg("By meaning: similarity of vectors", found.dense),
    leg("By words: BM25", found.bm25),
  ];
}
