/** Starts the page: the engine, the files that came with it, and the views. */
import { render } from "preact";
import { App } from "./App";
import { Engine } from "./engine/client";
import { embeddedFiles, embeddedSources, engineParts, knownAnswers } from "./engine/parts";
import "./styles/base.css";
import "./styles/shell.css";
import "./styles/tables.css";
import "./styles/graphs/flame.css";
import "./styles/graphs/details.css";
import "./styles/graphs/sandwich.css";
import "./styles/graphs/callgraph.css";
import "./styles/graphs/narrow.css";
import "./styles/graphs/classes.css";
import "./styles/graphs/menus.css";
import "./styles/graphs/small.css";
import "./styles/pages.css";
import "./styles/print.css";

/** The command line's view, `--metric` and `--estimate`, unless the address says what to show. */
function begin({ metric, estimate, start }: DOMStringMap): void {
  if (location.hash.length > 1) return;
  const [page, view] = (start ?? "overview").split("?");
  const query = new URLSearchParams(view);
  if (metric !== undefined && metric !== "wall") query.set("metric", metric);
  if (estimate !== undefined) query.set("estimate", "1");
  const text = query.toString();
  if (text !== "" || start !== undefined) history.replaceState(null, "", `#v1/${page ?? "overview"}?${text}`);
}

/** The engine and the profile stand behind this script. */
function parsed(): Promise<void> {
  return new Promise((done) => {
    if (document.readyState !== "loading") done();
    else
      addEventListener(
        "DOMContentLoaded",
        () => {
          done();
        },
        { once: true },
      );
  });
}

async function start(root: HTMLElement): Promise<void> {
  begin(root.dataset);
  await parsed();
  const [parts, answers] = await Promise.all([engineParts(), knownAnswers()]);
  const engine = new Engine(parts);
  engine.start();
  root.replaceChildren();
  render(
    <App
      engine={engine}
      embedded={embeddedFiles(answers)}
      sources={embeddedSources}
      title={root.dataset["title"] ?? null}
    />,
    root,
  );
}

const root = document.getElementById("app");
if (root) {
  start(root).catch((error: unknown) => {
    const note = document.createElement("p");
    note.setAttribute("role", "alert");
    note.textContent = `The viewer did not start: ${error instanceof Error ? error.message : String(error)}`;
    root.replaceChildren(note);
  });
}
