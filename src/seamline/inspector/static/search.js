// Search with both legs, why a chunk is not among the hits, and what became of a citation.

import { ask, fill, h, plural, say, teach } from "./dom.js";
import { pagePicture } from "./pages.js";

const number = (value) => (value === undefined || value === null ? "–" : value.toFixed(2));

export function searchView(app) {
  const { state, start } = app;
  if (!start.index)
    return teach(
      "No index is open",
      "An index makes a folder searchable by meaning and by words. Make one in a terminal, then start this page in the same folder:",
      h("pre", {}, "seamline index docs/\nseamline inspect --web"),
    );
  const results = h("div", { class: "results" }),
    cited = h("div", { class: "cited" }),
    why = h("div", { class: "why-not" });
  const query = h("input", {
    type: "search",
    id: "query",
    value: state.query || "",
    placeholder: "What do you want to know?",
    autocomplete: "off",
  });
  const run = async (event) => {
    event?.preventDefault();
    app.set({ query: query.value });
    if (!query.value.trim()) return;
    say("Searching…");
    try {
      const found = await ask("search", { query: query.value, k: 10 });
      fill(results, renderResults(app, found, showCitation, start.index.whole ? showWhy : null));
      say(`${plural(found.hits.length, "hit")} for ${query.value}`);
      if (start.index.whole) drawWhy();
    } catch (error) {
      complain(results, error);
    }
  };
  const showCitation = async (key) => {
    app.set({ cite: key });
    try {
      fill(cited, await renderHistory(await ask("cite", { key }), showCitation));
      cited.scrollIntoView({ block: "nearest" });
    } catch (error) {
      complain(cited, error);
    }
  };
  const showWhy = async (id) => {
    app.set({ why: id });
    if (!query.value.trim()) {
      fill(
        why.querySelector(".answer") || why,
        h("p", {}, "Ask something first: a chunk is only found or not found for a question."),
      );
      return;
    }
    try {
      fill(why.querySelector(".answer"), renderWhy(await ask("why", { query: query.value, id, k: 10 })));
    } catch (error) {
      complain(why.querySelector(".answer"), error);
    }
  };
  const drawWhy = () => {
    const chunk = h(
      "select",
      { id: "why-chunk", onchange: () => chunk.value && showWhy(chunk.value) },
      h("option", { value: "" }, "choose a chunk"),
    );
    const list = async (doc) => {
      fill(chunk, h("option", { value: "" }, "choose a chunk"));
      if (!doc) return;
      for (const one of await ask("chunks", { doc }))
        chunk.append(
          h(
            "option",
            { value: one.id },
            `${one.label.slice(-60)}: ${one.start.replace(/\s+/g, " ").slice(0, 50)}`,
          ),
        );
    };
    const doc = h(
      "select",
      { id: "why-doc", onchange: () => list(doc.value) },
      h("option", { value: "" }, "choose a document"),
      start.index.documents.map((one) => h("option", { value: one.doc }, one.doc)),
    );
    fill(
      why,
      h("h2", {}, "Why not this chunk?"),
      h("p", { class: "hint" }, "Choose the passage you expected. Its rank in each leg says what it lacked."),
      h(
        "div",
        { class: "row" },
        h("label", { class: "field" }, "Document", doc),
        h("label", { class: "field" }, "Chunk", chunk),
      ),
      h("div", { class: "answer" }),
    );
    if (state.why) showWhy(state.why);
  };
  const key = h("input", {
    id: "cite-key",
    value: state.cite || "",
    placeholder: "ID or ID@VERSION",
    autocomplete: "off",
    spellcheck: "false",
  });
  app.onKey = () => false;
  app.focusSearch = () => query.focus();
  app.afterMount = () => {
    if (!state.query && !state.cite) query.focus();
    run();
    if (state.cite) showCitation(state.cite);
    if (state.why && !state.query) drawWhy();
  };
  return h(
    "div",
    { class: "page search", tabIndex: 0, role: "region", "aria-label": "Search" },
    h(
      "form",
      { class: "row ask", role: "search", onsubmit: run },
      h("label", { class: "field grow", for: "query" }, "Question", query),
      h("button", {}, "Search"),
    ),
    results,
    why,
    start.index.whole &&
      h(
        "form",
        {
          class: "row ask",
          onsubmit: (event) => {
            event.preventDefault();
            if (key.value.trim()) showCitation(key.value.trim());
          },
        },
        h("label", { class: "field grow", for: "cite-key" }, "Citation", key),
        h("button", {}, "Look up"),
      ),
    cited,
  );
}

function complain(panel, error) {
  if (error.name !== "AbortError") fill(panel, h("p", { class: "error", role: "alert" }, error.message));
}

