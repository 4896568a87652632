// Colours of the code that is near, painted over the text, so that nothing in the document changes: what is found, marked or
// typed stays as it is. What goes out of sight gives its colours back.

import { all, textsIn, whenIdle } from "./dom.js";

const CLASSES = "csnkftpm";
// With forced colours, it would look marked.
const can = globalThis.Highlight && CSS.highlights && globalThis.StaticRange && !matchMedia("(forced-colors: active)").matches;
const sets = new Map();
const painted = new Map();

if (can) for (const name of CLASSES) {
  const set = new Highlight();
  sets.set(name, set);
  CSS.highlights.set(`postil-${name}`, set);
}

// The texts of a line, each with where it begins.
function textsOf(line) {
  let at = 0;
  return textsIn(line).map((node) => [node, (at += node.length) - node.length]);
}

function paint(line, colours, ranges) {
  const only = line.firstChild;
  // Most lines are one text: to walk over each would leave much behind that is thrown away.
  const texts = only?.nodeType === 3 && !only.nextSibling ? [[only, 0]] : textsOf(line);
  let first = 0;
  for (const [, name, from, to] of colours.matchAll(/([a-z])(\d+),(\d+)/g)) {
    const [start, end] = [Number(from), Number(to)];
    while (first < texts.length && texts[first][1] + texts[first][0].length <= start) first += 1;
    const begin = texts[first];
    const last = texts.findLast(([, at]) => at < end);
    if (!begin || !last || !sets.has(name)) continue;
    const range = new StaticRange({
      startContainer: begin[0], startOffset: start - begin[1], endContainer: last[0], endOffset: Math.min(end - last[1], last[0].length),
    });
    sets.get(name).add(range);
    ranges.push([name, range]);
  }
}

// Paints the lines of a block, or takes their colours back.
function near(block) {
  far(block);
  const ranges = [];
  for (const line of block.children) {
    const colours = (line.localName === "p" ? line.nextElementSibling : line)?.dataset.c;
    if (colours) paint(line, colours, ranges);
  }
  if (ranges.length) painted.set(block, ranges);
}

function far(block) {
  waiting.delete(block);
  for (const [name, range] of painted.get(block) ?? []) sets.get(name).delete(range);
  painted.delete(block);
}

// What came near is painted while nothing else happens: whoever scrolls past it is not kept waiting for it.
const waiting = new Set();
let planned = false;

function plan() {
  if (planned || !waiting.size) return;
  planned = true;
  whenIdle((left) => {
    planned = false;
    for (const block of waiting) {
      near(block);
      if (left.timeRemaining() < 3) break;
    }
    plan();
  }, { timeout: 100 });
}

export function start() {
  if (!can) return;
  addEventListener("contentvisibilityautostatechange", ({ target, skipped }) => {
    if (!target.matches?.(".b")) return;
    if (skipped) far(target);
    else waiting.add(target);
    plan();
  });
  again();
}

// Paints what is near and not painted as it is now: the page changed, or was there before this script.
export function again() {
  if (!can) return;
  for (const block of [...painted.keys()]) if (!block.isConnected) far(block);
  for (const file of all(".file > .body")) {
    if (!file.firstElementChild?.checkVisibility({ contentVisibilityAuto: true })) continue;
    for (const block of all(".b", file)) {
      if (block.firstElementChild?.checkVisibility({ contentVisibilityAuto: true })) near(block);
      else far(block);
    }
  }
}
