"""Our call graph in Graphviz: no warning, well-formed, and with all functions above
the threshold.

dot.py FOLDER: holds `dot` and `csv`.
"""

import subprocess
import sys
import xml.etree.ElementTree as xml

from table import Check, Totals

SVG = "{http://www.w3.org/2000/svg}"


def main():
    folder = sys.argv[1]
    ours = Totals(folder)
    check = Check("dot -Tsvg")
    # A simpler layout: for random programs the best one takes a minute.
    quickly = ["-Gnslimit=1", "-Gnslimit1=1", "-Gsplines=line"]
    run = subprocess.run(["dot", "-Tsvg", *quickly, f"{folder}/dot"], capture_output=True, check=True)
    warnings = [line for line in run.stderr.decode(errors="replace").split("\n") if line and "font" not in line.lower()]
    check.true(f"warnings: {warnings[:3]}", not warnings)
    root = xml.fromstring(run.stdout)
    nodes = [it for it in root.iter(f"{SVG}g") if it.get("class") == "node"]
    enough = [it for it in ours.functions.values() if it["inclusive"] * 1000 >= ours.root * 5]
    check.equal("functions drawn", len(nodes), sum(it["names"] for it in enough))
    edges = [it for it in root.iter(f"{SVG}g") if it.get("class") == "edge"]
    check.true("edges are drawn", len(edges) >= len(nodes) - 1)
    check.true("the critical path is red", b"#cd0000" in run.stdout)
    check.done()


main()
