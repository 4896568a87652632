// Tells when any branch moves. The server tells of the one that is checked out; a review may be of another one.

import * as vscode from "vscode";

/** Where git keeps branches, below a folder that has a git directory of its own. */
const BRANCHES = ".git/{packed-refs,refs/heads/**}";

/** Calls when a branch of a folder moves, for as long as it is not disposed. */
export function watchBranches(folders: () => vscode.Uri[], moved: () => void): vscode.Disposable {
  let watchers: vscode.Disposable[] = [];
  const stop = () => watchers.splice(0).forEach((watcher) => watcher.dispose());
  const start = () => {
    stop();
    watchers = folders().flatMap((folder) => {
      const watcher = vscode.workspace.createFileSystemWatcher(new vscode.RelativePattern(folder, BRANCHES));
      return [watcher, watcher.onDidChange(moved), watcher.onDidCreate(moved), watcher.onDidDelete(moved)];
    });
  };
  start();
  const changed = vscode.workspace.onDidChangeWorkspaceFolders(start);
  return new vscode.Disposable(() => {
    changed.dispose();
    stop();
  });
}
