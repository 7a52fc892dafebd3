// Two recipes side by side: rows that both cut alike are folded, the others stand beside each other.

import { h, plural, teach } from "./dom.js";
import { chunkCard, gapRanges, guessHeight, leaves } from "./chunks.js";
import { VirtualList } from "./virtual.js";

const MOST = 12; // chunks of one row; where recipes never meet, rows end anyway

// Rows between the places where both recipes start a chunk.
export function align(left, right) {
  const rows = [];
  let i = 0,
    j = 0;
  while (i < left.length || j < right.length) {
    const row = { left: [], right: [] };
    do {
      const a = left[i],
        b = right[j];
      if (!b || (a && a.end <= b.end)) {
        row.left.push(i++);
        if (b && a.end === b.end) row.right.push(j++);
      } else row.right.push(j++);
      const meets = (left[i]?.start ?? -1) === (right[j]?.start ?? -1);
      if (meets || row.left.length >= MOST || row.right.length >= MOST) break;
    } while (i < left.length || j < right.length);
    row.same =
      row.left.length === 1 &&
      row.right.length === 1 &&
      left[row.left[0]].start === right[row.right[0]].start &&
      left[row.left[0]].end === right[row.right[0]].end;
    rows.push(row);
  }
  return fold(rows);
}

function fold(rows) {
  const out = [];
  for (const row of rows) {
    const last = out[out.length - 1];
    if (row.same && last?.same) {
      last.left.push(...row.left);
      last.right.push(...row.right);
    } else out.push(row);
  }
  return out;
}

export function compareView(app) {
  const { data, other } = app;
  if (!other)
    return teach(
      "Two recipes side by side",
      "Set a second recipe in the row B above: another strategy, another size, another overlap.",
      "Chunks that both recipes cut alike are folded, so only the differences are left to read.",
    );
  const left = leaves(data),
    right = leaves(other);
  const rows = align(left, right);
  const ranges = [gapRanges(data, left), gapRanges(other, right)];
  const different = rows.filter((row) => !row.same).length;
  const same = rows.filter((row) => row.same).reduce((sum, row) => sum + row.left.length, 0);
  const open = new Set();
  const list = new VirtualList({
    label: "Differences of two recipes",
    count: rows.length,
    width: "wide",
    guess: (index) =>
      rows[index].same
        ? 44
        : Math.max(
            rows[index].left.reduce((sum, at) => sum + guessHeight(data, left[at], 44), 0),
            rows[index].right.reduce((sum, at) => sum + guessHeight(other, right[at], 44), 0),
          ) + 24,
    render: (index) => renderRow(index),
  });

  function renderRow(index) {
    const row = rows[index];
    if (row.same && !open.has(index)) {
      return h(
        "article",
        { class: "folded", "aria-label": `${row.left.length} chunks are the same` },
        h(
          "button",
          {
            type: "button",
            onclick: () => {
              open.add(index);
              list.redraw(index);
            },
          },
          `${plural(row.left.length, "chunk")} the same: ${row.left[0] + 1}–${row.left[row.left.length - 1] + 1} and ${row.right[0] + 1}–${row.right[row.right.length - 1] + 1}`,
        ),
      );
    }
    return h(
      "article",
      { class: "pair", "aria-label": `Difference ${index + 1}` },
      h(
        "div",
        { class: "side" },
        row.left.map((at) => chunkCard(data, left[at], at, ranges[0][at])),
      ),
      h(
        "div",
        { class: "side" },
        row.right.map((at) => chunkCard(other, right[at], at, ranges[1][at])),
      ),
    );
  }

  const differing = rows.map((row, index) => (row.same ? -1 : index)).filter((index) => index >= 0);
  let at = -1;
  app.onKey = (key) => {
    if (!differing.length || !["j", "k", "ArrowDown", "ArrowUp"].includes(key)) return false;
    at = Math.max(0, Math.min(differing.length - 1, at + (key === "j" || key === "ArrowDown" ? 1 : -1)));
    list.scrollTo(differing[at], true);
    return true;
  };
  app.afterMount = () => list.draw();
  const mean = (chunks) =>
    Math.round(chunks.reduce((sum, chunk) => sum + chunk.tokens, 0) / Math.max(1, chunks.length));
  return h(
    "div",
    { class: "stack" },
    h(
      "div",
      { class: "summary" },
      h("p", {}, h("strong", {}, "A "), `${plural(left.length, "chunk")}, ${mean(left)} tokens in the mean`),
      h(
        "p",
        {},
        h("strong", {}, "B "),
        `${plural(right.length, "chunk")}, ${mean(right)} tokens in the mean`,
      ),
      h(
        "p",
        {},
        different
          ? `${plural(different, "difference")}; ${plural(same, "chunk")} the same`
          : "No difference: both recipes cut this document alike.",
      ),
    ),
    list.element,
  );
}
