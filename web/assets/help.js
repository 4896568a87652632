// The map of keys.

export const KEYS = [
  ["j / k", "next, previous line"],
  ["n / p", "next, previous change"],
  ["N / P", "next, previous thread"],
  ["] / [", "next, previous file"],
  ["J / K", "next, previous file with threads"],
  [".", "cursor to what is visible"],
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
  const dialog = document.createElement("dialog");
  dialog.setAttribute("aria-labelledby", "keys-title");
  dialog.append(Object.assign(document.createElement("h2"), { id: "keys-title", textContent: "Keys" }));
  const list = Object.assign(document.createElement("div"), { className: "keys" });
  for (const [key, what] of KEYS) {
    const row = document.createElement("div");
    row.append(what, Object.assign(document.createElement("kbd"), { textContent: key }));
    list.append(row);
  }
  const label = document.createElement("label");
  const off = Object.assign(document.createElement("input"), { type: "checkbox", checked: !singleKeys() });
  off.addEventListener("change", () => localStorage.setItem("postil-keys", off.checked ? "off" : "on"));
  label.append(off, " switch single letters off");
  const close = Object.assign(document.createElement("button"), { type: "button", className: "button", textContent: "Close" });
  close.addEventListener("click", () => dialog.close());
  const row = Object.assign(document.createElement("p"), { className: "row2" });
  row.append(label, " ", close);
  dialog.append(list, row);
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}

export const singleKeys = () => localStorage.getItem("postil-keys") !== "off";
