// Figures, printed as JSON: `npm run figures`, on a machine at rest. Not a test.

import type { CDPSession } from "playwright-core";

import { type Installed, installed, LINES, Project } from "./project.ts";
import { Workbench } from "./workbench.ts";

const THREADS = 500;
/** So many keys are pressed in each way. */
const KEYS = 200;
/** How long the file with many threads is, in bytes: with what is typed, not longer than one in which threads are searched. */
const LONG = 511_000;
/** So often it is typed into each window, one after the other. */
const BLOCKS = 4;

/** From each of some keys to the moment the browser has painted it, in milliseconds. */
async function keys(workbench: Workbench, pressed: string, count: number): Promise<number[]> {
  const took: number[] = [];
  for (let nth = 0; nth < count; nth++) {
    await workbench.page.evaluate(() => {
      const page = window as unknown as { took: Promise<number> };
      page.took = new Promise((done) => {
        // From when the browser got the key: work for the key before may keep it from the page.
        const began = ({ timeStamp }: Event) => requestAnimationFrame(() => setTimeout(() => done(performance.now() - timeStamp), 0));
        document.addEventListener("keydown", began, { capture: true, once: true });
      });
    });
    await workbench.page.keyboard.press(pressed);
    took.push(await workbench.page.evaluate(() => (window as unknown as { took: Promise<number> }).took));
  }
  return took;
}

/**
 * From Enter at the beginning of a line to the moment its thread stands below the next one, in milliseconds, sorted. The editor
 * leaves the box where it is.
 */
async function corrected(workbench: Workbench): Promise<number[]> {
  const took: number[] = [];
  for (let nth = 0; nth < 10; nth++) {
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
  for (let nth = 0; nth < 5; nth++) {
    project.postil("comment", `a.rs:${20 + nth}`, "-m", `from elsewhere ${nth}`);
    const began = performance.now();
    await workbench.until(`from elsewhere ${nth}`, 20 + nth);
    took.push(performance.now() - began);
  }
  return took.sort((a, b) => a - b);
}

const median = (sorted: number[]) => Math.round((sorted[Math.floor(sorted.length / 2)] ?? NaN) * 10) / 10;
const p95 = (sorted: number[]) => Math.round((sorted[Math.floor(sorted.length * 0.95)] ?? NaN) * 10) / 10;
const both = (sorted: number[]) => [median(sorted), p95(sorted)];

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

/** What keys took: to the painted character, and the work of the window for each, with all that comes later. */
interface KeyTimes { took: number[]; work: number }

/** The ways to type: in a line without a thread, above all threads, and in the line of a thread. */
const WAYS = [["letter", "x", 2], ["line", "Enter", 2], ["letter beside a thread", "x", 1]] as const;

/** Types some keys in each way, and takes them back. */
async function typing(workbench: Workbench, into: Record<string, KeyTimes>): Promise<void> {
  const window = await workbench.page.context().newCDPSession(workbench.page);
  await window.send("Performance.enable", { timeDomain: "threadTicks" });
  for (const [name, key, line] of WAYS) {
    await workbench.goto(line, 9);
    await workbench.page.waitForTimeout(300);
    const typed = (into[name] ??= { took: [], work: 0 });
    const before = await worked(window);
    typed.took.push(...await keys(workbench, key, KEYS / BLOCKS));
    await workbench.page.waitForTimeout(300);
    typed.work += (await worked(window) - before) / KEYS;
  }
  await window.detach();
  await workbench.revert();
}

const toldOf = (typed: Record<string, KeyTimes>) => Object.fromEntries(Object.entries(typed).map(([name, { took, work }]) => {
  return [name, [...both(took.sort((a, b) => a - b)), Math.round(work * 10) / 10]];
}));

/** Keys in a long file with many threads, beside the same file without threads, and with threads that nobody sets. */
async function long(where: Installed): Promise<object> {
  const text = `${Array.from({ length: LONG / 64 }, (_, nth) => `${LINES[nth % LINES.length]} // ${nth}`.padEnd(63)).join("\n")}\n`;
  const projects = [new Project(where.postil), new Project(where.postil)] as const;
  for (const project of projects) {
    project.write("big.rs", text);
    project.commit("big");
  }
  const [project, plain] = projects;
  const apart = Math.floor(LONG / 64 / THREADS);
  const comments = Array.from({ length: THREADS }, (_, nth) => (
    JSON.stringify({ path: "big.rs", lines: String(nth * apart + 1), text: `thread ${nth}` })
  ));
  // So many are written at once.
  for (let from = 0; from < THREADS; from += 100) {
    project.write("batch.jsonl", comments.slice(from, from + 100).join("\n"));
    project.postil("comment", "--batch", "batch.jsonl");
  }
  const without = await Workbench.open(plain, where, {}, "/nowhere/postil");
  await without.file("big.rs");
  const workbench = await Workbench.open(project, where);
  await workbench.file("big.rs");
  await workbench.page.locator(".statusbar-item", { hasText: new RegExp(`^\\s*${THREADS}$`) }).first().waitFor();
  await workbench.page.locator(".editor-instance .comment-thread, .editor-instance .comment-thread-unresolved").first().waitFor();
  await atRest(workbench);
  await atRest(without);
  const [none, all, native]: Record<string, KeyTimes>[] = [{}, {}, {}];
  for (let block = 0; block < BLOCKS; block++) {
    await typing(without, none!);
    await typing(workbench, all!);
    await atRest(workbench);
    // The same threads, with nobody who sets their places.
    workbench.languageServers().forEach((server) => process.kill(server, "SIGSTOP"));
    await typing(workbench, native!);
    workbench.languageServers().forEach((server) => process.kill(server, "SIGCONT"));
    await atRest(workbench);
  }
  await Promise.all([workbench.close(), without.close()]);
  projects.forEach((project) => project.close());
  return { "without threads": toldOf(none!), "with 500": toldOf(all!), "with 500 that nobody sets": toldOf(native!) };
}

async function main(): Promise<void> {
  const where = installed();
  if (!where) {
    throw new Error("code-server, chromium or postil is missing");
  }
  const few = new Project(where.postil);
  few.postil("comment", "a.rs:10", "-m", "moved along");
  const workbench = await Workbench.open(few, where);
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

  console.log(JSON.stringify({
    "open to first thread, cold and warm (ms)": [cold, warm],
    "key to corrected thread (ms)": both(places),
    "comment of somebody else (ms)": both(elsewhere),
    "keys in 512 KB (ms): median, 95th, work for each": await long(where),
  }, null, 2));
}

void main();
