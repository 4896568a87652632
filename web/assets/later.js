// What is not there yet: lines of a large diff come when they are near, or while nothing else happens; folded threads when they
// are opened.

import { byId, all, refreshed, one, whenIdle } from "./dom.js";
import { page, readParts, tell } from "./server.js";
import { fetchFiles } from "./refresh.js";
import { fit } from "./layout.js";
import { steady } from "./steady.js";

// So many lines are fetched while nothing else happens. What is behind them comes when it is near.
const MOST = 300000;
// So many lines are asked for at once, and so many files.
const AT_ONCE = 5000;
const MANY = 40;

let fetched = 0;
let filling = Promise.resolve();
let busy = false;
let planned = false;
const near = new Set();
const observer = new IntersectionObserver((entries) => {
  for (const { target, isIntersecting } of entries) {
    if (isIntersecting) near.add(target);
    else near.delete(target);
  }
  if (near.size) run();
}, { rootMargin: "150% 0px" });

// A file whose name is not text cannot be asked for.
const places = () => all(".later:not([data-hex] *)");
export const isWhole = () => !one(".later");

// Looks at what there is to fetch.
export function watch() {
  const found = places();
  for (const place of found) observer.observe(place);
  if (!found.length || planned || busy) return;
  planned = true;
  whenIdle(() => { planned = false; run(); }, { timeout: 2000 });
}

async function run() {
  if (busy) return;
  for (const place of near) if (!place.isConnected) near.delete(place);
  const place = near.values().next().value ?? (fetched < MOST ? places()[0] : null);
  if (!place) return;
  busy = true;
  let done = false;
  try {
    done = await fill(place);
  } finally {
    busy = false;
    // What failed is tried again with the next news.
    if (done) refreshed();
  }
}

const isWholeFile = ({ dataset }) => dataset.next + dataset.threads === "00";

// Fetches what belongs in a place, and what comes soon after it; one after the other, so that nothing is fetched twice.
const fill = (place) => (filling = filling.then(() => fillNow(place), () => fillNow(place)));

async function fillNow(place) {
  if (!place.isConnected) return true;
  const file = place.closest(".file");
  near.delete(place);
  const { from, next, threads, of } = place.dataset;
  if (of) {
    const more = await readParts(`threads/${page.view}`, { of, from: threads });
    fetched += AT_ONCE;
    steady(() => place.replaceWith(more));
  } else if (isWholeFile(place)) {
    const paths = [];
    let lines = 0;
    for (let next = file; next && paths.length < MANY && lines < AT_ONCE; next = next.nextElementSibling) {
      const other = next.querySelector(".later");
      if (!other || !isWholeFile(other) || "hex" in next.dataset) break;
      paths.push(next.dataset.path);
      lines += Number(other.dataset.lines);
    }
    fetched += Math.min(lines, AT_ONCE);
    await fetchFiles(paths);
  } else {
    const query = { path: file.dataset.path, from, next, threads };
    const code = (await readParts(`lines/${page.view}`, query)).querySelector(".code");
    // The file is another one by now, and is fetched anew.
    if (!code || code.dataset.digest !== file.dataset.digest || !place.isConnected) return false;
    fetched += AT_ONCE;
    fit(code);
    steady(() => place.replaceWith(...code.children));
  }
  return !place.isConnected;
}

// What an address leads to may not be there yet.
export async function follow() {
  const wanted = decodeURIComponent(location.hash.slice(1));
  if (!wanted || isWhole()) return;
  const there = () => byId(wanted);
  let key = /^([0-9a-f]{10})[on]\d+$/.exec(wanted)?.[1];
  const thread = /^t-([0-9a-f]+)$/.exec(wanted)?.[1];
  if (thread && !there()) {
    const card = (await readParts(`threads/${page.view}`, { id: thread })).querySelector(".thread");
    key = card?.dataset.file;
  }
  for (let place = missing(key); place && !there(); place = missing(key)) if (!(await fill(place))) break;
  const found = there();
  if (!found) return;
  found.scrollIntoView({ block: "center" });
  refreshed();
}

const missing = (key) => key && one(`#f-${key} .later`);

// A thread that is folded is fetched when it is opened, which may be before this script is here.
async function unfold(fold) {
  delete fold.dataset.brief;
  try {
    const whole = (await readParts(`threads/${page.view}`, { id: fold.parentElement.dataset.thread })).querySelector(".thread");
    // Where it is in this view, the card says already.
    const inside = [...(whole.querySelector(":scope > .fold") ?? whole).children].slice(1);
    steady(() => fold.append(...inside));
    refreshed();
  } catch ({ message }) {
    fold.dataset.brief = "";
    fold.open = false;
    tell(message);
  }
}

export const unfoldOpen = () => all("[data-brief][open]").forEach(unfold);
addEventListener("toggle", unfoldOpen, { capture: true });
addEventListener("postil:refreshed", watch);
addEventListener("hashchange", follow);
