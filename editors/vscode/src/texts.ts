// The texts of `postil:` documents.

import * as vscode from "vscode";

import type { About } from "./documents.ts";
import { WHOLE } from "./follower.ts";
import { authorName, branchName } from "./labels.ts";
import type { ByteText, DiffReply, ReviewView, ThreadView } from "./protocol.ts";
import { textOf } from "./protocol.ts";
import type { Server } from "./server.ts";
import { sideText } from "./sides.ts";

interface Plan {
  root: string;
  files: { from: ByteText | null; to: ByteText | null; content: ByteText | null }[];
  conflicts: { why: string }[];
}

/** Asks the server for the text of a document. */
export async function textAbout(server: Server, about: About): Promise<string> {
  const within = vscode.Uri.parse(about.within);
  switch (about.kind) {
    case "original": {
      const { thread } = await server.ask<{ thread: ThreadView }>(within, "show", { of: about.thread });
      return originalText(thread);
    }
    case "side": {
      const review = about.review ? { review: about.review } : {};
      const diff = await server.ask<DiffReply>(within, "diff", { ...review, paths: [about.path], context: WHOLE });
      const file = diff.files[0];
      return file?.binary ? "(a binary file)\n" : file ? sideText(file, about.side) : "";
    }
    case "now": {
      // As it is in the editor; a suggestion may make a file that is not there yet.
      const file = vscode.Uri.parse(about.file);
      return vscode.workspace.openTextDocument(file).then((document) => document.getText(), () => "");
    }
    case "suggestion": {
      const plan = await server.ask<Plan>(within, "apply", { comments: [about.thread] });
      const file = plan.files.find(({ from, to }) => textOf(from ?? to) === textOf(about.path));
      const why = plan.conflicts[0]?.why;
      return file ? textOf(file.content) : `(the suggestion does not apply${why ? `: ${why}` : ""})\n`;
    }
    case "review": {
      const { review } = await server.ask<{ review: ReviewView }>(within, "review.show", { review: about.review });
      return reviewText(review);
    }
  }
}

/** The files that a suggestion changes. */
export async function changedFiles(server: Server, within: vscode.Uri, thread: string): Promise<{ root: string; files: ByteText[] }> {
  const plan = await server.ask<Plan>(within, "apply", { comments: [thread] });
  const conflict = plan.conflicts[0];
  if (conflict) {
    throw new Error(`the suggestion does not apply: ${conflict.why}`);
  }
  return { root: plan.root, files: plan.files.flatMap(({ from, to }) => from ?? to ?? []) };
}

/** The lines of a thread, with three lines before and after them. */
export function originalText(thread: ThreadView): string {
  const anchor = thread.anchor;
  if (!anchor) {
    return "";
  }
  const count = Math.min(3, Math.max(0, (anchor.start ?? 1) - 1));
  const before = (anchor.before ?? []).slice(-count || undefined).slice(0, count);
  const missing = Array<null>(count - before.length).fill(null);
  const lines = [...missing, ...before, ...anchor.lines, ...(anchor.after ?? []).slice(0, 3)];
  return lines.map((line) => `${line === null ? "(not stored)" : textOf(line)}\n`).join("");
}

function reviewText(review: ReviewView): string {
  const words = { approve: "approves", changes: "requests changes", comment: "comments" };
  const verdicts = review.verdicts.map(({ author, verdict, text, head }) => {
    const old = review.tip && head !== review.tip ? " (an earlier version)" : "";
    return `${authorName(author)} ${words[verdict]}${old}${text ? `: ${text}` : ""}`;
  });
  const head = `${review.title}\n${branchName(review.branch)} → ${branchName(review.base)} · ${review.status} · ${authorName(review.author)}\n`;
  return [head, review.description, ...verdicts].filter((part) => part !== "").join("\n").trimEnd() + "\n";
}
