/** Starts the page: the engine, the files that came with it, and the views. */
import { render } from 'preact';
import { App } from './App';
import { Engine } from './engine/client';
import { embeddedFiles, engineParts } from './engine/parts';
import './styles/base.css';
import './styles/shell.css';
import './styles/tables.css';
import './styles/graphs.css';
import './styles/pages.css';

async function start(root: HTMLElement): Promise<void> {
  const engine = new Engine(await engineParts());
  root.replaceChildren();
  render(<App engine={engine} files={await embeddedFiles()} />, root);
}

const root = document.getElementById('app');
if (root) {
  start(root).catch((error: unknown) => {
    const note = document.createElement('p');
    note.setAttribute('role', 'alert');
    note.textContent = `The viewer did not start: ${error instanceof Error ? error.message : String(error)}`;
    root.replaceChildren(note);
  });
}
