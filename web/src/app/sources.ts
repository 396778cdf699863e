/**
 * Texts of source files: those that came with the page, and those that were
 * dropped onto it. They stay in the page; the engine knows only their names.
 */

/** More text than this is no source that a person reads. */
const MOST_BYTES = 4 * 1024 * 1024;

/** A text that may not have been read yet. */
interface Source {
  readonly path: string;
  readonly text: string | Blob;
}

/** The texts, by the last part of their paths. */
export class SourceTexts {
  readonly #byName: ReadonlyMap<string, readonly Source[]>;
  readonly count: number;

  constructor(sources: readonly Source[] = []) {
    const byName = new Map<string, Source[]>();
    for (const source of sources) {
      const name = lastPart(source.path);
      const list = byName.get(name);
      if (list) list.push(source);
      else byName.set(name, [source]);
    }
    this.#byName = byName;
    this.count = sources.length;
  }

  /** These and more; a path that is there already is replaced. */
  with(more: readonly Source[]): SourceTexts {
    const paths = new Set(more.map((source) => source.path));
    const kept = this.all().filter((source) => !paths.has(source.path));
    return new SourceTexts([...kept, ...more]);
  }

  all(): readonly Source[] {
    return [...this.#byName.values()].flat();
  }

  has(path: string): boolean {
    return this.#find(path) !== undefined;
  }

  /** The text of the file that the profile calls `path`. */
  async read(path: string): Promise<string | null> {
    const found = this.#find(path);
    if (found === undefined) return null;
    return typeof found.text === "string" ? found.text : found.text.slice(0, MOST_BYTES).text();
  }

  /** The file whose path ends as `path` does, in as many parts as possible. */
  #find(path: string): Source | undefined {
    let best: Source | undefined;
    let most = 0;
    for (const source of this.#byName.get(lastPart(path)) ?? []) {
      const same = commonEnd(source.path, path);
      if (same > most) [best, most] = [source, same];
    }
    return best;
  }
}

export function partsOf(path: string): string[] {
  return path.split(/[/\\]/).filter((part) => part !== "");
}

export function lastPart(path: string): string {
  return partsOf(path).at(-1) ?? "";
}

/** How many parts two paths have in common, counted from their ends. */
function commonEnd(a: string, b: string): number {
  const [first, second] = [partsOf(a).reverse(), partsOf(b).reverse()];
  let same = 0;
  while (same < first.length && first[same] === second[same]) same += 1;
  return same;
}
