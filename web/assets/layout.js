// Unified or split: changes one into the other, as the server would have rendered it (pages/layout.rs).

import { byId, all, lineId, make, one, whenIdle } from "./dom.js";
import { BLOCK, sizeClass } from "./blocks.js";
import { steady } from "./steady.js";
import { say, write } from "./server.js";

const narrow = matchMedia("(max-width: 64rem)");
const wanted = () => document.body.dataset.layout ?? "unified";
const shown = () => (wanted() === "split" && !narrow.matches ? "split" : "unified");

// Shows the other layout; the line that one reads stays where it is.
export function toggle() {
  if (narrow.matches) return say("The window is too narrow for a split view.");
  document.body.dataset.layout = wanted() === "split" ? "unified" : "split";
  say(wanted() === "split" ? "Split view" : "Unified view");
  write("layout", wanted()).catch(() => {});
  fitAll();
}

// Gives lines that came from the server the layout of the page.
export function fit(part) {
  const codes = part.matches?.(".code") ? [part] : part.querySelectorAll(".code:not(.single)");
  for (const code of codes) if (code.classList.contains("split") !== (shown() === "split")) change(code, shown() === "split");
}

function fitAll() {
  far = all(".file");
  const near = far.filter(isNear);
  steady(() => near.forEach(fit));
  dispatchEvent(new Event("postil:laid-out"));
  for (const button of all("[data-act=layout]")) button.ariaPressed = shown() === "split";
  whenIdle(rest);
}

function isNear(file) {
  const { top, bottom } = file.getBoundingClientRect();
  return bottom > -innerHeight && top < 2 * innerHeight;
}

// Files that are far are changed while nothing else happens.
let far = [];

function rest(deadline) {
  while (far.length && deadline.timeRemaining() > 5) fit(far.shift());
  if (far.length) whenIdle(rest);
}

export function start() {
  // The server rendered what was asked for, which a narrow window does not show.
  if (one(".code") && wanted() !== shown()) fitAll();
  narrow.addEventListener("change", fitAll);
}

function change(code, split) {
  const width = Number(code.className.match(/\bw(\d+)/)?.[1] ?? 2);
  const parts = stretches(code);
  const made = document.createDocumentFragment();
  for (const part of parts) {
    if (part.gap) made.append(part.gap);
    else emit(made, split ? beside(part.lines, width) : below(part.lines, width), part.under);
  }
  code.classList.toggle("split", split);
  code.replaceChildren(made);
}

// Lines without a gap between them, in the order of the diff, and what stands below each.
function stretches(code) {
  const parts = [];
  let part = null;
  let last = null;
  const open = () => { if (!part) parts.push(part = { lines: [], under: new Map() }); };
  for (const child of [...code.children]) {
    if (child.matches(".gap, .later")) { parts.push({ gap: child }); part = null; continue; }
    open();
    if (child.matches(".b")) {
      for (const node of child.children) if (node.localName === "div") { part.lines.push(node); last = node; }
      continue;
    }
    const { side, line, at, file } = child.dataset;
    const id = at ?? (line && lineId(file, side, line));
    const owner = (id && byId(id)) ?? last;
    if (owner) part.under.set(owner, [...(part.under.get(owner) ?? []), child]);
  }
  return parts;
}

const mark = (line) => (line.classList.contains("d") ? "d" : line.classList.contains("a") ? "a" : "");
const own = (line) => line.id.slice(11);

// Rows of a unified diff: what was deleted comes first.
function below(lines, width) {
  const rows = [];
  const none = " ".repeat(width);
  each(lines, (kept) => {
    const copy = kept.previousElementSibling;
    const before = copy?.localName === "p" ? copy.dataset.n.trim() : "";
    kept.dataset.n = `${before.padStart(width)} ${own(kept).padStart(width)}   `;
    rows.push([kept]);
  }, (old, fresh) => {
    for (const line of old) { line.dataset.n = `${own(line).padStart(width)} ${none} \u2212 `; rows.push([line]); }
    for (const line of fresh) { line.dataset.n = `${none} ${own(line).padStart(width)} + `; rows.push([line]); }
  });
  return rows;
}

// Rows of a split: deleted and added lines in pairs, unchanged ones twice.
function beside(lines, width) {
  const rows = [];
  each(lines, (kept) => {
    const copy = make("p", { ariaHidden: "true" }, ...kept.cloneNode(true).childNodes);
    copy.dataset.n = `${kept.dataset.n.slice(0, width)}   `;
    kept.dataset.n = `${own(kept).padStart(width)}   `;
    rows.push([copy, kept]);
  }, (old, fresh) => {
    for (const line of old) line.dataset.n = `${own(line).padStart(width)} \u2212 `;
    for (const line of fresh) line.dataset.n = `${own(line).padStart(width)} + `;
    for (let at = 0; at < Math.max(old.length, fresh.length); at += 1) rows.push([old[at], fresh[at]].filter(Boolean));
  });
  return rows;
}

function each(lines, kept, changed) {
  let [old, fresh] = [[], []];
  const flush = () => { if (old.length || fresh.length) { changed(old, fresh); [old, fresh] = [[], []]; } };
  for (const line of lines) {
    const what = mark(line);
    if (!what) { flush(); kept(line); }
    else (what === "d" ? old : fresh).push(line);
  }
  flush();
}

function emit(made, rows, under) {
  let block = [];
  let count = 0;
  const close = () => {
    if (!count) return;
    made.append(make("div", { className: sizeClass(count) }, ...block));
    [block, count] = [[], 0];
  };
  for (const row of rows) {
    block.push(...row);
    count += 1;
    const cards = row.flatMap((line) => under.get(line) ?? []);
    if (count === BLOCK || cards.length) close();
    made.append(...cards);
  }
  close();
}
