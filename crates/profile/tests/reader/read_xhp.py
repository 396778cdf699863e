#!/usr/bin/env python3
"""Reads a native file (*.xhp), made from docs/format.md alone, and prints its contents as JSON.

usage: read_xhp.py FILE [--tree]

It shares no code with the program `xhprof`: `./x test --rest` compares the two, so that the document stays true. Only the standard library is needed.
Names are bytes: those that are no UTF-8 become {"hex": "…"}. With --tree, events and samples are summed up by path first.

The exit status is 0 if the file is whole, 3 if it is truncated and its events up to there are printed, else 1.
"""

import json
import sys
import zlib

MAGIC = b"\x89XHP\r\n\x1a\n"
WALL, CPU, MEMORY, PEAK, APART = 2, 4, 8, 16, 32
MASK = (1 << 64) - 1
COSTS = ("calls", "wall", "cpu", "memory", "peak")
MOST_REPEATED = 64 << 20
LARGEST_SECTION = 1 << 30
SECTIONS_OF = {"E": "EB", "T": "TB", "K": "KAN", "C": "CGBL"}


class Truncated(Exception):
    """The file is truncated."""


class Broken(Exception):
    """The file violates the format."""


def check(is_so, reason):
    if not is_so:
        raise Broken(reason)


def wrapped(value):
    """A 64-bit number as a signed one."""
    value &= MASK
    return value - (1 << 64) if value >> 63 else value


class Payload:
    def __init__(self, data):
        self.data = data
        self.at = 0

    def left(self):
        return len(self.data) - self.at

    def take(self, count):
        check(count <= self.left(), "a section that is too short")
        self.at += count
        return self.data[self.at - count : self.at]

    def u8(self):
        return self.take(1)[0]

    def number(self):
        value = shift = 0
        while True:
            byte = self.u8()
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                check(value <= MASK and shift < 70, "a number of more than 64 bits")
                return value
            shift += 7
            check(shift < 70, "a number of more than 64 bits")

    def number32(self):
        value = self.number()
        check(value < 1 << 32, "a number of more than 32 bits")
        return value

    def signed(self):
        value = self.number()
        return value >> 1 ^ -(value & 1)

    def bytes(self):
        return self.take(self.number())

    def end(self):
        check(self.left() == 0, "a section that is too long")


def sections(file):
    """The sections' kinds and payloads; raises Truncated where the file ends early."""
    head = file.read(10)
    check(head[:8] == MAGIC[: len(head)], "no native file")
    if len(head) < 10:
        raise Truncated
    check(head[8] == 1, f"version {head[8]} is not known here")
    yield "", head[8:]
    crc = zlib.crc32(head)
    while True:
        head = file.read(5)
        if len(head) < 5:
            raise Truncated
        length = int.from_bytes(head[1:], "little")
        check(length <= LARGEST_SECTION, "a section of more than 1 GiB")
        payload = file.read(length)
        checksum = file.read(4)
        if len(payload) < length or len(checksum) < 4:
            raise Truncated
        crc = zlib.crc32(payload, zlib.crc32(head, crc))
        check(crc == int.from_bytes(checksum, "little"), "a wrong checksum")
        yield chr(head[0]), Payload(payload)
        if head[:1] == b"Z":
            check(file.read(1) == b"", "something follows the end")
            return


class Meta:
    TEXTS = {1: "title", 3: "host", 5: "sapi", 6: "php_version", 7: "creator", 14: "counts"}
    NUMBERS = {2: "started_unix_us", 4: "process", 9: "interval_ns", 13: "peak_memory"}
    FLAGS = {10: "is_truncated", 11: "is_estimated"}
    MODES = {1: "traced", 2: "sampled"}

    def __init__(self):
        self.fields = {}
        self.tags = {}

    def read(self, payload):
        while payload.left():
            field = payload.number()
            value = payload.bytes()
            if field in self.TEXTS:
                self.fields[self.TEXTS[field]] = value.decode()
            elif field in self.NUMBERS:
                self.fields[self.NUMBERS[field]] = Payload(value).number()
            elif field in self.FLAGS:
                self.fields[self.FLAGS[field]] = Payload(value).number() != 0
            elif field == 8:
                self.fields["mode"] = self.MODES.get(Payload(value).number())
            elif field == 12:
                value = Payload(value)
                name = value.bytes().decode()
                self.tags[name] = value.take(value.left()).decode()

    def json(self):
        fields = {name: value for name, value in self.fields.items() if value not in (None, False)}
        return {**dict(sorted(fields.items())), "tags": [list(tag) for tag in self.tags.items()]}


