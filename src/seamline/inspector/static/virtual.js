// A list of thousands of items of which only those in sight are elements. Heights are guessed, then measured.

import { h } from "./dom.js";

const BEYOND = 600; // pixels above and below the window that are rendered as well

export class VirtualList {
  constructor({ label, count, guess, render, width = "" }) {
    this.count = count;
    this.render = render;
    this.heights = Float64Array.from({ length: count }, (_, index) => guess(index));
    this.measured = new Uint8Array(count);
    this.tops = new Float64Array(count + 1);
    this.shown = new Map();
    this.canvas = h("div", { class: "canvas", role: "feed", "aria-label": label });
    this.element = h(
      "div",
      { class: `scroller ${width}`, tabIndex: 0, role: "region", "aria-label": label },
      this.canvas,
    );
    this.element.addEventListener("scroll", () => this.later(), { passive: true });
    this.observer = new ResizeObserver(() => {
      this.measured.fill(0);
      this.later();
    });
    this.observer.observe(this.element);
    this.sum();
  }

  sum() {
    for (let index = 0; index < this.count; index++)
      this.tops[index + 1] = this.tops[index] + this.heights[index];
    this.canvas.style.height = `${this.tops[this.count]}px`;
  }

  later() {
    if (this.waiting) return;
    this.waiting = requestAnimationFrame(() => {
      this.waiting = 0;
      this.draw();
    });
  }

  indexAt(y) {
    let low = 0,
      high = this.count - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.tops[middle] <= y) low = middle;
      else high = middle - 1;
    }
    return Math.max(low, 0);
  }

  draw() {
    if (!this.element.isConnected || !this.count) return;
    for (let round = 0; round < 4; round++) {
      const top = this.element.scrollTop,
        bottom = top + this.element.clientHeight;
      const first = this.indexAt(top - BEYOND),
        last = this.indexAt(bottom + BEYOND);
      for (const [index, element] of this.shown) {
        if (index < first || index > last) {
          element.remove();
          this.shown.delete(index);
        }
      }
      for (let index = first; index <= last; index++) {
        if (this.shown.has(index)) continue;
        const element = this.render(index);
        element.classList.add("item");
        element.setAttribute("aria-posinset", index + 1);
        element.setAttribute("aria-setsize", this.count);
        const after = [...this.shown.keys()].filter((other) => other > index).sort((a, b) => a - b)[0];
        this.canvas.insertBefore(element, after === undefined ? null : this.shown.get(after)); // in reading order
        this.shown.set(index, element);
        this.measured[index] = 0;
      }
      // What is above the window and turns out higher or lower must not move what is read.
      const anchor = this.indexAt(top);
      let changed = false,
        moved = 0;
      for (const [index, element] of this.shown) {
        if (this.measured[index]) continue;
        const height = element.offsetHeight;
        this.measured[index] = 1;
        if (Math.abs(height - this.heights[index]) < 0.5) continue;
        if (index < anchor) moved += height - this.heights[index];
        this.heights[index] = height;
        changed = true;
      }
      if (changed) this.sum();
      for (const [index, element] of this.shown)
        element.style.transform = `translateY(${this.tops[index]}px)`;
      if (moved) this.element.scrollTop = top + moved;
      if (!changed) break;
    }
  }

  redraw(index) {
    this.shown.get(index)?.remove();
    this.shown.delete(index);
    this.later();
  }

  scrollTo(index, always = false) {
    this.draw();
    const top = this.tops[index],
      bottom = this.tops[index + 1];
    const from = this.element.scrollTop,
      height = this.element.clientHeight;
    if (!always && top >= from && bottom <= from + height) return;
    this.element.scrollTop = Math.max(0, top - 24);
    this.draw();
    this.element.scrollTop = Math.max(0, this.tops[index] - 24); // heights above are known now
    this.draw();
  }
}
