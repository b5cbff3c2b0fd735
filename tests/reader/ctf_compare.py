#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares the output of babeltrace2 for native traces with that of this reader.

    ctf_compare.py DUMP TRACE...

Event by event and field by field, in the order of time: seconds since 1970 to
the nanosecond, thread, name, fields. DUMP is the program that prints a trace in this
form (tests/reader/ctf_dump.c). Exits with 77 without babeltrace2. Events of one
nanosecond may come in any order, because no rule of CTF gives them one.

babeltrace2 2.0.4 shows a string that has no text (length 0, or the mark of NULL)
as the text that its memory had before: of those only the length is compared.
"""

import re
import shutil
import subprocess
import sys

HEAD = re.compile(r"\[(\d+\.\d{9})\] .*\(\d+\) (\w+): \{ cpu_id = 0, tid = (\d+) \}, \{ ?(.*?) ?\}$")
FIELD = re.compile(r'(\w+) = ("(?:[^"\\]|\\.)*"|[^,]+?)(?:, |$)')
# Escapes of babeltrace2 in strings.
ESCAPES = {"a": 7, "b": 8, "t": 9, "n": 10, "v": 11, "f": 12, "r": 13, "\\": 92, '"': 34}


def unquote(text):
    data = re.sub(r"\\(.)", lambda m: chr(ESCAPES[m[1]]) if m[1] in ESCAPES else m[0], text[1:-1])
    return data.encode("utf-8", "surrogateescape").hex()


def value(text):
    if text.startswith('"'):
        return "s:" + unquote(text)
    return str(int(text, 0))


def normalize(line):
    """Returns a line of babeltrace2 in the form of the dump."""
    head = HEAD.match(line)
    if not head:
        sys.exit(f"not understood: {line}")
    time, name, tid, body = head.groups()
    fields = [(key, value(text)) for key, text in FIELD.findall(body)]
    known = dict(fields)
    parts = []
    for key, text in fields:
        if text.startswith("s:"):
            length = known[key + "_length"]
            text = f"s{length}:{text[2:]}" if length in ("0", "1") else text
        if known.get(key.removesuffix("_length"), "")[:2] != "s:" or not key.endswith("_length"):
            parts.append(f"{key}={text}")
    shown = " ".join(parts)
    return f"{time} {tid} {name} {shown}".rstrip()


def run(*command):
    return subprocess.run(command, capture_output=True, check=False)


def lines(output):
    return output.decode("utf-8", "surrogateescape").splitlines()


def same_word(theirs, ours):
    short = re.match(r"(\w+=)s([01]):(\w*)$", theirs)
    if not short:
        return theirs == ours
    key, length, text = short.groups()
    return ours in ((key + "s:",) if length == "0" else (key + "s:" + text, key + "s:NULL"))


def same(theirs, ours):
    a, b = theirs.split(" "), ours.split(" ")
    return len(a) == len(b) and all(map(same_word, a, b))


def order(row):
    """Returns a sort key that does not depend on the text of strings."""
    return re.sub(r"=s[01]?:\w*", "=s", row)


def by_time(rows):
    """Sorts only within each nanosecond: a trace out of order stays so."""
    result, group = [], []
    for row in rows:
        if group and row.split(" ", 1)[0] != group[0].split(" ", 1)[0]:
            result += sorted(group, key=order)
            group = []
        group.append(row)
    return result + sorted(group, key=order)


def compare(dump, trace):
    theirs = run("babeltrace2", "--clock-seconds", trace)
    if theirs.returncode:
        print(f"{trace}: babeltrace2 refuses it: {theirs.stderr.decode()[:2000]}")
        return False
    ours = run(dump, trace)
    if ours.returncode:
        print(f"{trace}: {ours.stderr.decode()}")
        return False
    wanted = by_time([normalize(line) for line in lines(theirs.stdout)])
    got = by_time(lines(ours.stdout))
    warned = sum(int(n) for n in re.findall(r"discarded (\d+) event", theirs.stderr.decode()))
    lost = int(re.search(r"lost (\d+)", ours.stderr.decode())[1])
    other = [line for line in lines(theirs.stderr) if "discarded" not in line]
    for number, (a, b) in enumerate(zip(wanted, got), 1):
        if not same(a, b):
            print(f"{trace}: event {number}\n  babeltrace2: {a}\n  here:        {b}")
            return False
    if len(wanted) != len(got) or warned != lost or other:
        print(f"{trace}: {len(wanted)} events and {warned} lost, here {len(got)} and {lost}", *other)
        return False
    print(f"{trace}: {len(got)} events agree, {lost} lost")
    return True


def main():
    if not shutil.which("babeltrace2"):
        print("skipped: there is no babeltrace2")
        sys.exit(77)
    results = [compare(sys.argv[1], trace) for trace in sys.argv[2:]]
    sys.exit(not (results and all(results)))


if __name__ == "__main__":
    main()
