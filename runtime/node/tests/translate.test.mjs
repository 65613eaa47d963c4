// Translation equals that of the command, whatever the source is.
import assert from "node:assert/strict";
import { createReadStream, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, relative } from "node:path";
import { test } from "node:test";
import { Readable } from "node:stream";
import * as interlingua from "interlingua";
import { CAPTURES, ROOT, command, lines, recordings } from "./support.mjs";

const BASH = join(CAPTURES, "claude/2.1.332/04-bash/stdout.jsonl");

test("every recording is translated as by the command", () => {
  for (const path of recordings) {
    const events = interlingua.translate(path);
    assert.deepEqual([...events], lines(command(["translate", path])), path);
    assert.equal(events.provider, relative(CAPTURES, path).split("/")[0], path);
    const { messages, translated, ignored, unparsed } = events.stats;
    assert.equal(messages, translated + ignored + unparsed, path);
  }
  assert.ok(recordings.length > 300);
});

test("a source may be anything that gives bytes", async () => {
  const expected = [...interlingua.translate(BASH)];
  const content = readFileSync(BASH);
  function* bytewise() {
    for (let place = 0; place < content.length; place++) yield content.subarray(place, place + 1);
  }
  /** @param {interlingua.Source} source */
  const collected = async (source) => {
    const events = [];
    for await (const event of interlingua.translate(source)) events.push(event);
    return events;
  };
  const web = () => new Blob([content]).stream();
  assert.deepEqual([...interlingua.translate(content)], expected);
  assert.deepEqual([...interlingua.translate(bytewise())], expected);
  assert.deepEqual([...interlingua.translate(new URL(`file://${BASH}`))], expected);
  assert.deepEqual(await collected(BASH), expected);
  assert.deepEqual(await collected(content), expected);
  assert.deepEqual(await collected(createReadStream(BASH)), expected);
  assert.deepEqual(await collected(Readable.from([content])), expected);
  assert.deepEqual(await collected(/** @type {any} */ (web())), expected);
  const piped = [];
  const stream = /** @type {import("node:stream/web").ReadableStream<Uint8Array>} */ (web());
  for await (const event of stream.pipeThrough(new interlingua.TranslateStream())) piped.push(event);
  assert.deepEqual(piped, expected);
});

test("stored events are read as they are", () => {
  const events = [...interlingua.translate(BASH)];
  const stored = Buffer.from(events.map((event) => JSON.stringify(event)).join("\n"));
  const again = interlingua.translate(stored);
  assert.deepEqual([...again], events);
  assert.equal(again.provider, undefined);
});

test("errors have a code, a reason and help", async () => {
  const unknown = interlingua.translate(Buffer.from('{"hello":"world"}\n'.repeat(200)));
  assert.throws(() => [...unknown], (/** @type {interlingua.UnreadableError} */ error) => {
    assert.ok(error instanceof interlingua.UnreadableError && error instanceof interlingua.InterlinguaError);
    assert.equal(error.code, "UNREADABLE");
    assert.equal(error.reason, "cannot tell which agent wrote this stream");
    assert.match(error.help ?? "", /name the provider/);
    return true;
  });
  assert.throws(() => interlingua.translate(BASH, { provider: "nobody" }), interlingua.UnknownProviderError);
  assert.throws(() => new interlingua.Translator("openai-chat"), /the stream of a model/);
  assert.throws(() => [...interlingua.translate(createReadStream(BASH))], /for await/);
  assert.throws(() => [...interlingua.translate("no-such-file.jsonl")], { code: "ENOENT" });
  await assert.rejects(async () => { for await (const _ of interlingua.translate("no-such-file.jsonl")); }, { code: "ENOENT" });
  assert.deepEqual([...interlingua.translate(Buffer.from(""))], []);
});

test("the provider is detected", async () => {
  assert.equal(await interlingua.detect(BASH), "claude");
  assert.equal(await interlingua.detect(Buffer.from('{"hello":"world"}')), undefined);
  assert.ok(interlingua.providers().includes("codex"));
});

test("a map of one's own", () => {
  const demo = join(ROOT, "cli/tests/demo");
  const own = interlingua.Map.load(join(demo, "demo.map"));
  assert.equal(own.name, "demo");
  const events = [...interlingua.translate(join(demo, "session.jsonl"), { provider: own })];
  assert.ok(events.some((event) => event.type === "item.completed" && JSON.stringify(event.data).includes("Good morning.")));
  assert.throws(() => interlingua.Map.load("no/such.map"), interlingua.MapError);
});

test("CommonJS has the same", () => {
  const required = createRequire(import.meta.url)("interlingua");
  assert.deepEqual(Object.keys(required).sort(), Object.keys(interlingua).sort());
  assert.equal(required.translate, interlingua.translate);
});
