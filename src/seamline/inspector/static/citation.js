// Beside the hits: what became of a citation, and why a chunk is not among the hits.

import { ask, complain, fill, h, plural } from "./dom.js";
import { pagePicture } from "./pages.js";

export class CitationPanel {
  constructor(app) {
    this.app = app;
    this.key = h("input", {
      id: "cite-key",
      value: app.state.cite,
      placeholder: "ID or ID@VERSION",
      autocomplete: "off",
      spellcheck: "false",
    });
    this.answer = h("div", { class: "cited", "aria-live": "polite" });
    const lookUp = (event) => {
      event.preventDefault();
      if (this.key.value.trim()) this.show(this.key.value.trim());
    };
    this.element = h(
      "section",
      {},
      h("h2", {}, "Citation"),
      h(
        "form",
        { class: "row", onsubmit: lookUp },
        h("label", { class: "field grow", for: "cite-key" }, "What did it say, and does it still?", this.key),
        h("button", {}, "Look up"),
      ),
      this.answer,
    );
  }

  async show(key) {
    this.key.value = key;
    this.app.set({ cite: key });
    try {
      fill(this.answer, await this.render(await ask("cite", { key })));
      this.element.scrollIntoView({ block: "nearest" });
    } catch (error) {
      complain(this.answer, error);
    }
  }

  async render(found) {
    const status = h("p", {}, h("span", { class: "badge" }, found.status), " ", found.explanation);
    if (!found.cited) return status;
    return [
      status,
      h("p", {}, h("strong", {}, found.cited.label)),
      await cutOut(found),
      found.diff.length ? renderDiff(found.diff) : h("blockquote", { class: "text" }, found.cited.quote),
      this.successors(found),
      h("h3", {}, plural(found.versions.length, "version")),
      h(
        "ol",
        { class: "versions" },
        found.versions.map((one) => h("li", { class: one.cited ? "current" : "" }, versionLine(one))),
      ),
    ];
  }

  successors(found) {
    if (found.status === "current" || !found.now.length) return null;
    const link = (one) =>
      h("button", { type: "button", onclick: () => this.show(`${one.id}@${one.version}`) }, one.label);
    return h("p", {}, "Cite from now on: ", found.now.map(link));
  }
}

const versionLine = (one) =>
  `version ${one.version}, ${one.indexed_at.replace("T", " ").slice(0, 19)}${one.cited ? ", cited here" : ""}`;

function renderDiff(runs) {
  const tags = { gone: "del", new: "ins" };
  return [
    h("h3", {}, "What changed"),
    h(
      "div",
      { class: "diff", tabIndex: 0, role: "region", "aria-label": "What changed" },
      runs.map(([kind, text]) => (kind === "same" ? text : h(tags[kind], {}, text))),
    ),
  ];
}

// The page that the passage stands on now, with its box.
async function cutOut(found) {
  const boxes = found.now[0]?.anchor.boxes || [];
  if (!boxes.length) return null;
  const page = boxes[0][0];
  const shown = boxes
    .filter((box) => box[0] === page)
    .map((box) => ({ box, class: "selected tint-0", label: "The cited passage" }));
  try {
    return (await pagePicture({ doc: found.now[0].doc }, page, shown)).figure;
  } catch (error) {
    if (error.name === "AbortError") throw error;
    return h("p", { class: "hint" }, error.message);
  }
}

export class WhyNotPanel {
  constructor(app, query, most) {
    Object.assign(this, { app, query, most });
    this.answer = h("div", { class: "answer", "aria-live": "polite" });
    this.chunk = h("select", {
      id: "why-chunk",
      onchange: () => this.chunk.value && this.show(this.chunk.value),
    });
    this.doc = h(
      "select",
      { id: "why-doc", onchange: () => this.list() },
      h("option", { value: "" }, "choose a document"),
      app.start.index.documents.map((one) => h("option", { value: one.doc }, one.doc)),
    );
    this.list();
    this.element = h(
      "section",
      {},
      h("h2", {}, "Why not this chunk?"),
      h("p", { class: "hint" }, "Choose the passage you expected. Its rank in each leg says what it lacked."),
      h(
        "div",
        { class: "row" },
        h("label", { class: "field", for: "why-doc" }, "Document", this.doc),
        h("label", { class: "field", for: "why-chunk" }, "Chunk", this.chunk),
      ),
      this.answer,
    );
  }

  async list() {
    const chunks = this.doc.value ? await ask("chunks", { doc: this.doc.value }) : [];
    const option = (one) =>
      h("option", { value: one.id }, `${one.place}: ${one.start.replace(/\s+/g, " ").slice(0, 60)}`);
    fill(this.chunk, h("option", { value: "" }, "choose a chunk"), chunks.map(option));
  }

  async show(id) {
    this.app.set({ why: id });
    if (!this.query()) return fill(this.answer, h("p", {}, "Ask a question first."));
    try {
      const found = await ask("why", { query: this.query(), id, k: this.most });
      fill(this.answer, renderWhyNot(found));
    } catch (error) {
      complain(this.answer, error);
    }
  }
}

function renderWhyNot(found) {
  const words = (list, kind) => list.map((word) => [h("span", { class: `word ${kind}` }, word), " "]);
  return [
    h("p", {}, h("strong", {}, found.label)),
    h(
      "ul",
      {},
      found.lines.map((line) => h("li", {}, line)),
    ),
    h(
      "p",
      {},
      found.lacks.length ? ["It lacks: ", words(found.lacks, "gone")] : "It has every word of the question.",
    ),
    found.has.length > 0 && h("p", {}, "It has: ", words(found.has, "new")),
  ];
}
