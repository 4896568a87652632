// The cursor: a real focus that moves from line to line, and the lines that are picked for a comment.

import { byId, all, sideOf, focusOn, make, one } from "./dom.js";
import { beside, isLine, isSplit, lineOf, rowEnd } from "./blocks.js";
import { number, onLines } from "./composer.js";
import { say } from "./server.js";

let cursor = null;
let extent = null;

export const line = () => (cursor?.isConnected ? cursor : null);

addEventListener("focusin", ({ target }) => {
  if (!isLine(target) || target === cursor) return;
  if (cursor?.isConnected) { cursor.removeAttribute("tabindex"); cursor.removeAttribute("aria-label"); }
  cursor = target;
  target.ariaLabel = name(target);
});

// Makes the first line of the page reachable by Tab.
export function begin() {
  const first = one(".b > div");
  if (first && !line()) { first.tabIndex = 0; cursor = first; first.ariaLabel = name(first); }
}

function name(line) {
  const what = line.classList.contains("a") ? ", added" : line.classList.contains("d") ? ", removed" : "";
  let threads = 0;
  if (!rowEnd(line).nextElementSibling) {
    let next = line.parentElement.nextElementSibling;
    while (next?.matches(".thread, .composer")) { threads += next.matches(".thread"); next = next.nextElementSibling; }
  }
  return `${line.id ? `line ${number(line)}` : "line of the earlier version"}${what}${threads ? `, ${threads} thread${threads > 1 ? "s" : ""}` : ""}: ${line.textContent}`;
}

export function go(target) {
  if (!target) return;
  leave();
  if (isLine(target)) target.tabIndex = 0;
  focusOn(target);
  if (!isLine(target)) return target.scrollIntoView({ block: "start" });
  // One look at where it is: each costs a layout of the page.
  const { top, bottom } = target.getBoundingClientRect();
  if (top < 110 || bottom > innerHeight - 60) target.scrollIntoView({ block: "center" });
}

// The line of the next row in a direction, on the same side of a split if there is one.
export function nextRow(from, step) {
  if (!isSplit(from)) return next(from, step);
  let node = next(from, step);
  if (node && node === beside(from)) node = next(node, step);
  const other = node && isSplit(node) ? beside(node) : null;
  return other && sideOf(other) === sideOf(from) ? other : node;
}

// The line at the other side of the row, or the nearest one there.
export function across(from, side) {
  const isThere = (line) => sideOf(line) === side;
  if (isThere(from)) return from;
  const other = beside(from);
  if (other) return other;
  for (const step of [-1, 1]) {
    for (let node = next(from, step), tries = 0; node && tries < 200; node = next(node, step), tries += 1) if (isThere(node)) return node;
  }
  return from;
}

// The next line in a direction, across blocks and files.
export function next(from, step) {
  const across = step > 0 ? "nextElementSibling" : "previousElementSibling";
  let node = from[across];
  while (node && !isLine(node)) node = node[across];
  if (node) return node;
  const blocks = all(".b", from.closest(".file"));
  const block = blocks[blocks.indexOf(from.parentElement) + step];
  if (block) return edge(block, step);
  const files = all(".file");
  for (let at = files.indexOf(from.closest(".file")) + step; files[at]; at += step) {
    const found = "folded" in files[at].dataset ? [] : all(".b", files[at]);
    if (found.length) return edge(step > 0 ? found[0] : found.at(-1), step);
  }
  return null;
}

function edge(block, step) {
  const lines = [...block.children].filter(isLine);
  return step > 0 ? lines[0] : lines[lines.length - 1];
}

// The first line of the next change.
export function nextChange(from, step) {
  const changed = (line) => line.matches(".a, .d");
  let node = from;
  while (node && changed(node)) node = next(node, step);
  while (node && !changed(node)) node = next(node, step);
  if (step < 0) {
    let before = node && next(node, -1);
    while (before && changed(before) && before.closest(".file") === node.closest(".file")) { node = before; before = next(node, -1); }
  }
  return node;
}

// The thing after, or before, where one is: of threads and of files.
export function nextOf(selector, step) {
  const found = all(selector).filter((node) => !node.closest("[hidden]"));
  const at = document.activeElement;
  const here = found.findIndex((node) => node === at || node.contains(at));
  if (here >= 0) return found[here + step];
  const isAfter = (node) => at.compareDocumentPosition(node) & Node.DOCUMENT_POSITION_FOLLOWING;
  const after = found.findIndex((node) => at === document.body ? node.getBoundingClientRect().top > 100 : isAfter(node));
  return step > 0 ? found[after < 0 ? found.length : after] : found[(after < 0 ? found.length : after) - 1];
}

