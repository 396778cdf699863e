/**
 * Costs beside the functions of open files, and the viewer in a panel.
 *
 * VS Code is an argument, so that tests pass another one of the same types.
 */

import type * as vscode from "vscode";
import path from "node:path";
import { annotations, amount, readList, readReport, type Annotation, type Report } from "./profile";
import type { program, Program } from "./program";

export interface Api extends Pick<
  typeof vscode,
  "MarkdownString" | "Range" | "RelativePattern" | "ThemeColor" | "ViewColumn"
> {
  commands: Pick<typeof vscode.commands, "registerCommand">;
  window: Pick<
    typeof vscode.window,
    | "createStatusBarItem"
    | "createTextEditorDecorationType"
    | "createWebviewPanel"
    | "onDidChangeVisibleTextEditors"
    | "showErrorMessage"
    | "showQuickPick"
    | "visibleTextEditors"
  >;
  workspace: Pick<
    typeof vscode.workspace,
    "asRelativePath" | "createFileSystemWatcher" | "getConfiguration" | "onDidChangeTextDocument" | "workspaceFolders"
  >;
  Uri: Pick<typeof vscode.Uri, "file">;
}

/** From which share of the profile on a function's costs are highlighted. */
const HOT = 0.05;

/** Starts everything, and returns what ends it. */
export function start(api: Api, programAt: typeof program): vscode.Disposable[] {
  const { window, workspace, commands } = api;
  const style = (colour: string): vscode.TextEditorDecorationType =>
    window.createTextEditorDecorationType({ after: { margin: "0 0 0 3em", color: new api.ThemeColor(colour) } });
  const [usual, hot] = [style("editorCodeLens.foreground"), style("editorWarning.foreground")];
  const status = window.createStatusBarItem();
  status.command = "xhprof.choose";
  let shown: { file: string; report: Report } | undefined;
  /** Answers that come later than those of a newer question are dropped. */
  let asked = 0;

  const setting = <T>(name: string, usual: T): T => workspace.getConfiguration("xhprof").get<T>(name, usual);
  const root = (): string | undefined => workspace.workspaceFolders?.[0]?.uri.fsPath;
  const directory = (): string => path.resolve(root() ?? ".", setting("directory", ""));
  const xhprof = (): Program => programAt(setting("program", "xhprof"), root());

  function annotate(editor: vscode.TextEditor): void {
    const { document } = editor;
    let found: Annotation[] = [];
    if (shown !== undefined && document.languageId === "php" && document.uri.scheme === "file") {
      const file = {
        path: document.uri.fsPath,
        relative: workspace.asRelativePath(document.uri, false).replaceAll("\\", "/"),
        lines: document.getText().split(/\r?\n/),
      };
      found = annotations(shown.report, file, setting("minimum", 0.1));
    }
    const options = (of: Annotation[]): vscode.DecorationOptions[] => of.map((one) => decoration(editor, one));
    editor.setDecorations(usual, options(found.filter((one) => one.share < HOT)));
    editor.setDecorations(hot, options(found.filter((one) => one.share >= HOT)));
  }

  function decoration(editor: vscode.TextEditor, of: Annotation): vscode.DecorationOptions {
    const end = editor.document.lineAt(of.line).range.end;
    // Names are those of any program: as text, never as Markdown.
    const hover = new api.MarkdownString().appendText(of.name).appendMarkdown("\n\n");
    for (const [title, text] of of.details) hover.appendText(`${title}: ${text}`).appendMarkdown("  \n");
    return { range: new api.Range(end, end), hoverMessage: hover, renderOptions: { after: { contentText: of.text } } };
  }

  function annotateAll(): void {
    for (const editor of window.visibleTextEditors) annotate(editor);
    if (shown === undefined) return status.hide();
    status.text = `$(flame) ${shown.report.title}`;
    status.tooltip = shown.file;
    status.show();
  }

  async function show(file: string): Promise<void> {
    const number = ++asked;
    const report = readReport(await xhprof().run("report", "--json", "--no-hints", file));
    if (number !== asked) return;
    shown = { file, report };
    annotateAll();
  }

  /** None if the folder has no profile. */
  async function newest(): Promise<string | undefined> {
    return readList(await xhprof().run("list", "--json", "--limit", "1", directory()))[0]?.file;
  }

  async function showNewest(): Promise<void> {
    const file = await newest();
    if (file === undefined) throw new Error(`there is no profile in ${directory()}: see the setting xhprof.directory`);
    await show(file);
  }

  async function choose(): Promise<void> {
    const profiles = readList(await xhprof().run("list", "--json", "--limit", "200", directory()));
    const items = profiles.map((one) => ({
      label: one.route || path.basename(one.file),
      description: one.wall_ns === undefined ? "" : amount("wall_ns", one.wall_ns),
      detail:
        one.date_unix_us === null ? one.file : `${new Date(one.date_unix_us / 1000).toLocaleString()}, ${one.file}`,
      file: one.file,
    }));
    const item = await window.showQuickPick(items, { placeHolder: `Profiles of ${directory()}`, matchOnDetail: true });
    if (item !== undefined) await show(item.file);
  }

  async function open(): Promise<void> {
    const file = shown?.file ?? (await newest());
    if (file === undefined) throw new Error(`there is no profile in ${directory()}`);
    const page = await xhprof().run("html", file, "--editor", "vscode", "-o", "-");
    const options = { enableScripts: true, retainContextWhenHidden: true, localResourceRoots: [] };
    const title = shown?.report.title ?? path.basename(file);
    window.createWebviewPanel("xhprof", title, api.ViewColumn.Beside, options).webview.html = page;
  }

  /** A command's error is shown; that of an automatic update is not. */
  const telling = (work: () => Promise<void>) => async (): Promise<void> => {
    try {
      await work();
    } catch (error) {
      await window.showErrorMessage(`XHProf: ${error instanceof Error ? error.message : String(error)}`);
    }
  };
  const silently = (): void => {
    if (setting("automatic", true)) showNewest().catch(() => undefined);
  };

  const watcher = workspace.createFileSystemWatcher(
    new api.RelativePattern(api.Uri.file(directory()), "*.{xhp,xhprof}"),
  );
  silently();
  return [
    commands.registerCommand("xhprof.show", telling(showNewest)),
    commands.registerCommand("xhprof.choose", telling(choose)),
    commands.registerCommand("xhprof.open", telling(open)),
    commands.registerCommand("xhprof.hide", () => {
      asked++;
      shown = undefined;
      annotateAll();
    }),
    window.onDidChangeVisibleTextEditors((editors) => editors.forEach(annotate)),
    workspace.onDidChangeTextDocument(({ document }) => {
      window.visibleTextEditors.filter((editor) => editor.document === document).forEach(annotate);
    }),
    watcher.onDidCreate(silently),
    watcher,
    usual,
    hot,
    status,
  ];
}
