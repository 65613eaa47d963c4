// One universal stream of events for every coding agent. The native half translates; here are sources, streams and errors.
"use strict";

const { createReadStream, readdirSync, statSync, openSync, readSync, closeSync } = require("node:fs");
const { extname, join } = require("node:path");
const { fileURLToPath } = require("node:url");
const { TransformStream } = require("node:stream/web");
const native = require("./interlingua.node");

/** How many bytes of a file are read at once. */
const CHUNK = 256 * 1024;

/** The base of all errors of this package: `code` says what kind it is, `help` what to do about it. */
class InterlinguaError extends Error {
  constructor(message, code = "FAILED") {
    const [first, ...rest] = message.split("\n  help: ");
    super(message);
    this.name = new.target.name;
    this.code = code;
    this.reason = first;
    this.help = rest.length > 0 ? rest.join("\n") : undefined;
  }
}
class UnknownProviderError extends InterlinguaError {}
class MapError extends InterlinguaError {}
class CommandError extends InterlinguaError {}
class UnreadableError extends InterlinguaError {}

const KINDS = { UNKNOWN_PROVIDER: UnknownProviderError, MAP: MapError, COMMAND: CommandError, UNREADABLE: UnreadableError };

/** The error of a native call as one of ours. */
function ours(error) {
  if (error instanceof InterlinguaError) return error;
  const Kind = KINDS[error.code] ?? InterlinguaError;
  return new Kind(error.message, KINDS[error.code] ? error.code : "FAILED");
}

/** Makes a native call. */
function call(work) {
  try {
    return work();
  } catch (error) {
    throw ours(error);
  }
}

/** Waits for a native call on another thread. */
async function later(work) {
  try {
    return await work();
  } catch (error) {
    throw ours(error);
  }
}

class Map {
  #native;

  constructor(inner) {
    this.#native = inner;
  }

  static bundled(name) {
    return new Map(call(() => native.NativeMap.bundled(name)));
  }

  static load(path, schema) {
    return new Map(call(() => native.NativeMap.load(pathOf(path), schema === undefined ? undefined : pathOf(schema))));
  }

  static target(name) {
    return new Map(call(() => native.NativeMap.target(name)));
  }

  get name() {
    return this.#native.name;
  }

  get title() {
    return this.#native.title;
  }

  /** The native map of a map or a name. */
  static _of(map, fromName) {
    const whole = typeof map === "string" ? fromName(map) : map;
    if (!(whole instanceof Map)) throw new TypeError("a provider is a name or a Map");
    return whole.#native;
  }
}

const providerOf = (map) => Map._of(map, Map.bundled);
const targetOf = (map) => Map._of(map, Map.target);
const pathOf = (path) => (path instanceof URL ? fileURLToPath(path) : String(path));
const bytesOf = (piece) => (typeof piece === "string" ? Buffer.from(piece) : piece);
const jsonOf = (value) => (typeof value === "string" ? value : JSON.stringify(value));

class Translator {
  #native;

  constructor(provider, { sessionId, raw } = {}) {
    this.#native = call(() => new native.NativeTranslator(providerOf(provider), sessionId, raw));
  }

