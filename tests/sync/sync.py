#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A host and a guest whose clock is wrong record into traces of their own, which waymark sync makes
one: sync.py WAYMARK PROGRAM ROOT

The guest is a process with another CLOCK_MONOTONIC (a time namespace), whose trace has another time
of day and boot. A terminal and a UNIX socket with a process between them are its serial port.
"""

import os
import pathlib
import re
import select
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
import unittest

WAYMARK, PROGRAM, ROOT = (os.path.abspath(argument) for argument in sys.argv[1:4])
GUEST = "0f8fad5b-d9cb-469f-a165-70867728950e"
HOUR = 3600 * 10**9
# In namespaces of its own, where the boot's id is another one.
AS_GUEST = ["unshare", "--mount", "--time", "--monotonic=5000", "--fork", "sh", "-c",
            'mount --bind guest-boot /proc/sys/kernel/random/boot_id && exec "$@"', "sh"]


def can_be_guest():
    return subprocess.run(["unshare", "--mount", "--time", "--fork", "true"], check=False,
                          capture_output=True).returncode == 0


class Port:
    """Carries bytes between a terminal and whoever connects to a socket."""

    def __init__(self, path):
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(str(path))
        self.listener.listen(1)
        self.master, self.terminal = os.openpty()
        self.name = os.ttyname(self.terminal)
        self.is_connected = threading.Event()
        self.thread = threading.Thread(target=self.carry, daemon=True)
        self.thread.start()

    def carry(self):
        host, _ = self.listener.accept()
        self.is_connected.set()
        with host:
            while True:
                ready, _, _ = select.select([host, self.master], [], [])
                if host in ready:
                    data = host.recv(4096)
                    if not data:
                        return
                    os.write(self.master, data)
                if self.master in ready:
                    host.sendall(os.read(self.master, 4096))

    def close(self):
        """Called when the host's side has ended."""
        self.thread.join()
        self.listener.close()
        os.close(self.master)
        os.close(self.terminal)


