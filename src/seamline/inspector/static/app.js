// State, address, settings, keys: the page around the views.

import { ask, byId, fill, h, plural, say, teach } from "./dom.js";
import { chunksView, leaves } from "./chunks.js";
import { compareView } from "./compare.js";
import { listsView, treeView } from "./lists.js";
import { pagesView } from "./pages.js";
import { searchView } from "./search.js";

const VIEWS = {
  chunks: ["Chunks", chunksView],
  compare: ["Compare", compareView],
  lists: ["Lists", listsView],
  tree: ["Tree", treeView],
  pages: ["Pages", pagesView],
  search: ["Search", searchView],
};
const FIELDS = [
  "preset",
  "strategy",
  "target",
  "limit",
  "floor",
  "overlap",
  "overlap_tokens",
  "sections",
  "packer",
  "tokenizer",
];
const NUMBERS = new Set(["target", "limit", "floor", "overlap_tokens"]);
const LABELS = { overlap_tokens: "overlap tokens" };
const FROM = {
  preset: "presets",
  strategy: "strategies",
  overlap: "overlaps",
  sections: "sections",
  packer: "packers",
  tokenizer: "tokenizers",
};
const PLAIN = ["view", "key", "doc", "query", "cite", "why"];

const state = {
  view: "chunks",
  key: "",
  doc: "",
  query: "",
  cite: "",
  why: "",
  chunk: 0,
  page: 1,
  a: {},
  b: {},
};
const app = {
  state,
  data: null,
  other: null,
  start: null,
  onKey: null,
  afterMount: null,
  focusSearch: null,
  set,
  go,
  settings,
};

// The address says all of the state, so that it can be kept and shared.
function readAddress() {
  const said = new URLSearchParams(location.search);
  for (const name of PLAIN) if (said.has(name)) state[name] = said.get(name);
  if (!VIEWS[state.view]) state.view = "chunks";
  state.chunk = Math.max(0, Number.parseInt(said.get("chunk") || "1", 10) - 1) || 0;
  state.page = Math.max(1, Number.parseInt(said.get("page") || "1", 10)) || 1;
  for (const side of ["a", "b"]) {
    state[side] = {};
    for (const field of FIELDS) {
      const value = said.get(`${side}.${field}`);
      if (value) state[side][field] = NUMBERS.has(field) ? Number.parseInt(value, 10) || 0 : value;
    }
  }
}

function writeAddress(push) {
  const said = new URLSearchParams();
  for (const name of PLAIN)
    if (state[name] && !(name === "view" && state.view === "chunks")) said.set(name, state[name]);
  if (state.chunk) said.set("chunk", state.chunk + 1);
  if (state.page > 1) said.set("page", state.page);
  for (const side of ["a", "b"])
    for (const [field, value] of Object.entries(state[side])) said.set(`${side}.${field}`, value);
  const address = `${location.pathname}${said.size ? `?${said}` : ""}`;
  if (address !== location.pathname + location.search)
    history[push ? "pushState" : "replaceState"](null, "", address);
}

function set(changes) {
  Object.assign(state, changes);
  writeAddress(false);
}

async function go(changes) {
  const another =
    (changes.doc !== undefined && changes.doc !== state.doc) ||
    (changes.key !== undefined && changes.key !== state.key);
  Object.assign(state, changes);
  writeAddress(true);
  drawSources();
  drawTabs();
  drawSettings();
  if (another) await load();
  else mount();
}

function settings(changes) {
  state.a = { ...state.a, ...changes };
  drawSettings();
  writeAddress(false);
  return load();
}

const opened = () => (state.doc ? { doc: state.doc } : state.key ? { key: state.key } : null);

// Cut the open document by both recipes, and keep the reader at the same place of the text.
async function load() {
  const source = opened();
  if (!source) {
    app.data = app.other = null;
    return mount();
  }
  const place = app.data && leaves(app.data)[state.chunk]?.start;
  const same = app.source === JSON.stringify(source);
  say("Cutting…");
  document.body.setAttribute("aria-busy", "true");
  try {
    const begun = performance.now();
    const wantsOther = Object.keys(state.b).length > 0;
    const [data, other] = await Promise.all([
      ask("view", { ...source, recipe: state.a }, "view-a"),
      wantsOther ? ask("view", { ...source, recipe: state.b }, "view-b") : null,
    ]);
    app.data = data;
    app.other = other;
    if (same && place !== undefined)
      state.chunk = Math.max(
        0,
        leaves(data).findLastIndex((chunk) => chunk.start <= place),
      );
    app.source = JSON.stringify(source);
    const chunks = leaves(data);
    mount();
    drawSettings();
    say(
      `${data.name}: ${plural(chunks.length, "chunk")} by ${data.strategy}${data.reasons.length ? ` (${data.reasons[0]})` : ""}, ${Math.round(performance.now() - begun)} ms`,
    );
  } catch (error) {
    if (error.name === "AbortError") return;
    say("");
    if (app.data && same) {
      say(error.message);
      byId("status").classList.add("error");
      setTimeout(() => byId("status").classList.remove("error"), 4000);
    } else {
      app.data = null;
      fill(
        byId("main"),
        h(
          "section",
          { class: "empty", role: "alert" },
          h("h2", {}, "This did not work"),
          h("p", { class: "error" }, error.message),
        ),
      );
    }
  } finally {
    document.body.removeAttribute("aria-busy");
  }
}