class Symbols:
    def __init__(self):
        self.list = []
        self.paths = []
        self.last = b""
        self.repeated = 0

    def read(self, payload):
        for _ in range(payload.number()):
            head = payload.number()
            path = None
            if head >> 1 == 1:
                path = payload.bytes()
                self.paths.append(path)
            elif head >> 1:
                number = (head >> 1) - 2
                check(number < len(self.paths), "no path has this number")
                path = self.paths[number]
                self.repeated += len(path)
            line = payload.number32()
            shared = payload.number()
            check(shared <= len(self.last), "the name before is shorter")
            self.repeated += shared
            check(self.repeated <= MOST_REPEATED, "too much is said by reference")
            self.last = self.last[:shared] + payload.bytes()
            self.list.append((self.last, path, line, bool(head & 1)))
        payload.end()

    def number(self, payload):
        number = payload.number()
        check(number < len(self.list), "no symbol has this number")
        return number

    def have_names_of_their_own(self):
        return len({symbol[0] for symbol in self.list}) == len(self.list)

    def merged(self):
        """One symbol for each name, and which of those each symbol is."""
        numbers, which, merged = {}, [], []
        for symbol in self.list:
            if symbol[0] not in numbers:
                numbers[symbol[0]] = len(merged)
                merged.append(symbol)
            which.append(numbers[symbol[0]])
        return merged, which


class Edges:
    def __init__(self):
        self.root = None
        self.edges = []
        self.seen = set()

    def read(self, payload, symbols):
        columns = columns_of(payload, 31)
        for _ in range(payload.number()):
            ends = tuple(self.end(payload, symbols) for _ in range(2))
            cost = cost_of(payload, columns)
            if self.root is None:
                check(ends == ((0, 0), (0, 0)), "the first edge is not the root")
                self.root = cost
                continue
            check(ends[1] != (0, 0) and ends not in self.seen, "an edge that may not be")
            self.seen.add(ends)
            self.edges.append({"caller": list(ends[0]), "callee": list(ends[1]), **named(cost)})
        payload.end()

    @staticmethod
    def end(payload, symbols):
        head = payload.number()
        check(head >> 1 < len(symbols.list), "no symbol has this number")
        return head >> 1, payload.number32() if head & 1 else 0

    def json(self):
        check(self.root is not None, "there are no edges")
        return {"root": named(self.root), "edges": self.edges}


class Nodes:
    """Of a tree, with costs, or of stacks, without."""

    def __init__(self):
        self.parents = []
        self.symbols = []
        self.own = []
        self.seen = set()

    def read(self, payload, symbols, has_costs):
        columns = columns_of(payload, 31) if has_costs else 0
        for _ in range(payload.number()):
            up = payload.number()
            symbol = symbols.number(payload)
            number = len(self.parents)
            if number == 0:
                check(up == 0 and symbol == 0, "the first node is not the root")
            else:
                check(0 < up <= number, "a node before its parent")
                check((number - up, symbol) not in self.seen, "two children of one symbol")
                self.seen.add((number - up, symbol))
            self.parents.append(number - up)
            self.symbols.append(symbol)
            self.own.append(cost_of(payload, columns))
        payload.end()

    def json(self):
        check(self.parents, "there are no nodes")
        whole = [list(cost) for cost in self.own]
        for number in range(len(whole) - 1, 0, -1):
            above = whole[self.parents[number]]
            for column in range(1, 5):
                above[column] += whole[number][column]
        nodes = []
        for number, cost in enumerate(whole):
            cost = [cost[0], *(value & MASK for value in cost[1:3]), *map(wrapped, cost[3:])]
            own = [wrapped(value) for value in self.own[number]]
            node = {"parent": self.parents[number], "symbol": self.symbols[number], **named(cost)}
            nodes.append({**node, "self": dict(zip(COSTS[1:], own[1:]))})
        return {"nodes": nodes}

    def stacks_json(self):
        check(self.parents, "there are no stacks")
        return [list(stack) for stack in zip(self.parents, self.symbols)]


