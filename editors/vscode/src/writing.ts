// What people write: new comments, replies, changes of both, and what becomes of threads. A text stays on disk until it is
// stored, and in its box: the editor empties a box when its command ends, unless the command fails.

import * as vscode from "vscode";

import type { Board } from "./board.ts";
import type { ShownComment } from "./comments.ts";
import { aboutOf } from "./documents.ts";
import { authorName, pendingProposals, plain, proposedWords, reasonOf, withoutIcons } from "./labels.ts";
import type { ReviewView } from "./protocol.ts";
import type { Server } from "./server.ts";
import type { Typed } from "./typed.ts";

const SEVERITIES = [
  ["note", "For information"],
  ["nit", "A matter of taste"],
  ["issue", "Should be fixed"],
  ["blocker", "Must be fixed before merging"],
  ["praise", "Well done"],
  ["question", "Needs an answer"],
] as const;

export interface Reply {
  thread: vscode.CommentThread;
  text: string;
}

export class Writing {
  /** What is being sent: a second click sends nothing. */
  private readonly sending = new Set<vscode.CommentThread | ShownComment>();

  constructor(
    private readonly server: () => Server,
    private readonly board: Board,
    private readonly typed: Typed,
    private readonly written: () => void,
  ) {}

  /** A new thread, on lines, on a file, or on a whole review. */
  async submit({ thread, text }: Reply, options: { draft?: boolean; severity?: string } = {}): Promise<void> {
    const id = await this.keeping(thread, text, () => this.store(thread, text, options));
    if (aboutOf(thread.uri)) {
      thread.dispose();
    } else {
      this.board.adopt(id, thread);
    }
    this.written();
  }

  async submitSeverity(reply: Reply): Promise<void> {
    const picks = SEVERITIES.map(([label, description]) => ({ label, description }));
    const chosen = await vscode.window.showQuickPick(picks, { placeHolder: "How serious is it?", ignoreFocusOut: true });
    if (!chosen) {
      throw new vscode.CancellationError();
    }
    await this.submit(reply, { severity: chosen.label });
  }

  async reply({ thread, text }: Reply, options: { draft?: boolean; resolve?: boolean } = {}): Promise<void> {
    const of = this.board.viewOf(thread);
    if (!of) {
      return;
    }
    await this.keeping(thread, text, () => this.ask(thread, "reply", { to: of.id, text, ...options }));
    this.written();
  }

  async status(thread: vscode.CommentThread, method: "resolve" | "reopen"): Promise<void> {
    const of = this.board.viewOf(thread);
    if (of) {
      await this.ask(thread, method, { threads: [of.id] });
      this.written();
    }
  }

  edit(comment: ShownComment): void {
    this.setMode(comment, vscode.CommentMode.Editing, comment.view.text);
  }

  /** A comment that was begun is not wanted. */
  discard(thread: vscode.CommentThread): void {
    this.typed.dropNew();
    thread.dispose();
  }

  cancel(comment: ShownComment): void {
    this.typed.done(bodyOf(comment));
    this.setMode(comment, vscode.CommentMode.Preview, comment.rendered());
    this.board.refresh(comment.thread());
  }

  async save(comment: ShownComment): Promise<void> {
    const text = bodyOf(comment);
    if (text.trim() === "" || text === comment.view.text) {
      this.cancel(comment);
      return;
    }
    await this.keeping(comment, text, () => this.ask(comment.thread(), "edit", { of: comment.view.id, text }));
    this.cancel(comment);
    this.written();
  }

  async withdraw(comment: ShownComment): Promise<void> {
    const yes = "Withdraw";
    const said = await vscode.window.showWarningMessage("Withdraw this comment? Others will see that it was withdrawn.", { modal: true }, yes);
    if (said === yes) {
      await this.ask(comment.thread(), "withdraw", { comments: [comment.view.id] });
      this.written();
    }
  }

  /** One of the places that postil found for a thread. */
  async move(thread: vscode.CommentThread): Promise<void> {
    const of = this.board.viewOf(thread);
    const picks = (of?.position?.candidates ?? []).map((candidate, nth) => ({
      label: withoutIcons(`${typeof candidate.path === "string" ? plain(candidate.path, 200) : "(a name that is not text)"}${candidate.start ? `:${candidate.start}` : ""}`),
      description: `${Math.floor(candidate.confidence * 100)} %`,
      nth: nth + 1,
    }));
    const chosen = await vscode.window.showQuickPick(picks, { placeHolder: "Where does it belong?", ignoreFocusOut: true });
    if (of && chosen) {
      await this.ask(thread, "move", { of: of.id, to: { candidate: chosen.nth } });
      this.written();
    }
  }

