// What the page knows of its server: addresses, fragments, and writing. Nothing else fetches, and nothing else makes markup.

import { byId, make, makeButton, one } from "./dom.js";

const { dataset } = document.body;
const { prefix, view = "", looks = "", scope = "", review = "", rev = "", oldRev = "", mark = "" } = dataset;
export const page = { prefix, view, looks, scope, review, rev, oldRev, mark, writable: "writable" in dataset, brief: "brief" in dataset };

// The one policy: only text that this server rendered becomes markup.
const policy = globalThis.trustedTypes?.createPolicy("postil", { createHTML: (text) => text });

export function fragment(text) {
  const template = make("template");
  template.innerHTML = policy ? policy.createHTML(text) : text;
  return template.content;
}

// What belongs to the view is asked for as it is shown.
const OF_VIEW = /^(outline|parts|files|lines|threads|message)\//;

export function url(path, query = {}) {
  const parts = [new URLSearchParams(query)];
  if (OF_VIEW.test(path)) parts.push(page.looks, new URLSearchParams({ scope: page.scope }), page.brief && "brief=1");
  const asked = parts.map((part) => String(part || "")).filter(Boolean).join("&");
  return page.prefix + path + (asked && `?${asked}`);
}

const ask = (...request) => fetch(...request).catch(() => { throw new Error("No connection to postil web."); });

async function read(path, query) {
  const answer = await ask(url(path, query));
  if (!answer.ok) throw await problem(answer);
  return answer;
}

export const readParts = async (path, query) => fragment(await readText(path, query));
export const readText = async (path, query) => (await read(path, query)).text();
export const readJson = async (path, query) => (await read(path, query)).json();

export async function write(path, body, options = {}) {
  const answer = await ask(url(path), {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
    ...options,
  });
  if (!answer.ok) throw await problem(answer);
  return answer.json();
}

async function problem(answer) {
  const text = await answer.text();
  let said = text.trim() || `The server answered ${answer.status}.`;
  try {
    const { error, causes = [] } = JSON.parse(text);
    said = [error, ...causes].join(". ");
  } catch {
    // It was a sentence already.
  }
  return Object.assign(new Error(said), { status: answer.status });
}

// Says something to who cannot see the page, once.
export function say(text) {
  const said = byId("said");
  said.textContent = "";
  requestAnimationFrame(() => { said.textContent = text; });
}

// A short message over the page; `act` is a button in it.
export function tell(text, act) {
  one(".tell")?.remove();
  const box = make("div", { className: "tell" }, text);
  if (act) box.append(makeButton(act.word, () => { box.remove(); act.run(); }, ""));
  document.body.append(box);
  say(text);
  setTimeout(() => box.remove(), 8000);
}
