// Find in the review: files, threads and lines.

import { all, focusOn, make, showDialog } from "./dom.js";
import { go } from "./cursor.js";
import { isWhole } from "./later.js";

const MOST = 30;

// All that has a text, best kinds first: files by their path, threads by their words, lines by their code.
function find(text) {
  const wanted = text.toLowerCase();
  const has = (found) => found.toLowerCase().includes(wanted);
  const shown = (node) => !node.closest("[hidden]");
  const files = all(".file").filter(({ dataset }) => has(dataset.path));
  const threads = all(".thread").filter((card) => shown(card) && has(said(card)));
  const lines = [];
  for (const line of document.querySelectorAll(".b > div")) {
    if (lines.length >= MOST) break;
    if (has(line.textContent)) lines.push(line);
  }
  return [
    ...files.slice(0, MOST).map((node) => ({ kind: "file", node, text: node.dataset.path })),
    ...threads.slice(0, MOST).map((node) => ({ kind: "thread", node, text: around(said(node), wanted), place: node.querySelector(".at")?.textContent })),
    ...lines.map((node) => ({ kind: "line", node, text: around(node.textContent, wanted), place: node.closest(".file").dataset.path })),
  ];
}

const said = (card) => all(".who, .text, .chip", card).map((part) => part.textContent).join(" ").replace(/\s+/g, " ");

function around(text, wanted) {
  const at = text.toLowerCase().indexOf(wanted);
  const from = Math.max(0, at - 30);
  return (from ? "\u2026" : "") + text.slice(from, from + 120).trim();
}

export function search() {
  const dialog = make("dialog", { className: "search", ariaLabel: "Find in the review" });
  const words = { placeholder: "Files, threads and lines", ariaLabel: "Find files, threads and lines" };
  const field = make("input", { type: "search", role: "combobox", ariaExpanded: "true", spellcheck: false, ...words });
  field.setAttribute("aria-controls", "found");
  const list = make("ul", { id: "found", role: "listbox", ariaLabel: "Found" });
  const count = make("p", { className: "quiet", role: "status" });
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
    const { node, kind } = found[at] ?? {};
    if (!node) return;
    dialog.close();
    node.closest(".file[data-folded]")?.querySelector(".toggle").click();
    for (let inside = node.closest("details:not([open])"); inside; inside = inside.parentElement.closest("details:not([open])")) inside.open = true;
    if (kind === "file") { node.scrollIntoView({ block: "start" }); focusOn(node.querySelector(".toggle")); } else go(node);
  };
  field.addEventListener("input", () => {
    found = field.value.trim() ? find(field.value.trim()) : [];
    list.replaceChildren(...found.map(({ kind, text, place }, index) => {
      const span = (className, textContent) => make("span", { className, textContent });
      const row = make("li", { id: `found-${index}`, role: "option" }, span("chip", kind), span(kind === "line" ? "what mono" : "what", text));
      if (place) row.append(span("quiet", place));
      row.addEventListener("click", () => { choose(index); open(); });
      return row;
    }));
    count.textContent = !field.value.trim() ? "" : (found.length ? `${found.length} found.` : "Nothing found.") + (isWhole() ? "" : " Not all lines are here yet.");
    choose(0);
  });
  field.addEventListener("keydown", (event) => {
    const run = { ArrowDown: () => choose(at + 1), ArrowUp: () => choose(at - 1), Enter: open }[event.key];
    if (run) { event.preventDefault(); run(); }
  });
  showDialog(dialog, null, field, list, count);
  field.focus();
}
