// Pages of a PDF as pictures, with the box of every chunk.

import { ask, fill, h, plural, say, teach } from "./dom.js";
import { leaves } from "./chunks.js";

// A picture of a page with boxes over it: [{page, left, top, right, bottom, label, tint, selected, click}].
export async function pagePicture(source, number, boxes) {
  const drawn = await ask("picture", { ...source, page: number }, "picture");
  const figure = h(
    "div",
    { class: "sheet" },
    h("img", {
      src: drawn.picture,
      alt: `Page ${number}`,
      width: String(Math.round(drawn.width)),
      height: String(Math.round(drawn.height)),
    }),
  );
  const share = (value, whole) => `${(value / whole) * 100}%`;
  for (const box of boxes) {
    figure.append(
      h(box.click ? "button" : "div", {
        ...(box.click ? { type: "button" } : { role: "img" }),
        class: `box ${box.class || ""}`,
        "aria-label": box.label,
        title: box.label,
        onclick: box.click || null,
        style: {
          left: share(box.left, drawn.width),
          top: share(box.top, drawn.height),
          width: share(box.right - box.left, drawn.width),
          height: share(box.bottom - box.top, drawn.height),
        },
      }),
    );
  }
  return { figure, pages: drawn.pages };
}

export function pagesView(app) {
  const { data, state } = app;
  if (data.media_type !== "application/pdf" && !leaves(data).some((chunk) => chunk.boxes.length))
    return teach(
      "There are no pages",
      "Open a PDF to see its pages with a box around every chunk.",
      "A document of an index is read from its stored text; its citations open their page in Search.",
    );
  const source = state.doc ? { doc: state.doc } : { key: state.key };
  const chunks = leaves(data),
    panel = h("div", { class: "pages" });
  let pages = 1;
  const show = async (number) => {
    number = Math.max(1, number);
    app.set({ page: number });
    const boxes = chunks.flatMap((chunk, index) =>
      chunk.boxes
        .filter((box) => box[0] === number)
        .map(([, left, top, right, bottom]) => ({
          left,
          top,
          right,
          bottom,
          class: `tint-${index % 6} ${index === state.chunk ? "selected" : ""}`,
          label: `Chunk ${index + 1}, ${plural(chunk.tokens, "token")}`,
          click: () => app.go({ view: "chunks", chunk: index }),
        })),
    );
    try {
      const drawn = await pagePicture(source, number, boxes);
      pages = drawn.pages;
      fill(
        panel,
        h(
          "nav",
          { class: "pager", "aria-label": "Pages" },
          h("button", { type: "button", disabled: number <= 1, onclick: () => show(number - 1) }, "‹ Before"),
          h(
            "span",
            {},
            `Page ${number} of ${pages}, ${plural(boxes.length, "box").replace("boxs", "boxes")}`,
          ),
          h(
            "button",
            { type: "button", disabled: number >= pages, onclick: () => show(number + 1) },
            "Next ›",
          ),
        ),
        drawn.figure,
      );
      say(`Page ${number} of ${pages}`);
    } catch (error) {
      if (error.name !== "AbortError") fill(panel, h("p", { class: "error", role: "alert" }, error.message));
    }
  };
  app.onKey = (key) => {
    if (key === "j" || key === "ArrowRight") show(Math.min(pages, state.page + 1));
    else if (key === "k" || key === "ArrowLeft") show(state.page - 1);
    else return false;
    return true;
  };
  app.afterMount = () => show(state.page || 1);
  return h("div", { class: "page", tabIndex: 0, role: "region", "aria-label": "Pages" }, panel);
}
