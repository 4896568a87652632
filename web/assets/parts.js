// Parts of lines that threads are on, marked in the source. Columns count bytes, as the service does.

import { byId, all, lineId, textsIn } from "./dom.js";

const encoder = new TextEncoder();

// Where a byte of a line is: a text and an offset in it.
function point(line, byte) {
  let left = byte;
  let last = null;
  for (const node of textsIn(line)) {
    // A character that cannot be seen is named instead.
    const named = node.parentElement.closest("u");
    const size = named ? encoder.encode(meant(named.textContent)).length : encoder.encode(node.data).length;
    if (left < size || (left === size && size > 0)) {
      if (named) return [node, left === 0 ? 0 : node.length];
      let at = 0;
      for (const character of node.data) {
        if (left <= 0) break;
        left -= encoder.encode(character).length;
        at += character.length;
      }
      return [node, at];
    }
    left -= size;
    last = node;
  }
  return last ? [last, last.length] : null;
}

// How many bytes of a file a part of a line stands for.
export function bytesIn(part) {
  let count = 0;
  for (const node of textsIn(part)) {
    const around = node.parentElement;
    // What is said of bytes that are left out is none of them.
    if (around?.closest("em")) continue;
    // A character that is named counts once all of its name is there.
    const text = around?.closest("u") ? (/^(\\r|U\+[0-9A-F]{4,})$/.test(node.data) ? meant(node.data) : "") : node.data;
    count += encoder.encode(text).length;
  }
  return count;
}

function meant(name) {
  return name === "\\r" ? "\r" : String.fromCodePoint(parseInt(name.slice(2), 16) || 0xfffd);
}

// The range of a thread, or of a form, on the page.
function rangeOf({ dataset }) {
  const found = /^(\d+):(\d+)-(\d+):(\d+)$/.exec(dataset.range);
  const line = (number) => byId(lineId(dataset.file, dataset.side, number));
  const [first, last] = found ? [line(found[1]), line(found[3])] : [];
  const [from, to] = first && last ? [point(first, found[2] - 1), point(last, Number(found[4]))] : [];
  if (!from || !to) return null;
  const range = document.createRange();
  range.setStart(...from);
  range.setEnd(...to);
  return range;
}

// Marks the parts of lines of all threads that are shown, and what is being written about.
export function markParts() {
  if (!globalThis.Highlight || !CSS.highlights) return;
  const show = (name, selector) => {
    const ranges = all(selector).map(rangeOf).filter(Boolean);
    CSS.highlights.set(name, new Highlight(...ranges));
  };
  show("postil-parts", ".thread[data-range]");
  show("postil-written", ".composer[data-range]");
}
