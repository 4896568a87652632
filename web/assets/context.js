// Lines that are left out: more of them, where one is or everywhere.

import { all, current, focusOn, refreshed, make } from "./dom.js";
import { page, readParts, say } from "./server.js";
import { fit } from "./layout.js";
import { heard } from "./refresh.js";
import { steady } from "./steady.js";

const STEP = 10;
const MAX_LINES = 20000;

// Shows the lines of a gap: all, ten at its top, or from one of them to its end, or until another.
export async function expand(gap, { side, at, until } = {}) {
  const section = gap.closest(".file");
  const [from, to] = [Number(gap.dataset.from), Number(gap.dataset.to)];
  const begin = at === undefined ? from : Number(at);
  const end = Math.min(until ?? (side === "top" ? from + STEP : to), to, begin + MAX_LINES);
  gap.ariaBusy = "true";
  const query = { path: section.dataset.path, from: begin, to: end };
  const parts = await readParts(`lines/${page.view}`, query).finally(() => { gap.ariaBusy = null; });
  const code = parts.querySelector(".code");
  // The file may be another one by now.
  const now = current(section);
  gap = gap.isConnected ? gap : now?.querySelector(`.gap[data-from="${from}"][data-to="${to}"]`);
  if (!code || !gap || code.dataset.digest !== now.dataset.digest) return heard({ kind: "files" });
  fit(code);
  const first = code.querySelector(".b > div");
  const focused = gap.contains(document.activeElement);
  steady(() => gap.replaceWith(...rest(from, begin, gap), ...code.children, ...rest(end, to, gap)));
  refreshed();
  if (focused) { first.tabIndex = 0; focusOn(first); }
}

// What is still left out on one side of the lines that came.
function rest(from, to, gap) {
  if (from >= to) return [];
  const left = make("div", { className: "gap" });
  Object.assign(left.dataset, { from, to });
  const button = (text, data) => {
    const made = make("button", { type: "button", textContent: text });
    Object.assign(made.dataset, { act: "expand", ...data });
    left.append(made);
  };
  if (to - from > 2 * STEP && from > 0) button(`+${STEP} below`, { side: "top" });
  button(`Show ${to - from} unchanged line${to - from > 1 ? "s" : ""}`, {});
  const above = gap.querySelector("[data-at]");
  if (above && to === Number(gap.dataset.to) && Number(above.dataset.at) >= from) left.append(above.cloneNode(true));
  return [left];
}

// Shows lines that somebody writes about, and three on each side, if they are left out; returns whether they are.
export function reveal(file, start, end) {
  const gap = all(".gap", file).find(({ dataset: { from, to } }) => from < end && start <= to);
  if (gap && !gap.ariaBusy) expand(gap, { at: Math.max(gap.dataset.from, start - 4), until: end + 3 }).catch(() => {});
  return Boolean(gap);
}

// More lines where the cursor is: those below it, else those above.
export function more(line) {
  const gaps = line ? all(".gap", line.closest(".file")) : [];
  const below = gaps.find((gap) => line.compareDocumentPosition(gap) & Node.DOCUMENT_POSITION_FOLLOWING);
  const gap = below ?? gaps.at(-1);
  if (gap) return expand(gap, Number(gap.dataset.to) - Number(gap.dataset.from) > 2 * STEP && below ? { side: "top" } : {});
  say("All lines of this file are shown.");
}

// All lines of the files that are in sight, and then of all others.
export async function everything() {
  const files = all(".file");
  const top = (file) => Math.abs(file.getBoundingClientRect().top);
  files.sort((a, b) => top(a) - top(b));
  for (const { id } of files) for (const gap of all(`#${id} .gap`)) if (gap.isConnected) await expand(gap);
  say("All lines are shown.");
}
