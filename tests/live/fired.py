# SPDX-License-Identifier: MIT
"""The events of program.c as text: as the log prints them, and as readers of records print them."""
import re

FIRST_ASYNC = -(1 << 31)

# Name and message of each event, in the order of firing.
EVENTS = [
    ("integers", "255 -128 0xffff -32768 00be -2147483648 18446744073709551615 "
     "-9223372036854775808 4711 true"),
    ("floats", "0.25 -1.5"),
    ("wide", f"{18 << 64 | 0x3456789abcdef001:#x} -7"),
    ("texts", 'plain "two words" cut'),
    ("bytes", "[0, 10, 255] [0a]"),
    ("values", '-42 Sector { number: 4096, disk: "vda" } 3'),
    ("nothing", ""),
]

# Values in the records of scopes, besides their ids.
SCOPES = [("copy", "0x1000 of outer"), ("idle", ""), ("idle_end", ""), ("request", '7 "read"'),
          ("request_end", ""), ("copy_end", "")]

# Lines of backends that print text, without their prefix.
REQUEST = '[request] 7 "read"'
LINES = [f"[{name}] {message}" for name, message in EVENTS] + [
    "[SCOPE_START][copy] 0x1000 of outer", "[SCOPE_START][idle] ", "[SCOPE_END]",
    f"[SCOPE_START(id={FIRST_ASYNC})]" + REQUEST, f"[SCOPE_END(id={FIRST_ASYNC})]" + REQUEST,
    "[SCOPE_END]",
]


def check(condition, *words):
    if not condition:
        raise SystemExit("FAILED: " + " ".join(map(str, words)))


def same(what, found, wanted):
    check(found == wanted, what, "\n found", *(f"\n  {f}" for f in found),
          "\nwanted", *(f"\n  {w}" for w in wanted))


def split_scope(text):
    """Returns a record's fields without those of its scope, and the scope's id and thread, None
    without a scope.
    """
    scope = re.search(r"\bscope ?= ?(-?\d+),? ?", text)
    tid = re.search(r"\bscope_tid ?= ?(\d+),? ?", text)
    for found in scope, tid:
        text = text.replace(found[0], "") if found else text
    return text.rstrip(), scope and int(scope[1]), tid and int(tid[1])


def check_records(what, records, messages=True):
    """Checks that all of (name, tid, fields with scope and scope_tid) are present, in order and in
    pairs.

    The tid is None if the format has none. If `messages` is false, the caller compares the fields.
    """
    split = [split_scope(fields) for _, _, fields in records]
    texts = [text if messages else "" for text, _, _ in split]
    wanted = [(name, text if messages else "") for name, text in EVENTS + SCOPES]
    same(what, list(zip([name for name, _, _ in records], texts)), wanted)
    scopes = [(tid, scope, by) for (_, tid, _), (_, scope, by) in zip(records, split)]
    copy, idle, idle_end, request, request_end, copy_end = scopes[len(EVENTS):]
    main = copy[0] or copy_end[2]
    check(copy[1] == copy_end[1] != idle[1] == idle_end[1], what, "ids:", scopes)
    check(request[1] == request_end[1] == FIRST_ASYNC, what, "ids:", scopes)
    check([s[2] for s in (idle_end, request_end, copy_end)] == [main] * 3, what, scopes)
    if copy[0]:
        check({s[0] for s in scopes if s != request_end} == {main}, what, scopes)
        check(request_end[0] not in (main, None), what, "another thread ends it:", scopes)
