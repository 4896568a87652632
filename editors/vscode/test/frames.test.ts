import assert from "node:assert/strict";
import { test } from "node:test";

import { Frames } from "../src/frames.ts";

test("at most fifty steps are made in a frame, and of each name only the newest", async () => {
  const frames = new Frames();
  const made: number[] = [];
  for (let nth = 0; nth < 120; nth++) {
    frames.add(String(nth), () => made.push(-1));
    frames.add(String(nth), () => made.push(nth));
  }
  await Promise.resolve();
  assert.equal(made.length, 50);
  while (made.length < 120) {
    await new Promise((done) => setTimeout(done, 1));
  }
  assert.deepEqual(made, Array.from({ length: 120 }, (_, nth) => nth));
});

test("what is added within a frame has what room it left", async () => {
  const frames = new Frames();
  let made = 0;
  const add = (count: number, of: string) => {
    for (let nth = 0; nth < count; nth++) {
      frames.add(`${of} ${nth}`, () => { made += 1; });
    }
  };
  add(40, "first");
  await Promise.resolve();
  add(40, "second");
  await Promise.resolve();
  assert.equal(made, 50);
  while (made < 80) {
    await new Promise((done) => setTimeout(done, 1));
  }
});

test("a step that fails holds up no other", async () => {
  const frames = new Frames();
  const made: string[] = [];
  const error = console.error;
  console.error = () => made.push("told");
  frames.add("bad", () => { throw new Error("bad"); });
  frames.add("good", () => made.push("good"));
  await Promise.resolve();
  console.error = error;
  assert.deepEqual(made, ["told", "good"]);
});
