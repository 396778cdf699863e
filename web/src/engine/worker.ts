// The engine's worker: it owns the engine and answers one message at a time.
import type { FromWorker, Reply, ToWorker } from "./protocol";

/** The engine as wasm-bindgen shows it (`--target no-modules`, in front of this script). */
interface Border {
  add_file(name: string, isBase: boolean, bytes: Uint8Array): void;
  open(threshold?: number): string;
  ask(request: string): string;
  take_bytes(): Uint8Array<ArrayBuffer>;
}

declare const wasm_bindgen: {
  Engine: { new (): Border; formats(): string };
  initSync(options: { module: BufferSource }): unknown;
};

let engine: Border | undefined;

function running(): Border {
  if (!engine) throw new Error("the engine was not started");
  return engine;
}

function answer(message: Exclude<ToWorker, { kind: "start" }>): FromWorker {
  const { id } = message;
  switch (message.kind) {
    case "open": {
      for (const file of message.files) running().add_file(file.name, file.isBase, file.bytes);
      return { id, reply: JSON.parse(running().open(message.threshold)) as Reply };
    }
    case "ask": {
      const { scope, question } = message;
      const reply = JSON.parse(running().ask(JSON.stringify({ scope, question }))) as Reply;
      const isExport = typeof reply === "object" && "answer" in reply && reply.answer.is === "export";
      return isExport ? { id, reply, bytes: running().take_bytes() } : { id, reply };
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
  const message =
    `Most likely the memory of this page ran out: WebAssembly has at most 4 GB (${reason}).`;
  return { id, reply: { error: { code: "engine-stopped", message, threshold: THRESHOLD } }, isDead: true };
}

self.onmessage = ({ data }: MessageEvent<ToWorker>) => {
  if (data.kind === "start") {
    wasm_bindgen.initSync({ module: data.wasm });
    engine = new wasm_bindgen.Engine();
    return;
  }
  let reply: FromWorker;
  try {
    reply = answer(data);
  } catch (error) {
    reply = died(data.id, error);
  }
  self.postMessage(reply, reply.bytes ? { transfer: [reply.bytes.buffer] } : {});
};
