// The real workbench of VS Code (code-server) in a real browser, with a repository of its own.
//
// Driven by playwright-core: the review page is driven from Rust, but a workbench needs keys, focus and waiting for elements of
// a large page at every step, which playwright has and the few lines there have not.

import { execFileSync, spawn, type ChildProcess } from "node:child_process";
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import * as path from "node:path";

import { type Browser, chromium, type Locator, type Page } from "playwright-core";

import type { Installed, Project } from "./project.ts";

/** How long something may take on a busy machine, in milliseconds. */
const PATIENCE = Number(process.env["POSTIL_PATIENCE"] ?? 120_000);

/** How long something is waited for that is done again if it does not come. */
export const SOON = 5000;

/** A thread, as somebody sees it. */
interface ShownThread {
  side: string;
  line: number;
  title: string;
  body: string;
}

/** What the window shows, or nothing, or what it shows instead. */
type Shown = Locator | (() => Promise<unknown>);

/** What is put into the page. */
interface InPage {
  shownThreads: () => ShownThread[];
  look: () => void;
  seen: Record<string, { line: number; state: string }[]>;
  said: string[];
  notified: string[];
  clicked: string[];
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

/** Notes what notifications say, since they go away by themselves, and which buttons were clicked; runs in the page before anything else. */
function takeNotes(): void {
  const page = window as unknown as InPage;
  page.notified = [];
  page.clicked = [];
  document.addEventListener("click", ({ target }) => page.clicked.push((target as Element).closest?.("a.monaco-button")?.textContent ?? ""), true);
  // A list that the browser keeps: looking at it costs nothing, however often the page changes.
  const shown = document.getElementsByClassName("notification-list-item-message");
  new MutationObserver(() => {
    for (const { textContent } of Array.from(shown)) {
      if (!page.notified.includes(textContent ?? "")) {
        page.notified.push(textContent ?? "");
      }
    }
  }).observe(document, { subtree: true, childList: true });
}

/** Whether the keys go to the text of a file, not to a box of a comment or a list. */
function isInText(): boolean {
  const focused = document.activeElement;
  return focused?.closest(".editor-instance .monaco-editor") !== null && !focused?.closest(".review-widget, .monaco-inputbox, .rename-box");
}

/** Whether the keys go to the box of a comment. */
function isInBox(): boolean {
  return document.activeElement?.closest("[data-uri]")?.getAttribute("data-uri")?.startsWith("comment:") ?? false;
}

/** The editor in a window. */
export class Workbench {
  /** How long something is waited for before it is done again: longer on a machine that was too slow once. */
  private soon = SOON;

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
    const server = spawn(where.node, [
      // It takes a port that is free, and says which one.
      where.editor, "--auth", "none", "--bind-addr", "127.0.0.1:0", "--user-data-dir", data, "--extensions-dir", extensions,
      "--disable-telemetry", "--disable-update-check", "--disable-workspace-trust", "--reconnection-grace-time", "2", project.folder,
    ], { env: project.environment, stdio: ["ignore", "pipe", "pipe"] });
    // A test that fails or is ended leaves nothing behind.
    process.once("exit", () => server.kill("SIGTERM"));
    const [address, browser] = await Promise.all([
      listening(server), chromium.launch({ executablePath: where.browser, args: ["--no-sandbox"] }),
    ]);
    const page = await browser.newPage({ viewport: { width: 1500, height: 1800 } });
    page.setDefaultTimeout(PATIENCE);
    page.on("dialog", (dialog) => void dialog.accept().catch(() => undefined));
    await page.addInitScript(`window.shownThreads = ${shownThreads.toString()}; (${takeNotes.toString()})();`);
    await page.goto(`${address}/?folder=${encodeURIComponent(project.folder)}`);
    const workbench = new Workbench(page, browser, server, machine, where.postil);
    await workbench.isOpen();
    return workbench;
  }

