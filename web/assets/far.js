// What is far: a browser keeps the layout of all that was ever near, which takes twenty times as much as its text. So the lines
// of a file are put in anew once they are far, unless somebody marks or writes something in them.

import { whenIdle } from "./dom.js";

const gone = new Set();

addEventListener("contentvisibilityautostatechange", ({ target, skipped }) => {
  if (!target.matches?.(".body")) return;
  if (!skipped) return gone.delete(target);
  if (gone.size === 0) whenIdle(letGo);
  gone.add(target);
});

function letGo() {
  const used = [document.activeElement, getSelection().anchorNode];
  for (const body of gone) {
    const code = body.querySelector(":scope > .code");
    if (!code || code.querySelector(".composer") || used.some((node) => code.contains(node))) continue;
    const after = code.nextSibling;
    code.remove();
    body.insertBefore(code, after);
  }
  gone.clear();
}
