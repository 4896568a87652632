// Giving a thread another place by hand: a line that is picked on the page, or one that is named.

import { all, sideOf, make, makeButton, complain, template } from "./dom.js";
import { fragment, page, tell, write } from "./server.js";
import { placeCards } from "./refresh.js";
import { focusCard, number, placeOf } from "./composer.js";

let stop = null;

export async function move(thread, place, done) {
  const reply = await write("do/move", { of: thread, to: { place } });
  done?.();
  await placeCards(fragment(reply.html), true);
  focusCard(thread);
}

// The next line that is clicked, or on which Enter is pressed, becomes the place.
export function pick({ dataset }) {
  stop?.();
  const words = "Click the line that this thread belongs to, or go there with the keys and press Enter.";
  const note = make("div", { className: "tell picking", role: "status" }, words, makeButton("Cancel", () => stop?.(), ""));
  const choose = async (line) => {
    stop();
    const section = line.closest(".file");
    if (section.dataset.message || !line.id) return tell("A thread on a file cannot be there. Choose another line.");
    const at = number(line);
    try {
      await move(dataset.thread, placeOf(section, sideOf(line), { start: at, end: at }));
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
  document.body.dataset.picking = "";
  document.body.append(note);
}

// Reads `src/a.rs:12-14`; lines may be left out.
function readPlace(text) {
  const [, path, start, end] = /^(.+?)(?::(\d+)(?:-(\d+))?)?$/.exec(text.trim()) ?? [];
  if (!path) return null;
  return { path, span: start ? { start: Number(start), end: Number(end ?? start) } : undefined, rev: page.rev || undefined };
}

// A list of the files for a field, each with what comes after it.
export function suggestFiles(field, after = "") {
  const id = `${field.id}-files`;
  field.setAttribute("list", id);
  return make("datalist", { id }, ...all(".file:not([data-message])").map(({ dataset }) => make("option", { value: dataset.path + after })));
}

// A field for any place, also in files that did not change.
export function name(card, was) {
  const slot = card.querySelector(".slot");
  if (slot.querySelector(".placing")) return slot.querySelector("input").focus();
  // A form like those in which people write: it moves along when its card is made anew.
  const form = template("placing").firstElementChild;
  const [label, field, , cancel, problem] = [...form.children];
  form.dataset.name = `place\t${card.dataset.thread}`;
  field.id = label.htmlFor = `p-${card.id}`;
  field.value = was ?? "";
  field.after(suggestFiles(field, ":"));
  cancel.addEventListener("click", () => form.remove());
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const place = readPlace(field.value);
    try {
      if (!place) return;
      await move(card.dataset.thread, place, () => form.remove());
    } catch (error) {
      complain(problem, error);
    }
  });
  slot.append(form);
  field.focus();
  field.setSelectionRange(field.value.length, field.value.length);
}
