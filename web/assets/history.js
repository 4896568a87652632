// The history of a thread, and what stands now where an outdated one was put.

import { fragment, readText, tell } from "./server.js";

// Shows or hides what happened in a thread.
export async function history(button) {
  const card = button.closest(".thread");
  const shown = card.querySelector(".timeline");
  button.setAttribute("aria-expanded", String(!shown));
  if (shown) return shown.remove();
  try {
    const list = fragment(await readText("timeline", `?id=${encodeURIComponent(card.dataset.thread)}`)).firstElementChild;
    button.closest(".acts").before(list);
  } catch (error) {
    button.setAttribute("aria-expanded", "false");
    tell(error.message);
  }
}

// Beside the lines that a thread was put on: the lines that are there now.
export function beside() {
  for (const now of document.querySelectorAll(".thread .was .now[hidden]")) {
    const { file, side, start, line } = now.closest(".thread").dataset;
    const lines = [];
    for (let at = Number(start); at <= Number(line); at += 1) {
      const found = document.getElementById(`${file}${side === "old" ? "o" : "n"}${at}`);
      if (!found) break;
      const copy = document.createElement("div");
      copy.className = "w";
      copy.append(...[...found.childNodes].map((node) => node.cloneNode(true)));
      lines.push(copy);
    }
    if (!lines.length) continue;
    const snippet = Object.assign(document.createElement("div"), { className: "snippet" });
    snippet.append(...lines);
    now.append(snippet);
    now.hidden = false;
  }
}
