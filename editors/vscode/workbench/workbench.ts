// The real workbench of VS Code (code-server) in a real browser, with a repository of its own.
//
// Driven by playwright-core: the review page is driven from Rust, but a workbench needs keys, focus and waiting for elements of
// a large page at every step, which playwright has and the few lines there have not.

import { execFileSync, spawn, type ChildProcess } from "node:child_process";
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import * as path from "node:path";

import { type Browser, chromium, type Locator, type Page } from "playwright-core";

import type { Installed, Project } from "./project.ts";

/** How long something may take on a busy machine, in milliseconds. */
const PATIENCE = Number(process.env["POSTIL_PATIENCE"] ?? 30_000);

/** How long something is waited for that is done again if it does not come. */
export const SOON = 5000;

/** A thread, as somebody sees it. */
interface ShownThread {
  side: string;
  line: number;
  title: string;
  body: string;
}

/** What is put into the page. */
interface InPage {
  shownThreads: () => ShownThread[];
  seen: Record<string, { line: number; state: string }[]>;
  said: string[];
}

/** The unfolded threads of all editors; runs in the page. */
function shownThreads(): ShownThread[] {
  const found: ShownThread[] = [];
  for (const widget of Array.from(document.querySelectorAll<HTMLElement>(".review-widget"))) {
    const top = widget.getBoundingClientRect().top;
    const editor = widget.closest(".monaco-editor");
    if (!editor || widget.getBoundingClientRect().height === 0) {
      continue;
    }
    let line = 0;
    for (const number of Array.from(editor.querySelectorAll<HTMLElement>(".margin .line-numbers"))) {
      if (number.getBoundingClientRect().top < top) {
        line = Math.max(line, Number(number.textContent));
      }
    }
    const text = (selector: string) => widget.querySelector(selector)?.textContent ?? "";
    const body = Array.from(widget.querySelectorAll(".comment-body")).map((one) => one.textContent ?? "").join("|");
    const side = editor.closest(".editor.original") ? "old" : "new";
    found.push({ side, line, title: text(".review-title") || text(".head"), body });
  }
  return found.sort((a, b) => a.line - b.line);
}

/** The editor in a window. */
export class Workbench {
  private constructor(readonly page: Page, private readonly browser: Browser, private readonly server: ChildProcess, private readonly settings: string, private readonly program: string) {}

  static async open(project: Project, where: Installed, settings: object = {}, program = where.postil): Promise<Workbench> {
    const data = path.join(project.home, "data");
    const extensions = path.join(project.home, "extensions");
    mkdirSync(path.join(data, "User"), { recursive: true });
    mkdirSync(extensions, { recursive: true });
    const link = path.join(extensions, "postil.postil-0.1.0");
    if (!existsSync(link)) {
      symlinkSync(where.extension, link);
    }
    writeFileSync(path.join(data, "User/settings.json"), JSON.stringify({
      "workbench.startupEditor": "none", "chat.disableAIFeatures": true, "comments.openView": "never", "telemetry.telemetryLevel": "off",
      "security.workspace.trust.enabled": false, "editor.autoIndent": "none", "editor.minimap.enabled": false, "editor.scrollBeyondLastLine": false, "files.autoSave": "off",
      "editor.autoClosingBrackets": "never", "editor.suggestOnTriggerCharacters": false, "editor.quickSuggestions": { other: "off" },
      "editor.wordBasedSuggestions": "off", "git.openRepositoryInParentFolders": "never", "workbench.secondarySideBar.defaultVisibility": "hidden",
      // Only the tests close the box that they type into.
      "workbench.quickOpen.closeOnFocusLost": false, ...settings,
    }));
    // What belongs to a machine is read from there if the window is on another one, as in a browser.
    const machine = path.join(data, "Machine/settings.json");
    mkdirSync(path.dirname(machine), { recursive: true });
    writeFileSync(machine, JSON.stringify({ "postil.path": program }));
    const port = await freePort();
    const server = spawn(where.node, [
      where.editor, "--auth", "none", "--bind-addr", `127.0.0.1:${port}`, "--user-data-dir", data, "--extensions-dir", extensions,
      "--disable-telemetry", "--disable-update-check", "--disable-workspace-trust", "--reconnection-grace-time", "2", project.folder,
    ], { env: project.environment, stdio: ["ignore", "pipe", "pipe"] });
    // A test that fails or is ended leaves nothing behind.
    process.once("exit", () => server.kill("SIGTERM"));
    await new Promise<void>((ready, failed) => {
      const heard = (chunk: Buffer) => { if (chunk.toString().includes("HTTP server listening")) { ready(); } };
      server.stdout?.on("data", heard);
      server.stderr?.on("data", heard);
      server.on("exit", (code) => failed(new Error(`code-server ended with ${code}`)));
    });
    const browser = await chromium.launch({ executablePath: where.browser, args: ["--no-sandbox"] });
    const page = await browser.newPage({ viewport: { width: 1500, height: 1800 } });
    page.setDefaultTimeout(PATIENCE);
    await page.addInitScript(`window.shownThreads = ${shownThreads.toString()}`);
    await page.goto(`http://127.0.0.1:${port}/?folder=${encodeURIComponent(project.folder)}`, { timeout: 60_000 });
    await page.locator(".monaco-workbench .statusbar").waitFor({ timeout: 60_000 });
    return new Workbench(page, browser, server, machine, where.postil);
  }

