// State, address and keys: the page around the views.

import { ask, byId, fill, h, plural, say, teach } from "./dom.js";
import { chunksView, leaves } from "./chunks.js";
import { compareView } from "./compare.js";
import { hideTip, showHelp, showTip } from "./help.js";
import { listsView, treeView } from "./lists.js";
import { pagesView } from "./pages.js";
import { searchView } from "./search.js";
import { FIELDS, parseSetting, SettingsPanel } from "./settings.js";

const VIEWS = {
  chunks: ["Chunks", chunksView],
  compare: ["Compare", compareView],
  lists: ["Lists", listsView],
  tree: ["Tree", treeView],
  pages: ["Pages", pagesView],
  search: ["Search", searchView],
};
const WORDS = ["view", "key", "doc", "query", "cite", "why"]; // parts of the state that are texts

// `a` and `b` are the recipes, as far as they are set.
const state = { view: "", key: "", doc: "", query: "", cite: "", why: "", chunk: 0, page: 1, a: {}, b: {} };

// What views get: `data` and `other` are the document cut by both recipes; a view sets `onKey`, `afterMount` and
// `focusSearch`; `wanted` is the id of a chunk to show when its document is there.
const app = {
  state,
  start: null,
  data: null,
  other: null,
  wanted: "",
  onKey: null,
  afterMount: null,
  focusSearch: null,
  set,
  go,
  settings,
};
let panel;

// The address holds the whole state, so that it can be kept and shared.
function readAddress() {
  const address = new URLSearchParams(location.search);
  const count = (name) => Math.max(1, Number.parseInt(address.get(name) || "1", 10) || 1);
  for (const name of WORDS) state[name] = address.get(name) || "";
  if (!Object.hasOwn(VIEWS, state.view)) state.view = "chunks";
  state.chunk = count("chunk") - 1;
  state.page = count("page");
  for (const side of ["a", "b"]) {
    const said = FIELDS.map((field) => [field, parseSetting(field, address.get(`${side}.${field}`) || "")]);
    state[side] = Object.fromEntries(said.filter(([, value]) => value !== ""));
  }
}

function writeAddress(push) {
  const address = new URLSearchParams();
  for (const name of WORDS)
    if (state[name] && (name !== "view" || state.view !== "chunks")) address.set(name, state[name]);
  if (state.chunk) address.set("chunk", state.chunk + 1);
  if (state.page > 1) address.set("page", state.page);
  for (const side of ["a", "b"])
    for (const [field, value] of Object.entries(state[side])) address.set(`${side}.${field}`, value);
  const url = `${location.pathname}${address.size ? `?${address}` : ""}`;
  if (url !== location.pathname + location.search)
    history[push ? "pushState" : "replaceState"](null, "", url);
}

function set(changes) {
  Object.assign(state, changes);
  writeAddress(false);
}

async function go(changes) {
  const before = `${state.doc}\n${state.key}`;
  Object.assign(state, changes);
  writeAddress(true);
  drawFrame();
  if (before !== `${state.doc}\n${state.key}`) await load();
  else mount();
}

function settings(changes) {
  Object.assign(state.a, changes);
  writeAddress(false);
  return load();
}

function drawFrame() {
  drawSources();
  drawTabs();
  panel.draw();
}

const opened = () => (state.doc ? { doc: state.doc } : state.key ? { key: state.key } : null);

// Cut the open document by both recipes, and keep the reader at the same place of the text.
async function load() {
  const source = opened();
  if (!source) {
    app.data = app.other = null;
    return mount();
  }
  const same = app.source === JSON.stringify(source);
  const place = same && app.data ? leaves(app.data)[state.chunk]?.start : undefined;
  say("Cutting…");
  document.body.setAttribute("aria-busy", "true");
  try {
    const begun = performance.now();
    const wantsOther = Object.keys(state.b).length > 0;
    const [data, other] = await Promise.all([
      ask("view", { ...source, recipe: state.a }, "view-a"),
      wantsOther ? ask("view", { ...source, recipe: state.b }, "view-b") : null,
    ]);
    Object.assign(app, { data, other, source: JSON.stringify(source) });
    const chunks = leaves(data);
    const sought = app.wanted
      ? chunks.findIndex((chunk) => chunk.id === app.wanted)
      : place !== undefined && chunks.findLastIndex((chunk) => chunk.start <= place);
    if (sought !== false) state.chunk = Math.max(0, sought);
    app.wanted = "";
    writeAddress(false);
    panel.draw();
    mount();
    const why = data.reasons.length ? ` (${data.reasons[0]})` : "";
    const time = Math.round(performance.now() - begun);
    say(`${data.name}: ${plural(chunks.length, "chunk")} by ${data.strategy}${why}, ${time} ms`);
  } catch (error) {
    if (error.name === "AbortError") return;
    if (app.data && same) return say(error.message, true); // the settings do not fit: what was cut before stays
    app.data = null;
    say("");
    fill(
      byId("main"),
      h(
        "section",
        { class: "empty", role: "alert" },
        h("h2", {}, "This did not work"),
        h("p", { class: "error" }, error.message),
      ),
    );
  } finally {
    document.body.removeAttribute("aria-busy");
  }
}

