// Brings the page up to date, part by part, and leaves alone what one reads, has marked or types.

import { byId, all, cardOf, slotOf, OF_THREAD, lineId, focusOn, refreshed, make, makeButton, one, selectedRange } from "./dom.js";
import { page, readJson, readParts, say } from "./server.js";
import { afterLine, isAfter } from "./blocks.js";
import { leave } from "./cursor.js";
import { fit } from "./layout.js";
import { steady } from "./steady.js";
import { fold, isFolded } from "./viewed.js";

// News in a burst is waited for; the first after a while is not.
const BURST = 30;
let waiting = null;
// What failed is asked for again, each time after a longer pause.
const [PAUSE, LONGEST] = [500, 10000];
let failed = 0;
let again = null;
let running = Promise.resolve();
let ended = -BURST;
const nothing = () => ({ threads: new Set(), gone: new Set(), files: false, parts: false, all: false, placed: false, said: [] });
let wanted = nothing();

// One answer has so many lines of files (serving/viewing.rs), with some room for what is new.
const MOST_LINES = 10000;

// Takes one piece of news; a burst of them is one refresh.
export function heard(news) {
  if (news.kind === "resolving") {
    resolving(true);
    // The new diff does not wait for the places of all threads.
    wanted.files = true;
  }
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
  wanted.placed ||= news.kind !== "resolving";
  soon();
}

function soon() {
  clearTimeout(again);
  waiting ??= setTimeout(() => {
    waiting = null;
    running = running.then(refresh);
  }, performance.now() - ended > BURST ? 0 : BURST);
}

async function refresh() {
  const now = wanted;
  wanted = nothing();
  try {
    await (page.view === "reviews" || page.view === "drift" ? refreshOverview(now) : refreshReview(now));
    failed = 0;
  } catch {
    // What failed now is fetched with the next news, or soon: there may be none.
    wanted.all = wanted.files = wanted.parts = wanted.placed = true;
    for (const id of now.threads) wanted.threads.add(id);
    for (const id of now.gone) wanted.gone.add(id);
    wanted.said.unshift(...now.said);
    failed += 1;
    clearTimeout(again);
    again = setTimeout(soon, Math.min(PAUSE * failed, LONGEST));
  }
  refreshed();
  ended = performance.now();
}

async function refreshReview(now) {
  if (now.files || now.all) {
    const fresh = await refreshFiles(now.all);
    if (fresh) now.parts = true;
    // Their cards came with their files.
    for (const id of now.threads) if (fresh?.has(cardOf(id)?.closest(".file")?.id)) now.threads.delete(id);
  }
  if (now.gone.size) steady(() => { for (const id of now.gone) removeThread(id); });
  if (now.threads.size) await refreshThreads([...now.threads]);
  // What else says where threads are comes once they are in their places.
  if (!now.placed) { wanted.parts ||= now.parts; return; }
  resolving(false);
  if (now.parts) await refreshParts();
  if (now.said.length) say(now.said.join(" "));
}

async function refreshOverview(now) {
  const fresh = (await readParts(page.view)).querySelector("main");
  if (fresh) byId("main").replaceWith(fresh);
  if (now.said.length) say(now.said.join(" "));
}

// The files whose content differs from what is shown, and those with threads if any may have moved; returns which of them were
// fetched, if anything changed.
async function refreshFiles(withThreads) {
  const { files: known } = await readJson(`outline/${page.view}`);
  const stale = [];
  for (const { key, path, digest } of known) {
    const section = byId(`f-${key}`);
    if (section && "hex" in section.dataset) continue;
    if (!section || section.dataset.digest !== digest || (withThreads && section.querySelector(".thread"))) stale.push(path);
  }
  const keys = new Set(known.map(({ key }) => key));
  const rest = all(".file:not([data-message])").filter((section) => !keys.has(section.dataset.key));
  const removed = rest.filter((section) => !section.querySelector(".composer, .thread"));
  // What only its threads bring into the diff is in no outline; with another branch, it may have none any more.
  for (const section of rest) if (section.querySelector(".thread") && !stale.includes(section.dataset.path)) stale.push(section.dataset.path);
  steady(() => { for (const section of removed) section.remove(); });
  const fresh = new Set(await fetchFiles(stale, known));
  return stale.length + removed.length > 0 ? fresh : null;
}

const shownLines = (path) => all(".file").find(({ dataset }) => dataset.path === path)?.querySelectorAll(".b > div").length ?? 0;

