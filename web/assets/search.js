// Find in the review: files, threads and lines.

import { all, current, focusOn, make, showDialog, template } from "./dom.js";
import { go } from "./cursor.js";
import { isWhole } from "./later.js";

const MOST = 30;

// All that has a text, best kinds first: files by their path, threads by their words, and lines.
function find(text) {
  const wanted = text.toLowerCase();
  const has = (found) => found.toLowerCase().includes(wanted);
  const shown = (node) => !node.closest("[hidden]");
  const files = all(".file").filter(({ dataset }) => has(dataset.path));
  const threads = all(".thread").filter((card) => shown(card) && has(parts(card).map(({ textContent }) => textContent).join(" ")));
  const lines = [];
  for (const line of document.querySelectorAll(".b > div")) {
    if (lines.length > MOST) break;
    if (has(line.textContent)) lines.push(line);
  }
  const found = [
    ...files.slice(0, MOST).map((node) => ({ kind: "file", node, text: node.dataset.path })),
    ...threads.slice(0, MOST).map((node) => ({ kind: "thread", node, text: around(said(node), wanted), place: placeOf(node) })),
    ...lines.slice(0, MOST).map((node) => ({ kind: "line", node, text: around(node.textContent, wanted), place: pathOf(node) })),
  ];
  return { found, isAll: [files, threads, lines].every((some) => some.length <= MOST) };
}

const pathOf = (node) => node.closest(".file")?.dataset.path ?? "";
const placeOf = (card) => [pathOf(card), card.querySelector(".at")?.textContent].filter(Boolean).join(", ");

const parts = (card) => all(".who, .text, .chip, [data-brief] .gist", card);

const said = (card) => parts(card).map(({ innerText, textContent }) => innerText || textContent).join(" ").replace(/\s+/g, " ");

// Where it is in a text; a short text as a whole.
function around(text, wanted) {
  const whole = text.trim();
  const at = whole.toLowerCase().indexOf(wanted);
  const from = whole.length > 120 ? Math.max(0, at - 30) : 0;
  return (from ? "\u2026" : "") + whole.slice(from, from + 120) + (whole.length > from + 120 ? "\u2026" : "");
}

// The text, with what was looked for marked.
function marked(text, wanted) {
  const at = text.toLowerCase().indexOf(wanted.toLowerCase());
  if (at < 0) return [text];
  const end = at + wanted.length;
  return [text.slice(0, at), make("mark", { textContent: text.slice(at, end) }), text.slice(end)];
}

export function search() {
  const dialog = make("dialog", { className: "search", ariaLabel: "Find in the review" });
  const content = template("search");
  const [field, list, count] = content.children;
  let found = [];
  let at = 0;
  const choose = (index) => {
    at = Math.max(0, Math.min(index, found.length - 1));
    [...list.children].forEach((row, row_at) => { row.ariaSelected = row_at === at; });
    list.children[at]?.scrollIntoView({ block: "nearest" });
    if (list.children[at]) field.setAttribute("aria-activedescendant", list.children[at].id);
    else field.removeAttribute("aria-activedescendant");
  };
  const open = () => {
    const { node: then, kind } = found[at] ?? {};
    if (!then) return;
    dialog.close();
    const node = current(then);
    if (!node) return;
    node.closest(".file[data-folded]")?.querySelector(".toggle").click();
    for (let inside = node.closest("details:not([open])"); inside; inside = inside.parentElement.closest("details:not([open])")) inside.open = true;
    if (kind === "file") { node.scrollIntoView({ block: "start" }); focusOn(node.querySelector(".toggle")); } else go(node);
  };
  field.addEventListener("input", () => {
    const wanted = field.value.trim();
    const now = wanted ? find(wanted) : { found: [], isAll: true };
    found = now.found;
    list.replaceChildren(...found.map(({ kind, text, place }, index) => {
      const span = (className, ...content) => make("span", { className }, ...content);
      const what = span(kind === "line" ? "what mono" : "what", ...marked(text, wanted));
      const row = make("li", { id: `found-${index}`, role: "option" }, span("chip", kind), what);
      if (place) row.append(span("quiet", place));
      row.addEventListener("click", () => { choose(index); open(); });
      return row;
    }));
    const said = found.length ? `${now.isAll ? "" : "The first "}${found.length} found.` : "Nothing found.";
    count.textContent = wanted ? said + (isWhole() ? "" : " Not all lines are here yet.") : "";
    choose(0);
  });
  field.addEventListener("keydown", (event) => {
    // Browsers only empty the field.
    const run = { ArrowDown: () => choose(at + 1), ArrowUp: () => choose(at - 1), Enter: open, Escape: () => dialog.close() }[event.key];
    if (run) { event.preventDefault(); run(); }
  });
  showDialog(dialog, null, content);
  field.focus();
}
