// The two sides of a file in a review: their texts, and the threads on their lines. Nothing here knows the editor.

import type { DiffFile, ThreadView } from "./protocol.ts";
import { textOf } from "./protocol.ts";

export type Side = "old" | "new";

/** A side of a file as text. */
export function sideText(file: DiffFile, side: Side): string {
  const here = file.lines.filter((line) => (side === "old" ? line.before : line.after) !== null);
  return here.map((line) => textOf(line.text) + (line.no_newline ? "" : "\n")).join("");
}

/** The threads on a side of a file, each with its lines; without lines if it is on the whole file. */
export function sideThreads(file: DiffFile, side: Side): { thread: ThreadView; lines: [number, number] | null }[] {
  const found: { thread: ThreadView; lines: [number, number] | null }[] = [];
  for (const line of file.lines) {
    for (const thread of line.threads ?? []) {
      const number = side === "old" ? line.before : line.after;
      if (threadSide(thread) === side && number !== null) {
        const { start, end } = thread.position ?? { start: null, end: null };
        const first = start !== null && start <= number ? start : number;
        found.push({ thread, lines: [first - 1, Math.max(end ?? number, first)] });
      }
    }
  }
  for (const thread of side === "new" ? file.threads : []) {
    found.push({ thread, lines: null });
  }
  return found;
}

export function threadSide(thread: ThreadView): Side {
  return thread.position?.side ?? thread.anchor?.side ?? "new";
}

/** How many open threads a file has. */
export function openThreads(file: DiffFile): number {
  const all = [...file.threads, ...file.lines.flatMap((line) => line.threads ?? [])];
  return all.filter((thread) => thread.status === "open").length;
}
