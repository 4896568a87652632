// Where threads are while somebody edits: T is put on line 10, U on line 20.

import assert from "node:assert/strict";
import { existsSync, renameSync } from "node:fs";
import * as path from "node:path";
import { after, afterEach, before, describe, test } from "node:test";

import { installed, LINES, Project } from "./project.ts";
import { SOON, Workbench } from "./workbench.ts";

const where = installed();
const TEXT = `${LINES.join("\n")}\n`;

describe("edits", { skip: where ? false : "code-server, chromium or postil is missing" }, () => {
  let project: Project;
  let workbench: Workbench;
  before(async () => {
    project = new Project(where!.postil);
    project.write("range.rs", TEXT);
    project.write("moved.rs", "fn moved() {\n}\n");
    project.write("data.json", `{"a": [\n1,\n2,\n{"b":\n3}\n]}\n`);
    project.write("odd.txt", "\ufeff// 😀 é\r\nfirst\r\n  let 😀 = e\u0301;\r\nlast");
    project.commit("more");
    project.postil("comment", "a.rs:10", "-m", "T");
    project.postil("comment", "a.rs:20", "-m", "U");
    project.postil("comment", "range.rs:10-14", "-m", "R");
    project.postil("comment", "data.json:4", "-m", "J");
    project.postil("comment", "odd.txt:3", "-m", "O");
    workbench = await Workbench.open(project, where!);
    await workbench.file("a.rs");
    await workbench.shows("10 T", "20 U");
  });
  afterEach(async () => {
    // Whatever a test left behind.
    if (existsSync(path.join(project.folder, ".git/rebase-merge"))) {
      project.git("rebase", "--abort");
    }
    project.git("checkout", "-q", "main");
    project.git("reset", "-q", "--hard");
    await workbench.file("a.rs");
    await workbench.revert();
    await workbench.shows("10 T", "20 U");
  });
  after(async () => {
    await workbench?.close();
    project?.close();
  });

  /** Makes an edit at a line, and takes it back: the places are the same as before then. */
  async function edit(line: number, keys: string[], shown: string[], undos = 1): Promise<void> {
    await workbench.goto(line);
    await workbench.keys(...keys);
    await workbench.shows(...shown);
    await workbench.keys(...Array<string>(undos).fill("Control+z"));
    await workbench.shows("10 T", "20 U");
  }

  test("lines above come and go", async () => {
    await edit(3, ["Enter"], ["11 T", "21 U"]);
    await edit(3, ["Control+Shift+k", "Control+Shift+k"], ["8 T", "18 U"], 2);
  });

  test("Enter at the beginning moves the thread, and at the end does not", async () => {
    await edit(10, ["Enter"], ["11 T", "21 U"]);
    await edit(10, ["End", "Enter"], ["10 T", "21 U"]);
  });

  test("a letter in the line makes it outdated, an indentation reformatted", async () => {
    await edit(10, ["End", "x"], ["10 T · outdated", "20 U"]);
    await edit(10, ["Control+]"], ["10 T · shifted", "20 U"]);
  });

  test("a deleted line takes its thread along, and brings it back", async () => {
    await edit(10, ["Control+Shift+k"], ["19 U"]);
  });

  test("cut, pasted elsewhere, and brought back by two undos", async () => {
    await workbench.goto(10);
    await workbench.keys("Control+x");
    await workbench.goto(49);
    await workbench.keys("Control+v");
    await workbench.shows("19 U", "49 T · shifted");
    await workbench.keys("Control+z");
    await workbench.shows("19 U");
    await workbench.keys("Control+z");
    await workbench.shows("10 T", "20 U");
    // The same with nothing known in between.
    await workbench.goto(10);
    await workbench.keys("Control+x", "ArrowDown", "ArrowDown", "Control+v", "Control+z", "Control+z", "Control+Home", "Enter");
    await workbench.shows("11 T", "21 U");
  });

  test("moved up and down by one", async () => {
    await edit(10, ["Alt+ArrowUp"], ["9 T", "20 U"]);
    await edit(10, ["Alt+ArrowDown"], ["11 T · shifted", "20 U"]);
  });

  test("a copy is not the line", async () => {
    await edit(10, ["Control+Shift+Alt+ArrowDown"], ["10 T · shifted", "21 U"]);
  });

  test("copied below, and the first one deleted", async () => {
    await workbench.goto(10);
    await workbench.keys("Control+c");
    await workbench.goto(14);
    await workbench.keys("Control+v");
    await workbench.shows("10 T", "21 U");
    await workbench.goto(10);
    await workbench.keys("Control+Shift+k");
    await workbench.shows("13 T · shifted", "20 U");
    await workbench.keys("Control+z", "Control+z");
    await workbench.shows("10 T", "20 U");
  });

  test("everything replaced by one letter", async () => {
    await edit(10, ["Control+a", "x"], []);
  });

  test("several cursors change three lines", async () => {
    await edit(9, ["Shift+Alt+ArrowDown", "Shift+Alt+ArrowDown", "End", "x"], ["10 T · outdated", "20 U"]);
    await workbench.keys("Escape", "Escape");
  });

  test("a line in the middle of a range grows it", async () => {
    await workbench.file("range.rs");
    await workbench.shows("14 R");
    await workbench.goto(12);
    await workbench.keys("Enter");
    await workbench.shows("15 R · shifted");
    await workbench.keys("Control+z");
    await workbench.shows("14 R");
  });

  test("a formatter leaves threads where the work tree has them after saving", async () => {
    await workbench.file("data.json");
    await workbench.shows("4 J");
    const isFormatted = async () => (await workbench.page.locator(".editor-instance .view-line").count()) > 8;
    const cancel = workbench.page.locator(".monaco-dialog-box a.monaco-button", { hasText: "Cancel" });
    await workbench.wait("another text", async () => {
      // Until the extension that formats has started, a dialog says that there is none, or nothing happens.
      await workbench.command("Format Document", async () => await isFormatted() || cancel.isVisible());
      if (await cancel.isVisible()) {
        await workbench.answer("Cancel");
      }
      return isFormatted();
    });
    await workbench.save(() => project.read("data.json") !== `{"a": [\n1,\n2,\n{"b":\n3}\n]}\n`);
    const [listed] = project.list().filter((thread) => thread.comments[0].text === "J");
    await workbench.until("J", listed.position.end, listed.position.state === "anchored" ? "" : listed.position.state);
  });

  test("changed on disk under a clean buffer", async () => {
    project.write("a.rs", `// new\n// new\n${TEXT}`);
    await workbench.shows("12 T", "22 U");
  });

  test("a dirty buffer counts until it is saved, whatever is on disk", async () => {
    await workbench.goto(1);
    await workbench.keys("Enter");
    await workbench.shows("11 T", "21 U");
    project.write("a.rs", `// new\n// new\n// new\n${TEXT}`);
    await workbench.goto(1);
    await workbench.keys("Enter");
    await workbench.shows("12 T", "22 U");
    await workbench.revert();
    await workbench.shows("13 T", "23 U");
  });

  test("another branch under a clean buffer", async () => {
    project.git("checkout", "-q", "-b", "topic");
    project.write("a.rs", `// topic\n${TEXT}`);
    project.commit("topic");
    await workbench.shows("11 T", "21 U");
    project.git("checkout", "-q", "main");
    await workbench.shows("10 T", "20 U");
    project.git("branch", "-q", "-D", "topic");
  });

  test("another branch under a changed buffer", async () => {
    await workbench.goto(1);
    await workbench.keys("Enter");
    await workbench.shows("11 T", "21 U");
    project.git("checkout", "-q", "-b", "topic");
    project.write("a.rs", `// topic\n// topic\n${TEXT}`);
    project.commit("topic");
    // Another thread shows that the branch was seen.
    project.postil("comment", "a.rs:40", "-m", "W");
    await workbench.shows("11 T", "21 U", "39 W");
    project.postil("withdraw", project.list().find(({ comments }) => comments[0].text === "W").id);
    await workbench.revert();
    await workbench.shows("12 T", "22 U");
    project.git("checkout", "-q", "main");
    await workbench.shows("10 T", "20 U");
    project.git("branch", "-q", "-D", "topic");
  });

  test("a function that goes to another open file, both unsaved", async () => {
    await workbench.file("range.rs");
    await workbench.goto(10);
    await workbench.keys(...Array<string>(5).fill("Shift+ArrowDown"), "Control+x");
    await workbench.shows();
    await workbench.file("moved.rs");
    await workbench.goto(2);
    await workbench.keys("Control+v");
    await workbench.shows("6 R · shifted");
    await workbench.keys("Control+z");
    await workbench.shows();
    await workbench.file("range.rs");
    await workbench.keys("Control+z");
    await workbench.shows("14 R");
  });

  test("places outlast another tab", async () => {
    await workbench.goto(1);
    await workbench.keys("Enter", "Enter");
    await workbench.shows("12 T", "22 U");
    await workbench.file("moved.rs");
    await workbench.file("a.rs");
    await workbench.shows("12 T", "22 U");
    await workbench.keys("Control+z", "Control+z");
    await workbench.shows("10 T", "20 U");
  });

  test("a text that is replaced by itself changes no state", async () => {
    const seen = await workbench.watch();
    const status = (words: RegExp) => workbench.page.locator(".statusbar-item", { hasText: words }).first().waitFor();
    await workbench.goto(10);
    await workbench.keys("Control+a", "Control+c", "Control+v");
    // Only the selection shows that it was replaced, and that this was taken back.
    await status(/^Ln 61, Col 1$/);
    await workbench.shows("10 T", "20 U");
    await workbench.keys("Control+z");
    await status(/^Ln 61, Col 1 \(\d+ selected\)$/);
    await workbench.shows("10 T", "20 U");
    for (const words of ["T", "U"]) {
      assert.deepEqual([...new Set((await seen(words)).map(({ state }) => state))], [""], words);
    }
  });

  test("a state changes once while somebody types", async () => {
    await workbench.goto(10);
    const seen = await workbench.watch();
    await workbench.keys("End", ..."changed words");
    await workbench.shows("10 T · outdated", "20 U");
    const states = (await seen("T")).map(({ state }) => state).filter((state) => state !== "being edited");
    assert.deepEqual(states.filter((state, nth) => state !== states[nth - 1]), ["", "outdated"]);
    assert.deepEqual(await seen("U"), [{ line: 20, state: "" }]);
    await workbench.revert();
  });

  test("a commit from a terminal moves nothing", async () => {
    project.write("a.rs", `// new\n${TEXT}`);
    await workbench.shows("11 T", "21 U");
    const seen = await workbench.watch();
    const said = await workbench.listen();
    project.commit("second");
    await workbench.wait("positions of a new head", () => said("resolving"));
    // Another thread shows that the commit was seen.
    project.postil("comment", "a.rs:31", "-m", "V");
    await workbench.shows("11 T", "21 U", "31 V");
    assert.deepEqual([await seen("T"), await seen("U")], [[{ line: 11, state: "" }], [{ line: 21, state: "" }]]);
    project.postil("withdraw", project.list().find(({ comments }) => comments[0].text === "V").id);
    project.git("reset", "-q", "--hard", "HEAD~1");
  });

  test("a rebase that stopped, and its end", async () => {
    for (const [branch, line] of [["theirs", 10], ["mine", 9]] as const) {
      project.git("checkout", "-q", "-b", branch, "main");
      project.write("a.rs", `${LINES.with(line, branch).join("\n")}\n`);
      project.commit(branch);
    }
    assert.throws(() => project.git("rebase", "-q", "theirs"));
    // Both sides with their markers; the line is as it was on the first one.
    await workbench.shows("11 T", "25 U");
    await workbench.picture("conflict");
    project.git("rebase", "--abort");
    await workbench.shows("10 T · outdated", "20 U");
    project.git("checkout", "-q", "main");
    await workbench.shows("10 T", "20 U");
    project.git("branch", "-q", "-D", "theirs", "mine");
  });

  test("a file that is renamed takes its threads along", async () => {
    await workbench.file("range.rs");
    await workbench.shows("14 R");
    const row = workbench.page.locator(".explorer-folders-view .monaco-list-row", { hasText: "range.rs" });
    const name = workbench.page.locator(".explorer-item-edited input");
    await workbench.does("another name", async () => {
      if (!(await name.isVisible())) {
        await row.click({ timeout: SOON });
        await workbench.press("F2");
      }
      await name.fill("renamed.rs", { timeout: SOON });
      await name.press("Enter", { timeout: SOON });
    }, workbench.page.locator(".tab.active", { hasText: "renamed.rs" }).first());
    await workbench.shows("14 R");
    await workbench.closeAll();
    renameSync(path.join(project.folder, "renamed.rs"), path.join(project.folder, "range.rs"));
  });

  test("a file with a mark at its beginning, other line ends and emoji", async () => {
    await workbench.file("odd.txt");
    await workbench.shows("3 O");
    await workbench.goto(1);
    await workbench.keys("End");
    await workbench.page.keyboard.insertText(" 😀");
    await workbench.keys("Enter");
    await workbench.shows("4 O");
    await workbench.keys("Control+s");
    await workbench.wait("the file on disk", () => project.read("odd.txt") === "\ufeff// 😀 é 😀\r\n\r\nfirst\r\n  let 😀 = e\u0301;\r\nlast");
    await workbench.shows("4 O");
    const [listed] = project.list().filter(({ comments }) => comments[0].text === "O");
    assert.deepEqual([listed.position.state, listed.position.start], ["anchored", 4]);
  });

  test("two editors on one file show the same", async () => {
    const groups = workbench.page.locator(".editor-group-container");
    await workbench.keys("Control+\\");
    await workbench.shows("10 T", "10 T", "20 U", "20 U");
    await workbench.goto(3);
    await workbench.keys("Enter");
    await workbench.shows("11 T", "11 T", "21 U", "21 U");
    await workbench.press("Control+2");
    await workbench.keys("Control+Home", "Enter");
    await workbench.shows("12 T", "12 T", "22 U", "22 U");
    await workbench.picture("two-editors");
    await workbench.keys("Control+z", "Control+z");
    await workbench.shows("10 T", "10 T", "20 U", "20 U");
    await workbench.command("View: Join All Editor Groups", async () => (await groups.count()) === 1);
    await workbench.shows("10 T", "20 U");
  });

  test("whatever is typed quickly, threads end where the work tree has them", async () => {
    let seed = 1;
    const random = (below: number) => {
      seed = (seed * 1103515245 + 12345) % 2147483648;
      return Math.floor(seed / 65536) % below;
    };
    const keys = [
      "Control+x", "Control+v", "Control+z", "Control+Shift+z", "Alt+ArrowUp", "Alt+ArrowDown", "Control+Shift+Alt+ArrowDown", "Enter",
      "ArrowDown", "ArrowUp", "Control+Shift+k", "x", "Backspace", "Control+z",
    ];
    for (let round = 0; round < 3; round++) {
      await workbench.goto(8 + random(14));
      const typed = Array.from({ length: 14 }, () => keys[random(keys.length)]!);
      await workbench.keys(...typed, "Control+Home");
      // All of this may leave the file as it was: a line of its own tells when the last key is on disk.
      const last = `// round ${round}`;
      await workbench.page.keyboard.insertText(last);
      await workbench.keys("Enter");
      await workbench.save(() => project.read("a.rs").startsWith(`${last}\n`));
      const listed = project.list().filter(({ comments: [first], position }) => "TU".includes(first.text) && position.path === "a.rs" && position.start);
      const state = (name: string) => (name === "anchored" ? "" : ` · ${name}`);
      const shown = listed.map(({ comments: [first], position }) => `${position.end} ${first.text}${state(position.state)}`);
      await workbench.shows(...shown.sort((a, b) => parseInt(a) - parseInt(b)));
    }
  });
});
