/** What was dropped or pasted: files, and all files of folders. */

/** A file, and its path inside of the folder that was dropped. */
export interface Dropped {
  readonly path: string;
  readonly file: File;
}

/** A folder of a whole disk must not freeze the page. */
const MOST_FILES = 20_000;

/** The files of a drop; to be called while the event is handled. */
export function droppedFiles(transfer: DataTransfer | null): Promise<readonly Dropped[]> {
  const items = Array.from(transfer?.items ?? []);
  const entries = items.map((item) => item.webkitGetAsEntry()).filter((entry) => entry !== null);
  if (!entries.some((entry) => entry.isDirectory)) return Promise.resolve(chosenFiles(transfer?.files));
  return walked(entries);
}

/** The files of an input element. */
export function chosenFiles(files: FileList | null | undefined): Dropped[] {
  return Array.from(files ?? [], (file) => ({ path: file.webkitRelativePath || file.name, file }));
}

async function walked(entries: readonly FileSystemEntry[]): Promise<Dropped[]> {
  const found: Dropped[] = [];
  const open = [...entries];
  for (let entry = open.shift(); entry !== undefined && found.length < MOST_FILES; entry = open.shift()) {
    const at = entry;
    if (at.isFile) {
      const file = await new Promise<File | null>((done) => {
        (at as FileSystemFileEntry).file(done, () => {
          done(null);
        });
      });
      if (file !== null) found.push({ path: at.fullPath.replace(/^\//, ""), file });
    } else if (!at.name.startsWith(".")) {
      open.push(...(await children(at as FileSystemDirectoryEntry)));
    }
  }
  return found;
}

async function children(folder: FileSystemDirectoryEntry): Promise<FileSystemEntry[]> {
  const reader = folder.createReader();
  const all: FileSystemEntry[] = [];
  for (;;) {
    // A reader gives some hundred at a time.
    const some = await new Promise<FileSystemEntry[]>((done) => {
      reader.readEntries(done, () => {
        done([]);
      });
    });
    if (some.length === 0) return all;
    all.push(...some);
  }
}
