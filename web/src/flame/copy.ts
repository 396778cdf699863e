/** A box as text to paste: its stack, or a few lines of Markdown. */
import * as format from "../format";
import type { MetricName, Unit } from "../types";
import { NONE, type Boxes } from "./boxes";

/** The boxes from the root to a box. */
export function stackOf(boxes: Boxes, place: number): readonly number[] {
  const stack: number[] = [];
  for (let at = place; at !== NONE; at = boxes.parent(at)) stack.push(at);
  return stack.reverse();
}

/** One function a line, the root first; `upwards` where callers stand below callees. */
export function stackText(boxes: Boxes, place: number, upwards = false): string {
  const names = stackOf(boxes, place).map((at) => nameOf(boxes, at));
  return (upwards ? names.reverse() : names).join("\n");
}

function nameOf(boxes: Boxes, place: number): string {
  const levels = boxes.levels(place);
  return levels > 1 ? `${boxes.name(place)} (${format.count(levels)} levels)` : boxes.name(place);
}

/** Backticks in a name end code: it needs more of them around it. */
function code(text: string): string {
  const most = Math.max(0, ...(text.match(/`+/g) ?? []).map((ticks) => ticks.length));
  const around = "`".repeat(most + 1);
  const room = most > 0 ? " " : "";
  return `${around}${room}${text.replace(/\s+/g, " ")}${room}${around}`;
}

/** For a ticket or a chat: what it cost, where, and the stack. */
export function markdown(
  boxes: Boxes,
  place: number,
  { metric, unit, title, where }: { metric: MetricName; unit: Unit; title: string; where: string | null },
): string {
  const { value, own, calls } = boxes.flame.boxes;
  const { total } = boxes.flame.zoom;
  const amount = value[place] ?? 0;
  const plain = (text: string): string => text.replace(/\u202f/g, " ");
  const lines = [
    `**${code(nameOf(boxes, place))}** in ${code(title)}`,
    "",
    `- ${format.metricTitle(metric, unit)}: ${format.cost(amount, metric, unit)}, ${format.share(amount, total)} of all`,
  ];
  if (metric !== "calls") lines.push(`- Self: ${format.cost(own[place] ?? 0, metric, unit)}`);
  if ((calls[place] ?? 0) > 0) lines.push(`- Calls: ${format.count(calls[place] ?? 0)}`);
  if (where !== null) lines.push(`- Defined in ${code(where)}`);
  lines.push("", "| | |", "|--:|---|");
  for (const at of stackOf(boxes, place)) {
    const cost = format.cost(value[at] ?? 0, metric, unit);
    lines.push(`| ${cost} | ${code(nameOf(boxes, at)).replace(/\|/g, "\\|")} |`);
  }
  return `${plain(lines.join("\n"))}\n`;
}

export function copy(text: string): void {
  void navigator.clipboard.writeText(text).catch(() => undefined);
}
