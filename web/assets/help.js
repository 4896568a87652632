// The map of keys.

import { make, makeButton, showDialog } from "./dom.js";

const KEYS = [
  ["j / k", "next, previous line"],
  ["n / p", "next, previous change"],
  ["N / P", "next, previous thread"],
  ["] / [", "next, previous file"],
  ["J / K", "next, previous file with threads"],
  [".", "cursor to what is visible"],
  ["Shift+\u2191 / \u2193", "pick several lines"],
  ["w / b", "select the next word, the one before"],
  ["W / B", "select one word more, one less"],
  ["c", "comment on the line or selection"],
  ["Ctrl+Enter", "send"],
  ["a", "finish: verdict and publish"],
  ["x / X", "more lines here, everywhere"],
  ["m", "unified or split"],
  ["< / >", "commit before, next commit"],
  ["r", "file viewed or not"],
  ["M", "viewed, and on to the next that is not"],
  ["Shift+\u2190 / \u2192", "other side of a split"],
  ["h", "hide threads"],
  ["e / E", "unfold, fold all resolved threads"],
  ["/", "find files, threads and lines"],
  ["f", "file list"],
  ["?", "this list"],
  ["Esc", "close, one level"],
];

export function help() {
  const dialog = make("dialog");
  const list = make("div", { className: "keys" });
  for (const [key, what] of KEYS) list.append(make("div", {}, what, make("kbd", { textContent: key })));
  const off = make("input", { type: "checkbox", checked: !singleKeys() });
  off.addEventListener("change", () => localStorage.setItem("postil-keys", off.checked ? "off" : "on"));
  const label = make("label", {}, off, " switch single letters off");
  showDialog(dialog, "Keys", list, make("p", { className: "row2" }, label, " ", makeButton("Close", () => dialog.close())));
}

export const singleKeys = () => localStorage.getItem("postil-keys") !== "off";