function renderResults(app, found, showCitation, showWhy) {
  const leg = (title, hint, rows) =>
    h(
      "section",
      { class: "leg" },
      h("h3", {}, title),
      h("p", { class: "hint" }, hint),
      h(
        "ol",
        {},
        rows.map((row) => h("li", {}, h("span", { class: "score" }, number(row.score)), " ", row.label)),
      ),
    );
  const most = Math.max(1, ...found.hits.map((hit) => hit.why.bm25?.score || 0));
  return [
    found.notices.map((notice) => h("p", { class: "notice" }, notice)),
    h(
      "ol",
      { class: "hits" },
      found.hits.map((hit) =>
        h(
          "li",
          { class: "hit" },
          h(
            "div",
            { class: "hit-head" },
            h("strong", {}, hit.label),
            h("span", { class: "score", title: "How likely it answers" }, `answers: ${number(hit.score)}`),
          ),
          legBars(hit.why, most),
          h("p", { class: "text" }, hit.text.slice(0, 600)),
          hit.duplicates.length > 0 && h("p", { class: "hint" }, `The same in ${hit.duplicates.join("; ")}`),
          showWhy &&
            h(
              "div",
              { class: "actions" },
              h(
                "button",
                { type: "button", class: "cite", onclick: () => showCitation(hit.key) },
                "Citation and history",
              ),
              h(
                "button",
                {
                  type: "button",
                  onclick: () => app.go({ view: "chunks", doc: hit.doc, key: "", chunk: 0 }),
                },
                "Open document",
              ),
            ),
        ),
      ),
    ),
    !found.hits.length && h("p", {}, "Nothing was found."),
    h(
      "details",
      { class: "legs", open: true },
      h("summary", {}, "What each leg alone would have found"),
      h(
        "div",
        { class: "row" },
        leg("By meaning", "similarity of vectors", found.dense),
        leg("By words", "BM25", found.bm25),
      ),
    ),
  ];
}

function legBars(why, most) {
  const bar = (name, value, text) =>
    h(
      "div",
      { class: "leg-bar" },
      h("span", { class: "name" }, name),
      h(
        "span",
        { class: "track" },
        h("span", { class: "bar-fill", style: { width: `${Math.max(0, Math.min(1, value || 0)) * 100}%` } }),
      ),
      h("span", { class: "value" }, text),
    );
  const rank = (leg) =>
    leg
      ? `${leg.score.toFixed(2)}${leg.rank ? `, rank ${leg.rank}` : ", not found by this leg"}`
      : "not found by this leg";
  const weight = why.weight === undefined ? null : why.weight;
  return h(
    "div",
    { class: "leg-bars" },
    bar("meaning", why.dense?.score, rank(why.dense)),
    bar("words", why.bm25 ? why.bm25.score / most : 0, rank(why.bm25)),
    bar(
      "together",
      why.fused,
      `${number(why.fused)}${weight === null ? "" : `: ${Math.round(weight * 100)}% meaning, ${Math.round((1 - weight) * 100)}% words`}${why.wording ? `, wording +${number(why.wording)}` : ""}`,
    ),
  );
}

function renderWhy(answer) {
  return [
    h("p", {}, h("strong", {}, answer.label)),
    h(
      "ul",
      {},
      answer.lines.map((line) => h("li", {}, line)),
    ),
    h(
      "p",
      {},
      answer.lacks.length
        ? ["It lacks: ", answer.lacks.map((word) => h("span", { class: "word gone" }, word))]
        : "It has every word of the question.",
    ),
    answer.has.length > 0 &&
      h(
        "p",
        {},
        "It has: ",
        answer.has.map((word) => h("span", { class: "word new" }, word)),
      ),
  ];
}

async function renderHistory(found, showCitation) {
  const parts = [
    h("h2", {}, "Citation"),
    h("p", {}, h("span", { class: `badge status-${found.status}` }, found.status), " ", found.explanation),
  ];
  if (!found.cited) return parts;
  parts.push(h("p", {}, h("strong", {}, found.cited.label)));
  if (found.diff.length)
    parts.push(
      h("h3", {}, "What changed"),
      h(
        "p",
        { class: "diff", tabIndex: 0, role: "region", "aria-label": "Difference" },
        found.diff.map(([kind, text]) =>
          kind === "same" ? text : h(kind === "gone" ? "del" : "ins", {}, text),
        ),
      ),
    );
  else parts.push(h("blockquote", { class: "text" }, found.cited.quote));
  if (found.now.length && found.status !== "current")
    parts.push(
      h(
        "p",
        {},
        "Cite from now on: ",
        found.now.map((one) =>
          h("button", { type: "button", onclick: () => showCitation(`${one.id}@${one.version}`) }, one.label),
        ),
      ),
    );
  parts.push(
    h("h3", {}, plural(found.versions.length, "version")),
    h(
      "ol",
      { class: "versions" },
      found.versions.map((one) =>
        h(
          "li",
          { class: one.cited ? "current" : "" },
          `version ${one.version}, ${one.indexed_at.replace("T", " ").slice(0, 19)}${one.cited ? " – cited here" : ""}`,
        ),
      ),
    ),
  );
  const boxes = found.cited.anchor.boxes || [];
  if (boxes.length) {
    const page = boxes[0][0];
    try {
      const drawn = await pagePicture(
        { doc: found.doc },
        page,
        boxes
          .filter((box) => box[0] === page)
          .map(([, left, top, right, bottom]) => ({
            left,
            top,
            right,
            bottom,
            class: "selected tint-0",
            label: "The cited passage",
          })),
      );
      parts.push(h("h3", {}, `Page ${page} of the file as it is now`), drawn.figure);
    } catch (error) {
      if (error.name === "AbortError") throw error;
      parts.push(h("p", { class: "hint" }, error.message));
    }
  }
  return parts;
}
