// What people do with threads: comment, reply, change, resolve, keep as a draft, apply a suggestion, go from one to another.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";

import { installed, LINES, Project } from "./project.ts";
import { SOON, Workbench } from "./workbench.ts";

const where = installed();
const HOSTILE = [
  "![x](http://127.0.0.1:9/image.png)", "[run](command:workbench.action.closeAllEditors)", "<img src=x onerror=alert(1)>",
  "<a href='command:workbench.action.closeAllEditors'>html</a>", "$(trash) [ref]: command:x",
].join("\n\n");

describe("threads", { skip: where ? false : "code-server, chromium or postil is missing" }, () => {
  let project: Project;
  let workbench: Workbench;
  before(async () => {
    project = new Project(where!.postil);
    for (const name of ["own", "suggested", "hostile", "outdated", "first", "proposed", "lost", "second", "unsent", "gone"]) {
      project.write(`${name}.rs`, `${LINES.join("\n")}\n`);
    }
    project.commit("more");
    project.postil("comment", "a.rs:10", "-m", "why compute?");
    project.postil("comment", "suggested.rs:5", "-m", "simpler:\n```suggestion\n    let value_5 = 35;\n```");
    project.postil("comment", "hostile.rs:3", "-m", HOSTILE);
    project.postil("comment", "outdated.rs:7", "-m", "a changed line");
    project.postil("comment", "outdated.rs:20-22", "-m", "deleted lines");
    project.postil("comment", "lost.rs:20-22", "-m", "lost lines");
    project.postil("comment", "first.rs:4", "-m", "the first one");
    project.postil("comment", "second.rs:50", "-m", "the last one");
    project.postil("comment", "gone.rs:30", "-m", "in no file");
    project.git("rm", "-q", "gone.rs");
    project.git("commit", "-q", "-m", "gone");
    const lines = [...LINES];
    lines[6] = "    let value_7 = compute(7, 50);";
    lines.splice(19, 3);
    project.write("outdated.rs", `${lines.join("\n")}\n`);
    project.write("lost.rs", LINES.map((_, nth) => `nothing like it ${nth}\n`).join(""));
    workbench = await Workbench.open(project, where!);
    await workbench.file("a.rs");
    await workbench.until("why compute?", 10);
  });
  after(async () => {
    await workbench?.close();
    project?.close();
  });

  const isGone = (words: string) => async () => (await workbench.threads()).every(({ body }) => !body.includes(words));
  const stored = (text: string) => project.list("--all").find((thread) => thread.comments[0].text === text);

  test("a comment and a reply are stored, and shown where they belong", async () => {
    await workbench.file("own.rs");
    await workbench.comment(8, "is this **right**?");
    await workbench.send("Start discussion", "Comment");
    await workbench.until("is this right?", 8);
    await workbench.wait("the comment", () => stored("is this **right**?")?.position.start === 8);
    await workbench.reply("is this right?", "it is");
    await workbench.send("is this right?", "Reply");
    await workbench.until("is this right?\n|it is\n".replaceAll("\n", ""), 8);
    assert.equal(stored("is this **right**?").replies, 1);
    await workbench.picture("reply");
  });

  test("a text that cannot be sent stays in its box, and is sent once however often somebody clicks", async () => {
    await workbench.file("unsent.rs");
    await workbench.comment(10, "not signed");
    for (const [name, value] of [["postil.sign", "true"], ["gpg.program", "/bin/false"]] as const) {
      project.git("config", name, value);
    }
    await workbench.send("Start discussion", "Comment");
    await workbench.wait("why it was not sent", () => workbench.isNotified("Your text is still in its box."));
    await workbench.until("", 10, "Start discussion");
    await workbench.thread("Start discussion").locator(".view-line", { hasText: "not signed" }).waitFor();
    await workbench.picture("not-sent");
    assert.deepEqual([stored("not signed"), project.kept()], [undefined, ["not signed"]]);
    // A list that nobody chose from sends nothing either.
    await workbench.click("Start discussion", "Comment as…", workbench.row("blocker"));
    await workbench.press("Escape");
    await workbench.row("blocker").waitFor({ state: "hidden" });
    await workbench.thread("Start discussion").locator(".view-line", { hasText: "not signed" }).waitFor();
    project.git("config", "postil.sign", "false");
    await workbench.send("Start discussion", "Comment", 2);
    await workbench.until("not signed", 10);
    await workbench.wait("nothing kept", () => project.kept().length === 0);
    assert.equal(project.list().filter(({ comments }) => comments[0].text === "not signed").length, 1);
  });

  test("a comment in an unsaved text is on the lines that are seen", async () => {
    await workbench.file("own.rs");
    await workbench.goto(20);
    await workbench.keys(..."// new", "Enter");
    await workbench.comment(20, "on an unsaved line");
    await workbench.send("Start discussion", "Comment");
    await workbench.until("on an unsaved line", 20);
    await workbench.wait("the comment", () => stored("on an unsaved line") !== undefined);
    assert.equal(stored("on an unsaved line").anchor.lines[0], `// new`);
    await workbench.does("the file", () => workbench.press("Control+1", "Control+s"), async () => project.read("own.rs").includes("// new"));
    await workbench.until("on an unsaved line", 20);
  });

  test("a comment is changed and withdrawn", async () => {
    await workbench.file("own.rs");
    await workbench.comment(30, "first words");
    await workbench.send("Start discussion", "Comment");
    await workbench.until("first words", 30);
    const icon = workbench.thread("first words").locator(".action-label[aria-label^='Edit']").first();
    await workbench.type("second words", async () => {
      await workbench.thread("first words").hover({ timeout: SOON });
      await icon.click({ timeout: SOON });
    });
    await workbench.press("Control+Enter");
    await workbench.until("second words", 30);
    await workbench.wait("the change", () => stored("second words") !== undefined && stored("second words").comments[0].edited !== null);
    const dialog = workbench.page.locator(".monaco-dialog-box a.monaco-button", { hasText: "Withdraw" });
    await workbench.click("second words", "Withdraw", dialog);
    await workbench.answer("Withdraw");
    await workbench.wait("no thread", isGone("second words"));
    assert.equal(project.list().some((thread) => thread.comments[0].text === "second words"), false);
  });

  test("a thread is resolved, hidden, and opened again", async () => {
    await workbench.file("a.rs");
    await workbench.click("why compute?", "Resolve", isGone("why compute?"));
    await workbench.wait("no thread", async () => (await workbench.threads()).length === 0);
    assert.equal(stored("why compute?").status, "resolved");
    project.postil("reopen", stored("why compute?").id);
    await workbench.until("why compute?", 10);
    await workbench.reply("why compute?", "done");
    await workbench.send("why compute?", "Reply and Resolve");
    await workbench.wait("no thread", async () => (await workbench.threads()).length === 0);
    assert.deepEqual([stored("why compute?").status, stored("why compute?").replies], ["resolved", 1]);
    project.postil("reopen", stored("why compute?").id);
    await workbench.until("done", 10);
  });

  test("a draft stays here until it is published, and has a severity if it is given one", async () => {
    await workbench.file("a.rs");
    await workbench.comment(40, "not yet");
    await workbench.send("Start discussion", "Save as Draft");
    await workbench.until("not yet", 40, "draft");
    await workbench.page.locator(".statusbar-item", { hasText: "1 draft" }).waitFor();
    assert.equal(stored("not yet").draft, true);
    await workbench.command("postil: Publish Drafts", async () => (await workbench.threads()).every(({ title }) => !title.includes("draft")));
    assert.equal(stored("not yet").draft, false);
    await workbench.comment(45, "must be fixed");
    await workbench.click("Start discussion", "Comment as…", workbench.row("blocker"));
    await workbench.choose("blocker");
    await workbench.until("must be fixed", 45, "blocker");
    assert.equal(stored("must be fixed").severity, "blocker");
  });

  test("a file comment is above the text", async () => {
    await workbench.file("own.rs");
    await workbench.commentOnFile("about the file");
    await workbench.send("Start discussion", "Comment");
    await workbench.until("about the file", 0);
    await workbench.wait("the comment", () => stored("about the file") !== undefined);
    assert.equal(stored("about the file").position.start, null);
  });

  test("a suggestion is tried, applied, and taken back", async () => {
    await workbench.file("suggested.rs");
    await workbench.until("simpler", 5, "suggests a change");
    const previewed = workbench.page.locator(".monaco-diff-editor .editor.modified .view-line", { hasText: "value_5 = 35;" });
    await workbench.click("simpler", "Preview Suggestion", previewed);
    // No thread takes the room.
    assert.equal(await workbench.page.locator(".monaco-diff-editor .review-widget").count(), 0);
    await workbench.picture("preview");
    await workbench.closeAll();
    await workbench.file("suggested.rs");
    const isTitled = (words: string) => async () => (await workbench.threads()).some(({ title }) => title.includes(words));
    await workbench.click("simpler", "Apply Suggestion", isTitled("suggestion applied"));
    await workbench.until("simpler", 5, "suggestion applied");
    await workbench.keys("Control+z");
    await workbench.until("simpler", 5, "suggests a change");
    assert.equal(project.read("suggested.rs"), `${LINES.join("\n")}\n`);
  });

  test("what others wrote is shown as words", async () => {
    await workbench.file("hostile.rs");
    await workbench.until("$(trash)", 3);
    const thread = workbench.thread("$(trash)");
    assert.equal(await thread.locator(".comment-body img, .comment-body .codicon").count(), 0);
    const links = await thread.locator(".comment-body a").evaluateAll((links) => links.map((link) => `${link.getAttribute("href")} ${link.getAttribute("data-href")}`));
    assert.deepEqual(links.filter((link) => link.includes("command:")), []);
    await workbench.picture("hostile");
  });

  test("an outdated thread shows what it was put on, an orphaned one stands there", async () => {
    await workbench.file("outdated.rs");
    await workbench.until("a changed line", 7, "outdated");
    const original = workbench.page.locator(".view-line", { hasText: "compute(7, 49)" }).first();
    await workbench.click("a changed line", "Show What It Was Put On", original);
    await workbench.page.locator(".tab.active", { hasText: "outdated.rs" }).nth(1).waitFor();
    // Its line is selected, among those around it.
    await workbench.page.locator(".statusbar-item", { hasText: /^Ln 5, Col 1 \(\d+ selected\)$/ }).waitFor();
    await workbench.picture("original");
    await workbench.closeAll();
    const row = await workbench.listAll("deleted lines");
    await workbench.picture("panel");
    await workbench.does("the orphan", () => row.dblclick({ timeout: SOON }), workbench.thread("deleted lines"));
    await workbench.until("deleted lines", 6, "orphaned");
    await workbench.picture("orphan");
  });

  test("an orphaned thread goes to a place that somebody chooses", async () => {
    await workbench.closeAll();
    const row = await workbench.listAll("lost lines");
    await workbench.does("the orphan", () => row.dblclick({ timeout: SOON }), workbench.thread("lost lines"));
    await workbench.until("lost lines", 6, "orphaned");
    await workbench.click("lost lines", "Choose Where It Belongs", workbench.row("lost.rs:20"));
    await workbench.picture("choose");
    await workbench.choose("lost.rs:20");
    await workbench.wait("the place", () => stored("lost lines").position.state === "anchored");
    // It is not among the lost ones any more, whoever listed them.
    await workbench.wait("no thread", async () => (await workbench.threads()).length === 0);
    await workbench.closeAll();
    await workbench.file("lost.rs");
    await workbench.until("lost lines", 22);
  });

  test("what an agent proposes is declined, accepted, and moves a thread", async () => {
    project.git("config", "--global", "postil.agents", "write");
    project.postil("comment", "proposed.rs:10", "-m", "does it saturate?");
    const of = stored("does it saturate?").id;
    const propose = (...words: string[]) => project.postil("propose", of, "--via", "agent:helper", ...words);
    const answer = async (title: string, row: string) => {
      await workbench.until("does it saturate?", 10, title);
      await workbench.click("does it saturate?", "Answer Proposal", workbench.row(row));
      await workbench.picture(`proposal ${title}`);
      await workbench.choose(row);
    };
    await workbench.file("proposed.rs");
    propose("-m", "it saturates $(trash) now");
    await answer("proposed as done", "Decline: done at");
    await workbench.wait("no proposal", async () => (await workbench.threads()).every(({ title }) => !title.includes("proposed")));
    assert.deepEqual([stored("does it saturate?").status, stored("does it saturate?").proposals[0].state], ["open", "declined"]);
    propose("--place", "proposed.rs:30");
    await answer("move proposed", "Accept: belongs to proposed.rs:30");
    await workbench.until("does it saturate?", 30);
    project.postil("move", of, "proposed.rs:10");
    propose("--obsolete", "-m", "nothing is computed");
    await answer("proposed as obsolete", "Accept: no longer fits the code at");
    await workbench.wait("no thread", async () => (await workbench.threads()).length === 0);
    assert.equal(stored("does it saturate?").status, "resolved");
  });

  test("resolved threads are shown to who wants them", async () => {
    await workbench.file("proposed.rs");
    const icon = workbench.page.locator(".editor-instance .comment-thread, .editor-instance .comment-thread-unresolved").first();
    await icon.waitFor({ state: "detached" });
    workbench.machine({ "postil.showResolved": true });
    // It is folded, and has its words once somebody looks.
    await workbench.does("the thread", () => icon.click(), async () => (
      (await workbench.threads()).some(({ line, title }) => line === 10 && title.includes("resolved"))
    ));
    await workbench.picture("resolved");
    await workbench.click("does it saturate?", "Reopen", async () => (await workbench.threads()).every(({ title }) => !title.includes("resolved")));
    assert.equal(stored("does it saturate?").status, "open");
    workbench.machine();
    await workbench.until("does it saturate?", 10);
  });

  test("keys go from thread to thread, over all files", async () => {
    await workbench.file("first.rs");
    await workbench.until("the first one", 4);
    await workbench.goto(1);
    await workbench.keys("Alt+F8");
    await workbench.page.locator(".statusbar-item", { hasText: "Ln 4," }).waitFor();
    await workbench.keys("Alt+F8");
    // Its file is gone: it is with the lines that it was put on.
    await workbench.page.locator(".tab.active", { hasText: "gone.rs" }).waitFor();
    await workbench.until("in no file", 4, "orphaned");
    await workbench.picture("gone");
    await workbench.keys("Alt+F8");
    await workbench.page.locator(".tab.active", { hasText: "hostile.rs" }).waitFor();
    await workbench.page.locator(".statusbar-item", { hasText: "Ln 3," }).waitFor();
    await workbench.keys("Shift+Alt+F8");
    await workbench.page.locator(".tab.active", { hasText: "gone.rs" }).waitFor();
    await workbench.until("in no file", 4, "orphaned");
    await workbench.keys("Shift+Alt+F8");
    await workbench.page.locator(".tab.active", { hasText: "first.rs" }).waitFor();
  });

  test("a thread whose file is gone is in the panel, is answered with its lines, and resolved", async () => {
    await workbench.closeAll();
    const row = await workbench.listAll("in no file");
    await workbench.does("the orphan", () => row.dblclick({ timeout: SOON }), workbench.thread("in no file"));
    await workbench.until("in no file", 4, "orphaned");
    await workbench.reply("in no file", "it went away");
    await workbench.send("in no file", "Reply and Resolve");
    await workbench.wait("no thread", isGone("in no file"));
    assert.deepEqual([stored("in no file").status, stored("in no file").replies], ["resolved", 1]);
  });

  test("the comment of somebody else is there at once", async () => {
    await workbench.file("second.rs");
    await workbench.until("the last one", 50);
    project.postil("comment", "second.rs:20", "-m", "from a terminal");
    const began = Date.now();
    await workbench.until("from a terminal", 20);
    console.log(`shown ${Date.now() - began} ms after the command ended`);
    await workbench.page.locator(".statusbar-item", { hasText: String(project.list().length) }).first().waitFor();
  });
});
