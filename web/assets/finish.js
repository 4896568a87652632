// The end of a review: a verdict, and all drafts at once.

import { page, readJson, tell, write } from "./server.js";

const VERDICTS = [
  ["comment", "Comment", "Publish what you wrote, without an opinion"],
  ["approve", "Approve", "This can be merged as it is"],
  ["changes", "Ask for changes", "Something must change first"],
];

export async function finish() {
  if (!page.writable || page.view === "reviews") return;
  const dialog = document.createElement("dialog");
  dialog.setAttribute("aria-labelledby", "finish-title");
  const drafts = document.querySelectorAll(".comment .chip.draft").length;
  const title = Object.assign(document.createElement("h2"), { id: "finish-title", textContent: "Finish the review" });
  const form = Object.assign(document.createElement("form"), { className: "composer" });
  const pending = Object.assign(document.createElement("p"), { className: "about", textContent: drafts === 1 ? "1 draft will be published." : `${drafts} drafts will be published.` });
  const choices = Object.assign(document.createElement("div"), { className: "choices" });
  choices.setAttribute("role", "radiogroup");
  choices.setAttribute("aria-label", "Verdict");
  for (const [value, word, what] of VERDICTS) {
    const label = document.createElement("label");
    const input = Object.assign(document.createElement("input"), { type: "radio", name: "verdict", value, checked: value === "comment" });
    const text = document.createElement("span");
    text.append(Object.assign(document.createElement("strong"), { textContent: word }), ` \u2014 ${what}`);
    label.append(input, text);
    choices.append(label);
  }
  const area = Object.assign(document.createElement("textarea"), { rows: 4, placeholder: "What do you think of it as a whole?" });
  area.setAttribute("aria-label", "Text of the verdict");
  const name = `verdict\t${page.review || page.view}`;
  area.value = (await readJson("typed").catch(() => ({})))[name] ?? "";
  let timer;
  area.addEventListener("input", () => { clearTimeout(timer); timer = setTimeout(() => write("typed", [name, area.value]).catch(() => {}), 400); });
  const problem = Object.assign(document.createElement("p"), { className: "problem", hidden: true });
  const row = Object.assign(document.createElement("div"), { className: "row2" });
  const send = Object.assign(document.createElement("button"), { type: "submit", className: "button first", textContent: "Publish" });
  const cancel = Object.assign(document.createElement("button"), { type: "button", className: "button", textContent: "Cancel" });
  cancel.addEventListener("click", () => dialog.close());
  row.append(send, cancel);
  form.append(pending, choices, area, row, problem);
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
      clearTimeout(timer);
      await write("typed", [name, ""]).catch(() => {});
      dialog.close();
      tell(verdict === "approve" ? "Approved." : verdict === "changes" ? "You asked for changes." : "Published.");
    } catch (error) {
      problem.textContent = error.message;
      problem.hidden = false;
      send.disabled = false;
    }
  });
  dialog.append(title, form);
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}
