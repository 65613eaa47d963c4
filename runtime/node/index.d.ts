import type { ReadableStream, TransformStream } from "node:stream/web";
import type {
  Command,
  Degradation,
  Event,
  Message,
  ModelRequest,
  Transcript as TranscriptData,
  TranscriptSession,
  Usage,
} from "./types";

export type * from "./types";

/** The base of all errors of this package. The message says what went wrong, where, and what to do about it. */
export class InterlinguaError extends Error {
  /** The kind of error: `UNKNOWN_PROVIDER`, `MAP`, `COMMAND`, `UNREADABLE` or `FAILED`. */
  readonly code: string;
  /** What went wrong, and where. */
  readonly reason: string;
  /** What to do about it. */
  readonly help: string | undefined;
}
/** There is no provider or target of this name. */
export class UnknownProviderError extends InterlinguaError {}
/** A term map has faults, each with its line and column, or cannot be read. */
export class MapError extends InterlinguaError {}
/** A command cannot be given to the agent. */
export class CommandError extends InterlinguaError {}
/** The input cannot be read as what it should be. */
export class UnreadableError extends InterlinguaError {}

/** A compiled term map: a bundled provider's, or one from a file. */
export class Map {
  private constructor();
  /** The map of a bundled provider. */
  static bundled(name: string): Map;
  /** A map of your own. `schema` is the provider's schema, if it is not where the map says. */
  static load(path: string | URL, schema?: string | URL): Map;
  /** A bundled target, or one from a file whose name ends in `.map`. */
  static target(name: string): Map;
  readonly name: string;
  /** The name for people. */
  readonly title: string;
}

/** Bytes; a text is taken as UTF-8. */
export type Bytes = Uint8Array | string;

/** What can be translated at once: a path, bytes, or an iterable of bytes. A text is a path. */
export type SyncSource = string | URL | Uint8Array | Iterable<Bytes>;

/** What can be translated: also a stream of Node or the Web, or any asynchronous iterable of bytes. */
export type Source = SyncSource | AsyncIterable<Bytes> | NodeJS.ReadableStream | ReadableStream<Uint8Array>;

/** The options of a translation. */
export interface Options {
  /** The id of the first session; the default is `s1`. */
  sessionId?: string;
  /** Whether each event has the exact native bytes in `native.raw`. */
  raw?: boolean;
}

/** The options of a translation whose provider may be found out. */
export interface SourceOptions extends Options {
  /** A bundled provider by its name, or a map; without it, the first messages tell. */
  provider?: string | Map;
}

/** What was translated so far. */
export interface Stats {
  messages: number;
  translated: number;
  ignored: number;
  unparsed: number;
  events: number;
}

/** The events of a source, for one `for` or one `for await`. */
export class Events implements Iterable<Event>, AsyncIterable<Event> {
  constructor(source: Source, options?: SourceOptions);
  /** The provider that wrote the source; `undefined` until that is known, and for stored events. */
  readonly provider: string | undefined;
  readonly stats: Stats;
  [Symbol.iterator](): Iterator<Event>;
  [Symbol.asyncIterator](): AsyncIterator<Event>;
}

/** The universal events of what an agent wrote. Stored events are read as they are. */
export function translate(source: Source, options?: SourceOptions): Events;

/** Bytes to events, for streams of the Web: `response.body.pipeThrough(new TranslateStream())`. */
export class TranslateStream extends TransformStream<Bytes, Event> {
  constructor(options?: SourceOptions);
}

/** Events to the messages of a target, for streams of the Web. */
export class EmitStream<M = Record<string, unknown>> extends TransformStream<Event, M> {
  constructor(target: string | Map);
}

/** Messages to server-sent events, for streams of the Web. */
export function sseStream(): TransformStream<unknown, Uint8Array>;

/** Translates the native bytes of one stream, pushed in slices of any size, split anywhere. */
export class Translator {
  constructor(provider: string | Map, options?: Options);
  push(bytes: Bytes): Event[];
  pushMessage(message: Bytes): Event[];
  /** The agent has been silent for a while: a turn end that is held comes now. */
  idle(): Event[];
  /** The end of the stream: everything that is open ends. */
  finish(): Event[];
  readonly stats: Stats;
}

