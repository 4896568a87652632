// Figures, printed as JSON: `npm run figures`, on a machine at rest. Not a test.

import type { CDPSession } from "playwright-core";

import { installed, LINES, Project } from "./project.ts";
import { Workbench } from "./workbench.ts";

const THREADS = 500;
const KEYS = 40;

/** From each of some keys to the next frame that the browser paints, in milliseconds, sorted. */
async function keys(workbench: Workbench, pressed: string): Promise<number[]> {
  const took: number[] = [];
  for (let nth = 0; nth < KEYS; nth++) {
    await workbench.page.evaluate(() => {
      const page = window as unknown as { took: Promise<number> };
      page.took = new Promise((done) => {
        const began = () => {
          const at = performance.now();
          requestAnimationFrame(() => setTimeout(() => done(performance.now() - at), 0));
        };
        document.addEventListener("keydown", began, { capture: true, once: true });
      });
    });
    await workbench.page.keyboard.press(pressed);
    took.push(await workbench.page.evaluate(() => (window as unknown as { took: Promise<number> }).took));
  }
  return took.sort((a, b) => a - b);
}

/**
 * From Enter at the beginning of a line to the moment its thread stands below the next one, in milliseconds, sorted. The editor
 * leaves the box where it is.
 */
async function corrected(workbench: Workbench): Promise<number[]> {
  const took: number[] = [];
  for (let nth = 0; nth < KEYS / 4; nth++) {
    await workbench.page.evaluate(() => {
      const page = window as unknown as { took: Promise<number> };
      const top = () => document.querySelector(".review-widget")?.getBoundingClientRect().top;
      const before = top();
      page.took = new Promise((done) => {
        document.addEventListener("keydown", () => {
          const at = performance.now();
          const look = () => {
            const took = performance.now() - at;
            return top() !== before || took > 5000 ? done(took) : requestAnimationFrame(look);
          };
          requestAnimationFrame(look);
        }, { capture: true, once: true });
      });
    });
    await workbench.page.keyboard.press("Enter");
    took.push(await workbench.page.evaluate(() => (window as unknown as { took: Promise<number> }).took));
    await workbench.until("moved along", 11);
    await workbench.press("Control+z");
    await workbench.until("moved along", 10);
  }
  return took.sort((a, b) => a - b);
}

/** From the end of a command in a terminal to the moment its comment stands in the window, in milliseconds, sorted. */
async function fromElsewhere(project: Project, workbench: Workbench): Promise<number[]> {
  const took: number[] = [];
  for (let nth = 0; nth < KEYS / 8; nth++) {
    project.postil("comment", `a.rs:${20 + nth}`, "-m", `from elsewhere ${nth}`);
    const began = performance.now();
    await workbench.until(`from elsewhere ${nth}`, 20 + nth);
    took.push(performance.now() - began);
  }
  return took.sort((a, b) => a - b);
}

const median = (sorted: number[]) => Math.round((sorted[Math.floor(sorted.length / 2)] ?? NaN) * 10) / 10;
const p90 = (sorted: number[]) => Math.round((sorted[Math.floor(sorted.length * 0.9)] ?? NaN) * 10) / 10;
const both = (sorted: number[]) => [median(sorted), p90(sorted)];

/** What the window worked for, without what other programs of the machine took from it, in milliseconds. */
async function worked(window: CDPSession): Promise<number> {
  const { metrics } = await window.send("Performance.getMetrics");
  return (metrics.find(({ name }) => name === "TaskDuration")?.value ?? NaN) * 1000;
}

/** Waits until the window does next to nothing in a second: making so many threads takes it a while. */
async function atRest(workbench: Workbench): Promise<void> {
  const window = await workbench.page.context().newCDPSession(workbench.page);
  await window.send("Performance.enable", { timeDomain: "threadTicks" });
  await workbench.wait("a window at rest", async () => {
    const before = await worked(window);
    await workbench.page.waitForTimeout(1000);
    return await worked(window) - before < 50;
  });
  await window.detach();
}

/** Letters and new lines far above most threads: time to the next frame, and work for each key, with all that comes later. */
async function typing(workbench: Workbench): Promise<object> {
  const window = await workbench.page.context().newCDPSession(workbench.page);
  await window.send("Performance.enable", { timeDomain: "threadTicks" });
  const told: Record<string, object> = {};
  for (const [name, key] of [["letter", "x"], ["line", "Enter"]] as const) {
    await workbench.goto(2, 9);
    await workbench.page.waitForTimeout(1000);
    const before = await worked(window);
    const took = await keys(workbench, key);
    await workbench.page.waitForTimeout(1000);
    told[name] = { "to the next frame": both(took), work: Math.round((await worked(window) - before) / KEYS * 10) / 10 };
  }
  await window.detach();
  return told;
}

async function main(): Promise<void> {
  const where = installed();
  if (!where) {
    throw new Error("code-server, chromium or postil is missing");
  }
  const few = new Project(where.postil);
  few.postil("comment", "a.rs:10", "-m", "moved along");
  let workbench = await Workbench.open(few, where);
  const began = Date.now();
  await workbench.file("a.rs");
  await workbench.until("moved along", 10);
  const cold = Date.now() - began;
  await workbench.closeAll();
  const again = Date.now();
  await workbench.file("a.rs");
  await workbench.until("moved along", 10);
  const warm = Date.now() - again;
  await workbench.goto(10);
  const places = await corrected(workbench);
  const elsewhere = await fromElsewhere(few, workbench);
  await workbench.close();
  few.close();

  const many = new Project(where.postil);
  many.write("big.rs", `${Array.from({ length: THREADS * 4 }, (_, nth) => `${LINES[nth % LINES.length]} // ${nth}`).join("\n")}\n`);
  many.commit("big");
  workbench = await Workbench.open(many, where);
  await workbench.file("big.rs");
  await workbench.page.locator(".editor-instance .comment-diff-added").first().waitFor();
  const none = await typing(workbench);
  await workbench.revert();
  const comments = Array.from({ length: THREADS }, (_, nth) => (
    JSON.stringify({ path: "big.rs", lines: String(nth * 4 + 1), text: `thread ${nth}` })
  ));
  // So many are written at once.
  for (let from = 0; from < THREADS; from += 100) {
    many.write("batch.jsonl", comments.slice(from, from + 100).join("\n"));
    many.postil("comment", "--batch", "batch.jsonl");
  }
  await workbench.page.locator(".statusbar-item", { hasText: new RegExp(`^\\s*${THREADS}$`) }).first().waitFor();
  await workbench.goto(THREADS * 4);
  await workbench.page.locator(".editor-instance .comment-thread, .editor-instance .comment-thread-unresolved").first().waitFor();
  await atRest(workbench);
  const all = await typing(workbench);
  // The same threads, with nobody who sets their places.
  workbench.languageServers().forEach((server) => process.kill(server, "SIGSTOP"));
  const native = await typing(workbench);
  workbench.languageServers().forEach((server) => process.kill(server, "SIGCONT"));
  await workbench.close();
  many.close();
  console.log(JSON.stringify({
    "open to first thread, cold and warm (ms)": [cold, warm],
    "key to corrected thread (ms)": both(places),
    "comment of somebody else (ms)": both(elsewhere),
    "key without threads (ms)": none, "with 500": all, "with 500 that nobody sets": native,
  }, null, 2));
}

void main();
