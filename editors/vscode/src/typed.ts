// Texts that somebody is typing. A comment box is a document of scheme `comment`, so its text can be kept on disk until it
// is sent: through a crash of the editor, a reload, or a thread that went away.

import * as vscode from "vscode";

import { Kept } from "./kept.ts";

/** The boxes of threads, which have the number of the box or the name of the thread at the end. */
const IS_OF_THREAD = /commentinput-[0-9a-f-]{36}-[\w.]+\.md$/;
const OF_NEW = /commentinput-[0-9a-f-]{36}-\d+\.md$/;

export class Typed implements vscode.Disposable {
  private readonly texts = new Map<string, string>();
  private readonly subscriptions: vscode.Disposable[];
  private readonly disk: Kept;
  private held = 0;
  private readonly ended = new vscode.EventEmitter<void>();
  /** Nobody types any more. */
  readonly onDidEnd = this.ended.event;

  constructor(folder: string) {
    this.disk = new Kept(folder);
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
    return [...this.texts.keys()].some((uri) => OF_NEW.test(uri) === (thread === "begun") || !IS_OF_THREAD.test(uri));
  }

  /**
   * A text was sent, or dropped on purpose: its box may stay behind with it. Of several boxes with the same text it is the one
   * that was typed in last.
   */
  done(text: string): void {
    const uri = this.boxWith(text);
    if (uri !== undefined) {
      this.forget(uri);
    }
  }

  /** Whether a text is still in its box. */
  isInBox(text: string): boolean {
    return this.boxWith(text) !== undefined;
  }

  /** The box of a new thread was closed on purpose. If there are several, nobody knows which one it was, and their texts are kept. */
  dropNew(): void {
    const [uri, ...others] = [...this.texts.keys()].filter((uri) => OF_NEW.test(uri));
    if (uri !== undefined && others.length === 0) {
      this.forget(uri);
    }
  }

  /** Keeps a text while it is being sent: its box may go away meanwhile. */
  async hold(text: string): Promise<string> {
    const name = `sending-${process.pid}-${Date.now()}-${this.held++}`;
    await this.disk.write(name, text);
    return this.disk.file(name);
  }

  /** The texts that were kept and never sent. */
  kept(): Promise<{ file: string; text: string }[]> {
    return this.disk.texts(this.texts.keys());
  }

  drop(file: string): Promise<void> {
    return this.disk.remove(file);
  }

  /** Before the editor ends. */
  flush(): Promise<void> {
    return this.disk.flush();
  }

  dispose(): void {
    this.subscriptions.forEach((subscription) => subscription.dispose());
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
    this.disk.soon(uri, text);
  }

  private closed(document: vscode.TextDocument): void {
    const uri = document.uri.toString();
    const text = this.texts.get(uri);
    if (text !== undefined) {
      // A box that goes away with a text in it: the text stays on disk.
      void this.disk.write(uri, text);
      this.texts.delete(uri);
      this.tell();
    }
  }

  private boxWith(text: string): string | undefined {
    return [...this.texts].findLast(([, typed]) => typed === text)?.[0];
  }

  private forget(uri: string): void {
    void this.disk.drop(uri);
    if (this.texts.delete(uri)) {
      this.tell();
    }
  }

  private tell(): void {
    if (this.texts.size === 0) {
      this.ended.fire();
    }
  }
}
