// Texts that somebody is typing. A comment box is a document of scheme `comment`, so its text can be kept on disk until it
// is sent: through a crash of the editor, a reload, or a thread that went away.

import { createHash } from "node:crypto";
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import * as path from "node:path";
import * as vscode from "vscode";

const AFTER = 300;

/** The boxes of threads, which have the number of the box or the name of the thread at the end. */
const IS_OF_THREAD = /commentinput-[0-9a-f-]{36}-[\w.]+\.md$/;
const OF_NEW = /commentinput-[0-9a-f-]{36}-\d+\.md$/;

export class Typed implements vscode.Disposable {
  private readonly texts = new Map<string, string>();
  private readonly timers = new Map<string, NodeJS.Timeout>();
  private readonly subscriptions: vscode.Disposable[];
  /** One change of the folder after the other, so that a text that was sent is not written again. */
  private queue: Promise<unknown> = Promise.resolve();
  private held = 0;
  private readonly ended = new vscode.EventEmitter<void>();
  /** Nobody types any more. */
  readonly onDidEnd = this.ended.event;

  constructor(private readonly folder: string) {
    this.subscriptions = [
      vscode.workspace.onDidChangeTextDocument(({ document }) => this.look(document)),
      vscode.workspace.onDidCloseTextDocument((document) => this.closed(document)),
    ];
  }

  /**
   * Whether somebody may have an unfinished text in the box of a thread, which must not be taken away meanwhile. The editor does
   * not say which box is whose, but the box of a new thread has a name of its own kind, which it keeps.
   */
  isBusy(thread: "made" | "begun"): boolean {
    const isOfNew = (uri: string) => OF_NEW.test(uri);
    return [...this.texts.keys()].some((uri) => isOfNew(uri) === (thread === "begun") || !IS_OF_THREAD.test(uri));
  }

  /**
   * A text was sent, or dropped on purpose: its box may stay behind with it. Of several boxes with the same text it is the one
   * that was typed in last.
   */
  done(text: string): void {
    const [uri] = [...this.texts].findLast(([, typed]) => typed === text) ?? [];
    if (uri !== undefined) {
      this.forget(uri);
    }
  }

  /** Keeps a text while it is being sent, since its box is emptied at once. */
  async hold(text: string): Promise<string> {
    const uri = `sending-${process.pid}-${Date.now()}-${this.held++}`;
    await this.write(uri, text);
    return this.file(uri);
  }

  /** The texts that were kept and never sent. */
  async kept(): Promise<{ file: string; text: string }[]> {
    const names = await readdir(this.folder).catch(() => [] as string[]);
    const open = new Set([...this.texts.keys()].map((uri) => path.basename(this.file(uri))));
    const found = names.filter((name) => name.endsWith(".md") && !open.has(name));
    return Promise.all(found.map(async (name) => {
      const file = path.join(this.folder, name);
      return { file, text: await readFile(file, "utf8") };
    }));
  }

  drop(file: string): Promise<void> {
    return this.next(() => rm(file, { force: true }));
  }

  dispose(): void {
    this.subscriptions.forEach((subscription) => subscription.dispose());
    this.timers.forEach((timer) => clearTimeout(timer));
  }

  private look(document: vscode.TextDocument): void {
    if (document.uri.scheme !== "comment") {
      return;
    }
    const uri = document.uri.toString();
    const text = document.getText();
    if (text.trim() === "") {
      this.forget(uri);
      return;
    }
    // The last one is the one that was typed in last.
    this.texts.delete(uri);
    this.texts.set(uri, text);
    clearTimeout(this.timers.get(uri));
    this.timers.set(uri, setTimeout(() => void this.write(uri, text), AFTER));
  }

  private closed(document: vscode.TextDocument): void {
    const uri = document.uri.toString();
    const text = this.texts.get(uri);
    if (text !== undefined) {
      // A box that goes away with a text in it: the text stays on disk.
      void this.write(uri, text);
      this.texts.delete(uri);
      this.tell();
    }
  }

  private forget(uri: string): void {
    clearTimeout(this.timers.get(uri));
    this.timers.delete(uri);
    void this.drop(this.file(uri));
    if (this.texts.delete(uri)) {
      this.tell();
    }
  }

  private tell(): void {
    if (this.texts.size === 0) {
      this.ended.fire();
    }
  }

  private write(uri: string, text: string): Promise<void> {
    return this.next(async () => {
      await mkdir(this.folder, { recursive: true });
      await writeFile(this.file(uri), text, { mode: 0o600 });
    });
  }

  private next(step: () => Promise<void>): Promise<void> {
    const done = this.queue.then(step, step);
    this.queue = done.catch(() => undefined);
    return done;
  }

  private file(uri: string): string {
    return path.join(this.folder, `${createHash("sha256").update(uri).digest("hex").slice(0, 24)}.md`);
  }
}
