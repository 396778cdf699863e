/**
 * Links that open a file in an editor on this machine: `--editor` gave the address,
 * `--editor-path` says where a path of the profile is here.
 *
 * The paths are those of a profile, which may come from another machine: they are
 * percent-encoded, and only schemes of editors are used.
 */

/** From a path of the profile to one of this machine. */
export type PathMapping = readonly [from: string, to: string];

export interface Editor {
  /** With `{file}` and `{line}`. */
  readonly template: string;
  readonly paths: readonly PathMapping[];
}

const SCHEMES: readonly string[] = [
  ...["phpstorm", "idea", "jetbrains", "vscode", "vscode-insiders", "vscodium", "cursor", "windsurf", "zed"],
  ...["subl", "sublime", "txmt", "nova", "mvim", "emacs", "editor"],
];

/** Whether an address is of an editor: by its scheme, or a port of this machine. */
export function isSafe(template: string): boolean {
  const scheme = /^([a-z][a-z0-9+.-]*):\/\//.exec(template)?.[1] ?? "";
  return SCHEMES.includes(scheme) || /^http:\/\/(localhost|127\.0\.0\.1):\d+\//.test(template);
}

/** The editor that the page was made for; none unless it was asked for. */
export function editorOf(data: DOMStringMap): Editor | null {
  const { editor, editorPaths } = data;
  if (editor === undefined || !isSafe(editor)) return null;
  return { template: editor, paths: pathsOf(editorPaths) };
}

function pathsOf(text: string | undefined): PathMapping[] {
  if (text === undefined) return [];
  const list: unknown = JSON.parse(text);
  if (!Array.isArray(list)) return [];
  return list.flatMap((pair: unknown): PathMapping[] => {
    const [from, to]: readonly unknown[] = Array.isArray(pair) ? pair : [];
    return typeof from === "string" && typeof to === "string" ? [[from, to]] : [];
  });
}

/** The path on this machine: the longest mapping that fits. */
export function mapped(path: string, paths: readonly PathMapping[]): string {
  const trimmed = (folder: string): string => folder.replace(/\/+$/, "");
  const fits = paths
    .map(([from, to]): PathMapping => [trimmed(from), trimmed(to)])
    .filter(([from]) => path === from || path.startsWith(`${from}/`))
    .sort(([a], [b]) => b.length - a.length)[0];
  return fits === undefined ? path : `${fits[1]}${path.slice(fits[0].length)}`;
}

/** The address of a line; none for what is no whole path, as a name of a template. */
export function editorAddress(editor: Editor, path: string, line: number): string | null {
  const local = mapped(path, editor.paths).replace(/\\/g, "/");
  if (!/^(\/|[A-Za-z]:\/)/.test(local) || local.split("/").includes("..")) return null;
  const file = local.split("/").map(encodeURIComponent).join("/");
  const text = editor.template
    .replaceAll("{line}", String(Math.max(1, Math.trunc(line))))
    .replaceAll("{file}", () => file);
  return isSafe(text) ? text : null;
}

/** A name for links. */
export function editorName(editor: Editor): string {
  const scheme = editor.template.split(":")[0] ?? "";
  const names: Readonly<Record<string, string>> = {
    phpstorm: "PhpStorm",
    vscode: "VS Code",
    zed: "Zed",
    cursor: "Cursor",
  };
  return names[scheme] ?? "the editor";
}
