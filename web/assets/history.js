// The history of a thread, and what stands now where an outdated one was put.

import { byId, all, cardOf, lineId, make } from "./dom.js";
import { readParts } from "./server.js";
import { steady } from "./steady.js";

// The threads whose history is shown.
const shown = new Set();

// Shows or hides what happened in a thread.
export async function history(button) {
  const card = button.closest(".thread");
  const { thread } = card.dataset;
  if (shown.delete(thread)) {
    card.querySelector(".timeline")?.remove();
    button.ariaExpanded = "false";
  } else {
    shown.add(thread);
    await show(thread);
  }
}

// Shows it in cards that were made anew.
export const stay = () => shown.forEach((thread) => show(thread).catch(() => {}));

async function show(thread) {
  const lacksIt = (card) => card && shown.has(thread) && !card.querySelector(".timeline");
  if (!lacksIt(cardOf(thread))) return;
  const parts = await readParts("timeline", { id: thread });
  // The card may be another one by now.
  const card = cardOf(thread);
  if (!lacksIt(card)) return;
  const button = card.querySelector("[data-act=timeline]");
  steady(() => button.closest(".acts").before(parts));
  button.ariaExpanded = "true";
}

// Beside the lines that a thread was put on: the lines that are there now.
export function beside() {
  for (const now of all(".thread .was .now[hidden]")) {
    const { file, side, start, line } = now.closest(".thread").dataset;
    const lines = [];
    for (let at = Number(start); at <= Number(line); at += 1) {
      const found = byId(lineId(file, side, at));
      if (!found) break;
      lines.push(make("div", { className: "w" }, ...found.cloneNode(true).childNodes));
    }
    if (!lines.length) continue;
    now.append(make("div", { className: "snippet" }, ...lines));
    now.hidden = false;
  }
}
