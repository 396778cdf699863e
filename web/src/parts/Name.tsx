/** A function's name, which is cut at its namespace and never within a word. */
import type { JSX } from "preact";

/** The part that tells a function apart, and what stands before it. */
export function nameParts(name: string): [space: string, own: string] {
  // `{closure:/path/file.php:12}` and names without a namespace stay whole.
  if (name.startsWith("{")) return ["", name];
  const end = name.search(/::|\(|\{/);
  const head = end < 0 ? name : name.slice(0, end);
  const cut = head.lastIndexOf("\\") + 1;
  return [name.slice(0, cut), name.slice(cut)];
}

export function Name(props: { name: string }): JSX.Element {
  const [space, own] = nameParts(props.name);
  return (
    <bdi class="name mono" title={props.name}>
      {space === "" ? null : <span class="name-space">{space}</span>}
      <span class="name-own">{own}</span>
    </bdi>
  );
}
