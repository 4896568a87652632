// Brings the page up to date, part by part, and leaves alone what one reads, has marked or types.

import { fragment, page, readJson, readText, say } from "./server.js";
import { afterLine, isAfter } from "./blocks.js";
import { fit } from "./layout.js";
import { steady } from "./steady.js";
import { fold, isFolded } from "./viewed.js";

export { afterLine };

const files = () => document.getElementById("files");
let waiting = null;
let wanted = { threads: new Set(), gone: new Set(), files: false, parts: false, all: false, said: [] };

// Takes one piece of news; a burst of them is one refresh.
export function heard(news) {
  if (news.kind === "resolving") return resolving(true);
  if (news.kind === "lost" || news.kind === "ended") return;
  if (news.kind === "back") wanted.said.push("Connected again.");
  if (news.kind === "changed") {
    for (const id of news.threads) wanted.threads.add(id);
    for (const id of news.gone) wanted.gone.add(id);
    if (news.said) wanted.said.push(news.said);
    wanted.parts = true;
  } else if (news.kind === "placed") {
    wanted.files = wanted.parts = true;
    if (news.threads) for (const id of news.threads) wanted.threads.add(id);
    else wanted.all = true;
  } else if (news.kind === "files" || news.kind === "ready") {
    // What was saved while the page was on its way is not told by anyone.
    wanted.files = true;
  } else if (news.kind === "reset") {
    wanted.all = wanted.files = wanted.parts = true;
  }
  waiting ??= setTimeout(refresh, 30);
}

async function refresh() {
  waiting = null;
  const now = wanted;
  wanted = { threads: new Set(), gone: new Set(), files: false, parts: false, all: false, said: [] };
  if (page.view === "reviews" || page.view === "drift") return refreshOverview(now);
  try {
    if (now.files || now.all) now.parts = (await refreshFiles(now.all)) || now.parts;
    steady(() => {
      for (const id of now.gone) removeThread(id);
    });
    if (now.threads.size) await refreshThreads([...now.threads]);
    if (now.parts) await refreshParts();
    resolving(false);
    if (now.said.length) say(now.said.join(" "));
    document.dispatchEvent(new CustomEvent("postil:refreshed"));
  } catch {
    // What failed now is fetched with the next news, or when the connection is back.
    wanted.all = wanted.files = wanted.parts = true;
  }
}

async function refreshOverview(now) {
  const fresh = fragment(await readText(page.view)).querySelector("main");
  if (fresh) document.getElementById("main").replaceWith(fresh);
  if (now.said.length) say(now.said.join(" "));
}

// The files whose content differs from what is shown, and those with threads if any may have moved.
async function refreshFiles(withThreads) {
  const { files: known } = await readJson(`outline/${page.view}`);
  const stale = [];
  for (const { key, path, digest } of known) {
    const section = document.getElementById(`f-${key}`);
    if (!section || section.dataset.digest !== digest || (withThreads && section.querySelector(".thread"))) stale.push(path);
  }
  const keys = new Set(known.map(({ key }) => key));
  const isLeft = (section) => keys.has(section.dataset.key) || section.querySelector(".composer, .thread");
  const removed = [...document.querySelectorAll(".file")].filter((section) => !isLeft(section));
  steady(() => { for (const section of removed) section.remove(); });
  for (let at = 0; at < stale.length; at += 50) await fetchFiles(stale.slice(at, at + 50), known);
  return stale.length + removed.length > 0;
}

export async function fetchFiles(paths, order, context) {
  const query = paths.map((path) => `path=${encodeURIComponent(path)}`).join("&");
  const text = await readText(`files/${page.view}`, `?${query}${context ? `&context=${context}` : ""}`);
  const fresh = fragment(text);
  fit(fresh);
  steady(() => { for (const section of [...fresh.children]) replaceFile(section, order); });
}

