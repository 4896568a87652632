// Reviews: the tree, the diff with threads on both sides, deleted lines, verdicts, and comments on the whole.

import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import * as path from "node:path";
import { after, before, describe, test } from "node:test";

import { installed, LINES, Project } from "./project.ts";
import { SOON, Workbench } from "./workbench.ts";

const where = installed();

describe("reviews", { skip: where ? false : "code-server, chromium or postil is missing" }, () => {
  let project: Project;
  let workbench: Workbench;
  before(async () => {
    project = new Project(where!.postil);
    project.git("checkout", "-q", "-b", "topic");
    const lines = [...LINES];
    lines[4] = "    let value_5 = 35;";
    lines.splice(9, 2);
    project.write("a.rs", `${lines.join("\n")}\n`);
    project.write("new.rs", "fn new() {}\n");
    project.commit("simplify");
    project.postil("review", "start", "--base", "main", "--title", "Simplify value 5");
    project.postil("comment", "a.rs:5", "-m", "on a new line");
    project.postil("comment", "a.rs:11", "--side", "old", "-m", "on a deleted line");
    workbench = await Workbench.open(project, where!);
    // A second click on the icon would close it again.
    const view = workbench.page.locator(".part.sidebar .composite.title", { hasText: "Source Control" });
    const icon = workbench.page.locator(".activitybar .action-label[aria-label^='Source Control']");
    await workbench.does("source control", async () => {
      if (!(await view.isVisible())) {
        await icon.click({ timeout: SOON });
      }
    }, view);
    const header = workbench.page.locator(".pane-header", { hasText: "Reviews" });
    await header.waitFor();
    await workbench.does("the reviews", async () => {
      if (await header.getAttribute("aria-expanded", { timeout: SOON }) === "false") {
        await header.click({ timeout: SOON });
      }
    }, row("Simplify value 5"));
  });
  after(async () => {
    await workbench?.close();
    project?.close();
  });

  const row = (words: string) => workbench.page.locator(".pane-body .monaco-list-row", { hasText: words }).first();
  const shown = () => project.list().map((thread) => thread.comments[0].text);
  const review = () => JSON.parse(project.postil("review", "show", "--json")).review;

  /** Opens the diff of a file. The rows are drawn anew when the reviews are, and a click on an old one is lost. */
  const openDiff = () => workbench.does("a diff", async () => {
    await ((await row("a.rs").count()) === 0 ? row("Simplify value 5") : row("a.rs")).click({ timeout: SOON });
  }, workbench.page.locator(".monaco-diff-editor .editor.original"));

  test("the tree has the review and its files", async () => {
    await row("Simplify value 5").waitFor();
    await row("Simplify value 5").filter({ hasText: "topic → main · 2 open · checked out" }).waitFor();
    await row("a.rs").filter({ hasText: "+1 −3 · 2 open" }).waitFor();
    await row("new.rs").filter({ hasText: "+1 −0" }).waitFor();
    await workbench.picture("reviews");
  });

  test("a file opens as a diff, with threads on both sides", async () => {
    await openDiff();
    await workbench.until("on a new line", 5);
    await workbench.until("on a deleted line", 11, "on deleted lines");
    const sides = (await workbench.threads()).map(({ side, body }) => `${side}: ${body}`).sort();
    assert.deepEqual(sides, ["new: on a new line", "old: on a deleted line"]);
    await workbench.picture("diff");
  });

  test("a deleted line is commented on in the base", async () => {
    await workbench.plus(".monaco-diff-editor .editor.original", 10, "this one too");
    await workbench.send("Start discussion", "Comment");
    await workbench.until("this one too", 10, "on deleted lines");
    const written = project.list().find((thread) => thread.comments[0].text === "this one too");
    assert.deepEqual([written.anchor.side, written.anchor.start], ["old", 10]);
  });

  test("the whole review is commented on", async () => {
    await workbench.does("the page of the review", () => action("Open Review"), workbench.page.locator(".view-line", { hasText: "topic → main" }).first());
    await workbench.plus(".editor-instance .monaco-editor", 1, "well done, all of it");
    await workbench.send("Start discussion", "Comment");
    await workbench.until("well done, all of it", 1);
    assert.ok(shown().includes("well done, all of it"));
    await workbench.picture("review");
  });

  /** Clicks one of the buttons of the review, which are there while the mouse is over it. */
  async function action(button: string): Promise<void> {
    await row("Simplify value 5").hover({ timeout: SOON });
    await row("Simplify value 5").locator(`.action-label[aria-label^='${button}']`).click({ timeout: SOON });
  }

  /** Gives a verdict with one of the buttons of the review. */
  async function judge(button: string, prompt: string, words: string): Promise<void> {
    const box = workbench.page.locator(".quick-input-widget", { hasText: prompt });
    await workbench.does(`the verdict "${words}"`, async () => {
      if (!(await box.isVisible())) {
        await action(button);
      }
      // Only an Enter in a box with these words says something.
      const input = box.locator("input.input");
      await input.fill(words, { timeout: SOON });
      await input.press("Enter", { timeout: SOON });
    }, async () => review().verdicts.at(-1)?.text === words);
  }

  test("a verdict is given, and another one", async () => {
    await judge("Request Changes", "Request changes", "not yet");
    await workbench.page.locator(".view-line", { hasText: "Ann requests changes: not yet" }).first().waitFor();
    assert.deepEqual(review().verdicts.map((one: any) => [one.verdict, one.text]), [["changes", "not yet"]]);
    await judge("Approve", "Approve this review", "fine now");
    await workbench.page.locator(".view-line", { hasText: "Ann approves: fine now" }).first().waitFor();
    assert.equal(review().verdicts.at(-1).verdict, "approve");
    await workbench.picture("verdict");
  });

  test("another branch that is not checked out opens with its own text", async () => {
    await workbench.closeAll();
    project.git("checkout", "-q", "main");
    await row("Simplify value 5").filter({ hasNotText: "checked out" }).waitFor();
    await openDiff();
    await workbench.until("on a new line", 5);
    await workbench.until("on a deleted line", 11);
    await workbench.picture("other-branch");
    // What is committed there meanwhile is in the diff, and so are the threads.
    const beside = path.join(project.home, "beside");
    project.git("worktree", "add", "-q", beside, "topic");
    const text = readFileSync(path.join(beside, "a.rs"), "utf8");
    writeFileSync(path.join(beside, "a.rs"), `// one more\n${text}`);
    project.git("-C", beside, "commit", "-q", "-a", "-m", "one more");
    await workbench.page.locator(".monaco-diff-editor .editor.modified .view-line", { hasText: "one more" }).first().waitFor();
    await workbench.until("on a new line", 6);
    await workbench.until("on a deleted line", 11);
  });
});
