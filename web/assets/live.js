// News of the server. All tabs of a browser share one stream: one tab holds it and passes on what comes.

import { byId, template, one } from "./dom.js";
import { page, readJson, url } from "./server.js";

const channel = new BroadcastChannel(`postil${page.prefix}`);
const link = byId("link");
let listener = () => {};
let lost = 0;

export function start(heard) {
  listener = heard;
  channel.addEventListener("message", ({ data }) => {
    if (data.link) show(data.link);
    else if (data.ask) { if (source) channel.postMessage({ link: state }); }
    else take(data);
  });
  if (navigator.locks) {
    // Whoever holds the lock holds the stream; the next tab takes over when it closes.
    navigator.locks.request(`postil${page.prefix}`, () => new Promise(hold));
    setTimeout(() => { if (!source) follow(); }, 300);
  } else {
    hold();
  }
}

let source = null;
let state = "waiting";

// A tab that follows another asks once for what it missed between its own page and now.
async function follow() {
  channel.postMessage({ ask: true });
  try {
    for (const news of await readJson("news", { since: page.mark })) take(news);
  } catch {
    show("lost");
  }
}

function hold() {
  source = new EventSource(url("events", { since: page.mark }));
  source.addEventListener("message", (event) => {
    const news = { ...JSON.parse(event.data), mark: event.lastEventId };
    take(news);
    channel.postMessage(news);
  });
  source.addEventListener("open", () => { lost = 0; pass("live"); });
  source.addEventListener("error", () => {
    lost += 1;
    pass("lost");
    // The browser tries again by itself, unless the server refused.
    if (source.readyState !== EventSource.CLOSED) return;
    clearTimeout(again);
    again = setTimeout(async () => {
      if (await isStranger()) pass("anew");
      else hold();
    }, Math.min(1000 * lost, 10000));
  });
}

let again = null;

// Whether the server does not know this page: another one has its port now.
async function isStranger() {
  try {
    await readJson("typed");
    return false;
  } catch (error) {
    return error.status === 403 || error.status === 404;
  }
}

function pass(now) {
  show(now);
  channel.postMessage({ link: now });
}

function take(news) {
  if (news.mark) page.mark = news.mark;
  if (news.kind === "resolving") show("resolving");
  else if (news.kind === "ended") show("ended");
  else if (state !== "ended" || news.kind === "reset") show("live");
  listener(news);
}

const words = {
  waiting: "connecting",
  live: "live",
  resolving: "resolving\u2026",
  lost: "connection lost",
  ended: "the repository is gone",
  anew: "started anew",
};

let advising = null;

// What a person can do, said once the connection is lost for longer than a moment.
function advise(now) {
  clearTimeout(advising);
  byId("advice")?.remove();
  if (!byId(`advice-${now}`)) return;
  advising = setTimeout(() => one(".bar").after(template(`advice-${now}`)), now === "lost" ? 3000 : 0);
}

function show(now) {
  if (now === state) return;
  if (state === "lost" && now === "live") listener({ kind: "back" });
  if (now === "lost") listener({ kind: "lost" });
  state = now;
  advise(now);
  link.dataset.state = now === "ended" || now === "anew" ? "lost" : now;
  link.querySelector(".word").textContent = words[now];
}
