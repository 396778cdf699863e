// The parts of this page that are not shown: the engine, its worker and the
// profile, as base64 in scripts that do not run. A page under development loads
// them instead.

/** What the engine is started from. */
export interface EngineParts {
  worker: string;
  wasm: ArrayBuffer;
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

/** Unpacks what gzip packed. */
export async function gunzip(packed: Uint8Array<ArrayBuffer> | Blob): Promise<ArrayBuffer> {
  const blob = packed instanceof Blob ? packed : new Blob([packed]);
  const stream = blob.stream().pipeThrough(new DecompressionStream("gzip"));
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

/** A profile that came with the page. */
export interface EmbeddedFile {
  name: string;
  isBase: boolean;
  blob: Blob;
  /** Whether gzip packed the blob: it is unpacked when it is opened. */
  isPacked: boolean;
}

/** The profiles that came with the page: their names at once, their bytes when they are wanted. */
export interface Embedded {
  names: string[];
  load(): Promise<EmbeddedFile[]>;
}

/** Lets the page draw and answer a click between two pieces of work. */
const breath = () => new Promise<void>((done) => setTimeout(done));

/** The files that came with the page; none if it is an empty viewer. */
export function embeddedFiles(): Embedded | null {
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
        await breath();
        pieces.push(fromBase64(script.text.trim()));
        // Out of the page, whose memory it would hold.
        script.remove();
      }
      list.push({ name, isBase: ofFile[0]?.dataset["base"] !== undefined, blob: new Blob(pieces), isPacked });
    }
    return list;
  };
  // They are taken out of the page once, and may be opened again.
  return { names: files.map(nameOf), load: () => (loaded ??= load()) };
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
