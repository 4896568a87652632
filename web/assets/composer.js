// Forms in which people write. What is typed is on the server within a second, and comes back after a reload or a crash.

import { byId, all, cardOf, current, OF_THREAD, lineId, sideOf, focusOn, complain, template } from "./dom.js";
import { fragment, page, readJson, tell, write } from "./server.js";
import { afterLine, isAfter } from "./blocks.js";
import { reveal } from "./context.js";
import { placeCards } from "./refresh.js";
import { suggester } from "./suggest.js";
import { markParts } from "./parts.js";
import { steady } from "./steady.js";

const SAVE_AFTER = 400;
// What is typed and not sent, by name; and the names of what has no form yet, since its place is not shown.
let before = {};
let waiting = new Set();

// Opens a form: `name` is where it is typed, `about` says so to people, `send` writes it. With `lines`, a change of them can
// be suggested. What was typed there before is in it, else `text`.
export function open({ name, about, text = "", focus = true, isNew = false, severities = false, drafts = true, word = "Comment", lines, send, put }) {
  waiting.delete(name);
  const known = all(".composer").find((form) => form.dataset.name === name);
  if (known) {
    const area = known.querySelector("textarea");
    area.value ||= before[name] ?? "";
    if (focus) area.focus();
    return known;
  }
  const form = template("composer").firstElementChild;
  const [label, area, preview, submit, draft, suggest, look, severity, tags, leave, saved, problem] =
    all("label, textarea, .preview, button, select, input, .saved, .problem", form);
  for (const [is, node] of [[drafts, draft], [lines, suggest], [severities, severity], [severities, tags]]) if (!is) node.remove();
  form.classList.toggle("fresh", isNew);
  form.dataset.name = name;
  label.textContent = area.ariaLabel = about;
  area.value = before[name] || text;
  submit.textContent = word;
  draft.addEventListener("click", () => sendIt(true));
  look.addEventListener("click", async () => {
    preview.hidden = !preview.hidden;
    look.textContent = preview.hidden ? "Preview" : "Hide preview";
    if (!preview.hidden) preview.replaceChildren(fragment((await write(`preview/${page.view || "changes"}`, [area.value, null])).html));
  });
  const keepers = [keeper(name, area, saved)];
  for (const [control, kind] of severities ? [[severity, "severity"], [tags, "tags"]] : []) {
    control.value = before[`${kind}\t${name}`] ?? "";
    keepers.push(keeper(`${kind}\t${name}`, control, saved));
  }
  const suggestion = lines ? suggester(lines, (editor) => keeper(`suggestion\t${name}`, editor, saved)) : null;
  suggest.addEventListener("click", async () => {
    suggest.textContent = suggestion.isOpen() ? "Suggest a change" : "Without a suggestion";
    if (suggestion.isOpen()) await suggestion.close();
    else await suggestion.open(undefined, true);
  });
  const discard = async () => {
    await Promise.all([...keepers, suggestion].map((keep) => keep?.done()));
    form.remove();
    form.dispatchEvent(new Event("closed"));
  };
  leave.addEventListener("click", discard);
  if (suggestion) area.after(suggestion.box);
  form.addEventListener("keydown", (event) => {
    if (event.key === "Escape") { event.stopPropagation(); if (!area.value.trim() && !suggestion?.value()) discard(); else event.target.blur(); }
  });
  const sendIt = async (isDraft) => {
    // The keys may be pressed twice.
    if (submit.disabled) return;
    const change = suggestion?.value();
    if (!area.value.trim() && !change) { area.focus(); return; }
    for (const control of all("button", form)) control.disabled = true;
    problem.hidden = true;
    try {
      // Whoever sends it again means where it is shown.
      const { find } = form;
      form.find = null;
      await find?.();
      const words = tags.value.split(/[\s,]+/).filter(Boolean);
      const reply = await send({
        text: area.value, draft: isDraft, severity: severity.value || undefined, tags: words.length ? words : undefined, suggestion: change,
      });
      await discard();
      if (reply?.html) {
        await placeCards(fragment(reply.html), true);
        focusCard(reply.threads[0]);
      }
    } catch (error) {
      complain(problem, error);
    } finally {
      for (const control of all("button", form)) control.disabled = false;
    }
  };
  form.addEventListener("submit", (event) => { event.preventDefault(); sendIt(false); });
  put(form);
  const typed = before[`suggestion\t${name}`];
  if (suggestion && typed !== undefined) { suggest.textContent = "Without a suggestion"; suggestion.open(typed, false); }
  if (focus) {
    focusOn(area);
    form.scrollIntoView({ block: "nearest" });
  }
  return form;
}

