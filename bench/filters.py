#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Measures calls that a filter leaves out, by Waymark and by other tracers: what they add to the same
call when its event is off. One filter compares an integer, the other one a string of 16 bytes; both
are always false.

Every round runs each tool off and on. A tool that cannot run here is named with the reason.
"""

import argparse
import contextlib
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True  # the sources' folder may belong to another user

import lttng
from report import Results, medians, table

INTEGER, STRING = "1000000000000", '"sixteen bytes.!"'  # no event has these
GROUP = f"waymark_{os.getpid()}"  # of the events in the kernel's trace


class Absent(Exception):
    """Why a tool cannot run here."""


def run(command, **how):
    """Returns the output of a command."""
    try:
        done = subprocess.run(command, check=False, capture_output=True, text=True, **how)
    except FileNotFoundError:
        raise Absent(f"{command[0]} is not installed") from None
    if done.returncode:
        said = (done.stderr or done.stdout).strip().splitlines() or ["no message"]
        raise Absent(f"{os.path.basename(command[0])}: {said[-1]}")
    return done.stdout


def parse(text):
    return {name: float(value) for name, value in map(str.split, text.splitlines())}


class Tool:
    """A tracer. on() is a context in which its filters are in force."""

    program = "bench-filter-probe"
    calls = 5000  # a trap into the kernel each
    events = "two_u64", "u64_str"  # loops of the program
    why_no_program = "sys/sdt.h was not there when the benchmarks were built"
    environment = None

    def __init__(self, options, folder):
        self.options, self.folder = options, folder
        self.path = os.path.join(options.programs, self.program)
        self.rounds = 1 if options.tiny else 15
        if not os.path.exists(self.path):
            raise Absent(self.why_no_program)
        self.begin()

    def begin(self):
        """Finds out whether the tool can run here; if not, raises Absent."""

    def close(self):
        pass

    def run_program(self):
        integer, string = self.events
        return parse(run([self.path, f"integer={integer}", f"string={string}",
                          f"calls={self.calls}", f"rounds={self.rounds}"], env=self.environment))

    def measure(self):
        """Returns {metric: ns that are added to a call}."""
        off = self.run_program()
        with self.on():
            on = self.run_program()
        return {name: on[name] - off[name] for name in off}


class Waymark(Tool):
    """Its program switches the events itself."""

    program = "bench-condition"
    why_no_program = "tracetool was built without ctf"

    def measure(self):
        trace = os.path.join(self.folder, "trace")
        values = parse(run([self.path, f"path={trace}", f"rounds={self.rounds}"]))
        shutil.rmtree(trace)
        return {name: values[name] for name in ("integer_ns", "string_ns")}


class LttngUst(Tool):
    program = "bench-filter-lttng"
    calls = 200_000
    why_no_program = "liblttng-ust-dev was not there when the benchmarks were built"

    def begin(self):
        reason = lttng.why_no_daemon()
        if reason:
            raise Absent(reason)
        home = os.path.join(self.folder, "lttng")
        os.mkdir(home)
        self.daemon = lttng.Daemon(home)
        self.environment = self.daemon.environment

    def close(self):
        self.daemon.close()

    @contextlib.contextmanager
    def on(self):
        self.daemon.begin_session(["bench:two_u64", f"--filter=a > {INTEGER}"],
                                  ["bench:u64_str", f"--filter=s == {STRING}"])
        try:
            yield
        finally:
            self.daemon.end_session()


class Usdt(Tool):
    """bpftrace at the program's USDT probes. Attaches by its path before it starts."""

    probe = "usdt:{path}:bench:{event}"

    def begin(self):
        run(["bpftrace", "-e", "BEGIN { exit(); }"])

    def script(self):
        integer, string = (self.probe.format(path=self.path, event=event) for event in self.events)
        return (f"{integer} /arg0 > {INTEGER}/ {{ @ = count(); }} "
                f"{string} /str(arg1) == {STRING}/ {{ @ = count(); }}")

    @contextlib.contextmanager
    def on(self):
        # With that variable it prints a line when it has attached.
        environment = {**os.environ, "__BPFTRACE_NOTIFY_PROBES_ATTACHED": "1"}
        with subprocess.Popen(["bpftrace", "-e", self.script()], env=environment, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as tracer:
            said = ""
            while "PROBES_ATTACHED" not in said:
                line = tracer.stdout.readline()
                if not line:
                    raise Absent(f"bpftrace: {said.strip()}")
                said += line
            try:
                yield
            finally:
                tracer.terminate()


class Uprobe(Usdt):
    """bpftrace at functions that do nothing."""

    probe = "uprobe:{path}:{event}"
    events = "function_two_u64", "function_u64_str"


class Ftrace(Tool):
    """Uprobes of the kernel's trace, in a buffer of their own."""

    events = Uprobe.events
    # The arguments of a function: registers of each machine.
    registers = {"x86_64": ("%di", "%si"), "aarch64": ("%x0", "%x1")}.get(os.uname().machine)

    def begin(self):
        if not self.registers:
            raise Absent(f"the registers of {os.uname().machine} are not known")
        if lttng.NAMESPACE not in os.environ:
            raise Absent("no mount namespace to mount tracefs in")
        self.tracefs = os.path.join(self.folder, "tracefs")
        self.buffer = os.path.join(self.tracefs, "instances", GROUP)
        os.mkdir(self.tracefs)
        run(["mount", "-t", "tracefs", "tracefs", self.tracefs])
        first, second = self.registers
        try:
            os.mkdir(self.buffer)
            self.define("two_u64", f"a={first}:u64", f"a > {INTEGER}")
            self.define("u64_str", f"s=+0({second}):ustring", f"s == {STRING}")
        except (Absent, OSError) as error:
            self.close()
            raise Absent(f"uprobe_events: {error}") from None

    def write(self, path, text):
        """Writes to a file of tracefs. Does not truncate it: that would remove uprobes of others."""
        file = os.open(os.path.join(self.tracefs, path), os.O_WRONLY)
        try:
            os.write(file, text.encode())
        finally:
            os.close(file)

    def event(self, name, file):
        return os.path.join(self.buffer, "events", GROUP, name, file)

    def define(self, name, argument, condition):
        offset = function_offset(self.path, f"function_{name}")
        self.write("uprobe_events", f"p:{GROUP}/{name} {self.path}:{offset:#x} {argument}\n")
        self.write(self.event(name, "filter"), condition)

    def switch(self, state):
        for name in Tool.events:
            self.write(self.event(name, "enable"), state)

    @contextlib.contextmanager
    def on(self):
        self.switch("1")
        try:
            yield
        finally:
            self.switch("0")

    def close(self):
        if os.path.isdir(self.buffer):
            os.rmdir(self.buffer)
        defined = pathlib.Path(self.tracefs, "uprobe_events").read_text(encoding="ascii")
        for name in re.findall(rf"p:({GROUP}/\w+) ", defined):
            self.write("uprobe_events", f"-:{name}\n")
        run(["umount", self.tracefs])


def function_offset(path, name):
    """Returns where a function begins in its file."""
    symbols = run(["nm", path])
    address = int(re.search(rf"^(\w+) T {name}$", symbols, re.MULTILINE)[1], 16)
    for line in run(["readelf", "-lW", path]).splitlines():
        words = line.split()
        if words[:1] == ["LOAD"]:
            offset, begin, _, size = (int(word, 16) for word in words[1:5])
            if begin <= address < begin + size:
                return address - begin + offset
    raise Absent(f"{name} is not in {path}")


TOOLS = (
    ("Waymark", "-trace 'EVENT if ...'", Waymark),
    ("LTTng-UST", "lttng enable-event --filter", LttngUst),
    ("bpftrace", "a USDT probe, /predicate/", Usdt),
    ("bpftrace", "a uprobe, /predicate/", Uprobe),
    ("ftrace", "uprobe_events, filter", Ftrace))
COLUMNS = {"an integer": "integer_ns", "a string of 16 bytes": "string_ns"}


class Filters:
    """The tools that can run here, and what they measured."""

    def __init__(self, options, folder):
        self.results = Results({""})
        self.tools = {}
        self.absent = {}
        for row in TOOLS:
            own = os.path.join(folder, row[2].__name__)
            os.mkdir(own)
            try:
                self.tools[row] = row[2](options, own)
            except (Absent, OSError) as error:
                self.absent[row] = error

    def run_round(self):
        for row, tool in list(self.tools.items()):
            try:
                for name, ns in tool.measure().items():
                    self.results.add(f"{row[2].__name__}.{name}", "", ns)
            except Absent as error:
                self.absent[row] = error
                self.tools.pop(row).close()

    def close(self):
        for tool in self.tools.values():
            tool.close()

    def show(self):
        table("Left out by a filter",
              "What a call adds that a filter leaves out, to the same call whose event is off, ns: one\n"
              "comparison with an integer, and with a string of 16 bytes, both false.",
              ("tool", "how", *COLUMNS),
              [[tool, how, *medians(self.results, kind.__name__, "", COLUMNS)]
               for tool, how, kind in self.tools])
        for (tool, how, _), reason in self.absent.items():
            print(f"* not here: {tool}, {how}: {reason}")


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--programs", type=os.path.abspath, required=True)
    parser.add_argument("--rounds", type=int, default=3 if os.environ.get("QUICK") else 7)
    parser.add_argument("--tiny", action="store_true", help="only to see that everything runs")
    return parser.parse_args()


def main():
    options = arguments()
    lttng.move_apart()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # removes what is in the kernel
    with tempfile.TemporaryDirectory(prefix="filters-", dir=os.environ.get("BENCH_DIR")) as folder:
        filters = Filters(options, folder)
        try:
            for _ in range(1 if options.tiny else options.rounds):
                filters.run_round()
        finally:
            filters.close()
        filters.show()
    return 0 if filters.tools else 1


if __name__ == "__main__":
    sys.exit(main())
