// The file that one reads, marked in the tree.

import { byId, whenIdle } from "./dom.js";

// As they are now; to look for them each time would take longer than a frame may.
const files = document.getElementsByClassName("file");

export function isInSight(node) {
  const { top, bottom } = node.getBoundingClientRect();
  return bottom > 110 && top < innerHeight;
}

// The file in the window where the focus is, else the first.
export function fileHere() {
  const focused = document.activeElement?.closest?.(".file");
  if (focused && isInSight(focused)) return focused;
  let [first, end] = [0, files.length];
  while (first < end) {
    const middle = (first + end) >> 1;
    if (files[middle].getBoundingClientRect().bottom > 110) end = middle;
    else first = middle + 1;
  }
  return files[first] && isInSight(files[first]) ? files[first] : undefined;
}

export function mark() {
  const key = fileHere()?.dataset.key;
  const tree = byId("tree");
  const link = key && tree.querySelector(`[data-row="${key}"] > a`);
  const before = tree?.querySelector("[aria-current]");
  if (!link || link === before) return;
  before?.removeAttribute("aria-current");
  link.ariaCurrent = "true";
  // Who looks around there is left alone.
  if (tree.matches(":hover, :focus-within")) return;
  const [box, row] = [tree.getBoundingClientRect(), link.getBoundingClientRect()];
  if (row.top < box.top || row.bottom > box.bottom) tree.scrollTop += row.top - box.top - box.height / 2;
}

let planned = null;
addEventListener("scrollend", () => { planned ??= whenIdle(() => { planned = null; mark(); }); });
