"""Our flame graphs and pages: well-formed, and their numbers.

pictures.py FOLDER: holds `flamegraph`, `flamegraph-html`, `html`, `csv`. The
SVG is read by xmllint (Debian package libxml2-utils) and by Python's parser,
the pages' data by Python's.
"""

import html.parser
import json
import re
import subprocess
import sys
import xml.etree.ElementTree as xml

from table import Check, Totals, clean

SVG = "{http://www.w3.org/2000/svg}"


class Data(html.parser.HTMLParser):
    """The data of a page, and whether each tag was closed."""

    def __init__(self):
        super().__init__()
        self.json, self.is_data, self.loads = "", False, []

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self.is_data = tag == "script" and attributes.get("id") == "data"
        addresses = (attributes.get(it) or "#" for it in ("src", "href"))
        self.loads += [it for it in addresses if not it.startswith(("#", "data:"))]

    def handle_endtag(self, tag):
        self.is_data = False

    def handle_data(self, text):
        if self.is_data:
            self.json += text


def page(path):
    data = Data()
    with open(path, encoding="utf-8") as file:
        data.feed(file.read())
    data.close()
    return data


def shown(name, names):
    """A name as the page has it: what is empty is named, what is long is cut."""
    if name == "???":
        return "(no name)"
    cut = (it for it in names if it.endswith("…") and name.startswith(it[:-1].strip()))
    return name if name in names else next(cut, None)


def main():
    folder = sys.argv[1]
    ours = Totals(folder)

    check = Check("xmllint, flamegraph")
    run = subprocess.run(["xmllint", "--noout", "--huge", f"{folder}/flamegraph"], capture_output=True, check=False)
    check.true(f"xmllint: {run.stderr[:200]}", run.returncode == 0 and not run.stderr)
    titles = ["".join(it.itertext()).split("\n")[0] for it in xml.parse(f"{folder}/flamegraph").iter(f"{SVG}title")]
    check.true("the root is everything", any(re.match(r"main\(\) \(.*100(\.0+)?%\)", it) for it in titles))
    drawn = " ".join(clean(it) for it in titles)
    large = [name for name, it in ours.functions.items() if it["self"] * 20 > ours.root]
    check.true("who costs most is drawn", all(name[:20] in drawn for name in large))
    check.done()

    for kind in ("flamegraph-html", "html"):
        check = Check(f"html.parser and json, {kind}")
        found = page(f"{folder}/{kind}")
        check.true(f"nothing is loaded: {found.loads}", not found.loads)
        data = json.loads(found.json)
        if kind == "html":
            metrics = [it[0] for it in data["metrics"]]
            wall = metrics.index("wall")
            names = data["functions"]["names"]
            check.equal("the total", data["total"][wall], ours.root)
            inclusive, own = data["table"]["new"][wall]
            calls = data["table"]["new"][metrics.index("calls")][0]
            sums = {}
            for place, number in enumerate(data["table"]["fn"]):
                row = sums.setdefault(clean(names[number]), [0, 0, 0])
                for column, value in enumerate((calls, own, inclusive)):
                    row[column] += value[place]
            for name, it in ours.functions.items():
                row = sums.get(shown(name, sums), [-1, -1, -1])
                check.equal(f"calls of {name!r}", row[0], it["calls"])
                check.equal(f"self of {name!r}", row[1], it["self"])
                check.equal(f"inclusive of {name!r}", row[2], it["inclusive"])
        check.done()


main()