// Fetches files, so many at once; returns the ids of those that are shown.
export async function fetchFiles(paths, order) {
  // As many lines come at once as one answer has, so that those that are shown come back together.
  let lines = 0;
  const cut = paths.findIndex((path, at) => ((lines += shownLines(path)) > MOST_LINES || at === 50) && at);
  if (cut > 0) return [...await fetchFiles(paths.slice(0, cut), order), ...await fetchFiles(paths.slice(cut), order)];
  if (!paths.length) return [];
  const asked = performance.now();
  const fresh = await readParts(`files/${page.view}`, paths.map((path) => ["path", path]));
  fit(fresh);
  const sections = [...fresh.children];
  for (const section of sections) section.asked = asked;
  const found = new Set(sections.map(({ id }) => id));
  steady(() => {
    for (const section of sections) replaceFile(section, order);
    for (const section of all(".file")) if (paths.includes(section.dataset.path) && !found.has(section.id)) takeAway(section);
  });
  // One in which somebody has marked something waits.
  return sections.filter(({ isConnected }) => isConnected).map(({ id }) => id);
}

// A file that is not in the diff any more; what is being typed into it stays.
function takeAway(section) {
  if (!section.querySelector(".composer")) return section.remove();
  for (const card of all(".thread", section)) removeThread(card.dataset.thread);
}

function replaceFile(fresh, order) {
  const old = byId(fresh.id);
  if (!old) {
    one("#files > .empty")?.remove();
    const rest = order ? order.slice(order.findIndex(({ key }) => key === fresh.dataset.key) + 1) : [];
    const next = rest.map(({ key }) => byId(`f-${key}`)).find(Boolean);
    byId("files").insertBefore(fresh, next ?? null);
    return bringHome(fresh);
  }
  // What was asked for first may come last.
  if (old.asked > fresh.asked) return;
  if (old.contains(selectedRange()?.startContainer) || old.querySelector("[data-picked]")) return announce(old);
  // What changed since it was viewed is shown again.
  if (old.dataset.viewed === fresh.dataset.viewed) fold(fresh, isFolded(old));
  // A thread that was opened stays open.
  for (const brief of all("[data-brief]", fresh)) {
    const open = cardOf(brief.closest(".thread").dataset.thread, old)?.querySelector(":scope > .fold:not([data-brief])");
    if (open) { open.firstElementChild.replaceWith(brief.firstElementChild); brief.replaceWith(open); }
  }
  carryForms(old, fresh);
  // Lines that somebody writes about may be elsewhere now.
  setTimeout(() => all(".composer", fresh).forEach((form) => form.find?.().catch(() => {})));
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
  const card = cardOf(id);
  if (!card) return;
  shelter(all(".composer", card), card.closest(".file"));
  card.remove();
}

// Keeps forms while their thread is not shown: at the top of its file, or of the page.
function shelter(forms, section) {
  if (!forms.length) return;
  const panel = section?.querySelector(".whole") ?? byId("about");
  panel.append(...forms);
  panel.hidden = false;
}

// Takes forms that waited elsewhere back to their threads or lines, which are shown again.
function bringHome(fresh) {
  for (const form of all(".whole > .composer, #about > .composer")) {
    const thread = threadOf(form);
    const slot = thread && slotOf(thread, fresh);
    const line = form.dataset.at && byId(form.dataset.at);
    if (slot) slot.append(form);
    else if (line) afterLine(line, form);
  }
}
addEventListener("postil:refreshed", () => { if (one(".whole > .composer")) steady(() => bringHome(document)); });

// Who has marked something in a file is asked before it changes.
function announce(old) {
  if (old.querySelector(".changed-note")) return;
  const note = make("p", { className: "changed-note", textContent: "This file changed." });
  // What was fetched lacks what happened since.
  const show = () => { leave(); note.remove(); old.dataset.digest = ""; heard({ kind: "files" }); };
  note.append(makeButton("Show", show, "act"));
  old.querySelector(".fh").after(note);
}