class CostsOfLines:
    """What lines cost, beside edges, tree nodes and events."""

    def __init__(self):
        self.files = []
        self.list = []
        self.calls = []

    def read(self, payload, symbols):
        for _ in range(payload.number()):
            self.files.append(payload.bytes())
        columns = [columns_of(payload, 31) for _ in range(3)]
        last = 0
        for _ in range(payload.number()):
            file = payload.number()
            check(file <= len(self.files), "no path has this number")
            last += payload.signed()
            check(0 < last < 1 << 32, "lines are numbered from 1")
            key = (file, last, symbols.number(payload))
            check(not self.list or self.list[-1][0] < key, "lines have to be in order")
            self.list.append((key, [cost_of(payload, each) for each in columns]))
        columns = columns_of(payload, 31)
        for _ in range(payload.number()):
            line = payload.number()
            check(line < len(self.list), "no line has this number")
            key = (line, symbols.number(payload))
            check(not self.calls or self.calls[-1][0] < key, "calls have to be in order")
            self.calls.append((key, cost_of(payload, columns)))
        payload.end()

    def json(self):
        if not self.list:
            return {}
        lines = []
        for (file, line, symbol), costs in self.list:
            file = shown(self.files[file - 1]) if file else None
            lines.append([file, line, symbol, *(signed(cost) for cost in costs)])
        calls = [[*key, signed(cost)] for key, cost in self.calls]
        return {"costs_of_lines": lines, "calls_from_lines": calls}


def signed(cost):
    """Costs of lines may be negative."""
    calls, *others = cost
    return [calls, *((value + (1 << 63) & MASK) - (1 << 63) for value in others)]


class Tree:
    """Calls summed up by path."""

    def __init__(self):
        self.nodes = Nodes()
        self.places = {}
        self.add(0, 0)

    def add(self, parent, symbol):
        self.nodes.parents.append(parent)
        self.nodes.symbols.append(symbol)
        self.nodes.own.append([0] * 5)
        return len(self.nodes.parents) - 1

    def child(self, parent, symbol):
        if (parent, symbol) not in self.places:
            self.places[parent, symbol] = self.add(parent, symbol)
        return self.places[parent, symbol]

    def charge(self, node, cost):
        for column, value in enumerate(cost):
            self.nodes.own[node][column] += value


