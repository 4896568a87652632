// What can be done with a thread: reply, edit, resolve, reopen, choose a place.

import { fragment, page, readJson, tell, write } from "./server.js";
import { placeCards } from "./refresh.js";
import { focusCard, open } from "./composer.js";

const card = (id) => document.querySelector(`[data-thread="${CSS.escape(id)}"]`);

export function act(button) {
  const thread = button.closest(".thread");
  const { thread: id } = thread.dataset;
  const kind = button.dataset.act;
  if (kind === "reply" || kind === "resolve" || kind === "edit") form(kind, id);
  else if (kind === "reopen") done(write("do/reopen", { threads: [id] }));
  else if (kind === "move") done(write("do/move", { of: id, to: { candidate: Number(button.dataset.candidate) } }));
}

// Opens a form in a thread; `text` is what was typed there before.
export async function form(kind, id, text) {
  const thread = card(id) ?? document.querySelector(`[data-comment="${CSS.escape(id)}"]`)?.closest(".thread");
  const slot = thread?.querySelector(".slot");
  if (!slot || !page.writable) return;
  const fold = thread.querySelector(":scope > details.fold");
  if (fold) fold.open = true;
  const put = (form) => slot.append(form);
  const focus = text === undefined;
  if (kind === "reply") {
    open({ name: `reply\t${id}`, about: "Reply", word: "Reply", text, focus, put, send: (typed) => write("do/reply", { to: id, ...typed }) });
  } else if (kind === "resolve") {
    const send = ({ text }) => write("do/resolve", { threads: [id], reason: text.trim() || undefined });
    const made = open({ name: `resolve\t${id}`, about: "Why is it resolved? You may leave this empty.", word: "Resolve", drafts: false, text, focus, put, send });
    allowEmpty(made, () => done(write("do/resolve", { threads: [id] })));
  } else if (kind === "edit") {
    const source = text ?? (await readJson("source", `?id=${encodeURIComponent(id)}`)).text;
    open({ name: `edit\t${id}`, about: "Edit the first comment", word: "Save", drafts: false, text: source, focus, put, send: ({ text }) => write("do/edit", { of: id, text }) });
  }
}

// A reason may be left out.
function allowEmpty(form, run) {
  form.addEventListener("submit", (event) => {
    if (form.querySelector("textarea").value.trim()) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    form.remove();
    run();
  }, { capture: true });
}

async function done(writing) {
  try {
    const reply = await writing;
    await placeCards(fragment(reply.html), true);
    focusCard(reply.threads[0]);
  } catch (error) {
    tell(error.message);
  }
}
