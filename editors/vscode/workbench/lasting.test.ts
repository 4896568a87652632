// What lasts: a text that is being typed over a reload of the window; and what is said if the program is missing.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";

import { installed, Project } from "./project.ts";
import { SOON, Workbench } from "./workbench.ts";

const where = installed();

describe("lasting", { skip: where ? false : "code-server, chromium or postil is missing" }, () => {
  let project: Project;
  let workbench: Workbench;
  before(async () => {
    project = new Project(where!.postil);
    project.postil("comment", "a.rs:10", "-m", "why compute?");
    workbench = await Workbench.open(project, where!, {}, "/nowhere/postil");
  });
  after(async () => {
    await workbench?.close();
    project?.close();
  });

  test("a missing program is told, with what to do, and found once it is named", async () => {
    const told = workbench.page.locator(".notification-list-item", { hasText: "/nowhere/postil is not a program" });
    await told.waitFor();
    await workbench.does("how to install it", () => told.locator("a.monaco-button", { hasText: "How to Install" }).click({ timeout: SOON }),
      workbench.page.locator(".view-line", { hasText: "Installing postil" }));
    await workbench.picture("missing");
    workbench.machine();
    await workbench.file("a.rs");
    await workbench.until("why compute?", 10);
  });

  test("half a text outlasts the window", async () => {
    await workbench.reply("why compute?", "half a reply");
    // It is on disk a moment after it is typed.
    await workbench.wait("the text on disk", () => project.kept().includes("half a reply"));
    await workbench.reload();
    await workbench.file("a.rs");
    await workbench.until("why compute?", 10);
    const isInBox = async () => (await workbench.thread("why compute?").locator(".view-line", { hasText: "half a reply" }).count()) > 0;
    await workbench.wait("the text", async () => await isInBox() || workbench.isNotified("a text that you typed was not sent"));
    await workbench.picture("reloaded");
    assert.deepEqual(project.kept(), ["half a reply"]);
    await workbench.command("postil: Show Texts That Were Not Sent", workbench.row("half a reply"));
    await workbench.choose("half a reply");
    await workbench.page.locator(".editor-instance .view-line", { hasText: "half a reply" }).first().waitFor();
  });
});
