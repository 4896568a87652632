// Applying suggestions to the files on disk: the plan is shown first, and what was shown is what is written.

import { all, make, complain, showDialog, template } from "./dom.js";
import { fragment, readParts, tell, write } from "./server.js";
import { heard, placeCards } from "./refresh.js";

// Shows what applying would do; without ids, of all suggestions that can be applied.
export async function applying(ids = []) {
  const dialog = make("dialog", { className: "applying" });
  const parts = template("applying");
  const [body, problem, send, resolve, undoing, close] = all(".plan-body, .problem, button, input", parts);
  undoing.addEventListener("click", () => { dialog.close(); undo(body.firstElementChild.dataset.undo); });
  close.addEventListener("click", () => dialog.close());

  const chosen = () => all("input:checked", body).map((box) => box.value);
  const fail = (error) => complain(problem, error);
  const load = async (of) => {
    const focus = document.activeElement?.value;
    body.replaceChildren(await readParts("plan", of.map((id) => ["id", id])));
    const { files, undo } = body.firstElementChild.dataset;
    send.disabled = Number(files) === 0;
    send.textContent = Number(files) === 1 ? "Write to the file" : `Write to ${files} files`;
    undoing.hidden = undo === undefined;
    undoing.textContent = `Undo ${undo}`;
    all("input", body).find((box) => box.value === focus)?.focus();
  };
  body.addEventListener("change", () => {
    const now = chosen();
    problem.hidden = true;
    if (now.length) return load(now).catch(fail);
    send.disabled = true;
    for (const part of all(".planned, .clash", body)) part.remove();
  });
  send.addEventListener("click", async () => {
    send.disabled = true;
    problem.hidden = true;
    const suggestions = chosen();
    try {
      const done = await write("do/apply", [suggestions, body.firstElementChild.dataset.token, resolve.checked]);
      dialog.close();
      if (done.cards) await placeCards(fragment(done.cards.html), true);
      heard({ kind: "reset" });
      const said = `Applied ${done.what} to ${done.files === 1 ? "1 file" : `${done.files} files`}.`;
      tell(done.unresolved ? `${said} The threads stay open: ${done.unresolved}` : said, { word: "Undo", run: () => undo(done.what) });
    } catch (error) {
      fail(error);
      // What is there now is shown, so that a person can decide again.
      await load(suggestions).catch(() => {});
    }
  });
  showDialog(dialog, "Apply suggestions", parts);
  await load(ids).catch(fail);
}

async function undo(what) {
  try {
    const done = await write("do/undo", what);
    heard({ kind: "reset" });
    tell(`Undid ${done.what}.`);
  } catch (error) {
    tell(error.message);
  }
}
