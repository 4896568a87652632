// Reviews as a tree: open ones, and the files that each changes, with their numbers of lines and threads.

import * as path from "node:path";
import * as vscode from "vscode";

import { addressOf } from "./documents.ts";
import { sideOf } from "./follower.ts";
import { plain, reviewSummary } from "./labels.ts";
import type { DiffFile, DiffReply, ReviewView } from "./protocol.ts";
import { textOf } from "./protocol.ts";
import type { Server } from "./server.ts";
import { openThreads } from "./sides.ts";

export type Node =
  | { kind: "review"; within: vscode.Uri; review: ReviewView; isCurrent: boolean }
  | { kind: "file"; within: vscode.Uri; review: ReviewView; isCurrent: boolean; file: DiffFile };

export class Reviews implements vscode.TreeDataProvider<Node> {
  private readonly changed = new vscode.EventEmitter<void>();
  readonly onDidChangeTreeData = this.changed.event;

  constructor(private readonly server: () => Server | undefined, private readonly folders: () => vscode.Uri[]) {}

  refresh(): void {
    this.changed.fire();
  }

  async getChildren(node?: Node): Promise<Node[]> {
    const server = this.server();
    if (!server) {
      return [];
    }
    if (!node) {
      const all = await Promise.all(this.folders().map((within) => this.reviewsIn(server, within)));
      return all.flat();
    }
    if (node.kind === "file") {
      return [];
    }
    const { within, review, isCurrent } = node;
    const diff = await server.ask<DiffReply>(within, "diff", { review: review.id, context: 0 });
    return diff.files.map((file) => ({ kind: "file", within, review, isCurrent, file }));
  }

  getTreeItem(node: Node): vscode.TreeItem {
    return node.kind === "review" ? reviewItem(node) : fileItem(node);
  }

  private async reviewsIn(server: Server, within: vscode.Uri): Promise<Node[]> {
    const list = await server
      .ask<{ reviews: ReviewView[]; current: string | null; root: string }>(within, "review.list", { statuses: ["open"] })
      .catch(() => ({ reviews: [], current: null, root: within.toString() }));
    const root = vscode.Uri.parse(list.root);
    const nodes = list.reviews.map((review): Node => ({ kind: "review", within: root, review, isCurrent: review.id === list.current }));
    return nodes.sort((a, b) => Number(b.isCurrent) - Number(a.isCurrent));
  }
}

function reviewItem({ review, isCurrent }: Node & { kind: "review" }): vscode.TreeItem {
  const state = isCurrent ? vscode.TreeItemCollapsibleState.Expanded : vscode.TreeItemCollapsibleState.Collapsed;
  const item = new vscode.TreeItem(plain(review.title), state);
  item.id = review.id;
  item.description = reviewSummary(review, isCurrent);
  item.tooltip = `${plain(review.title)}\n${reviewSummary(review, isCurrent)}`;
  item.contextValue = `review ${review.status}`;
  item.iconPath = new vscode.ThemeIcon("git-pull-request");
  return item;
}

function fileItem(node: Node & { kind: "file" }): vscode.TreeItem {
  const { file, review, within } = node;
  const name = textOf(file.after ?? file.before);
  const item = new vscode.TreeItem(plain(path.basename(name)), vscode.TreeItemCollapsibleState.None);
  item.id = `${review.id} ${name}`;
  const threads = openThreads(file);
  // The folder comes last: where there is little room, the end is not shown.
  const folder = path.dirname(name) === "." ? "" : ` · ${plain(path.dirname(name))}`;
  const words = threads === 0 ? "" : ` · ${threads} open`;
  item.description = `+${file.added} −${file.deleted}${words}${file.after === null ? " · deleted" : ""}${folder}`;
  item.tooltip = plain(name, 300);
  item.resourceUri = vscode.Uri.joinPath(within, name);
  item.iconPath = vscode.ThemeIcon.File;
  item.contextValue = "file";
  item.command = { command: "postil.openReviewFile", title: "Open Changes", arguments: [node] };
  return item;
}

/** Opens a file of a review as a diff against the base: the file itself if its branch is checked out. */
export async function openFile(node: Node & { kind: "file" }): Promise<void> {
  const { file, within, review, isCurrent } = node;
  const before = file.before ?? file.after ?? "";
  const left = sideOf(within.toString(), review.id, "old", before);
  const right = isCurrent && file.after !== null && typeof file.after === "string"
    ? vscode.Uri.joinPath(within, file.after)
    : sideOf(within.toString(), review.id, "new", file.after ?? before);
  const title = `${plain(path.basename(textOf(file.after ?? file.before)))} (${plain(review.title, 40)})`;
  await vscode.commands.executeCommand("vscode.diff", left, right, title, { preview: true });
}

/** Opens the text about a review, with the threads on the whole of it. */
export async function openReview({ within, review }: Node): Promise<void> {
  const uri = addressOf(`review ${review.short}.md`, { kind: "review", within: within.toString(), review: review.id });
  await vscode.window.showTextDocument(uri, { preview: true });
}
