// Comments and threads as the editor shows them.

import * as vscode from "vscode";

import { authorName, commentLabel, threadContext, threadLabel } from "./labels.ts";
import type { CommentView, Place, ThreadView } from "./protocol.ts";

/** A comment in a thread of the editor. */
export class ShownComment implements vscode.Comment {
  body: string | vscode.MarkdownString;
  mode = vscode.CommentMode.Preview;
  readonly author: vscode.CommentAuthorInformation;
  readonly label?: string;
  readonly timestamp: Date;
  readonly contextValue: string;

  constructor(readonly view: CommentView, readonly thread: () => vscode.CommentThread) {
    this.author = { name: authorName(view.author) };
    const label = commentLabel(view);
    if (label) {
      this.label = label;
    }
    this.timestamp = new Date(view.at);
    this.contextValue = view.withdrawn ? "withdrawn" : view.trust === "here" ? "words mine" : "words";
    this.body = this.rendered();
  }

  /** What others wrote was made harmless by the server; nothing in it runs or is loaded. */
  rendered(): vscode.MarkdownString {
    const { withdrawn, markdown, text } = this.view;
    const shown = new vscode.MarkdownString(withdrawn ? "*withdrawn*" : markdown);
    if (markdown === undefined && !withdrawn) {
      shown.appendText(text);
    }
    return shown;
  }
}

/** Gives a thread of the editor its words and its state. */
export function describe(thread: vscode.CommentThread, view: ThreadView, kind: Place[0] | undefined): void {
  const label = threadLabel(view, kind);
  if (thread.label !== label) {
    thread.label = label;
  }
  const context = threadContext(view, kind);
  if (thread.contextValue !== context) {
    thread.contextValue = context;
  }
  const resolved = view.status === "open" ? vscode.CommentThreadState.Unresolved : vscode.CommentThreadState.Resolved;
  if (thread.state !== resolved) {
    thread.state = resolved;
  }
  const canReply = view.status !== "withdrawn";
  if (thread.canReply !== canReply) {
    thread.canReply = canReply;
  }
}
