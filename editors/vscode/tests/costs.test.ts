/** The extension with a small VS Code of the published types, and with the real program. */

import assert from "node:assert/strict";
import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, beforeEach, test } from "node:test";
import type * as vscode from "vscode";
import { start, type Api } from "../src/costs";
import { program, type Program } from "../src/program";

const xhprof = process.env["XHPROF_PROGRAM"];
const fixtures = path.resolve(__dirname, "../../../../crates/cli/tests/cmd/views.in");
const workspace = mkdtempSync(path.join(tmpdir(), "xhprof-vscode-"));
after(() => {
  rmSync(workspace, { recursive: true });
});

class Position {
  constructor(
    readonly line: number,
    readonly character: number,
  ) {}
}

class Range {
  constructor(
    readonly start: Position,
    readonly end: Position,
  ) {}
}

class MarkdownString {
  value = "";
  appendText(text: string): this {
    this.value += text.replace(/[\\`*_{}[\]()#+\-.!<>]/g, "\\$&");
    return this;
  }
  appendMarkdown(text: string): this {
    this.value += text;
    return this;
  }
}

type Handler = (argument?: unknown) => unknown;

/** What the extension does is in these. */
class Editor {
  decorations = new Map<unknown, vscode.DecorationOptions[]>();
  document: unknown;

  constructor(file: string, text: string, languageId = "php") {
    const lines = text.split("\n");
    this.document = {
      languageId,
      uri: { scheme: "file", fsPath: file },
      getText: () => text,
      lineAt: (line: number) => ({
        range: new Range(new Position(line, 0), new Position(line, lines[line]?.length ?? 0)),
      }),
    };
  }

  setDecorations(type: unknown, options: vscode.DecorationOptions[]): void {
    this.decorations.set(type, options);
  }

  /** The texts by line. */
  get texts(): [number, string | undefined][] {
    const all = [...this.decorations.values()].flat();
    return all.map((one): [number, string | undefined] => [
      one.range.start.line,
      one.renderOptions?.after?.contentText,
    ]);
  }
}

/** A VS Code as far as the extension uses it. */
class Studio {
  commands = new Map<string, Handler>();
  editors: Editor[] = [];
  errors: string[] = [];
  pages: string[] = [];
  settings: Record<string, unknown> = {};
  offered: { label: string; file: string }[] = [];
  watched: Handler[] = [];
  status = {
    text: "",
    tooltip: "",
    command: "",
    isShown: false,
    show: () => (this.status.isShown = true),
    hide: () => (this.status.isShown = false),
    dispose: () => undefined,
  };

  get api(): Api {
    const disposable = { dispose: () => undefined };
    const studio = this;
    const api = {
      commands: { registerCommand: (name: string, handler: Handler) => (this.commands.set(name, handler), disposable) },
      window: {
        createTextEditorDecorationType: (options: unknown) => ({ ...disposable, options }),
        createStatusBarItem: () => this.status,
        createWebviewPanel: () => ({
          webview: {
            set html(page: string) {
              studio.pages.push(page);
            },
          },
        }),
        onDidChangeVisibleTextEditors: () => disposable,
        showErrorMessage: (text: string) => Promise.resolve(void this.errors.push(text)),
        showQuickPick: (items: { label: string; file: string }[]) => Promise.resolve((this.offered = items)[0]),
        get visibleTextEditors() {
          return studio.editors;
        },
      },
      workspace: {
        asRelativePath: (uri: { fsPath: string }) => path.relative(workspace, uri.fsPath),
        createFileSystemWatcher: () => ({
          ...disposable,
          onDidCreate: (handler: Handler) => (this.watched.push(handler), disposable),
        }),
        getConfiguration: () => ({ get: (name: string, usual: unknown) => this.settings[name] ?? usual }),
        onDidChangeTextDocument: () => disposable,
        workspaceFolders: [{ uri: { fsPath: workspace } }],
      },
      MarkdownString,
      Range,
      RelativePattern: class {},
      ThemeColor: class {},
      Uri: { file: (fsPath: string) => ({ fsPath }) },
      ViewColumn: { Beside: -2 },
    };
    return api as unknown as Api;
  }

  async run(command: string): Promise<void> {
    await this.commands.get(command)?.();
  }
}

let studio = new Studio();
beforeEach(() => {
  studio = new Studio();
});

/** The extension with a program whose answers are given. */
function withAnswers(answer: (args: string[]) => Promise<string>): void {
  start(studio.api, () => ({ run: (...args) => answer(args) }) satisfies Program);
}

const list = (file: string): string =>
  JSON.stringify({
    version: 1,
    profiles: [{ file, date_unix_us: null, route: "/cart", wall_ns: 2_000_000 }],
    left_out: [],
  });
const reportOf = (title: string, name: string): string =>
  JSON.stringify({
    format: "xhprof-report",
    version: 1,
    title,
    total: { wall_ns: 100 },
    functions: [
      {
        name,
        file: path.join(workspace, "a.php"),
        line: 2,
        self: { wall_ns: 50 },
        inclusive: { wall_ns: 100, calls: 1 },
      },
    ],
  });

test("the costs of the newest profile are shown, and hidden", async () => {
  const editor = new Editor(path.join(workspace, "a.php"), "<?php\nfunction work() {}\n");
  studio.editors = [editor, new Editor(path.join(workspace, "a.php"), "function work() {}", "plaintext")];
  studio.settings = { automatic: false };
  withAnswers((args) => Promise.resolve(args[0] === "list" ? list("a.xhp") : reportOf("GET /", "work")));
  assert.deepEqual(editor.texts, []);
  await studio.run("xhprof.show");
  assert.deepEqual(editor.texts, [[1, "50 % self · 50 ns of 100 ns · 1 call"]]);
  assert.deepEqual(studio.editors[1]?.texts, []);
  assert.deepEqual([studio.status.text, studio.status.isShown], ["$(flame) GET /", true]);
  await studio.run("xhprof.hide");
  assert.deepEqual([editor.texts, studio.status.isShown], [[], false]);
  assert.deepEqual(studio.errors, []);
});

test("names of functions are no Markdown", async () => {
  const editor = new Editor(path.join(workspace, "a.php"), "<?php\nfunction work() {}");
  studio.editors = [editor];
  withAnswers((args) => Promise.resolve(args[0] === "list" ? list("a.xhp") : reportOf("", "[a](command:b)::work")));
  await studio.run("xhprof.show");
  const hover = [...editor.decorations.values()].flat()[0]?.hoverMessage as vscode.MarkdownString | undefined;
  assert.match(hover?.value ?? "", /^\\\[a\\\]\\\(command:b\\\)/);
});

test("an answer that comes late does not replace a newer one", async () => {
  const editor = new Editor(path.join(workspace, "a.php"), "<?php\nfunction late() {}\nfunction early() {}");
  studio.editors = [editor];
  studio.settings = { automatic: false };
  let finish = (_: string): void => undefined;
  let reports = 0;
  withAnswers((args) => {
    if (args[0] === "list") return Promise.resolve(list("a.xhp"));
    return ++reports === 1
      ? new Promise((resolve) => (finish = resolve))
      : Promise.resolve(reportOf("second", "early"));
  });
  const first = studio.run("xhprof.show");
  await new Promise((resolve) => setImmediate(resolve));
  await studio.run("xhprof.show");
  finish(reportOf("first", "late"));
  await first;
  assert.equal(studio.status.text, "$(flame) second");
  assert.deepEqual(
    editor.texts.map(([line]) => line),
    [2],
  );
});

test("a command says what failed; an automatic update does not", async () => {
  withAnswers(() => Promise.reject(new Error("no")));
  await new Promise((resolve) => setImmediate(resolve));
  studio.watched.forEach((handler) => handler());
  await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(studio.errors, []);
  await studio.run("xhprof.open");
  assert.deepEqual(studio.errors, ["XHProf: no"]);
});

test("a program that is not there is named", async () => {
  await assert.rejects(
    program("/nowhere/xhprof", undefined).run("list"),
    /there is no program \/nowhere\/xhprof: set xhprof.program/,
  );
});

test(
  "with the real program: a profile of another machine, the choice, the viewer",
  { skip: xhprof === undefined && "XHPROF_PROGRAM does not name the program" },
  async () => {
    const editor = new Editor(path.join(workspace, "foo.php"), "<?php\n\nfunction foo() {}\n");
    studio.editors = [editor];
    studio.settings = { program: xhprof, automatic: false };
    start(studio.api, program);
    await studio.run("xhprof.show");
    assert.match(studio.errors.join(), /there is no profile in/);
    studio.errors = [];
    copyFileSync(path.join(fixtures, "tiny.xhp"), path.join(workspace, "tiny.xhp"));
    await studio.run("xhprof.choose");
    assert.deepEqual(studio.errors, []);
    assert.deepEqual(
      studio.offered.map((one) => one.label),
      ["/tiny.php"],
    );
    // The profile has /app/foo.php.
    assert.deepEqual(editor.texts, [[2, "15 % self · 40 µs of 100 µs · 2 calls"]]);
    await studio.run("xhprof.open");
    assert.deepEqual(studio.errors, []);
    assert.match(studio.pages[0] ?? "", /^<!doctype html>[^]*<\/html>\s*$/);
    assert.match(studio.pages[0] ?? "", /data-editor="vscode:/);
  },
);
