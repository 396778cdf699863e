"""Small charts side by side, with logarithmic axes, as one SVG for light and dark pages."""

import math
from dataclasses import dataclass
from xml.sax.saxutils import escape

WIDTH, HEIGHT = 320, 250
LEFT, RIGHT, TOP, BOTTOM = 52, 20, 36, 46
COLUMNS = 3

STYLE = """
  svg { color-scheme: light dark; --ink: #1f2328; --soft: #59636e; --rule: #d8dee4; --paper: #ffffff;
    --one: #0a5fc2; --two: #b35900; --three: #6e7781; }
  @media (prefers-color-scheme: dark) {
    svg { --ink: #e6edf3; --soft: #9198a1; --rule: #30363d; --paper: #0d1117; --one: #5aa9ff; --two: #f0a35e; --three: #8b949e; }
  }
  text { font: 11px system-ui, sans-serif; fill: var(--soft); }
  .title { font-weight: 600; font-size: 12px; fill: var(--ink); }
  .paper { fill: var(--paper); }
  .rule { stroke: var(--rule); fill: none; }
  .line { fill: none; stroke-width: 2; }
  .s0 { stroke: var(--one); } .s1 { stroke: var(--two); } .s2 { stroke: var(--three); }
  .d0 { fill: var(--one); } .d1 { fill: var(--two); } .d2 { fill: var(--three); }
  .s1 { stroke-dasharray: 6 3; } .s2 { stroke-dasharray: 2 3; }
"""


@dataclass(frozen=True)
class Series:
    """One line, in one of three looks."""

    name: str
    points: list
    look: int = 0


@dataclass(frozen=True)
class Panel:
    """One picture."""

    title: str
    across: str
    unit: str
    series: list


def svg(panels, title):
    """All of them."""
    rows = math.ceil(len(panels) / COLUMNS)
    width, height = COLUMNS * WIDTH, rows * HEIGHT
    drawn = "".join(
        f'<g transform="translate({index % COLUMNS * WIDTH} {index // COLUMNS * HEIGHT})">\n{panel(it)}</g>\n'
        for index, it in enumerate(panels)
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" role="img">\n'
        f'<title>{escape(title)}</title>\n<style>{STYLE}</style>\n<rect class="paper" width="{width}" height="{height}"/>\n{drawn}</svg>\n'
    )


def panel(it):
    """Title, axes, lines, and what the lines are."""
    drawable = [Series(line.name, [(x, y) for x, y in line.points if y > 0], line.look) for line in it.series]
    points = [point for line in drawable for point in line.points]
    if not points:
        return ""
    x = axis([point[0] for point in points], LEFT, WIDTH - RIGHT)
    y = axis([point[1] for point in points], HEIGHT - BOTTOM, TOP + 16)
    parts = [f'<text class="title" x="{LEFT}" y="18">{escape(it.title)}</text>']
    for decade in x.decades:
        at = x.place(decade)
        parts.append(f'<path class="rule" d="M{at:.1f} {TOP + 16}V{HEIGHT - BOTTOM}"/>')
        parts.append(f'<text x="{at:.1f}" y="{HEIGHT - BOTTOM + 15}" text-anchor="middle">{label(decade)}</text>')
    for decade in y.decades:
        at = y.place(decade)
        parts.append(f'<path class="rule" d="M{LEFT} {at:.1f}H{WIDTH - RIGHT}"/>')
        parts.append(f'<text x="{LEFT - 6}" y="{at + 4:.1f}" text-anchor="end">{label(decade)}</text>')
    parts.append(
        f'<text x="{(LEFT + WIDTH - RIGHT) / 2}" y="{HEIGHT - 10}" text-anchor="middle">{escape(it.across)}</text>'
    )
    parts.append(f'<text x="{LEFT - 6}" y="{TOP + 8}" text-anchor="end">{escape(it.unit)}</text>')
    along = LEFT
    for line in drawable:
        placed = [(x.place(a), y.place(b)) for a, b in line.points]
        path = "L".join(f"{a:.1f} {b:.1f}" for a, b in placed)
        parts.append(f'<path class="line s{line.look}" d="M{path}"/>')
        parts += [f'<circle class="d{line.look}" cx="{a:.1f}" cy="{b:.1f}" r="2.6"/>' for a, b in placed]
        parts.append(
            f'<path class="line s{line.look}" d="M{along} {TOP + 4}h18"/><text x="{along + 22}" y="{TOP + 8}">{escape(line.name)}</text>'
        )
        along += 36 + 6.2 * len(line.name)
    return "\n".join(parts) + "\n"


@dataclass(frozen=True)
class Axis:
    """From numbers to places."""

    low: float
    high: float
    start: float
    end: float
    decades: list

    def place(self, value):
        return self.start + (math.log10(value) - self.low) / (self.high - self.low) * (self.end - self.start)


def axis(values, start, end):
    """From the power of ten below all of them to the one above."""
    low = math.floor(math.log10(min(values)) + 1e-9)
    high = max(low + 1, math.ceil(math.log10(max(values)) - 1e-9))
    return Axis(low, high, start, end, [10**power for power in range(low, high + 1)])


def label(value):
    """0.1, 10, 1k, 10M"""
    for size, letter in ((10**6, "M"), (10**3, "k")):
        if value >= size:
            return f"{value // size}{letter}"
    return f"{value:g}"
