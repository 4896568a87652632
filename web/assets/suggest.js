// Suggesting a change: the lines that a comment is on, to be edited, with what that changes below.

import { make, makeProblem, complain } from "./dom.js";
import { fragment, page, readJson, write } from "./server.js";

const PREVIEW_AFTER = 250;

// An editor of lines; `lines` names them, `keep` keeps what is typed. `value` is undefined while nothing was changed.
export function suggester(lines, keep) {
  const about = lines.start === lines.end ? `line ${lines.start}` : `lines ${lines.start} to ${lines.end}`;
  const id = `s-${Math.random().toString(36).slice(2)}`;
  const label = make("label", { textContent: `Edit ${about}: this is what you suggest`, htmlFor: id });
  const area = make("textarea", { id, className: "code-area", spellcheck: false, wrap: "off" });
  const preview = make("div", { className: "preview" });
  const problem = makeProblem();
  const box = make("div", { className: "suggest", hidden: true }, label, area, preview, problem);
  const kept = keep(area);
  let original = null;
  let timer = null;
  const whole = () => (area.value === "" || area.value.endsWith("\n") ? area.value : `${area.value}\n`);
  const grow = () => { area.rows = Math.min(24, area.value.split("\n").length + 1); };
  const show = async () => {
    const text = whole();
    try {
      const { html } = await write(`preview/${page.view}`, ["", [lines.path, lines.side, lines.start, lines.end, text]]);
      if (text === whole()) preview.replaceChildren(fragment(html));
      problem.hidden = true;
    } catch (error) {
      complain(problem, error);
    }
  };
  area.addEventListener("input", () => {
    grow();
    clearTimeout(timer);
    timer = setTimeout(show, PREVIEW_AFTER);
  });
  return {
    box,
    area,
    done: kept.done,
    isOpen: () => !box.hidden,
    value: () => (box.hidden || whole() === (original ?? "") ? undefined : { replacement: whole() }),
    close: async () => { box.hidden = true; await kept.done(); },
    // Opens it with what was typed before, or with the lines.
    async open(text, focus) {
      box.hidden = false;
      if (original === null) {
        area.value ||= text ?? "";
        try {
          original = (await readJson(`text/${page.view}`, lines)).text;
        } catch (error) {
          return complain(problem, error);
        }
        area.value ||= original.replace(/\n$/, "");
        kept.settle();
        grow();
      }
      if (focus) area.focus();
      if (text !== undefined) show();
    },
  };
}
