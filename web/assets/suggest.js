// Suggesting a change: the lines that a comment is on, to be edited, with what that changes below.

import { fragment, page, readJson, write } from "./server.js";

const PREVIEW_AFTER = 250;

// An editor of lines; `lines` names them, `keep` keeps what is typed. `value` is undefined while nothing was changed.
export function suggester(lines, keep) {
  const box = Object.assign(document.createElement("div"), { className: "suggest", hidden: true });
  const about = lines.start === lines.end ? `line ${lines.start}` : `lines ${lines.start} to ${lines.end}`;
  const id = `s-${Math.random().toString(36).slice(2)}`;
  const label = Object.assign(document.createElement("label"), { textContent: `Edit ${about}: this is what you suggest`, htmlFor: id });
  const area = Object.assign(document.createElement("textarea"), { id, className: "code-area", spellcheck: false, wrap: "off" });
  const preview = Object.assign(document.createElement("div"), { className: "preview" });
  const problem = Object.assign(document.createElement("p"), { className: "problem", hidden: true });
  problem.setAttribute("role", "alert");
  box.append(label, area, preview, problem);
  const kept = keep(area);
  let original = null;
  let timer = null;
  const whole = () => (area.value === "" || area.value.endsWith("\n") ? area.value : `${area.value}\n`);
  const show = async () => {
    try {
      const { html } = await write(`preview/${page.view}`, ["", [lines.path, lines.side, lines.start, lines.end, whole()]]);
      preview.replaceChildren(fragment(html));
      problem.hidden = true;
    } catch (error) {
      problem.textContent = error.message;
      problem.hidden = false;
    }
  };
  area.addEventListener("input", () => {
    area.rows = Math.min(24, area.value.split("\n").length + 1);
    clearTimeout(timer);
    timer = setTimeout(show, PREVIEW_AFTER);
  });
  return {
    box,
    area,
    done: kept.done,
    isOpen: () => !box.hidden,
    value: () => (box.hidden || original === null || whole() === original ? undefined : { replacement: whole() }),
    close: async () => { box.hidden = true; await kept.done(); },
    // Opens it with the lines as they are, or with what was typed before.
    async open(text, focus) {
      box.hidden = false;
      if (original === null) {
        const query = new URLSearchParams(lines);
        try {
          original = (await readJson(`text/${page.view}`, `?${query}`)).text;
        } catch (error) {
          problem.textContent = error.message;
          problem.hidden = false;
          return;
        }
        area.value = text ?? original.replace(/\n$/, "");
        kept.settle();
        area.rows = Math.min(24, area.value.split("\n").length + 1);
      }
      if (focus) area.focus();
      if (text !== undefined) show();
    },
  };
}
