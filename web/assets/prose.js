// Markdown files as they read: shown in place of their lines, with words that can be commented on.

import { byId, all, current, focusOn, makeButton, selectedRange } from "./dom.js";
import { page, readJson, readParts, tell } from "./server.js";
import { onLines, onWords } from "./composer.js";
import { selectedLines } from "./selected.js";

const encoder = new TextEncoder();
const bytes = (text) => encoder.encode(text).length;
// The files that are shown so, by their keys, for as long as the page is open.
const shown = new Map();

export async function toggle(button) {
  const file = button.closest(".file");
  if (shown.has(file.dataset.key)) {
    shown.delete(file.dataset.key);
    hide(file);
  } else {
    shown.set(file.dataset.key, "new");
    await show(file);
  }
}

// Shows another version.
export function turn({ dataset, parentElement }) {
  const file = parentElement.closest(".file");
  shown.set(file.dataset.key, dataset.side);
  side(file);
}

function side(file) {
  const now = shown.get(file.dataset.key);
  const pages = all(".prose > .page", file);
  if (pages.length < 2) return;
  for (const one of pages) one.hidden = one.dataset.side !== now;
  for (const button of all("[data-act=prose-side]", file)) button.ariaPressed = button.dataset.side === now;
}

async function show(file) {
  const asked = performance.now();
  let panel;
  try {
    panel = (await readParts(`prose/${page.view}`, { path: file.dataset.path })).firstElementChild;
  } catch (error) {
    shown.delete(file.dataset.key);
    hide(current(file) ?? file);
    return tell(error.message);
  }
  // The file may be another one by now.
  file = current(file);
  if (!file || !shown.has(file.dataset.key)) return;
  const old = file.querySelector(".prose");
  // Words that somebody has marked stay, as in lines; and what was asked for first may come last.
  if (old?.contains(selectedRange()?.startContainer) || old?.asked > asked) return;
  panel.asked = asked;
  if (!old) file.querySelector(".whole").after(panel);
  else if (old.isEqualNode(panel)) return side(file);
  else old.replaceWith(panel);
  file.dataset.prose = "";
  file.querySelector("[data-act=prose]").ariaPressed = true;
  side(file);
}

function hide(file) {
  file.querySelector(".prose")?.remove();
  delete file.dataset.prose;
  file.querySelector("[data-act=prose]")?.setAttribute("aria-pressed", "false");
}

// Brings the pages that are shown up to date.
export function again() {
  for (const key of shown.keys()) {
    const file = byId(`f-${key}`);
    if (file) show(file);
  }
}

// What is selected on a page: where it begins and ends in the text that the server rendered.
export function selectedWords() {
  const range = selectedRange();
  const within = range?.commonAncestorContainer;
  const sheet = (within?.nodeType === Node.TEXT_NODE ? within.parentElement : within)?.closest?.('.page[data-side="new"]');
  if (!sheet) return null;
  const runs = all("[data-r]", sheet).filter((run) => range.intersectsNode(run));
  const start = place(runs[0], range.startContainer, range.startOffset, 0);
  const last = runs.at(-1);
  const end = place(last, range.endContainer, range.endOffset, last?.textContent.length);
  return runs.length && start < end ? { sheet, file: sheet.closest(".file"), start, end, digest: sheet.parentElement.dataset.digest, range } : null;
}

function place(run, node, offset, otherwise) {
  if (!run) return 0;
  const at = run.contains(node) && node.nodeType === Node.TEXT_NODE ? offset : otherwise;
  return Number(run.dataset.r) + bytes(run.textContent.slice(0, at));
}

// Opens a form for the words that are selected.
export async function commentWords(words) {
  const { file, start, end, digest } = words;
  try {
    const quoted = await readJson(`words/${page.view}`, { path: file.dataset.path, start, end, digest });
    const now = current(file);
    if (now) onWords(now, quoted);
  } catch (error) {
    tell(error.message);
    if (error.status === 409) show(current(file) ?? file);
  }
}

// A button at what is selected.
export function offering() {
  if (!page.writable) return;
  const button = makeButton("Comment", () => {
    const words = selected();
    if (words?.sheet) commentWords(words);
    else if (words) onLines(words.first, words.last, { part: words.part, words: words.text });
  }, "button first words-button");
  button.hidden = true;
  document.body.append(button);
  const selected = () => selectedWords() ?? selectedLines();
  document.addEventListener("selectionchange", () => {
    const words = selected();
    button.hidden = !words;
    if (!words) return;
    const { left, bottom } = words.range.getBoundingClientRect();
    button.style.left = `${Math.max(8, left + scrollX)}px`;
    button.style.top = `${bottom + scrollY + 6}px`;
  });
  // The selection would be gone before a click is heard.
  button.addEventListener("pointerdown", (event) => event.preventDefault());
  addEventListener("click", ({ target }) => {
    const mark = target.closest?.(".prose mark[data-for]");
    const card = mark && getSelection().isCollapsed && byId(`t-${mark.dataset.for}`);
    if (card) { card.scrollIntoView({ block: "center" }); focusOn(card); }
  });
}
