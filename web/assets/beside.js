// What stands beside the diff: each button goes to what it is for.

import { applying } from "./apply.js";
import { copy } from "./copying.js";
import { beside, history } from "./history.js";
import { name, pick } from "./moving.js";
import { markParts } from "./parts.js";
import * as prose from "./prose.js";
import { search } from "./search.js";

const card = (button) => button.closest(".thread");
const acts = {
  apply: ({ dataset }) => applying([dataset.suggestion]),
  suggestions: () => applying(),
  prose: prose.toggle,
  "prose-side": prose.turn,
  timeline: history,
  copy: (button) => copy(card(button).dataset.thread),
  "copy-all": () => copy(),
  pick: (button) => pick(card(button)),
  place: (button) => name(card(button), button.dataset.was),
  search,
};

document.addEventListener("click", ({ target }) => {
  const button = target.closest?.("button[data-act]");
  if (button) acts[button.dataset.act]?.(button);
});

document.addEventListener("postil:refreshed", () => { prose.again(); markParts(); beside(); });
// What is folded is not printed.
addEventListener("beforeprint", () => { for (const fold of document.querySelectorAll("main details")) fold.open = true; });
prose.offering();
markParts();
beside();
