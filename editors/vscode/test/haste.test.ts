import assert from "node:assert/strict";
import { test } from "node:test";

import { atOnce, COLLECTED } from "../src/haste.ts";

test("the editor's timer is short, and no other one", async () => {
  const real = globalThis.setTimeout;
  const order: string[] = [];
  const all: Promise<void>[] = [];
  const timer = (name: string, pause: number) => all.push(new Promise((done) => {
    setTimeout(() => {
      order.push(name);
      done();
    }, pause);
  }));
  timer("not while it is set", COLLECTED);
  assert.equal(atOnce(() => {
    timer("another one", COLLECTED - 1);
    timer("the editor's", COLLECTED);
  }), 0);
  assert.equal(globalThis.setTimeout, real);
  await Promise.all(all);
  assert.deepEqual(order[0], "the editor's");
});

test("where the editor has no such timer, nothing is hastened", () => {
  assert.equal(atOnce(() => undefined), COLLECTED);
  assert.throws(() => atOnce(() => { throw new Error("no"); }), /no/);
  assert.notEqual(globalThis.setTimeout.name, "short");
});
