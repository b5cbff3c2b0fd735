#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""QEMU's monitor takes limits, conditions, triggers and aggregations after a name: terms.py ROOT BUILD

QEMU are the trees that trees.py has built in $WAYMARK_QEMU_WORK. The guest is a ROM that writes 1, 2
and 4 bytes of a counter to a port, for ever, so that the trace shows which calls were recorded, and
where the commands of a running machine took effect. Names without terms are answered as by the
unedited QEMU.
"""

import atexit
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

import qmp

from trees import SKIPPED, TARGET, run

START_SECONDS = 120
PORT = 0xcf8  # takes writes of each size: one event for each
CODE = bytes.fromhex(
    "6631c0"  # eax := 0
    "baf80c"  # again: dx := PORT
    "eeef66ef"  # next: out dx, al; out dx, ax; out dx, eax
    "6640a9ff0375f5"  # eax += 1; next, unless its 10 lowest bits are 0
    "ba0204eeebec")  # a byte to isa-debugcon; again
ROM = CODE.ljust(0xfff0, b"\xf4") + b"\xe9\x0d\x00".ljust(16, b"\xf4")  # the processor starts with a jump to 0
EVENT = "memory_region_ops_write"
OTHER = "vm_state_notify"  # has no size
AT_PORT = f"addr == {PORT}"


def check(what, condition, shown):
    if not condition:
        sys.exit(f"{what}: {shown}")


class Guest:
    """A machine with the ROM, which waits for the first run()."""

    def __init__(self, qemu, environment, folder):
        self.trace, self.folder, monitor = folder / "guest.ctf", folder, folder / "qmp"
        (folder / "rom").write_bytes(ROM)
        with (folder / "stderr").open("w") as stderr:
            self.process = subprocess.Popen(
                [qemu, "-nodefaults", "-display", "none", "-m", "64", "-S", "-bios", folder / "rom",
                 "-chardev", f"file,id=console,path={folder}/console",
                 "-device", "isa-debugcon,iobase=0x402,chardev=console",
                 "-qmp", f"unix:{monitor},server=on,wait=off", "-trace", f"file={self.trace}"],
                env=environment, stdout=subprocess.DEVNULL, stderr=stderr)
        atexit.register(self.process.kill)
        end = time.monotonic() + START_SECONDS
        while not monitor.exists():
            check("QEMU starts", self.process.poll() is None and time.monotonic() < end, self.stderr())
            time.sleep(0.02)
        self.monitor = qmp.Monitor(monitor)

    def stderr(self):
        """What QEMU printed, without the lines of events."""
        lines = (self.folder / "stderr").read_text(errors="replace").splitlines()
        return [line for line in lines if not re.match(r"(.*@[\d.]+:)?(memory_region_|waymark:)", line)]

    def qmp(self, command, **arguments):
        """Executes a command; returns its result, or the text of its error."""
        answer = self.monitor.ask(command, **arguments)
        return answer["error"]["desc"] if "error" in answer else answer["return"]

    def switch(self, name, enable=True, **more):
        return self.qmp("trace-event-set-state", name=name, enable=enable, **more)

    def hmp(self, line):
        return self.qmp("human-monitor-command", command_line=line).replace("\r", "")

    def trace_event(self, name, on="on"):
        """Executes HMP's command with a quoted name; it must be silent."""
        name = name.replace('"', '\\"')
        answer = self.hmp(f'trace-event "{name}" {on}')
        check(name, answer == "", answer)

    def run(self):
        """Lets the guest run on for a thousand rounds."""
        console = self.folder / "console"
        self.qmp("cont")
        begun, end = console.stat().st_size, time.monotonic() + START_SECONDS
        while console.stat().st_size < begun + 2:
            check("the guest runs", self.process.poll() is None and time.monotonic() < end, self.stderr())
            time.sleep(0.01)

    def end(self):
        self.qmp("quit")
        self.process.wait()
        self.monitor.close()
        (self.folder / "qmp").unlink(missing_ok=True)


class Bench:
    """Runs guests, and reads their traces."""

    def __init__(self, build, environment, waymark):
        self.qemu = build / f"qemu-system-{TARGET}"
        self.environment, self.waymark = environment, waymark

    def guest(self, folder):
        return Guest(self.qemu, self.environment, folder)

    def record(self, folder, *phases):
        """Runs a guest once after each list of names that are switched on; returns the events."""
        folder.mkdir()
        guest = self.guest(folder)
        for phase in phases:
            for name in phase:
                guest.trace_event(name)
            guest.run()
        guest.end()
        return self.events(guest)

    def events(self, guest):
        text = run(self.waymark, "print", "--json", guest.trace, env=self.environment)
        return [json.loads(line) for line in text.splitlines()]


def sizes(events):
    return [event["args"]["size"] for event in events if event["event"] == EVENT]


def values(events, size):
    return [event["args"]["value"] for event in events
            if event["event"] == EVENT and event["args"]["size"] == size]