class Samples:
    def __init__(self):
        self.stacks = Nodes()
        self.samples = []
        self.at = self.stack = 0
        self.files = []
        self.lined = []
        self.lines = []
        self.last_lines = 0

    def read_lines(self, payload, symbols):
        for _ in range(payload.number()):
            self.files.append(payload.bytes())
        for _ in range(payload.number()):
            self.lined.append(self.stack_with_lines(payload, symbols))
        for _ in range(payload.number()):
            self.last_lines += payload.signed()
            check(0 <= self.last_lines <= len(self.lined), "no stack with lines has this number")
            check(len(self.lines) < len(self.samples), "lines of a sample that is not there")
            if self.last_lines:
                stack = self.samples[len(self.lines)][2]
                check(self.lined[self.last_lines - 1][1] == stack, "lines of another stack")
            self.lines.append(self.last_lines)
        payload.end()

    def stack_with_lines(self, payload, symbols):
        up = payload.number()
        check(0 < up <= len(self.lined) + 1, "a parent has to come before its children")
        parent = len(self.lined) + 1 - up
        below = self.lined[parent - 1][1] if parent else None
        head = payload.number()
        stack = (below or 0) + (head >> 1)
        check(stack < len(self.stacks.parents), "lines beside no stack")
        check((self.stacks.parents[stack] if stack else None) == below, "lines beside no stack")
        file = None
        if head & 1:
            number = payload.number()
            check(number < len(self.files), "no path has this number")
            file = self.files[number]
        line = symbols.list[self.stacks.symbols[stack]][2] + payload.signed()
        check(0 <= line < 1 << 32, "a number of more than 32 bits")
        return parent, stack, file, line

    def read(self, payload):
        for _ in range(payload.number()):
            self.at = self.at + payload.signed() & MASK
            weight = payload.number()
            self.stack += payload.signed()
            check(0 <= self.stack < len(self.stacks.parents), "no stack has this number")
            self.samples.append([self.at, weight, self.stack])
        payload.end()

    def json(self):
        contents = {"stacks": self.stacks.stacks_json(), "samples": self.samples}
        if self.lined:
            contents["lined"] = [
                [parent, stack, None if file is None else shown(file), line] for parent, stack, file, line in self.lined
            ]
            contents["lines"] = self.lines + [0] * (len(self.samples) - len(self.lines))
        return contents

    def tree(self):
        tree = Tree()
        nodes = [0]
        for parent, symbol in list(zip(self.stacks.parents, self.stacks.symbols))[1:]:
            nodes.append(tree.child(nodes[parent], symbol))
        for _, weight, stack in self.samples:
            tree.charge(nodes[stack], [0, weight, 0, 0, 0])
        return tree.nodes.json()


