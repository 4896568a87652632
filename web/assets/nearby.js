// Places for a thread that lost its own, as a list: those that are like it near where it stood, or that have some words.

import { make, template } from "./dom.js";
import { page, readParts } from "./server.js";
import { move, suggestFiles } from "./moving.js";

const WAIT = 200;

// Opens the list in a card, or closes it.
export function nearby(button) {
  const card = button.closest(".thread");
  const slot = card.querySelector(".slot");
  const open = slot.querySelector(".searching");
  button.ariaExpanded = !open;
  if (open) return open.remove();
  // A form like those in which people write: it moves along when its card is made anew.
  const form = template("nearby").firstElementChild;
  form.dataset.name = `place\t${card.dataset.thread}`;
  const [label, words, other, path, found] = form.children;
  words.id = label.htmlFor = `n-${card.id}`;
  path.id = other.htmlFor = `f-${words.id}`;
  path.value = button.dataset.path;
  form.append(suggestFiles(path));
  let asked = 0;
  const look = async () => {
    const now = (asked += 1);
    const query = { id: card.dataset.thread, words: words.value, path: path.value.trim() };
    try {
      const list = await readParts(`nearby/${page.view}`, query);
      if (now === asked) found.replaceChildren(list);
    } catch (error) {
      if (now === asked) found.replaceChildren(make("p", { className: "problem", textContent: error.message }));
    }
  };
  let timer = null;
  form.addEventListener("input", () => { clearTimeout(timer); timer = setTimeout(look, WAIT); });
  form.addEventListener("submit", (event) => { event.preventDefault(); look(); });
  form.addEventListener("keydown", (event) => {
    if (event.key === "Escape") {
      event.stopPropagation();
      const now = form.closest(".thread")?.querySelector("[data-act=nearby]");
      now?.click();
      now?.focus();
    }
  });
  slot.append(form);
  words.focus();
  look();
}

// Takes a place of the list.
export async function moveTo({ dataset, parentElement }) {
  const thread = parentElement.closest(".thread").dataset.thread;
  const span = { start: Number(dataset.start), end: Number(dataset.end) };
  await move(thread, { path: dataset.path, side: "new", span, rev: page.rev || undefined }, () => parentElement.closest("form")?.remove());
}