def check_condition(bench, folder):
    """Only calls for which it is true are recorded, and each of them."""
    events = bench.record(folder, [f"memory_region_ops_* if size == 4 && {AT_PORT}"])
    fours = values(events, 4)
    check("no other size", len(fours) == len(events), events[-3:])
    check("each call", len(fours) > 1000 and fours == list(range(len(fours))), fours[:3])
    where = run(bench.waymark, "print", "--where", "size == 4", folder / "guest.ctf", env=bench.environment)
    check("waymark print --where", where.count("\n") == len(events), where[-300:])


def check_off(bench, folder):
    """The name alone switches off, and on again without the condition."""
    folder.mkdir()
    guest = bench.guest(folder)
    guest.trace_event(f"memory_region_ops_* if size == 4 && {AT_PORT}")
    states = sorted(guest.hmp("info trace-events memory_region_ops_*").splitlines())
    check("both are on", states == ["memory_region_ops_read : state 1", f"{EVENT} : state 1"], states)
    for on in "off", "on":
        guest.run()
        guest.qmp("stop")
        check(on, guest.hmp(f"trace-event {EVENT} {on}") == "", "it is not silent")
        state = guest.hmp(f"info trace-events {EVENT}")
        check("state", state == f"{EVENT} : state {int(on == 'on')}\n", state)
    guest.run()
    guest.end()
    events = bench.events(guest)
    fours = values(events, 4)
    breaks = [i for i in range(1, len(fours)) if fours[i] != fours[i - 1] + 1]
    check("off once", len(breaks) == 1 and fours[breaks[0]] > fours[breaks[0] - 1] + 1000, breaks)
    before, after = sizes(events)[:breaks[0]], sizes(events)[breaks[0]:]
    check("the condition before", before == [4] * len(before), before[-3:])
    check("none after", min(after.count(size) for size in (1, 2, 4)) > 1000, after[-3:])


def check_change(bench, folder):
    """The condition of a running guest changes at once: no call is under both, and none is missed."""
    events = bench.record(folder, [f"{EVENT} if size == 1 && {AT_PORT}"], [f"{EVENT} if size == 4 && {AT_PORT}"])
    ones, fours = values(events, 1), values(events, 4)
    check("one condition, then the other", sizes(events) == [1] * len(ones) + [4] * len(fours), sizes(events)[-5:])
    check("calls of each", len(ones) > 1000 and len(fours) > 1000, (len(ones), len(fours)))
    # A byte holds the lowest bits of the counter.
    check("each call before the change", ones == [i & 0xff for i in range(len(ones))], ones[-3:])
    check("each call after it", fours == list(range(fours[0], fours[0] + len(fours))), fours[:3])
    check("none is missed", fours[0] in (len(ones) - 1, len(ones)), (len(ones), fours[0]))


def check_limits(bench, folder):
    """Limits, before a condition; the calls that they leave out are counted."""
    folder.mkdir()
    three = bench.record(folder / "first", [f"{EVENT} first=3 if size == 2 && {AT_PORT}"])
    check("first=3", values(three, 2) == [0, 1, 2] and sizes(three) == [2, 2, 2], sizes(three))
    events = bench.record(folder / "every", [f"aggregate {EVENT} count by size if size == 4 && {AT_PORT}",
                                             f"{EVENT} every=10 if size == 4 && {AT_PORT}"])
    fours = values(events, 4)
    check("every=10", len(fours) > 100 and fours == list(range(0, 10 * len(fours), 10)), fours[:5])
    known = json.loads(run(bench.waymark, "info", "--json", folder / "every/guest.ctf", env=bench.environment))
    left_out = sum(row["calls"] for row in known["left_out"])
    check("calls left out", 9 * (len(fours) - 1) <= left_out <= 9 * len(fours), (left_out, len(fours)))
    counted = json.loads(run(bench.waymark, "aggregates", "--json", folder / "every/guest.ctf", env=bench.environment))
    check("an aggregation", [row["value"] for row in counted["aggregates"]] == [len(fours) + left_out], counted)


def check_trigger(bench, folder):
    """A trigger fires once; the same text removes it."""
    folder.mkdir()
    rule = f"when {EVENT} first=1 if size == 4 && value == 700 then mark \"seven hundred\""
    once = bench.record(folder / "once", [f"{EVENT} first=3", rule])
    check("a trigger", [e["event"] for e in once].count("waymark:mark") == 1, once)
    guest = bench.guest(folder)
    guest.trace_event(f"{EVENT} first=3")
    guest.trace_event(rule)
    guest.trace_event(rule, "off")
    guest.run()
    guest.end()
    check("removed", "waymark:mark" not in [e["event"] for e in bench.events(guest)], "")


REFUSED = {  # by the name that is switched on
    f"{EVENT} if szie > 4":
        f"condition 'szie > 4': column 1: event '{EVENT}' has no field or value 'szie'; did you mean 'size'?",
    "memory_region_ops_* if size >": "condition 'size >': column 7: the expression ends where an operand is expected",
    "no_such if size > 4": 'unknown event "no_such"',
    "when no_such then stop": 'unknown event "no_such"',
    f"{EVENT} evry=3": f"'{EVENT} evry=3': limits after a name are sample=, every=, rate= and first=",
    f"{EVENT} size 4": f"'{EVENT} size 4': limits, or 'if' and a condition, follow the name",
}


