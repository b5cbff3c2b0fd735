#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests that clients switch an event for single vCPUs while all of them fire at full speed.

vcpus.py VCPUS WAYMARK

Each round of a vCPU has a number, which its events contain. Between an answer and the next command
the state of a vCPU's event is known, so each round that began and ended in that time must be in
the trace, or must be missing. An event that is never switched has all rounds, or no round.
"""

import collections
import os
import random
import re
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, os.path.dirname(__file__))
from qmp import Qmp

SECONDS = 2
ENOUGH = 10  # minimum number of times on, and off; a busy machine takes longer
LINE = re.compile(r"\b(\w+) (?:cpu=(0x[0-9a-f]+) )?index (\d+) n (\d+)$")
# OTHER has mem_fault on, and never mem_access.
ALWAYS, TOGGLED, OTHER = 0, (1, 2), 3


class Client(Qmp):
    def switch(self, name, on, **vcpu):
        self.command("trace-event-set-state", name=name, enable=on, **vcpu)

    def is_on(self, name, **vcpu):
        (event,) = self.command("trace-event-get-state", name=name, **vcpu)
        return event["state"] == "enabled"


class Program:
    def __init__(self, path, folder):
        self.path = os.path.join(folder, "s")
        option = f"control={self.path},file={folder}/vcpus.ctf,full=block,log.file=/dev/null"
        self.process = subprocess.Popen([path, "run"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        text=True, env=dict(os.environ, WAYMARK_TRACE=option))
        assert self.process.stdout.readline() == "ready\n"
        self.lock = threading.Lock()

    def ask(self, line):
        with self.lock:
            self.process.stdin.write(line + "\n")
            self.process.stdin.flush()
            return self.process.stdout.readline().split()

    def rounds(self):
        """Returns the rounds begun and the rounds ended of each vCPU."""
        numbers = [int(word) for word in self.ask("rounds")]
        return list(zip(numbers[::2], numbers[1::2]))

    def end(self):
        """Ends the program; returns the number of rounds of each vCPU."""
        self.process.stdin.close()
        numbers = [int(word) for word in self.process.stdout.readline().split()]
        assert self.process.wait(30) == 0
        assert numbers[::2] == numbers[1::2]
        return numbers[::2]


class Windows:
    """Rounds of a vCPU that must be in the trace, and those that must not."""

    def __init__(self, program, index):
        self.program, self.index = program, index
        self.on, self.off = [], []

    def begin(self):
        """After an answer: returns the first round that has not begun."""
        return self.program.rounds()[self.index][0] + 1

    def end(self):
        """Before a command: returns the round after the last ended one."""
        return self.program.rounds()[self.index][1] + 1


def toggle(program, windows, seed):
    """Switches an event on and off for one vCPU repeatedly; adds the expected rounds to `windows`."""
    rng = random.Random(seed)
    client = Client(program.path)
    end = time.monotonic() + SECONDS
    on = False
    begin = windows.begin()
    while time.monotonic() < end or len(windows.on) <= ENOUGH:
        time.sleep(rng.random() / 200)
        (windows.on if on else windows.off).append(range(begin, windows.end()))
        on = not on
        client.switch(rng.choice(["*", "mem_*", "/^mem/"]), on, vcpu=windows.index)
        begin = windows.begin()
        for name in "mem_access", "mem_fault":
            assert client.is_on(name, vcpu=windows.index) == on
            assert client.is_on(name, vcpu=ALWAYS)
        assert not client.is_on("mem_access", vcpu=OTHER)
        assert client.is_on("mem_fault", vcpu=OTHER)


def read_trace(waymark, trace, cpus):
    """Returns the rounds of each event and vCPU, in the order of the trace."""
    rounds = collections.defaultdict(list)
    with subprocess.Popen([waymark, "print", trace], stdout=subprocess.PIPE, text=True) as reader:
        for line in reader.stdout:
            match = LINE.search(line)
            assert match, f"what is that? {line}"
            name, cpu, index, n = match.groups()
            assert cpu == (cpus[int(index)] if name.startswith("mem") else None), line
            rounds[name, int(index)].append(int(n))
    assert reader.returncode == 0, "the trace cannot be read to its end"
    return rounds


def check_windows(windows, rounds):
    there = set(rounds)
    assert len(there) == len(rounds) and rounds == sorted(rounds), "twice, or out of order"
    for window in windows.on:
        missing = [n for n in window if n not in there]
        assert not missing, f"vCPU {windows.index} has no rounds {missing[:9]} of {window}"
    for window in windows.off:
        wrong = [n for n in window if n in there]
        assert not wrong, f"vCPU {windows.index} has rounds {wrong[:9]} of {window}"
    return sum(map(len, windows.on)), sum(map(len, windows.off))


def check_whole(got, first, last):
    """No round from `first` on is missing; the round before may have been in progress."""
    assert got and got[0] <= first, f"began at round {got[:1]} instead of {first}"
    assert got == list(range(got[0], last + 1)), "rounds are missing, or there are too many"


def switch_at_random(program):
    """Switches an event that was off, and one that was on, for single vCPUs; returns the expected rounds."""
    client = Client(program.path)
    client.switch("disk_done", True)
    client.switch("mem_access", True, vcpu=ALWAYS)
    client.switch("mem_fault", True)
    for index in TOGGLED:
        client.switch("mem_fault", False, vcpu=index)
    first = [begun + 1 for begun, _ in program.rounds()]
    windows = [Windows(program, index) for index in TOGGLED]
    threads = [threading.Thread(target=toggle, args=(program, w, w.index)) for w in windows]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert client.command("trace-stats")["lost"] == 0
    return first, windows


def check(rounds, first, last, windows):
    for index in range(len(last)):
        check_whole(rounds["disk_done", index], first[index], last[index])
    check_whole(rounds["mem_access", ALWAYS], first[ALWAYS], last[ALWAYS])
    check_whole(rounds["mem_fault", ALWAYS], first[ALWAYS], last[ALWAYS])
    check_whole(rounds["mem_fault", OTHER], first[OTHER], last[OTHER])
    assert not rounds["mem_access", OTHER], "a vCPU's event is on because it is for another"
    for w in windows:
        on, off = check_windows(w, rounds["mem_access", w.index])
        fault_rounds = [n for n in rounds["mem_fault", w.index] if n >= first[w.index]]
        assert check_windows(w, fault_rounds) == (on, off)
        print(f"vCPU {w.index}: {len(w.on) + len(w.off)} changes, {on} rounds on, {off} off")
        assert len(w.on) > ENOUGH and on > 10 and off > 10
    print(f"vCPU {ALWAYS}: all of {last[ALWAYS]} rounds; vCPU {OTHER}: none of {last[OTHER]}")


def run(program, waymark, folder):
    cpus = program.ask("cpus")
    first, windows = switch_at_random(program)
    last = program.end()
    check(read_trace(waymark, os.path.join(folder, "vcpus.ctf"), cpus), first, last, windows)


def main():
    vcpus, waymark = (os.path.abspath(path) for path in sys.argv[1:3])
    with tempfile.TemporaryDirectory() as folder:
        program = Program(vcpus, folder)
        try:
            run(program, waymark, folder)
        finally:
            program.process.kill()
            program.process.wait()


main()
