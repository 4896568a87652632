// Applying suggestions to the files on disk: the plan is shown first, and what was shown is what is written.

import { fragment, readText, tell, write } from "./server.js";
import { heard, placeCards } from "./refresh.js";

const make = (name, values) => Object.assign(document.createElement(name), values);

// Shows what applying would do; without ids, of all suggestions that can be applied.
export async function applying(ids = []) {
  const dialog = make("dialog", { className: "applying" });
  dialog.setAttribute("aria-labelledby", "apply-title");
  const body = make("div", { className: "plan-body" });
  const problem = make("p", { className: "problem", hidden: true });
  problem.setAttribute("role", "alert");
  const send = make("button", { type: "button", className: "button first", textContent: "Write to the files", disabled: true });
  const undoing = make("button", { type: "button", className: "button", hidden: true });
  const cancel = make("button", { type: "button", className: "button", textContent: "Close" });
  const resolve = make("input", { type: "checkbox" });
  const label = make("label", {});
  label.append(resolve, " resolve their threads");
  const row = make("div", { className: "row2" });
  row.append(send, label, undoing, cancel);
  dialog.append(make("h2", { id: "apply-title", textContent: "Apply suggestions" }), body, problem, row);
  dialog.addEventListener("close", () => dialog.remove());
  cancel.addEventListener("click", () => dialog.close());

  const chosen = () => [...body.querySelectorAll("input:checked")].map((box) => box.value);
  const fail = (error) => { problem.textContent = error.message; problem.hidden = false; };
  const load = async (of) => {
    const focus = document.activeElement?.value;
    body.replaceChildren(fragment(await readText("plan", of.length ? `?${of.map((id) => `id=${encodeURIComponent(id)}`).join("&")}` : "")));
    const { files, undo } = body.firstElementChild.dataset;
    send.disabled = Number(files) === 0;
    send.textContent = Number(files) === 1 ? "Write to the file" : `Write to ${files} files`;
    undoing.hidden = undo === undefined;
    undoing.textContent = `Undo ${undo}`;
    undoing.title = "Undo what was applied last";
    [...body.querySelectorAll("input")].find((box) => box.value === focus)?.focus();
  };
  body.addEventListener("change", () => {
    const now = chosen();
    problem.hidden = true;
    if (now.length) return load(now).catch(fail);
    send.disabled = true;
    for (const part of body.querySelectorAll(".planned, .clash")) part.remove();
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
  undoing.addEventListener("click", () => { dialog.close(); undo(body.firstElementChild.dataset.undo); });
  document.body.append(dialog);
  dialog.showModal();
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
