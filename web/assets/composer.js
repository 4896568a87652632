// Forms in which people write. What is typed is on the server within a second, and comes back after a reload or a crash.

import { fragment, page, readJson, tell, write } from "./server.js";
import { afterLine, placeCards } from "./refresh.js";
import { suggester } from "./suggest.js";

const SEVERITIES = ["", "note", "nit", "issue", "blocker", "question", "praise"];
const SAVE_AFTER = 400;
// What was typed before the page was loaded, by name.
let before = {};

const make = (name, values) => Object.assign(document.createElement(name), values);

// Opens a form: `name` is where it is typed, `about` says so to people, `send` writes it. With `lines`, a change of them can
// be suggested.
export function open({ name, about, text = "", focus = true, isNew = false, severities = false, drafts = true, word = "Comment", lines, send, put }) {
  const known = [...document.querySelectorAll(".composer")].find((form) => form.dataset.name === name);
  if (known) { known.querySelector("textarea").focus(); return known; }
  const form = make("form", { className: isNew ? "composer fresh" : "composer" });
  form.dataset.name = name;
  const label = make("label", { textContent: about });
  const area = make("textarea", { value: text, rows: 4, placeholder: "Markdown, Ctrl+Enter to send" });
  area.setAttribute("aria-label", about);
  const row = make("div", { className: "row2" });
  const preview = make("div", { className: "preview", hidden: true });
  const problem = make("p", { className: "problem", hidden: true });
  problem.setAttribute("role", "alert");
  const saved = make("span", { className: "saved" });
  const submit = button("submit", word, "button first");
  const draft = drafts ? button("button", "Save as draft", "button") : null;
  const look = button("button", "Preview", "button");
  const cancel = button("button", "Discard", "button");
  const [severity, tags] = severities ? [severityChoice(), tagField()] : [null, null];
  const keepers = [[area, name], [severity, `severity\t${name}`], [tags, `tags\t${name}`]]
    .filter(([control]) => control)
    .map(([control, of]) => {
      if (control !== area) control.value = before[of] ?? "";
      return keeper(of, control, saved);
    });
  const suggestion = lines ? suggester(lines, (editor) => keeper(`suggestion\t${name}`, editor, saved)) : null;
  const suggest = suggestion ? button("button", "Suggest a change", "button") : null;
  row.append(submit, ...[draft, suggest, look, severity, tags, cancel, saved].filter(Boolean));
  form.append(label, area, ...[suggestion?.box].filter(Boolean), preview, row, problem);
  const forget = () => Promise.all([...keepers, ...(suggestion ? [suggestion] : [])].map((keep) => keep.done()));
  const discard = async () => { await forget(); form.remove(); form.dispatchEvent(new Event("closed")); };
  form.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) { event.preventDefault(); form.requestSubmit(); }
    if (event.key === "Escape") { event.stopPropagation(); if (!area.value.trim() && !suggestion?.value()) discard(); else event.target.blur(); }
  });
  cancel.addEventListener("click", discard);
  look.addEventListener("click", async () => {
    preview.hidden = !preview.hidden;
    look.textContent = preview.hidden ? "Preview" : "Hide preview";
    if (!preview.hidden) preview.replaceChildren(fragment((await write(`preview/${page.view || "changes"}`, [area.value, null])).html));
  });
  suggest?.addEventListener("click", async () => {
    suggest.textContent = suggestion.isOpen() ? "Suggest a change" : "Without a suggestion";
    if (suggestion.isOpen()) await suggestion.close();
    else await suggestion.open(undefined, true);
  });
  const sendIt = async (isDraft) => {
    const change = suggestion?.value();
    if (!area.value.trim() && !change) { area.focus(); return; }
    for (const control of form.querySelectorAll("button")) control.disabled = true;
    problem.hidden = true;
    try {
      const words = tags?.value.split(/[\s,]+/).filter(Boolean);
      const reply = await send({
        text: area.value, draft: isDraft, severity: severity?.value || undefined, tags: words?.length ? words : undefined, suggestion: change,
      });
      await forget();
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
  const typed = before[`suggestion\t${name}`];
  if (suggestion && typed !== undefined) { suggest.textContent = "Without a suggestion"; suggestion.open(typed, false); }
  if (focus) {
    area.focus({ preventScroll: true });
    form.scrollIntoView({ block: "nearest" });
  }
  return form;
}

function severityChoice() {
  const select = document.createElement("select");
  select.setAttribute("aria-label", "Severity");
  for (const word of SEVERITIES) select.append(new Option(word || "no severity", word));
  return select;
}

function tagField() {
  const field = make("input", { type: "text", className: "tags", placeholder: "tags" });
  field.setAttribute("aria-label", "Tags, with spaces between them");
  return field;
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
  area.addEventListener("input", () => { clearTimeout(timer); timer = setTimeout(save, SAVE_AFTER); });
  return {
    // What is in the field now is nothing that somebody typed.
    settle: () => { sent = area.value; },
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
  const named = { path: place.path, side, start, end };
  return comment(`comment\t${page.view}\t${path}\t${side}\t${start}\t${end}`, about, place, text, (form) => {
    form.dataset.at = last.id;
    afterLine(last, form);
  }, named);
}

// A comment on a whole file.
export function onFile(section, text) {
  const path = section.dataset.path;
  return comment(`comment\t${page.view}\t${path}`, `Comment on ${path}`, { path, rev: page.rev || undefined }, text, (form) =>
    section.querySelector(".whole").append(form));
}

// A comment on words of a page, as the server quoted them.
export function onWords(section, words, text) {
  const path = section.dataset.path;
  const place = { path, rev: page.rev || undefined, ...words };
  const short = words.quote.length > 60 ? `${words.quote.slice(0, 60)}\u2026` : words.quote;
  const name = `words\t${page.view}\t${path}\t${encodeURIComponent(JSON.stringify(words))}`;
  return comment(name, `Comment on \u201c${short}\u201d in ${path}`, place, text, (form) => section.querySelector(".whole").append(form));
}

// A comment on the whole review.
export function onReview(text) {
  const panel = document.getElementById("about");
  panel.hidden = false;
  return comment(`comment\t${page.view}`, "Comment on the whole review", undefined, text, (form) => panel.append(form));
}

function comment(name, about, place, text, put, lines) {
  const review = page.view.startsWith("review/") ? page.review || undefined : undefined;
  const send = (typed) => write("do/comment", { ...typed, place, review });
  // What was typed before is there again, and nobody asked for the focus.
  return open({ name, about, text, focus: text === undefined, isNew: true, severities: true, lines, send, put });
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
  before = texts;
  // A suggestion without words was typed into a form as well.
  for (const name of Object.keys(texts)) if (name.startsWith("suggestion\t")) texts[name.slice(11)] ??= "";
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
    } else if (kind === "words" && rest[0] === page.view) {
      const section = [...document.querySelectorAll(".file")].find((file) => file.dataset.path === rest[1]);
      if (section) onWords(section, JSON.parse(decodeURIComponent(rest[2])), text);
    } else if (["reply", "edit", "resolve", "withdraw", "decline"].includes(kind)) {
      openThread(kind, rest[0], text);
    }
  }
}
