// What can be done with a thread: reply, edit, resolve, reopen, withdraw, answer a proposal, choose a candidate.

import { fragment, page, readJson, tell, write } from "./server.js";
import { heard, placeCards } from "./refresh.js";
import { focusCard, open } from "./composer.js";

const card = (id) => document.querySelector(`[data-thread="${CSS.escape(id)}"]`);

export function act(button) {
  const id = button.closest(".thread")?.dataset.thread;
  if (!id) return;
  const kind = button.dataset.act;
  if (["reply", "resolve", "edit", "withdraw", "decline"].includes(kind)) form(kind, id);
  else if (kind === "reopen") done(write("do/reopen", { threads: [id] }));
  else if (kind === "accept") done(write("do/answer", { threads: [id], answer: "accept" }));
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
    open({ name: `reply\t${id}`, about: "Reply", word: "Reply", text, focus, lines: linesOf(thread), put, send: (typed) => write("do/reply", { to: id, ...typed }) });
  } else if (kind === "resolve") {
    const send = ({ text }) => write("do/resolve", { threads: [id], reason: text.trim() || undefined });
    const made = open({ name: `resolve\t${id}`, about: "Why is it resolved? You may leave this empty.", word: "Resolve", drafts: false, text, focus, put, send });
    allowEmpty(made, () => done(write("do/resolve", { threads: [id] })));
  } else if (kind === "withdraw") {
    const send = ({ text }) => withdraw(id, text.trim() || undefined);
    const made = open({ name: `withdraw\t${id}`, about: "Why do you withdraw it? You may leave this empty. Nobody sees the thread afterwards.", word: "Withdraw", drafts: false, text, focus, put, send });
    allowEmpty(made, () => withdraw(id).catch((error) => tell(error.message)));
  } else if (kind === "decline") {
    const send = ({ text }) => write("do/answer", { threads: [id], answer: "decline", reason: text.trim() || undefined });
    const made = open({ name: `decline\t${id}`, about: "Why is it not done? You may leave this empty.", word: "Decline", drafts: false, text, focus, put, send });
    allowEmpty(made, () => done(send({ text: "" })));
  } else if (kind === "edit") {
    const source = text ?? (await readJson("source", `?id=${encodeURIComponent(id)}`)).text;
    open({ name: `edit\t${id}`, about: "Edit the first comment", word: "Save", drafts: false, text: source, focus, put, send: ({ text }) => write("do/edit", { of: id, text }) });
  }
}

// Withdraws a thread: its card goes.
async function withdraw(id, reason) {
  await write("do/withdraw", { comments: [id], reason });
  card(id)?.remove();
  heard({ kind: "changed", threads: [], gone: [id], said: "Withdrawn." });
}

// The lines that a thread is on now, for a reply that suggests others.
function linesOf(thread) {
  const { side, start, line, place } = thread.dataset;
  const file = thread.closest(".file");
  if (place !== "line" || !file || !start) return undefined;
  const path = side === "old" ? file.dataset.old || file.dataset.path : file.dataset.path;
  return { path, side, start: Number(start), end: Number(line) };
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
