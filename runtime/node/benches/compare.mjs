// Translation beside `JSON.parse` over the same lines: `node benches/compare.mjs FOLDER…`.
// Of each folder, all recordings are read, each by a translator of its own, as streams come. A row has the best of several runs, in MB of
// native input per second, and the ratio to `JSON.parse` of the same run. Build with `npm run build -- --release` before.
import { readFileSync, readdirSync } from "node:fs";
import { basename, join } from "node:path";
import { detect, translate } from "interlingua";

const RUNS = 7;
const BYTES = 5_000_000;

/** @param {() => void} work */
function best(work) {
  let least = Infinity;
  for (let run = 0; run < RUNS; run++) {
    const begin = performance.now();
    work();
    least = Math.min(least, performance.now() - begin);
  }
  return least;
}

console.log("| recordings of | JSON.parse | events as objects |\n|---|---|---|");
for (const folder of process.argv.slice(2)) {
  const found = readdirSync(folder, { recursive: true, withFileTypes: true });
  const files = found.filter((entry) => entry.name === "stdout.jsonl" || entry.name === "session.jsonl");
  const once = files.map((entry) => readFileSync(join(entry.parentPath, entry.name)));
  const size = once.reduce((sum, content) => sum + content.length, 0);
  const recordings = Array.from({ length: Math.max(1, Math.floor(BYTES / size)) }, () => once).flat();
  const provider = (await detect(/** @type {Buffer} */ (once[0]))) ?? "";
  const texts = recordings.map((content) => content.toString().split("\n").filter((line) => line !== ""));
  const parsed = best(() => texts.forEach((lines) => lines.forEach((line) => JSON.parse(line))));
  const translated = best(() => {
    for (const content of recordings) for (const _ of translate(content, { provider }));
  });
  const megabytes = recordings.reduce((sum, content) => sum + content.length, 0) / 1e6;
  const cell = (/** @type {number} */ time) => `${(parsed / time).toFixed(2)} (${((megabytes / time) * 1e3).toFixed(0)} MB/s)`;
  console.log(`| ${basename(folder)} | ${cell(parsed)} | ${cell(translated)} |`);
}
