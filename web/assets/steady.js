// Changes of the page that leave alone where one reads and writes.

import { byId, current, focusOn } from "./dom.js";
import { lineOf } from "./blocks.js";

// The field that somebody writes in, and where it is in the window.
let written = null;
for (const type of ["wheel", "touchmove", "pointerdown", "keydown"]) {
  addEventListener(type, () => { written = null; if (held) held.isPast = true; }, { capture: true, passive: true });
}

// What is held until all is laid out, and where the page is scrolled to.
let held = null;
let planned = false;
// What came near is laid out two frames later, and may be higher than was thought.
const FRAMES = 3;
const root = document.documentElement;

// Changes the page at once, and leaves where they are: the focus, what is marked in a field, and the line that one reads.
export function steady(work) {
  const focused = document.activeElement;
  const writes = focused?.matches?.("textarea");
  const range = writes ? [focused.selectionStart, focused.selectionEnd] : null;
  if (held) settle();
  // Who writes looks at what they write. Where that was counts until they move: in between, the page may be too short.
  if (writes && written?.area !== focused) written = { area: focused, top: focused.getBoundingClientRect().top };
  const before = written?.area.isConnected ? { ...written, seen: written.area } : current(held?.seen) && !held.isPast ? held : { seen: anchor() };
  const { seen, top = seen?.getBoundingClientRect().top } = before;
  // The browser would move the page as well.
  root.style.overflowAnchor = seen ? "none" : "";
  work();
  if (document.activeElement !== focused && focused && focused !== document.body) {
    const target = current(focused);
    if (target) {
      if (target.matches(".b > div")) target.tabIndex = 0;
      focusOn(target);
      if (range) target.setSelectionRange(...range);
    }
  }
  held = { seen, top, left: scrollY, frames: FRAMES };
  settle();
  plan();
}

function settle() {
  // Whoever scrolls is left alone from then on.
  if (Math.abs(scrollY - held.left) >= 1) return release();
  const now = current(held.seen);
  const moved = now ? now.getBoundingClientRect().top - held.top : 0;
  if (Math.abs(moved) > .5) { scrollBy({ top: moved, behavior: "instant" }); held.left = scrollY; }
}

function release() {
  held = null;
  root.style.overflowAnchor = "";
}

function plan() {
  if (planned) return;
  planned = true;
  requestAnimationFrame(() => {
    planned = false;
    if (held) settle();
    if (!held) return;
    held.frames -= 1;
    if (held.frames) plan();
    else release();
  });
}

// What one reads: where the focus is, if that is in view, else the first line or thread below the bar.
function anchor() {
  const node = (found) => found?.closest(".thread[id], .prose .page > *") ?? lineOf(found);
  const active = document.activeElement;
  const inView = (node) => { const { top, bottom } = node.getBoundingClientRect(); return bottom > 60 && top < innerHeight; };
  if (active?.matches(".b > div, .thread, textarea") && inView(active)) return active;
  const column = byId("main")?.getBoundingClientRect();
  if (!column) return null;
  for (let y = 120; y < innerHeight; y += 24) {
    const found = node(document.elementFromPoint(column.left + 40, y));
    if (found) return found;
  }
  return null;
}
