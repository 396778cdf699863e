/** Drawing on a canvas of the window's size. */
import { middle } from "../format";
import type { Ink } from "./colours";

export const FONT = '12px system-ui, "Segoe UI", Roboto, "Noto Sans", sans-serif';

/** Makes the canvas as sharp as the screen and clears it. */
export function prepare(
  canvas: HTMLCanvasElement,
  width: number,
  height: number,
  paper: string,
): CanvasRenderingContext2D | null {
  const ratio = Math.min(4, globalThis.devicePixelRatio || 1);
  const [wide, high] = [Math.max(1, Math.round(width * ratio)), Math.max(1, Math.round(height * ratio))];
  if (canvas.width !== wide || canvas.height !== high) {
    canvas.width = wide;
    canvas.height = high;
  }
  const context = canvas.getContext("2d", { alpha: false });
  if (context === null) return null;
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.fillStyle = paper;
  context.fillRect(0, 0, width, height);
  context.font = FONT;
  context.textBaseline = "middle";
  return context;
}

/** Width of a usual letter in [`FONT`]. */
const LETTER = 6.6;

/** The name without the namespaces in front of its class. */
export function shortName(name: string): string {
  const method = name.indexOf("::");
  const place = name.lastIndexOf("\\", method < 0 ? name.length : method);
  return place < 0 ? name : name.slice(place + 1);
}

/** What fits of a name into so many pixels; empty if nothing of use does. */
export function fitting(name: string, width: number): string {
  const letters = Math.floor(width / LETTER);
  if (letters < 3) return "";
  if (name.length <= letters) return name;
  const short = shortName(name);
  if (short.length <= letters || letters >= 20) return middle(short, letters);
  // In a narrow box the method tells more than its class.
  const method = short.slice(short.indexOf("::") < 0 ? 0 : short.indexOf("::") + 2);
  return method.length <= letters
    ? method
    : `${Array.from(method.slice(0, letters * 2))
        .slice(0, letters - 1)
        .join("")}…`;
}

export interface Label {
  /** Stands in front of the name, however short that becomes. */
  readonly sign?: string;
  readonly name: string;
  /** Stands at the right end if there is room for it beside the name; the shorter ones if not. */
  readonly costs?: readonly string[];
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

/** A name inside of a box. */
export function drawLabel(context: CanvasRenderingContext2D, label: Label): void {
  const room = label.width - 8;
  const sign = label.sign ?? "";
  const text = sign + fitting(label.name, room - sign.length * LETTER);
  if (text === "") return;
  const middle = label.top + label.height / 2 + 0.5;
  context.fillText(text, label.left + 4, middle, room);
  const rest = room - (text.length + 2) * LETTER;
  const cost = label.costs?.find((one) => one.length * LETTER <= rest);
  if (cost === undefined) return;
  context.textAlign = "right";
  context.fillText(cost, label.left + label.width - 6, middle);
  context.textAlign = "left";
}

/** A frame around a box: two lines of different lightness, so that it shows on every fill. */
export function drawFrame(
  context: CanvasRenderingContext2D,
  paint: Ink,
  [left, top, width, height]: readonly [number, number, number, number],
): void {
  const wide = Math.max(width, 3);
  context.lineWidth = 1;
  context.strokeStyle = paint.paper;
  context.strokeRect(left + 2.5, top + 2.5, Math.max(1, wide - 5), Math.max(1, height - 5));
  context.lineWidth = 2;
  context.strokeStyle = paint.accent;
  context.strokeRect(left + 1, top + 1, Math.max(1, wide - 2), Math.max(1, height - 2));
}