// Forms that are open move along: to their thread or line, or to the top of the file if that is gone.
function carryForms(old, fresh) {
  for (const form of all(".composer", old)) {
    const thread = threadOf(form);
    if (thread) {
      const slot = slotOf(thread, fresh) ?? slotOf(thread);
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
  return form.closest(".thread")?.dataset.thread ?? ([...OF_THREAD, "place"].includes(kind) ? id : undefined);
}

async function refreshThreads(ids) {
  // Of very many, whole files are fetched: that is one question for all of a file.
  if (ids.length > 50) {
    const there = ids.map((id) => cardOf(id)).filter(Boolean);
    await refetch(new Set(there.map((card) => card.dataset.file)));
    ids = ids.filter((id) => !cardOf(id));
  }
  for (let at = 0; at < ids.length; at += 50) {
    const cards = await readParts(`threads/${page.view}`, ids.slice(at, at + 50).map((id) => ["id", id]));
    steady(() => { for (const { dataset } of all("[data-gone]", cards)) removeThread(dataset.gone); });
    await placeCards(cards);
  }
}

// Puts cards where they belong; `own` are those that this page wrote.
export async function placeCards(cards, own = false) {
  const lost = new Set();
  const fresh = all(".thread", cards);
  if (page.view !== "changes" || page.looks) {
    // A card is placed for what is checked out; where it is in another branch, the diff of that branch says.
    await refetch(new Set(fresh.map((card) => card.dataset.file)));
    return refreshParts();
  }
  const placeOne = (card) => {
    const old = cardOf(card.dataset.thread);
    const open = old?.querySelector(":scope > details.fold")?.open;
    if (open) card.querySelector(":scope > details.fold")?.setAttribute("open", "");
    const isFresh = !own && old?.querySelector(".comments")?.textContent !== card.querySelector(".comments")?.textContent;
    // The form that was sent is gone already; any other one, opened meanwhile, stays open.
    const forms = all(".composer").filter((form) => threadOf(form) === card.dataset.thread);
    const slot = card.querySelector(".slot");
    const isPut = put(card, old);
    if (!isPut) lost.add(card.dataset.file);
    // The card that had them may be gone by now.
    if (isPut && slot) slot.append(...forms);
    else shelter(forms, byId(`f-${card.dataset.file}`));
    if (isFresh) card.dataset.fresh = "";
  };
  steady(() => fresh.forEach(placeOne));
  // The line is not shown yet: the file is, with it.
  if (lost.size) await refetch(lost);
}

// Fetches files by their keys; those that only a thread brings into the diff are in no outline.
async function refetch(keys) {
  const { files: known } = await readJson(`outline/${page.view}`);
  const shown = all(".file").map(({ dataset }) => ({ key: dataset.key, path: dataset.path }));
  const wanted = [...known, ...shown].filter(({ key }) => keys.has(key)).map(({ path }) => path);
  const paths = [...new Set(wanted)];
  if (paths.length) return fetchFiles(paths, known);
  await refreshFiles(true);
  return refreshParts();
}

function put(card, old) {
  const { place, file, side, line } = card.dataset;
  const instead = (parent) => {
    if (old && old.parentElement === parent) old.replaceWith(card);
    else { old?.remove(); parent.append(card); }
    parent.hidden = false;
    return true;
  };
  if (place === "review") return instead(byId("about"));
  if (place === "orphans") return instead(byId("orphans"));
  const section = byId(`f-${file}`);
  if (section && place === "file") return instead(section.querySelector(".whole"));
  const at = section && byId(lineId(file, side, line));
  if (!at) { old?.remove(); return false; }
  if (old && isAfter(at, old)) { old.replaceWith(card); return true; }
  old?.remove();
  afterLine(at, card);
  return true;
}

async function refreshParts() {
  const parts = await readParts(`parts/${page.view}`);
  const message = one(".file.message") && (await readParts(`message/${page.view}`)).firstElementChild;
  steady(() => {
    replaceParts(parts);
    const old = message && byId(message.id);
    if (old && !old.isEqualNode(message)) replaceFile(message);
  });
  // What only its threads bring into the diff is in no outline, but in the tree.
  const rows = all("#tree li[data-row]").map(({ dataset, firstElementChild }) => ({ key: dataset.row, path: firstElementChild.title }));
  const missing = rows.filter(({ key }) => !byId(`f-${key}`)).map(({ path }) => path);
  await fetchFiles(missing, rows);
}

function replaceParts(parts) {
  const head = byId("head");
  const fresh = parts.querySelector("#head");
  if (head.textContent !== fresh.textContent || head.dataset.tip !== fresh.dataset.tip) head.replaceWith(fresh);
  const tree = byId("tree");
  const list = parts.querySelector("#tree .tree-list");
  const focus = tree.contains(document.activeElement) ? document.activeElement.getAttribute("href") : null;
  tree.querySelector(".tree-list").replaceWith(list);
  tree.querySelector(".count").textContent = list.querySelectorAll("li[data-row]").length;
  tree.querySelector(".viewed-count").textContent = parts.querySelector(".viewed-count").textContent;
  if (focus) focusOn(tree.querySelector(`a[href="${CSS.escape(focus)}"]`));
  for (const id of ["about", "orphans"]) {
    const panel = byId(id);
    const now = parts.querySelector(`#${id}`);
    if (panel.querySelector(".composer, .timeline")) continue;
    if (panel.textContent !== now.textContent || panel.hidden !== now.hidden) panel.replaceWith(now);
  }
}

function resolving(now) {
  document.body.toggleAttribute("data-resolving", now);
}
