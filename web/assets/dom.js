// Short words for what all scripts do with the document.

export const byId = (id) => document.getElementById(id);
export const one = (selector) => document.querySelector(selector);
export const all = (selector, within = document) => [...within.querySelectorAll(selector)];
export const cardOf = (thread, within = document) => within.querySelector(`.thread[data-thread="${CSS.escape(thread)}"]`);
export const slotOf = (thread, within) => cardOf(thread, within)?.querySelector(".slot");

// The forms of a thread, by the first word of their names.
export const OF_THREAD = ["reply", "edit", "resolve", "reopen", "withdraw", "decline"];

// The address of a line.
export const lineId = (file, side, number) => `${file}${side === "old" ? "o" : "n"}${number}`;
export const sideOf = (line) => (line.matches(".d") ? "old" : "new");

// An element as it is now: another one may have been put in its place.
export const current = (node) => (node?.isConnected ? node : node?.id ? byId(node.id) : null);

// The focus moves, the page does not.
export const focusOn = (node) => node?.focus({ preventScroll: true });

// Does something once there is time for it. Not every browser says how much there is.
export const whenIdle = globalThis.requestIdleCallback ?? ((run) => setTimeout(run, 1, { timeRemaining: () => 10 }));

// The page has other parts than before.
export const refreshed = () => dispatchEvent(new Event("postil:refreshed"));

// The texts in a part of the page, in their order.
export function textsIn(part) {
  const texts = [];
  const walker = document.createTreeWalker(part, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) texts.push(walker.currentNode);
  return texts;
}

// What is selected, if anything is.
export function selectedRange() {
  const marked = getSelection();
  return marked && !marked.isCollapsed && marked.rangeCount ? marked.getRangeAt(0) : null;
}

// Makes an element with these properties, and what is in it.
export function make(name, values, ...content) {
  const node = Object.assign(document.createElement(name), values);
  node.append(...content);
  return node;
}

// Makes a button that does something.
export function makeButton(textContent, run, className = "button") {
  const button = make("button", { type: "button", className, textContent });
  if (run) button.addEventListener("click", run);
  return button;
}

// Makes the place in a form where it says what failed; `complain` says it.
export const makeProblem = () => make("p", { className: "problem", hidden: true, role: "alert" });

export function complain(problem, { message }) {
  problem.textContent = message;
  problem.hidden = false;
}

// What the server rendered for later (pages/shell/templates.rs).
export const template = (id) => byId(id).content.cloneNode(true);

// To look for a dialog everywhere takes longer than a key may.
export const isCovered = () => [...document.body.children].some((node) => node.localName === "dialog" && node.open);

// Shows a dialog that is gone once it is closed; of two that were asked for at once, the first.
export function showDialog(dialog, title, ...content) {
  if (isCovered()) return;
  dialog.append(...content);
  if (title) {
    dialog.prepend(make("h2", { id: "dialog-title", textContent: title }));
    dialog.setAttribute("aria-labelledby", "dialog-title");
  }
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}
