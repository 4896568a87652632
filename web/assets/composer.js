// Forms in which people write. What is typed is on the server within a second, and comes back after a reload or a crash.

import { page, readJson, tell, write } from "./server.js";
import { afterLine, placeCards } from "./refresh.js";
import { fragment } from "./server.js";

const SEVERITIES = ["", "note", "nit", "issue", "blocker", "question", "praise"];
const SAVE_AFTER = 400;

// Opens a form: `name` is where it is typed, `about` says so to people, `send` writes it.
export function open({ name, about, text = "", focus = true, isNew = false, severities = false, drafts = true, word = "Comment", send, put }) {
  const known = [...document.querySelectorAll(".composer")].find((form) => form.dataset.name === name);
  if (known) { known.querySelector("textarea").focus(); return known; }
  const form = document.createElement("form");
  form.className = isNew ? "composer fresh" : "composer";
  form.dataset.name = name;
  const label = Object.assign(document.createElement("label"), { textContent: about });
  const area = Object.assign(document.createElement("textarea"), { value: text, rows: 4, placeholder: "Markdown, Ctrl+Enter to send" });
  area.setAttribute("aria-label", about);
  const row = Object.assign(document.createElement("div"), { className: "row2" });
  const problem = Object.assign(document.createElement("p"), { className: "problem", hidden: true });
  problem.setAttribute("role", "alert");
  const saved = Object.assign(document.createElement("span"), { className: "saved" });
  const submit = button("submit", word, "button first");
  const draft = drafts ? button("button", "Save as draft", "button") : null;
  const cancel = button("button", "Discard", "button");
  let severity = null;
  if (severities) {
    severity = document.createElement("select");
    severity.setAttribute("aria-label", "Severity");
    for (const word of SEVERITIES) severity.append(new Option(word || "no severity", word));
  }
  row.append(submit, ...[draft, severity, cancel, saved].filter(Boolean));
  form.append(label, area, row, problem);
  const keep = keeper(name, area, saved);
  area.addEventListener("input", keep.later);
  area.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) { event.preventDefault(); form.requestSubmit(); }
    if (event.key === "Escape") { event.stopPropagation(); if (!area.value.trim()) discard(); else area.blur(); }
  });
  const discard = async () => { await keep.done(); form.remove(); form.dispatchEvent(new Event("closed")); };
  cancel.addEventListener("click", discard);
  const sendIt = async (isDraft) => {
    if (!area.value.trim()) { area.focus(); return; }
    for (const control of form.querySelectorAll("button")) control.disabled = true;
    problem.hidden = true;
    try {
      const reply = await send({ text: area.value, draft: isDraft, severity: severity?.value || undefined });
      await keep.done();
      form.remove();
      if (reply?.html) {
        await placeCards(fragment(reply.html), true);
        focusCard(reply.threads[0]);
      }
    } catch (error) {
      problem.textContent = error.message;
      problem.hidden = false;
    } finally {
      for (const control of form.querySelectorAll("button")) control.disabled = false;
    }
  };
  form.addEventListener("submit", (event) => { event.preventDefault(); sendIt(false); });
  draft?.addEventListener("click", () => sendIt(true));
  put(form);
  if (focus) {
    area.focus({ preventScroll: true });
    form.scrollIntoView({ block: "nearest" });
  }
  return form;
}

// Focuses the card of a thread, unless somebody writes elsewhere already.
export function focusCard(id) {
  if (document.activeElement?.closest(".composer")) return;
  document.querySelector(`[data-thread="${CSS.escape(id)}"]`)?.focus({ preventScroll: true });
}

function button(type, textContent, className) {
  return Object.assign(document.createElement("button"), { type, textContent, className });
}

// Keeps a text on the server while it is typed.
function keeper(name, area, saved) {
  let timer = null;
  let sent = area.value;
  let queue = Promise.resolve();
  const save = () => {
    timer = null;
    const text = area.value;
    if (text === sent) return queue;
    sent = text;
    queue = queue.then(() => write("typed", [name, text])).then(
      () => { saved.textContent = text ? "kept" : ""; },
      () => { sent = null; saved.textContent = "not kept: no connection"; timer ??= setTimeout(save, 2000); },
    );
    return queue;
  };
  const leave = () => {
    if (area.isConnected && area.value !== sent) write("typed", [name, area.value], { keepalive: true }).catch(() => {});
  };
  addEventListener("pagehide", leave);
  return {
    later: () => { clearTimeout(timer); timer = setTimeout(save, SAVE_AFTER); },
    done: async () => {
      clearTimeout(timer);
      removeEventListener("pagehide", leave);
      await queue;
      await write("typed", [name, ""]).catch(() => {});
    },
  };
}

// A comment on lines of a file: `from` and `to` are elements of lines, on one side.
export function onLines(from, to, text) {
  const section = from.closest(".file");
  if ("hex" in section.dataset) return tell("The name of this file is not text; comment on it with postil comment.");
  const [first, last] = order(from, to);
  const side = last.classList.contains("d") ? "old" : "new";
  const path = section.dataset.path;
  const [start, end] = [number(first), number(last)];
  const place = { path: side === "old" ? section.dataset.old || path : path, side, span: { start, end }, rev: page.rev || undefined };
  const lines = start === end ? `line ${start}` : `lines ${start} to ${end}`;
  const about = `Comment on ${side === "old" ? "removed " : ""}${lines} of ${path}`;
  return comment(`comment\t${page.view}\t${path}\t${side}\t${start}\t${end}`, about, place, text, (form) => {
    form.dataset.at = last.id;
    afterLine(last, form);
  });
}

// A comment on a whole file.
export function onFile(section, text) {
  const path = section.dataset.path;
  return comment(`comment\t${page.view}\t${path}`, `Comment on ${path}`, { path, rev: page.rev || undefined }, text, (form) =>
    section.querySelector(".whole").append(form));
}

// A comment on the whole review.
export function onReview(text) {
  const panel = document.getElementById("about");
  panel.hidden = false;
  return comment(`comment\t${page.view}`, "Comment on the whole review", undefined, text, (form) => panel.append(form));
}

function comment(name, about, place, text, put) {
  const review = page.view.startsWith("review/") ? page.review || undefined : undefined;
  const send = (typed) => write("do/comment", { ...typed, place, review });
  // What was typed before is there again, and nobody asked for the focus.
  return open({ name, about, text, focus: text === undefined, isNew: true, severities: true, send, put });
}

export const number = (line) => Number(line.id.slice(11));

function order(from, to) {
  const isBefore = from.compareDocumentPosition(to) & Node.DOCUMENT_POSITION_PRECEDING;
  return isBefore ? [to, from] : [from, to];
}

// Opens the forms that were open when the page was left, with what was typed in them.
export async function restore(openThread) {
  let texts;
  try {
    texts = await readJson("typed");
  } catch {
    return;
  }
  for (const [name, text] of Object.entries(texts)) {
    const [kind, ...rest] = name.split("\t");
    if (kind === "comment" && rest[0] === page.view) {
      const [, path, side, start, end] = rest;
      const section = path && [...document.querySelectorAll(".file")].find((file) => file.dataset.path === path);
      const line = (n) => section?.querySelector(`#${CSS.escape(section.dataset.key + (side === "old" ? "o" : "n") + n)}`);
      if (!path) onReview(text);
      else if (section && !side) onFile(section, text);
      else if (section && line(start) && line(end)) onLines(line(start), line(end), text);
      else if (section) onFile(section, text);
    } else if (kind === "reply" || kind === "edit" || kind === "resolve") {
      openThread(kind, rest[0], text);
    }
  }
}