function mount() {
  app.onKey = app.afterMount = app.focusSearch = null;
  const main = byId("main");
  document.title = app.data ? `${app.data.name} – Seamline inspector` : "Seamline inspector";
  if (!app.data && state.view !== "search") fill(main, welcome());
  else {
    fill(main, VIEWS[state.view][1](app));
    app.afterMount?.();
  }
}

function welcome() {
  return h(
    "section",
    { class: "empty drop" },
    h("h2", {}, "Drop a document here"),
    h(
      "p",
      {},
      "Markdown, PDF, web pages, Office files, source code, tables: anything that Seamline reads. It stays on this machine.",
    ),
    h("button", { type: "button", class: "primary", onclick: () => byId("file").click() }, "Choose a file"),
    h(
      "ol",
      { class: "steps" },
      h("li", {}, "See where it is cut, and hover over a mark to learn why there and not elsewhere."),
      h("li", {}, "Change strategy, size and overlap above; the text follows."),
      h("li", {}, "Set a second recipe in Compare and read only the differences."),
    ),
  );
}

function drawSources() {
  const { files, index } = app.start,
    select = byId("source");
  const option = (value, text) =>
    h("option", { value, selected: value === (state.doc ? `doc:${state.doc}` : `key:${state.key}`) }, text);
  fill(
    select,
    !opened() && h("option", { value: "" }, "no document"),
    files.map((file) => option(`key:${file.key}`, file.name)),
    index?.documents.length
      ? h(
          "optgroup",
          { label: `index ${index.url}` },
          index.documents.map((one) => option(`doc:${one.doc}`, one.doc)),
        )
      : null,
  );
}

function drawTabs() {
  fill(
    byId("tabs"),
    Object.entries(VIEWS).map(([name, [title]], at) =>
      h(
        "button",
        {
          type: "button",
          "aria-current": name === state.view ? "page" : null,
          title: `${title} (${at + 1})`,
          onclick: () => go({ view: name }),
        },
        title,
      ),
    ),
  );
}

let waiting = 0;

function drawSettings() {
  const panel = byId("settings");
  if (state.view === "search") {
    panel.hidden = true;
    return;
  }
  panel.hidden = false;
  const sides = state.view === "compare" ? ["a", "b"] : ["a"];
  const focused = document.activeElement?.id;
  fill(
    panel,
    sides.map((side) => settingsRow(side)),
  );
  if (focused && byId(focused)) byId(focused).focus();
}

function settingsRow(side) {
  const now = (side === "a" ? app.data : app.other)?.settings || {};
  const changed = (field, raw) => {
    const value = NUMBERS.has(field) ? (raw === "" ? "" : Math.max(0, Number.parseInt(raw, 10) || 0)) : raw;
    if (value === "") delete state[side][field];
    else state[side][field] = value;
    writeAddress(false);
    clearTimeout(waiting);
    waiting = setTimeout(load, NUMBERS.has(field) ? 250 : 0);
  };
  const field = (name) => {
    const id = `${side}-${name}`,
      value = state[side][name] ?? "";
    const control = NUMBERS.has(name)
      ? h("input", {
          id,
          type: "number",
          min: "0",
          max: "100000",
          value: String(value),
          placeholder: String(now[name] ?? ""),
          oninput: (event) => changed(name, event.target.value),
        })
      : h(
          "select",
          { id, onchange: (event) => changed(name, event.target.value) },
          h(
            "option",
            { value: "" },
            name === "preset" ? "no preset" : now[name] && !state[side][name] ? `${now[name]}` : "default",
          ),
          app.start.choices[FROM[name]].map((one) =>
            h("option", { value: one, selected: one === value }, one),
          ),
        );
    return h(
      "label",
      { class: `field ${NUMBERS.has(name) ? "numeric" : ""}`, for: id },
      h("span", {}, LABELS[name] || name),
      control,
    );
  };
  return h(
    "form",
    {
      class: `recipe side-${side}`,
      "aria-label": `Recipe ${side.toUpperCase()}`,
      onsubmit: (event) => event.preventDefault(),
    },
    state.view === "compare" && h("strong", { class: "side-name" }, side.toUpperCase()),
    FIELDS.map(field),
    Object.keys(state[side]).length > 0 &&
      h(
        "button",
        {
          type: "button",
          class: "quiet",
          onclick: () => {
            state[side] = {};
            writeAddress(false);
            drawSettings();
            load();
          },
        },
        "Reset",
      ),
  );
}

