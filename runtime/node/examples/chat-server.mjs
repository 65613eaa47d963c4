// A chat server in front of a coding agent: it speaks the AI SDK's UI message stream, so that `useChat` reads it.
//   node chat-server.mjs PROGRAM ARGUMENT…    the prompt is the last argument
import { spawn } from "node:child_process";
import { createServer } from "node:http";
import { pathToFileURL } from "node:url";
import { Readable, Writable } from "node:stream";
import { EmitStream, TranslateStream, sseStream } from "interlingua";

/** @param {string[]} command The agent's program with its arguments. */
export function chatServer(command) {
  return createServer(async (request, response) => {
    const { messages } = JSON.parse((await request.toArray()).join(""));
    const prompt = messages.at(-1).parts.map((/** @type {{ text?: string }} */ part) => part.text ?? "").join("");
    const agent = spawn(command[0], [...command.slice(1), prompt], { stdio: ["ignore", "pipe", "inherit"] });
    response.setHeader("content-type", "text/event-stream");
    response.setHeader("x-vercel-ai-ui-message-stream", "v1");
    await /** @type {import("node:stream/web").ReadableStream<Uint8Array>} */ (Readable.toWeb(agent.stdout))
      .pipeThrough(new TranslateStream())
      .pipeThrough(new EmitStream("ai-sdk-ui"))
      .pipeThrough(sseStream())
      .pipeTo(Writable.toWeb(response));
  });
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const server = chatServer(process.argv.slice(2)).listen(Number(process.env.PORT ?? 3000), "127.0.0.1");
  server.on("listening", () => console.log("listening on", server.address()));
}
