// Finds the program `postil`, and says what to do if it is not there or too old.

import { execFile } from "node:child_process";
import { access, constants } from "node:fs/promises";
import * as path from "node:path";

/** Older programs do not answer this extension. */
export const LEAST = [0, 1, 0] as const;

export type Binary = { path: string; version: string } | { problem: string };

/** The program that the settings name, else the first one in `PATH`. */
export async function findBinary(setting: string, search = process.env["PATH"] ?? ""): Promise<Binary> {
  const named = setting.trim();
  if (named !== "") {
    const home = process.env["HOME"] ?? "";
    return checked(named.startsWith("~/") ? path.join(home, named.slice(2)) : named);
  }
  for (const folder of search.split(path.delimiter).filter((folder) => path.isAbsolute(folder))) {
    const file = path.join(folder, "postil");
    if (await isProgram(file)) {
      return checked(file);
    }
  }
  return { problem: "The program `postil` was not found in PATH." };
}

async function isProgram(file: string): Promise<boolean> {
  try {
    await access(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

async function checked(file: string): Promise<Binary> {
  if (!(await isProgram(file))) {
    return { problem: `${file} is not a program.` };
  }
  const said = await new Promise<string>((done) => {
    execFile(file, ["--version"], { timeout: 10_000 }, (error, stdout) => done(error ? "" : stdout));
  });
  const found = /^postil (\d+)\.(\d+)\.(\d+)/.exec(said);
  if (!found) {
    return { problem: `${file} is not postil: it does not tell its version.` };
  }
  const version = found.slice(1, 4).map(Number);
  const differs = LEAST.findIndex((least, nth) => version[nth] !== least);
  if (differs >= 0 && (version[differs] ?? 0) < (LEAST[differs] ?? 0)) {
    return { problem: `${file} is version ${version.join(".")}. Version ${LEAST.join(".")} or newer is needed.` };
  }
  return { path: file, version: version.join(".") };
}
