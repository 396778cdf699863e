/** The viewer inside of the shell: files of the server in the engine of this page. */
import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import { App } from "../App";
import { askForFile } from "../api/client";
import { Engine } from "../engine/client";
import { KnownAnswers } from "../engine/known";
import type { Embedded } from "../engine/parts";

/** A file of the API. */
export interface ServedFile {
  name: string;
  isBase: boolean;
  /** Its address: `/api/v1/runs/ID/file`, `/api/v1/tree?q=…`. */
  path: string;
}

/** One engine for all profiles of this tab: it is compiled once. */
let engine: Engine | null = null;

function startedEngine(): Engine {
  if (engine !== null) return engine;
  const { worker = "", engine: code = "" } = document.getElementById("app")?.dataset ?? {};
  engine = new Engine({ worker: new URL(worker, location.href), engine: code });
  engine.start();
  return engine;
}

const noSources = () => Promise.resolve([]);

export function Viewer(props: { title: string; files: readonly ServedFile[] }): JSX.Element {
  const { title, files } = props;
  // A comparison begins with what changed.
  if (files.some(({ isBase }) => isBase) && location.hash === "") history.replaceState(null, "", "#v1/compare?");
  const key = files.map(({ path }) => path).join(" ");
  const embedded = useMemo<Embedded>(
    () => ({
      names: files.map(({ name }) => name),
      answers: new KnownAnswers(),
      load: () =>
        Promise.all(
          files.map(async ({ name, isBase, path }) => ({
            name,
            isBase,
            blob: await askForFile(path),
            isPacked: false,
          })),
        ),
    }),
    // The addresses stand for the files.
    [key],
  );
  return <App key={key} engine={startedEngine()} embedded={embedded} sources={noSources} title={title} isInShell />;
}
