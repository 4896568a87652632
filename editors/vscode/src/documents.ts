// Documents of scheme `postil:`, which nobody can change: what threads were put on, the sides of a file in a review, a file
// without and with a suggestion, and the text about a review. What is in one stands in its address, so that it can be made again.

import * as vscode from "vscode";

import type { ByteText } from "./protocol.ts";
import type { Side } from "./sides.ts";

export const SCHEME = "postil";

/** What a document is about. */
export type About =
  | { kind: "original"; within: string; thread: string }
  | { kind: "side"; within: string; review: string | null; side: Side; path: ByteText }
  | { kind: "now"; within: string; file: string }
  | { kind: "suggestion"; within: string; thread: string; path: ByteText }
  | { kind: "review"; within: string; review: string };

/** The address of such a document; its path is what tabs and the Comments panel show. */
export function addressOf(name: string, about: About): vscode.Uri {
  return vscode.Uri.from({ scheme: SCHEME, path: name.startsWith("/") ? name : `/${name}`, query: JSON.stringify(about) });
}

/** What a document is about; nothing if its address is not one of these. */
export function aboutOf(uri: vscode.Uri): About | undefined {
  if (uri.scheme !== SCHEME) {
    return undefined;
  }
  try {
    const about = JSON.parse(uri.query) as About;
    return typeof about === "object" && about !== null && "kind" in about ? about : undefined;
  } catch {
    return undefined;
  }
}

/** Provides the texts, by asking whoever knows. */
export class Documents implements vscode.TextDocumentContentProvider {
  private readonly changed = new vscode.EventEmitter<vscode.Uri>();
  readonly onDidChange = this.changed.event;

  constructor(private readonly textOf: (about: About, uri: vscode.Uri) => Promise<string>) {}

  async provideTextDocumentContent(uri: vscode.Uri): Promise<string> {
    const about = aboutOf(uri);
    if (!about) {
      return "";
    }
    try {
      return await this.textOf(about, uri);
    } catch (error) {
      return `(${error instanceof Error ? error.message : String(error)})\n`;
    }
  }

  /** Has those that are open read again. */
  refresh(): void {
    for (const document of vscode.workspace.textDocuments) {
      if (document.uri.scheme === SCHEME) {
        this.changed.fire(document.uri);
      }
    }
  }
}
