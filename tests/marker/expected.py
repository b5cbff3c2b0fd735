# SPDX-License-Identifier: MIT
"""The lines that trace points of program.c print. N is an id."""
import re

# crosvm's examples; lines of NewCategory exist only if that category is compiled in.
DOCUMENT = [
    "a new request",
    "3 packets",
    "N VirtioFs Enter: process_fs_queue - (slot: 512)",
    'N VirtioFs Enter: release - (tag: "mtdroot")(inode: 42)(handle: 35)',
    "N VirtioFs Exit: release",
    "N VirtioNet Enter: handle RxTap event",
    "N NewCategory Enter: exec - (count_me(): 1)",
    "N NewCategory Exit: exec",
    "N VirtioNet Exit: handle RxTap event",
    "N VirtioFs Exit: process_fs_queue",
]
WITHOUT = [s for s in DOCUMENT if "NewCategory" not in s]

# Arguments of the scopes, in the order of their begins.
VALUES = [
    r"simple - (yes: true)(letter: 'x')(quote: '\'')(newline: '\n')(small: -128)"
    "(most: 18446744073709551615)",
    "floats - (third: 0.33333334)(one: 1.0)(big: 1e300)((double)number: -3.0)",
    r'texts - (self->tag: "a \"b\"\n\t\\")(null: NULL)("lit, (eral": "lit, (eral")'
    "((char *)NULL: NULL)",
    "pointers - (nothing: 0x0)((void *)0x1000: 0x1000)",
    "expressions - (table[1]: 8)((touch(), 5): 5)(-number: 3)('\"': 34)(self->sector: 9)",
    'braces - (((struct request){ "t", 3 }).sector: 3)(sizeof(int[2]): 8)',
    "alike - (self->sector: 9)((*self).sector: 9)(self_sector(self): 9)",
    "object - (waymark_debug_object(put_request, self): "
    r'Request { tag: "a \"b\"\n\t\\", sector: 9 })',
]

# Names of instants: as they are, and as they are printed if that differs.
NAMES = [
    "a \"quoted\" 'name'", "a:b::c", "back\\slash */ end /* begin", ("two\nlines\ttab",
    "two\\nlines\ttab"), "\u00e9t\u00e9 \u20ac", 'a|b, c=d; {e} ${f} %s # """', "*", "", " ",
    "same",
]


def without_ids(lines):
    """The lines with N for each id; ends of scopes must have the ids of their beginnings."""
    ids = {}
    found = []
    for line in lines:
        m = re.fullmatch(r"(\d+) (\w+) (Enter|Exit): (.*)", line, re.S)
        if not m:
            found.append(line)
            continue
        number, category, word, rest = m.groups()
        name = category + ":" + rest.split(" - (")[0]
        if word == "Enter":
            assert number not in ids, line
            ids[number] = name
        else:
            assert ids.pop(number) == name, line
        found.append(f"N {category} {word}: {rest}")
    assert not ids, ids
    return found