  /** Accepts or declines what an agent or a tool proposed: a thread is resolved or moved then, or stays as it is. */
  async answer(thread: vscode.CommentThread): Promise<void> {
    const of = this.board.viewOf(thread);
    // One after the other, the newest first: an answer is to that one.
    const proposal = of && pendingProposals(of).at(-1);
    if (!of || !proposal) {
      return;
    }
    const [who, what] = [withoutIcons(authorName(proposal.author)), withoutIcons(proposedWords(proposal))];
    const why = proposal.text ? { detail: withoutIcons(plain(proposal.text, 300)) } : {};
    const picks = [
      { label: `Accept: ${what}`, description: who, answer: "accept", ...why },
      { label: `Decline: ${what}`, description: who, answer: "decline", ...why },
    ];
    const chosen = await vscode.window.showQuickPick(picks, { placeHolder: "What do you say to it?", ignoreFocusOut: true });
    if (chosen) {
      await this.ask(thread, "answer", { threads: [of.id], answer: chosen.answer });
      this.written();
    }
  }

  /** Asks the service about the repository that a thread is in. */
  ask<Answer>(thread: vscode.CommentThread, method: string, params: object): Promise<Answer> {
    return this.server().ask<Answer>(withinOf(thread.uri), method, params);
  }

  private async store(thread: vscode.CommentThread, text: string, options: object): Promise<string> {
    const about = aboutOf(thread.uri);
    const lines = thread.range && { start: thread.range.start.line + 1, end: thread.range.end.line + 1 };
    if (about?.kind === "review") {
      const written = await this.ask<{ thread: { id: string } }>(thread, "comment", { review: about.review, text, ...options });
      return written.thread.id;
    }
    if (about?.kind === "side") {
      let rev = {};
      if (about.side === "new" && about.review) {
        const { review } = await this.ask<{ review: ReviewView }>(thread, "review.show", { review: about.review });
        rev = { rev: review.tip ?? review.head };
      }
      const place = { path: about.path, side: about.side, ...rev, ...(lines ? { span: lines } : {}) };
      const review = about.review ? { review: about.review } : {};
      const written = await this.ask<{ thread: { id: string } }>(thread, "comment", { place, ...review, text, ...options });
      return written.thread.id;
    }
    const document = await vscode.workspace.openTextDocument(thread.uri);
    const range = thread.range && {
      start: { line: thread.range.start.line, character: 0 },
      end: document.lineAt(Math.min(thread.range.end.line, document.lineCount - 1)).range.end,
    };
    const where = { uri: this.server().address(thread.uri), ...(range ? { range } : {}) };
    const written = await this.server().command<{ thread: string }>("postil.comment", { ...where, text, ...options });
    return written.thread;
  }

  /** Does something with a text, which stays on disk and in its box until that is done. */
  private async keeping<Answer>(of: vscode.CommentThread | ShownComment, text: string, work: () => Promise<Answer>): Promise<Answer> {
    if (this.sending.has(of)) {
      throw new vscode.CancellationError();
    }
    this.sending.add(of);
    try {
      const file = await this.typed.hold(text);
      const answer = await work().catch(async (error: unknown) => {
        await this.failed(error, file, text);
        throw new vscode.CancellationError();
      });
      this.typed.done(text);
      await this.typed.drop(file);
      return answer;
    } finally {
      this.sending.delete(of);
    }
  }

  /** Says why a text was not sent, and where it is. */
  private async failed(error: unknown, file: string, text: string): Promise<void> {
    const why = reasonOf(error);
    if (this.typed.isInBox(text)) {
      await this.typed.drop(file);
      void vscode.window.showErrorMessage(`postil: ${why}. Your text is still in its box.`);
      return;
    }
    const show = "Show the Text";
    void vscode.window.showErrorMessage(`postil: ${why}. Your text was kept.`, show).then(async (said) => {
      if (said === show) {
        await vscode.window.showTextDocument(vscode.Uri.file(file));
      }
    });
  }

  private setMode(comment: ShownComment, mode: vscode.CommentMode, body: string | vscode.MarkdownString): void {
    comment.mode = mode;
    comment.body = body;
    const thread = comment.thread();
    thread.comments = [...thread.comments];
  }
}

/** What the box of a comment has, or what is shown of it. */
function bodyOf(comment: ShownComment): string {
  return typeof comment.body === "string" ? comment.body : comment.body.value;
}

/** A file or folder of the repository that a document is about. */
export function withinOf(uri: vscode.Uri): vscode.Uri {
  const about = aboutOf(uri);
  return about ? vscode.Uri.parse(about.within) : uri;
}
