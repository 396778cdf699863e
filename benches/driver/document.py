"""Puts what was measured into docs/performance.md, between marks, so that nobody types numbers."""

import re
import sys

import growth
import plot
from setup import BENCHES
from targets import table

DOCS = BENCHES.parent / "docs"


def write(results, parts):
    """Every block for which there are results, the targets, and the picture."""
    document = DOCS / "performance.md"
    text = document.read_text()
    text = fill(text, "targets", table({name: it["data"] for name, it in results.items()}).markdown())
    for name, result in results.items():
        shown = "\n\n".join(it.markdown() for it in parts[name].tables(result["data"]) if it.rows)
        text = fill(text, name, f"{measured(result)}\n\n{shown}")
    document.write_text(text)
    if "growth" in results:
        draw(results, DOCS / "growth.svg")


def draw(results, path):
    """The picture of growth."""
    path.write_text(plot.svg(growth.panels(results["growth"]["data"]), "How the cost of profiling grows"))


def measured(result):
    """Where a block's numbers are from."""
    rivals = f" Others: {result['rivals']}." if result["rivals"] else ""
    return f"*{result['date']}, `{result['command']}` at {result['commit']}, {result['rounds']} rounds. {result['machine']}.{rivals}*"


def fill(text, name, block):
    """Replaces what stands between <!-- name --> and <!-- /name -->."""
    marks = re.compile(rf"(<!-- {name} -->\n).*?(<!-- /{name} -->)", re.S)
    filled, count = marks.subn(lambda match: f"{match[1]}{block}\n{match[2]}", text)
    if count != 1:
        sys.exit(f"bench: docs/performance.md has no place for {name}")
    return filled
