// Threads as Markdown, for a person or an agent: one, or all that are open.

import { make } from "./dom.js";
import { page, readText, tell } from "./server.js";

export async function copy(id) {
  const text = await readText(`copy/${page.view}`, id ? { id } : {});
  await put(text);
  const many = text.match(/^## /gm)?.length ?? 0;
  tell(many === 1 ? "Copied one thread as Markdown." : `Copied ${many} open threads as Markdown.`);
}

async function put(text) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    // Where scripts may not use the clipboard, a selection may be copied.
    const area = make("textarea", { value: text, className: "vh" });
    document.body.append(area);
    area.select();
    const done = document.execCommand("copy");
    area.remove();
    if (!done) throw new Error("This browser does not let the page copy. Use postil list --json instead.");
  }
}
