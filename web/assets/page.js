// Ties the page together: clicks and keys go to what they are for.

import { byId, all, focusOn, isCovered, one } from "./dom.js";
import { page, tell, write } from "./server.js";
import * as live from "./live.js";
import { heard } from "./refresh.js";
import { everything, expand, more } from "./context.js";
import * as layout from "./layout.js";
import { fold, isFolded, nextUnviewed, view, viewFolder } from "./viewed.js";
import { onFile, onLines, onReview, restore } from "./composer.js";
import { act, form } from "./threads.js";
import * as cursor from "./cursor.js";
import { fileHere, isInSight, mark } from "./here.js";
import { help, singleKeys } from "./help.js";
import { acts as besides } from "./beside.js";
import "./far.js";
import * as colours from "./colours.js";
import * as later from "./later.js";
import * as looked from "./looked.js";
import { commentWords, selectedWords } from "./prose.js";
import { selectedLines, selectWord } from "./selected.js";

const root = document.documentElement;
root.dataset.js = "";

const fileOf = (button) => button.closest(".file");
const acts = {
  ...besides,
  expand: (button) => expand(button.closest(".gap"), button.dataset),
  layout: layout.toggle,
  fold: (button) => fold(fileOf(button)),
  view: (button) => view(fileOf(button)),
  "view-folder": viewFolder,
  "file-comment": (button) => onFile(fileOf(button)),
  "review-comment": () => onReview(),
};

addEventListener("click", async ({ target }) => {
  const button = target.closest?.("button[data-act]");
  try {
    if (button) await (acts[button.dataset.act] ?? act)(button);
  } catch ({ message }) {
    tell(message);
  }
});

byId("keys").addEventListener("click", help);
byId("theme").addEventListener("click", () => {
  const dark = root.dataset.theme === "dark" || (root.dataset.theme === "system" && matchMedia("(prefers-color-scheme: dark)").matches);
  root.dataset.theme = dark ? "light" : "dark";
  write("theme", root.dataset.theme).catch(() => {});
});

// The line where the cursor is, if that is in the window; else one that is.
function lineHere() {
  const line = cursor.line();
  return line && isInSight(line) ? line : cursor.visible() ?? line;
}
const isAtLine = () => document.activeElement === cursor.line();
function step(by) {
  const line = lineHere();
  cursor.go(document.activeElement === line ? cursor.nextRow(line, by) : line);
}
const keys = {
  j: () => step(1),
  k: () => step(-1),
  ArrowDown: () => isAtLine() && (step(1), true),
  ArrowUp: () => isAtLine() && (step(-1), true),
  n: () => cursor.go(cursor.nextChange(lineHere(), 1)),
  p: () => cursor.go(cursor.nextChange(lineHere(), -1)),
  N: () => cursor.go(cursor.nextOf(".thread", 1)),
  P: () => cursor.go(cursor.nextOf(".thread", -1)),
  "]": () => toFile(cursor.nextOf(".file", 1)),
  "[": () => toFile(cursor.nextOf(".file", -1)),
  J: () => toFile(cursor.nextOf(".file:has(.thread)", 1)),
  K: () => toFile(cursor.nextOf(".file:has(.thread)", -1)),
  ".": () => cursor.go(cursor.visible()),
  w: () => word(1, false),
  b: () => word(-1, false),
  W: () => word(1, true),
  B: () => word(-1, true),
  c: comment,
  a: besides.finish,
  x: () => more(lineHere()),
  X: everything,
  m: layout.toggle,
  "<": () => one("[data-commit=before]")?.click(),
  ">": () => one("[data-commit=after]")?.click(),
  r: () => { const file = fileHere(); if (file) view(file); },
  M: () => {
    const file = fileHere();
    if (!file) return;
    view(file, true);
    toFile(nextUnviewed(file));
  },
  h: () => document.body.toggleAttribute("data-bare"),
  e: () => folds(true),
  E: () => folds(false),
  f: fileList,
  "/": besides.search,
  "?": help,
};

function toFile(file) {
  if (!file) return;
  file.scrollIntoView({ block: "start" });
  if (isFolded(file)) return focusOn(file.querySelector(".toggle"));
  const line = file.querySelector(".b > div");
  if (line) { line.tabIndex = 0; focusOn(line); }
}

// The tree, at the file that one reads.
function fileList() {
  const fold = one("#tree details");
  fold.open = true;
  (fold.querySelector("[aria-current]") ?? fold.querySelector("a"))?.focus();
}

function comment() {
  if (!page.writable) return;
  const words = selectedWords();
  if (words) return commentWords(words);
  const marked = selectedLines();
  if (marked) return onLines(marked.first, marked.last, { part: marked.part, words: marked.text });
  const picked = cursor.picked();
  cursor.leave();
  if (picked) return onLines(...picked);
  const thread = document.activeElement?.closest?.(".thread");
  if (thread) return form("reply", thread.dataset.thread);
  const line = lineHere();
  if (line) onLines(line, line);
  else onReview();
}

// Words of the line where the cursor is.
function word(step, grow) {
  const line = lineHere();
  if (!line) return;
  if (document.activeElement !== line) cursor.go(line);
  selectWord(line, step, grow);
}

function folds(open) {
  // What is only fetched when it is opened would be fetched all at once.
  for (const fold of all("details.fold:not([data-brief])")) fold.open = open;
}

// With Shift: more lines, or the other side of a split; within what is selected, more or fewer characters.
addEventListener("keydown", (event) => {
  if (!event.shiftKey || !isAtLine()) return;
  const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (by) { event.preventDefault(); return cursor.extend(by); }
  if (selectedLines()) return;
  const side = { ArrowLeft: "old", ArrowRight: "new" }[event.key];
  if (!side) return;
  event.preventDefault();
  cursor.go(cursor.across(cursor.line(), side));
});

addEventListener("keydown", (event) => {
  const { target, key } = event;
  if (key === "Enter" && (event.ctrlKey || event.metaKey) && target.form) { event.preventDefault(); target.form.requestSubmit(); }
  if (event.ctrlKey || event.metaKey || event.altKey || isCovered()) return;
  if (target.matches?.("input, textarea, select, [contenteditable]")) return;
  if (!keys[key] || !byId("files") && key !== "?") return;
  if (key.length === 1 && !singleKeys()) return;
  if (event.shiftKey && key.startsWith("Arrow")) return;
  if (keys[key]() !== false) event.preventDefault();
});

layout.start();
colours.start();
cursor.begin();
mark();
cursor.picking(page.writable);
if (byId("files")) restore(form);
live.start(heard);
looked.start();
later.watch();
later.unfoldOpen();
later.follow();
addEventListener("postil:refreshed", () => { cursor.begin(); colours.again(); mark(); });
addEventListener("postil:laid-out", colours.again);
// Until then, nothing is older.
setTimeout(() => import("./ages.js").catch(() => {}), 60000);
