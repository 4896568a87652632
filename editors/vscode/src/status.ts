// The status bar: how many threads are open here, how many drafts wait, and whether positions are being computed.

import * as vscode from "vscode";

import { type Numbers, statusText } from "./labels.ts";
import type { Server } from "./server.ts";

interface Status {
  threads: { open: number };
  drafts: number;
  resolving: boolean;
}

export class StatusBar implements vscode.Disposable {
  private readonly item = vscode.window.createStatusBarItem("postil.status", vscode.StatusBarAlignment.Left, 10);
  private numbers: Numbers = { open: 0, drafts: 0 };

  constructor() {
    this.item.name = "postil";
    this.item.command = "postil.listAll";
  }

  /** Asks for the numbers of all repositories; those of none are hidden. */
  async refresh(server: Server, folders: vscode.Uri[]): Promise<void> {
    const asked = await Promise.all(folders.map((folder) => server.ask<Status>(folder, "status", { counts_only: true }).catch(() => undefined)));
    const all = asked.filter((status) => status !== undefined);
    if (all.length === 0) {
      this.item.hide();
      return;
    }
    const sum = (of: (status: Status) => number) => all.reduce((so, status) => so + of(status), 0);
    const [open, drafts] = [sum((status) => status.threads.open), sum((status) => status.drafts)];
    this.numbers = { open, drafts };
    this.item.tooltip = `postil: ${open} open ${open === 1 ? "thread" : "threads"}`;
    this.show(all.some((status) => status.resolving));
  }

  /** Positions of a new head are being computed. */
  resolving(): void {
    this.show(true);
  }

  private show(resolving: boolean): void {
    this.item.text = statusText(this.numbers, resolving);
    this.item.show();
  }

  dispose(): void {
    this.item.dispose();
  }
}
