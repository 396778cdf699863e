/** Which part of the width of a flame graph is in the window. */

/** From 0 to 1 of the box that is zoomed into. */
export interface FlameView {
  readonly from: number;
  readonly to: number;
}

export const ALL: FlameView = { from: 0, to: 1 };

/** Beyond this, pixels are too large for exact numbers. */
const LEAST = 1e-9;

/** After zooming by `factor` around a place of the window, from 0 to 1. */
export function zoomed(view: FlameView, factor: number, around: number): FlameView {
  const length = Math.min(1, Math.max(LEAST, (view.to - view.from) * factor));
  const at = view.from + (view.to - view.from) * around;
  return inside(at - length * around, length);
}

/** After moving by a share of the window. */
export function moved(view: FlameView, share: number): FlameView {
  const length = view.to - view.from;
  return inside(view.from + length * share, length);
}

function inside(from: number, length: number): FlameView {
  const start = Math.max(0, Math.min(from, 1 - length));
  return { from: start, to: Math.min(1, start + length) };
}

export function isAll(view: FlameView): boolean {
  return view.from <= 0 && view.to >= 1;
}

/** From the pixels of an answer to those of the window: `x = left * scale + shift`. */
export interface Transform {
  readonly scale: number;
  readonly shift: number;
}

/** `answered` and `width` are those of the question, `view` and `size` those of the window. */
export function transform(answered: FlameView, width: number, view: FlameView, size: number): Transform {
  const length = view.to - view.from;
  return {
    scale: (((answered.to - answered.from) / length) * size) / Math.max(1, width),
    shift: ((answered.from - view.from) / length) * size,
  };
}
