// Tells when the editor has made what it was told about threads.
//
// The editor collects what is set on a thread, and makes it when its timer ends. Then it tells its window, which may have
// another text by then.

import * as vscode from "vscode";

/** Calls of one turn that wait together. */
type Calls = (() => void)[];

export class Landing {
  private readonly open = new Map<number, { passed: Calls; landed: Calls }>();

  /** Calls when a thread that was just made is in the window. */
  afterMaking(call: () => void): void {
    this.after(0).landed.push(call);
  }

  /** Calls when the editor has passed on what was just set, which it does after a pause. */
  afterPassing(pause: number, call: () => void): void {
    this.after(pause).passed.push(call);
  }

  /** Calls when what was just set on a thread is in the window. */
  afterSetting(pause: number, call: () => void): void {
    this.after(pause).landed.push(call);
  }

  private after(pause: number): { passed: Calls; landed: Calls } {
    const open = this.open.get(pause);
    if (open) {
      return open;
    }
    const calls: { passed: Calls; landed: Calls } = { passed: [], landed: [] };
    this.open.set(pause, calls);
    queueMicrotask(() => {
      this.open.delete(pause);
      // Made after the editor's own timers of this turn, this one ends after them.
      setTimeout(() => {
        calls.passed.forEach((call) => call());
        if (calls.landed.length > 0) {
          void there().then(() => calls.landed.forEach((call) => call()), () => undefined);
        }
      }, pause);
    });
    return calls;
  }
}

let trips = 0;

/** Goes to the window and back: what was sent before is there then, and what was typed there before is known here. */
async function there(): Promise<void> {
  trips += 1;
  await vscode.commands.executeCommand("setContext", "postil.trips", trips);
}