function mount() {
  app.onKey = app.afterMount = app.focusSearch = null;
  hideTip();
  document.title = app.data ? `${app.data.name} – Seamline inspector` : "Seamline inspector";
  const view = app.data || state.view === "search" ? VIEWS[state.view][1] : welcome;
  fill(byId("main"), view(app));
  app.afterMount?.();
}

function welcome() {
  return h(
    "section",
    { class: "empty drop" },
    h("h2", {}, "Drop a document here"),
    h(
      "p",
      {},
      "Markdown, PDF, web pages, Office files, source code, tables: anything that Seamline reads. ",
      "It stays on this machine.",
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
  const { files, index } = app.start;
  const chosen = state.doc ? `doc:${state.doc}` : `key:${state.key}`;
  const option = (value, text) => h("option", { value, selected: value === chosen }, text);
  const documents = index?.documents || [];
  fill(
    byId("source"),
    !opened() && h("option", { value: "" }, "no document"),
    files.map((file) => option(`key:${file.key}`, file.name)),
    documents.length > 0 &&
      h(
        "optgroup",
        { label: `index ${index.url}` },
        documents.map((one) => option(`doc:${one.doc}`, one.doc)),
      ),
  );
}

function drawTabs() {
  const tab = ([name, [title]], at) =>
    h(
      "button",
      {
        type: "button",
        "aria-current": name === state.view ? "page" : null,
        title: `${title} (${at + 1})`,
        onclick: () => go({ view: name }),
      },
      title,
    );
  fill(byId("tabs"), Object.entries(VIEWS).map(tab));
}

async function openFile(file) {
  if (!file) return;
  say(`Reading ${file.name}…`);
  try {
    const kept = await ask("drop", file);
    const others = app.start.files.filter((one) => !one.dropped || one.name !== kept.name);
    app.start.files = [...others, { ...kept, dropped: true }];
    const view = state.view === "search" ? "chunks" : state.view;
    await go({ key: kept.key, doc: "", view, chunk: 0, page: 1 });
  } catch (error) {
    say(error.message, true);
  }
}

function listen() {
  byId("open").addEventListener("click", () => byId("file").click());
  byId("file").addEventListener("change", (event) => {
    openFile(event.target.files[0]);
    event.target.value = "";
  });
  byId("source").addEventListener("change", (event) => {
    const [kind, name] = [event.target.value.slice(0, 3), event.target.value.slice(4)];
    go({ key: "", doc: "", [kind]: name, chunk: 0, page: 1 });
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
    drawFrame();
    load();
  });
  addEventListener("keydown", onKeyDown);
  byId("help-open").addEventListener("click", showHelp);
  for (const kind of ["mouseover", "focusin"]) addEventListener(kind, showTip);
  for (const kind of ["mouseout", "focusout", "scroll"]) addEventListener(kind, hideTip, true);
}

function onKeyDown(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
  const field = event.target.closest("input, select, textarea");
  if (event.key === "Escape") {
    hideTip();
    field?.blur();
  }
  if (field || event.key === "Escape") return;
  const views = Object.keys(VIEWS);
  const scrolls = event.target.closest(".details, .page") && event.key.startsWith("Arrow");
  if (event.key >= "1" && event.key <= String(views.length)) go({ view: views[Number(event.key) - 1] });
  else if (event.key === "?") showHelp();
  else if (event.key === "o") byId("file").click();
  else if (event.key === "/") {
    if (state.view !== "search") go({ view: "search" });
    app.focusSearch?.();
  } else if (scrolls || !app.onKey?.(event.key)) return;
  event.preventDefault();
}

async function begin() {
  readAddress();
  try {
    app.start = await ask("start");
  } catch (error) {
    fill(byId("main"), teach("The server does not answer", error.message));
    return;
  }
  const current = (side) => (side === "a" ? app.data : app.other)?.settings;
  const change = () => {
    writeAddress(false);
    load();
  };
  panel = new SettingsPanel(state, app.start.choices, current, change);
  listen();
  if (!opened() && app.start.files.length) state.key = app.start.files[0].key;
  drawFrame();
  await load();
}

begin();
