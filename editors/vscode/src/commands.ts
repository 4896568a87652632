// The commands of menus and keys.

import * as path from "node:path";
import * as vscode from "vscode";

import type { Board } from "./board.ts";
import type { ShownComment } from "./comments.ts";
import { aboutOf, addressOf, type Documents } from "./documents.ts";
import { type Follower, originalLines, originalOf, wantedAt } from "./follower.ts";
import { plain, reasonOf, withoutIcons, withoutLinks } from "./labels.ts";
import { textOf, type ThreadView } from "./protocol.ts";
import { type Node, openFile, openReview, type Reviews } from "./reviews.ts";
import type { Server } from "./server.ts";
import { changedFiles } from "./texts.ts";
import type { Typed } from "./typed.ts";
import { type Reply, withinOf, type Writing } from "./writing.ts";

export interface Parts {
  server: () => Server;
  board: Board;
  follower: Follower;
  reviews: Reviews;
  writing: Writing;
  typed: Typed;
  documents: Documents;
  folders: () => vscode.Uri[];
  /** Asks again for everything that is shown. */
  lookAgain: () => void;
}

type Thread = vscode.CommentThread;

/** Registers all commands; one that fails says why, and one that was given up leaves the box that it was given in as it is. */
export function register(parts: Parts): vscode.Disposable[] {
  const { writing } = parts;
  const commands: Record<string, (argument: never) => unknown> = {
    submit: (reply: Reply) => writing.submit(reply),
    submitDraft: (reply: Reply) => writing.submit(reply, { draft: true }),
    submitSeverity: (reply: Reply) => writing.submitSeverity(reply),
    replyHere: (reply: Reply) => writing.reply(reply),
    replyDraft: (reply: Reply) => writing.reply(reply, { draft: true }),
    replyResolve: (reply: Reply) => writing.reply(reply, { resolve: true }),
    discard: (thread: Thread) => writing.discard(thread),
    resolveThread: (thread: Thread) => writing.status(thread, "resolve"),
    reopenThread: (thread: Thread) => writing.status(thread, "reopen"),
    moveThread: (thread: Thread) => writing.move(thread),
    answerProposal: (thread: Thread) => writing.answer(thread),
    showOriginal: (thread: Thread) => showOriginal(parts, thread),
    previewSuggestion: (thread: Thread) => preview(parts, thread),
    applySuggestion: (thread: Thread) => apply(parts, thread),
    editComment: (comment: ShownComment) => writing.edit(comment),
    cancelEdit: (comment: ShownComment) => writing.cancel(comment),
    saveComment: (comment: ShownComment) => writing.save(comment),
    withdrawComment: (comment: ShownComment) => writing.withdraw(comment),
    goToNext: () => jump(parts, "postil.next"),
    goToPrevious: () => jump(parts, "postil.previous"),
    commentOnFile: () => vscode.commands.executeCommand("workbench.action.addComment", { fileComment: true }),
    publishDrafts: () => publish(parts),
    listAll: () => listAll(parts),
    showKeptTexts: () => showKept(parts),
    startReview: () => startReview(parts),
    refreshReviews: () => parts.lookAgain(),
    openReviewFile: (node: Node & { kind: "file" }) => openFile(node),
    openReview: (node: Node) => openReview(node),
    approve: (node: Node) => judge(parts, node, "approve"),
    requestChanges: (node: Node) => judge(parts, node, "changes"),
    commentOnReview: (node: Node) => judge(parts, node, "comment"),
  };
  return Object.entries(commands).map(([name, run]) => vscode.commands.registerCommand(`postil.${name}`, async (argument: never) => {
    try {
      await run(argument);
    } catch (error) {
      if (error instanceof vscode.CancellationError) {
        throw error;
      }
      void vscode.window.showErrorMessage(`postil: ${reasonOf(error)}`);
    }
  }));
}

async function showOriginal({ board, server }: Parts, thread: Thread): Promise<void> {
  const view = board.viewOf(thread);
  if (view) {
    const within = server().address(withinOf(thread.uri));
    const [start, end] = originalLines(view);
    const selection = new vscode.Range(start, 0, end, 0);
    await vscode.window.showTextDocument(originalOf(within, view), { viewColumn: vscode.ViewColumn.Beside, selection, preview: true });
  }
}

