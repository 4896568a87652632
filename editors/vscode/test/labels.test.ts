import assert from "node:assert/strict";
import { test } from "node:test";

import { authorName, commentLabel, pendingProposals, plain, proposedWords, reasonOf, statusText, threadContext, threadLabel, withoutIcons, withoutLinks } from "../src/labels.ts";
import type { CommentView, PositionView, ProposalView, ThreadView } from "../src/protocol.ts";

const position = (part: Partial<PositionView>): PositionView => ({
  state: "anchored", side: "new", path: "a.rs", start: 1, end: 1, confidence: 1, reason: "diff", candidates: [], ...part,
});
const thread = (part: Partial<ThreadView>): ThreadView => ({
  id: "ab", short: "ab", status: "open", review: null, severity: null, draft: false, position: position({}),
  anchor: { path: "a.rs", side: "new", start: 1, lines: ["x"] }, replies: 0, comments: [], ...part,
});
const comment = (part: Partial<CommentView>): CommentView => ({
  id: "ab", short: "ab", author: { name: "Ann", email: "a@x" }, at: 0, text: "t", edited: null, proposals: 0,
  withdrawn: false, draft: false, suggests: false, trust: "here", ...part,
});

test("a label has the state, the confidence and the reason", () => {
  assert.equal(threadLabel(thread({})), "ab");
  const shifted = position({ state: "shifted", confidence: 0.979, reason: "moved" });
  assert.equal(threadLabel(thread({ position: shifted })), "ab · shifted (97 %, moved)");
  const orphaned = position({ state: "orphaned", path: null, reason: "deleted" });
  assert.equal(threadLabel(thread({ position: orphaned, severity: "blocker" })), "ab · blocker · orphaned (deleted)");
  assert.equal(threadLabel(thread({ position: position({ side: "old" }) })), "ab · on deleted lines");
});

test("what is typed right now is told before the state", () => {
  const outdated = position({ state: "outdated", confidence: 0.5, reason: "similar" });
  assert.equal(threadLabel(thread({ position: outdated }), "being-edited"), "ab · being edited");
  assert.equal(threadLabel(thread({}), "gone"), "ab · its lines are gone");
});

test("menus know what can be done with a thread", () => {
  assert.equal(threadContext(thread({})), "open");
  const orphaned = position({
    state: "orphaned", candidates: [{ path: "b", start: 1, end: 1, confidence: 0.5 }],
  });
  assert.equal(threadContext(thread({ position: orphaned, suggestion: "applies" })), "open applies changed choice");
  assert.equal(threadContext(thread({ status: "resolved" })), "resolved");
});

test("what is proposed is told by its kind, while nobody has answered", () => {
  const helper = { name: "helper", email: "h@x", via: { kind: "agent", program: "helper", for: { name: "Ann" } } };
  const proposal = (part: Partial<ProposalView>): ProposalView => ({ id: "cd", author: helper, state: "pending", ...part });
  const commit = "41aca55e62a9";
  const place = { path: "src/b.rs", side: "new" as const, start: 12, end: 14, lines: [] };
  for (const [part, label, words] of [
    [{ done: commit }, "proposed as done", "done at 41aca55"],
    [{ done: commit, uncommitted: true }, "proposed as done", "done, not committed yet"],
    [{ done: commit, obsolete: true }, "proposed as obsolete", "no longer fits the code at 41aca55"],
    [{ place }, "move proposed", "belongs to src/b.rs:12-14"],
    [{ place: { ...place, start: null, end: null } }, "move proposed", "belongs to src/b.rs"],
    [{ message: { commit } }, "move proposed", "belongs to the message of 41aca55"],
    [{}, "proposal", "something that this version does not know"],
  ] as [Partial<ProposalView>, string, string][]) {
    assert.equal(threadLabel(thread({ proposals: [proposal(part)] })), `ab · ${label}`);
    assert.equal(proposedWords(proposal(part)), words);
  }
  const two = thread({ proposals: [proposal({ done: commit }), proposal({ done: commit }), proposal({ place })] });
  assert.equal(threadLabel(two), "ab · proposed as done · move proposed");
  assert.equal(threadContext(two), "open proposed");
  const answered = thread({ proposals: [proposal({ done: commit, state: "declined" }), proposal({ done: commit, state: "overtaken" })] });
  assert.deepEqual([threadLabel(answered), threadContext(answered), pendingProposals(answered)], ["ab", "open", []]);
  assert.equal(authorName(helper), "helper (agent for Ann)");
  assert.equal(withoutIcons("see $(trash) $(x"), "see \\$(trash) \\$(x");
});

test("an agent is told apart from the person that it works for, and trust is told", () => {
  const agent = { name: "Ann", email: "a@x", via: { kind: "agent", program: "helper", model: "m1" } };
  assert.equal(authorName(agent), "Ann (agent: helper m1)");
  assert.equal(commentLabel(comment({})), undefined);
  assert.equal(commentLabel(comment({ trust: "unsigned", draft: true })), "draft · unsigned");
  assert.equal(commentLabel(comment({ trust: "bad" })), "BAD SIGNATURE");
});

test("names of others cannot hide or turn around what follows", () => {
  assert.equal(plain("Ann\u202e\nevil\u0007"), "Ann evil");
  assert.equal(plain("x".repeat(100), 5), "xxxx…");
});

test("messages and questions have no links, whatever is in a name", () => {
  assert.equal(withoutLinks("[a](command:x) [b](http://y)"), "[a] (command:x) [b] (http://y)");
  assert.equal(reasonOf(new Error("no file [a](command:x)\u202e")), "no file [a] (command:x)");
  assert.equal(reasonOf("x"), "x");
});

test("the status bar has the numbers, and says while positions are computed", () => {
  assert.equal(statusText({ open: 3, drafts: 0 }, false), "$(comment) 3");
  assert.equal(statusText({ open: 0, drafts: 1 }, false), "$(comment) 0 · 1 draft");
  assert.equal(statusText({ open: 3, drafts: 2 }, true), "$(sync~spin) 3 · 2 drafts resolving");
});
