"""The book of docs/, made by mdBook: `./x book`.

    book.py stage FOLDER      puts the pages that docs/SUMMARY.md names, and their pictures, into FOLDER
    book.py check FOLDER      checks each link of the HTML in FOLDER, and its search
    book.py tutorial FOLDER   does what docs/tutorial.md says, in FOLDER: `xhprof` must be on the PATH

The pages stand at the same places as in the repository, so that their links work. A link to a file that is no page
of the book becomes its text.
"""

import html.parser
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
from urllib.parse import unquote

PICTURES = {".svg", ".png", ".webp"}
LINK = re.compile(r"(!?)\[((?:[^][]|\[[^][]*\](?:\([^()]*\))?)*)\]\(([^()\s]+)\)")


def stage(folder: pathlib.Path) -> None:
    summary = pathlib.Path("docs/SUMMARY.md").read_text()
    # SUMMARY.md stands in docs/, and mdBook wants it at the top.
    pages = {os.path.normpath(f"docs/{link}") for _, _, link in LINK.findall(summary)}
    shutil.rmtree(folder, ignore_errors=True)
    source = folder / "src"
    for page in sorted(pages):
        text = outside_of_code(
            pathlib.Path(page).read_text(), lambda part, page=page: linked(part, page, pages, source)
        )
        write(source / page, text)
    moved = LINK.sub(lambda link: f"[{link[2]}]({os.path.normpath('docs/' + link[3])})", summary)
    write(source / "SUMMARY.md", moved)
    shutil.copy("docs/book.toml", folder)
    print(f"{len(pages)} pages")


def write(path: pathlib.Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def outside_of_code(text: str, change) -> str:
    """The text with its parts changed that are no block of code."""
    parts = re.split(r"(^```.*?^```$)", text, flags=re.M | re.S)
    return "".join(part if number % 2 else change(part) for number, part in enumerate(parts))


def linked(text: str, page: str, pages: set[str], source: pathlib.Path) -> str:
    def one(link: re.Match) -> str:
        mark, words, target = link.groups()
        # A picture may be the words of a link.
        words = LINK.sub(one, words)
        path, _, anchor = target.partition("#")
        if re.match("[a-z][a-z+.-]*:", target, re.I) or path == "":
            return f"{mark}[{words}]({target})"
        file = os.path.normpath(f"{os.path.dirname(page)}/{unquote(path)}").removeprefix("/")
        if file in pages:
            return f"{mark}[{words}]({target})"
        if pathlib.Path(file).suffix in PICTURES:
            (source / file).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(file, source / file)
            return f"{mark}[{words}]({target})"
        return words if os.path.basename(file) in words else f"{words} (`{file}`)"

    return LINK.sub(one, text)


class Page(html.parser.HTMLParser):
    """The links of a page, and what a link can lead to."""

    def __init__(self) -> None:
        super().__init__()
        self.links: list[str] = []
        self.names: set[str] = set()

    def handle_starttag(self, tag: str, attributes: list) -> None:
        for name, value in attributes:
            if name in ("href", "src") and value and tag != "link":
                self.links.append(value)
            if name in ("id", "name") and value:
                self.names.add(value)


def check(folder: pathlib.Path) -> None:
    pages = {}
    for path in folder.rglob("*.html"):
        pages[path] = Page()
        pages[path].feed(path.read_text())
    broken = links = 0
    for path, page in pages.items():
        # The page of links that do not exist, and that for print, whose links are those of the pages.
        if path.name in ("404.html", "print.html", "toc.html"):
            continue
        for link in page.links:
            if re.match("[a-z][a-z+.-]*:", link, re.I):
                continue
            links += 1
            target, _, anchor = link.partition("#")
            file = path if target == "" else pathlib.Path(os.path.normpath(path.parent / unquote(target)))
            if not file.exists():
                broken += 1
                print(f"{path.relative_to(folder)}: ({link}): there is no such page")
            elif anchor and file in pages and unquote(anchor) not in pages[file].names:
                broken += 1
                print(f"{path.relative_to(folder)}: ({link}): that page has no such heading")
    index = next(folder.glob("searchindex*.js"))
    found = re.search(r"JSON\.parse\('(.*)'\)", index.read_text(), re.S)
    titles = json.loads(found[1].replace("\\'", "'").replace("\\\\", "\\")) if found else {}
    print(
        f"{len(pages)} pages, {links} links, {broken} of them broken; {len(titles.get('doc_urls', []))} places to search"
    )
    if broken or not links or not titles.get("doc_urls"):
        sys.exit(1)


def tutorial(folder: pathlib.Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    page = pathlib.Path("docs/tutorial.md").read_text()
    commands = 0
    said = ""
    for kind, body in re.findall(r"^```(\w+)\n(.*?)^```$", page, re.M | re.S):
        if kind in ("php", "yaml"):
            name = re.match(r"(?:<\?php // |# )(\S+)\n", body)
            (folder / name[1]).write_text(body)
        elif kind == "console":
            for line in body.splitlines():
                done = subprocess.run(["sh", "-c", line.removeprefix("$ ")], cwd=folder, capture_output=True, text=True)
                said = said + done.stdout + done.stderr
                commands += 1
                if done.returncode != 0:
                    sys.exit(f"{line}\n{done.stdout}{done.stderr}\ndocs/tutorial.md: status {done.returncode}")
        elif kind == "text":
            # What it shows of a report is there; times differ.
            for line in filter(None, body.splitlines()):
                pattern = re.sub(r"\d+\\.\d+\\ [mµn]s", r"[\\d.]+ [mµn]s", re.escape(line))
                if not re.search(pattern, said):
                    sys.exit(f"docs/tutorial.md shows a line that no command prints: {line}")
    # With the fault again, the budget is broken.
    first = re.search(r"^```php\n(<\?php // page\.php\n.*?)^```$", page, re.M | re.S)
    (folder / "page.php").write_text(first[1])
    if subprocess.run(["xhprof", "check"], cwd=folder, capture_output=True).returncode != 3:
        sys.exit("docs/tutorial.md: the budget does not find the fault")
    print(f"{commands} commands of docs/tutorial.md")


if __name__ == "__main__":
    if len(sys.argv) != 3 or sys.argv[1] not in ("stage", "check", "tutorial"):
        sys.exit(__doc__)
    globals()[sys.argv[1]](pathlib.Path(sys.argv[2]))
