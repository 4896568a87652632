// Decides where each thread that the server tells of is shown: in its document, in the base of its review if its lines were
// deleted, or with its original lines if it is orphaned.

import * as path from "node:path";
import * as vscode from "vscode";

import type { Board, Wanted } from "./board.ts";
import { aboutOf, addressOf } from "./documents.ts";
import { plain } from "./labels.ts";
import type { Change } from "./places.ts";
import type { ByteText, DiffReply, Place, ThreadView, ToldPlaces, ToldThreads } from "./protocol.ts";
import { textOf } from "./protocol.ts";
import type { Server } from "./server.ts";
import { sideThreads, threadSide } from "./sides.ts";

/** So much context makes a diff a whole file. */
export const WHOLE = 1_000_000_000;

export class Follower {
  private readonly told = new Map<string, ToldThreads>();
  /** The folders whose threads are in the Comments panel. */
  private readonly listed = new Set<string>();

  constructor(private readonly board: Board, private readonly server: () => Server | undefined) {}

  /** The server tells all threads of a document. */
  threads(told: ToldThreads): void {
    this.told.set(told.uri, told);
    this.apply(told);
  }

  /** The server tells where the threads of a document are now. */
  places(told: ToldPlaces): void {
    const known = this.told.get(told.uri);
    if (known?.threads.length === told.places.length) {
      const now = { ...known, ...told };
      this.told.set(told.uri, now);
      this.apply(now);
    }
  }

  /** The editor changed a text. */
  change(event: vscode.TextDocumentChangeEvent): void {
    const changes: Change[] = event.contentChanges.map(({ range, text }) => ({
      startLine: range.start.line, endLine: range.end.line, newLines: text.split("\n").length - 1,
    }));
    // Events without changes come too, for the dot in the tab.
    if (changes.length > 0) {
      this.board.change(event.document.uri, event.document.version, changes);
    }
  }

  /** Shows everything again, for example after a setting changed. */
  again(): void {
    this.told.forEach((told) => this.apply(told));
  }

  /** Lists again what somebody listed before, since something happened there. */
  async listAgain(): Promise<void> {
    await Promise.all([...this.listed].map((within) => this.listAll(vscode.Uri.parse(within)).catch(() => 0)));
  }

  /** All threads of a repository, for the Comments panel. */
  async listAll(within: vscode.Uri): Promise<number> {
    this.listed.add(within.toString());
    const server = this.server();
    const all: Wanted[] = [];
    let cursor: string | null = null;
    do {
      const page: { threads: ThreadView[]; next: string | null; root: string } = await server!.ask(
        within, "list", { detail: "comments", ...(cursor ? { cursor } : {}) },
      );
      for (const view of page.threads) {
        const place = view.position?.path ?? view.anchor?.path;
        if (place !== undefined && isShown(view)) {
          const uri = vscode.Uri.joinPath(vscode.Uri.parse(page.root), textOf(place));
          // Those of open documents are told by the server, with what is typed there.
          if (!this.told.has(server!.address(uri))) {
            const { start, end } = view.position ?? {};
            all.push(wantedAt(uri, page.root, view, start ? ["at", [start - 1, end ?? start]] : ["file", null]));
          }
        }
      }
      cursor = page.next;
    } while (cursor);
    this.board.show(`all ${within.toString()}`, null, all);
    return all.length;
  }

  /** The threads on a side of a file in a review, and those about a review, when such a document is open. */
  async opened(document: vscode.TextDocument): Promise<void> {
    const about = aboutOf(document.uri);
    const server = this.server();
    if (!server || !about || (about.kind !== "side" && about.kind !== "review" && about.kind !== "original")) {
      return;
    }
    const within = vscode.Uri.parse(about.within);
    if (about.kind === "original") {
      const { thread, root } = await server.ask<{ thread: ThreadView; root: string }>(within, "show", { of: about.thread });
      const wanted = wantedAt(document.uri, root, thread, ["file", null]);
      // Any other one is shown in its file.
      const isHere = isShown(thread) && thread.position?.state === "orphaned" && wanted.lines !== null;
      this.board.show(document.uri.toString(), null, isHere ? [{ ...wanted, uri: document.uri }] : []);
      return;
    }
    const resolved = vscode.workspace.getConfiguration("postil").get("showResolved", false);
    const review = about.review ? { review: about.review } : {};
    if (about.kind === "review") {
      const diff = await server.ask<DiffReply>(within, "diff", { ...review, context: 0, resolved });
      const about = diff.threads.filter((view) => !view.anchor && isShown(view));
      this.board.show(document.uri.toString(), null, about.map((view) => ({ view, kind: undefined, uri: document.uri, lines: [0, 1] })));
      return;
    }
    const diff = await server.ask<DiffReply>(within, "diff", { ...review, paths: [about.path], context: WHOLE, resolved });
    const file = diff.files[0];
    const all = file ? sideThreads(file, about.side) : [];
    this.board.show(document.uri.toString(), null, all.filter(({ thread }) => isShown(thread)).map(({ thread, lines }) => (
      { view: thread, kind: undefined, uri: document.uri, lines }
    )));
  }

  closed(document: vscode.TextDocument): void {
    this.board.close(document.uri);
    if (aboutOf(document.uri)) {
      this.board.show(document.uri.toString(), null, []);
    }
  }

  private apply(told: ToldThreads): void {
    const uri = this.server()?.uri(told.uri) ?? vscode.Uri.parse(told.uri);
    const all: Wanted[] = [];
    told.threads.forEach((view, nth) => {
      const place = told.places[nth];
      if (place && isShown(view)) {
        all.push(wantedAt(uri, told.root ?? told.uri, view, place));
      }
    });
    this.board.show(told.uri, told.version, all);
    if (told.version === null) {
      this.told.delete(told.uri);
    }
  }
}

/** Where a thread is shown. */
export function wantedAt(uri: vscode.Uri, root: string, view: ThreadView, [kind, lines]: Place): Wanted {
  const position = view.position;
  if (kind === "file" && position?.state === "orphaned" && view.anchor && view.anchor.lines.length > 0) {
    return { view, kind, uri: originalOf(root, view), lines: originalLines(view) };
  }
  if (kind === "file" && position?.path && threadSide(view) === "old" && position.start) {
    const deleted: Place[1] = [position.start - 1, position.end ?? position.start];
    return { view, kind, uri: sideOf(root, view.review, "old", position.path), lines: deleted };
  }
  return { view, kind, uri, lines };
}

/** The original lines of a thread. */
export function originalOf(within: string, view: ThreadView): vscode.Uri {
  const name = path.basename(textOf(view.anchor?.path ?? "lines"));
  return addressOf(`original ${view.short}/${plain(name)}`, { kind: "original", within, thread: view.id });
}

/** A side of a file in a review. */
export function sideOf(root: string, review: string | null, side: "old" | "new", file: ByteText): vscode.Uri {
  const name = side === "old" ? "base" : "head";
  return addressOf(`${name}/${plain(textOf(file), 200)}`, { kind: "side", within: root, review, side, path: file });
}

/** Where the lines of an original are in its document, which has at most three lines before them. */
export function originalLines(view: ThreadView): [number, number] {
  const before = Math.min(3, Math.max(0, (view.anchor?.start ?? 1) - 1));
  return [before, before + (view.anchor?.lines.length ?? 1)];
}

function isShown(view: ThreadView): boolean {
  const resolved = vscode.workspace.getConfiguration("postil").get("showResolved", false);
  return view.status === "open" || (view.status === "resolved" && resolved);
}
