"""Tables, as text for a terminal and as Markdown for the document."""

import math
from dataclasses import dataclass


@dataclass(frozen=True)
class Table:
    """What a part of the bench has to show."""

    title: str
    header: list
    rows: list
    # What one has to know to read it, before and after.
    before: str = ""
    after: str = ""

    def text(self):
        """Columns as wide as what is in them; the first to the left, the others to the right."""
        lines = [self.header, *self.rows]
        widths = [max(len(line[column]) for line in lines) for column in range(len(self.header))]
        drawn = "\n".join(
            "  ".join(cell.ljust(width) if index == 0 else cell.rjust(width) for index, (cell, width) in enumerate(zip(line, widths))).rstrip()
            for line in lines
        )
        return "\n".join(part for part in (self.title, self.before, drawn, self.after) if part)

    def markdown(self, titled=True):
        """As GitHub shows it."""
        rule = ["---", *["---:"] * (len(self.header) - 1)]
        drawn = "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in [self.header, rule, *self.rows])
        return "\n\n".join(part for part in (f"### {self.title}" if titled else "", self.before, drawn, self.after) if part)


def number(value):
    """Three significant digits, where that helps."""
    if math.isnan(value):
        return "–"
    size = abs(value)
    if size >= 99.95:
        return f"{value:,.0f}"
    if size >= 9.995:
        return f"{value:.1f}"
    return f"{value:.2f}"


def with_spread(it):
    """31.2 ±0.4, of [median, low, high]."""
    median, low, high = it
    return f"{number(median)} ±{number((high - low) / 2)}"
