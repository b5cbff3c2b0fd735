#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests programs that end while they are monitored: ends.py HOST ECHO STATIC REAL [TEST...]"""

import time

import monitored
from monitored import CHILDS_THREADS, NEVER_MS, is_alive, until


class Ends(monitored.Monitored):
    def test_each_regular_end_removes_the_socket_and_undoes_what_clients_hold(self):
        for how in "start", "open":
            for end in "exit 7", "quick_exit 7", "threadexit 7":
                with self.subTest(how=how, end=end):
                    note = self.work / f"note-{how}-{end}"
                    host = self.host(f"{how} {self.path}")
                    client = self.client()
                    client.ask(f"hold {note}")
                    host.tell(end)
                    self.assertEqual(host.wait(), (7, ""))
                    self.assertFalse(self.path.exists())
                    self.assertEqual(note.read_text(), f"{host.pid}\n")
                    self.assertIsNone(client.line())

    def test_an_exit_while_a_command_runs_does_not_wait_for_its_end(self):
        for how in "start", "open":
            for end in "exit 7", "threadexit 7", "_exit 7":
                with self.subTest(how=how, end=end):
                    host = self.host(f"{how} {self.work / how}{end[:2]}")
                    client = self.client(self.work / f"{how}{end[:2]}")
                    client.send(f"sleep {NEVER_MS}\n")
                    time.sleep(0.1)
                    host.tell(end)
                    self.assertEqual(host.wait(), (7, ""))

    def test_an_exit_while_a_hundred_clients_talk(self):
        for how in "start", "open":
            with self.subTest(how=how):
                host = self.host(f"{how} {self.path}")
                clients = [self.client() for _ in range(100)]
                for client in clients:
                    client.send("flood 10000\n" * 20)
                host.tell("exit 7")
                self.assertEqual(host.wait(), (7, ""))
                self.assertFalse(self.path.exists())

    def test_a_program_without_its_monitor_library_loaded_any_more_answers(self):
        host = self.host(f"start {self.path}")
        self.assertEqual(host.do("dlclose"), "ok")
        self.assert_answers(self.client())
        host.tell("exit 0")
        self.assertEqual(host.wait(), (0, ""))
        self.assertFalse(self.path.exists())

    @CHILDS_THREADS
    def test_the_child_of_a_program_that_ends_first_removes_nothing_of_its_parents(self):
        host = self.host(f"start {self.path}")
        for end in "exit 0", "_exit 0", "quick_exit 0":
            child = host.fork(1)
            time.sleep(0.1)
            host.tell(end, 1)
            self.assertTrue(until(lambda child=child: not is_alive(child)))
            self.assertTrue(self.path.exists())
            self.assert_answers(self.client())


if __name__ == "__main__":
    monitored.main()
