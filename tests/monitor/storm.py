#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests that a hundred clients switch random patterns while threads trace at full speed.

storm.py STORM WAYMARK

The final states must be those of the last commands, and no event of the trace torn or out of
order. With WAYMARK_TEST_LONG=1 it runs 30 seconds instead of 3.
"""

import collections
import fnmatch
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
from storm_events import NAMES

CLIENTS = 100
THREADS = 8
SECONDS = 30 if os.environ.get("WAYMARK_TEST_LONG") else 3
PATTERNS = ["*", "disk_*", "net_*", "cpu_?0", "usb_1*", "*_0?", "*_24", "/^(disk|cpu)_.[02468]$/"]
LINE = re.compile(r"(\w+) thread (\d+) n (\d+) inverse (\d+)$")


class Client(Qmp):
    def switch(self, pattern, on):
        self.command("trace-event-set-state", name=pattern, enable=on)

    def states(self):
        events = self.command("trace-event-get-state", name="*")
        return {event["name"]: event["state"] == "enabled" for event in events}


def toggle(path, number, wanted, counts):
    """Runs a client: switches any events for some seconds, then its own event finally."""
    rng = random.Random(number)
    client = Client(path)
    end = time.monotonic() + SECONDS
    while time.monotonic() < end:
        client.switch(rng.choice(PATTERNS + NAMES), rng.random() < 0.5)
        counts[number] += 1
    BARRIER.wait()
    for _ in range(10):
        client.switch(NAMES[number], rng.random() < 0.5)
    client.switch(NAMES[number], wanted[NAMES[number]])


def by_the_book(rng, client):
    """Sends random commands one after the other; returns the states that they must lead to."""
    states = client.states()
    for _ in range(60):
        pattern, on = rng.choice(PATTERNS[:-1] + NAMES), rng.random() < 0.5
        client.switch(pattern, on)
        states.update((name, on) for name in fnmatch.filter(NAMES, pattern))
    return states


def check_trace(waymark, trace):
    """Checks that every event is whole, and a thread's events are in order; returns their number."""
    last = collections.defaultdict(lambda: -1)
    count = 0
    # A thread without interruptions has one stream, so its events are printed in order.
    with subprocess.Popen([waymark, "print", trace], stdout=subprocess.PIPE, text=True) as reader:
        for line in reader.stdout:
            match = LINE.search(line)
            if not match:
                continue  # a gap counts the events that found no memory
            _, thread, n, inverse = match.groups()
            assert int(n) ^ int(inverse) == 2**64 - 1, f"torn: {line}"
            assert int(n) > last[thread], f"out of order: {line}"
            last[thread] = int(n)
            count += 1
    assert reader.returncode == 0, "the trace cannot be read to its end"
    return count


BARRIER = threading.Barrier(CLIENTS)


def storm(path):
    rng = random.Random(1)
    wanted = {name: rng.random() < 0.5 for name in NAMES}
    counts = collections.Counter()
    clients = [threading.Thread(target=toggle, args=(path, i, wanted, counts))
               for i in range(CLIENTS)]
    for client in clients:
        client.start()
    for client in clients:
        client.join()
    last = Client(path)
    assert last.states() == wanted, "not what each client said last"
    assert by_the_book(rng, last) == last.states(), "not what the last commands said"
    return counts.total()


def await_socket(path):
    end = time.monotonic() + 60
    while not os.path.exists(path):
        assert time.monotonic() < end, "there is no monitor"
        time.sleep(0.01)


def main():
    program, waymark = (os.path.abspath(path) for path in sys.argv[1:3])
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "s")
        option = f"control={path},file={folder}/storm.ctf,rotate=8M,keep=2"
        with subprocess.Popen([program, str(THREADS)], stdin=subprocess.PIPE, cwd=folder,
                              env=dict(os.environ, WAYMARK_TRACE=option)) as process:
            await_socket(path)
            commands = storm(path)
            process.stdin.close()
            assert process.wait(60) == 0
        events = check_trace(waymark, os.path.join(folder, "storm.ctf"))
    print(f"{commands} commands of {CLIENTS} clients, {events} events whole and in order")
    assert commands > CLIENTS and events > 0


main()
