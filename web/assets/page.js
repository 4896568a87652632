// Ties the page together: clicks and keys go to what they are for.

import { page, write } from "./server.js";
import * as live from "./live.js";
import { heard } from "./refresh.js";
import { everything, expand, more } from "./context.js";
import * as layout from "./layout.js";
import { fold, isFolded, nextUnviewed, view, viewFolder } from "./viewed.js";
import { onFile, onLines, onReview, restore } from "./composer.js";
import { act, form } from "./threads.js";
import * as cursor from "./cursor.js";
import { finish } from "./finish.js";
import { help, singleKeys } from "./help.js";
import "./beside.js";
import { search } from "./search.js";
import { commentWords, selectedWords } from "./prose.js";

const root = document.documentElement;
root.dataset.js = "";

document.addEventListener("click", ({ target }) => {
  const button = target.closest?.("button[data-act]");
  if (!button) return;
  const file = button.closest(".file");
  if (button.dataset.act === "expand") expand(button.closest(".gap"), button.dataset);
  else if (button.dataset.act === "layout") layout.toggle();
  else if (button.dataset.act === "fold") fold(file);
  else if (button.dataset.act === "view") view(file);
  else if (button.dataset.act === "view-folder") viewFolder(button);
  else if (button.dataset.act === "file-comment") onFile(file);
  else if (button.dataset.act === "review-comment") onReview();
  else if (button.dataset.act === "finish") finish();
  else act(button);
});

document.getElementById("keys").addEventListener("click", help);
document.getElementById("theme").addEventListener("click", () => {
  const dark = root.dataset.theme === "dark" || (root.dataset.theme === "system" && matchMedia("(prefers-color-scheme: dark)").matches);
  root.dataset.theme = dark ? "light" : "dark";
  write("theme", root.dataset.theme).catch(() => {});
});

// The file that one is in: where the focus is, else the one at the top of the window.
function fileHere() {
  const focused = document.activeElement?.closest?.(".file");
  return focused ?? [...document.querySelectorAll(".file")].find((file) => file.getBoundingClientRect().bottom > 120);
}

const here = () => cursor.line() ?? cursor.visible();
const keys = {
  j: () => cursor.go(document.activeElement === cursor.line() ? cursor.nextRow(here(), 1) : here()),
  k: () => cursor.go(document.activeElement === cursor.line() ? cursor.nextRow(here(), -1) : here()),
  ArrowDown: () => document.activeElement === cursor.line() && (cursor.go(cursor.nextRow(here(), 1)), true),
  ArrowUp: () => document.activeElement === cursor.line() && (cursor.go(cursor.nextRow(here(), -1)), true),
  n: () => cursor.go(cursor.nextChange(here(), 1)),
  p: () => cursor.go(cursor.nextChange(here(), -1)),
  N: () => cursor.go(cursor.nextOf(".thread", 1)),
  P: () => cursor.go(cursor.nextOf(".thread", -1)),
  "]": () => toFile(cursor.nextOf(".file", 1)),
  "[": () => toFile(cursor.nextOf(".file", -1)),
  J: () => toFile(cursor.nextOf(".file:has(.thread)", 1)),
  K: () => toFile(cursor.nextOf(".file:has(.thread)", -1)),
  ".": () => cursor.go(cursor.visible()),
  c: comment,
  a: finish,
  x: () => more(here()),
  X: everything,
  m: layout.toggle,
  "<": () => document.querySelector("[data-commit=before]")?.click(),
  ">": () => document.querySelector("[data-commit=after]")?.click(),
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
  f: () => document.querySelector("#tree a")?.focus(),
  "/": search,
  "?": help,
};

function toFile(file) {
  if (!file) return;
  file.scrollIntoView({ block: "start" });
  if (isFolded(file)) return file.querySelector(".toggle").focus({ preventScroll: true });
  const line = file.querySelector(".b > div");
  if (line) { line.tabIndex = 0; line.focus({ preventScroll: true }); }
}

function comment() {
  if (!page.writable) return;
  const words = selectedWords();
  if (words) return commentWords(words);
  const marked = cursor.selection();
  if (marked) return onLines(...marked);
  const thread = document.activeElement?.closest?.(".thread");
  if (thread) return form("reply", thread.dataset.thread);
  const line = here();
  if (line) onLines(line, line);
  else onReview();
}

function folds(open) {
  for (const fold of document.querySelectorAll("details.fold")) fold.open = open;
}

// The other side of a split.
document.addEventListener("keydown", (event) => {
  if (!event.shiftKey || !cursor.line() || document.activeElement !== cursor.line()) return;
  const side = { ArrowLeft: "old", ArrowRight: "new" }[event.key];
  if (!side) return;
  event.preventDefault();
  cursor.go(cursor.across(cursor.line(), side));
});

document.addEventListener("keydown", (event) => {
  const { target, key } = event;
  if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
  if (target.matches?.("input, textarea, select, [contenteditable]")) return;
  if (!keys[key] || !document.getElementById("files") && key !== "?") return;
  if (key.length === 1 && !singleKeys()) return;
  if (event.shiftKey && key.startsWith("Arrow")) return;
  if (keys[key]() !== false) event.preventDefault();
});

layout.start();
cursor.begin();
cursor.picking(page.writable);
if (document.getElementById("files")) restore(form);
live.start(heard);
document.addEventListener("postil:refreshed", cursor.begin);
