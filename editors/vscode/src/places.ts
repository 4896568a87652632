// Where threads are, and which ranges have to be set. Nothing here knows the editor.
//
// The editor moves its own widgets: those above a change stay, those wholly below it move along, and that is right. What a
// change touches may be anywhere afterwards, and is set by the server's word. Setting everything would be right as well, but
// takes seconds with many threads.

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

/** Follows the widgets of a document, so that only those are set that are elsewhere, or may be. */
export class Places {
  private readonly at = new Map<string, { lines: Lines; doubtful: boolean }>();
  private changes: { version: number; changes: Change[] }[] = [];

  /** The text changed; the editor moved its widgets. */
  change(version: number, changes: Change[]): void {
    this.changes.push({ version, changes });
    // The server is never so far behind; if it is, it sends again.
    if (this.changes.length > 500) {
      this.changes.shift();
    }
    for (const [id, known] of this.at) {
      for (const change of changes) {
        const { lines, touched } = moved(known.lines, change);
        known.lines = lines;
        known.doubtful ||= touched;
      }
      this.at.set(id, known);
    }
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
    this.at.set(id, { lines: now, doubtful: false });
    const isThere = known && !known.doubtful && known.lines[0] === now[0] && known.lines[1] === now[1];
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
