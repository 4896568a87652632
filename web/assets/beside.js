// What stands beside the diff: each button goes to what it is for. What many a reader never presses is loaded when it is. What
// somebody types in at once is not: the next key, or another card in its place, may come before it is loaded.

import { all } from "./dom.js";
import { finish } from "./finish.js";
import { beside, history, stay } from "./history.js";
import { swipe } from "./images.js";
import { name, pick } from "./moving.js";
import { moveTo, nearby } from "./nearby.js";
import { markParts } from "./parts.js";
import * as prose from "./prose.js";
import { search } from "./search.js";
import { tell } from "./server.js";

const wanted = (file, run) => (...asked) => import(file).then((part) => run(part, ...asked)).catch(({ message }) => tell(message));
const card = (button) => button.closest(".thread");
export const acts = {
  apply: wanted("./apply.js", ({ applying }, { dataset }) => applying([dataset.suggestion])),
  suggestions: wanted("./apply.js", ({ applying }) => applying()),
  prose: prose.toggle,
  "prose-side": prose.turn,
  timeline: history,
  copy: wanted("./copying.js", ({ copy }, button) => copy(card(button).dataset.thread)),
  "copy-all": wanted("./copying.js", ({ copy }) => copy()),
  nearby,
  "move-to": moveTo,
  swipe,
  pick: (button) => pick(card(button)),
  place: (button) => name(card(button), button.dataset.was),
  search,
  finish,
};

addEventListener("postil:refreshed", () => { prose.again(); markParts(); beside(); stay(); });
// What is folded is not printed.
addEventListener("beforeprint", () => { for (const fold of all("main details:not([data-brief])")) fold.open = true; });
prose.offering();
markParts();
beside();
