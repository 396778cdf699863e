"""Tables, as text for a terminal and as Markdown for the document."""

import math
from dataclasses import dataclass


@dataclass(frozen=True)
class Table:
    """A table of results."""

    title: str
    header: list
    rows: list
    # Explanations before and after the table.
    before: str = ""
    after: str = ""

    def text(self):
        """As text: the first column is aligned left, the others right."""
        lines = [self.header, *self.rows]
        widths = [max(len(line[column]) for line in lines) for column in range(len(self.header))]
        drawn = "\n".join(
            "  ".join(
                cell.ljust(width) if index == 0 else cell.rjust(width)
                for index, (cell, width) in enumerate(zip(line, widths))
            ).rstrip()
            for line in lines
        )
        return "\n".join(part for part in (self.title, self.before, drawn, self.after) if part)

    def markdown(self, titled=True):
        """As Markdown."""
        rule = ["---", *["---:"] * (len(self.header) - 1)]
        drawn = "\n".join(
            "| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |"
            for line in [self.header, rule, *self.rows]
        )
        return "\n\n".join(
            part for part in (f"### {self.title}" if titled else "", self.before, drawn, self.after) if part
        )


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
