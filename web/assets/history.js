// The history of a thread, and what stands now where an outdated one was put.

import { byId, all, lineId, make } from "./dom.js";
import { readParts } from "./server.js";

// Shows or hides what happened in a thread.
export async function history(button) {
  const card = button.closest(".thread");
  const shown = card.querySelector(".timeline");
  if (shown) shown.remove();
  else button.closest(".acts").before(await readParts("timeline", { id: card.dataset.thread }));
  button.ariaExpanded = !shown;
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
