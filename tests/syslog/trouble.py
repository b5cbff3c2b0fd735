#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests log daemons that start, end, hang or use another socket type, and descriptors: trouble.py PROGRAM"""

import os
import signal
import socket
import time

import daemon

NO_DAEMON = "waymark: syslog: cannot send to /dev/log: {}; messages are lost\n"
LOST = "waymark: syslog: {} messages could not be sent\n"


class Daemons(daemon.Syslog):
    def test_a_missing_daemon_is_reported_once_and_counted(self):
        self.start()
        self.ask("threads", 250)
        self.assertEqual(self.ask("lost"), 1000)
        self.finish(NO_DAEMON.format("No such file or directory") + LOST.format(1000))

    def test_a_child_tells_what_it_lost_itself(self):
        for form in ("fork",) if daemon.SANITIZER else ("fork", "clone"):
            with self.subTest(form=form):
                self.start()
                self.ask("fire", 2)
                self.ask(form, 1)
                self.assertEqual(self.ask("lost"), 3)
                self.finish(NO_DAEMON.format("No such file or directory") +
                            LOST.format(1) + LOST.format(3))

    def test_a_socket_that_nobody_holds_is_no_daemon(self):
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as left:
            left.bind(daemon.LOG)
        self.start()
        self.ask("fire", 10)
        self.finish(NO_DAEMON.format("Connection refused") + LOST.format(10))

    def test_a_daemon_that_comes_later_gets_all_from_then_on(self):
        self.start()
        self.ask("fire", 10)
        self.start_daemon()
        self.ask("fire", 1000)
        self.finish(NO_DAEMON.format("No such file or directory") + LOST.format(10))
        self.assertEqual(self.counts(0, self.messages()), list(range(1000)))

    def test_a_restarted_daemon_gets_the_next_event(self):
        self.start_daemon()
        self.start()
        for _ in range(3):
            self.ask("fire", 500)
            self.drain_daemon()
            self.stop_daemon()
            self.start_daemon()
        self.ask("threads", 100)
        self.finish()
        self.assertEqual(len(self.messages()), 3 * 500 + 400)

    def test_events_while_the_daemon_restarts_are_there_or_counted(self):
        self.start_daemon()
        self.start()
        self.program.stdin.write("flood 3000\n")
        for _ in range(2):
            time.sleep(0.5)
            self.stop_daemon()
            time.sleep(0.1)
            self.start_daemon()
        fired = int(self.program.stdout.readline())
        lost = self.ask("lost")
        self.assertGreater(lost, 0)
        _, said = self.program.communicate(timeout=60)
        self.assertIn(LOST.format(lost), said)
        # Messages in the queue of an ended daemon are lost.
        arrived = len(self.messages())
        self.assertLessEqual(arrived + lost, fired)
        self.assertGreater(arrived, fired - lost - 2 * 1000)

    def test_a_daemon_that_hangs_holds_the_program_up_once(self):
        self.start_daemon()
        self.start()
        self.ask("fire", 10)
        self.daemon.send_signal(signal.SIGSTOP)
        os.waitid(os.P_PID, self.daemon.pid, os.WSTOPPED)
        waited = self.ask("slowest", 5000)  # if each waited a second, ask() would time out
        self.assertLess(waited, 10000)  # it wakes up late on a busy machine
        self.assertGreaterEqual(waited, 1000)
        lost = self.ask("lost")
        self.assertGreater(lost, 0)
        self.daemon.send_signal(signal.SIGCONT)
        self.drain_daemon()
        self.ask("fire", 1000)
        self.assertEqual(self.ask("lost"), lost)
        self.finish(NO_DAEMON.format("Resource temporarily unavailable") + LOST.format(lost))
        self.assertEqual(len(self.messages()), 10 + 5000 - lost + 1000)


class Streams(daemon.Syslog):
    """Simulates a daemon that listens for streams, because rsyslogd has no such socket."""

    def listen(self):
        listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.addCleanup(listener.close)
        listener.bind(daemon.LOG)
        listener.listen()
        listener.settimeout(10)
        return listener

    def read_all(self, listener):
        """Accepts a connection; returns its bytes until its end."""
        connection, _ = listener.accept()
        with connection:
            connection.settimeout(10)
            got = b""
            while chunk := connection.recv(65536):
                got += chunk
        return got.split(b"\0")

    def expected(self, count):
        head = f"<30>{daemon.IDENT}[{self.program.pid}]: sys_count thread 0 number "
        return [f"{head}{i}".encode() for i in range(count)] + [b""]

    def test_messages_end_with_a_nul(self):
        listener = self.listen()
        self.start()
        self.ask("fire", 100)
        self.finish()
        self.assertEqual(self.read_all(listener), self.expected(100))

    def test_a_restarted_one_is_found_and_another_kind_as_well(self):
        listener = self.listen()
        self.start()
        self.ask("fire", 3)
        listener.accept()[0].close()
        listener.close()
        self.unbind()
        listener = self.listen()
        self.ask("fire", 5)
        listener.accept()[0].close()
        listener.close()
        self.unbind()
        self.start_daemon()
        self.ask("fire", 7)
        got = self.messages()
        listener = self.listen()
        self.ask("fire", 11)
        self.finish()
        self.assertEqual(self.counts(0, got), list(range(7)))
        self.assertEqual(self.read_all(listener), self.expected(11))


class Descriptors(daemon.Syslog):
    def setUp(self):
        super().setUp()
        self.start_daemon()

    def test_closed_descriptors_are_opened_anew_and_foreign_ones_stay_untouched(self):
        self.start()
        self.ask("fire", 10)
        for _ in range(3):
            self.assertEqual(self.ask("close", 100), 0)
        self.finish()
        self.assertEqual(self.counts(0, self.messages()), [*range(10), *range(100)] + 2 * [*range(100)])

    def test_no_standard_stream_is_taken(self):
        self.start()
        self.assertEqual(self.ask("streams", 10), 0)
        self.program.wait(60)
        self.assertEqual(self.counts(0, self.messages()), list(range(10)))


if __name__ == "__main__":
    daemon.main()
