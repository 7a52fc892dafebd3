// The document as its chunks: own text, what is borrowed, and every gap with its score.

import { byId, fill, h, plural, teach } from "./dom.js";
import { VirtualList } from "./virtual.js";

const ROLES = {
  heading: "heading",
  header: "table header",
  fence: "opening fence",
  key: "key cell",
  marker: "list marker",
  overlap: "overlap",
  summary: "summary",
  import: "imports",
  scope: "scope",
  docstring: "docstring",
};
const TINTS = 6;

export const leaves = (data) => data.chunks.filter((chunk) => !chunk.level);

export function tokenBar(chunk, settings) {
  const share = Math.min(1, chunk.tokens / settings.limit),
    target = Math.min(1, settings.target / settings.limit);
  return h(
    "span",
    { class: "bar-tokens", role: "img", "aria-label": `${chunk.tokens} of at most ${settings.limit} tokens` },
    h("span", { class: "bar-fill", style: { width: `${share * 100}%` } }),
    h("span", { class: "bar-target", style: { left: `${target * 100}%` } }),
  );
}

// The gaps of each chunk: index ranges into data.gaps.
export function gapRanges(data, chunks) {
  const ranges = [];
  let gap = 0;
  for (const chunk of chunks) {
    while (gap < data.gaps.length && data.gaps[gap].at < chunk.start) gap++;
    const first = gap;
    while (gap < data.gaps.length && data.gaps[gap].at < chunk.end) gap++;
    ranges.push([first, gap]);
  }
  return ranges;
}

function gapMark(data, index) {
  const gap = data.gaps[index];
  const text = `${gap.seam}, score ${gap.score.toFixed(2)}: ${gap.why}`;
  return h("button", {
    type: "button",
    class: `gap ${gap.state}`,
    tabIndex: -1,
    "data-tip": text,
    "aria-label": `Gap: ${text}`,
    style: { height: `${7 + Math.round(gap.score * 10)}px` },
  });
}

function ownText(data, chunk, range) {
  const parts = [];
  let at = chunk.start;
  for (let index = range[0]; index < range[1]; index++) {
    const gap = data.gaps[index];
    if (gap.at <= chunk.start) continue; // that one is the cut itself
    parts.push(data.text.slice(at, gap.at), gapMark(data, index));
    at = gap.at;
  }
  parts.push(data.text.slice(at, chunk.end));
  return parts;
}

export function chunkCard(data, chunk, index, range, extra = {}) {
  const gap = data.gaps[range[0]];
  const cut = gap && gap.at === chunk.start ? gap : null;
  const forced = cut?.state === "forced" ? "forced " : "";
  const seam = cut && chunk.seam !== "start" ? `${forced}${chunk.seam} ${cut.score.toFixed(2)}` : chunk.seam;
  return h(
    "article",
    {
      class: `chunk tint-${index % TINTS} ${extra.class || ""}`,
      "data-index": String(index),
      "aria-label": `Chunk ${index + 1}, ${plural(chunk.tokens, "token")}, ${chunk.path.join(", ")}`,
    },
    h(
      "div",
      { class: "chunk-head" },
      h("span", { class: "number" }, index + 1),
      tokenBar(chunk, data.settings),
      h("span", { class: "tokens" }, chunk.tokens),
      h("span", { class: "crumbs" }, chunk.path.join(" › ")),
      extra.badge && h("span", { class: "badge" }, extra.badge),
      !chunk.content && h("span", { class: "badge" }, "no content"),
      h("span", { class: "place" }, chunk.place),
      h(
        "button",
        {
          type: "button",
          class: `seam ${cut ? cut.state : ""}`,
          tabIndex: -1,
          "data-tip": chunk.why.join("\n"),
          "aria-label": `Why cut here: ${chunk.why.join(". ")}`,
        },
        "✂ ",
        seam,
      ),
    ),
    chunk.context.map((context) =>
      h(
        "div",
        { class: `borrowed role-${context.role}` },
        h("span", { class: "role" }, ROLES[context.role] || context.role),
        h(
          "span",
          { class: "text" },
          (data.text.slice(context.start, context.end) + context.added).replace(/\s+$/, ""),
        ),
      ),
    ),
    h("div", { class: "own" }, ownText(data, chunk, range)),
    chunk.closing.trim() &&
      h(
        "div",
        { class: "borrowed role-close" },
        h("span", { class: "role" }, "added"),
        h("span", { class: "text" }, chunk.closing.trim()),
      ),
  );
}

// About how high a card is, before it was seen.
export function guessHeight(data, chunk, width = 92) {
  const text = data.text.slice(chunk.start, chunk.end);
  let lines = 0;
  for (const line of text.split("\n")) lines += Math.max(1, Math.ceil(line.length / width));
  return 58 + lines * 21 + chunk.context.length * 26;
}

