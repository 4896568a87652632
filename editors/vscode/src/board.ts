// All threads that the editor shows, each at one place, whoever told of it: an open document, a side of a review, or the
// list of all. Threads are made and moved in small portions, and none is taken away while somebody types.

import * as vscode from "vscode";

import { describe, ShownComment } from "./comments.ts";
import { Frames } from "./frames.ts";
import { atOnce } from "./haste.ts";
import { Landing } from "./landing.ts";
import { type Change, type Lines, Places, type Setting } from "./places.ts";
import type { Place, ThreadView } from "./protocol.ts";
import type { Typed } from "./typed.ts";

/** Of more threads in a document, none is unfolded. */
const MOST_UNFOLDED = 50;

/** Where a thread is to be shown; without lines, at the top of the document. */
export interface Wanted {
  view: ThreadView;
  kind: Place[0] | undefined;
  uri: vscode.Uri;
  lines: Lines | null;
}

interface Shown {
  thread: vscode.CommentThread | undefined;
  /** Made here, or begun by the person in front of the editor. */
  origin: "made" | "begun";
  wanted: Wanted;
  owners: Set<string>;
  /** The last column that was set. The editor ignores a range that equals the last one, even if the widget is elsewhere. */
  column: number;
}

export class Board implements vscode.Disposable {
  private readonly shown = new Map<string, Shown>();
  private readonly ids = new WeakMap<vscode.CommentThread, string>();
  private readonly places = new Map<string, Places>();
  private readonly frames = new Frames();
  private readonly landing = new Landing();
  /** Threads that went away while somebody typed. */
  private readonly held = new Set<string>();

  constructor(private readonly controller: vscode.CommentController, private readonly typed: Typed) {
    typed.onDidEnd(() => this.release());
  }

  /** The text of a document changed; the editor moved its widgets. */
  change(uri: vscode.Uri, version: number, changes: Change[]): void {
    for (const id of this.places.get(uri.toString())?.change(version, changes) ?? []) {
      this.frames.add(`range ${id}`, () => this.setRange(id));
    }
  }

  /** A document was closed: opened again, its versions begin anew. */
  close(uri: vscode.Uri): void {
    this.places.delete(uri.toString());
  }

  /** Everything that one source knows; what it does not name any more goes away. */
  show(owner: string, version: number | null, all: Wanted[]): void {
    const names = new Set(all.map(({ view }) => view.id));
    for (const [id, shown] of this.shown) {
      if (shown.owners.has(owner) && !names.has(id)) {
        this.leave(id, shown, owner);
      }
    }
    const unfold = all.length <= MOST_UNFOLDED && vscode.workspace.getConfiguration("postil").get("expandThreads", true);
    for (const wanted of all) {
      this.put(owner, version, wanted, unfold);
    }
    for (const uri of new Set(all.map(({ uri }) => uri.toString()))) {
      this.places.get(uri)?.settled(version);
    }
  }

  /** The thread that somebody just began gets the name under which it is stored. */
  adopt(id: string, thread: vscode.CommentThread): void {
    if (this.shown.get(id)?.thread) {
      thread.dispose();
      return;
    }
    const view = { id, short: "", status: "open", comments: [] } as unknown as ThreadView;
    const wanted: Wanted = { view, kind: "at", uri: thread.uri, lines: null };
    this.shown.set(id, { thread, origin: "begun", wanted, owners: this.shown.get(id)?.owners ?? new Set(), column: 1 });
    this.ids.set(thread, id);
  }

  /** What is known about a thread of the editor. */
  viewOf(thread: vscode.CommentThread | undefined): ThreadView | undefined {
    const id = thread && this.ids.get(thread);
    return id === undefined ? undefined : this.shown.get(id)?.wanted.view;
  }

  /** The last thread of a document that begins at a line or above it. */
  at(uri: vscode.Uri, line: number): ThreadView | undefined {
    const above = this.all.filter(({ uri: of, lines }) => of.toString() === uri.toString() && (lines?.[0] ?? 0) <= line);
    return above.sort((a, b) => (b.lines?.[0] ?? 0) - (a.lines?.[0] ?? 0))[0]?.view;
  }

  /** Shows the comments of a thread again, after somebody edited one. */
  refresh(thread: vscode.CommentThread): void {
    const id = this.ids.get(thread);
    const shown = id === undefined ? undefined : this.shown.get(id);
    if (shown) {
      this.fill(shown, true);
    }
  }

  /** Threads that are shown, for the status bar and for tests. */
  get all(): Wanted[] {
    return [...this.shown.values()].map(({ wanted }) => wanted);
  }

  dispose(): void {
    for (const { thread } of this.shown.values()) {
      thread?.dispose();
    }
    this.shown.clear();
  }

