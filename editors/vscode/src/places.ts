// Where threads are, and which ranges have to be set. Nothing here knows the editor.
//
// The editor moves its own widgets: those above a change stay, those wholly below it move along, and that is right. What a
// change touches may be anywhere afterwards, and is set by the server's word. Setting everything would be right as well, but
// takes seconds with many threads.
//
// A widget has two parts that move in different ways: the icon beside the line, and the box below it. When a range is set, the
// editor moves both if the icon is elsewhere, and else none, wherever the box is. So a box that is elsewhere is moved in two
// steps, one right after the other: first the icon is set to where the box is, then both to where they belong.

/** Lines, counted from zero, the last one excluded. */
export type Lines = readonly [number, number];

/** A replacement of text, as the editor reports it. */
export interface Change {
  startLine: number;
  endLine: number;
  newLines: number;
}

/** Where a widget is after a change, and whether the change touched its lines. */
export function moved(lines: Lines, change: Change): { lines: Lines; touched: boolean } {
  const [start, end] = lines;
  if (change.startLine >= end) {
    return { lines, touched: false };
  }
  const by = change.newLines - (change.endLine - change.startLine);
  if (change.endLine < start) {
    return { lines: [start + by, end + by], touched: false };
  }
  return { lines, touched: true };
}

/** The line, counted from one, that the box of a thread is below after a change. */
export function boxMoved(box: number, { startLine, endLine, newLines }: Change): number {
  const [start, end] = [startLine + 1, endLine + 1];
  const kept = Math.min(end - start, newLines);
  if (end - start > kept) {
    // Lines are gone; a box among them goes to the one above.
    return box > end ? box - (end - start - kept) : Math.min(box, start + kept);
  }
  return box > start + kept ? box + newLines - kept : box;
}

interface Known {
  lines: Lines;
  /** The line, counted from one, that the box is below; nothing if it was not made yet. */
  box: number | undefined;
  /** Whether the icon may be elsewhere than the box. */
  apart: boolean;
  /** A change touched it, and the server did not say yet where it is. */
  doubtful: boolean;
  /** The number of a setting that the editor has not made yet; zero if it has made all. */
  underWay: number;
}

/** What the editor is told about a thread: the lines to set, one after the other. */
export interface Setting {
  steps: readonly Lines[];
  number: number;
}

/** Follows the widgets of a document, so that only those are set that are elsewhere, or may be. */
export class Places {
  private readonly at = new Map<string, Known>();
  private changes: { version: number; changes: Change[] }[] = [];
  private settings = 0;

  /**
   * The text changed; the editor moved its widgets. Returns the threads that have to be set again: the editor makes a setting
   * later than it is told, and would put them where they were before this change.
   */
  change(version: number, changes: Change[]): string[] {
    this.changes.push({ version, changes });
    // The server is never so far behind; if it is, it sends again.
    if (this.changes.length > 500) {
      this.changes.shift();
    }
    const again: string[] = [];
    for (const [id, known] of this.at) {
      for (const change of changes) {
        const { lines, touched } = moved(known.lines, change);
        known.lines = lines;
        // Nothing moves by what is typed within a line.
        if (touched && (change.newLines > 0 || change.endLine > change.startLine)) {
          known.doubtful = true;
          known.apart = true;
        }
        known.box = known.box === undefined ? undefined : boxMoved(known.box, change);
      }
      if (known.underWay > 0) {
        again.push(id);
      }
    }
    return again;
  }

  /** What to tell the editor about a widget; nothing if it is not known. */
  setting(id: string): Setting | undefined {
    const known = this.at.get(id);
    if (!known) {
      return undefined;
    }
    this.settings += 1;
    known.underWay = this.settings;
    const isBoxThere = !known.apart || known.box === undefined || known.box === known.lines[1];
    return { steps: isBoxThere ? [known.lines] : [[known.box! - 1, known.box!], known.lines], number: this.settings };
  }

  /** Whether nothing else was to be told about a widget since. */
  isNewest(id: string, setting: Setting): boolean {
    return this.at.get(id)?.underWay === setting.number;
  }

  /** The editor has made all steps. */
  made(id: string, setting: Setting): void {
    const known = this.at.get(id);
    if (known && this.isNewest(id, setting)) {
      known.underWay = 0;
      known.apart = false;
      known.box = setting.steps.at(-1)![1];
    }
  }

  /** Whether the editor has something to make. */
  isUnderWay(id: string): boolean {
    return (this.at.get(id)?.underWay ?? 0) > 0;
  }

  /** Carries lines of an older text to the present one. */
  carried(lines: Lines, version: number | null): Lines {
    let now = lines;
    for (const { version: later, changes } of this.changes) {
      if (version !== null && later > version) {
        for (const change of changes) {
          now = moved(now, change).lines;
        }
      }
    }
    return now;
  }

  /** The server says where a thread is in a text; returns where to set it, or nothing if the widget is there. */
  tell(id: string, lines: Lines, version: number | null): Lines | undefined {
    const now = this.carried(lines, version);
    const known = this.at.get(id);
    const isThere = known && !known.doubtful && known.lines[0] === now[0] && known.lines[1] === now[1];
    this.at.set(id, { box: undefined, apart: false, underWay: 0, ...known, lines: now, doubtful: false });
    return isThere ? undefined : now;
  }

  /** Where a widget belongs now. */
  where(id: string): Lines | undefined {
    return this.at.get(id)?.lines;
  }

  /** A widget is gone. */
  forget(id: string): void {
    this.at.delete(id);
  }

  /** The server answered for this text: what happened before is not needed any more. */
  settled(version: number | null): void {
    if (version !== null) {
      this.changes = this.changes.filter((change) => change.version > version);
    }
  }
}
