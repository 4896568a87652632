// Figures, printed as JSON: `npm run figures`, on a machine at rest. Not a test.

import { execFileSync } from "node:child_process";

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
 * leaves the box where it is, and passes on what is set after 100 ms at the earliest.
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

const median = (sorted: number[]) => Math.round((sorted[Math.floor(sorted.length / 2)] ?? NaN) * 10) / 10;
const p90 = (sorted: number[]) => Math.round((sorted[Math.floor(sorted.length * 0.9)] ?? NaN) * 10) / 10;

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
  await workbench.command("View: Close All Editors");
  const again = Date.now();
  await workbench.file("a.rs");
  await workbench.until("moved along", 10);
  const warm = Date.now() - again;
  await workbench.goto(10);
  const places = await corrected(workbench);
  await workbench.close();
  few.close();

  const many = new Project(where.postil);
  many.write("big.rs", `${Array.from({ length: THREADS * 4 }, (_, nth) => `${LINES[nth % LINES.length]} // ${nth}`).join("\n")}\n`);
  many.commit("big");
  const comments = Array.from({ length: THREADS }, (_, nth) => (
    JSON.stringify({ path: "big.rs", lines: String(nth * 4 + 1), text: `thread ${nth}` })
  ));
  // So many are written at once.
  for (let from = 0; from < THREADS; from += 100) {
    many.write("batch.jsonl", comments.slice(from, from + 100).join("\n"));
    many.postil("comment", "--batch", "batch.jsonl");
  }
  workbench = await Workbench.open(many, where);
  await workbench.file("big.rs");
  await workbench.page.locator(".comment-range-glyph, .comment-thread").first().waitFor();
  await workbench.page.waitForTimeout(8000);
  await workbench.goto(2, 9);
  const typed = await keys(workbench, "x");
  const lines = await keys(workbench, "Enter");
  // The same threads, with nobody who sets their places.
  const servers = execFileSync("pgrep", ["-f", `${where.postil} lsp`], { encoding: "utf8" }).trim().split("\n").map(Number);
  servers.forEach((server) => process.kill(server, "SIGSTOP"));
  const nativeTyped = await keys(workbench, "x");
  const nativeLines = await keys(workbench, "Enter");
  servers.forEach((server) => process.kill(server, "SIGCONT"));
  await workbench.close();
  many.close();
  console.log(JSON.stringify({
    "open to first thread, cold (ms)": cold, "open to first thread, warm (ms)": warm,
    "key to corrected thread (ms)": [median(places), p90(places)],
    "letter, 500 threads (ms)": [median(typed), p90(typed)], "native": [median(nativeTyped), p90(nativeTyped)],
    "Enter, 500 threads (ms)": [median(lines), p90(lines)], "native Enter": [median(nativeLines), p90(nativeLines)],
  }, null, 2));
}

void main();
