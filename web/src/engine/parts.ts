// The parts of this page that are not shown: the engine, its worker and the
// profile, as base64 in scripts that do not run. A page under development loads
// them instead.
import type { FileToOpen } from "./protocol";

/** What the engine is started from. */
export interface EngineParts {
  worker: string;
  wasm: ArrayBuffer;
}

/** Bytes of base64 text. */
export function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let place = 0; place < binary.length; place++) bytes[place] = binary.charCodeAt(place);
  return bytes;
}

/** Unpacks what gzip packed. */
export async function gunzip(packed: Uint8Array<ArrayBuffer>): Promise<ArrayBuffer> {
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).arrayBuffer();
}

/** Joins pieces: base64 of a large file is in several scripts, as a string has a limit. */
export function join(pieces: Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.length, 0));
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}

/** The bytes of one part; they are taken out of the page, whose memory they would hold. */
async function take(scripts: HTMLScriptElement[]): Promise<Uint8Array<ArrayBuffer>> {
  const pieces = scripts.map((script) => {
    const piece = fromBase64(script.text.trim());
    script.remove();
    return piece;
  });
  const bytes = join(pieces);
  return scripts[0]?.dataset["packed"] === "gzip" ? new Uint8Array(await gunzip(bytes)) : bytes;
}

function scripts(part: string): HTMLScriptElement[] {
  return [...document.querySelectorAll<HTMLScriptElement>(`script[data-part="${part}"]`)];
}

/** The engine and its worker. */
export async function engineParts(): Promise<EngineParts> {
  const [worker, wasm] = [scripts("worker"), scripts("engine")];
  if (import.meta.env.DEV && wasm.length === 0) {
    const load = async (path: string) => new Uint8Array(await (await fetch(path)).arrayBuffer());
    return {
      worker: new TextDecoder().decode(await gunzip(await load("/dist/worker.js.gz"))),
      wasm: await gunzip(await load("/dist/engine.wasm.gz")),
    };
  }
  return {
    worker: new TextDecoder().decode(await take(worker)),
    wasm: (await take(wasm)).buffer,
  };
}

/** The files that came with the page; none if it is an empty viewer. */
export async function embeddedFiles(): Promise<FileToOpen[]> {
  const byFile = new Map<string, HTMLScriptElement[]>();
  for (const script of scripts("profile")) {
    const place = script.dataset["file"] ?? "0";
    byFile.set(place, [...(byFile.get(place) ?? []), script]);
  }
  const files: FileToOpen[] = [];
  for (const [, ofFile] of byFile) {
    const [head] = ofFile;
    if (!head) continue;
    files.push({
      name: head.dataset["name"] ?? "profile",
      isBase: head.dataset["base"] !== undefined,
      bytes: await take(ofFile),
    });
  }
  return files;
}

/** The text of a source file that came with the page. */
export interface EmbeddedSource {
  /** Its path, as the profile has it. */
  path: string;
  text: string;
}

/** The sources that came with the page: `[{"path": …, "text": …}, …]`. */
export async function embeddedSources(): Promise<EmbeddedSource[]> {
  const parts = scripts("sources");
  if (parts.length === 0) return [];
  return JSON.parse(new TextDecoder().decode(await take(parts))) as EmbeddedSource[];
}
