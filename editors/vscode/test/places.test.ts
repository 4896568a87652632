import assert from "node:assert/strict";
import { test } from "node:test";

import { boxMoved, type Change, moved, Places } from "../src/places.ts";

const change = (startLine: number, endLine: number, newLines: number): Change => ({ startLine, endLine, newLines });

test("what is above a change stays, what is below moves along, and what it touches is in doubt", () => {
  assert.deepEqual(moved([9, 10], change(20, 22, 0)), { lines: [9, 10], touched: false });
  assert.deepEqual(moved([9, 10], change(10, 10, 1)), { lines: [9, 10], touched: false });
  assert.deepEqual(moved([9, 10], change(3, 5, 0)), { lines: [7, 8], touched: false });
  assert.deepEqual(moved([9, 10], change(3, 3, 2)), { lines: [11, 12], touched: false });
  assert.equal(moved([9, 10], change(9, 9, 0)).touched, true);
  assert.equal(moved([9, 10], change(8, 9, 0)).touched, true);
  assert.equal(moved([9, 12], change(11, 11, 1)).touched, true);
});

test("only threads that are elsewhere or in doubt are set", () => {
  const places = new Places();
  assert.deepEqual(places.tell("t", [9, 10], 1), [9, 10]);
  assert.deepEqual(places.tell("u", [19, 20], 1), [19, 20]);
  places.change(2, [change(0, 0, 1)]);
  assert.equal(places.tell("t", [10, 11], 2), undefined);
  places.change(3, [change(10, 11, 1)]);
  // The same lines, but the widget may have moved within or out of them.
  assert.deepEqual(places.tell("t", [10, 11], 3), [10, 11]);
  assert.equal(places.tell("u", [20, 21], 3), undefined);
});

test("an answer for an older text is carried over what was typed meanwhile", () => {
  const places = new Places();
  places.tell("t", [9, 10], 1);
  places.change(2, [change(0, 0, 1)]);
  places.change(3, [change(0, 0, 1)]);
  // The server says: in the second text it is at line 20.
  assert.deepEqual(places.tell("t", [20, 21], 2), [21, 22]);
  places.settled(3);
  assert.deepEqual(places.carried([5, 6], 2), [5, 6]);
});

test("several changes of one notification are taken in their order", () => {
  const places = new Places();
  places.tell("t", [9, 10], 1);
  places.change(2, [change(30, 30, 1), change(2, 4, 0)]);
  assert.equal(places.tell("t", [7, 8], 2), undefined);
});

test("a cut and its undo set the thread, whatever the editor did with the widget", () => {
  const places = new Places();
  places.tell("t", [9, 10], 1);
  places.change(2, [change(9, 10, 0)]);
  assert.deepEqual(places.tell("t", [8, 9], 2), [8, 9]);
  places.change(3, [change(9, 9, 1)]);
  assert.deepEqual(places.tell("t", [9, 10], 3), [9, 10]);
});

test("what the editor was told and has not made yet is told again after a change", () => {
  const places = new Places();
  places.tell("t", [9, 10], 1);
  const first = places.setting("t")!;
  assert.deepEqual(places.change(2, [change(0, 0, 1)]), ["t"]);
  const second = places.setting("t")!;
  assert.deepEqual(second.steps, [[10, 11]]);
  assert.deepEqual([places.isNewest("t", first), places.isNewest("t", second)], [false, true]);
  places.made("t", first);
  assert.deepEqual(places.change(3, [change(0, 0, 1)]), ["t"]);
  places.made("t", places.setting("t")!);
  assert.deepEqual(places.change(4, [change(0, 0, 1)]), []);
});

test("a box among deleted lines goes to the line above, and does not come back with them", () => {
  assert.equal(boxMoved(10, change(9, 10, 0)), 10);
  assert.equal(boxMoved(11, change(9, 10, 0)), 10);
  assert.equal(boxMoved(10, change(8, 10, 0)), 9);
  assert.equal(boxMoved(10, change(9, 9, 1)), 10);
  assert.equal(boxMoved(10, change(8, 8, 1)), 11);
  assert.equal(boxMoved(20, change(3, 5, 1)), 19);
  assert.equal(boxMoved(10, change(9, 9, 0)), 10);
});

test("a box that is elsewhere is moved over where it is", () => {
  const places = new Places();
  places.tell("t", [9, 10], 1);
  places.made("t", places.setting("t")!);
  // Enter at the beginning of the line: the box stays, the icon moves along.
  places.change(2, [change(9, 9, 1)]);
  assert.deepEqual(places.tell("t", [10, 11], 2), [10, 11]);
  const over = places.setting("t")!;
  assert.deepEqual(over.steps, [[9, 10], [10, 11]]);
  places.made("t", over);
  assert.deepEqual(places.setting("t")!.steps, [[10, 11]]);
});

test("what is typed within a line moves nothing", () => {
  const places = new Places();
  places.tell("t", [9, 10], 1);
  places.change(2, [change(9, 9, 0)]);
  assert.equal(places.tell("t", [9, 10], 2), undefined);
});
