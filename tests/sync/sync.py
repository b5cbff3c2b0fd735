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
import termios
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
        shown = re.search(rf"set by the clock of {re.escape(os.uname().nodename)}, to within (\d+) ns",
                          self.waymark("info", "guest.ctf"))
        self.assertAlmostEqual(int(shown[1]), error * 1000, delta=100)

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
        self.killed("guest.ctf", guest=True)
        self.measure("guest.ctf")
        self.assertIn("recovered", self.waymark("info", "guest.ctf"))
        self.assertEqual(len(self.waymark("print", "guest.ctf").splitlines()), 5)

    def contents(self, name):
        return {path: path.read_bytes() for path in sorted(pathlib.Path(name).rglob("*"))
                if path.is_file()}

    def killed(self, name, guest):
        process = self.record(name, guest=guest, stderr=subprocess.DEVNULL)  # unshare's
        self.alternate([process], 5)
        subprocess.run(["pkill", "-KILL", "-P", str(process.pid)] if guest else
                       ["kill", "-KILL", str(process.pid)], check=True)
        process.communicate()

    def test_the_clock_stays_while_memory_is_left(self):
        """The memory of a copied trace stays for the original."""
        self.measure()
        self.killed("guest.ctf", guest=True)
        shutil.copytree("guest.ctf", "copy.ctf")
        self.set_back("copy.ctf")
        self.assertIn("is a copy of", self.measure("copy.ctf"))
        before, lines = self.contents("copy.ctf"), self.waymark("print", "copy.ctf")
        self.waymark("recover", "copy.ctf")
        self.assertEqual(self.contents("copy.ctf"), before)
        self.assertEqual(self.waymark("print", "copy.ctf"), lines)
        self.waymark("recover", "guest.ctf")

    def test_what_cannot_be_set_stays_as_it_is(self):
        self.measure()
        host = self.record("host.ctf")
        self.alternate([host], 1)
        self.end(host)
        self.killed("killed.ctf", guest=False)
        for trace in ("host.ctf", "killed.ctf"):
            before = self.contents(trace)
            self.assertIn("was not recorded in a boot in which the clock was measured",
                          self.waymark("sync", "-s", "samples", trace, status=1))
            self.assertEqual(self.contents(trace), before)
        self.waymark("recover", "killed.ctf")
        self.assertIn("nothing", self.waymark("sync", "-s", "samples", "nothing", status=1))

    def test_a_trace_that_is_being_recorded(self):
        self.measure()
        guest = self.record("guest.ctf", guest=True)
        self.alternate([guest], 1)
        self.assertIn("is still being recorded",
                      self.waymark("sync", "-s", "samples", "guest.ctf", status=1))
        self.end(guest)

    def test_measurements_that_are_none(self):
        good = f"{GUEST} 1 1795000000000000000 3 host"
        for line in ("junk\n", good, f"{good} more\n", good.replace(" 3 ", " -3 ") + "\n",
                     good.replace(" 3 ", f" {2**64 - 1} ") + "\n", f"{GUEST} 1 0 3 host\n",
                     f"{GUEST} 1 {2**64 - 1} 3 host\n", f"{GUEST} 1 {10**26} 3 host\n",
                     "x" * 5000 + "\n", "\0\n"):
            pathlib.Path("samples").write_text(f"{good}\n{line}")
            self.assertIn("samples:2: is no measurement",
                          self.waymark("sync", "-s", "samples", "t", status=1))
        self.assertIn("cannot be opened", self.waymark("sync", "-s", "none", "t", status=1))

    def test_ports_that_do_not_answer(self):
        self.host.kill()
        self.host.wait()
        self.port.thread.join()
        self.assertIn("no answer: start", self.waymark("sync", "-p", self.port.name, status=1))
        self.assertIn("Connection refused", self.waymark("sync", "-p", self.closed(), status=1))
        os.mkfifo("fifo")
        for path in ("samples", "fifo", "/dev/zero", self.work):
            reason = "No such file" if path == "samples" else "neither a serial port"
            self.assertIn(reason, self.waymark("sync", "-p", str(path), status=1))
        for path in ("fifo", "/dev/zero", self.work):
            self.assertIn("neither a serial port", self.waymark("sync", "--serve", str(path), status=1))

    def peer(self, answer):
        """Makes a socket; `answer` gets its first connection in a thread."""
        listener = socket.socket(socket.AF_UNIX)
        listener.bind("peer")
        listener.listen(1)

        def serve():
            with listener, listener.accept()[0] as connection:
                answer(connection)
        thread = threading.Thread(target=serve)
        thread.start()
        self.addCleanup(thread.join)
        return "peer"

    def test_a_peer_that_closes_at_once(self):
        self.assertIn("peer: ", self.waymark("sync", "-p", self.peer(lambda _: None), status=1))

    def test_a_peer_that_sends_other_lines_for_ever(self):
        def chat(connection):
            try:
                while True:
                    connection.sendall(b"junk\n")
                    time.sleep(0.1)
            except OSError:
                pass
        self.assertIn("no answer", self.waymark("sync", "-p", self.peer(chat), status=1))

    def test_requests_only_are_answered(self):
        answers = []

        def ask(connection):
            for line in (b"waymark-sync 1 7\n", b"waymark-sync 1 7 1795000000000000000 host\n",
                         b"waymark-sync 15 9\n", b"waymark-sync 1 -7\n", b"waymark-sync 1 8\n"):
                connection.sendall(line)
            while b" 8 " not in b"".join(answers):
                answers.append(connection.recv(4096))
        self.waymark("sync", "--serve", self.peer(ask))
        lines = b"".join(answers).decode().splitlines()
        self.assertEqual([line.split()[2] for line in lines], ["7", "8"])

    def test_the_host_waits_for_the_port(self):
        with subprocess.Popen([WAYMARK, "sync", "--serve", "peer"]) as host:
            time.sleep(0.2)
            self.peer(lambda _: None)
            self.assertEqual(host.wait(), 0)

    def test_a_terminal_is_as_before(self):
        before = termios.tcgetattr(self.port.terminal)
        self.measure()
        self.assertEqual(termios.tcgetattr(self.port.terminal), before)

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
