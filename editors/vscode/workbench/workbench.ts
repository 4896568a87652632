// The real workbench of VS Code (code-server) in a real browser, with a repository of its own.
//
// Driven by playwright-core: the review page is driven from Rust, but a workbench needs keys, focus and waiting for elements of
// a large page at every step, which playwright has and the few lines there have not.

import { execFileSync, spawn, type ChildProcess } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { homedir, tmpdir } from "node:os";
import * as path from "node:path";

import { type Browser, chromium, type Page } from "playwright-core";

/** Where the program and the editor are; nothing if the editor is not installed. */
export function installed(): { editor: string; node: string; browser: string; postil: string; extension: string } | undefined {
  const editors = process.env["POSTIL_EDITORS"] ?? path.join(homedir(), ".cache/postil-editors");
  const folder = path.join(editors, "code-server");
  const browser = ["/usr/bin/chromium", "/usr/bin/chromium-browser"].find((file) => existsSync(file));
  const extension = path.resolve(process.cwd());
  const postil = process.env["POSTIL"] ?? path.resolve(extension, "../../target/debug/postil");
  if (!existsSync(path.join(folder, "ready")) || !browser || !existsSync(postil)) {
    return undefined;
  }
  return { editor: path.join(folder, "server/node_modules/code-server/out/node/entry.js"), node: path.join(folder, "node/node_modules/.bin/node"), browser, postil, extension };
}

export const LINES = Array.from({ length: 60 }, (_, nth) => `    let value_${nth + 1} = compute(${nth + 1}, ${(nth + 1) * 7});`);

/** A repository in a sealed home. */
export class Project {
  readonly home = mkdtempSync(path.join(tmpdir(), "postil-vscode-"));
  readonly folder = path.join(this.home, "project");
  readonly environment: NodeJS.ProcessEnv = {
    PATH: process.env["PATH"], HOME: this.home, XDG_RUNTIME_DIR: path.join(this.home, "run"), LANG: "C.UTF-8",
    GIT_CONFIG_NOSYSTEM: "1", GIT_AUTHOR_DATE: "2026-01-02T03:04:05Z", GIT_COMMITTER_DATE: "2026-01-02T03:04:05Z",
  };

  constructor(readonly program: string) {
    mkdirSync(this.folder);
    mkdirSync(path.join(this.home, "run"), { mode: 0o700 });
    this.git("init", "-q", "-b", "main");
    for (const [name, value] of [["user.name", "Ann"], ["user.email", "ann@example.com"], ["postil.sign", "false"]] as const) {
      this.git("config", name, value);
    }
    this.write("a.rs", `${LINES.join("\n")}\n`);
    this.commit("first");
  }

  git(...words: string[]): string {
    return execFileSync("git", words, { cwd: this.folder, env: this.environment, encoding: "utf8" });
  }

