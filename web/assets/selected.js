// What is selected in lines: whole lines, or a part of them from a byte to a byte, by the mouse or by the keys.

import { selectedRange, textsIn } from "./dom.js";
import { isSplit, lineOf } from "./blocks.js";
import { next } from "./cursor.js";
import { bytesIn } from "./parts.js";
import { say } from "./server.js";

const element = (node) => (node.nodeType === Node.TEXT_NODE ? node.parentElement : node);
const shown = (node) => element(node)?.closest?.(".b > div, .b > p") ?? null;
const isOld = (line) => line.matches(".d");

// How many bytes of a line are before a place in it.
function bytesBefore(row, node, offset) {
  const range = document.createRange();
  range.setStart(row, 0);
  range.setEnd(node, offset);
  return bytesIn(range.cloneContents());
}

// The length of a line without its end: what is behind it cannot be commented on.
function length(row) {
  const all = bytesIn(row);
  return row.textContent.endsWith("\\r") && row.lastChild?.nodeName === "U" ? all - 1 : all;
}

// What is selected: its first and its last line, and for parts of lines where it begins and ends, in bytes.
export function selectedLines() {
  const range = selectedRange();
  if (!range) return null;
  let [first, last] = [shown(range.startContainer), shown(range.endContainer)];
  if (!first || !last || first.closest(".file") !== last.closest(".file")) return null;
  let start = bytesBefore(first, range.startContainer, range.startOffset);
  let end = Math.min(bytesBefore(last, range.endContainer, range.endOffset), length(last));
  [first, last] = [lineOf(first), lineOf(last)];
  // A whole line that is selected ends at the beginning of the next one.
  while (end === 0 && last !== first) { last = next(last, -1); end = length(last); }
  while (first !== last && (isOld(first) !== isOld(last) || start >= length(first))) { first = next(first, 1); start = 0; }
  if (first === last && start >= end) return null;
  const isWhole = start === 0 && end === length(last);
  // Bytes that are no text are shown as something else, and cannot be counted.
  const isText = !first.textContent.includes("\ufffd") && !last.textContent.includes("\ufffd");
  return { first, last, part: isWhole || !isText ? undefined : { start, end }, range, text: getSelection().toString() };
}

const WORD = /[\p{L}\p{N}_]+|[^\s\p{L}\p{N}_]+/gu;

// Selects a word of a line: the one after what is selected, or the one before it; with `grow`, as well.
export function selectWord(line, step, grow) {
  const words = [...line.textContent.matchAll(WORD)].map(({ index, 0: word }) => [index, index + word.length]);
  if (!words.length) return;
  const now = offsets(line);
  let chosen;
  if (!now) chosen = step > 0 ? words[0] : words.at(-1);
  else if (!grow) chosen = (step > 0 ? words.find(([from]) => from >= now[1]) : words.findLast(([, to]) => to <= now[0])) ?? now;
  else if (step > 0) chosen = [now[0], words.find(([, to]) => to > now[1])?.[1] ?? now[1]];
  else chosen = [now[0], words.findLast(([, to]) => to < now[1] && to > now[0])?.[1] ?? now[1]];
  const [from, to] = [textAt(line, chosen[0], false), textAt(line, chosen[1], true)];
  getSelection().setBaseAndExtent(...from, ...to);
  say(getSelection().toString());
}

// Where the selection begins and ends in the text of a line, if it is in it.
function offsets(line) {
  const range = selectedRange();
  if (!range || !line.contains(range.startContainer) || !line.contains(range.endContainer)) return null;
  const before = document.createRange();
  before.setStart(line, 0);
  before.setEnd(range.startContainer, range.startOffset);
  const from = before.toString().length;
  return [from, from + range.toString().length];
}

function textAt(line, offset, isEnd) {
  const texts = textsIn(line);
  let left = offset;
  while (texts.length > 1 && (isEnd ? left > texts[0].length : left >= texts[0].length)) left -= texts.shift().length;
  return [texts[0], Math.min(left, texts[0].length)];
}

// While the mouse selects on one side of a split, the other side is left out.
addEventListener("pointerdown", ({ target, button }) => {
  const row = button === 0 && target.closest?.(".b > div, .b > p");
  if (!row || !isSplit(row)) return;
  row.closest(".code").dataset.selecting = row.matches("p, .d") ? "old" : "new";
});
