// What can be done with a thread: reply, edit, resolve, reopen, withdraw, answer a proposal, choose a candidate.

import { cardOf, OF_THREAD } from "./dom.js";
import { fragment, page, readJson, tell, write } from "./server.js";
import { heard, placeCards } from "./refresh.js";
import { focusCard, open } from "./composer.js";

export function act(button) {
  const id = button.closest(".thread")?.dataset.thread;
  if (!id) return;
  const kind = button.dataset.act;
  if (OF_THREAD.includes(kind)) form(kind, id);
  else if (kind === "reopen") done(write("do/reopen", { threads: [id] }));
  else if (kind === "accept") done(write("do/answer", { threads: [id], answer: "accept" }));
  else if (kind === "move") done(write("do/move", { of: id, to: { candidate: Number(button.dataset.candidate) } }));
}

// Opens a form in a thread.
export async function form(kind, id, focus) {
  const thread = cardOf(id) ?? document.querySelector(`[data-comment="${CSS.escape(id)}"]`)?.closest(".thread");
  const slot = thread?.querySelector(".slot");
  const fold = thread?.querySelector(":scope > .fold");
  if (fold) fold.open = true;
  if (!slot || !page.writable) return;
  const put = (form) => slot.append(form);
  const common = { name: `${kind}\t${id}`, focus, put };
  // A reason may be left out.
  const withReason = (word, about, act) => {
    const send = ({ text }) => act(text.trim() || undefined);
    allowEmpty(open({ ...common, about, word, drafts: false, send }), () => done(act()));
  };
  if (kind === "reply") {
    open({ ...common, about: "Reply", word: "Reply", lines: linesOf(thread), send: (typed) => write("do/reply", { to: id, ...typed }) });
  } else if (kind === "resolve") {
    withReason("Resolve", "Why is it resolved? You may leave this empty.", (reason) => write("do/resolve", { threads: [id], reason }));
  } else if (kind === "withdraw") {
    withReason("Withdraw", "Why do you withdraw it? You may leave this empty. Nobody sees the thread afterwards.", (reason) => withdraw(id, reason));
  } else if (kind === "decline") {
    withReason("Decline", "Why is it not done? You may leave this empty.", (reason) => write("do/answer", { threads: [id], answer: "decline", reason }));
  } else if (kind === "edit") {
    const { text } = await readJson("source", { id });
    open({ ...common, about: "Edit the first comment", word: "Save", drafts: false, text, send: ({ text }) => write("do/edit", { of: id, text }) });
  }
}

// Withdraws a thread: its card goes.
async function withdraw(id, reason) {
  await write("do/withdraw", { comments: [id], reason });
  cardOf(id)?.remove();
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

// A form that may be sent without a word.
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
    // What is withdrawn has no card.
    if (!reply) return;
    await placeCards(fragment(reply.html), true);
    focusCard(reply.threads[0]);
  } catch (error) {
    tell(error.message);
  }
}
