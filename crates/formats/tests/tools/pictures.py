"""Our flame graphs: well-formed, and their numbers.

pictures.py FOLDER: holds `flamegraph`, `csv`. The SVG is read by xmllint
(Debian package libxml2-utils) and by Python's parser.
"""

import re
import subprocess
import sys
import xml.etree.ElementTree as xml

from table import Check, Totals, clean

SVG = "{http://www.w3.org/2000/svg}"


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


main()
