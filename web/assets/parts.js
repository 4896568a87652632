// Parts of lines that threads are on, marked in the source. Columns count bytes, as the service does.

const NAME = "postil-parts";
const encoder = new TextEncoder();

// Where a byte of a line is: a text and an offset in it.
function point(line, byte) {
  const walker = document.createTreeWalker(line, NodeFilter.SHOW_TEXT);
  let left = byte;
  let last = null;
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
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

function meant(name) {
  return name === "\\r" ? "\r" : String.fromCodePoint(parseInt(name.slice(2), 16) || 0xfffd);
}

// Marks the parts of lines of all threads that are shown.
export function markParts() {
  if (!globalThis.Highlight || !CSS.highlights) return;
  const ranges = [];
  for (const { dataset } of document.querySelectorAll(".thread[data-range]")) {
    const found = /^(\d+):(\d+)-(\d+):(\d+)$/.exec(dataset.range);
    const line = (number) => document.getElementById(`${dataset.file}${dataset.side === "old" ? "o" : "n"}${number}`);
    const [first, last] = found ? [line(found[1]), line(found[3])] : [];
    const [from, to] = first && last ? [point(first, found[2] - 1), point(last, Number(found[4]))] : [];
    if (!from || !to) continue;
    const range = document.createRange();
    range.setStart(...from);
    range.setEnd(...to);
    ranges.push(range);
  }
  CSS.highlights.set(NAME, new Highlight(...ranges));
}