/** What to do to reach the agent. */
export type NativeMessage =
  | { kind: "spawn"; args: string[]; cwd: string | null }
  | { kind: "text"; text: string }
  | { kind: "hang-up" }
  | { kind: "http"; method: string; path: string; body: string | null };

/** What a call on a session leads to. */
export interface Output {
  events: Event[];
  /** For the agent, in this order. */
  messages: NativeMessage[];
  /** What the agent does not support of the commands. */
  degradations: Degradation[];
  /** Commands that failed later. */
  refused: { command: Command; reason: string }[];
}

/** One agent in both directions: native bytes and commands in, events and native messages out. */
export class Session {
  constructor(provider: string | Map, options?: Options);
  push(bytes: Bytes): Output;
  pushMessage(message: Bytes): Output;
  /** Gives the agent a command. One that needs what is not known yet waits, and gives no output. */
  command(command: Command): Output;
  idle(): Output;
  finish(): Output;
  /** How many requests of the agent wait for an answer. */
  readonly openRequests: number;
}

/** An event, or its JSON. */
export type AnyEvent = Event | string;

/** Events from anywhere. */
export type EventSource = Iterable<AnyEvent> | AsyncIterable<AnyEvent>;

/** The current state of the sessions of a stream: turns, items, requests, changed files, tokens and cost. */
export class Transcript {
  constructor(options?: { keepTurns?: number });
  push(event: AnyEvent): void;
  toJSON(): TranscriptData;
  readonly sessions: TranscriptSession[];
  /** What all sessions used together; `undefined` when nothing is known. */
  usage(): Usage | undefined;
}

/** What a stream of events amounts to. */
export function transcript(events: EventSource, options?: { keepTurns?: number }): Promise<Transcript>;

/** Writes events as the messages of a target. */
export class Speaker<M = Record<string, unknown>> {
  constructor(target: string | Map);
  push(event: AnyEvent): M[];
  finish(): M[];
}

/** Events as the messages of another protocol, such as `ag-ui`; `targets()` lists those that are bundled. */
export function emit<M = Record<string, unknown>>(events: EventSource, target: string | Map): AsyncGenerator<M>;

/** A law that a stream breaks. */
export interface Violation {
  /** The law, with its number and name. */
  law: string;
  /** The event that breaks it, `{session_id}:{sequence}`. */
  event: string;
  /** What is wrong. */
  message: string;
}

/** The laws of the vocabulary that a whole stream of events breaks. */
export function check(events: EventSource): Promise<Violation[]>;

/** The name of the provider that wrote a source; `undefined` when no bundled one did. */
export function detect(source: Source): Promise<string | undefined>;

/** The request body of a provider. */
export interface WrittenRequest {
  path: string;
  body: Record<string, unknown>;
  degradations: Degradation[];
}

/** A conversation as the request body of a model's provider. */
export function request(
  conversation: Message[] | ModelRequest | string,
  to: string | Map,
  options?: { model?: string },
): WrittenRequest;

/** A session of this machine, with the members of `interlingua sessions --json`. */
export interface MachineSession {
  provider: string | null;
  native_session_id: string | null;
  files: string[];
  title: string | null;
  cwd: string | null;
  started: string | null;
  ended: string | null;
  turns: number;
  cost: { amount: number; currency: string; source: string } | null;
  resume: string | null;
  [member: string]: unknown;
}

/** The sessions of this machine, newest first. `since` is a day, a time, or such as `2d` for two days ago. */
export function sessions(wanted?: { agent?: string; since?: string; cwd?: string | URL }): Promise<MachineSession[]>;

/** The names of the tables. */
export const TABLES: readonly string[];

/** The tables of files and folders, each as a stream of Arrow's interprocess format: `tableFromIPC(bytes)` of `apache-arrow`
 * reads it. A file that cannot be read has a row in the table `sources`. */
export function tables(sources: string | URL | Iterable<string | URL>, names?: Iterable<string>): Promise<Record<string, Uint8Array>>;

/** Writes the tables of files and folders as Parquet files; without sources, those of all sessions of this machine. Gives the
 * reasons of the sources that could not be read. */
export function exportParquet(
  folder: string | URL,
  sources?: string | URL | Iterable<string | URL>,
  names?: Iterable<string>,
): Promise<string[]>;

/** The names of the bundled providers. */
export function providers(): string[];

/** The names of the bundled targets. */
export function targets(): string[];
