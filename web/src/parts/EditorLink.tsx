/** A link that opens a file in the editor that the page was made for. */
import type { JSX } from "preact";
import { editorAddress, editorName, editorOf } from "../source/editor";

/** Of this page; read when it is needed first. */
let editor: ReturnType<typeof editorOf> | undefined;

function ofPage(): ReturnType<typeof editorOf> {
  return (editor ??= editorOf(document.getElementById("app")?.dataset ?? {}));
}

/** The address and the title of such a link; none without an editor, or without a path. */
export function openInEditor(file: string | null, line: number): { href: string; title: string } | null {
  const editor = ofPage();
  if (editor === null || file === null) return null;
  const href = editorAddress(editor, file, line);
  return href === null ? null : { href, title: `Open in ${editorName(editor)}` };
}

export function EditorLink(props: { file: string | null; line: number; isShort?: boolean }): JSX.Element | null {
  const link = openInEditor(props.file, props.line);
  if (link === null) return null;
  return (
    <a href={link.href} class={props.isShort === true ? "editor-link" : "button editor-link"} title={link.title}>
      {props.isShort === true ? "open" : link.title}
    </a>
  );
}
