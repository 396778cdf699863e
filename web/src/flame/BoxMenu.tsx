/** The menu of a box: what can be done with it, wherever it is drawn. */
import type { JSX } from "preact";
import { useAnswer, useSession } from "../app/session";
import { changed, toFragment } from "../app/state";
import * as format from "../format";
import { ContextMenu, type MenuItem, type MenuPlace } from "../parts/ContextMenu";
import { openInEditor } from "../parts/EditorLink";
import { NONE, type Boxes } from "./boxes";
import { copy, markdown, stackOf, stackText } from "./copy";

export interface MenuOf {
  readonly place: number;
  readonly at: MenuPlace;
}

export function BoxMenu(props: {
  boxes: Boxes;
  menu: MenuOf;
  /** Callers stand below callees: the stack is the other way round. */
  isInverted?: boolean;
  onFocus?: (place: number) => void;
  onShowAll?: (() => void) | undefined;
  onClose: () => void;
}): JSX.Element | null {
  const { boxes, onFocus, onShowAll } = props;
  const { place, at } = props.menu;
  const { state, metric, unit, summary, go } = useSession();
  const fn = boxes.fn(place);
  const { answer } = useAnswer(fn === null ? null : { ask: "function", function: fn, metric });
  if (place === NONE || place >= boxes.count) return null;
  const name = boxes.name(place);
  const items: MenuItem[] = [];
  const isRoot = boxes.parent(place) === NONE;
  if (onFocus !== undefined && !isRoot)
    items.push({
      title: "Focus on it",
      key: "Enter",
      act: () => {
        onFocus(place);
      },
    });
  if (onShowAll !== undefined) items.push({ title: "Show all", key: "0", act: onShowAll });
  if (fn !== null) {
    if (!isRoot && summary.hasStacks)
      items.push({
        title: "Hide it and what it calls",
        act: () => {
          go({ hidden: [...state.hidden, fn], zoom: [], selected: null });
        },
      });
    const isRecursive = stackOf(boxes, place).filter((one) => boxes.fn(one) === fn).length > 1;
    if (((answer?.recursion ?? 0) > 0 || isRecursive || boxes.levels(place) > 1) && summary.hasStacks)
      items.push({
        title: "Collapse its recursion",
        act: () => {
          go({ collapsed: [...state.collapsed, fn], zoom: [], selected: null });
        },
      });
    const link = (title: string, to: Parameters<typeof changed>[1]): void => {
      items.push({ title, href: `#${toFragment(changed(state, to))}` });
    };
    if (state.page !== "sandwich") link("Find in sandwich", { page: "sandwich", fn, selected: null, zoom: [] });
    if (state.page !== "function") link("Open the function", { page: "function", fn, selected: null });
    items.push({
      title: "Copy name",
      act: () => {
        copy(name);
      },
    });
    items.push({
      title: "Copy stack",
      act: () => {
        copy(stackText(boxes, place, props.isInverted));
      },
    });
    const where =
      answer === null || answer.file === null
        ? null
        : `${answer.file}${answer.line > 0 ? `:${String(answer.line)}` : ""}`;
    items.push({
      title: "Copy as Markdown",
      act: () => {
        copy(markdown(boxes, place, { metric, unit, title: summary.title, where }));
      },
    });
    const editor = openInEditor(answer?.file ?? null, answer?.line ?? 0);
    if (editor !== null) items.push(editor);
  }
  return items.length === 0 ? null : (
    <ContextMenu title={format.middle(name, 60)} at={at} items={items} onClose={props.onClose} />
  );
}
