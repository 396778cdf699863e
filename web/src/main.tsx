// Starts the page: the engine, the files that came with it, and the views.
import { render } from "preact";

import { App } from "./App";
import { Engine } from "./engine/client";
import { embeddedFiles, engineParts } from "./engine/parts";
import "./page.css";

/** The command line's `--metric` and `--estimate`, unless the address says what to show. */
function begin({ metric, estimate }: DOMStringMap): void {
  if (location.hash.length > 1) return;
  const query = new URLSearchParams();
  if (metric !== undefined && metric !== "wall") query.set("metric", metric);
  if (estimate !== undefined) query.set("estimate", "1");
  const text = query.toString();
  if (text) history.replaceState(null, "", `#v1/overview?${text}`);
}

async function start(root: HTMLElement): Promise<void> {
  begin(root.dataset);
  const engine = new Engine(await engineParts());
  render(<App engine={engine} files={await embeddedFiles()} />, root);
}

function failed(root: HTMLElement, error: unknown): void {
  const text = document.createElement("p");
  text.setAttribute("role", "alert");
  text.textContent = `This browser cannot show the page: ${String(error)}`;
  root.replaceChildren(text);
}

const root = document.getElementById("app");
if (root) start(root).catch((error: unknown) => failed(root, error));
