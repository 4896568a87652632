// What stands beside the diff: each button goes to what it is for.

import { all } from "./dom.js";
import { applying } from "./apply.js";
import { copy } from "./copying.js";
import { beside, history } from "./history.js";
import { swipe } from "./images.js";
import { name, pick } from "./moving.js";
import { moveTo, nearby } from "./nearby.js";
import { markParts } from "./parts.js";
import * as prose from "./prose.js";
import { search } from "./search.js";

const card = (button) => button.closest(".thread");
export const acts = {
  apply: ({ dataset }) => applying([dataset.suggestion]),
  suggestions: () => applying(),
  prose: prose.toggle,
  "prose-side": prose.turn,
  timeline: history,
  copy: (button) => copy(card(button).dataset.thread),
  "copy-all": () => copy(),
  nearby,
  "move-to": moveTo,
  swipe,
  pick: (button) => pick(card(button)),
  place: (button) => name(card(button), button.dataset.was),
  search,
};

addEventListener("postil:refreshed", () => { prose.again(); markParts(); beside(); });
// What is folded is not printed.
addEventListener("beforeprint", () => { for (const fold of all("main details:not([data-brief])")) fold.open = true; });
prose.offering();
markParts();
beside();