function replaceFile(fresh, order) {
  const old = document.getElementById(fresh.id);
  if (!old) {
    document.querySelector("#files > .empty")?.remove();
    const rest = order ? order.slice(order.findIndex(({ key }) => key === fresh.dataset.key) + 1) : [];
    const next = rest.map(({ key }) => document.getElementById(`f-${key}`)).find(Boolean);
    files().insertBefore(fresh, next ?? null);
    return bringHome(fresh);
  }
  const marked = getSelection();
  if (marked && !marked.isCollapsed && old.contains(marked.anchorNode)) return announce(old, fresh);
  // What changed since it was viewed is shown again.
  if (old.dataset.viewed === fresh.dataset.viewed) fold(fresh, isFolded(old));
  carryForms(old, fresh);
  // A page that is read stays until it is fetched anew.
  const prose = old.querySelector(".prose");
  if (prose) {
    fresh.querySelector(".whole").after(prose);
    fresh.dataset.prose = "";
    fresh.querySelector("[data-act=prose]")?.setAttribute("aria-pressed", "true");
  }
  old.replaceWith(fresh);
  bringHome(fresh);
}

// A thread that is not seen any more; what is being typed into it stays.
function removeThread(id) {
  const card = document.querySelector(`[data-thread="${CSS.escape(id)}"]`);
  if (!card) return;
  shelter([...card.querySelectorAll(".composer")], card.closest(".file"));
  card.remove();
}

// Keeps forms while their thread is not shown: at the top of its file, or of the page.
function shelter(forms, section) {
  if (!forms.length) return;
  const panel = section?.querySelector(".whole") ?? document.getElementById("about");
  panel.append(...forms);
  panel.hidden = false;
}

// Takes forms that waited elsewhere back to their threads, which are shown again.
function bringHome(fresh) {
  for (const form of document.querySelectorAll(".composer")) {
    const thread = threadOf(form);
    const slot = thread && fresh.querySelector(`[data-thread="${CSS.escape(thread)}"] .slot`);
    if (slot && !form.closest(".thread")) slot.append(form);
  }
}

// Who has marked something in a file is asked before it changes.
function announce(old, fresh) {
  old.querySelector(".changed-note")?.remove();
  const note = Object.assign(document.createElement("p"), { className: "changed-note", textContent: "This file changed." });
  const button = Object.assign(document.createElement("button"), { type: "button", className: "act", textContent: "Show" });
  button.addEventListener("click", () => { getSelection().removeAllRanges(); note.remove(); steady(() => replaceFile(fresh)); });
  note.append(button);
  old.querySelector(".fh").after(note);
}

// Forms that are open move along: to their thread or line, or to the top of the file if that is gone.
function carryForms(old, fresh) {
  for (const form of old.querySelectorAll(".composer")) {
    const thread = threadOf(form);
    if (thread) {
      const slot = fresh.querySelector(`[data-thread="${CSS.escape(thread)}"] .slot`)
        ?? document.querySelector(`[data-thread="${CSS.escape(thread)}"] .slot`);
      if (slot && slot !== form.parentElement) { slot.append(form); continue; }
    }
    const line = form.dataset.at && fresh.querySelector(`#${CSS.escape(form.dataset.at)}`);
    if (line) afterLine(line, form);
    else fresh.querySelector(".whole").append(form);
  }
}

// The thread that a form belongs to, also while the thread is not shown: then the form waits at the top of its file.
function threadOf(form) {
  const [kind, id] = form.dataset.name.split("\t");
  return form.closest(".thread")?.dataset.thread ?? (["reply", "edit", "resolve", "withdraw", "decline", "place"].includes(kind) ? id : undefined);
}

async function refreshThreads(ids) {
  for (let at = 0; at < ids.length; at += 50) {
    const query = ids.slice(at, at + 50).map((id) => `id=${encodeURIComponent(id)}`).join("&");
    const cards = fragment(await readText(`threads/${page.view}`, `?${query}`));
    steady(() => { for (const { dataset } of cards.querySelectorAll("[data-gone]")) removeThread(dataset.gone); });
    await placeCards(cards);
  }
}

