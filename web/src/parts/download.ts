/** Saves an exported profile as a file. */
import type { Engine } from "../engine/client";
import { scopeOf } from "../app/session";
import type { ViewState } from "../app/state";
import type { Asked } from "../types";

export async function download(
  engine: Engine,
  options: Omit<Asked<"export">, "ask">,
  state: ViewState,
  title: string,
): Promise<void> {
  const { ending, bytes } = await engine.exportFile(options, { scope: scopeOf(state) });
  save(`${fileName(title)}.${ending}`, new Blob([bytes]));
}

/** A name that every file system takes. */
export function fileName(title: string): string {
  const last = title.split(/[/\\]/).filter(Boolean).pop() ?? "";
  const clean = last
    .replace(/[^\p{L}\p{N}._ -]+/gu, "_")
    .replace(/^[._ -]+/, "")
    .slice(0, 80);
  return clean === "" ? "profile" : clean;
}

function save(name: string, blob: Blob): void {
  const url = URL.createObjectURL(blob);
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  // The browser reads it after the click.
  setTimeout(() => {
    URL.revokeObjectURL(url);
  }, 10_000);
}
