// What the tests share: the recordings of the repository, and the command to compare with.
import { execFileSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";

export const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
export const CAPTURES = join(ROOT, "resources", "captures");
const MODELS = new Set(["anthropic-messages", "deepseek-chat", "gemini", "openai-chat", "openai-responses"]);
const NAMES = new Set(["stdout.jsonl", "session.jsonl", "events.sse", "export.json"]);

/** Every bundled recording of an agent; those of models have chunks and no events. */
export const recordings = readdirSync(CAPTURES, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && NAMES.has(entry.name))
  .map((entry) => join(entry.parentPath, entry.name))
  .filter((path) => !MODELS.has(relative(CAPTURES, path).split("/")[0] ?? ""))
  .sort();

/** @type {string | undefined} */
let program;

/**
 * What the command `interlingua`, built from the same sources, writes.
 * @param {string[]} args
 * @param {Record<string, string>} [env]
 */
export function command(args, env = {}) {
  if (program === undefined) {
    const options = { cwd: ROOT, maxBuffer: 1 << 28 };
    execFileSync("cargo", ["build", "--quiet", "--locked", "--package", "interlingua-cli"], options);
    const about = execFileSync("cargo", ["metadata", "--no-deps", "--locked", "--format-version", "1"], options);
    program = join(JSON.parse(about.toString()).target_directory, "debug", "interlingua");
  }
  /** @type {import("node:child_process").StdioOptions} */
  const stdio = ["ignore", "pipe", "ignore"];
  const options = { cwd: ROOT, maxBuffer: 1 << 28, env: { ...process.env, ...env }, stdio };
  return execFileSync(program, args, options).toString();
}

/** @param {string} text */
export const lines = (text) => text.split("\n").filter((line) => line !== "").map((line) => JSON.parse(line));
