// Giving a thread another place by hand: a line that is picked on the page, or one that is named.

import { fragment, page, tell, write } from "./server.js";
import { placeCards } from "./refresh.js";
import { focusCard, number } from "./composer.js";

const make = (name, values) => Object.assign(document.createElement(name), values);
let stop = null;

async function move(thread, place) {
  const reply = await write("do/move", { of: thread, to: { place } });
  await placeCards(fragment(reply.html), true);
  focusCard(thread);
}

// The next line that is clicked, or on which Enter is pressed, becomes the place.
export function pick({ dataset }) {
  stop?.();
  const note = make("div", { className: "tell picking" });
  note.setAttribute("role", "status");
  const cancel = make("button", { type: "button", textContent: "Cancel" });
  note.append("Click the line that this thread belongs to, or go there with the keys and press Enter.", cancel);
  const choose = async (line) => {
    stop();
    const section = line.closest(".file");
    const side = line.classList.contains("d") ? "old" : "new";
    const at = number(line);
    const path = side === "old" ? section.dataset.old || section.dataset.path : section.dataset.path;
    try {
      await move(dataset.thread, { path, side, span: { start: at, end: at }, rev: page.rev || undefined });
    } catch (error) {
      tell(error.message);
    }
  };
  const click = (event) => {
    const line = event.target.closest?.(".b > div");
    if (!line) return;
    event.preventDefault();
    event.stopPropagation();
    if (event.type === "click") choose(line);
  };
  const key = (event) => {
    if (event.key === "Escape") { event.stopPropagation(); stop(); }
    const line = event.key === "Enter" && document.activeElement?.closest?.(".b > div");
    if (line) { event.preventDefault(); event.stopPropagation(); choose(line); }
  };
  stop = () => {
    note.remove();
    document.body.removeAttribute("data-picking");
    for (const kind of ["click", "pointerdown"]) removeEventListener(kind, click, true);
    removeEventListener("keydown", key, true);
    stop = null;
  };
  for (const kind of ["click", "pointerdown"]) addEventListener(kind, click, true);
  addEventListener("keydown", key, true);
  cancel.addEventListener("click", () => stop?.());
  document.body.dataset.picking = "";
  document.body.append(note);
}

// Reads `src/a.rs:12-14`; lines may be left out.
export function readPlace(text) {
  const [, path, start, end] = /^(.+?)(?::(\d+)(?:-(\d+))?)?$/.exec(text.trim()) ?? [];
  if (!path) return null;
  return { path, span: start ? { start: Number(start), end: Number(end ?? start) } : undefined, rev: page.rev || undefined };
}

// A field for any place, also in files that did not change.
export function name(card, was) {
  const slot = card.querySelector(".slot");
  if (slot.querySelector(".placing")) return slot.querySelector("input").focus();
  // A form like those in which people write: it moves along when its card is made anew.
  const form = make("form", { className: "composer placing" });
  form.dataset.name = `place\t${card.dataset.thread}`;
  const id = `p-${card.id}`;
  const field = make("input", { type: "text", id, value: was ?? "", required: true, spellcheck: false });
  field.setAttribute("list", `${id}-files`);
  const files = make("datalist", { id: `${id}-files` });
  for (const { dataset } of document.querySelectorAll(".file")) files.append(make("option", { value: `${dataset.path}:` }));
  const problem = make("p", { className: "problem", hidden: true });
  problem.setAttribute("role", "alert");
  const cancel = make("button", { type: "button", className: "act", textContent: "Cancel" });
  cancel.addEventListener("click", () => form.remove());
  form.append(make("label", { htmlFor: id, textContent: "File and lines, as in src/a.rs:12-14" }), field, files, make("button", { type: "submit", className: "act", textContent: "Move there" }), cancel, problem);
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const place = readPlace(field.value);
    try {
      if (!place) return;
      await move(card.dataset.thread, place);
      form.remove();
    } catch (error) {
      problem.textContent = error.message;
      problem.hidden = false;
    }
  });
  slot.append(form);
  field.focus();
  field.setSelectionRange(field.value.length, field.value.length);
}
