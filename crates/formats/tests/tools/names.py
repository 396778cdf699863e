"""How each format writes a name: an implementation that is independent of the
writers. Escapes in the tables of `export` become bytes again."""

import re


def unescape(text):
    """The bytes of a name of the table."""

    def byte(match):
        escape = match.group(1)
        if escape == "\\":
            return b"\\"
        if escape == "t":
            return b"\t"
        return bytes([int(escape[1:], 16)])

    parts = re.split(r"(\\(?:\\|t|x[0-9a-f]{2}))", text)
    return b"".join(
        byte(re.match(r"\\(.*)", part, re.S)) if index % 2 else part.encode() for index, part in enumerate(parts)
    )


def text(name):
    """Line ends become blanks, each byte that is no UTF-8 a U+FFFD."""
    name = re.sub(rb"[\r\n\0]", b" ", name).decode("utf-8", "surrogateescape")
    return re.sub("[\udc80-\udcff]", "\ufffd", name) or "(unknown)"


def collapsed(name):
    frame = re.sub(rb"[\x00-\x1f\x7f]", b" ", name.replace(b";", b":")).strip(b" ")
    frame = frame or b"(unknown)"
    frame = re.sub(rb" (\d+\.?\d*)$", rb"_\1", frame)
    return re.sub(rb"(_)(\[[kijw]\])$", rb"\1 \2", frame)


def perfview(name):
    cut = text(name).strip()[:8000].rstrip() or "(unknown)"
    return re.sub("[\x00-\x08\x0b-\x1f\ufffe\uffff]", "\ufffd", cut)


def nytprof(name):
    if name == b"main()":
        return b"main::RUNTIME"
    perl = re.sub(rb"[;\x00-\x20\x7f]", b"?", name) or b"(unknown)"
    if b"::" not in name[1:] or name.startswith(b"main::"):
        perl = b"main::" + perl
    return perl + b"?" if perl == b"main::RUNTIME" else perl


RULES = {"text": text, "collapsed": collapsed, "perfview": perfview, "nytprof": nytprof}
