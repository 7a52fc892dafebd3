// The settings of one recipe or two, above the document.

import { byId, fill, h } from "./dom.js";

const CHOICES = {
  preset: "presets",
  strategy: "strategies",
  overlap: "overlaps",
  sections: "sections",
  packer: "packers",
  tokenizer: "tokenizers",
};
const NUMBERS = new Set(["target", "limit", "floor", "overlap_tokens"]);
export const FIELDS = [
  "preset",
  "strategy",
  "target",
  "limit",
  "floor",
  "overlap",
  "overlap_tokens",
  "sections",
  "breadcrumb",
  "packer",
  "tokenizer",
];
const TYPING = 250; // milliseconds without a key after which a number counts

// The text of the address or of a control as a value of the recipe; "" where it says nothing.
export function parseSetting(field, text) {
  if (text === "") return "";
  if (field === "breadcrumb") return text === "true";
  return NUMBERS.has(field) ? Math.max(0, Number.parseInt(text, 10) || 0) : text;
}

// `current(side)` are the settings that were used last; `change(side)` cuts anew.
export class SettingsPanel {
  constructor(state, choices, current, change) {
    Object.assign(this, { state, choices, current, change, sides: "" });
  }

  draw() {
    const { view } = this.state;
    const panel = byId("settings");
    panel.hidden = view === "search";
    const sides = view === "compare" ? "ab" : "a";
    if (this.sides !== sides) {
      this.sides = sides;
      fill(
        panel,
        [...sides].map((side) => this.row(side)),
      );
    }
    for (const side of sides) this.update(side);
  }

  row(side) {
    const reset = () => {
      this.state[side] = {};
      this.update(side);
      this.change();
    };
    return h(
      "form",
      {
        class: "recipe",
        "aria-label": `Recipe ${side.toUpperCase()}`,
        onsubmit: (event) => event.preventDefault(),
      },
      this.sides === "ab" && h("strong", { class: "side-name" }, side.toUpperCase()),
      FIELDS.map((field) => this.control(side, field)),
      h("button", { type: "button", class: "quiet", id: `${side}-reset`, onclick: reset }, "Reset"),
    );
  }

  control(side, field) {
    const id = `${side}-${field}`;
    const change = (event) => {
      const value = parseSetting(field, event.target.value);
      if (value === "") delete this.state[side][field];
      else this.state[side][field] = value;
      clearTimeout(this.waiting);
      this.waiting = setTimeout(() => this.change(), NUMBERS.has(field) ? TYPING : 0);
    };
    const options = field === "breadcrumb" ? ["true", "false"] : this.choices[CHOICES[field]];
    const control = NUMBERS.has(field)
      ? h("input", { id, type: "number", min: "0", max: "100000", oninput: change })
      : h(
          "select",
          { id, onchange: change },
          h("option", { value: "" }),
          options.map((value) => h("option", { value }, spell(value))),
        );
    return h("label", { class: "field", for: id }, h("span", {}, field.replace("_", " ")), control);
  }

  // What is set, and beside it what holds where nothing is set. A control that is in use is left alone.
  update(side) {
    const set = this.state[side];
    const current = this.current(side) || {};
    for (const field of FIELDS) {
      const control = byId(`${side}-${field}`);
      const isSet = set[field] !== undefined;
      const holds = current[field] === undefined || isSet ? "" : spell(String(current[field]));
      control.classList.toggle("set", isSet);
      if (NUMBERS.has(field)) control.placeholder = holds;
      else control.options[0].textContent = field === "preset" ? "no preset" : holds || "default";
      const value = isSet ? String(set[field]) : "";
      if (document.activeElement !== control && control.value !== value) control.value = value;
    }
    byId(`${side}-reset`).hidden = !Object.keys(set).length;
  }
}

const spell = (value) => ({ true: "yes", false: "no" })[value] ?? value;