  /** Runs a command of the palette. */
  async command(title: string): Promise<void> {
    await this.quick("F1", `>${title}`, title.replace(/^.*: /, ""));
  }

  /** Opens a file. */
  async file(name: string): Promise<void> {
    const tab = this.page.locator(".tab.active", { hasText: path.basename(name) }).first();
    await this.wait(`the file ${name}`, async () => {
      await this.quick("Control+p", name, name);
      return this.isSeen(tab);
    });
    await this.page.locator(".editor-instance .view-lines").first().waitFor();
  }

  /** Puts the cursor into a line, counted from one. */
  async goto(line: number, column = 1): Promise<void> {
    const status = this.page.locator(".statusbar-item", { hasText: new RegExp(`^Ln ${line}, Col ${column}$`) }).first();
    await this.wait(`the cursor in line ${line}`, async () => {
      // The first group of editors gets the keys; a click could hit the box of a comment.
      await this.page.keyboard.press("Control+1");
      await this.quick("Control+g", `:${line}:${column}`);
      return this.isSeen(status);
    });
  }

  /** Whether something is there soon. Who asks does again what may have been lost in a window that was busy, and asks again. */
  isSeen(what: Locator): Promise<boolean> {
    return what.waitFor({ timeout: SOON }).then(() => true, () => false);
  }

  /** Types into the box that a key opens, and takes the first row, which has the words. */
  private async quick(key: string, typed: string, words?: string): Promise<void> {
    const input = this.page.locator(".quick-input-widget input.input");
    const row = this.page.locator(".quick-input-list .monaco-list-row.focused", { hasText: words ?? "" }).first();
    await this.wait(`a row "${words}" for "${typed}"`, async () => {
      // While the window is still starting, nobody hears the key; and what opens meanwhile may close the box.
      if (!(await input.isVisible())) {
        await this.page.keyboard.press(key);
      }
      const isTyped = await input.fill(typed, { timeout: SOON }).then(() => true, () => false);
      return isTyped && (words === undefined || await this.isSeen(row));
    });
    // A box that a command opens is the same element, with another text: an Enter there would choose something.
    const isDone = (typed: string) => {
      const input = document.querySelector<HTMLInputElement>(".quick-input-widget input.input");
      return !input || input.getClientRects().length === 0 || input.value !== typed;
    };
    await this.wait(`an end of "${typed}"`, async () => {
      if (await this.page.evaluate(isDone, typed)) {
        return true;
      }
      // While it still searches, Enter does nothing. Only the box gets it: it may go away meanwhile.
      await input.press("Enter", { timeout: SOON }).catch(() => undefined);
      return this.page.waitForFunction(isDone, typed, { timeout: SOON }).then(() => true, () => false);
    });
  }