  push(bytes) {
    return JSON.parse(call(() => this.#native.push(bytesOf(bytes))));
  }

  pushMessage(message) {
    return JSON.parse(call(() => this.#native.pushMessage(bytesOf(message))));
  }

  idle() {
    return JSON.parse(call(() => this.#native.idle()));
  }

  finish() {
    return JSON.parse(call(() => this.#native.finish()));
  }

  get stats() {
    return JSON.parse(this.#native.stats);
  }
}

class Session {
  #native;

  constructor(provider, { sessionId, raw } = {}) {
    this.#native = call(() => new native.NativeSession(providerOf(provider), sessionId, raw));
  }

  push(bytes) {
    return JSON.parse(call(() => this.#native.push(bytesOf(bytes))));
  }

  pushMessage(message) {
    return JSON.parse(call(() => this.#native.pushMessage(bytesOf(message))));
  }

  command(command) {
    return JSON.parse(call(() => this.#native.command(jsonOf(command))));
  }

  idle() {
    return JSON.parse(call(() => this.#native.idle()));
  }

  finish() {
    return JSON.parse(call(() => this.#native.finish()));
  }

  get openRequests() {
    return this.#native.openRequests;
  }
}

class Transcript {
  #native;

  constructor({ keepTurns } = {}) {
    this.#native = new native.NativeTranscript(keepTurns);
  }

  push(event) {
    call(() => this.#native.push(jsonOf(event)));
  }

  toJSON() {
    return JSON.parse(call(() => this.#native.json()));
  }

  get sessions() {
    return this.toJSON().sessions;
  }

  usage() {
    const usage = call(() => this.#native.usage());
    return usage == null ? undefined : JSON.parse(usage);
  }
}

class Speaker {
  #native;

  constructor(target) {
    this.#native = call(() => new native.NativeSpeaker(targetOf(target)));
  }

  push(event) {
    return JSON.parse(call(() => this.#native.push(jsonOf(event))));
  }

  finish() {
    return JSON.parse(call(() => this.#native.finish()));
  }
}

/** Bytes in, events out. The provider is found out from the first messages. */
class Feeder {
  constructor(name, { provider, ...options } = {}) {
    this.name = name;
    this.options = options;
    this.begin = [];
    if (provider === undefined) {
      this.detector = new native.NativeDetector();
    } else {
      this.translator = new Translator(provider, options);
      this.provider = typeof provider === "string" ? provider : provider.name;
    }
  }

  push(piece) {
    if (this.translator) return this.translator.push(piece);
    if (this.isUniversal) return this.#stored(piece);
    const bytes = bytesOf(piece);
    this.begin.push(bytes);
    return this.#decided(this.detector.push(bytes));
  }

  #decided(found) {
    if (found == null) return [];
    const begin = Buffer.concat(this.begin);
    this.begin = [];
    if (found === "universal") {
      this.isUniversal = true;
      return this.#stored(begin);
    }
    if (found === "unknown") {
      if (begin.toString().trim() === "") return [];
      const fits = this.detector.candidates().slice(0, 3);
      const names = fits.length > 0 ? `it could be ${fits.join(" or ")}` : `known are ${native.providers().join(", ")}`;
      throw new UnreadableError(`cannot tell which agent wrote ${this.name}\n  help: name the provider: ${names}`, "UNREADABLE");
    }
    this.provider = found;
    this.translator = new Translator(found, this.options);
    return this.translator.push(begin);
  }

  #stored(piece) {
    this.begin.push(bytesOf(piece));
    const lines = Buffer.concat(this.begin).toString().split("\n");
    this.begin = [Buffer.from(lines.pop())];
    return lines.filter((line) => line.trim() !== "").map(storedEvent);
  }

  finish() {
    const events = !this.translator && !this.isUniversal ? this.#decided(this.detector.finish()) : [];
    if (this.translator) return [...events, ...this.translator.finish()];
    const rest = Buffer.concat(this.begin).toString().trim();
    this.begin = [];
    return rest === "" ? events : [...events, storedEvent(rest)];
  }
}

function storedEvent(line) {
  try {
    return JSON.parse(line);
  } catch (error) {
    throw new UnreadableError(`this is no universal event: ${error.message}`, "UNREADABLE");
  }
}

const isPath = (source) => typeof source === "string" || source instanceof URL;

/** The pieces of a source, if they can be had at once. */
function* pieces(source) {
  if (isPath(source)) {
    const file = openSync(pathOf(source), "r");
    try {
      for (;;) {
        const buffer = Buffer.allocUnsafe(CHUNK);
        const count = readSync(file, buffer);
        if (count === 0) return;
        yield buffer.subarray(0, count);
      }
    } finally {
      closeSync(file);
    }
  } else if (source instanceof Uint8Array) {
    yield source;
  } else if (typeof source?.[Symbol.iterator] === "function") {
    yield* source;
  } else if (typeof source?.[Symbol.asyncIterator] === "function") {
    throw new TypeError("this source is asynchronous: use `for await`");
  } else {
    throw new TypeError("a source is a path, bytes, a stream, or an iterable of bytes");
  }
}

/** The pieces of any source. */
async function* piecesLater(source) {
  if (isPath(source)) yield* createReadStream(pathOf(source), { highWaterMark: CHUNK });
  else if (!(source instanceof Uint8Array) && typeof source?.[Symbol.asyncIterator] === "function") yield* source;
  else yield* pieces(source);
}

class Events {
  #source;
  #feeder;

  constructor(source, options) {
    this.#source = source;
    this.#feeder = new Feeder(isPath(source) ? pathOf(source) : "this stream", options);
  }

  get provider() {
    return this.#feeder.provider;
  }

  get stats() {
    return this.#feeder.translator?.stats ?? { messages: 0, translated: 0, ignored: 0, unparsed: 0, events: 0 };
  }

  *[Symbol.iterator]() {
    for (const piece of pieces(this.#source)) yield* this.#feeder.push(piece);
    yield* this.#feeder.finish();
  }

  async *[Symbol.asyncIterator]() {
    for await (const piece of piecesLater(this.#source)) yield* this.#feeder.push(piece);
    yield* this.#feeder.finish();
  }
}

const translate = (source, options) => new Events(source, options);

class TranslateStream extends TransformStream {
  constructor(options) {
    const feeder = new Feeder("this stream", options);
    super({
      transform(piece, controller) {
        for (const event of feeder.push(piece)) controller.enqueue(event);
      },
      flush(controller) {
        for (const event of feeder.finish()) controller.enqueue(event);
      },
    });
  }
}

class EmitStream extends TransformStream {
  constructor(target) {
    const speaker = new Speaker(target);
    super({
      transform(event, controller) {
        for (const message of speaker.push(event)) controller.enqueue(message);
      },
      flush(controller) {
        for (const message of speaker.finish()) controller.enqueue(message);
      },
    });
  }
}

function sseStream() {
  const encoder = new TextEncoder();
  return new TransformStream({
    transform(message, controller) {
      controller.enqueue(encoder.encode(`data: ${JSON.stringify(message)}\n\n`));
    },
  });
}

async function detect(source) {
  const detector = new native.NativeDetector();
  let found;
  for await (const piece of piecesLater(source)) {
    found = detector.push(bytesOf(piece));
    if (found != null) break;
  }
  found ??= detector.finish();
  return found === "unknown" || found === "universal" || found == null ? undefined : found;
}

async function check(events) {
  const checker = new native.NativeChecker();
  const found = [];
  for await (const event of events) found.push(...JSON.parse(call(() => checker.push(jsonOf(event)))));
  found.push(...JSON.parse(checker.finish()));
  return found;
}

async function transcript(events, options) {
  const fold = new Transcript(options);
  for await (const event of events) fold.push(event);
  return fold;
}

async function* emit(events, target) {
  const speaker = new Speaker(target);
  for await (const event of events) yield* speaker.push(event);
  yield* speaker.finish();
}

function request(conversation, to, { model } = {}) {
  return JSON.parse(call(() => native.nativeRequest(jsonOf(conversation), providerOf(to), model)));
}

async function sessions({ agent, since, cwd } = {}) {
  return JSON.parse(await later(() => native.nativeSessions(agent, since, cwd === undefined ? undefined : pathOf(cwd))));
}

/** The endings of the files that are read in a folder. */
const ENDINGS = new Set([".jsonl", ".json", ".sse"]);

function files(sources) {
  const all = isPath(sources) ? [sources] : [...sources];
  return all.map(pathOf).flatMap((path) => {
    if (!statSync(path, { throwIfNoEntry: false })?.isDirectory()) return [path];
    const below = readdirSync(path, { recursive: true, withFileTypes: true });
    const found = below.filter((entry) => entry.isFile() && ENDINGS.has(extname(entry.name)));
    return found.map((entry) => join(entry.parentPath ?? entry.path, entry.name)).sort();
  });
}

const TABLES = Object.freeze(native.tableNames());

async function tables(sources, names = TABLES) {
  const wanted = [...names];
  const streams = await later(() => native.nativeTables(files(sources), wanted));
  return Object.fromEntries(wanted.map((name, place) => [name, streams[place]]));
}

async function exportParquet(folder, sources = [], names) {
  const all = isPath(sources) ? [sources] : [...sources];
  return later(() => native.nativeExportParquet(pathOf(folder), all.map(pathOf), names === undefined ? undefined : [...names]));
}

module.exports = {
  CommandError,
  EmitStream,
  Events,
  InterlinguaError,
  Map,
  MapError,
  Session,
  Speaker,
  TABLES,
  Transcript,
  TranslateStream,
  Translator,
  UnknownProviderError,
  UnreadableError,
  check,
  detect,
  emit,
  exportParquet,
  providers: native.providers,
  request,
  sessions,
  sseStream,
  tables,
  targets: native.targets,
  transcript,
  translate,
};
