#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests the documented example, recorded by LTTng: lttng_guest.py TRACETOOL ROOT LIBWAYMARK"""

import os
import re
import subprocess
import sys

TRACETOOL, ROOT, LIBRARY = (os.path.abspath(a) for a in sys.argv[1:4])
sys.path.insert(0, os.path.join(ROOT, "bench"))
import lttng  # noqa: E402

HERE = os.path.join(ROOT, "tests/guest")
EXPECTED = """\
foo a = 0xD1
bar cpu = {0}, a = 0xD2
baz_trans cpu = {0}, a = 0xD3
baz_exec cpu = {0}, a = 0xD3
"""


def build():
    for kind, name in (("h", "trace-guest.h"), ("c", "trace-guest.c"),
                       ("ust-events-h", "trace-ust-guest.h"),
                       ("ust-events-c", "trace-ust-guest.c")):
        subprocess.run([TRACETOOL, "--format=" + kind, "--backends=ust", "--group=guest",
                        "--output=" + name, HERE + "/documented.events"], check=True)
    subprocess.run(["gcc", "-std=gnu11", "-Wall", "-Wextra", "-Werror", "-I.",
                    f"-I{ROOT}/include", *lttng.TSAN, HERE + "/program.c", "trace-guest.c",
                    "trace-ust-guest.c", LIBRARY, f"-Wl,-rpath,{os.path.dirname(LIBRARY)}",
                    "-llttng-ust", "-ldl", "-o", "program"], check=True)


def record(daemon):
    """Returns the program's output and the output of babeltrace2, one event per line."""
    path = str(daemon.home / "guest")
    daemon.lttng("create", "guest", "--output=" + path)
    daemon.lttng("enable-event", "-u", "guest:*")
    daemon.lttng("start")
    ran = subprocess.run(["./program"], env=daemon.environment, check=True, timeout=60,
                         capture_output=True, text=True)
    daemon.lttng("stop")
    daemon.lttng("destroy", "guest")
    said = subprocess.run(["babeltrace2", path], check=True, capture_output=True, text=True).stdout
    found = re.findall(r" guest:(\w+): \{ cpu_id = \d+ \}, \{ (.*) \}$", said, re.MULTILINE)
    return ran.stdout.strip(), "".join(f"{event} {fields}\n" for event, fields in found)


def main():
    reason = lttng.why_no_tests()
    if reason:
        print("skipped:", reason)
        return 77
    with lttng.daemon_of_tests() as daemon:
        os.chdir(daemon.home)
        build()
        cpu, found = record(daemon)
    expected = EXPECTED.format(f"0x{int(cpu, 16):X}")
    if found != expected:
        print(f"FAILED: found\n{found}expected\n{expected}")
    return int(found != expected)


if __name__ == "__main__":
    lttng.move_apart()
    sys.exit(main())