class Events:
    def __init__(self, payload):
        self.columns = columns_of(payload, 63)
        self.wall_unit = payload.number()
        self.cpu_unit = payload.number()
        self.wall = self.cpu = self.behind = self.memory = self.peak = 0
        self.events = []
        self.end = None
        self.lines = LinesOfCalls()
        # By fiber: the last callees of each function, and the open calls.
        self.callees = {}
        self.open = {0: []}
        self.fiber = 0

    def read(self, payload, symbols):
        check(self.end is None, "events after the last instant")
        count = payload.number()
        check(count <= 8192, "too many events in one section")
        events, steps = [], []
        for _ in range(count):
            kind, value = self.event(payload, symbols)
            steps.append(self.wall)
            wall = self.wall * self.wall_unit >> 32
            if self.columns & APART:
                events.append([wall, 0, 0, 0, kind, value])
                continue
            if self.columns & CPU:
                self.cpu += payload.number()
            if self.columns & MEMORY:
                self.memory += payload.signed()
                self.peak += payload.signed()
            cpu = self.cpu * self.cpu_unit >> 32
            events.append([wall, cpu, self.memory, self.peak, kind, value])
        if self.columns & APART:
            self.apart(payload, events, steps)
        payload.end()
        self.events += events
        self.lines.of_calls([value for *_, kind, value in events if kind == "enter"])

    def event(self, payload, symbols):
        head = payload.u8()
        stack = self.open.setdefault(self.fiber, [])
        if head & 0x80:
            if stack:
                stack.pop()
            self.step(payload, head & 0x7F, 0x7F)
            return "leave", None
        running = stack[-1] if stack else 0
        last = self.callees.setdefault(running, [])
        if head >> 5 < 3:
            check(head >> 5 < len(last), "there is no such callee")
            symbol = last.pop(head >> 5)
        else:
            symbol = payload.number32() - 1
            if symbol < 0:
                fiber = payload.number32()
                if not stack:
                    del self.open[self.fiber]
                self.fiber = fiber
                self.step(payload, head & 0x1F, 0x1F)
                return "switch", fiber
            check(symbol < len(symbols.list), "no symbol has this number")
            if symbol in last:
                last.remove(symbol)
        last.insert(0, symbol)
        del last[3:]
        stack.append(symbol)
        self.step(payload, head & 0x1F, 0x1F)
        return "enter", symbol

    def step(self, payload, step, largest):
        self.wall += step + (payload.number() if step == largest else 0)

    def apart(self, payload, events, steps):
        count = len(events)
        if self.columns & CPU:
            for event, wall, change in zip(events, steps, column(payload, count)):
                self.behind += change
                self.cpu = max(self.cpu, self.expected_cpu(wall) - self.behind)
                event[1] = self.cpu * self.cpu_unit >> 32
        if self.columns & MEMORY:
            for event, change in zip(events, column(payload, count)):
                self.memory += change
                event[2] = self.memory
            for event, change in zip(events, column(payload, count)):
                self.peak += change
                event[3] = self.peak

    def expected_cpu(self, wall):
        return wall * self.wall_unit // max(self.cpu_unit, 1)

    def read_end(self, payload):
        check(self.end is None, "a second last instant")
        wall = max(payload.number(), self.wall) * self.wall_unit >> 32
        cpu = max(payload.number(), self.cpu) * self.cpu_unit >> 32
        self.end = [wall, cpu, payload.signed(), payload.signed()]
        payload.end()

    def ended(self):
        return self.end or (self.events[-1][:4] if self.events else [0, 0, 0, 0])

    def json(self, which):
        events = [[*at, kind, which[value] if kind == "enter" else value] for *at, kind, value in self.events]
        return {"events": events, "end": self.ended()}

    def tree(self, which):
        return self.paths([which[value] for *_, kind, value in self.events if kind == "enter"]).nodes.json()

    def costs_of_lines(self, symbols, which):
        """What the lines of the calls cost: of paths that also differ by lines."""
        if not self.lines.is_used:
            return {}
        keys = [(0, 0, 0)]
        numbers = {keys[0]: 0}
        called = [value for *_, kind, value in self.events if kind == "enter"]
        names = []
        for value, (file, line) in zip(called, self.lines.list):
            key = (which[value], file, line)
            if key not in numbers:
                numbers[key] = len(keys)
                keys.append(key)
            names.append(numbers[key])
        return self.lines.costs(self.paths(names).nodes, keys, symbols)

    def paths(self, names):
        """Charges the time to the open call on top; `names` has what each call is known by."""
        tree = Tree()
        names = iter(names)
        tree.charge(0, [1, 0, 0, 0, 0])
        base, stack, fiber, waiting = 0, [], 0, {}
        last = [0, 0, 0, 0]
        for *at, kind, value in [*self.events, [*self.ended(), "end", None]]:
            top = stack[-1] if stack else base
            tree.charge(top, [0, *(now - before for now, before in zip(at, last))])
            last = at
            if kind == "enter":
                stack.append(tree.child(top, next(names)))
                tree.charge(stack[-1], [1, 0, 0, 0, 0])
            elif kind == "leave":
                del stack[-1:]
            elif kind == "switch" and value != fiber:
                if stack or fiber == 0:
                    waiting[fiber] = base, stack
                base, stack = waiting.pop(value, (top, []))
                fiber = value
        return tree


