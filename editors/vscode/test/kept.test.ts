import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import * as path from "node:path";
import { test } from "node:test";

import { Kept } from "../src/kept.ts";

async function within(run: (folder: string) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(path.join(tmpdir(), "postil-kept-"));
  try {
    await run(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

test("a text is on disk while somebody types on and on", () => within(async (folder) => {
  const kept = new Kept(folder);
  const began = Date.now();
  let text = "";
  while (!existsSync(kept.file("box"))) {
    assert.ok(Date.now() - began < 20_000, "it is never written");
    text += "x";
    kept.soon("box", text);
    await new Promise((done) => setTimeout(done, 1));
  }
  await kept.flush();
  assert.equal(readFileSync(kept.file("box"), "utf8"), text);
}));

test("whoever looks finds a whole text", () => within(async (folder) => {
  const kept = new Kept(folder);
  const versions = ["a", "b"].map((letter) => letter.repeat(4_000_000));
  await kept.write("box", versions[0]);
  const written = Promise.all(versions.concat(versions).map((text) => kept.write("box", text)));
  let isDone = false;
  void written.then(() => { isDone = true; });
  while (!isDone) {
    assert.deepEqual((await kept.texts([])).map(({ text }) => text.length), [4_000_000]);
  }
}));

test("what was sent is not written again, and what is left out is not told", () => within(async (folder) => {
  const kept = new Kept(folder);
  await kept.write("open", "open");
  await kept.write("left", "left");
  kept.soon("sent", "sent");
  await kept.drop("sent");
  await kept.flush();
  assert.deepEqual((await kept.texts(["open"])).map(({ text }) => text), ["left"]);
}));
