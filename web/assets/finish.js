// The end of a review: a verdict, and all drafts at once.

import { all, make, complain, showDialog, template, one } from "./dom.js";
import { keeper } from "./composer.js";
import { page, readJson, tell, write } from "./server.js";

export async function finish() {
  if (!page.writable || page.view === "reviews") return;
  const dialog = make("dialog");
  const form = template("finish").firstElementChild;
  const [pending, area, send, cancel, problem] = all(".about, textarea, button, .problem", form);
  // Not all are on the page, but the head counts them; it may be a moment behind.
  const drafts = Math.max(parseInt(one("#head .numbers .draft")?.textContent) || 0, all(".comment .chip.draft").length);
  pending.textContent = drafts ? `${drafts} draft${drafts > 1 ? "s" : ""} will be published.` : "You have no drafts.";
  const name = `verdict\t${page.review || page.view}`;
  area.value = (await readJson("typed").catch(() => ({})))[name] ?? "";
  const kept = keeper(name, area, make("span"));
  cancel.addEventListener("click", () => dialog.close());
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    if (send.disabled) return;
    const verdict = form.querySelector(":checked").value;
    const review = page.review || undefined;
    const text = area.value.trim();
    // There is nothing to publish.
    if (!drafts && verdict === "comment" && !text) return area.focus();
    send.disabled = true;
    problem.hidden = true;
    try {
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