  /** Waits until the window is there. */
  private async isOpen(): Promise<void> {
    await this.page.locator(".monaco-workbench .statusbar").waitFor();
  }

  /**
   * Does something until the window shows it: a window that is busy loses keys and clicks, and what comes late takes the keys or
   * draws anew what is clicked. It is done at least once.
   */
  async does(what: string, act: () => Promise<unknown>, shows: Shown): Promise<void> {
    await this.wait(what, async () => {
      let lost: unknown;
      await act().catch((error: unknown) => { lost = error; });
      const isDone = await this.isSeen(shows);
      this.soon = isDone ? this.soon : Math.min(this.soon * 2, PATIENCE / 4);
      return isDone || String(lost ?? "it is not shown");
    });
  }

  /** Runs a command of the palette, until the window shows what it does. */
  async command(title: string, shows: Shown): Promise<void> {
    const words = title.replace(/^.*: /, "");
    await this.does(title, () => this.quick("F1", `>${title}`, words), shows);
  }

  /** Opens a file. */
  async file(name: string): Promise<void> {
    const tab = this.page.locator(".tab.active", { hasText: path.basename(name) }).first();
    await this.does(`the file ${name}`, () => this.quick("Control+p", name, name), tab);
    await this.page.locator(".editor-instance .view-lines").first().waitFor();
  }

  /** Puts the cursor into a line, counted from one; the keys go there then. */
  async goto(line: number, column = 1): Promise<void> {
    const status = this.page.locator(".statusbar-item", { hasText: new RegExp(`^Ln ${line}, Col ${column}$`) }).first();
    await this.does(`the cursor in line ${line}`, async () => {
      // The first group of editors gets the keys; a click could hit the box of a comment.
      await this.page.keyboard.press("Control+1");
      await this.quick("Control+g", `:${line}:${column}`);
    }, async () => await status.isVisible() && this.page.evaluate(isInText));
  }

  /** Closes all editors. */
  closeAll(): Promise<void> {
    return this.command("View: Close All Editors", async () => (await this.page.locator(".tab").count()) === 0);
  }

  /** Has the editor forget what is not saved. */
  revert(): Promise<void> {
    return this.command("File: Revert File", async () => (await this.page.locator(".tab.active.dirty").count()) === 0);
  }

  /** Saves the file of the first group, until it is on disk. While it is written, a part of it is there, and its tab says so. */
  save(isOnDisk: () => boolean): Promise<void> {
    const dirty = this.page.locator(".tab.active.dirty");
    return this.does("the file on disk", () => this.press("Control+1", "Control+s"), async () => isOnDisk() && (await dirty.count()) === 0 && isOnDisk());
  }

  /** Opens the list of all threads, with those that have these words: rows out of sight are not there. */
  async listAll(words: string): Promise<Locator> {
    const filter = this.page.locator(".part.panel .viewpane-filter input").first();
    await this.command("postil: List All Threads in the Comments Panel", filter);
    const row = this.page.locator(".comments-panel .monaco-list-row", { hasText: words }).first();
    await this.does(`the row "${words}"`, () => filter.fill(words, { timeout: SOON }), row);
    return row;
  }

  /** Presses keys in the text of a file: the one that has them, else the first one. */
  async keys(...keys: string[]): Promise<void> {
    await this.wait("the keys in a text", async () => {
      const isThere = await this.page.evaluate(isInText);
      if (!isThere) {
        await this.press("Control+1");
      }
      return isThere;
    });
    await this.press(...keys);
  }

  /** A row of the list that is open. */
  row(words: string): Locator {
    return this.page.locator(".quick-input-list .monaco-list-row", { hasText: words }).first();
  }

  /** Chooses a row of the list that is open. */
  async choose(words: string): Promise<void> {
    const row = this.row(words);
    await row.waitFor();
    await this.does(`the choice "${words}"`, () => row.click({ timeout: SOON }), async () => !(await row.isVisible()));
  }

