/** Several files: added up, or compared. */
import type { JSX, RefObject } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Stored } from "../engine/parts";
import type { FileToOpen } from "../types";

/** A file that was chosen. A blob, because a browser can keep one outside of the page's memory. */
export interface Picked {
  readonly name: string;
  readonly isBase: boolean;
  readonly blob: Stored;
  /** Whether the page packed it, with gzip. */
  readonly isPacked?: boolean;
}

export function filesOf(picked: readonly Picked[]): Promise<FileToOpen[]> {
  return Promise.all(
    picked.map(async ({ name, isBase, blob, isPacked = false }) => {
      return { name, isBase, isPacked, bytes: new Uint8Array(await blob.arrayBuffer()) };
    }),
  );
}

/** A dialog that keeps the keyboard inside and closes with Esc. */
export function useModal(onClose: () => void): { ref: RefObject<HTMLDialogElement | null> } {
  const ref = useRef<HTMLDialogElement>(null);
  // Before the next key: what is typed at once belongs to the dialog.
  useLayoutEffect(() => {
    const dialog = ref.current;
    if (dialog === null) return undefined;
    dialog.showModal();
    // The first button has the focus: in a small window it is at the end.
    dialog.scrollTop = 0;
    dialog.addEventListener("close", onClose);
    return () => {
      dialog.removeEventListener("close", onClose);
      dialog.close();
    };
    // Opened once; the first `onClose` is as good as any later one.
  }, []);
  return { ref };
}

type Sides = Readonly<Record<number, "base" | "new" | "off">>;

export function FilesDialog(props: {
  files: readonly Picked[];
  /** What is open: it can be compared with. */
  openFiles: readonly Picked[];
  onOpen: (files: readonly Picked[]) => void;
  onMore: () => void;
  onClose: () => void;
}): JSX.Element {
  const { ref } = useModal(props.onClose);
  const known = props.openFiles.filter((file) => !props.files.includes(file));
  const all = [...known, ...props.files];
  const [sides, setSides] = useState<Sides>({});
  // What is open comes before what was dropped on it; of files dropped together, the first.
  const sideOf = (at: number): "base" | "new" | "off" => sides[at] ?? (at === 0 && all.length > 1 ? "base" : "new");
  const chosen = all.map((file, at) => ({ ...file, side: sideOf(at) })).filter((file) => file.side !== "off");
  const asBase = chosen.map((file) => ({ ...file, isBase: file.side === "base" }));
  const canCompare = asBase.some((file) => file.isBase) && asBase.some((file) => !file.isBase);
  return (
    <dialog ref={ref} class="dialog" aria-labelledby="files-title">
      <h2 id="files-title">{all.length === 1 ? "Compare with…" : "What shall be done with these profiles?"}</h2>
      {all.length === 1 ? (
        <p>Only one profile is here. Choose or drop the other one.</p>
      ) : (
        <p class="muted">
          To compare, say which are the base. Several on a side are a group: their means are compared.
        </p>
      )}
      <ul class="file-list">
        {all.map((file, at) => (
          <li key={at}>
            <bdi class="file-name">{file.name.slice(0, 300)}</bdi>
            <select
              aria-label={`Side of ${file.name.slice(0, 100)}`}
              value={sideOf(at)}
              onChange={(event) => {
                const side = event.currentTarget.value;
                if (side === "base" || side === "new" || side === "off") setSides({ ...sides, [at]: side });
              }}
            >
              <option value="base">base</option>
              <option value="new">new</option>
              <option value="off">leave out</option>
            </select>
          </li>
        ))}
      </ul>
      <div class="dialog-actions">
        <button type="button" onClick={props.onMore}>
          {all.length === 1 ? "Choose a file…" : "Other files…"}
        </button>
        <span class="grow" />
        <button type="button" onClick={() => ref.current?.close()}>
          Cancel
        </button>
        {known.length > 0 && props.files.length > 0 ? (
          <button
            type="button"
            onClick={() => {
              props.onOpen(props.files.map((file) => ({ ...file, isBase: false })));
            }}
          >
            {props.files.length === 1 ? "Open instead" : "Merge the new ones"}
          </button>
        ) : null}
        {all.length > 1 ? (
          <>
            <button
              type="button"
              disabled={chosen.length === 0}
              onClick={() => {
                props.onOpen(asBase.map((file) => ({ ...file, isBase: false })));
              }}
            >
              Merge all
            </button>
            <button
              type="button"
              class="primary"
              disabled={!canCompare}
              onClick={() => {
                props.onOpen(asBase);
              }}
            >
              Compare
            </button>
          </>
        ) : null}
      </div>
    </dialog>
  );
}
