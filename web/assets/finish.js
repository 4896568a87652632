// The end of a review: a verdict, and all drafts at once.

import { all, make, makeButton, makeProblem, complain, showDialog } from "./dom.js";
import { keeper } from "./composer.js";
import { page, readJson, tell, write } from "./server.js";

const VERDICTS = [
  ["comment", "Comment", "Publish what you wrote, without an opinion"],
  ["approve", "Approve", "This can be merged as it is"],
  ["changes", "Ask for changes", "Something must change first"],
];

export async function finish() {
  if (!page.writable || page.view === "reviews") return;
  const dialog = make("dialog");
  // Not all are on the page, but the head counts them; it may be a moment behind.
  const drafts = Math.max(parseInt(document.querySelector("#head .numbers .draft")?.textContent) || 0, all(".comment .chip.draft").length);
  const pending = make("p", { className: "about", textContent: drafts === 1 ? "1 draft will be published." : `${drafts} drafts will be published.` });
  const choices = make("div", { className: "choices", role: "radiogroup", ariaLabel: "Verdict" });
  for (const [value, word, what] of VERDICTS) {
    const input = make("input", { type: "radio", name: "verdict", value, checked: value === "comment" });
    choices.append(make("label", {}, input, make("span", {}, make("strong", { textContent: word }), ` \u2014 ${what}`)));
  }
  const area = make("textarea", { rows: 4, placeholder: "What do you think of it as a whole?", ariaLabel: "Text of the verdict" });
  const name = `verdict\t${page.review || page.view}`;
  area.value = (await readJson("typed").catch(() => ({})))[name] ?? "";
  const kept = keeper(name, area, make("span"));
  const problem = makeProblem();
  const send = make("button", { type: "submit", className: "button first", textContent: "Publish" });
  const row = make("div", { className: "row2" }, send, makeButton("Cancel", () => dialog.close()));
  const form = make("form", { className: "composer" }, pending, choices, area, row, problem);
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    send.disabled = true;
    problem.hidden = true;
    const verdict = form.querySelector(":checked").value;
    const review = page.review || undefined;
    try {
      const text = area.value.trim();
      if (drafts) await write("do/publish", { review });
      if (verdict !== "comment" || text) await write("do/verdict", { review, verdict, text });
      await kept.done();
      dialog.close();
      tell(verdict === "approve" ? "Approved." : verdict === "changes" ? "You asked for changes." : "Published.");
    } catch (error) {
      complain(problem, error);
      send.disabled = false;
    }
  });
  showDialog(dialog, "Finish the review", form);
}