async function openFile(file) {
  if (!file) return;
  say(`Reading ${file.name}…`);
  try {
    const kept = await ask("drop", file);
    app.start.files = [
      ...app.start.files.filter((one) => !one.dropped || one.name !== kept.name),
      { ...kept, dropped: true },
    ];
    await go({
      key: kept.key,
      doc: "",
      view: state.view === "search" ? "chunks" : state.view,
      chunk: 0,
      page: 1,
    });
  } catch (error) {
    say(error.message);
  }
}

function listen() {
  byId("open").addEventListener("click", () => byId("file").click());
  byId("file").addEventListener("change", (event) => {
    openFile(event.target.files[0]);
    event.target.value = "";
  });
  byId("source").addEventListener("change", (event) => {
    const value = event.target.value;
    go(
      value.startsWith("doc:")
        ? { doc: value.slice(4), key: "", chunk: 0, page: 1 }
        : { key: value.slice(4), doc: "", chunk: 0, page: 1 },
    );
  });
  addEventListener("dragover", (event) => {
    event.preventDefault();
    document.body.classList.add("dragging");
  });
  addEventListener("dragleave", (event) => {
    if (!event.relatedTarget) document.body.classList.remove("dragging");
  });
  addEventListener("drop", (event) => {
    event.preventDefault();
    document.body.classList.remove("dragging");
    openFile(event.dataTransfer.files[0]);
  });
  addEventListener("popstate", () => {
    readAddress();
    drawSources();
    drawTabs();
    drawSettings();
    load();
  });
  addEventListener("keydown", onKeyDown);
  byId("help-open").addEventListener("click", showHelp);
  for (const kind of ["mouseover", "focusin"]) addEventListener(kind, showTip);
  for (const kind of ["mouseout", "focusout", "scroll"])
    addEventListener(
      kind,
      () => {
        byId("tooltip").hidden = true;
      },
      true,
    );
}

function onKeyDown(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
  const typing = event.target.closest("input, select, textarea");
  if (event.key === "Escape") {
    byId("tooltip").hidden = true;
    if (typing) typing.blur();
    return;
  }
  if (typing) return;
  const views = Object.keys(VIEWS);
  if (event.key >= "1" && event.key <= String(views.length)) go({ view: views[Number(event.key) - 1] });
  else if (event.key === "?") showHelp();
  else if (event.key === "o") byId("file").click();
  else if (event.key === "/") {
    if (state.view !== "search") go({ view: "search" });
    app.focusSearch?.();
  } else if (event.target.closest(".details, .page") && event.key.startsWith("Arrow"))
    return; // these scroll by themselves
  else if (!app.onKey?.(event.key)) return;
  event.preventDefault();
}

function showTip(event) {
  const mark = event.target.closest?.("[data-tip]"),
    tip = byId("tooltip");
  if (!mark) return;
  tip.textContent = mark.dataset.tip;
  tip.hidden = false;
  const at = mark.getBoundingClientRect(),
    size = tip.getBoundingClientRect();
  tip.style.left = `${Math.max(8, Math.min(at.left, innerWidth - size.width - 8))}px`;
  tip.style.top = `${at.bottom + size.height + 8 < innerHeight ? at.bottom + 6 : at.top - size.height - 6}px`;
}

function showHelp() {
  const dialog = byId("help");
  const keys = [
    ["j k ↓ ↑", "next chunk, chunk before; next difference; next page"],
    ["1 … 6", "views"],
    ["/", "search"],
    ["o", "open a file"],
    ["Esc", "leave a field, close a hint"],
  ];
  fill(
    dialog,
    h("h2", { id: "help-title" }, "Keys and colours"),
    h(
      "dl",
      { class: "keys" },
      keys.map(([key, meaning]) => [h("dt", {}, h("kbd", {}, key)), h("dd", {}, meaning)]),
    ),
    h(
      "ul",
      { class: "legend" },
      h(
        "li",
        {},
        h("span", { class: "sample own-sample" }),
        "own text: every character of the document is in exactly one chunk",
      ),
      h(
        "li",
        {},
        h("span", { class: "sample borrowed-sample" }),
        "borrowed: headings, table headers and fences, repeated so that the chunk can be read alone",
      ),
      h(
        "li",
        {},
        h("span", { class: "sample overlap-sample" }),
        "overlap: the end of the chunk before, repeated",
      ),
      h(
        "li",
        {},
        h("span", { class: "gap open sample-gap" }),
        "a gap that was not cut; its height is its score",
      ),
      h(
        "li",
        {},
        h("span", { class: "gap forbidden sample-gap" }),
        "a gap that is never cut, as after a heading",
      ),
    ),
    h("button", { type: "button", onclick: () => dialog.close() }, "Close"),
  );
  dialog.showModal();
}

async function begin() {
  readAddress();
  listen();
  try {
    app.start = await ask("start");
  } catch (error) {
    fill(byId("main"), teach("The server does not answer", error.message));
    return;
  }
  if (!opened() && app.start.files.length) state.key = app.start.files[0].key;
  drawSources();
  drawTabs();
  drawSettings();
  await load();
}

begin();