export function chunksView(app) {
  const { data, state } = app;
  const chunks = leaves(data);
  if (!chunks.length)
    return teach(
      "This document has no text",
      "A parser found nothing to cut. Its notices say why:",
      h(
        "ul",
        {},
        data.notices.map((notice) => h("li", {}, notice)),
      ),
    );
  const ranges = gapRanges(data, chunks);
  const list = new VirtualList({
    label: `Chunks of ${data.name}`,
    count: chunks.length,
    guess: (index) => guessHeight(data, chunks[index]),
    render: (index) =>
      chunkCard(data, chunks[index], index, ranges[index], {
        class: index === state.chunk ? "selected" : "",
      }),
  });
  const details = h("aside", { class: "details", "aria-label": "The chosen chunk", tabIndex: 0 });
  const select = (index, jump = true) => {
    if (index < 0 || index >= chunks.length) return;
    const before = state.chunk;
    app.set({ chunk: index });
    list.redraw(before);
    list.redraw(index);
    if (jump) list.scrollTo(index);
    showDetails(details, app, chunks, ranges, index);
    byId("status").textContent =
      `Chunk ${index + 1} of ${chunks.length}, ${plural(chunks[index].tokens, "token")}, ${chunks[index].path.join(", ")}`;
  };
  list.canvas.addEventListener("click", (event) => {
    const card = event.target.closest("[data-index]");
    if (card) select(Number(card.dataset.index), false);
  });
  app.onKey = (key) => {
    if (key === "j" || key === "ArrowDown") select(Math.min(state.chunk + 1, chunks.length - 1));
    else if (key === "k" || key === "ArrowUp") select(Math.max(state.chunk - 1, 0));
    else if (key === "Home") select(0);
    else if (key === "End") select(chunks.length - 1);
    else return false;
    return true;
  };
  app.afterMount = () => {
    state.chunk = Math.max(0, Math.min(state.chunk, chunks.length - 1));
    list.draw();
    if (state.chunk) list.scrollTo(state.chunk, true);
    showDetails(details, app, chunks, ranges, state.chunk);
  };
  return h("div", { class: "split" }, list.element, details);
}

function showDetails(panel, app, chunks, ranges, index) {
  const { data } = app,
    chunk = chunks[index];
  const gaps = data.gaps.slice(...ranges[index]);
  const borrowed = chunk.context.filter((context) => context.role !== "overlap");
  const overlap = chunk.context.filter((context) => context.role === "overlap");
  const size = (list) => list.reduce((sum, context) => sum + context.end - context.start, 0);
  fill(
    panel,
    h("h2", {}, `Chunk ${index + 1} of ${chunks.length}`),
    h(
      "ul",
      { class: "why" },
      chunk.why.map((line) => h("li", {}, line)),
    ),
    h(
      "dl",
      {},
      h("dt", {}, "Own text"),
      h("dd", {}, plural(chunk.end - chunk.start, "character")),
      h("dt", {}, "Borrowed"),
      h("dd", {}, borrowed.length ? plural(size(borrowed), "character") : "nothing"),
      h("dt", {}, "Overlap"),
      h("dd", {}, overlap.length ? plural(size(overlap), "character") : "none"),
      h("dt", {}, "Stands at"),
      h("dd", {}, chunk.place || "–"),
      h("dt", {}, "Id"),
      h("dd", { class: "id" }, chunk.id),
    ),
    h(
      "div",
      { class: "actions" },
      chunk.boxes.length > 0 &&
        h(
          "button",
          { type: "button", onclick: () => app.go({ view: "pages", page: chunk.boxes[0][0] }) },
          `Show on page ${chunk.boxes[0][0]}`,
        ),
      app.state.doc &&
        h(
          "button",
          { type: "button", onclick: () => app.go({ view: "search", why: chunk.id }) },
          "Why not found?",
        ),
      app.state.doc &&
        h("button", { type: "button", onclick: () => app.go({ view: "search", cite: chunk.id }) }, "History"),
    ),
    h("h3", {}, `${plural(gaps.length, "gap")} in it`),
    h("p", { class: "hint" }, "Where it could have been cut. A higher score is a better place."),
    h(
      "table",
      { class: "gaps" },
      h(
        "thead",
        {},
        h(
          "tr",
          {},
          ["score", "kind", "why"].map((name) => h("th", { scope: "col" }, name)),
        ),
      ),
      h(
        "tbody",
        {},
        gaps
          .slice(0, 200)
          .map((gap) =>
            h(
              "tr",
              { class: gap.state },
              h("td", {}, gap.score.toFixed(2)),
              h("td", {}, gap.seam),
              h("td", {}, gap.why),
            ),
          ),
      ),
    ),
    gaps.length > 200 && h("p", { class: "hint" }, `${gaps.length - 200} more are marked in the text.`),
  );
}
