// What can be done with a thread: reply, edit, resolve, reopen, withdraw, answer a proposal, choose a candidate.

import { cardOf, OF_THREAD, one } from "./dom.js";
import { fragment, page, readJson, tell, write } from "./server.js";
import { heard, placeCards } from "./refresh.js";
import { focusCard, open } from "./composer.js";

export function act(button) {
  const id = button.closest(".thread")?.dataset.thread;
  if (!id) return;
  const kind = button.dataset.act;
  if (OF_THREAD.includes(kind)) form(kind, button.dataset.of ?? id);
  else if (kind === "accept") done(write("do/answer", { threads: [id], answer: "accept" }));
  else if (kind === "move") done(write("do/move", { of: id, to: { candidate: Number(button.dataset.candidate) } }));
}

// What a reason may be given for: what is asked, and what is sent.
const WITH_REASON = {
  resolve: ["Why is it resolved?", (threads, reason) => write("do/resolve", { threads, reason })],
  reopen: ["Why is it open again?", (threads, reason) => write("do/reopen", { threads, reason })],
  decline: ["Why is it not done?", (threads, reason) => write("do/answer", { threads, answer: "decline", reason })],
  withdraw: ["Why do you withdraw it? Nobody sees it afterwards.", withdraw],
};

// Opens a form in a thread: for the thread, or for a reply in it.
export async function form(kind, id, focus) {
  const card = () => cardOf(id) ?? one(`[data-comment="${CSS.escape(id)}"]`)?.closest(".thread");
  if (!card() || !page.writable) return;
  const { text } = kind === "edit" ? await readJson("source", { id }) : {};
  // The card may be another one by now.
  const thread = card();
  const slot = thread?.querySelector(".slot");
  const fold = thread?.querySelector(":scope > .fold");
  if (fold) fold.open = true;
  if (!slot) return;
  const common = { name: `${kind}\t${id}`, focus, put: (form) => slot.append(form) };
  const word = kind[0].toUpperCase() + kind.slice(1);
  if (kind === "reply") {
    open({ ...common, about: word, word, lines: linesOf(thread), send: (typed) => write("do/reply", { to: id, ...typed }) });
  } else if (kind === "edit") {
    const about = `Edit ${id === thread.dataset.thread ? "the first comment" : "your reply"}`;
    open({ ...common, about, word: "Save", drafts: false, text, send: ({ text }) => write("do/edit", { of: id, text }) });
  } else {
    const [asked, run] = WITH_REASON[kind];
    const send = ({ text }) => run([id], text.trim() || undefined);
    allowEmpty(open({ ...common, about: `${asked} You may leave this empty.`, word, drafts: false, send }), () => done(run([id])));
  }
}

// Withdraws a thread, whose card goes, or a reply.
async function withdraw(comments, reason) {
  const reply = await write("do/withdraw", { comments, reason });
  const card = cardOf(comments[0]);
  if (!card) return reply;
  card.remove();
  return heard({ kind: "changed", threads: [], gone: comments, said: "Withdrawn." });
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
