#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Follows StratoVirt's tracing document with a program in C.

    walkthrough.py TRACETOOL ROOT LIBWAYMARK LIBWAYMARK-MONITOR

An event is declared in a new file, its call is added; the command line and QMP switch it on,
and it is written to the log and to the kernel's trace_marker.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

TOOLS = [os.path.abspath(path) for path in sys.argv[1:5]]
for folder in "ftrace", "monitor":
    sys.path.insert(0, f"{TOOLS[1]}/tests/{folder}")
from ftrace import check, mount_tracefs, read, write  # noqa: E402
from qmp import Qmp  # noqa: E402

DECLARATION = """\
[[events]]
name = "virtio_receive_request"
args = "device: &str, next: &str"
message = "{}: a request has come, {} is next"
enabled = true
"""
MESSAGE = "[virtio_receive_request] rng: a request has come, the backend is next"
LINE = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{9}: \[(\d+)\]\[(\d+)\]"
                  r"\[main\.c:(\d+)\]:TRACE: (.*)")


class Machine:
    """The running program."""

    def __init__(self, option=None, **environment):
        words = ["./machine"] + (["-trace", option] if option else [])
        self.process = subprocess.Popen(words, text=True, stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                        env={**os.environ, **environment})

    def request(self):
        self.process.stdin.write("rng\n")
        self.process.stdin.flush()
        check(self.process.stdout.readline() == "done\n", "the machine does not answer")

    def end(self):
        _, log = self.process.communicate()
        check(self.process.returncode == 0, "exit", self.process.returncode, log)
        return log


class Kernel:
    """A tracefs for this test, and the position where its marks begin."""

    def __init__(self, directory):
        mount_tracefs(directory)
        self.buffer = f"{directory}/instances/waymark-strato-{os.getpid()}"
        os.mkdir(self.buffer)

    def marks(self):
        text = read(self.buffer + "/trace")
        return re.findall(r"tracing_mark_write: (.*)", text)

    def close(self):
        os.rmdir(self.buffer)


def build(tracetool, root, library, *flags):
    if os.environ.get("WAYMARK_SANITIZER") == "thread":  # TSan must be loaded first
        flags += ("-fsanitize=thread",)
    done = subprocess.run(["make", f"TRACETOOL={tracetool}", f"INCLUDE={root}/include",
                           f"LIBRARY={library}", "CFLAGS=" + " ".join(flags)],
                          text=True, capture_output=True)
    check(done.returncode == 0, done.stdout, done.stderr)


def add_the_event(tools):
    """Adds an event: a new file and a call; the build generates its code by itself."""
    build(*tools)
    check("virtio_receive_request" not in read("trace.h"), "it is there already")
    write("trace/virtio.toml", DECLARATION)
    time.sleep(0.01)
    os.utime("main.c")
    build(*tools, "-DRECEIVES_REQUESTS")
    check("virtio_receive_request" in read("trace.h"), "a new file is not noticed")


def check_log(log, pid):
    """Checks the line, which has StratoVirt's layout and the place of the call."""
    found = LINE.fullmatch(log.rstrip("\n"))
    check(found, "the log:", log)
    line = read("main.c").split("\n")[int(found[3]) - 1]
    check("RECEIVE(line)" in line, "the place of the call:", line)
    check(found[1] == str(pid) and found[4] == MESSAGE, "the log:", log)


def by_the_command_line(kernel):
    write("list", "# what the test wants\nvirtio_rec.*request$\n\n \r\n")
    settings = f"log.prefix=stratovirt,ftrace.instance={os.path.basename(kernel.buffer)}"
    for level, count in ("trace", 1), ("info", 0):
        machine = Machine(f"events=list,{settings}", WAYMARK_LOG_LEVEL=level)
        machine.request()
        log = machine.end()
        check(log.count("\n") == count, "level", level, "log:", log)
        if level == "trace":
            check_log(log, machine.process.pid)
    check(kernel.marks() == [MESSAGE] * 2, kernel.marks())
    machine = Machine(settings)
    machine.request()
    check(machine.end() == "" and len(kernel.marks()) == 2, "events are on by default")


def by_qmp(kernel):
    settings = f"log.prefix=stratovirt,ftrace.instance={os.path.basename(kernel.buffer)}"
    machine = Machine(f"{settings},control=./socket")
    qmp = Qmp("socket")
    name = "virtio_receive_request"
    before = len(kernel.marks())
    machine.request()
    for gen in "trace-event", "trace":
        answer = qmp.ask(gen + "-get-state", name=name)
        check(answer == {"return": [{"name": name, "state": False}]}, answer)
    check(qmp.ask("trace-event-set-state", name="virtio_(", enable=True).get("error"), "accepted")
    check(qmp.ask("trace-event-set-state", name="receive_r", enable=True) == {"return": {}}, "set")
    machine.request()
    answer = qmp.ask("trace-event-get-state", name="^virtio")
    check(answer == {"return": [{"name": name, "state": True}]}, answer)
    check(qmp.ask("trace-set-state", name=name, enable=False) == {"return": {}}, "set")
    machine.request()
    check_log(machine.end(), machine.process.pid)
    check(kernel.marks()[before:] == [MESSAGE], kernel.marks()[before:])


def bad_input():
    for option, said in (("events=missing", "missing"), ("event=list", "event"), ("events", "events"),
                         ("type=most", "most"), ("file=broken", "broken:2")):
        write("broken", "machine_wake\n*(\n")
        machine = Machine(option)
        _, log = machine.process.communicate()
        check(machine.process.returncode == 1 and said in log, option, log)
        check(log.startswith("-trace: ") and log.count("\n") == 1, option, log)


def main():
    *tools, monitor = TOOLS
    os.environ["LD_LIBRARY_PATH"] = os.path.dirname(tools[2]) + ":" + os.path.dirname(monitor)
    for name in "WAYMARK_TRACE", "WAYMARK_LOG_LEVEL":
        os.environ.pop(name, None)
    with tempfile.TemporaryDirectory() as directory:
        shutil.copytree(tools[1] + "/tests/stratovirt/machine", directory + "/machine")
        os.chdir(directory + "/machine")
        kernel = Kernel(directory + "/tracefs")
        try:
            add_the_event(tools)
            by_the_command_line(kernel)
            by_qmp(kernel)
            bad_input()
        finally:
            kernel.close()
            subprocess.run(["umount", directory + "/tracefs"], check=False)


main()
