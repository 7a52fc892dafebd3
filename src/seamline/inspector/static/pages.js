// Pages of a PDF as pictures, with the box of every chunk.

import { ask, complain, fill, h, plural, say, teach } from "./dom.js";
import { leaves } from "./chunks.js";

// A picture of a page with boxes over it: {box: [page, left, top, right, bottom], label, class, click}.
export async function pagePicture(source, number, boxes) {
  const drawn = await ask("picture", { ...source, page: number }, "picture");
  const share = (value, whole) => `${(value / whole) * 100}%`;
  const overlay = ({ box: [, left, top, right, bottom], label, click, ...more }) =>
    h(click ? "button" : "div", {
      ...(click ? { type: "button", onclick: click } : { role: "img" }),
      class: `box ${more.class}`,
      "aria-label": label,
      title: label,
      style: {
        left: share(left, drawn.width),
        top: share(top, drawn.height),
        width: share(right - left, drawn.width),
        height: share(bottom - top, drawn.height),
      },
    });
  const picture = h("img", {
    src: drawn.picture,
    alt: `Page ${number}`,
    width: String(Math.round(drawn.width)),
    height: String(Math.round(drawn.height)),
  });
  return { figure: h("div", { class: "sheet" }, picture, boxes.map(overlay)), pages: drawn.pages };
}

export function pagesView(app) {
  const { data, state } = app;
  if (data.media_type !== "application/pdf")
    return teach(
      "There are no pages",
      "Open a PDF to see its pages with a box around every chunk.",
      "Of an index, pages are drawn as long as the file has the text that was indexed.",
    );
  const source = state.doc ? { doc: state.doc } : { key: state.key };
  const panel = h("div", { class: "pages" });
  let pages = 1;
  const show = async (number) => {
    app.set({ page: Math.max(1, number) });
    const boxes = boxesOf(app, state.page);
    try {
      const drawn = await pagePicture(source, state.page, boxes);
      pages = drawn.pages;
      fill(panel, pager(state.page, pages, boxes.length, show), drawn.figure);
      say(`Page ${state.page} of ${pages}`);
    } catch (error) {
      complain(panel, error);
    }
  };
  app.onKey = (key) => {
    if (key === "j" || key === "ArrowRight") show(Math.min(pages, state.page + 1));
    else if (key === "k" || key === "ArrowLeft") show(state.page - 1);
    else return false;
    return true;
  };
  app.afterMount = () => show(state.page);
  return h("div", { class: "page", tabIndex: 0, role: "region", "aria-label": "Pages" }, panel);
}

function boxesOf(app, page) {
  return leaves(app.data).flatMap((chunk, index) =>
    chunk.boxes
      .filter((box) => box[0] === page)
      .map((box) => ({
        box,
        class: `tint-${index % 6} ${index === app.state.chunk ? "selected" : ""}`,
        label: `Chunk ${index + 1}, ${plural(chunk.tokens, "token")}`,
        click: () => app.go({ view: "chunks", chunk: index }),
      })),
  );
}

function pager(number, pages, boxes, show) {
  const step = (title, to, disabled) =>
    h("button", { type: "button", disabled, onclick: () => show(to) }, title);
  return h(
    "nav",
    { class: "pager", "aria-label": "Pages" },
    step("‹ Previous", number - 1, number <= 1),
    h("span", {}, `Page ${number} of ${pages}, ${boxes} ${boxes === 1 ? "box" : "boxes"}`),
    step("Next ›", number + 1, number >= pages),
  );
}
