// Texts on disk, each under the name of the box that it is typed into: whole at every moment, and never older than a moment.

import { createHash } from "node:crypto";
import { mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import * as path from "node:path";

/** So many milliseconds after a key its text is on disk, however many keys follow. */
const AFTER = 300;

const ENDING = ".md";

export class Kept {
  private readonly waiting = new Map<string, { text: string; timer: NodeJS.Timeout }>();
  /** One change of the folder after the other, so that a text that was sent is not written again. */
  private queue: Promise<unknown> = Promise.resolve();

  constructor(private readonly folder: string) {}

  /** Writes a text soon; the newest one, if more come until then. */
  soon(name: string, text: string): void {
    const waiting = this.waiting.get(name);
    if (waiting) {
      waiting.text = text;
    } else {
      this.waiting.set(name, { text, timer: setTimeout(() => void this.write(name).catch(() => undefined), AFTER) });
    }
  }

  /** Writes a text now: this one, or what was to be written soon. */
  write(name: string, text = this.waiting.get(name)?.text): Promise<void> {
    this.forgo(name);
    return text === undefined ? Promise.resolve() : this.next(async () => {
      await mkdir(this.folder, { recursive: true });
      // A crash in the middle leaves the text as it was before.
      const file = this.file(name);
      await writeFile(`${file}.new`, text, { mode: 0o600 });
      await rename(`${file}.new`, file);
    });
  }

  /** A text is not needed any more. */
  drop(name: string): Promise<void> {
    this.forgo(name);
    return this.remove(this.file(name));
  }

  remove(file: string): Promise<void> {
    return this.next(() => rm(file, { force: true }));
  }

  /** Writes everything that was to be written soon, before the editor ends. */
  async flush(): Promise<void> {
    await Promise.all([...this.waiting.keys()].map((name) => this.write(name)));
  }

  /** All texts but those of these names. */
  async texts(but: Iterable<string>): Promise<{ file: string; text: string }[]> {
    const left = new Set([...but].map((name) => path.basename(this.file(name))));
    const names = await readdir(this.folder).catch(() => [] as string[]);
    const found = names.filter((name) => name.endsWith(ENDING) && !left.has(name));
    const texts = await Promise.all(found.map(async (name) => {
      const file = path.join(this.folder, name);
      // Another window may have sent it by now.
      const text = await readFile(file, "utf8").catch(() => undefined);
      return text === undefined ? [] : [{ file, text }];
    }));
    return texts.flat();
  }

  file(name: string): string {
    return path.join(this.folder, `${createHash("sha256").update(name).digest("hex").slice(0, 24)}${ENDING}`);
  }

  private forgo(name: string): void {
    clearTimeout(this.waiting.get(name)?.timer);
    this.waiting.delete(name);
  }

  private next(step: () => Promise<void>): Promise<void> {
    const done = this.queue.then(step, step);
    this.queue = done.catch(() => undefined);
    return done;
  }
}
