// What lasts: a text that is being typed over a reload of the window; and what is said if the program is missing.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";

import { installed, Project } from "./project.ts";
import { Workbench } from "./workbench.ts";

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
    await told.locator("a.monaco-button", { hasText: "How to Install" }).click();
    await workbench.page.locator(".view-line", { hasText: "Installing postil" }).waitFor();
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
    const told = workbench.page.locator(".notification-list-item", { hasText: "a text that you typed was not sent" });
    const isInBox = async () => (await workbench.thread("why compute?").locator(".view-line", { hasText: "half a reply" }).count()) > 0;
    await workbench.wait("the text", async () => await isInBox() || (await told.count()) > 0);
    await workbench.picture("reloaded");
    assert.deepEqual(project.kept(), ["half a reply"]);
    await workbench.command("postil: Show Texts That Were Not Sent");
    await workbench.page.locator(".quick-input-list .monaco-list-row", { hasText: "half a reply" }).click();
    await workbench.page.locator(".editor-instance .view-line", { hasText: "half a reply" }).first().waitFor();
  });
});