class LinesOfCalls:
    """The line that each call event is made from."""

    def __init__(self):
        self.files = []
        self.list = []
        self.last = {}
        self.waiting = None
        self.is_used = False

    def read(self, payload):
        check(self.waiting is None, "lines without their calls")
        self.is_used = True
        for _ in range(payload.number()):
            self.files.append(payload.bytes())
        count = payload.number()
        if count:
            self.waiting = count, payload
        else:
            payload.end()

    def of_calls(self, symbols):
        if self.waiting is None:
            self.list += [(0, 0)] * len(symbols)
            return
        count, payload = self.waiting
        self.waiting = None
        check(count == len(symbols), "not as many lines as calls")
        for symbol in symbols:
            head = payload.number()
            file, line = self.last.get(symbol, (0, 0))
            line += head >> 2 ^ -(head >> 1 & 1)
            check(0 <= line < 1 << 32, "a line of more than 32 bits")
            if head & 1:
                file = payload.number32()
                check(file <= len(self.files), "no path has this number")
            self.last[symbol] = file, line
            self.list.append((file, line))
        payload.end()

    def costs(self, nodes, keys, symbols):
        """A line, and a function that it calls, costs what its outermost call on a path does."""
        inclusive = [list(cost) for cost in nodes.own]
        for number in range(len(inclusive) - 1, 0, -1):
            for column in range(1, 5):
                inclusive[nodes.parents[number]][column] += inclusive[number][column]
        files, lines, calls, open_on = [], {}, {}, {0: (frozenset(), None)}
        for number in range(1, len(inclusive)):
            above = nodes.parents[number]
            seen, below = open_on[above]
            symbol, place = self.called_from(keys[nodes.symbols[above]][0], keys[nodes.symbols[number]], files, symbols)
            cost, is_internal = inclusive[number], symbols[symbol][3]
            if place:
                line, call = place[:2], (place, symbol)
                for key, sums in ((line, lines.setdefault(place, [[0] * 5 for _ in range(3)])[1]), (call, None)):
                    sums = calls.setdefault(call, [0] * 5) if sums is None else sums
                    sums[0] += cost[0]
                    for column in range(1, 5):
                        sums[column] += 0 if key in seen else cost[column]
                seen, below = seen | {line, call}, place
            if below and is_internal:
                for column in range(1, 5):
                    lines[below][2][column] += nodes.own[number][column]
            open_on[number] = seen, below if is_internal else None
        return self.sorted(files, lines, calls)

    def called_from(self, caller, key, files, symbols):
        """The symbol, and the file, line and caller of its calls; files are numbered as they come."""
        symbol, number, line = key
        path = self.files[number - 1] if number else symbols[caller][1]
        if path is None:
            return symbol, None
        if path not in files:
            files.append(path)
        return symbol, (files.index(path) + 1, line, caller) if line else None

    @staticmethod
    def sorted(files, lines, calls):
        places = sorted(lines)
        costs = [
            [shown(files[file - 1]), line, symbol, *map(list, lines[file, line, symbol])]
            for file, line, symbol in places
        ]
        found = [[places.index(place), symbol, cost] for (place, symbol), cost in calls.items()]
        return {"costs_of_lines": costs, "calls_from_lines": sorted(found)}


