// Blocks of lines: what shares a row, how large a block is, and what stands below a line.

import { make } from "./dom.js";

export const BLOCK = 80;

export const isLine = (node) => node?.matches?.(".b > div") ?? false;

// The line that a node is in; the copy of an unchanged line on the old side of a split stands for that line.
export function lineOf(node) {
  const found = node?.closest?.(".b > div, .b > p");
  return found?.matches("p") ? found.nextElementSibling : found;
}

export const isSplit = (node) => node.closest(".code")?.classList.contains("split") ?? false;

// The line that shares the row of a split with this one, if there is one.
export function beside(line) {
  if (!isSplit(line)) return null;
  const [next, before] = [line.nextElementSibling, line.previousElementSibling];
  if (line.matches(".d") && next?.matches("div.a")) return next;
  if (line.matches(".a") && before?.matches("div.d")) return before;
  return null;
}

// The last line of the row that a line is in.
export function rowEnd(line) {
  const other = beside(line);
  return other?.matches(".a") ? other : line;
}

// The classes of a block with so many rows: one for each digit, as the server writes them (pages/file_section.rs).
export const sizeClass = (rows) => `b u${rows % 10} t${Math.floor(rows / 10)}`;

// Gives a block the class of its size: browsers need it while the block is out of sight.
function size(block) {
  let rows = 0;
  for (const node of block.children) if (node.localName === "div" && rowEnd(node) === node) rows += 1;
  block.className = sizeClass(Math.min(BLOCK, Math.max(1, rows)));
}

// Puts something below a line, outside of its block, which is cut in two.
export function afterLine(line, node) {
  const block = line.parentElement;
  const rest = [];
  for (let next = rowEnd(line).nextElementSibling; next; next = next.nextElementSibling) rest.push(next);
  if (rest.length) {
    const below = make("div", {}, ...rest);
    block.after(below);
    size(below);
  }
  size(block);
  let last = block;
  while (last.nextElementSibling?.matches(".thread, .composer")) last = last.nextElementSibling;
  last.after(node);
}

// Whether a card stands below this very line.
export function isAfter(line, card) {
  if (rowEnd(line).nextElementSibling) return false;
  let next = line.parentElement.nextElementSibling;
  while (next && !next.matches(".b, .gap")) {
    if (next === card) return true;
    next = next.nextElementSibling;
  }
  return false;
}
