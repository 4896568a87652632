// Tells when the editor has made what it was told about threads.
//
// The editor collects what is set on a thread, and makes it when nothing was set on that thread for a while. Then it tells
// its window, which may have another text by then.

import * as vscode from "vscode";

/** After so many milliseconds without another one, the editor passes on what was set on a thread. */
const COLLECTED = 100;

export class Landing {
  private readonly open = new Map<number, (() => void)[]>();

  /** Calls when a thread that was just made is in the window. */
  afterMaking(call: () => void): void {
    this.after(0, call);
  }

  /** Calls when what was just set on a thread is in the window. */
  afterSetting(call: () => void): void {
    this.after(COLLECTED, call);
  }

  /** All calls of one turn wait together. */
  private after(pause: number, call: () => void): void {
    const open = this.open.get(pause);
    if (open) {
      open.push(call);
      return;
    }
    const calls = [call];
    this.open.set(pause, calls);
    queueMicrotask(() => this.open.delete(pause));
    // Made after the editor's own timer, this one ends after it.
    setTimeout(() => void there().then(() => calls.forEach((call) => call()), () => undefined), pause);
  }
}

let trips = 0;

/** Goes to the window and back: what was sent before is there then, and what was typed there before is known here. */
async function there(): Promise<void> {
  trips += 1;
  await vscode.commands.executeCommand("setContext", "postil.trips", trips);
}
