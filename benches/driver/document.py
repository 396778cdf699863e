"""Writes the measured numbers into docs/benchmarks.md, between marks."""

import re
import sys
import textwrap

import growth
import plot
from setup import BENCHES, busy
from targets import table

DOCS = BENCHES.parent / "docs"


def write(results, parts):
    """Writes each block that has results, the targets, and the picture."""
    document = DOCS / "benchmarks.md"
    text = document.read_text()
    text = fill(text, "machine", machines(results))
    targets = table({name: it["data"] for name, it in results.items()})
    disturbed = (
        "" if not any(busy(it["load"]) for it in results.values()) else "**The machine was busy: no result.**\n\n"
    )
    text = fill(text, "targets", disturbed + targets.markdown(titled=False))
    for name, result in results.items():
        shown = "\n\n".join(it.markdown() for it in parts[name].tables(result["data"]) if it.rows)
        text = fill(text, name, f"{measured(result)}\n\n{shown}")
    document.write_text(text)
    if "growth" in results:
        draw(results, DOCS / "growth.svg")


def draw(results, path):
    """Draws the picture of growth."""
    path.write_text(plot.svg(growth.panels(results["growth"]["data"]), "How the cost of profiling grows"))


def measured(result):
    """The line above a block: date, command, commit, rounds, and a warning if the machine was busy."""
    rounds = result["rounds"]
    disturbed = f" **The machine was busy (load {result['load']:.1f}): no result.**" if busy(result["load"]) else ""
    return f"*{result['date']}, `{result['command']}` at {result['commit']}, {rounds} round{'s' if rounds > 1 else ''}.*{disturbed}"


def machines(results):
    """The machines of all results, and the other profilers."""
    found = dict.fromkeys(
        f"{it['machine']}." + (f" Others: {it['rivals']}." if it["rivals"] else "") for it in results.values()
    )
    return "\n\n".join(found)


def fill(text, name, block):
    """Replaces the text between <!-- name --> and <!-- /name -->."""
    marks = re.compile(rf"(<!-- {name} -->\n).*?(<!-- /{name} -->)", re.S)
    wrapped = "\n\n".join(
        part if "\n" in part else textwrap.fill(part, 120, break_long_words=False, break_on_hyphens=False)
        for part in block.split("\n\n")
    )
    filled, count = marks.subn(lambda match: f"{match[1]}{wrapped}\n{match[2]}", text)
    if count != 1:
        sys.exit(f"bench: docs/benchmarks.md has no mark <!-- {name} -->")
    return filled
