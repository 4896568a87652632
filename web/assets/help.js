// The map of keys.

import { all, make, showDialog, template } from "./dom.js";

export function help() {
  const dialog = make("dialog");
  const parts = template("key-map");
  const [off, close] = all("input, button", parts);
  off.checked = !singleKeys();
  off.addEventListener("change", () => localStorage.setItem("postil-keys", off.checked ? "off" : "on"));
  close.addEventListener("click", () => dialog.close());
  showDialog(dialog, "Keys", parts);
}

export const singleKeys = () => localStorage.getItem("postil-keys") !== "off";