  /** The unfolded threads: the line that each stands below, counted from one, its title, and its comments. */
  threads(): Promise<ShownThread[]> {
    return this.page.evaluate(() => (window as unknown as InPage).shownThreads());
  }

  /** Notes at every frame, from now on, where threads are and in what state, whenever that changed; returns how to ask for it. */
  async watch(): Promise<(words: string) => Promise<{ line: number; state: string }[]>> {
    await this.page.evaluate(() => {
      const page = window as unknown as InPage;
      const seen: Record<string, { line: number; state: string }[]> = {};
      page.seen = seen;
      const look = () => {
        for (const { body, line, title } of page.shownThreads()) {
          // The first part is the id, and how certain it is may change within a state.
          const state = title.split(" · ").slice(1).map((part) => part.replace(/ \(.*/, "")).join(" · ");
          const notes = (seen[body] ??= []);
          const last = notes.at(-1);
          if (last?.line !== line || last.state !== state) {
            notes.push({ line, state });
          }
        }
        if (page.seen === seen) {
          requestAnimationFrame(look);
        }
      };
      look();
    });
    return (words) => this.page.evaluate((words) => (window as unknown as InPage).seen[words] ?? [], words);
  }

  /** Notes everything that the status bar says from now on; returns how to ask whether it said something. */
  async listen(): Promise<(words: string) => Promise<boolean>> {
    await this.page.evaluate(() => {
      const [page, bar] = [window as unknown as InPage, document.querySelector(".statusbar")!];
      page.said = [];
      new MutationObserver(() => page.said.push(bar.textContent ?? "")).observe(bar, { subtree: true, childList: true, characterData: true });
    });
    return (words) => this.page.evaluate((words) => (window as unknown as InPage).said.some((said) => said.includes(words)), words);
  }

  /** Waits until a thread with these words stands below a line and its title has the words. */
  async until(words: string, line: number, title = ""): Promise<void> {
    await this.wait(`a thread "${words}" below line ${line} with "${title}"`, async () => {
      const threads = await this.threads();
      const isThere = threads.some((thread) => thread.body.includes(words) && thread.line === line && thread.title.includes(title));
      return isThere || threads;
    });
  }

  /** Waits until exactly these threads are shown: line, words, and what the title says of its state. */
  async shows(...expected: string[]): Promise<void> {
    await this.wait(`exactly ${JSON.stringify(expected)}`, async () => {
      const seen = (await this.threads()).map(({ line, title, body }) => [`${line} ${body}`, ...title.split(" · ").slice(1)].join(" · "));
      const isSame = seen.length === expected.length && seen.every((one, nth) => one === expected[nth] || one.startsWith(`${expected[nth]} (`));
      return isSame || seen;
    });
  }

  /** Asks again and again, until the answer is true; says what it was instead if it never is. */
  async wait(what: string, ask: () => unknown): Promise<void> {
    const deadline = Date.now() + PATIENCE;
    let seen: unknown;
    while (Date.now() < deadline) {
      seen = await ask();
      if (seen === true) {
        return;
      }
      await this.page.evaluate(() => new Promise((painted) => requestAnimationFrame(painted)));
    }
    await this.picture(`failed: ${what.replaceAll(/\W+/g, " ").slice(0, 60)}`);
    throw new Error(`there is not ${what}: ${JSON.stringify(seen)}`);
  }

  /** The box of a thread that has these words. */
  thread(words: string): Locator {
    return this.page.locator(".review-widget", { hasText: words }).first();
  }

  /** Clicks what has this name in the thread with these words: a button below its text, or an icon. */
  async click(words: string, name: string): Promise<void> {
    const thread = this.thread(words);
    await thread.hover();
    await thread.locator(`a.monaco-button:text-is("${name}"):visible, .action-label[aria-label^="${name}"]:visible`).first().click();
  }

  /** Types into the box for comments that has the keys. */
  async type(text: string): Promise<void> {
    await this.wait("a focused box", () => this.page.evaluate(() => (
      document.activeElement?.closest("[data-uri]")?.getAttribute("data-uri")?.startsWith("comment:") ?? false
    )));
    await this.page.keyboard.insertText(text);
  }

  /** Begins a comment on a line. */
  async comment(line: number, text: string): Promise<void> {
    // Before the lines that can be commented on are known, there is no such command.
    await this.page.locator(".editor-instance .comment-diff-added").first().waitFor();
    await this.goto(line);
    await this.command("Comments: Add Comment on Current Selection");
    await this.type(text);
  }

  /** Begins a comment with the plus beside a line, in the editor that has this selector. */
  async plus(editor: string, line: number, text: string): Promise<void> {
    const here = this.page.locator(editor);
    const icon = await here.locator(".comment-diff-added").first().boundingBox();
    const row = await here.locator(".margin .line-numbers", { hasText: new RegExp(`^${line}$`) }).first().boundingBox();
    if (!icon || !row) {
      throw new Error(`line ${line} of ${editor} cannot be commented on`);
    }
    const at = [icon.x + icon.width / 2, row.y + row.height / 2] as const;
    await this.page.mouse.move(...at);
    await here.locator(".line-hover").first().waitFor();
    await this.page.mouse.click(...at);
    await this.type(text);
  }

  /** Begins a reply. */
  async reply(words: string, text: string): Promise<void> {
    await this.thread(words).locator(".review-thread-reply-button").click();
    await this.type(text);
  }

  async press(...keys: string[]): Promise<void> {
    for (const key of keys) {
      await this.page.keyboard.press(key);
    }
  }

  /** Takes a picture, if somebody wants to look. */
  async picture(name: string): Promise<void> {
    const folder = process.env["POSTIL_PICTURES"];
    if (folder) {
      mkdirSync(folder, { recursive: true });
      await this.page.screenshot({ path: path.join(folder, `${name}.png`) });
    }
  }

  /** Changes the settings of the machine: names the program that is there, and sets these besides. */
  machine(settings: object = {}): void {
    writeFileSync(this.settings, JSON.stringify({ "postil.path": this.program, ...settings }));
  }

  /** The processes of `postil lsp` that this editor started. */
  languageServers(): number[] {
    const rows = execFileSync("ps", ["-eo", "pid=,ppid=,args="], { encoding: "utf8" }).trim().split("\n");
    const all = rows.map((row) => /^ *(\d+) +(\d+) (.*)$/.exec(row)!).map(([, pid, parent, words]) => ({ pid: Number(pid), parent: Number(parent), words: words! }));
    const isBelow = (pid: number): boolean => pid === this.server.pid || all.some((one) => one.pid === pid && isBelow(one.parent));
    return all.filter(({ pid, words }) => words === `${this.program} lsp` && isBelow(pid)).map(({ pid }) => pid);
  }

  /** Opens the window again, as after a crash of the browser. */
  async reload(): Promise<void> {
    this.page.on("dialog", (dialog) => void dialog.accept());
    await this.page.reload();
    await this.page.locator(".monaco-workbench .statusbar").waitFor({ timeout: 60_000 });
  }

  async close(): Promise<void> {
    await this.browser.close();
    const ended = new Promise((done) => this.server.on("exit", done));
    this.server.removeAllListeners("exit");
    const gone = new Promise((done) => this.server.once("exit", done));
    this.server.kill("SIGTERM");
    await Promise.race([ended, gone]);
  }
}

function freePort(): Promise<number> {
  return new Promise((found) => {
    const server = createServer();
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => found(typeof address === "object" && address ? address.port : 0));
    });
  });
}
