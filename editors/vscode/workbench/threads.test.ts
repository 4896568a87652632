// Threads in a file that somebody edits: where they are after each key, and what can be done with them.

import { after, before, describe, test } from "node:test";

import { installed, Project, Workbench } from "./workbench.ts";

const where = installed();

describe("threads in a file", { skip: where ? false : "code-server, chromium or postil is missing" }, () => {
  let project: Project;
  let workbench: Workbench;
  before(async () => {
    project = new Project(where!.postil);
    project.postil("comment", "a.rs:10", "-m", "why compute?");
    project.postil("comment", "a.rs:20", "-m", "the second one");
    project.postil("comment", "a.rs:5", "-m", "simpler:\n```suggestion\n    let value_5 = 35;\n```");
    workbench = await Workbench.open(project, where!);
    await workbench.file("a.rs");
    await workbench.until("why compute?", 10);
  });
  after(async () => {
    await workbench?.close();
    project?.close();
  });

  test("threads stand below their lines", async () => {
    await workbench.until("simpler", 5, "suggests a change");
    await workbench.until("the second one", 20);
    await workbench.picture("threads");
  });
});
