// Hints of marks, and the list of keys and colours.

import { byId, fill, h } from "./dom.js";

const KEYS = [
  ["j k ↓ ↑", "next and previous chunk, difference or page"],
  ["1 … 6", "views"],
  ["/", "search"],
  ["o", "open a file"],
  ["Esc", "leave a field, close a hint"],
];
const LEGEND = [
  ["sample own-sample", "own text: every character of the document is in exactly one chunk"],
  [
    "sample borrowed-sample",
    "borrowed: headings, table headers and fences, repeated so that the chunk can be read alone",
  ],
  ["sample overlap-sample", "overlap: the end of the chunk before, repeated"],
  ["gap open sample-gap", "a gap that was not cut; its height is its score"],
  ["gap forbidden sample-gap", "a gap that is never cut, as after a heading"],
];

// The hint of an element with `data-tip` below the pointer or in focus.
export function showTip(event) {
  const mark = event.target.closest?.("[data-tip]");
  if (!mark) return;
  const tip = byId("tooltip");
  tip.textContent = mark.dataset.tip;
  tip.hidden = false;
  const at = mark.getBoundingClientRect();
  const size = tip.getBoundingClientRect();
  const fitsBelow = at.bottom + size.height + 8 < innerHeight;
  tip.style.left = `${Math.max(8, Math.min(at.left, innerWidth - size.width - 8))}px`;
  tip.style.top = `${fitsBelow ? at.bottom + 6 : at.top - size.height - 6}px`;
}

export function hideTip() {
  byId("tooltip").hidden = true;
}

export function showHelp() {
  const dialog = byId("help");
  fill(
    dialog,
    h("h2", { id: "help-title" }, "Keys and colours"),
    h(
      "dl",
      { class: "keys" },
      KEYS.map(([key, meaning]) => [h("dt", {}, h("kbd", {}, key)), h("dd", {}, meaning)]),
    ),
    h(
      "ul",
      { class: "legend" },
      LEGEND.map(([sample, meaning]) => h("li", {}, h("span", { class: sample }), meaning)),
    ),
    h("button", { type: "button", onclick: () => dialog.close() }, "Close"),
  );
  dialog.showModal();
}
