// Where the editor is, and a repository for it to open, in a home of its own.

import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import * as path from "node:path";

/** What a workbench needs. */
export interface Installed {
  editor: string;
  node: string;
  browser: string;
  postil: string;
  extension: string;
}

/** Where the program and the editor are; nothing if the editor is not installed. */
export function installed(): Installed | undefined {
  const editors = process.env["POSTIL_EDITORS"] ?? path.join(homedir(), ".cache/postil-editors");
  const folder = path.join(editors, "code-server");
  const browser = ["/usr/bin/chromium", "/usr/bin/chromium-browser"].find((file) => existsSync(file));
  const extension = path.resolve(process.cwd());
  const postil = process.env["POSTIL"] ?? path.resolve(extension, "../../target/debug/postil");
  if (!existsSync(path.join(folder, "ready")) || !browser || !existsSync(postil)) {
    return undefined;
  }
  return { editor: path.join(folder, "server/node_modules/code-server/out/node/entry.js"), node: path.join(folder, "node/node_modules/.bin/node"), browser, postil, extension };
}

export const LINES = Array.from({ length: 60 }, (_, nth) => `    let value_${nth + 1} = compute(${nth + 1}, ${(nth + 1) * 7});`);

/** A repository in a sealed home. */
export class Project {
  readonly home = mkdtempSync(path.join(tmpdir(), "postil-vscode-"));
  readonly folder = path.join(this.home, "project");
  readonly environment: NodeJS.ProcessEnv = {
    PATH: process.env["PATH"], HOME: this.home, XDG_RUNTIME_DIR: path.join(this.home, "run"), LANG: "C.UTF-8",
    GIT_CONFIG_NOSYSTEM: "1", GIT_AUTHOR_DATE: "2026-01-02T03:04:05Z", GIT_COMMITTER_DATE: "2026-01-02T03:04:05Z",
  };

  constructor(readonly program: string) {
    mkdirSync(this.folder);
    mkdirSync(path.join(this.home, "run"), { mode: 0o700 });
    this.git("init", "-q", "-b", "main");
    for (const [name, value] of [["user.name", "Ann"], ["user.email", "ann@example.com"], ["postil.sign", "false"]] as const) {
      this.git("config", name, value);
    }
    this.write("a.rs", `${LINES.join("\n")}\n`);
    this.commit("first");
  }

  git(...words: string[]): string {
    return execFileSync("git", words, { cwd: this.folder, env: this.environment, encoding: "utf8" });
  }

  postil(...words: string[]): string {
    return execFileSync(this.program, words, { cwd: this.folder, env: this.environment, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
  }

  /** The threads as the command line lists them. */
  list(...words: string[]): any[] {
    return JSON.parse(this.postil("list", "--json", ...words)).threads;
  }

  write(file: string, text: string): void {
    writeFileSync(path.join(this.folder, file), text);
  }

  read(file: string): string {
    return readFileSync(path.join(this.folder, file), "utf8");
  }

  /** The texts that the extension keeps on disk, because they were not sent. */
  kept(): string[] {
    const folder = path.join(this.home, "data/User/globalStorage/postil.postil/texts");
    const names = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith(".md")) : [];
    return names.flatMap((name) => {
      try {
        return [readFileSync(path.join(folder, name), "utf8")];
      } catch {
        // It was sent meanwhile.
        return [];
      }
    });
  }

  commit(message: string): void {
    this.git("add", "-A");
    this.git("commit", "-q", "-m", message);
  }

  close(): void {
    try {
      this.postil("daemon", "stop");
    } catch {
      // There was none.
    }
    rmSync(this.home, { recursive: true, force: true });
  }
}
