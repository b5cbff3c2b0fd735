#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests messages with braces in the log: log.py PROGRAM"""
import os
import re
import socket
import subprocess
import sys
import time

from common import check, run, run_tests

PROGRAM = os.path.abspath(sys.argv[1])
STRATOVIRT = "*,backend=log,log.prefix=stratovirt"
DATE = r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)\.\d{9}: "


def expect(found, wanted):
    check(found == wanted, "\n found", repr(found), "\nwanted", repr(wanted))


def test_name_is_in_brackets():
    expect(run(PROGRAM, "texts")[0], "[request] Rng: Request received\n[plain] \n"
           "[request] a\tb\\x1b\u00e9: Request received\n")


def test_default_prefix_precedes_it():
    text, _ = run(PROGRAM, "texts", trace="*,backend=log")
    check(re.match(r"\d+@\d+\.\d{6}:\[request\] Rng: Request received\n", text), text)


def test_message_keeps_its_lines():
    text = ('[object] is Request {\n    sector: 7,\n    name: "a\\nb",\n}\n')
    expect(run(PROGRAM, "lines")[0], text)


def test_text_brings_no_lines_of_its_own():
    expect(run(PROGRAM, "forged")[0], "[request] a\\n[plain] \\n: Request received\n")


def test_lines_of_a_message_are_one_write():
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
    subprocess.run([PROGRAM, "lines"], stderr=theirs, timeout=60,
                   env={**os.environ, "WAYMARK_TRACE": "*,backend=log,log.prefix=none"})
    theirs.close()
    text = ours.recv(10000)
    check(text.startswith(b"[object] is") and text.endswith(b"\n}\n"), text)


def test_long_messages():
    rest = ": Request received\n"
    for length in (600, 700, 800, 5000):
        text, _ = run(PROGRAM, "long=%d" % length)
        expect(text, "[request] " + "\u00e9" * (length // 2) + rest)
    text, _ = run(PROGRAM, "long=100000")
    check(text.endswith("\u00e9...\n"), text[-20:])
    check(8190 <= len(text.encode()) <= 8192, len(text.encode()))


def test_scopes():
    message = '[frame] fd 5 | "x"\n'
    expect(run(PROGRAM, "scopes=-2147483648")[0],
           "[SCOPE_START][cursor] \n[SCOPE_START]" + message + "[SCOPE_END]\n[SCOPE_END]\n"
           "[SCOPE_START(id=-2147483648)]" + message + "[SCOPE_END(id=-2147483648)]" + message)


def test_handlers_and_children():
    text, _ = run(PROGRAM, "handler=3")
    expect(text, "[request] handler: Request received\n" * 3)
    text, _ = run(PROGRAM, "child")
    check(text.startswith("[request] child: Request received\n[SCOPE_START][cursor] \n"), text)


def test_stratovirt_prefix():
    text, _ = run(PROGRAM, "texts", "formats", "lines", trace=STRATOVIRT)
    where = DATE + r"\[(\d+)\]\[(\d+)\]\[%s\]:TRACE: "
    pattern = (where % r"src/rng\.c:40" + r"\[request\] Rng: Request received\n" +
               where % r"src/rng\.c:41" + r"\[plain\] \n" +
               where % r"trace/virtio\.toml:3" + "\\[request\\] a\tb\\\\x1b\u00e9: Request received\n" +
               where % r"trace/virtio\.toml:8" + r"\[disk_read\] offset -1\n" +
               where % r"trace/virtio\.toml:9" + r"\[disk_idle\] \n" +
               where % r"src/rng\.c:50" + r"\[object\] is Request \{\n    sector: 7,\n")
    found = re.match(pattern, text)
    check(found, text)
    check(found.group(2) == found.group(3), "of the main thread, pid and tid are one", text)
    text, _ = run(PROGRAM, "scopes=3", trace=STRATOVIRT)
    check(re.search(r":TRACE: \[SCOPE_START\]\[cursor\] \n", text), text)


def seconds_ahead(text, now):
    """Returns the offset of the line's time from UTC in seconds, rounded to quarters of an hour."""
    date = re.match(DATE, text).group(1)
    at = time.mktime(time.strptime(date, "%Y-%m-%dT%H:%M:%S")) - time.timezone
    return round((at - now) / 900) * 900


def test_time_is_local():
    os.environ["TZ"] = "UTC0"
    time.tzset()
    for zone, ahead in (("UTC0", 0), ("AAA-5:45", 20700), ("BBB+3:30", -12600)):
        now = time.time()
        text, _ = run(PROGRAM, "texts", trace=STRATOVIRT, TZ=zone)
        check(seconds_ahead(text, now) == ahead, zone, text)


def test_change_of_summer_time_is_followed():
    """In a zone whose summer time begins within seconds, the process follows the change."""
    change = time.gmtime(time.time() + 4)
    rule = "AAA0BBB,%d/%d:%02d:%02d,%d" % (change.tm_yday - 1, change.tm_hour,
                                           change.tm_min, change.tm_sec,
                                           (change.tm_yday + 99) % 365)
    now = time.time()
    text, _ = run(PROGRAM, "texts", "sleep=5", "texts", trace=STRATOVIRT, TZ=rule)
    lines = text.splitlines()
    ahead = [seconds_ahead(lines[0], now), seconds_ahead(lines[3], now + 5)]
    check(ahead == [0, 3600], ahead, rule, text)


def test_levels():
    for level in ("error", "WARN", "Info", "debug"):
        text, said = run(PROGRAM, "texts", "formats", WAYMARK_LOG_LEVEL=level)
        check((text, said) == ("", ""), level, text, said)
    whole, _ = run(PROGRAM, "texts", "formats")
    check(whole.count("\n") == 5, whole)
    for level in ("trace", "TRACE", ""):
        expect(run(PROGRAM, "texts", "formats", WAYMARK_LOG_LEVEL=level), (whole, ""))
    expect(run(PROGRAM, "texts", "formats", WAYMARK_LOG_LEVEL="verbose"),
           (whole, "waymark: WAYMARK_LOG_LEVEL: 'verbose' is not one of error, warn, info, debug, "
            "trace; everything is printed\n"))


run_tests(dict(globals()))