def column(payload, count):
    """What changed in one column of a section's events."""
    changes = [0] * count
    form = payload.u8()
    if form == 0:
        return changes
    shift = payload.number()
    check(shift < 64, "a shift of more than 63 bits")
    if form == 1:
        place = payload.number()
        while place < count:
            changes[place] = wrapped(payload.signed() << shift)
            place += 1 + payload.number()
        check(place == count, "a column of more than there are events")
    elif form == 2:
        bits = payload.take((count + 7) // 8)
        for place in range(count):
            if bits[place // 8] >> place % 8 & 1:
                changes[place] = wrapped(payload.signed() << shift)
    else:
        raise Broken("a column of a form not known here")
    return changes


class Spans:
    KINDS = {1: "sql", 2: "http", 3: "stream", 4: "redis", 5: "memcached"}

    def __init__(self):
        self.texts = []
        self.list = []
        self.start = self.left = self.time = 0

    def read(self, payload, symbols):
        for _ in range(payload.number()):
            self.texts.append(payload.bytes())
        for _ in range(payload.number()):
            kind = payload.number32()
            text = payload.number()
            check(text <= len(self.texts), "no text has this number")
            symbol = symbols.number(payload)
            caller = symbols.number(payload)
            self.start = self.start + payload.signed() & MASK
            duration = payload.number()
            rows = payload.number()
            self.list.append(
                {
                    "kind": self.KINDS.get(kind, kind),
                    "text": shown(self.texts[text - 1]) if text else None,
                    "symbol": symbol,
                    "caller": caller,
                    "start": self.start,
                    "duration": duration,
                    "rows": rows - 1 if rows else None,
                }
            )
        self.left += payload.number()
        self.time += payload.number()
        payload.end()

    def json(self, which):
        spans = [{**span, "symbol": which[span["symbol"]], "caller": which[span["caller"]]} for span in self.list]
        return {"spans": spans, "left_out": {"count": self.left, "duration": self.time}}


def columns_of(payload, most):
    columns = payload.u8()
    check(columns <= most, "columns not known here")
    return columns


def cost_of(payload, columns):
    cost = [0] * 5
    for number in range(5):
        if columns >> number & 1:
            cost[number] = payload.signed() if number else payload.number()
    return cost


def named(cost):
    """Inclusive times are modulo 2⁶⁴."""
    calls, wall, cpu, memory, peak = cost
    return dict(zip(COSTS, (calls, wall & MASK, cpu & MASK, memory, peak)))


def shown(name):
    try:
        return name.decode()
    except UnicodeDecodeError:
        return {"hex": name.hex()}


def read(file, as_tree=False):
    """The contents of a file."""
    parts = sections(file)
    profile = body = kind = None
    meta, symbols, spans = Meta(), Symbols(), Spans()
    lines = CostsOfLines()
    is_whole = False
    try:
        major, minor = next(parts)[1]
        for section, payload in parts:
            if profile is None:
                check(section == "P", "the first section is no profile")
                kind, bits = chr(payload.u8()), payload.u8()
                check(kind in SECTIONS_OF, "a kind of profile not known here")
                profile = {
                    "calls": bool(bits & 1),
                    "wall": "samples" if bits & 2 else "nanoseconds",
                    "cpu": bool(bits & 4),
                    "memory": bool(bits & 8),
                }
                body = {"E": Edges, "T": Nodes, "K": Samples}[kind]() if kind != "C" else Events(payload)
                continue
            check(section != "P", "a second profile")
            if section == "M":
                meta.read(payload)
            elif section == "S":
                symbols.read(payload)
            elif section == "X":
                spans.read(payload, symbols)
            elif section == "Z":
                payload.end()
                is_whole = True
            elif section in SECTIONS_OF[kind]:
                if section == "A":
                    body.read(payload)
                elif section == "B":
                    lines.read(payload, symbols)
                elif section == "G":
                    body.lines.read(payload)
                elif section == "N":
                    body.read_lines(payload, symbols)
                elif section == "K":
                    body.stacks.read(payload, symbols, has_costs=False)
                elif section == "T":
                    body.read(payload, symbols, has_costs=True)
                elif section == "L":
                    body.read_end(payload)
                else:
                    body.read(payload, symbols)
    except Truncated:
        if kind != "C" or not symbols.list:
            raise
        meta.fields["is_truncated"] = True
    check(symbols.list, "there are no symbols")
    if kind == "C":
        check(not is_whole or body.end is not None, "the last instant is missing")
        merged, which = symbols.merged()
    else:
        check(symbols.have_names_of_their_own(), "two symbols of one name")
        merged, which = symbols.list, range(len(symbols.list))
    costs_of_lines = lines.json()
    if kind == "C":
        calls = body.tree(which) if as_tree else body.json(which)
        costs_of_lines = body.costs_of_lines(merged, which) or costs_of_lines
    elif kind == "K" and as_tree:
        calls = body.tree()
    else:
        calls = body.json()
    return {
        "version": [major, minor],
        "is_whole": is_whole,
        "body": {"E": "edges", "T": "tree", "K": "samples", "C": "events"}[kind],
        "measured": profile,
        "meta": meta.json(),
        "symbols": [
            {"name": shown(name), "file": None if path is None else shown(path), "line": line, "internal": internal}
            for name, path, line, internal in merged
        ],
        **calls,
        **costs_of_lines,
        **spans.json(which),
    }


def main(arguments):
    files = [argument for argument in arguments if argument != "--tree"]
    if len(files) != 1:
        sys.exit(__doc__.split("\n\n")[1])
    try:
        with open(files[0], "rb") as file:
            profile = read(file, as_tree="--tree" in arguments)
    except Truncated:
        sys.exit(f"{files[0]}: truncated")
    except (Broken, UnicodeDecodeError) as error:
        sys.exit(f"{files[0]}: {error}")
    json.dump(profile, sys.stdout)
    print()
    sys.exit(0 if profile["is_whole"] else 3)


if __name__ == "__main__":
    main(sys.argv[1:])