// Focuses the card of a thread, unless somebody writes elsewhere already.
export function focusCard(id) {
  if (document.activeElement?.closest(".composer")) return;
  focusOn(cardOf(id));
}

// Keeps a text on the server while it is typed.
export function keeper(name, area, saved) {
  let timer = null;
  let sent = area.value;
  let queue = Promise.resolve();
  const save = () => {
    timer = null;
    const text = area.value;
    if (text === sent) return queue;
    before[name] = sent = text;
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
      delete before[name];
      await queue;
      await write("typed", [name, ""]).catch(() => {});
    },
  };
}

// A comment on lines of a file: `from` and `to` are elements of lines, on one side; of a `part` of them, from a byte to a
// byte, with the words that were selected.
export function onLines(from, to, { focus, part, words } = {}) {
  const section = from.closest(".file");
  if (!from.id || !to.id) return tell("Only the earlier version has this line. Comment on a line beside it.");
  if ("hex" in section.dataset) return tell("The name of this file is not text; comment on it with postil comment.");
  const [first, last] = order(from, to);
  const side = sideOf(last);
  const path = section.dataset.path;
  const [start, end] = [number(first), number(last)];
  const span = { start, end, ...(part && { start_column: part.start + 1, end_column: part.end }) };
  const place = placeOf(section, side, span);
  const { message } = section.dataset;
  const about = () => {
    const lines = span.start === span.end ? `line ${span.start}` : `lines ${span.start} to ${span.end}`;
    const what = `${side === "old" ? "removed " : ""}${lines}`;
    return part ? `Comment on ${words ? quoted(words) : "a part"} in ${what} of ${path}` : `Comment on ${what} of ${path}`;
  };
  // Whole lines are edited for a suggestion; a part of them is not offered for it.
  const named = part || message || page.looks ? undefined : { path: place.path, side, start, end };
  const name = ["comment", page.view, path, side, start, end, ...(part ? [part.start, part.end, brief(words)] : [])].join("\t");
  const put = (form) => {
    form.dataset.at = lineId(section.dataset.key, side, span.end);
    Object.assign(form.dataset, { file: section.dataset.key, side, range: `${span.start}:${(part?.start ?? 0) + 1}-${span.end}:${part?.end ?? 1e6}` });
    const line = byId(form.dataset.at);
    if (line && !isAfter(line, form)) steady(() => afterLine(line, form));
    markParts();
  };
  return comment(name, about(), place, focus, (form) => {
    getSelection()?.removeAllRanges();
    put(form);
    form.addEventListener("closed", () => setTimeout(markParts));
    if (side === "old" || message) return;
    form.find = async () => {
      // On disk, lines move while somebody writes about them: the server knows what they were.
      if (!page.rev) Object.assign(span, await readJson("where", { name }));
      // It may be sent or discarded by now.
      if (!form.isConnected) return;
      if (named) Object.assign(named, span);
      const [label, area] = form.children;
      label.textContent = area.ariaLabel = about();
      put(form);
      const now = current(section);
      if (now) reveal(now, span.start, span.end);
    };
  }, named);
}

