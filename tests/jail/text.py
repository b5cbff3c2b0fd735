#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests events as text out of jails, into the kernel's trace and a real rsyslogd: text.py DEVICE
KIND

The device has only the backend KIND, so its filter kills it at any system call that
waymark_jail_syscalls() does not list for that backend.
"""

import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
for folder in ("ftrace", "syslog"):
    sys.path.insert(0, str(HERE.parent / folder))
DEVICE, KIND = os.path.abspath(sys.argv[1]), sys.argv[2]

import daemon  # noqa: E402  pylint: disable=wrong-import-position
import ftrace  # noqa: E402  pylint: disable=wrong-import-position

LIMIT = 60
NOBODY = 65534
TICK = re.compile(r" ?tick n (\d+)$")


def may_become(user):
    """Returns True if this user namespace maps that user, user_namespaces(7)."""
    ranges = [map(int, line.split())
              for line in pathlib.Path("/proc/self/uid_map").read_text().splitlines()]
    return os.geteuid() == 0 and any(first <= user < first + count for first, _, count in ranges)


class Jail:
    """Tests of every backend that uses descriptors."""

    option = ""

    def start_device(self, what, children, events, *steps):
        place = pathlib.Path(tempfile.mkdtemp(prefix="waymark-jail-"))
        self.addCleanup(shutil.rmtree, place)
        empty = place / "empty"
        empty.mkdir()
        env = {**os.environ, "WAYMARK_SHM": str(place),
               "WAYMARK_TRACE": f"*,enable=-late,jail=2,buffer=1M{self.option}"}
        steps = [step.replace("EMPTY", str(empty)) for step in steps]
        device = subprocess.Popen([DEVICE, what, str(children), str(events), *steps], env=env,
                                  text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE)
        self.addCleanup(device.kill)
        return device

    def finish(self, device, status=0):
        """Waits for the end of the device; returns its output and messages."""
        out, err = device.communicate(timeout=LIMIT)
        self.assertEqual(device.returncode, status, out + err)
        return out, err

    def run_device(self, *words, status=0):
        return self.finish(self.start_device(*words), status)

    def ticks(self):
        """Returns the numbers of the received events, in order of arrival."""
        return [int(found[1]) for found in map(TICK.match, self.texts()) if found]

    def test_all_steps_of_a_jail(self):
        user = [f"setuid={NOBODY}"] if may_become(NOBODY) else []
        if not user:
            print("left out: the namespace of an ordinary user has no other user to become")
        _, err = self.run_device("exit", 1, 2000, "unshare", "chroot=EMPTY", *user, "close")
        self.assertEqual(err, "")
        self.assertEqual(self.ticks(), list(range(2000)))

    def test_two_devices(self):
        self.run_device("plain", 2, 500)
        self.assertEqual(sorted(self.ticks()), sorted(2 * list(range(500))))

    def test_threads(self):
        self.run_device("threads", 1, 100)
        self.assertEqual(sorted(self.ticks()), list(range(8 * 100)))

    def test_signal_handlers(self):
        self.run_device("signals", 1, 3000)
        self.assertEqual(self.ticks(), list(range(3000)))

    def test_another_system_call_kills(self):
        out, _ = self.run_device("forbidden", 1, 10, status=1)
        self.assertIn(f"signal {signal.SIGSYS.value}", out)
        self.assertEqual(self.ticks(), list(range(10)))

    def test_without_its_descriptor_events_are_counted_and_nobody_is_killed(self):
        _, err = self.run_device("exit", 1, 50, "close-all")
        self.assertRegex(err, r"waymark: \w+: 50 (events|messages)")
        self.assertEqual(self.ticks(), [])


class Ftrace(Jail, unittest.TestCase):
    bench = None

    def setUp(self):
        self.option = f",ftrace.instance={self.bench.instance}"
        ftrace.write(self.bench.buffer + "/trace", "")

    def texts(self):
        return self.bench.texts()

    def test_tracing_that_is_off_kills_nobody(self):
        self.addCleanup(ftrace.write, self.bench.buffer + "/tracing_on", "1")
        ftrace.write(self.bench.buffer + "/tracing_on", "0")
        _, err = self.run_device("exit", 1, 50)
        self.assertRegex(err, r"waymark: ftrace: 50 events")


class Syslog(Jail, daemon.Syslog):
    def setUp(self):
        super().setUp()
        self.start_daemon()

    def texts(self):
        return [m.text for m in self.messages()]

    def test_without_a_listener_messages_are_counted(self):
        self.stop_daemon()
        _, err = self.run_device("exit", 1, 50)
        self.assertIn("waymark: syslog: 50 messages could not be sent\n", err)

    def test_a_daemon_that_goes_kills_nobody(self):
        """The device must not connect another socket, which a jail forbids."""
        self.stop_daemon()
        self.unbind()
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as listener:
            listener.bind(daemon.LOG)
            device = self.start_device("exit", 1, 20000)
            listener.settimeout(LIMIT)
            for i in range(100):
                self.assertTrue(listener.recv(1000).endswith(f"tick n {i}".encode()))
        _, err = self.finish(device)
        self.assertRegex(err, r"waymark: syslog: cannot send to /dev/log: .*; messages are lost")
        lost = re.search(r"waymark: syslog: (\d+) messages could not be sent", err)
        self.assertIn(int(lost[1]), range(1, 19901))


def run_cases(of):
    """Runs the cases; returns True if all pass."""
    cases = unittest.defaultTestLoader.loadTestsFromTestCase(of)
    return unittest.TextTestRunner(verbosity=2).run(cases).wasSuccessful()


def run_ftrace(bench):
    Ftrace.bench = bench
    ftrace.check(run_cases(Ftrace), "see above")


if __name__ == "__main__":
    if KIND == "ftrace":
        ftrace.run_test(DEVICE, run_ftrace)
    else:
        Syslog.rsyslogd = daemon.enter()
        sys.exit(not run_cases(Syslog))
