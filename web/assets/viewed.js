// Which files one has viewed; the server keeps it, with the change that was seen.

import { byId, all, one } from "./dom.js";
import { page, say, tell, write } from "./server.js";

export const isFolded = (file) => "folded" in file.dataset;

export function fold(file, folded = !isFolded(file)) {
  file.toggleAttribute("data-folded", folded);
  const body = file.querySelector(".body");
  if (folded) body.setAttribute("hidden", "until-found");
  else body.removeAttribute("hidden");
  file.querySelector(".toggle").setAttribute("aria-expanded", String(!folded));
}

// What the browser finds in a folded file unfolds it.
addEventListener("beforematch", ({ target }) => {
  const file = target.closest?.(".file");
  if (file) fold(file, false);
});

const isViewed = (node) => node.dataset.viewed === "yes";

// Marks a file as viewed, or not; a file that was viewed is folded.
export function view(file, now = !isViewed(file)) {
  const box = file.getBoundingClientRect();
  set([file], now);
  // Its head stays in sight when what is below it goes.
  if (now && box.top < 0) file.scrollIntoView({ block: "start", behavior: "instant" });
}

export function viewFolder(button) {
  const rows = all("li[data-row]", button.closest(".folder"));
  const now = rows.some((row) => !isViewed(row));
  set(rows.map((row) => byId(`f-${row.dataset.row}`)).filter(Boolean), now);
  say(`${rows.length} files marked as ${now ? "" : "not "}viewed`);
}

function set(files, now) {
  const marks = files.map((file) => [file.dataset.key, now ? file.dataset.change ?? "" : ""]);
  for (const file of files) {
    const row = one(`#tree [data-row="${file.dataset.key}"]`);
    for (const node of [file, row].filter(Boolean)) {
      if (now) node.dataset.viewed = "yes";
      else delete node.dataset.viewed;
    }
    file.querySelector("[data-act=view]")?.setAttribute("aria-pressed", String(now));
    fold(file, now);
  }
  count();
  if (page.writable) write("viewed", [page.scope, marks]).catch((error) => tell(error.message));
}

function count() {
  const seen = document.querySelectorAll("#tree li[data-viewed=yes]").length;
  const shown = byId("viewed-count");
  if (shown) shown.textContent = seen ? `${seen} viewed` : "";
}

// The next file that was not viewed, after this one or from the top.
export function nextUnviewed(file) {
  const files = all(".file");
  const at = files.indexOf(file);
  return [...files.slice(at + 1), ...files.slice(0, at + 1)].find((other) => !isViewed(other));
}