// The beginning of words, in one line.
function brief(words = "") {
  const letters = [...words.replace(/\s+/g, " ").trim()];
  return letters.length > 61 ? `${letters.slice(0, 60).join("")}\u2026` : letters.join("");
}

const quoted = (words) => `\u201c${brief(words)}\u201d`;

// Lines of a file or of a message, as the service knows them; none for all of it.
export function placeOf({ dataset }, side, span) {
  if (dataset.message) return { message: dataset.message, span };
  const path = side === "old" ? dataset.old || dataset.path : dataset.path;
  // What is deleted there is no line of the base of the review: it is one of the commit that still has it.
  if (side === "old" && page.oldRev) return { path, side: "new", span, rev: page.oldRev };
  return { path, side, span, rev: page.rev || undefined };
}

// A comment on a whole file, or message; with a `name`, one on lines that are gone.
export function onFile(section, focus, name) {
  const path = section.dataset.path;
  return comment(name ?? `comment\t${page.view}\t${path}`, `Comment on ${path}`, placeOf(section), focus, (form) =>
    section.querySelector(".whole").append(form));
}

// A comment on words of a page, as the server quoted them.
export function onWords(section, words, focus) {
  const path = section.dataset.path;
  const place = { path, rev: page.rev || undefined, ...words };
  const name = `words\t${page.view}\t${path}\t${encodeURIComponent(JSON.stringify(words))}`;
  return comment(name, `Comment on ${quoted(words.quote)} in ${path}`, place, focus, (form) => section.querySelector(".whole").append(form));
}

// A comment on the whole review.
export function onReview(focus) {
  const panel = byId("about");
  panel.hidden = false;
  return comment(`comment\t${page.view}`, "Comment on the whole review", undefined, focus, (form) => panel.append(form));
}

function comment(name, about, place, focus, put, lines) {
  const review = page.view.startsWith("review/") ? page.review || undefined : undefined;
  const message = place?.message && { rev: place.message, span: place.span };
  const send = (typed) => write("do/comment", { ...typed, ...(message ? { message } : { place }), review });
  return open({ name, about, focus, isNew: true, severities: true, lines, send, put });
}

export const number = (line) => Number(line.id.slice(11));

function order(from, to) {
  const isBefore = from.compareDocumentPosition(to) & Node.DOCUMENT_POSITION_PRECEDING;
  return isBefore ? [to, from] : [from, to];
}

// Opens the forms that were open when the page was left, with what was typed in them. Nobody asked for the focus.
export async function restore(openThread) {
  try {
    before = await readJson("typed");
  } catch {
    return;
  }
  // A suggestion without words was typed into a form as well.
  for (const name of Object.keys(before)) if (name.startsWith("suggestion\t")) before[name.slice(11)] ??= "";
  waiting = new Set(Object.keys(before));
  const again = () => { for (const name of waiting) reopen(name, openThread); };
  addEventListener("postil:refreshed", again);
  again();
}

// Opens one of them, if its place is shown.
function reopen(name, openThread) {
  const [kind, view, path, side, start, end, from, to, words] = name.split("\t");
  if (OF_THREAD.includes(kind)) return openThread(kind, view, false);
  if (view !== page.view) return waiting.delete(name);
  const section = all(".file").find((file) => file.dataset.path === path);
  if (kind === "comment" && !path) return onReview(false);
  if (!section) return;
  if (kind === "words") return onWords(section, JSON.parse(decodeURIComponent(side)), false);
  if (kind !== "comment") return waiting.delete(name);
  if (!side) return onFile(section, false);
  const line = (n) => byId(lineId(section.dataset.key, side, n));
  const part = from && { start: Number(from), end: Number(to) };
  if (line(start) && line(end)) onLines(line(start), line(end), { focus: false, part, words })?.find?.().catch(() => {});
  else if (!section.querySelector(".later") && !(side === "new" && reveal(section, Number(start), Number(end)))) onFile(section, false, name);
}
