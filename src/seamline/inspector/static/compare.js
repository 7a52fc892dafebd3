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
  if (!app.other)
    return teach(
      "Two recipes side by side",
      "Set a second recipe in the row B above: another strategy, another size, another overlap.",
      "Chunks that both recipes cut alike are folded, so only the differences are left to read.",
    );
  const left = cutSide(app.data);
  const right = cutSide(app.other);
  const rows = align(left.chunks, right.chunks);
  const unfolded = new Set();
  const height = (side, indices) =>
    indices.reduce((sum, index) => sum + guessHeight(side.data, side.chunks[index], 44), 0);
  const list = new VirtualList({
    label: "Differences of two recipes",
    count: rows.length,
    width: "wide",
    guess: (at) =>
      rows[at].same ? 44 : Math.max(height(left, rows[at].left), height(right, rows[at].right)) + 24,
    render: (at) => (rows[at].same && !unfolded.has(at) ? renderFold(at) : renderPair(at)),
  });

  function renderFold(at) {
    const unfold = () => {
      unfolded.add(at);
      list.redraw(at);
    };
    const said = `${plural(rows[at].left.length, "chunk")} alike: ${numbers(rows[at].left)} and ${numbers(rows[at].right)}`;
    return h(
      "article",
      { class: "folded", "aria-label": said },
      h("button", { type: "button", onclick: unfold }, said),
    );
  }

  function renderPair(at) {
    const column = (name, side, other, indices) =>
      h(
        "div",
        { class: "side", role: "group", "aria-label": `Recipe ${name}` },
        indices.map((index) =>
          chunkCard(side.data, side.chunks[index], index, side.ranges[index], {
            badge: other.starts.has(side.chunks[index].start) ? "" : `only ${name} cuts here`,
          }),
        ),
      );
    return h(
      "article",
      { class: "pair", "aria-label": rows[at].same ? "Chunks alike" : "Difference" },
      column("A", left, right, rows[at].left),
      column("B", right, left, rows[at].right),
    );
  }

  const different = rows.flatMap((row, at) => (row.same ? [] : [at]));
  let position = -1;
  app.onKey = (key) => {
    const step = { j: 1, ArrowDown: 1, k: -1, ArrowUp: -1 }[key];
    if (!step || !different.length) return false;
    position = Math.max(0, Math.min(different.length - 1, position + step));
    list.scrollTo(different[position], true);
    return true;
  };
  app.afterMount = () => list.draw();
  return h("div", { class: "stack" }, summary(left, right, rows), list.element);
}

function cutSide(data) {
  const chunks = leaves(data);
  return {
    data,
    chunks,
    ranges: gapRanges(data, chunks),
    starts: new Set(chunks.map((chunk) => chunk.start)),
  };
}

function numbers(indices) {
  const [first, last] = [indices[0] + 1, indices[indices.length - 1] + 1];
  return first === last ? `${first}` : `${first}–${last}`;
}

function summary(left, right, rows) {
  const different = rows.filter((row) => !row.same).length;
  const alike = rows.filter((row) => row.same).reduce((sum, row) => sum + row.left.length, 0);
  const sizes = (name, chunks) => {
    const mean = chunks.reduce((sum, chunk) => sum + chunk.tokens, 0) / Math.max(1, chunks.length);
    return h(
      "p",
      {},
      h("strong", {}, name),
      ` ${plural(chunks.length, "chunk")}, mean ${plural(Math.round(mean), "token")}`,
    );
  };
  const said = different
    ? `${plural(different, "difference")}, ${plural(alike, "chunk")} alike`
    : "No difference: both recipes cut this document alike.";
  return h("div", { class: "summary" }, sizes("A", left.chunks), sizes("B", right.chunks), h("p", {}, said));
}