  private put(owner: string, version: number | null, wanted: Wanted, unfold: boolean): void {
    const id = wanted.view.id;
    const known = this.shown.get(id);
    this.held.delete(id);
    const shown = known ?? { thread: undefined, origin: "made", wanted, owners: new Set(), column: 1 };
    shown.owners.add(owner);
    this.shown.set(id, shown);
    const isElsewhere = shown.thread && (
      shown.thread.uri.toString() !== wanted.uri.toString() || (shown.thread.range === undefined) !== (wanted.lines === null)
    );
    if (isElsewhere && this.typed.isBusy(shown.origin)) {
      // It moves when nobody types any more; its words are right meanwhile.
      this.held.add(id);
      shown.wanted = wanted;
      this.fill(shown, false);
      return;
    }
    if (isElsewhere) {
      this.takeAway(id, shown);
    }
    const before = shown.wanted;
    shown.wanted = wanted;
    const set = wanted.lines && this.placesOf(wanted.uri).tell(id, wanted.lines, version);
    if (!shown.thread) {
      this.frames.add(`make ${id}`, () => this.make(id, shown, unfold));
      return;
    }
    if (set) {
      this.frames.add(`range ${id}`, () => this.setRange(id));
    }
    if (before.view !== wanted.view || before.kind !== wanted.kind) {
      this.fill(shown, false);
    }
  }

  private make(id: string, shown: Shown, unfold: boolean): void {
    if (shown.thread || this.shown.get(id) !== shown) {
      return;
    }
    const { uri, lines, view } = shown.wanted;
    const now = lines && (this.placesOf(uri).where(id) ?? lines);
    shown.column = 0;
    // A thread without lines is one on the whole file; the typings do not say so.
    const range = (now ? rangeOf(now, 0) : undefined) as vscode.Range;
    // With its comments at once: an empty one would open its box.
    const thread = this.controller.createCommentThread(uri, range, this.comments(shown));
    shown.thread = thread;
    shown.origin = "made";
    this.ids.set(thread, id);
    const state = vscode.CommentThreadCollapsibleState;
    thread.collapsibleState = unfold && view.status === "open" ? state.Expanded : state.Collapsed;
    describe(thread, view, shown.wanted.kind);
    if (now) {
      const places = this.placesOf(uri);
      const setting = { ...places.setting(id)!, steps: [now] };
      this.landing.afterMaking(() => places.made(id, setting));
    }
  }

  private comments(shown: Shown): ShownComment[] {
    return shown.wanted.view.comments.map((comment) => new ShownComment(comment, () => shown.thread!));
  }

  private setRange(id: string): void {
    const shown = this.shown.get(id);
    const setting = shown?.thread && this.placesOf(shown.wanted.uri).setting(id);
    if (setting) {
      this.setStep(id, setting, 0);
    }
  }

  private setStep(id: string, setting: Setting, nth: number): void {
    const shown = this.shown.get(id);
    const places = shown && this.placesOf(shown.wanted.uri);
    const lines = setting.steps[nth];
    if (!shown?.thread || !lines || !places?.isNewest(id, setting)) {
      return;
    }
    const thread = shown.thread;
    shown.column = 1 - shown.column;
    const pause = atOnce(() => { thread.range = rangeOf(lines, shown.column); });
    if (nth + 1 < setting.steps.length) {
      this.landing.afterPassing(pause, () => this.frames.add(`step ${id}`, () => this.setStep(id, setting, nth + 1)));
    } else {
      // Until the editor has made it, a change of the text has it set again.
      this.landing.afterSetting(pause, () => places.made(id, setting));
    }
  }

  private fill(shown: Shown, always: boolean): void {
    const { thread, wanted } = shown;
    if (!thread) {
      return;
    }
    describe(thread, wanted.view, wanted.kind);
    const known = thread.comments as readonly ShownComment[];
    const isEdited = known.some((comment) => comment.mode === vscode.CommentMode.Editing);
    const same = known.length === wanted.view.comments.length
      && known.every((comment, nth) => JSON.stringify(comment.view) === JSON.stringify(wanted.view.comments[nth]));
    if (!isEdited && (always || !same)) {
      thread.comments = this.comments(shown);
    }
    // The editor waits anew, with everything that was set on this thread.
    const id = wanted.view.id;
    if (this.placesOf(wanted.uri).isUnderWay(id)) {
      this.frames.add(`range ${id}`, () => this.setRange(id));
    }
  }

  private leave(id: string, shown: Shown, owner: string): void {
    shown.owners.delete(owner);
    if (shown.owners.size > 0) {
      return;
    }
    if (this.typed.isBusy(shown.origin)) {
      this.held.add(id);
      return;
    }
    this.takeAway(id, shown);
    this.shown.delete(id);
  }

  private takeAway(id: string, shown: Shown): void {
    this.frames.drop(`make ${id}`);
    this.frames.drop(`range ${id}`);
    // While somebody typed, it may have stayed where it does not belong any more.
    const uri = shown.thread?.uri ?? shown.wanted.uri;
    shown.thread?.dispose();
    shown.thread = undefined;
    this.places.get(uri.toString())?.forget(id);
  }

  /** Nobody types any more: what was held goes where it belongs. */
  private release(): void {
    for (const id of this.held) {
      const shown = this.shown.get(id);
      if (!shown) {
        continue;
      }
      this.takeAway(id, shown);
      if (shown.owners.size === 0) {
        this.shown.delete(id);
      } else {
        this.frames.add(`make ${id}`, () => this.make(id, shown, true));
      }
    }
    this.held.clear();
  }

  private placesOf(uri: vscode.Uri): Places {
    const name = uri.toString();
    const known = this.places.get(name) ?? new Places();
    this.places.set(name, known);
    return known;
  }
}

function rangeOf([start, end]: Lines, column: number): vscode.Range {
  return new vscode.Range(start, 0, Math.max(start, end - 1), column);
}
