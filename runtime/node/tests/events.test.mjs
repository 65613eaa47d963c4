// What is made of events: transcripts, other protocols, findings, commands back, tables, and a chat.
import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtempSync, readFileSync, writeFileSync, readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { DefaultChatTransport, readUIMessageStream } from "ai";
import { tableFromIPC } from "apache-arrow";
import * as interlingua from "interlingua";
import { chatServer } from "../examples/chat-server.mjs";
import { CAPTURES, ROOT, command, lines, recordings } from "./support.mjs";

const BASH = join(CAPTURES, "claude/2.1.332/04-bash/stdout.jsonl");
const some = (/** @type {number} */ step) => recordings.filter((_, place) => place % step === 0);

test("a transcript equals that of the command", async () => {
  for (const path of some(7)) {
    const transcript = await interlingua.transcript(interlingua.translate(path));
    assert.deepEqual(transcript.toJSON(), JSON.parse(command(["transcript", path])), path);
  }
  assert.equal((await interlingua.transcript([])).usage(), undefined);
  assert.ok(((await interlingua.transcript(interlingua.translate(BASH))).usage()?.output ?? 0) > 0);
});

test("another protocol is spoken as by the command", async () => {
  for (const target of interlingua.targets()) {
    for (const path of some(19)) {
      const messages = [];
      for await (const message of interlingua.emit(interlingua.translate(path), target)) messages.push(message);
      assert.deepEqual(messages, lines(command(["translate", "--to", target, path])), path);
    }
  }
  assert.throws(() => new interlingua.Speaker("claude"), interlingua.UnknownProviderError);
});

test("no recording breaks a law, and a broken one is found", async () => {
  for (const path of some(3)) assert.deepEqual(await interlingua.check(interlingua.translate(path)), [], path);
  const events = [...interlingua.translate(BASH)].filter((event) => event.sequence !== 3);
  const [first] = await interlingua.check(events);
  assert.equal(first?.law, "law 1 (order)");
  assert.equal(first?.event, "s1:4");
});

test("both directions of an agent", () => {
  const session = new interlingua.Session("claude");
  const asked = session.pushMessage(
    '{"type":"control_request","request_id":"r1","request":{"subtype":"can_use_tool",' +
      '"tool_name":"Bash","input":{"command":"ls"},"tool_use_id":"t1"}}',
  );
  assert.ok(asked.events.some((event) => event.type === "permission.requested"));
  assert.equal(session.openRequests, 1);
  /** @type {interlingua.Command} */
  const allow = { type: "permission.reply", permission_id: "r1", outcome: "allow-once" };
  const [message] = session.command(allow).messages;
  assert.equal(message?.kind, "text");
  assert.equal(JSON.parse(message?.kind === "text" ? message.text : "").response.response.behavior, "allow");
  assert.throws(() => session.command(allow), /the request `r1` was settled before, as `allow-once`/);
  const [spawn] = new interlingua.Session("codex").command({ type: "session.start", prompt: "Hi" }).messages;
  assert.equal(spawn?.kind === "spawn" && spawn.args[0], "codex");
  assert.equal(session.finish().events.at(-1)?.type, "session.ended");
});

test("a conversation becomes a request as by the command", () => {
  /** @type {interlingua.Message[]} */
  const conversation = [{ id: "m1", role: "user", source: { kind: "user" }, content: [{ type: "text", text: "Hi" }] }];
  const file = join(mkdtempSync(join(tmpdir(), "interlingua-")), "talk.json");
  writeFileSync(file, JSON.stringify(conversation));
  for (const provider of ["anthropic-messages", "gemini", "openai-responses"]) {
    const expected = JSON.parse(command(["request", "--to", provider, "--model", "m-1", "--json", file]));
    assert.deepEqual(interlingua.request(conversation, provider, { model: "m-1" }), expected);
  }
  assert.throws(() => interlingua.request("[]", "gemini"), interlingua.UnreadableError);
});

test("the sessions of this machine", async () => {
  const home = join(ROOT, "cli/tests/homes/forks/home");
  process.env.HOME = home;
  delete process.env.CLAUDE_CONFIG_DIR;
  delete process.env.CODEX_HOME;
  const sessions = await interlingua.sessions();
  assert.ok(sessions.length > 0);
  assert.deepEqual(sessions, lines(command(["sessions", "--json"], { HOME: home })));
  await assert.rejects(interlingua.sessions({ since: "the other day" }), interlingua.InterlinguaError);
});

test("tables are read by Apache Arrow", async () => {
  const folder = join(CAPTURES, "claude-transcript/2.1.332");
  const tables = await interlingua.tables(folder, ["usage", "sources"]);
  const usage = tableFromIPC(/** @type {Uint8Array} */ (tables.usage));
  assert.ok(usage.numRows > 10);
  assert.equal(usage.schema.metadata.get("interlingua.tables_version"), "1");
  assert.equal(usage.schema.fields[0]?.name, "provider");
  const out = join(mkdtempSync(join(tmpdir(), "interlingua-")), "tables");
  assert.deepEqual(await interlingua.exportParquet(out, folder), []);
  assert.deepEqual(readdirSync(out).sort(), interlingua.TABLES.map((name) => `${name}.parquet`).sort());
  await assert.rejects(interlingua.tables(folder, ["cost"]), /there is no table `cost`/);
});

test("a running agent is read by the AI SDK's own client", async () => {
  for (const scenario of ["claude/2.1.332/04-bash", "codex/0.171.0/exec-03-command"]) {
    // A program that writes what the agent wrote.
    const recording = join(CAPTURES, scenario, "stdout.jsonl");
    const server = chatServer([process.execPath, "-e", `require("fs").createReadStream(${JSON.stringify(recording)}).pipe(process.stdout)`]);
    await once(server.listen(0, "127.0.0.1"), "listening");
    try {
      const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
      const transport = new DefaultChatTransport({ api: `http://127.0.0.1:${port}/` });
      const stream = await transport.sendMessages({
        trigger: "submit-message",
        chatId: "c1",
        messageId: undefined,
        messages: [{ id: "m1", role: "user", parts: [{ type: "text", text: "Run echo." }] }],
        abortSignal: undefined,
      });
      let last;
      for await (const message of readUIMessageStream({ stream, onError: (error) => assert.fail(String(error)) })) last = message;
      const kinds = last?.parts.map((part) => part.type) ?? [];
      assert.ok(kinds.includes("dynamic-tool") && kinds.includes("text"), `${scenario}: ${kinds}`);
      const tool = last?.parts.find((part) => part.type === "dynamic-tool");
      assert.match(String(tool && "state" in tool && tool.state), /^output-/);
    } finally {
      server.close();
    }
  }
});

test("the README's examples run", async () => {
  const page = readFileSync(new URL("../README.md", import.meta.url), "utf8");
  const examples = [...page.matchAll(/^```js\n(.+?)^```/gms)].map((found) => found[1] ?? "");
  assert.ok(examples.length >= 3);
  const before = process.cwd();
  const folder = mkdtempSync(join(tmpdir(), "interlingua-"));
  writeFileSync(join(folder, "session.jsonl"), readFileSync(join(CAPTURES, "claude/2.1.332/06-write-edit/stdout.jsonl")));
  process.chdir(folder);
  try {
    for (const [number, example] of examples.entries()) {
      const file = join(ROOT, "runtime/node/tests", `.readme-${process.pid}-${number}.mjs`);
      const { unlinkSync } = await import("node:fs");
      writeFileSync(file, example);
      try {
        await import(file);
      } finally {
        unlinkSync(file);
      }
    }
  } finally {
    process.chdir(before);
  }
});