class Sync(unittest.TestCase):
    def setUp(self):
        self.work = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.work)
        os.chdir(self.work)
        pathlib.Path("guest-boot").write_text(GUEST + "\n")
        self.port = Port(self.work / "port")
        self.host = subprocess.Popen([WAYMARK, "sync", "--serve", "port"])
        self.assertTrue(self.port.is_connected.wait(60))
        self.addCleanup(self.port.close)
        self.addCleanup(self.host.wait)
        self.addCleanup(self.host.kill)

    def waymark(self, *words, status=0, guest=False):
        done = subprocess.run([*(AS_GUEST if guest else []), WAYMARK, *words], capture_output=True,
                              text=True, check=False)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done.stdout + done.stderr

    def measure(self, *words):
        return self.waymark("sync", "-p", self.port.name, "-s", "samples", *words, guest=True)

    def record(self, name, guest=False, stderr=None):
        return subprocess.Popen([*(AS_GUEST if guest else []), PROGRAM], stdin=subprocess.PIPE,
                                stdout=subprocess.PIPE, stderr=stderr, text=True,
                                env={**os.environ, "WAYMARK_TRACE": f"*,file={self.work / name}"})

    def alternate(self, processes, lines):
        """Lets the processes record by turns, each a millisecond after the other."""
        for number in range(lines):
            process = processes[number % len(processes)]
            process.stdin.write(f"{number}\n")
            process.stdin.flush()
            process.stdout.readline()
            time.sleep(0.001)

    def end(self, *processes):
        for process in processes:
            process.stdin.close()
            process.stdout.close()
            self.assertEqual(process.wait(), 0)

    def set_back(self, name):
        """Sets the guest's time of day back by an hour, as if its clock had been wrong."""
        metadata = self.work / name / "metadata"
        text = metadata.read_text()
        text = re.sub(r"(clock_\w+_realtime = +)(\d+)",
                      lambda found: found[1] + str(int(found[2]) - HOUR), text)
        text = re.sub(r"(offset_s = +)(\d+)",
                      lambda found: found[1] + str(int(found[2]) - 3600), text)
        metadata.write_text(text)

    def orders(self):
        """The numbers of the lines in the order in which each reader shows them."""
        readers = [[WAYMARK, "print", "host.ctf", "guest.ctf"]]
        if shutil.which("babeltrace2"):
            readers.append(["babeltrace2", "host.ctf", "guest.ctf"])
        for reader in readers:
            text = subprocess.run(reader, capture_output=True, text=True, check=True).stdout
            yield [int(number) for number in re.findall(r'"(\d+)"', text)]

    def make_traces(self, lines=40):
        self.measure()
        host, guest = self.record("host.ctf"), self.record("guest.ctf", guest=True)
        self.alternate([host, guest], lines)
        self.end(host, guest)
        self.set_back("guest.ctf")

    def test_events_of_both_are_in_their_true_order(self):
        self.make_traces()
        for order in self.orders():
            self.assertNotEqual(order, list(range(40)))
        said = self.measure("guest.ctf")
        error = float(re.search(r"guest.ctf: clock of \S+, to within ([\d.]+) us", said)[1])
        self.assertLess(error, 1000)
        for order in self.orders():
            self.assertEqual(order, list(range(40)))
        self.assertIn(f"set by the clock of {os.uname().nodename}, to within {round(error * 1000)}"[:-3],
                      self.waymark("info", "guest.ctf"))

    def test_the_guest_does_what_waymark_sync_1_shows(self):
        page = pathlib.Path(ROOT, "docs/man/waymark-sync.1").read_text().replace("\\-", "-")
        [script] = re.findall(r"^\.Bd .*\n(port=(?:.*\n)+?)\.Ed", page, re.M)
        pathlib.Path("program").write_text(f"#!/bin/sh\nseq 3 | exec {PROGRAM}\n")
        pathlib.Path("program").chmod(0o755)
        script = script.replace("/dev/virtio-ports/org.waymark.sync", self.port.name)
        self.assertIn(self.port.name, script)
        subprocess.run([*AS_GUEST, "sh", "-ec", script], check=True, stdout=subprocess.DEVNULL, env={
            **os.environ, "PATH": f"{os.path.dirname(WAYMARK)}:{os.environ['PATH']}"})
        self.assertIn("set by the clock of", self.waymark("info", "guest.ctf"))
        self.assertEqual(len(self.waymark("print", "guest.ctf").splitlines()), 3)

    def test_a_copy_is_set_on_the_host_and_again_with_more(self):
        self.make_traces()
        self.waymark("sync", "-s", "samples", "guest.ctf")  # before the second measurement
        once = int(re.search(r"clock_error = (\d+)", pathlib.Path("guest.ctf/metadata").read_text())[1])
        self.measure()
        for _ in range(2):
            self.waymark("sync", "-s", "samples", "guest.ctf")
            metadata = pathlib.Path("guest.ctf/metadata").read_text()
            [found] = re.findall(r"clock_error = (\d+)", metadata)
            self.assertLess(int(found), once)
            self.assertEqual(metadata.count("clock_host"), 1)
        for order in self.orders():
            self.assertEqual(order, list(range(40)))
        self.assertIn("nothing to do", self.waymark("recover", "guest.ctf"))
        for order in self.orders():
            self.assertEqual(order, list(range(40)))

    def test_a_killed_guest_is_recovered(self):
        self.measure()
        guest = self.record("guest.ctf", guest=True, stderr=subprocess.DEVNULL)  # unshare's
        self.alternate([guest], 5)
        subprocess.run(["pkill", "-KILL", "-P", str(guest.pid)], check=True)
        guest.communicate()
        self.measure("guest.ctf")
        self.assertIn("recovered", self.waymark("info", "guest.ctf"))
        self.assertEqual(len(self.waymark("print", "guest.ctf").splitlines()), 5)

    def test_what_cannot_be_set_stays_as_it_is(self):
        self.measure()
        host = self.record("host.ctf")
        self.alternate([host], 1)
        self.assertIn("is still being recorded", self.waymark("sync", "-s", "samples", "host.ctf", status=1))
        self.end(host)
        before = pathlib.Path("host.ctf/metadata").read_bytes()
        self.assertIn("was not recorded since the boot",
                      self.waymark("sync", "-s", "samples", "host.ctf", status=1))
        self.assertEqual(pathlib.Path("host.ctf/metadata").read_bytes(), before)
        self.assertIn("cannot be opened", self.waymark("sync", "-s", "samples", "nothing", status=1))

    def test_measurements_that_are_none(self):
        pathlib.Path("samples").write_text("")
        self.assertIn("holds no measurement", self.waymark("sync", "-s", "samples", "t", status=1))
        for line in ("junk\n", f"{GUEST} 1 2 3 host", f"{GUEST} 1 -x 3 host\n", "x" * 5000 + "\n"):
            pathlib.Path("samples").write_text(f"{GUEST} 1 2 3 host\n{line}")
            self.assertIn("samples:2: is no measurement",
                          self.waymark("sync", "-s", "samples", "t", status=1))
        self.assertIn("cannot be opened", self.waymark("sync", "-s", "none", "t", status=1))

    def test_ports_that_do_not_answer(self):
        self.host.kill()
        self.host.wait()
        self.port.thread.join()
        self.assertIn("no answer: start", self.waymark("sync", "-p", self.port.name, status=1))
        self.assertIn("Connection refused", self.waymark("sync", "-p", self.closed(), status=1))
        for path, reason in (("samples", "No such file"), (self.work, "neither a serial port")):
            self.assertIn(reason, self.waymark("sync", "-p", str(path), status=1))
            self.assertIn(reason, self.waymark("sync", "--serve", str(path), status=1))

    def closed(self):
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind("closed")
        return "closed"

    def test_other_bytes_on_the_port_are_skipped(self):
        os.write(self.port.terminal, b"rest of an earlier run\n" * 20 + b"waymark-sync 1 x\n\0\0\xff\n")
        self.assertIn("to within", self.measure())


if __name__ == "__main__":
    if not can_be_guest():
        print("skipped: no namespaces of mounts and times")
        sys.exit(77)
    del sys.argv[1:4]
    unittest.main()
