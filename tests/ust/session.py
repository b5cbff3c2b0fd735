#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests LTTng's own commands with a program that has the backend ust; babeltrace2 reads the trace:
session.py TRACETOOL ROOT LIBWAYMARK
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys

TRACETOOL, ROOT, LIBRARY = (os.path.abspath(a) for a in sys.argv[1:4])
sys.path.insert(0, os.path.join(ROOT, "bench"))
import lttng  # noqa: E402

HERE = pathlib.Path(ROOT) / "tests/ust"
EXPECTED = """\
bools yes = 1, no = 0
chars c = 65, s = -5, u = 250
shorts s = -32768, u = 65535
ints i = -2147483648, u = 4294967295, x = 0xDEADBEEF
longs l = -1234567890123, ul = 18446744073709551615, ll = -9223372036854775808, ull = 42
fixed_signed a = -128, b = -32768, c = -2147483648, d = -9223372036854775808
fixed_unsigned a = 255, b = 65535, c = 4294967295, d = 18446744073709551615
fixed_hex a = 0xFF, b = 0xFFFF, c = 0xFFFFFFFF, d = 0xFFFFFFFFFFFFFFFF
signed_hex a = 0xFF, b = 0xFFFFFFFE
sizes size = 18446744073709551615, result = -1, address = 0x1000, distance = -8
pointers p = 0x10, q = 0x0, r = 0x7FFF00000000, text = 0x1
strings name = "text", none = "(null)", empty = ""
no_format value = -7, name = "text", p = 0x20
names new = 1, class = 2, and = 3, SIZE_MAX = 4, errno = 5, true_ = 1, debug = -7
ten a = 1, b = -2, c = 3, d = -4, e = 5, f = "six", g = -7, h = 8, i = 1, j = 0xA
nothing
"""
NAMES = {line.split()[0] for line in EXPECTED.splitlines()}
failures = 0


def fail(message):
    global failures
    failures += 1
    print("FAILED:", message)


def same(what, found, expected):
    if found != expected:
        fail(f"{what}:\n{found}\nexpected:\n{expected}")


def build(group, sources, output, *flags):
    for form, name in (("h", ".h"), ("c", ".c")):
        for begin, kind in (("trace-", form), ("trace-ust-", "ust-events-" + form)):
            subprocess.run([TRACETOOL, "--format=" + kind, "--backends=ctf,log,ust",
                            "--group=" + group, f"--output={begin}{group}{name}",
                            f"{group}.events"], check=True)
    subprocess.run(["gcc", "-std=gnu11", "-O1", "-Wall", "-Wextra", "-Werror", "-I.",
                    f"-I{ROOT}/include", *lttng.TSAN, *flags, *sources, f"trace-{group}.c",
                    f"trace-ust-{group}.c", LIBRARY, f"-Wl,-rpath,{os.path.dirname(LIBRARY)}",
                    "-llttng-ust", "-ldl", "-o", output], check=True)


def build_all():
    shutil.copy(HERE / "all.events", ".")
    pathlib.Path("plug.events").write_text('plugged(int value) "%d"\n')
    pathlib.Path("plugin.c").write_text(
        '#include "trace-plug.h"\nvoid run(void);\nvoid run(void)\n{\n\ttrace_plugged(5);\n}\n')
    build("all", [str(HERE / "program.c")], "program")
    build("plug", ["plugin.c"], "plugin.so", "-shared", "-fPIC")


