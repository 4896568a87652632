// Images before and after: beside each other, or one over the other with an edge that is moved.

import { focusOn, make } from "./dom.js";

export function swipe(button) {
  const box = button.closest(".images");
  const isOn = box.dataset.way !== "swipe";
  button.ariaPressed = isOn;
  const after = box.querySelector("figure:last-of-type img");
  box.querySelector(".edge")?.remove();
  after.style.removeProperty("clip-path");
  if (!isOn) return delete box.dataset.way;
  box.dataset.way = "swipe";
  const edge = make("input", { type: "range", className: "edge", min: 0, max: 100, value: 50, ariaLabel: "Edge between before and after" });
  const move = () => after.style.setProperty("clip-path", `inset(0 0 0 ${edge.value}%)`);
  edge.addEventListener("input", move);
  box.append(edge);
  move();
  focusOn(edge);
  return undefined;
}
