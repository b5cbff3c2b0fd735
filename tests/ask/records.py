# SPDX-License-Identifier: MIT
"""Records of traces, read in another way than that of waymark: from babeltrace2's text, and from the
text of the kernel's trace.
"""
import re
import subprocess

LINE = re.compile(r"\[(\d+)\.(\d{9})\] [^:]*:([^(]*):\((\d+)\) (.+?): \{ cpu_id = \d+, tid = (\d+) \}, (\{.*)$")
LOST = re.compile(r"Tracer discarded (\d+) event")
NUMBER = re.compile(r"0x[0-9A-F]+|-?\d+(?=[ ,\]}])|[-+\w.]+")
STRING = re.compile(r'"((?:[^"\\]|\\.)*)"')
ENUM = re.compile(r'\( (?:("[^:]*")|<unknown>) : container = (-?\d+) \)')
ESCAPES = {"a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v", "e": "\x1b"}


class Record:
    def __init__(self, ns, pid, tid, process, name, fields):
        self.ns, self.pid, self.tid, self.process = ns, pid, tid, process
        self.name, self.fields = name, fields


class Tree(bytes):
    """Tokens of an object."""


def signed(number):
    """Returns an integer as SQL has it."""
    return number - 2**64 if number >= 2**63 else number


# ---- babeltrace2 ----

def string(text, at):
    found = STRING.match(text, at)
    return re.sub(r"\\(.)", lambda match: ESCAPES.get(match[1], match[1]), found[1]), found.end()


def value(text, at):
    """Returns the value at a place of the text, and where it ends: dict, list, text or number."""
    if text[at] == '"':
        return string(text, at)
    if text[at] == "(":
        found = ENUM.match(text, at)
        return (int(found[2]), found[1]), found.end()
    if text[at] in "{[":
        return members(text, at)
    found = NUMBER.match(text, at)
    word = found[0]
    return int(word, 0) if re.fullmatch(r"0x[0-9A-F]+|-?\d+", word) else float(word), found.end()


def members(text, at):
    """A structure is a dict, or a list if its members have no names, as an array is."""
    found, end, at = [], "}" if text[at] == "{" else "]", at + 1
    while True:
        at += len(re.compile("[ ,]*").match(text, at)[0])
        if text[at] == end:
            break
        name = re.compile(r"(\w+|\[\d+\]) = ").match(text, at)
        item, at = value(text, name.end() if name else at)
        found.append((name[1] if name else "", item))
    named = found and found[0][0] and found[0][0][0] != "["
    return (dict(found) if named or end == "}" and not found else [item for _, item in found]), at + 1


def any_value(kind, found):
    """Returns the value of an argument of any type, after its kind."""
    if kind == "tree":
        return Tree(found[0]["data"])
    if kind == "text":
        return found[0]["data"] if found[0]["length"] else ""
    return chr(found[0]) if kind == "character" else found[0]


def arguments(found):
    """Returns the fields as an event declares them: {name: (value, its names or None)}."""
    result = {}
    for name, item in found.items():
        length = found.get(name + "_length")
        if f"{name}_kind" in found:
            item = any_value(found[name + "_kind"][1].strip('"'), item)
        elif length == 0:  # babeltrace2 prints the text before again
            item = "" if isinstance(item, str) else b""
        elif length == 1 and len(item) != 1:  # one NUL is NULL
            item = None
        elif isinstance(item, list):
            item = bytes(item)
        if not re.sub("_(length|size|kind)$", "", name) in found or name not in hidden(found):
            result[name] = item
    return result


def hidden(found):
    """What is recorded beside a field."""
    return {name + end for name in found for end in ("_length", "_size", "_kind")}


def read_native(*traces):
    """Returns the records in the order of time, ns since 1970, and how many events babeltrace2 says are lost."""
    done = subprocess.run(["babeltrace2", "--clock-seconds", "--no-delta", *map(str, traces)], text=True, check=True,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, errors="surrogateescape")
    records = []
    for line in done.stdout.splitlines():
        seconds, ns, process, pid, name, tid, rest = LINE.match(line).groups()
        records.append(Record(int(seconds) * 10**9 + int(ns), int(pid), int(tid), process, name,
                              arguments(members(rest, 0)[0])))
    return records, sum(map(int, LOST.findall(done.stderr)))


# ---- The kernel's trace ----

KERNEL_LINE = re.compile(r"^ *(.*)-(\d+) +\[\d+\] .{4,6} +(\d+)\.(\d{6}): (\w+)(: |\()(.*)$")
MARK = re.compile(r"(-?\d+) (\S+) (Enter|Exit|Flow begin|Flow end): (.*?)(?: - \(.*)?$")


def read_capture(text):
    """Returns the records of the kernel's own events, those of scopes in marks, and those of other marks. The name of
    other marks is None.
    """
    own, scopes, others = [], [], []
    for line in text.splitlines():
        found = not line.startswith("#") and KERNEL_LINE.match(line)
        if not found:
            continue
        _, tid, seconds, us, name, begin, rest = found.groups()
        ns = int(seconds) * 10**9 + int(us) * 1000
        fields = {"text": rest if begin == ": " else "(" + rest}
        mark = name == "tracing_mark_write" and MARK.match(rest)
        if mark:
            number, category, part, title = mark.groups()
            is_end = part in ("Exit", "Flow end")
            scope = {"scope": ("Flow" in part, number)} | ({"scope_tid": int(tid)} if is_end else {})
            scopes.append(Record(ns, 0, int(tid), "", f"{category}:{title}" + "_end" * is_end, scope))
        elif name == "tracing_mark_write":
            others.append(Record(ns, 0, int(tid), "", None, fields))
        else:
            own.append(Record(ns, 0, int(tid), "", name, fields))
    return own, scopes, others
