// Builds the native half and puts it beside this file: `node build.mjs [--release]`.
import { execFileSync } from "node:child_process";
import { copyFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const options = { cwd: here, stdio: ["ignore", "pipe", "inherit"], maxBuffer: 1 << 28 };
const release = process.argv.includes("--release");
execFileSync("cargo", ["build", "--locked", "--package", "interlingua-node", ...(release ? ["--release"] : [])], options);
const about = execFileSync("cargo", ["metadata", "--no-deps", "--locked", "--format-version", "1"], options);
const target = JSON.parse(about.toString()).target_directory;
const name = { win32: "interlingua_node.dll", darwin: "libinterlingua_node.dylib" }[process.platform] ?? "libinterlingua_node.so";
copyFileSync(join(target, release ? "release" : "debug", name), join(here, "interlingua.node"));
