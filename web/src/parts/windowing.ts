/** Which rows of a long list are in view. */

/** Browsers do not scroll over more pixels than some 17 million. */
export const TALLEST = 8_000_000;

export interface RowWindow {
  /** Height of what is scrolled over, in pixels. */
  readonly height: number;
  /** The first row to draw, and the one after the last. */
  readonly first: number;
  readonly end: number;
  /** Where the first row's top stands, in pixels from the top of what is scrolled over. */
  readonly top: number;
}

/**
 * The rows in view. Above [`TALLEST`] pixels a pixel scrolled is more than a
 * pixel of the list, so that its end can be reached.
 */
export function windowOf(scrollTop: number, viewport: number, rowHeight: number, rows: number): RowWindow {
  const whole = rows * rowHeight;
  const height = Math.min(whole, TALLEST);
  const place = Math.max(0, Math.min(scrollTop, height - viewport));
  const ratio = height > viewport ? (whole - viewport) / (height - viewport) : 1;
  const at = place * ratio;
  const first = Math.max(0, Math.min(rows, Math.floor(at / rowHeight)));
  const end = Math.min(rows, first + Math.ceil(viewport / rowHeight) + 1);
  return { height, first, end, top: place - (at - first * rowHeight) };
}

/** The first row to ask for when a row is the first in view: rows are asked for in blocks, with one in advance. */
export function firstAsked(row: number, block: number): number {
  return Math.max(0, Math.floor(row / block) * block - block);
}

/** Where to scroll to so that a row is the first in view. */
export function scrollToTop(row: number, viewport: number, rowHeight: number, rows: number): number {
  const whole = rows * rowHeight;
  const height = Math.min(whole, TALLEST);
  const ratio = height > viewport ? (whole - viewport) / (height - viewport) : 1;
  return (row * rowHeight) / ratio;
}

/** Where to scroll to so that a row is in view; where it is, if it is. */
export function scrollToRow(row: number, scrollTop: number, viewport: number, rowHeight: number, rows: number): number {
  const whole = rows * rowHeight;
  const height = Math.min(whole, TALLEST);
  const ratio = height > viewport ? (whole - viewport) / (height - viewport) : 1;
  const at = scrollTop * ratio;
  const top = row * rowHeight;
  if (top < at) return top / ratio;
  if (top + rowHeight > at + viewport) return (top + rowHeight - viewport) / ratio;
  return scrollTop;
}
