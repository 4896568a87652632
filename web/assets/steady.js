// Changes of the page that leave alone where one reads and writes.

import { byId, current, focusOn } from "./dom.js";
import { lineOf } from "./blocks.js";

// The field that somebody writes in, and where it is in the window.
let written = null;
for (const type of ["wheel", "touchmove", "pointerdown", "keydown"]) {
  addEventListener(type, () => { written = null; }, { capture: true, passive: true });
}

// Changes the page at once, and leaves where they are: the focus, what is marked in a field, and the line that one reads.
export function steady(work) {
  const focused = document.activeElement;
  const writes = focused?.matches?.("textarea");
  const range = writes ? [focused.selectionStart, focused.selectionEnd] : null;
  // Who writes looks at what they write. Where that was counts until they move: in between, the page may be too short.
  if (writes && written?.area !== focused) written = { area: focused, top: focused.getBoundingClientRect().top };
  const kept = written?.area.isConnected ? written : null;
  const seen = kept ? kept.area : anchor();
  const top = kept ? kept.top : seen?.getBoundingClientRect().top;
  // The browser would move the page as well.
  const root = document.documentElement;
  root.style.overflowAnchor = "none";
  work();
  if (document.activeElement !== focused && focused && focused !== document.body) {
    const target = current(focused);
    if (target) {
      if (target.matches(".b > div")) target.tabIndex = 0;
      focusOn(target);
      if (range) target.setSelectionRange(...range);
    }
  }
  // What came near is laid out only now, and may be higher than was thought: for two frames.
  let left = scrollY;
  const settle = () => {
    const now = current(seen);
    // Whoever scrolls is left alone from then on.
    left = Math.abs(scrollY - left) < 1 ? scrollY : NaN;
    const moved = now && left >= 0 ? now.getBoundingClientRect().top - top : 0;
    if (Math.abs(moved) > 1) { scrollBy({ top: moved, behavior: "instant" }); left = scrollY; }
  };
  settle();
  requestAnimationFrame(() => {
    settle();
    requestAnimationFrame(() => { settle(); root.style.overflowAnchor = ""; });
  });
}

// What one reads: where the focus is, if that is in view, else the first line or thread below the bar.
function anchor() {
  const node = (found) => found?.closest(".thread[id]") ?? lineOf(found);
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
