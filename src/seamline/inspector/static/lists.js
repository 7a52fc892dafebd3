// What deserves a look: sizes, the smallest, those without content, duplicates; and the tree of chunks.

import { h, plural, teach } from "./dom.js";
import { leaves, tokenBar } from "./chunks.js";

const MOST = 50;

const firstWords = (data, chunk) =>
  data.text
    .slice(chunk.start, chunk.start + 160)
    .replace(/\s+/g, " ")
    .trim()
    .slice(0, 90);

function entry(app, index) {
  const { data } = app,
    chunk = leaves(data)[index];
  return h(
    "li",
    {},
    h(
      "button",
      { type: "button", class: "entry", onclick: () => app.go({ view: "chunks", chunk: index }) },
      h("span", { class: "number" }, index + 1),
      tokenBar(chunk, data.settings),
      h("span", { class: "tokens" }, chunk.tokens),
      h("span", { class: "words" }, firstWords(data, chunk)),
    ),
  );
}

function block(app, title, hint, indices, nothing) {
  return h(
    "section",
    { class: "block" },
    h("h2", {}, title),
    h("p", { class: "hint" }, hint),
    indices.length
      ? h(
          "ol",
          { class: "entries" },
          indices.slice(0, MOST).map((index) => entry(app, index)),
        )
      : h("p", {}, nothing),
    indices.length > MOST && h("p", { class: "hint" }, `and ${indices.length - MOST} more`),
  );
}

function histogram(data, chunks) {
  const limit = data.settings.limit,
    buckets = new Array(16).fill(0);
  for (const chunk of chunks) buckets[Math.min(15, Math.floor((chunk.tokens / (limit + 1)) * 16))]++;
  const most = Math.max(...buckets, 1);
  return h(
    "div",
    {
      class: "histogram",
      role: "img",
      "aria-label": `Sizes of chunks: ${buckets.map((count, at) => `${count} up to ${Math.round(((at + 1) * limit) / 16)} tokens`).join(", ")}`,
    },
    buckets.map((count, at) =>
      h(
        "div",
        { class: "bucket", title: `${count} up to ${Math.round(((at + 1) * limit) / 16)} tokens` },
        h("div", { class: "column", style: { height: `${(count / most) * 72}px` } }),
        h("div", { class: "tick" }, at % 4 === 3 ? Math.round(((at + 1) * limit) / 16) : ""),
      ),
    ),
  );
}

export function listsView(app) {
  const { data } = app,
    chunks = leaves(data);
  const order = chunks.map((_, index) => index);
  const smallest = order.toSorted((a, b) => chunks[a].tokens - chunks[b].tokens).slice(0, 10);
  const sum = chunks.reduce((total, chunk) => total + chunk.tokens, 0);
  return h(
    "div",
    { class: "page lists", tabIndex: 0, role: "region", "aria-label": "Lists" },
    h(
      "section",
      { class: "block" },
      h("h2", {}, "Sizes"),
      h(
        "p",
        { class: "hint" },
        `${plural(chunks.length, "chunk")}, ${plural(sum, "token")}, target ${data.settings.target}, limit ${data.settings.limit}`,
      ),
      histogram(data, chunks),
    ),
    block(
      app,
      "Smallest",
      "Often a heading with one line. A floor merges them with a neighbour.",
      smallest,
      "There are no chunks.",
    ),
    block(
      app,
      "Without content",
      "Nothing but headings, markup or links: a search does not show them alone.",
      order.filter((index) => !chunks[index].content),
      "Every chunk has content of its own.",
    ),
    h(
      "section",
      { class: "block" },
      h("h2", {}, "Duplicates"),
      h("p", { class: "hint" }, "Chunks that say the same, white space aside."),
      data.duplicates.length
        ? data.duplicates.slice(0, MOST).map((group) =>
            h(
              "ol",
              { class: "entries group" },
              group.slice(0, 10).map((index) => entry(app, index)),
            ),
          )
        : h("p", {}, "No two chunks are the same."),
    ),
    data.notices.length > 0 &&
      h(
        "section",
        { class: "block" },
        h("h2", {}, "Notices"),
        h(
          "ul",
          {},
          data.notices.map((notice) => h("li", {}, notice)),
        ),
      ),
  );
}

export function treeView(app) {
  const { data } = app;
  const above = data.chunks.filter((chunk) => chunk.level);
  if (!above.length)
    return teach(
      "There is no tree",
      "The strategy hierarchical groups chunks into sections of several levels. A search can then show a whole section where many of its chunks were hit.",
      h(
        "button",
        { type: "button", onclick: () => app.settings({ strategy: "hierarchical" }) },
        "Cut hierarchically",
      ),
    );
  const byId = new Map(data.chunks.map((chunk) => [chunk.id, chunk]));
  const positions = new Map(leaves(data).map((chunk, index) => [chunk.id, index]));
  const inner = new Set(data.chunks.flatMap((chunk) => chunk.children));
  const node = (chunk) => {
    if (positions.has(chunk.id) && !chunk.level) return entry(app, positions.get(chunk.id));
    const children = h("ul", {});
    const grow = () => {
      if (!children.childElementCount) children.append(...chunk.children.map((id) => node(byId.get(id))));
    };
    const details = h(
      "details",
      { ontoggle: grow },
      h(
        "summary",
        {},
        h("span", { class: "level" }, `level ${chunk.level}`),
        " ",
        chunk.path.join(" › ") || data.title || data.name,
        h(
          "span",
          { class: "hint" },
          ` ${plural(chunk.tokens, "token")}, ${plural(chunk.children.length, "part")}`,
        ),
      ),
      children,
    );
    return h("li", {}, details);
  };
  const tops = data.chunks
    .filter((chunk) => !inner.has(chunk.id))
    .sort((a, b) => a.start - b.start || b.level - a.level);
  const tree = h("ul", { class: "tree" }, tops.map(node));
  app.afterMount = () => {
    for (const details of tree.querySelectorAll(":scope > li > details")) details.open = true;
  };
  return h(
    "div",
    { class: "page", tabIndex: 0, role: "region", "aria-label": "Tree of chunks" },
    h("h2", {}, `${plural(above.length, "section")} above ${plural(positions.size, "chunk")}`),
    tree,
  );
}