/** What the files would be, beside what they are: without threads, which would push the change out of sight. */
async function preview({ board, server }: Parts, thread: Thread): Promise<void> {
  const view = board.viewOf(thread);
  if (!view) {
    return;
  }
  const within = withinOf(thread.uri);
  const { root, files } = await changedFiles(server(), within, view.id);
  for (const file of files) {
    const now = addressOf(`now/${plain(textOf(file), 200)}`, {
      kind: "now", within: server().address(within), file: vscode.Uri.joinPath(vscode.Uri.parse(root), textOf(file)).toString(),
    });
    const then = addressOf(`suggestion ${view.short}/${plain(textOf(file), 200)}`, {
      kind: "suggestion", within: server().address(within), thread: view.id, path: file,
    });
    const title = `${plain(path.basename(textOf(file)))} (suggestion ${view.short})`;
    await vscode.commands.executeCommand("vscode.diff", now, then, title, { preview: true });
  }
}

/** Makes the edit of a suggestion, which undo takes back. */
async function apply({ board, server }: Parts, thread: Thread): Promise<void> {
  const view = board.viewOf(thread);
  if (view) {
    await server().command("postil.apply", { thread: view.id });
  }
}

/** What the server says about the next thread; with the thread, if it is not in that file. */
interface Next {
  uri: string;
  root?: string;
  thread?: ThreadView;
}

async function jump({ server, board }: Parts, command: string): Promise<void> {
  const editor = vscode.window.activeTextEditor;
  if (!editor) {
    return;
  }
  const uri = server().address(editor.document.uri);
  const line = editor.selection.active.line;
  // In a document that is no file, the thread above the cursor says where one is.
  const here = aboutOf(editor.document.uri) && board.at(editor.document.uri, line);
  const next = await server().command<Next>(command, { uri, line, ...(here ? { thread: here.id } : {}) });
  if (next.thread && next.root) {
    const wanted = wantedAt(server().uri(next.uri), next.root, next.thread, ["file", null]);
    const selection = new vscode.Range(wanted.lines?.[0] ?? 0, 0, wanted.lines?.[0] ?? 0, 0);
    await vscode.window.showTextDocument(wanted.uri, { selection, preview: true });
  }
}

async function publish({ server, folders, reviews }: Parts): Promise<void> {
  let published = 0;
  for (const folder of folders()) {
    const done = await server().ask<{ published: string[] }>(folder, "publish", {}).catch(() => ({ published: [] }));
    published += done.published.length;
  }
  void vscode.window.setStatusBarMessage(published === 0 ? "postil: there are no drafts" : `postil: published ${published}`, 5000);
  reviews.refresh();
}

async function listAll({ follower, folders }: Parts): Promise<void> {
  for (const folder of folders()) {
    await follower.listAll(folder).catch(() => 0);
  }
  await vscode.commands.executeCommand("workbench.action.focusCommentsPanel");
}

async function showKept({ typed }: Parts): Promise<void> {
  const kept = await typed.kept();
  if (kept.length === 0) {
    void vscode.window.setStatusBarMessage("postil: all texts were sent", 5000);
    return;
  }
  const picks = kept.map(({ file, text }) => ({ label: withoutIcons(plain(text)), file, text }));
  const chosen = await vscode.window.showQuickPick(picks, { placeHolder: "Opens the text, and forgets it", ignoreFocusOut: true });
  if (chosen) {
    const document = await vscode.workspace.openTextDocument({ language: "markdown", content: chosen.text });
    await vscode.window.showTextDocument(document);
    await typed.drop(chosen.file);
  }
}

async function startReview({ server, folders, reviews }: Parts): Promise<void> {
  const active = vscode.window.activeTextEditor?.document.uri;
  const folder = (active && vscode.workspace.getWorkspaceFolder(active)?.uri) ?? folders()[0];
  if (!folder) {
    return;
  }
  const title = await vscode.window.showInputBox({ prompt: "The title of the review; if it is empty, that of the commit", ignoreFocusOut: true });
  if (title !== undefined) {
    await server().ask(folder, "review.start", title.trim() === "" ? {} : { title });
    reviews.refresh();
  }
}

/** Gives a verdict on a review. */
async function judge({ server, reviews, documents }: Parts, node: Node, verdict: "approve" | "changes" | "comment"): Promise<void> {
  const prompts = { approve: "Approve this review", changes: "Request changes", comment: "Comment on this review" };
  const text = await vscode.window.showInputBox({
    prompt: withoutLinks(`${prompts[verdict]}: ${plain(node.review.title, 60)}`),
    placeHolder: verdict === "approve" ? "A word about it, if you like" : "Why",
    ignoreFocusOut: true,
  });
  if (text === undefined || (verdict === "comment" && text.trim() === "")) {
    return;
  }
  await server().ask(node.within, "review.verdict", { review: node.review.id, verdict, text });
  reviews.refresh();
  documents.refresh();
  void vscode.window.setStatusBarMessage("postil: your verdict was saved", 5000);
}
