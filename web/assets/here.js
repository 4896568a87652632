// The file that one reads, marked in the tree.

import { byId, all } from "./dom.js";

export function isInSight(node) {
  const { top, bottom } = node.getBoundingClientRect();
  return bottom > 110 && top < innerHeight;
}

// The file in the window where the focus is, else the first.
export function fileHere() {
  const focused = document.activeElement?.closest?.(".file");
  return focused && isInSight(focused) ? focused : all(".file").find(isInSight);
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

addEventListener("scrollend", mark);
