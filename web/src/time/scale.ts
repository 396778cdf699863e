/** From nanoseconds to pixels and back, and where an axis has its marks. */
import type { TimeRange } from "../types";

export interface TimeScale {
  readonly part: TimeRange;
  readonly width: number;
}

export function xOf(scale: TimeScale, at: number): number {
  return ((at - scale.part.from) / (scale.part.to - scale.part.from)) * scale.width;
}

export function timeOf(scale: TimeScale, x: number): number {
  const { from, to } = scale.part;
  const at = from + (x / Math.max(1, scale.width)) * (to - from);
  return Math.round(Math.max(from, Math.min(to, at)));
}

/** The least that can be zoomed to, in nanoseconds. */
const LEAST = 100;

/** The part after zooming by `factor` around a moment, inside of the whole. */
export function zoomed(part: TimeRange, end: number, factor: number, around: number): TimeRange {
  const length = Math.min(end, Math.max(LEAST, (part.to - part.from) * factor));
  const place = (around - part.from) / (part.to - part.from);
  return inside(around - length * place, length, end);
}

/** The part after moving by a share of its length, inside of the whole. */
export function moved(part: TimeRange, end: number, share: number): TimeRange {
  const length = part.to - part.from;
  return inside(part.from + length * share, length, end);
}

function inside(from: number, length: number, end: number): TimeRange {
  const start = Math.round(Math.max(0, Math.min(from, end - length)));
  return { from: start, to: Math.max(start + 1, Math.min(Math.max(end, 1), Math.round(start + length))) };
}

/** Round moments of the part, some `gap` pixels from each other. */
export function marks(scale: TimeScale, gap = 110): number[] {
  const { from, to } = scale.part;
  const least = ((to - from) * gap) / Math.max(1, scale.width);
  const power = 10 ** Math.floor(Math.log10(Math.max(1, least)));
  const step = [1, 2, 5, 10].map((times) => times * power).find((size) => size >= least) ?? power * 10;
  const list: number[] = [];
  for (let at = Math.ceil(from / step) * step; at <= to && list.length < 200; at += step) list.push(at);
  return list;
}