class Program:
    def __init__(self, environment):
        self.process = subprocess.Popen(
            ["./program"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
            env={**environment, "WAYMARK_TRACE": "ints,backend=log,log.file=log,log.prefix=none"})
        assert self.process.stdout.readline() == "ready\n"

    def tell(self, letter):
        self.process.stdin.write(letter + "\n")
        self.process.stdin.flush()
        return self.process.stdout.readline().strip()

    def end(self):
        self.process.stdin.close()
        return self.process.wait(timeout=60)


def listed(daemon):
    """Returns provider:event of every tracepoint of our programs."""
    said = daemon.lttng("list", "--userspace").stdout
    return set(re.findall(r"^ +((?:all|plug):\S+)", said, re.MULTILINE))


def read_trace(path):
    """Returns lines `event fields`."""
    said = subprocess.run(["babeltrace2", path], check=True, capture_output=True, text=True).stdout
    # Skips LTTng's own events about the program.
    said = re.sub(r"^.* lttng_ust_\w+:.*\n", "", said, flags=re.MULTILINE)
    lines = re.findall(r" (all|plug):(\w+): \{ cpu_id = \d+ \}(?:, \{ (?:(.*) )?\})?$", said,
                       re.MULTILINE)
    if len(lines) != len(said.splitlines()):
        fail("lines that are no event: " + said)
    return "".join(f"{event} {fields}".strip() + "\n" for _, event, fields in lines)


def record(daemon, program, name, *enable):
    """Runs a session from create to destroy; returns its records of one round of events."""
    path = str(daemon.home / name)
    daemon.lttng("create", name, "--output=" + path)
    for arguments in enable:
        daemon.lttng("enable-event", *arguments)
    same("states before start", program.tell("s"), "0 0 0")
    daemon.lttng("start")
    states = program.tell("s")
    program.tell("f")
    daemon.lttng("stop")
    viewed = daemon.lttng("view").stdout
    daemon.lttng("destroy", name)
    found = read_trace(path)
    same("lines of `lttng view`", len(re.findall(r" all:\w+: ", viewed)), len(found.splitlines()))
    return found, states, path


def check_sessions(daemon, program):
    same("lttng list -u", listed(daemon), {"all:" + name for name in NAMES})
    same("states without a session", program.tell("s"), "0 0 0")
    program.tell("f")
    found, states, path = record(daemon, program, "every", ("-u", "-a"))
    same("every event", found, EXPECTED)
    same("states in a session", states, "1 1 0")
    said = subprocess.run(["babeltrace2", path, "-c", "sink.text.details"], check=True,
                          capture_output=True, text=True).stdout
    for form in ('"yes=%d no=%d"', r'"\"%s\" ' + r"'%s' \\ '%s'" + '"',
                 '"%x %X %x %" PRIx64'):
        if form not in said:
            fail(f"the format {form} is not in the trace")
    found, states, _ = record(daemon, program, "one", ("all:shorts", "-u"), ("all:no*", "-u"))
    same("chosen events", found, "".join(line + "\n" for line in EXPECTED.splitlines()
                                         if line.split()[0] in ("shorts", "no_format", "nothing")))
    same("states of an event that the session leaves out", states, "0 0 0")


def check_plugin(daemon, program):
    path = str(daemon.home / "plug")
    daemon.lttng("create", "plug", "--output=" + path)
    daemon.lttng("enable-event", "-u", "plug:plugged")
    daemon.lttng("start")
    for _ in range(2):
        same("loading", program.tell("l"), "loaded")
        same("a plug-in's events", listed(daemon) - {"all:" + n for n in NAMES}, {"plug:plugged"})
        same("unloading", program.tell("u"), "unloaded")
    daemon.lttng("destroy", "plug")
    same("a plug-in's trace", read_trace(path), "plugged value = 5\n" * 2)


def main():
    reason = lttng.why_no_tests()
    if reason:
        print("skipped:", reason)
        return 77
    with lttng.daemon_of_tests() as daemon:
        os.chdir(daemon.home)
        build_all()
        program = Program(daemon.environment)
        check_sessions(daemon, program)
        check_plugin(daemon, program)
        same("exit", program.end(), 0)
        # The log was on for one event during three rounds.
        same("the log", pathlib.Path("log").read_text(),
             "ints i=-2147483648 u=4294967295 x=0xdeadbeef\n" * 3)
    print(failures, "failures")
    return 1 if failures else 0


if __name__ == "__main__":
    lttng.move_apart()
    sys.exit(main())
