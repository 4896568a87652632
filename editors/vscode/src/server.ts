// The language server: starts `postil lsp`, asks it, and passes on what it tells.

import * as vscode from "vscode";
import { LanguageClient, RevealOutputChannelOn, type LanguageClientOptions } from "vscode-languageclient/node";

import type { ToldPlaces, ToldThreads } from "./protocol.ts";

/** What the server tells without being asked. */
export interface Told {
  threads(told: ToldThreads): void;
  places(told: ToldPlaces): void;
  event(resolving: boolean): void;
}

export class Server {
  private constructor(private readonly client: LanguageClient) {}

  static async start(program: string, told: Told): Promise<Server> {
    const settings = vscode.workspace.getConfiguration("postil");
    const options: LanguageClientOptions = {
      documentSelector: [{ scheme: "file" }],
      initializationOptions: { threads: true, pause: settings.get("pause", 150) },
      revealOutputChannelOn: RevealOutputChannelOn.Never,
      // Threads are shown as such: a hover and a light bulb at every line would only be in the way.
      middleware: { provideHover: () => undefined, provideCodeActions: () => undefined },
    };
    const client = new LanguageClient("postil", "postil", { command: program, args: ["lsp"] }, options);
    client.onNotification("postil/threads", (params: ToldThreads) => told.threads(params));
    client.onNotification("postil/places", (params: ToldPlaces) => told.places(params));
    client.onNotification("postil/event", (params: { resolving: boolean }) => told.event(params.resolving));
    await client.start();
    return new Server(client);
  }

  /** Asks the service, or has something written: a method of `docs/protocol.md`. */
  ask<Answer>(within: vscode.Uri, method: string, params: object = {}): Promise<Answer> {
    return this.client.sendRequest<Answer>("postil/ask", { within: this.address(within), method, params });
  }

  /** Runs a command of the server. */
  command<Answer>(name: string, argument: object): Promise<Answer> {
    return this.client.sendRequest<Answer>("workspace/executeCommand", { command: name, arguments: [argument] });
  }

  /** Waits until everything is known about all texts. */
  settle(): Promise<void> {
    return this.client.sendRequest("postil/settle", null);
  }

  /** The address of a document, as the server knows it. */
  address(uri: vscode.Uri): string {
    return this.client.code2ProtocolConverter.asUri(uri);
  }

  /** The document that the server names. */
  uri(address: string): vscode.Uri {
    return this.client.protocol2CodeConverter.asUri(address);
  }

  async stop(): Promise<void> {
    await this.client.dispose();
  }
}