  postil(...words: string[]): string {
    return execFileSync(this.program, words, { cwd: this.folder, env: this.environment, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
  }

  /** The threads as the command line lists them. */
  list(...words: string[]): any[] {
    return JSON.parse(this.postil("list", "--json", ...words)).threads;
  }

  write(file: string, text: string): void {
    writeFileSync(path.join(this.folder, file), text);
  }

  read(file: string): string {
    return readFileSync(path.join(this.folder, file), "utf8");
  }

  commit(message: string): void {
    this.git("add", "-A");
    this.git("commit", "-q", "-m", message);
  }

  close(): void {
    try {
      this.postil("daemon", "stop");
    } catch {
      // There was none.
    }
    rmSync(this.home, { recursive: true, force: true });
  }
}

/** The editor in a window. */
export class Workbench {
  private constructor(readonly page: Page, private readonly browser: Browser, private readonly server: ChildProcess) {}

  static async open(project: Project, where: NonNullable<ReturnType<typeof installed>>, settings: object = {}): Promise<Workbench> {
    const data = path.join(project.home, "data");
    const extensions = path.join(project.home, "extensions");
    mkdirSync(path.join(data, "User"), { recursive: true });
    mkdirSync(extensions, { recursive: true });
    symlinkSync(where.extension, path.join(extensions, "postil.postil-0.1.0"));
    writeFileSync(path.join(data, "User/settings.json"), JSON.stringify({
      "workbench.startupEditor": "none", "chat.disableAIFeatures": true, "comments.openView": "never", "telemetry.telemetryLevel": "off",
      "security.workspace.trust.enabled": false, "editor.autoIndent": "none", "editor.minimap.enabled": false, "files.autoSave": "off",
      "editor.autoClosingBrackets": "never", "editor.suggestOnTriggerCharacters": false, "editor.quickSuggestions": { other: "off" },
      "editor.wordBasedSuggestions": "off", "git.openRepositoryInParentFolders": "never", "postil.path": where.postil, ...settings,
    }));
    const port = await freePort();
    const server = spawn(where.node, [
      where.editor, "--auth", "none", "--bind-addr", `127.0.0.1:${port}`, "--user-data-dir", data, "--extensions-dir", extensions,
      "--disable-telemetry", "--disable-update-check", "--disable-workspace-trust", "--reconnection-grace-time", "2", project.folder,
    ], { env: project.environment, stdio: ["ignore", "pipe", "pipe"] });
    await new Promise<void>((ready, failed) => {
      const heard = (chunk: Buffer) => { if (chunk.toString().includes("HTTP server listening")) { ready(); } };
      server.stdout?.on("data", heard);
      server.stderr?.on("data", heard);
      server.on("exit", (code) => failed(new Error(`code-server ended with ${code}`)));
    });
    const browser = await chromium.launch({ executablePath: where.browser, args: ["--no-sandbox"] });
    const page = await browser.newPage({ viewport: { width: 1200, height: 900 } });
    page.setDefaultTimeout(10_000);
    await page.goto(`http://127.0.0.1:${port}/?folder=${encodeURIComponent(project.folder)}`);
    await page.locator(".monaco-workbench .statusbar").waitFor({ timeout: 60_000 });
    return new Workbench(page, browser, server);
  }

  /** Runs a command of the palette. */
  async command(title: string): Promise<void> {
    await this.page.keyboard.press("F1");
    const input = this.page.locator(".quick-input-widget input.input");
    await input.waitFor();
    await input.fill(`>${title}`);
    await this.page.locator(".quick-input-list .monaco-list-row", { hasText: title.replace(/^.*: /, "") }).first().waitFor();
    await this.page.keyboard.press("Enter");
  }

  /** Opens a file. */
  async file(name: string): Promise<void> {
    await this.page.keyboard.press("Control+p");
    const input = this.page.locator(".quick-input-widget input.input");
    await input.waitFor();
    await input.fill(name);
    await this.page.locator(".quick-input-list .monaco-list-row", { hasText: name }).first().waitFor();
    await this.page.keyboard.press("Enter");
    await this.page.locator(".tab.active", { hasText: name }).waitFor();
    await this.page.locator(".editor-instance .view-lines").first().waitFor();
  }

  /** Puts the cursor into a line, counted from one. */
  async goto(line: number, column = 1): Promise<void> {
    // The first group of editors gets the keys; a click could hit the box of a comment.
    await this.page.keyboard.press("Control+1");
    await this.page.keyboard.press("Control+g");
    const input = this.page.locator(".quick-input-widget input.input");
    await input.waitFor();
    await input.fill(`:${line}:${column}`);
    await this.page.keyboard.press("Enter");
    await input.waitFor({ state: "hidden" });
  }

  /** The unfolded threads: the line that each stands below, counted from one, its title, and its comments. */
  threads(): Promise<{ line: number; title: string; body: string }[]> {
    return this.page.evaluate(() => {
      const found: { line: number; title: string; body: string }[] = [];
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
        found.push({ line, title: text(".review-title") || text(".head"), body });
      }
      return found.sort((a, b) => a.line - b.line);
    });
  }

  /** Waits until a thread with these words stands below a line and its title has the words. */
  async until(words: string, line: number, title = ""): Promise<void> {
    const deadline = Date.now() + 15_000;
    let seen: unknown;
    while (Date.now() < deadline) {
      const threads = await this.threads();
      seen = threads;
      if (threads.some((thread) => thread.body.includes(words) && thread.line === line && thread.title.includes(title))) {
        return;
      }
      await this.page.waitForTimeout(30);
    }
    throw new Error(`no thread "${words}" below line ${line} with "${title}": ${JSON.stringify(seen)}`);
  }

  /** Takes a picture, if somebody wants to look. */
  async picture(name: string): Promise<void> {
    const folder = process.env["POSTIL_PICTURES"];
    if (folder) {
      mkdirSync(folder, { recursive: true });
      await this.page.screenshot({ path: path.join(folder, `${name}.png`) });
    }
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
