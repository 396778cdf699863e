// Starts the page: the engine, the files that came with it, and the views.
import { render } from "preact";

import { App } from "./App";
import { Engine } from "./engine/client";
import { embeddedFiles, engineParts } from "./engine/parts";
import "./page.css";

async function start(root: HTMLElement): Promise<void> {
  const engine = new Engine(await engineParts());
  render(<App engine={engine} files={await embeddedFiles()} />, root);
}

const root = document.getElementById("app");
if (root) void start(root);