def check_messages(bench, folder, has_vcpu):
    """A person and a program get the reason; a refused text changes nothing."""
    folder.mkdir()
    guest = bench.guest(folder)
    for name, message in REFUSED.items():
        for answer in (guest.hmp(f'trace-event "{name}" on').strip(), guest.switch(name)):
            check(name, answer == message, answer)
    off = f"'{EVENT} if size > 4': what switches off has no condition or limit"
    for answer in guest.hmp(f'trace-event "{EVENT} if size > 4" off').strip(), \
            guest.switch(f"{EVENT} if size > 4", False):
        check("off", answer == off, answer)
    answer = guest.hmp(f'trace-event "{EVENT} if size == 4{" || size == 4" * 80}" on')
    check("a text that HMP cuts", "may be cut" in answer, answer)
    check("nothing is on", " 1" not in guest.hmp("info trace-events memory_region_*"), "")
    if has_vcpu:
        check("of a vCPU", "for all vCPUs" in str(guest.switch(f"{EVENT} if size > 4", vcpu=0)), "")
    # Only the events that have the field are switched on.
    mixed = f"/^({EVENT}|{OTHER})$/"
    warning = f"warning: '{mixed}': the condition does not fit {OTHER}"
    answer = guest.hmp(f'trace-event "{mixed} if size == 4" on').strip()
    check("misfits", answer == warning, answer)
    states = [guest.hmp(f"info trace-events {name}") for name in (EVENT, OTHER)]
    check("events that fit", states == [f"{EVENT} : state 1\n", f"{OTHER} : state 0\n"], states)
    check("by QMP", guest.switch(f"{mixed} if size == 4") == {}, "")
    check("a warning on standard error", any(warning in line for line in guest.stderr()), guest.stderr())
    answer = guest.hmp('trace-event "no_such* if size == 4" on')
    check("no match", "warning: no event matches 'no_such* if size == 4'" in answer, answer)
    guest.end()


PLAIN = [
    f"trace-event {EVENT} on", f"info trace-events {EVENT}", f"trace-event {EVENT} off", f"info trace-events {EVENT}",
    "trace-event memory_region_ops_* on", "info trace-events memory_region_*", "trace-event no_such on",
    "trace-event no_such off", "trace-event no_such* on", "info trace-events no_such", "info trace-events no_such*",
    f"trace-event {EVENT}", f"trace-event {EVENT} maybe", f"trace-event {EVENT} if size > 4 on", "trace-event * off",
    f"trace-event \"{EVENT}\" on", "trace-event \"\" on", "info trace-events memory_region_*",
]


def plain_answers(bench, folder):
    folder.mkdir()
    guest = bench.guest(folder)
    answers = [(line, sorted(guest.hmp(line).splitlines())) for line in PLAIN]
    for name in EVENT, "memory_region_*", "no_such", "no_such*", "":
        for arguments in {"enable": True}, {"enable": False}, {"enable": True, "ignore_unavailable": True}:
            answers.append((name, guest.qmp("trace-event-set-state", name=name, **arguments)))
            state = guest.qmp("trace-event-get-state", name=name)
            answers.append((name, state if isinstance(state, str) else sorted(s["name"] + s["state"] for s in state)))
    guest.end()
    return answers


def check_plain(stock, bench, folder):
    folder.mkdir()
    for before, after in zip(plain_answers(stock, folder / "stock"), plain_answers(bench, folder / "ours")):
        check("without terms, as before", before == after, f"{before} -> {after}")


def main():
    work = pathlib.Path(os.environ.get("WAYMARK_QEMU_WORK") or "/nonexistent")
    builds = [q.parent for q in sorted(work.glob(f"*/waymark/build/qemu-system-{TARGET}"))]
    if not builds:
        print("skipped: no QEMU that trees.py built (WAYMARK_QEMU_WORK)")
        sys.exit(SKIPPED)
    library = next((work / "installed").rglob("libwaymark.so")).parent
    environment = {**os.environ, "LD_LIBRARY_PATH": str(library)}
    for build in builds:
        release = build.parent.parent
        bench, stock = (Bench(release / kind / "build", environment, work / "installed/bin/waymark")
                        for kind in ("waymark", "stock"))
        has_vcpu = "has_vcpu" in (release / "waymark/src/trace/qmp.c").read_text()
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            check_condition(bench, folder / "condition")
            check_off(bench, folder / "off")
            check_change(bench, folder / "change")
            check_limits(bench, folder / "limits")
            check_trigger(bench, folder / "trigger")
            check_messages(bench, folder / "messages", has_vcpu)
            if stock.qemu.exists():
                check_plain(stock, bench, folder / "plain")
        print(f"{release.name}: the monitor takes terms")


if __name__ == "__main__":
    main()
