/** A name in a column: the middle of a long one is left out, so that the numbers beside it stay in sight. */
import type { JSX } from "preact";
import * as format from "../format";

const MOST_LETTERS = 24;

export function ShortName(props: { name: string }): JSX.Element {
  const text = format.middle(props.name, MOST_LETTERS);
  return <bdi title={text === props.name ? undefined : props.name}>{text}</bdi>;
}
