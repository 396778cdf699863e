// Draws the boxes of a model on a canvas, not as elements: only the visible ones
// are drawn, so that sixty thousand boxes are as fast as sixty.

const ROW = 20;
const FONT = '12px system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif';
/** Narrower boxes are not drawn, in pixels. */
const NARROWEST = 0.35;
const PADDING = 5;

class FlamePainter {
  constructor(canvas) {
    this.canvas = canvas;
    this.context = canvas.getContext("2d", { alpha: false });
    this.lengths = new Map();
  }

  /** Draws `view`: the model, the visible part of it, and the colours. */
  draw(view) {
    const { context, canvas } = this;
    const { model, width, height } = view;
    const ratio = window.devicePixelRatio || 1;
    if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
      canvas.width = Math.round(width * ratio);
      canvas.height = Math.round(height * ratio);
    }
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.globalAlpha = 1;
    context.fillStyle = view.colours.page;
    context.fillRect(0, 0, width, height);
    context.font = FONT;
    context.textBaseline = "middle";
    const scale = width / (view.to - view.from);
    const first = view.fromRow;
    const last = first + Math.ceil(height / ROW) + 1;
    const outlined = [];
    for (let box = 0; box < model.length; ) {
      const weight = model.weight[box] * scale;
      const left = (model.start[box] - view.from) * scale;
      const row = view.rowOf(model.graph.depth[box]);
      // The callees of a box that is outside or too small are so as well.
      if (weight < NARROWEST || left + weight < 0 || left > width) {
        box = model.end[box];
        continue;
      }
      if (row >= first - 1 && row <= last) {
        const x = Math.max(0, left);
        const shown = Math.min(width, left + weight) - x;
        const y = row * ROW - view.scroll;
        this.box(view, box, x, y, shown);
        if (box === view.selected || model.symbol(box) === view.hovered) outlined.push([box, x, y, shown]);
      }
      box += 1;
    }
    for (const [box, x, y, shown] of outlined) {
      context.globalAlpha = 1;
      context.lineWidth = box === view.selected ? 2 : 1;
      context.strokeStyle = view.colours.outline;
      if (shown > 2) context.strokeRect(x + 0.5, y + 0.5, shown - 1.5, ROW - 2);
    }
  }

  box(view, box, x, y, shown) {
    const { context } = this;
    const shade = view.shades[box];
    const isFound = view.found ? view.found[box] === 1 : false;
    const isFaded = view.found ? !isFound : box < view.zoomed && view.model.end[box] > view.zoomed;
    context.globalAlpha = isFaded ? 0.45 : 1;
    context.fillStyle = isFound ? view.colours.found : view.ramp[shade];
    // A gap to the neighbour, unless the box is too narrow.
    context.fillRect(x, y, shown > 2.5 ? shown - 1 : Math.max(shown * 0.8, 0.5), ROW - 1);
    const room = shown - 2 * PADDING;
    if (room < 14) return;
    const text = this.fitting(view.model.name(box), room);
    if (!text) return;
    context.fillStyle = isFound ? view.colours.foundText : view.textRamp[shade];
    context.fillText(text, x + PADDING, y + ROW / 2);
  }

  length(text) {
    let length = this.lengths.get(text);
    if (length === undefined) {
      length = this.context.measureText(text).width;
      this.lengths.set(text, length);
    }
    return length;
  }

  /** Shortens a name to the box: first without its namespace, then cut. */
  fitting(name, room) {
    if (this.length(name) <= room) return name;
    const short = withoutNamespace(name);
    const length = this.length(short);
    if (length <= room) return short;
    const letters = Math.floor((short.length * (room - 9)) / length) - 1;
    return letters >= 2 ? short.slice(0, letters) + "…" : "";
  }
}
