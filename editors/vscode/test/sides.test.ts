import assert from "node:assert/strict";
import { test } from "node:test";

import type { DiffFile, ThreadView } from "../src/protocol.ts";
import { openThreads, sideText, sideThreads } from "../src/sides.ts";

const thread = (id: string, side: "old" | "new", start: number, end: number) => ({
  id, status: "open", anchor: null, comments: [], position: { side, start, end },
}) as unknown as ThreadView;

const file: DiffFile = {
  before: "a", after: "a", binary: false, added: 1, deleted: 1, threads: [],
  lines: [
    { before: 1, after: 1, text: "one" },
    { before: 2, after: null, text: "two", threads: [thread("o", "old", 1, 2)] },
    { before: null, after: 2, text: "zwei", threads: [thread("n", "new", 2, 2)] },
    { before: 3, after: 3, text: "three", no_newline: true },
  ],
};

test("both texts of a file are in its diff", () => {
  assert.equal(sideText(file, "old"), "one\ntwo\nthree");
  assert.equal(sideText(file, "new"), "one\nzwei\nthree");
});

test("a thread on deleted lines is on the old side alone", () => {
  assert.deepEqual(sideThreads(file, "old").map(({ thread, lines }) => [thread.id, lines]), [["o", [0, 2]]]);
  assert.deepEqual(sideThreads(file, "new").map(({ thread, lines }) => [thread.id, lines]), [["n", [1, 2]]]);
  assert.equal(openThreads(file), 2);
});
