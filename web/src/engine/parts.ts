// The parts of this page that are not shown: the engine, its worker and the
// profile, as base64 in scripts that do not run. A page under development loads
// them instead.

import { KnownAnswers, type KnownPair } from "./known";

/** What the engine is started from. */
export interface EngineParts {
  /** The text of its script, or where it is. */
  worker: string | URL;
  /** Packed with gzip, which a worker unpacks beside the page; or an address. */
  engine: Uint8Array<ArrayBuffer> | string;
}

/** Not in every browser yet. */
type Decoder = typeof Uint8Array & { fromBase64?: (text: string) => Uint8Array<ArrayBuffer> };

/** Bytes of base64 text. */
export function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  const native = (Uint8Array as Decoder).fromBase64;
  if (native) return native(text);
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let place = 0; place < binary.length; place++) bytes[place] = binary.charCodeAt(place);
  return bytes;
}

/** What gzip packed, unpacked. Bytes do not leave the process, as those of a blob do. */
export function unpacked(bytes: Uint8Array<ArrayBuffer>, type?: string): Response {
  const headers = type === undefined ? {} : { "Content-Type": type };
  return new Response(new Response(bytes).body?.pipeThrough(new DecompressionStream("gzip")) ?? null, { headers });
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
function take(scripts: HTMLScriptElement[]): Uint8Array<ArrayBuffer> {
  const pieces = scripts.map((script) => {
    const piece = fromBase64(script.text.trim());
    script.remove();
    return piece;
  });
  const [only] = pieces;
  return pieces.length === 1 && only ? only : join(pieces);
}

function scripts(part: string): HTMLScriptElement[] {
  return [...document.querySelectorAll<HTMLScriptElement>(`script[data-part="${part}"]`)];
}

/** The engine and its worker. */
export async function engineParts(): Promise<EngineParts> {
  const [worker, engine] = [scripts("worker"), scripts("engine")];
  if (import.meta.env.DEV && engine.length === 0) {
    const load = async (path: string) => new Uint8Array(await (await fetch(path)).arrayBuffer());
    return {
      worker: await unpacked(await load("/dist/worker.js.gz")).text(),
      engine: await load("/dist/engine.wasm.gz"),
    };
  }
  return { worker: await unpacked(take(worker)).text(), engine: take(engine) };
}

/** What of a blob is used. */
export type Stored = Pick<Blob, "arrayBuffer">;

/** Smaller files stay in the page's memory: a blob's bytes go to another process and back. */
const SMALL = 1_000_000;

function stored(pieces: Uint8Array<ArrayBuffer>[]): Stored {
  const [only] = pieces;
  if (only === undefined || pieces.length > 1 || only.length > SMALL) return new Blob(pieces);
  // A copy: what is opened is handed over to the worker.
  return { arrayBuffer: () => Promise.resolve(only.slice().buffer) };
}

/** A profile that came with the page. */
export interface EmbeddedFile {
  name: string;
  isBase: boolean;
  blob: Stored;
  /** Whether gzip packed the blob: the worker unpacks it. */
  isPacked: boolean;
}

/** The profiles that came with the page: their names at once, their bytes when they are wanted. */
export interface Embedded {
  names: string[];
  load(): Promise<EmbeddedFile[]>;
  /** What is known of them before they are opened. */
  answers: KnownAnswers;
}

/** Lets the page draw and answer a click between two pieces of work. */
const breath = () => new Promise<void>((done) => setTimeout(done));

/** The files that came with the page; none if it is an empty viewer. */
export function embeddedFiles(answers: KnownAnswers): Embedded | null {
  const byFile = new Map<string, HTMLScriptElement[]>();
  for (const script of scripts("profile")) {
    const place = script.dataset["file"] ?? "0";
    byFile.set(place, [...(byFile.get(place) ?? []), script]);
  }
  if (byFile.size === 0) return null;
  const files = [...byFile.values()];
  const nameOf = ([head]: HTMLScriptElement[]) => head?.dataset["name"] ?? "profile";
  let loaded: Promise<EmbeddedFile[]> | undefined;
  const load = async () => {
    const list: EmbeddedFile[] = [];
    for (const ofFile of files) {
      const pieces: Uint8Array<ArrayBuffer>[] = [];
      const [name, isPacked] = [nameOf(ofFile), ofFile[0]?.dataset["packed"] === "gzip"];
      for (const script of ofFile) {
        if (script.text.length > SMALL) await breath();
        pieces.push(fromBase64(script.text.trim()));
        // Out of the page, whose memory it would hold.
        script.remove();
      }
      list.push({ name, isBase: ofFile[0]?.dataset["base"] !== undefined, blob: stored(pieces), isPacked });
    }
    return list;
  };
  // They are taken out of the page once, and may be opened again.
  return { names: files.map(nameOf), load: () => (loaded ??= load()), answers };
}

/** The answers that came with the page, to the questions of its first view; few or none. */
export async function knownAnswers(): Promise<KnownAnswers> {
  const parts = scripts("answers");
  if (parts.length === 0) return new KnownAnswers();
  return new KnownAnswers((await unpacked(take(parts)).json()) as KnownPair[]);
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
  const isPacked = parts[0]?.dataset["packed"] === "gzip";
  const bytes = take(parts);
  return (await (isPacked ? unpacked(bytes) : new Response(bytes)).json()) as EmbeddedSource[];
}