  /** Clicks what a dialog offers. */
  async answer(words: string): Promise<void> {
    const button = this.page.locator(".monaco-dialog-box a.monaco-button", { hasText: words });
    await button.waitFor();
    await this.does(`the answer "${words}"`, () => button.click({ timeout: SOON }), async () => !(await button.isVisible()));
  }

  /** Whether a notification said this; it may be gone by now. */
  isNotified(words: string): Promise<boolean> {
    return this.page.evaluate((words) => (window as unknown as InPage).notified.some((one) => one.includes(words)), words);
  }

  /** Whether something is there soon. Who asks does again what may have been lost in a window that was busy, and asks again. */
  async isSeen(what: Shown): Promise<boolean> {
    if (typeof what !== "function") {
      return what.waitFor({ timeout: this.soon }).then(() => true, () => false);
    }
    const deadline = Date.now() + this.soon;
    while (Date.now() < deadline) {
      if (await what() === true) {
        return true;
      }
      await this.frame();
    }
    return false;
  }

  private frame(): Promise<void> {
    return this.page.evaluate(() => new Promise((painted) => requestAnimationFrame(() => painted())));
  }

  /** Types into the box that a key opens, and takes the first row, which has the words. What comes of it is for the caller to see. */
  private async quick(key: string, typed: string, words?: string): Promise<void> {
    const input = this.page.locator(".quick-input-widget input.input");
    // Whatever was left open: what is typed there could mean something else.
    for (let nth = 0; nth < 3 && await input.isVisible(); nth++) {
      await this.page.keyboard.press("Escape");
    }
    await this.page.keyboard.press(key);
    await input.fill(typed, { timeout: this.soon });
    if (words !== undefined) {
      // While it still searches, Enter does nothing.
      await this.page.locator(".quick-input-list .monaco-list-row.focused", { hasText: words }).first().waitFor({ timeout: this.soon });
    }
    // A key that was heard late may have emptied the box again: an Enter there would take another row.
    if (await input.inputValue({ timeout: this.soon }) !== typed) {
      throw new Error(`"${typed}" is not in the box any more`);
    }
    await input.press("Enter", { timeout: this.soon });
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
      page.look = () => {
        for (const { body, line, title } of page.shownThreads()) {
          // The first part is the id, and how certain it is may change within a state.
          const state = title.split(" · ").slice(1).map((part) => part.replace(/ \(.*/, "")).join(" · ");
          const notes = (seen[body] ??= []);
          const last = notes.at(-1);
          if (last?.line !== line || last.state !== state) {
            notes.push({ line, state });
          }
        }
      };
      const eachFrame = () => {
        if (page.seen === seen) {
          page.look();
          requestAnimationFrame(eachFrame);
        }
      };
      eachFrame();
    });
    return (words) => this.page.evaluate((words) => {
      const page = window as unknown as InPage;
      // What came after the last frame counts as well: who asks may have seen it.
      page.look();
      return page.seen[words] ?? [];
    }, words);
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
      await this.frame();
    }
    await this.picture(`failed: ${what.replaceAll(/\W+/g, " ").slice(0, 60)}`);
    throw new Error(`there is not ${what}: ${JSON.stringify(seen)}`);
  }

  /** The box of a thread that has these words. */
  thread(words: string): Locator {
    return this.page.locator(".review-widget", { hasText: words }).first();
  }

  /** Clicks what has this name in the thread with these words, a button below its text or an icon, until the window shows it. */
  async click(words: string, name: string, shows: Shown, clicks = 1): Promise<void> {
    const thread = this.thread(words);
    const there = thread.locator(`a.monaco-button:text-is("${name}"):visible, .action-label[aria-label^="${name}"]:visible`).first();
    await this.does(`"${name}" of "${words}"`, async () => {
      await thread.hover({ timeout: SOON });
      await there.click({ timeout: SOON, clickCount: clicks });
    }, shows);
  }

  /** Sends what is in the box of the thread with these words: clicks so many times, and no more, since the box has its text until it is stored. */
  async send(words: string, name: string, clicks = 1): Promise<void> {
    await this.page.evaluate(() => { (window as unknown as InPage).clicked = []; });
    await this.click(words, name, () => this.page.evaluate((name) => (window as unknown as InPage).clicked.includes(name), name), clicks);
  }

  /** Opens the box of a comment, and types into it instead of what is there. */
  async type(text: string, open: () => Promise<unknown>): Promise<void> {
    const focused = this.page.locator(".review-widget .monaco-editor.focused .view-lines").first();
    const isThere = async () => {
      const shown = await focused.textContent({ timeout: SOON }).catch(() => null);
      return (shown ?? "").replaceAll("\u00a0", " ").includes(text) && this.page.evaluate(isInBox);
    };
    // A box from before may still have the keys.
    let isOpened = false;
    await this.does(`"${text}" in a box`, async () => {
      if (!isOpened || !(await this.page.evaluate(isInBox))) {
        const box = this.page.locator(".review-widget .monaco-editor .view-lines").first();
        await (isOpened && await box.isVisible() ? box.click({ timeout: SOON }) : open());
        isOpened = await this.isSeen(() => this.page.evaluate(isInBox));
      }
      if (isOpened) {
        await this.press("Control+a");
        await this.page.keyboard.insertText(text);
      }
    }, isThere);
  }

  /** Begins a comment on a line. */
  async comment(line: number, text: string): Promise<void> {
    // Before the lines that can be commented on are known, there is no such command.
    await this.page.locator(".editor-instance .comment-diff-added").first().waitFor();
    await this.type(text, async () => {
      await this.goto(line);
      await this.quick("F1", ">Comments: Add Comment on Current Selection", "Add Comment on Current Selection");
    });
  }

  /** Begins a comment on the whole file. */
  async commentOnFile(text: string): Promise<void> {
    await this.type(text, () => this.quick("F1", ">postil: Comment on This File", "Comment on This File"));
  }

  /** Begins a comment with the plus beside a line, in the editor that has this selector. */
  async plus(editor: string, line: number, text: string): Promise<void> {
    const here = this.page.locator(editor);
    await this.type(text, async () => {
      const icon = await here.locator(".comment-diff-added").first().boundingBox({ timeout: SOON });
      const row = await here.locator(".margin .line-numbers", { hasText: new RegExp(`^${line}$`) }).first().boundingBox({ timeout: SOON });
      if (!icon || !row) {
        throw new Error(`line ${line} of ${editor} cannot be commented on`);
      }
      const at = [icon.x + icon.width / 2, row.y + row.height / 2] as const;
      await this.page.mouse.move(...at);
      await here.locator(".line-hover").first().waitFor({ timeout: SOON });
      await this.page.mouse.click(...at);
    });
  }

  /** Begins a reply. */
  async reply(words: string, text: string): Promise<void> {
    const button = this.thread(words).locator(".review-thread-reply-button");
    await this.type(text, () => button.click({ timeout: SOON }));
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
    await this.page.reload();
    await this.isOpen();
  }

  async close(): Promise<void> {
    const ended = new Promise((done) => this.server.once("exit", done));
    await this.browser.close();
    if (this.server.exitCode === null && this.server.signalCode === null) {
      this.server.kill("SIGTERM");
      await ended;
    }
  }
}

/** The address of code-server, once it listens. */
function listening(server: ChildProcess): Promise<string> {
  return new Promise((found, failed) => {
    let heard = "";
    const hear = (chunk: Buffer) => {
      heard += chunk.toString();
      const address = /HTTP server listening on (http:\S+?)\/?\s/.exec(heard)?.[1];
      if (address) {
        found(address);
      }
    };
    server.stdout?.on("data", hear);
    server.stderr?.on("data", hear);
    server.once("exit", (code) => failed(new Error(`code-server ended with ${code}: ${heard}`)));
  });
}
