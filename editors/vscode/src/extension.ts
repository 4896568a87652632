// postil in VS Code. All meaning is in `postil lsp`; here are the editor's own threads, documents, tree and commands.

import * as path from "node:path";
import * as vscode from "vscode";

import { findBinary } from "./binary.ts";
import { Board } from "./board.ts";
import { watchBranches } from "./branches.ts";
import { register } from "./commands.ts";
import { aboutOf, Documents, SCHEME } from "./documents.ts";
import { Follower } from "./follower.ts";
import { reasonOf } from "./labels.ts";
import { Reviews } from "./reviews.ts";
import { Server } from "./server.ts";
import { StatusBar } from "./status.ts";
import { textAbout } from "./texts.ts";
import { Typed } from "./typed.ts";
import { Writing } from "./writing.ts";

const INSTALL = "How to Install";
const SETTINGS = "Open Settings";
/** Several events in a row are looked at once. */
const SOON = 50;

let server: Server | undefined;
let typed: Typed | undefined;

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  const folders = () => (vscode.workspace.workspaceFolders ?? []).map(({ uri }) => uri).filter(({ scheme }) => scheme === "file");
  const current = () => {
    if (!server) {
      throw new Error("postil does not run");
    }
    return server;
  };
  const controller = vscode.comments.createCommentController("postil", "postil");
  controller.options = { prompt: "Reply…", placeHolder: "Write a comment, in Markdown" };
  const texts = new Typed(path.join(context.globalStorageUri.fsPath, "texts"));
  typed = texts;
  const board = new Board(controller, texts);
  const follower = new Follower(board, () => server);
  const reviews = new Reviews(() => server, folders);
  const status = new StatusBar();
  const documents = new Documents((about) => textAbout(current(), about));

  let timer: NodeJS.Timeout | undefined;
  const lookAgain = () => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      if (server) {
        void status.refresh(server, folders());
        reviews.refresh();
        void follower.listAgain();
        documents.refresh();
        for (const document of vscode.workspace.textDocuments) {
          void follower.opened(document).catch(() => undefined);
        }
      }
    }, SOON);
  };
  controller.commentingRangeProvider = {
    provideCommentingRanges: (document) => commentable(document) as unknown as Promise<vscode.Range[] | undefined>,
  };
  const writing = new Writing(current, board, texts, lookAgain);

  const startOne = async () => {
    await server?.stop().catch(() => undefined);
    server = undefined;
    const settings = vscode.workspace.getConfiguration("postil");
    const binary = await findBinary(settings.get("path", ""));
    if ("problem" in binary) {
      await vscode.commands.executeCommand("setContext", "postil.active", false);
      void complain(binary.problem);
      return;
    }
    server = await Server.start(binary.path, {
      threads: (told) => follower.threads(told),
      places: (told) => follower.places(told),
      event: (resolving) => {
        if (resolving) {
          status.resolving();
        } else {
          lookAgain();
        }
      },
    });
    await vscode.commands.executeCommand("setContext", "postil.active", true);
    lookAgain();
  };
  // One after the other: two settings may change at once, and each starts it anew.
  let starting: Promise<void> = Promise.resolve();
  const start = () => {
    starting = starting.then(startOne).catch((error: unknown) => {
      void vscode.window.showErrorMessage(`postil: the language server did not start: ${reasonOf(error)}`);
    });
    return starting;
  };

  context.subscriptions.push(
    controller, board, texts, status,
    vscode.workspace.registerTextDocumentContentProvider(SCHEME, documents),
    vscode.window.registerTreeDataProvider("postil.reviews", reviews),
    vscode.workspace.onDidChangeTextDocument((event) => {
      follower.change(event);
      if (event.document.uri.scheme === SCHEME && event.contentChanges.length > 0) {
        // A side of a review has another text; its threads were told for either.
        void follower.opened(event.document).catch(() => undefined);
      }
    }),
    vscode.workspace.onDidOpenTextDocument((document) => void follower.opened(document).catch(() => undefined)),
    vscode.workspace.onDidCloseTextDocument((document) => {
      follower.closed(document);
      if (document.uri.scheme === "file") {
        // Its threads may still be wanted in the list of all.
        lookAgain();
      }
    }),
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration("postil.path") || event.affectsConfiguration("postil.pause")) {
        void start();
      } else if (event.affectsConfiguration("postil")) {
        follower.again();
        lookAgain();
      }
    }),
    watchBranches(folders, lookAgain),
    // Where a linked work tree is open, branches are in another folder.
    vscode.window.onDidChangeWindowState(({ focused }) => focused && lookAgain()),
    vscode.commands.registerCommand("postil.restart", start),
    ...register({ server: current, board, follower, reviews, writing, typed: texts, documents, folders, lookAgain }),
  );
  await start();
  const left = await texts.kept();
  if (left.length > 0) {
    const show = "Show";
    void vscode.window.showInformationMessage("postil: a text that you typed was not sent.", show).then((said) => {
      if (said === show) {
        void vscode.commands.executeCommand("postil.showKeptTexts");
      }
    });
  }
}

export async function deactivate(): Promise<void> {
  await Promise.allSettled([typed?.flush(), server?.stop()]);
}

/** The lines that can be commented on; the typings do not have the whole file yet. */
interface CommentingRanges {
  enableFileComments: boolean;
  ranges: vscode.Range[];
}

/** Which lines of a document can be commented on. */
async function commentable(document: vscode.TextDocument): Promise<CommentingRanges | undefined> {
  const about = aboutOf(document.uri);
  const isOurs = about?.kind === "side" || about?.kind === "review";
  if (!server || (document.uri.scheme !== "file" && !isOurs)) {
    return undefined;
  }
  const last = Math.max(0, document.lineCount - 1);
  if (isOurs) {
    return { enableFileComments: false, ranges: [new vscode.Range(0, 0, about.kind === "review" ? 0 : last, 0)] };
  }
  const isInRepository = await server.ask(document.uri, "status", { counts_only: true }).then(() => true, () => false);
  return isInRepository ? { enableFileComments: true, ranges: [new vscode.Range(0, 0, last, 0)] } : undefined;
}

async function complain(problem: string): Promise<void> {
  const said = await vscode.window.showErrorMessage(
    `postil: ${problem} Install it with \`cargo install --path cli\` in its repository, or name it in the setting postil.path.`,
    INSTALL, SETTINGS,
  );
  if (said === SETTINGS) {
    await vscode.commands.executeCommand("workbench.action.openSettings", "postil.path");
  } else if (said === INSTALL) {
    const document = await vscode.workspace.openTextDocument({ language: "markdown", content: HOW_TO_INSTALL });
    await vscode.window.showTextDocument(document, { preview: true });
  }
}

const HOW_TO_INSTALL = `# Installing postil

1. Install Rust, and clone the repository of postil.
2. Run \`cargo install --locked --path cli\` in it.
3. Check it with \`postil --version\` in a terminal.
4. If the program is not in your PATH, set \`postil.path\` to its full path.
5. Run the command "postil: Restart the Language Server".
`;
