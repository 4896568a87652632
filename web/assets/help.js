// The map of keys.

import { make, makeButton, showDialog, template } from "./dom.js";

export function help() {
  const dialog = make("dialog");
  const off = make("input", { type: "checkbox", checked: !singleKeys() });
  off.addEventListener("change", () => localStorage.setItem("postil-keys", off.checked ? "off" : "on"));
  const label = make("label", {}, off, " switch single letters off");
  showDialog(dialog, "Keys", template("key-map"), make("p", { className: "row2" }, label, " ", makeButton("Close", () => dialog.close())));
}

export const singleKeys = () => localStorage.getItem("postil-keys") !== "off";