export const visible = () => {
  const column = byId("main").getBoundingClientRect();
  for (let y = 130; y < innerHeight; y += 20) {
    const found = lineOf(document.elementFromPoint(column.left + 60, y));
    if (found) return found;
  }
  return null;
};

// Picks lines with the keys: from where one began to the next or the last row.
let began = null;

export function extend(step) {
  const now = line();
  if (!now || document.activeElement !== now) return;
  if (!began?.isConnected || !extent) began = now;
  const to = nextRow(now, step);
  if (!to || to.closest(".file") !== began.closest(".file")) return;
  const from = began;
  go(to);
  mark(from, to);
  began = from;
  const [first, last] = picked();
  say(first === last ? `line ${number(first)}` : `lines ${number(first)} to ${number(last)}`);
}

// The first and the last line that are picked.
export function picked() {
  const found = all("[data-picked]");
  return found.length ? [found[0], found.at(-1)] : null;
}

// Picking lines with the mouse: a button beside the line, or its number; dragging picks several.
export function picking(writable) {
  if (!writable) return;
  const plus = make("button", { className: "plus-button", type: "button", textContent: "+", hidden: true, tabIndex: -1, ariaHidden: "true" });
  document.body.append(plus);
  let under = null;
  let from = null;
  const lineAt = (x, y) => lineOf(document.elementFromPoint(x, y));
  const gutter = ({ target, clientX }) => {
    const cell = target.closest(".b > div, .b > p");
    return clientX < cell.getBoundingClientRect().left + parseFloat(getComputedStyle(cell).paddingLeft);
  };
  addEventListener("pointermove", (event) => {
    const found = event.target === plus ? under : lineOf(event.target);
    if (from) {
      const over = lineAt(Math.max(event.clientX, from.getBoundingClientRect().left + 60), event.clientY);
      if (over) mark(from, over);
      return;
    }
    if (!found) { plus.hidden = true; return; }
    under = found;
    const box = found.getBoundingClientRect();
    plus.style.left = `${box.left + scrollX + 2}px`;
    plus.style.top = `${box.top + scrollY - 1}px`;
    plus.hidden = event.pointerType === "touch";
  });
  const begin = (event, line) => {
    event.preventDefault();
    if (event.shiftKey && cursor?.isConnected && cursor.closest(".file") === line.closest(".file")) { mark(cursor, line); return finish(); }
    from = line;
    mark(line, line);
  };
  plus.addEventListener("pointerdown", (event) => { if (under?.isConnected) begin(event, under); });
  addEventListener("pointerdown", (event) => {
    const line = lineOf(event.target);
    if (line && extent && !event.shiftKey) clear();
    if (line && event.button === 0 && gutter(event)) begin(event, line);
    else if (line) { line.tabIndex = 0; setTimeout(() => { if (getSelection().isCollapsed) focusOn(line); }); }
  });
  const finish = () => { const found = picked(); clear(); from = null; if (found) onLines(...found); };
  addEventListener("pointerup", () => { if (from) finish(); });
  addEventListener("keydown", ({ key }) => { if (key === "Escape" && from) { from = null; clear(); } });
}

// What was picked or selected is not meant any more.
export function leave() {
  if (extent) clear();
  const marked = getSelection();
  if (marked && !marked.isCollapsed) marked.removeAllRanges();
}

function clear() {
  for (const line of all("[data-picked]")) line.removeAttribute("data-picked");
  extent = null;
  began = null;
}

// Marks the lines from one to another of the same file, on the side where they end; in a split, where one began.
function mark(from, to) {
  clear();
  if (from.closest(".file") !== to.closest(".file")) to = from;
  const step = from.compareDocumentPosition(to) & Node.DOCUMENT_POSITION_PRECEDING ? -1 : 1;
  const side = sideOf(step > 0 && !isSplit(from) ? to : from);
  for (let node = from; node; node = next(node, step)) {
    if (sideOf(node) === side) { node.dataset.picked = ""; extent = node; }
    if (node === to) break;
  }
}
