// The engine's worker: it owns the engine and answers one message at a time.
import { unpacked } from "./parts";
import type { FileToOpen, FromWorker, Reply, ToWorker } from "./protocol";

/** The engine as wasm-bindgen shows it (`--target no-modules`, in front of this script). */
interface Border {
  add_file(name: string, isBase: boolean, bytes: Uint8Array): void;
  open(threshold?: number): string;
  ask(request: string): string;
  take_bytes(): Uint8Array<ArrayBuffer>;
}

declare const wasm_bindgen: {
  Engine: { new (): Border; formats(): string };
  initSync(options: { module: WebAssembly.Module }): unknown;
};

/** None until the engine is started; what comes before it is compiled waits. */
let starting: Promise<Border> | undefined;

/** Compiles the engine while it is unpacked. */
async function started(engine: Uint8Array<ArrayBuffer> | string): Promise<Border> {
  const source = typeof engine === "string" ? fetch(engine) : unpacked(engine, "application/wasm");
  const module = await WebAssembly.compileStreaming(source);
  wasm_bindgen.initSync({ module });
  return new wasm_bindgen.Engine();
}

async function bytesOf({ bytes, isPacked }: FileToOpen): Promise<Uint8Array> {
  return isPacked === true ? new Uint8Array(await unpacked(bytes).arrayBuffer()) : bytes;
}

async function answer(engine: Border, message: Exclude<ToWorker, { kind: "start" }>): Promise<FromWorker> {
  const { id } = message;
  switch (message.kind) {
    case "open": {
      // One after the other: all of them unpacked at once may not fit.
      for (const file of message.files) engine.add_file(file.name, file.isBase, await bytesOf(file));
      return { id, reply: JSON.parse(engine.open(message.threshold)) as Reply };
    }
    case "ask": {
      const { scope, question } = message;
      const reply = JSON.parse(engine.ask(JSON.stringify({ scope, question }))) as Reply;
      const isExport = typeof reply === "object" && "answer" in reply && reply.answer.is === "export";
      return isExport ? { id, reply, bytes: engine.take_bytes() } : { id, reply };
    }
    case "formats":
      return { id, reply: { formats: wasm_bindgen.Engine.formats() } };
  }
}

/** What a file that did not fit is opened without: what cost less, in percent. */
const THRESHOLD = 0.01;

// A trap leaves the engine in a state that must not be used again. Nearly always
// it is memory that ran out.
function died(id: number, error: unknown): FromWorker {
  const reason = error instanceof Error ? error.message : String(error);
  const message = `Most likely the memory of this page ran out: WebAssembly has at most 4 GB (${reason}).`;
  return { id, reply: { error: { code: "engine-stopped", message, threshold: THRESHOLD } }, isDead: true };
}

self.onmessage = ({ data }: MessageEvent<ToWorker>) => {
  if (data.kind === "start") {
    starting = started(data.engine);
    // As an error of the worker, which tells the page that there is no engine.
    starting.catch((error: unknown) =>
      setTimeout(() => {
        throw error;
      }),
    );
    return;
  }
  const reply = async (engine: Border): Promise<void> => {
    const told = await answer(engine, data).catch((error: unknown) => died(data.id, error));
    self.postMessage(told, told.bytes ? { transfer: [told.bytes.buffer] } : {});
  };
  // Without an engine there is no answer: the page was told by the error.
  starting?.then(reply, () => undefined);
};
