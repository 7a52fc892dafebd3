// Elements from values. Text always becomes text nodes: nothing of a document is ever read as markup.

export function h(tag, props, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(props || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "style")
      Object.assign(element.style, value); // through the object model, which the policy allows
    else if (name in element && typeof value !== "string") element[name] = value;
    else element.setAttribute(name, value === true ? "" : value);
  }
  append(element, children);
  return element;
}

export function append(parent, children) {
  for (const child of children.flat(Infinity)) {
    if (child === null || child === undefined || child === false) continue;
    parent.append(child instanceof Node ? child : document.createTextNode(String(child)));
  }
}

export function fill(parent, ...children) {
  parent.replaceChildren();
  append(parent, children);
  return parent;
}

export const byId = (id) => document.getElementById(id);
export const plural = (count, noun) => `${count.toLocaleString("en")} ${noun}${count === 1 ? "" : "s"}`;

// The line below, which screen readers read out.
export function say(text, isError = false) {
  const status = byId("status");
  status.textContent = text;
  status.classList.toggle("error", isError);
}

// An empty state that says what would be here, and how to get it.
export function teach(title, ...lines) {
  return h(
    "section",
    { class: "empty" },
    h("h2", {}, title),
    lines.map((line) => (line instanceof Node ? line : h("p", {}, line))),
  );
}

// An error in place of what was asked for; nothing where a newer request took over.
export function complain(panel, error) {
  if (error.name !== "AbortError") fill(panel, h("p", { class: "error", role: "alert" }, error.message));
}

// A request that a newer one of the same name replaces.
const running = new Map();

export async function ask(path, body, name = path) {
  running.get(name)?.abort();
  const control = new AbortController();
  running.set(name, control);
  const isFile = body instanceof Blob;
  const headers = { "Content-Type": isFile ? "application/octet-stream" : "application/json" };
  if (isFile) headers["X-File-Name"] = encodeURIComponent(body.name || "dropped");
  const token = sessionStorage.getItem("seamline-token");
  if (token) headers.Authorization = `Bearer ${token}`;
  const answer = await fetch(`inspector/${path}`, {
    method: "POST",
    headers,
    body: isFile ? body : JSON.stringify(body || {}),
    signal: control.signal,
    credentials: "omit",
  });
  if (answer.status === 401) {
    asking ||= askToken(Boolean(token)).finally(() => (asking = null)); // once, however many requests were refused
    await asking;
    return ask(path, body, name);
  }
  const said = await answer.json().catch(() => ({ detail: `the server answered ${answer.status}` }));
  if (!answer.ok) throw new Error(said.detail || said.title || `the server answered ${answer.status}`);
  return said;
}

let asking = null;

function askToken(wasRefused) {
  const dialog = byId("token");
  return new Promise((resolve) => {
    const input = h("input", { type: "password", autocomplete: "off", required: true, id: "token-value" });
    const send = (event) => {
      event.preventDefault();
      sessionStorage.setItem("seamline-token", input.value);
      dialog.close();
      resolve();
    };
    dialog.oncancel = (event) => event.preventDefault(); // without a token there is nothing to go on with
    fill(
      dialog,
      h(
        "form",
        { onsubmit: send },
        h("h2", { id: "token-title" }, "This server asks for a token"),
        wasRefused && h("p", { class: "error", role: "alert" }, "The server refused that token."),
        h("label", { class: "field", for: "token-value" }, "Token", input),
        h("p", {}, "It is kept in this tab until you close it."),
        h("button", { class: "primary" }, "Continue"),
      ),
    );
    dialog.showModal();
  });
}
