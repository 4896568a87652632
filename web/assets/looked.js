// Which version of a review was looked at: written down once its page was in sight for a moment, for "since I looked".

import { byId } from "./dom.js";
import { page, write } from "./server.js";

const A_MOMENT = 2000;
let written = null;
let timer = null;

function look() {
  clearTimeout(timer);
  const { review, tip } = byId("head")?.dataset ?? {};
  // One commit of it, or another pair of commits, is not the review.
  const isReview = page.writable && review && tip && !page.looks.includes("commit=") && !page.view.startsWith("compare/");
  if (!isReview || written === tip || document.visibilityState !== "visible") return;
  timer = setTimeout(() => {
    written = tip;
    write("looked", [review, tip, page.mark]).catch(() => { written = null; });
  }, A_MOMENT);
}

export function start() {
  look();
  addEventListener("visibilitychange", look);
  addEventListener("postil:refreshed", look);
}