// Puts cards where they belong; `own` are those that this page wrote.
export async function placeCards(cards, own = false) {
  const lost = new Set();
  const all = [...cards.querySelectorAll(".thread")];
  if (page.view !== "changes") {
    // A card is placed for what is checked out; where it is in another branch, the diff of that branch says.
    await refetch(new Set(all.map((card) => card.dataset.file)));
    return refreshParts();
  }
  const placeOne = (card) => {
    const old = document.querySelector(`[data-thread="${CSS.escape(card.dataset.thread)}"]`);
    const open = old?.querySelector(":scope > details.fold")?.open;
    if (open) card.querySelector(":scope > details.fold")?.setAttribute("open", "");
    const isFresh = !own && old?.querySelector(".comments")?.textContent !== card.querySelector(".comments")?.textContent;
    // The form that was sent is gone already; any other one, opened meanwhile, stays open.
    const forms = [...document.querySelectorAll(".composer")].filter((form) => threadOf(form) === card.dataset.thread);
    const slot = card.querySelector(".slot");
    const isPut = put(card, old);
    if (!isPut) lost.add(card.dataset.file);
    // The card that had them may be gone by now.
    if (isPut && slot) slot.append(...forms);
    else shelter(forms, document.getElementById(`f-${card.dataset.file}`));
    if (isFresh) card.dataset.fresh = "";
  };
  steady(() => all.forEach(placeOne));
  // The line is not shown yet: the file is, with it.
  if (lost.size) await refetch(lost);
}

// Fetches files by their keys; those that only a thread brings into the diff are in no outline.
async function refetch(keys) {
  const { files: known } = await readJson(`outline/${page.view}`);
  const shown = [...document.querySelectorAll(".file")].map(({ dataset }) => ({ key: dataset.key, path: dataset.path }));
  const wanted = [...known, ...shown].filter(({ key }) => keys.has(key)).map(({ path }) => path);
  const paths = [...new Set(wanted)];
  if (paths.length) await fetchFiles(paths, known);
  else await refreshFiles(true);
}

function put(card, old) {
  const { place, file, side, line } = card.dataset;
  const instead = (parent) => {
    if (old && old.parentElement === parent) old.replaceWith(card);
    else { old?.remove(); parent.append(card); }
    parent.hidden = false;
    return true;
  };
  if (place === "review") return instead(document.getElementById("about"));
  if (place === "orphans") return instead(document.getElementById("orphans"));
  const section = document.getElementById(`f-${file}`);
  if (!section) { old?.remove(); return false; }
  if (place === "file") return instead(section.querySelector(".whole"));
  const at = document.getElementById(`${file}${side === "old" ? "o" : "n"}${line}`);
  if (!at) { old?.remove(); return false; }
  if (old && isAfter(at, old)) { old.replaceWith(card); return true; }
  old?.remove();
  afterLine(at, card);
  return true;
}

async function refreshParts() {
  const parts = fragment(await readText(`parts/${page.view}`));
  steady(() => replaceParts(parts));
}

function replaceParts(parts) {
  const head = document.getElementById("head");
  const fresh = parts.querySelector("#head");
  if (head.textContent !== fresh.textContent) head.replaceWith(fresh);
  const tree = document.getElementById("tree");
  const list = parts.querySelector("#tree .tree-list");
  const focus = tree.contains(document.activeElement) ? document.activeElement.getAttribute("href") : null;
  tree.querySelector(".tree-list").replaceWith(list);
  tree.querySelector(".count").textContent = list.querySelectorAll("li[data-row]").length;
  tree.querySelector(".viewed-count").textContent = parts.querySelector(".viewed-count").textContent;
  if (focus) tree.querySelector(`a[href="${CSS.escape(focus)}"]`)?.focus({ preventScroll: true });
  for (const id of ["about", "orphans"]) {
    const panel = document.getElementById(id);
    const now = parts.querySelector(`#${id}`);
    if (panel.querySelector(".composer")) continue;
    if (panel.textContent !== now.textContent || panel.hidden !== now.hidden) panel.replaceWith(now);
  }
}

function resolving(now) {
  for (const thread of document.querySelectorAll(".thread")) thread.toggleAttribute("data-resolving", now);
}
