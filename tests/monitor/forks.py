#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests programs that fork and run others: forks.py HOST ECHO STATIC REAL [TEST...]"""

import socket
import threading
import time
import unittest

import monitored
from monitored import CHILDS_THREADS, WAYS_OF_PARENTS, is_alive, kill, until


class Forks(monitored.Monitored):
    def who(self, path=None):
        """Returns the process that answers at the path."""
        client = self.connects(path)
        answer = client.ask("where").split()[0]
        client.close()
        return int(answer)

    def assert_owned_by(self, pid, path=None):
        def is_so():
            try:
                client = self.client(path)
                answer = client.ask("where")
                client.close()
                return answer and int(answer.split()[0]) == pid
            except (ConnectionRefusedError, FileNotFoundError, BrokenPipeError, AssertionError):
                return False
        self.assertTrue(until(is_so), f"{path or self.path} is not that of {pid}")

    @CHILDS_THREADS
    def test_a_child_has_a_monitor_at_its_own_default_path(self):
        for how in "start", "open":
            with self.subTest(how=how):
                host = self.host(f"{how} on")
                held = self.client(self.default_path(host.pid))
                child = self.child(host.fork())
                if how == "open":
                    self.assertEqual(host.do("drive", 1), "ok")
                self.assert_owned_by(child, self.default_path(child))
                self.assert_answers(held)
                self.assert_owned_by(host.pid, self.default_path(host.pid))
                host.tell("exit 0", 1)
                self.assertTrue(until(lambda path=self.default_path(child): not path.exists()))
                self.assert_answers(held)

    @CHILDS_THREADS
    def test_a_child_of_any_thread_has_a_monitor(self):
        host = self.host("start here-%d")
        child = self.child(int(host.do("threadfork")))
        self.assert_owned_by(child, self.work / f"here-{child}")

    @CHILDS_THREADS
    def test_a_path_is_the_childs_when_the_parent_has_ended(self):
        for how in "start", "open":
            for end in "_exit 0", "exit 0", "quick_exit 0", "kill":
                with self.subTest(how=how, end=end):
                    path = self.work / f"{how}-{end.split()[0]}"
                    host = self.host(f"{how} {path}")
                    child = self.child(host.fork())
                    if how == "open":
                        self.assertEqual(host.do("drive", 1), "ok")
                    time.sleep(1.5 if end == "kill" else 0.1)
                    self.assert_owned_by(host.pid, path)
                    if end == "kill":
                        kill(host.pid)
                    else:
                        host.tell(end)
                    host.process.wait()
                    self.assert_owned_by(child, path)
                    host.tell("exit 0", 1)
                    self.assertTrue(until(lambda path=path: not path.exists()))

    @CHILDS_THREADS
    def test_a_daemon_that_forks_twice_and_closes_everything_keeps_its_socket(self):
        for _ in range(5):
            with self.subTest():
                host = self.host("start socket")
                first = self.child(host.fork(1))
                host.tell("_exit 0")
                second = self.child(host.fork(2, by=1))
                host.tell("_exit 0", 1)
                host.do("daemonize", 2)
                self.assertTrue(until(lambda: not is_alive(first)))
                self.assert_owned_by(second)
                self.assertEqual(host.do("closefrom", 2), "ok")
                self.assert_answers(self.client())
                host.tell("exit 0", 2)
                self.assertTrue(until(lambda: not self.path.exists()))

    @CHILDS_THREADS
    def test_one_worker_after_another_takes_the_socket_over(self):
        host = self.host(f"start {self.path}")
        workers = {self.child(int(pid)) for pid in host.do("workers 8").split()}
        time.sleep(0.2)
        self.assert_owned_by(host.pid)
        kill(host.pid)
        for _ in range(len(workers)):
            owner = None
            def changes():
                nonlocal owner
                try:
                    owner = self.who()
                except (AssertionError, OSError, AttributeError):
                    owner = None
                return owner in workers
            self.assertTrue(until(changes))
            workers.remove(owner)
            kill(owner)
            self.assertTrue(until(lambda owner=owner: not is_alive(owner)))
        self.assertEqual(workers, set())

    def test_a_child_undoes_what_its_parents_clients_hold_and_the_parent_does_not(self):
        for how in WAYS_OF_PARENTS:
            with self.subTest(how=how):
                note = self.work / f"note-{how}"
                host = self.host(f"{how} {self.work / how}")
                client = self.client(self.work / how)
                client.ask(f"hold {note}")
                child = self.child(host.fork())
                self.assertTrue(until(lambda note=note, child=child: self.text(note) == f"{child}\n"))
                self.assert_answers(client)
                client.close()
                both = f"{child}\n{host.pid}\n"
                self.assertTrue(until(lambda note=note, both=both: self.text(note) == both))

    def text(self, path):
        return path.read_text() if path.exists() else None

    def test_a_client_of_the_parent_is_not_held_by_children(self):
        for how in WAYS_OF_PARENTS:
            with self.subTest(how=how):
                host = self.host(f"{how} {self.work / how}")
                client = self.client(self.work / how)
                self.child(int(host.do("workers 1")))
                self.assertEqual(client.ask("quit"), "bye")
                self.assertIsNone(client.line())

    @CHILDS_THREADS
    def test_standard_streams_and_descriptors_stay_with_the_parent(self):
        for how in "start", "open":
            with self.subTest(how=how):
                ours, theirs = socket.socketpair()
                host = self.host(f"{how} fd:{theirs.fileno()}", fds=[theirs.fileno()])
                theirs.close()
                client = self.client(ours)
                child = self.child(host.fork())
                if how == "open":
                    self.assertEqual(host.do("drive", 1), "ok")
                    self.assertTrue(until(lambda: host.do("ended", 1) == "1"))
                    self.assertEqual(host.do("close", 1), "ok")
                self.assert_answers(client)
                self.assertEqual(host.threads(child), {})
                self.assertEqual(client.ask("quit"), "bye")
                self.assertIsNone(client.line())

    @unittest.skipIf(monitored.SANITIZER, "a sanitizer must know of forks")
    def test_a_child_that_the_libraries_know_nothing_of_waits_for_no_turn(self):
        host = self.host(f"open {self.path}")
        slow = self.client()
        slow.send("sleep 1000\n")
        time.sleep(0.2)
        self.child(int(host.do(f"rawfork {host.children[0]}")))
        self.assertEqual(host.do("dispatch", 1), "-1")
        self.assertEqual(slow.line(), "slept")

    @CHILDS_THREADS
    def test_a_fork_while_a_command_runs_waits_half_a_second_at_most(self):
        host = self.host(f"start {self.path}")
        slow = self.client()
        slow.send("sleep 6000\nafter\n")
        time.sleep(0.1)
        began = time.monotonic()
        child = self.child(host.fork())
        self.assertLess(time.monotonic() - began, 5)
        self.assertTrue(is_alive(child))
        self.assertEqual([slow.line(), slow.line()], ["slept", "after"])
        kill(host.pid)
        self.assert_owned_by(child)

    @CHILDS_THREADS
    def test_a_fork_while_another_monitor_is_busy_leaves_what_clients_hold(self):
        host = self.host(f"start {self.path}", "start here-%d")
        note = self.work / "note"
        holder = self.client(self.work / f"here-{host.pid}")
        self.assertEqual(holder.ask(f"hold {note}"), "held")
        busy = self.client()
        busy.send("lock 2000\n")
        time.sleep(0.1)
        child = self.child(host.fork())
        self.assert_owned_by(child, self.work / f"here-{child}")
        self.assertFalse(note.exists())
        self.assertEqual(busy.line(), "slept")

    def test_forks_from_many_threads_while_clients_talk(self):
        how = "open" if monitored.SANITIZER else "start"  # a fork may find locks of the sanitizer taken
        host = self.host(f"{how} {self.path}", *["start here-%d"] * (how == "start"))
        going = True
        said = []

        def talk():
            client = self.client()
            while going:
                said.append(client.ask("hello"))

        talkers = [threading.Thread(target=talk) for _ in range(2)]
        for talker in talkers:
            talker.start()
        self.assertEqual(host.do(f"forkstorm {5 if monitored.SANITIZER else 25}"), "ok")
        going = False
        for talker in talkers:
            talker.join()
        self.assertEqual(set(said), {"hello"})
        self.assert_answers(self.client())

    @unittest.skipIf(monitored.SANITIZER, "a fork may find a sanitizer's locks taken")
    def test_a_fork_waits_for_few_commands_of_clients_that_never_pause(self):
        host = self.host(f"start {self.path}")
        going = True
        said = []

        def talk():
            client = self.client()
            while going:
                said.append(client.ask("sleep 5"))

        talkers = [threading.Thread(target=talk) for _ in range(3)]
        for talker in talkers:
            talker.start()
        before = len(said)
        self.assertEqual(host.do("forkstorm 10"), "ok")
        during = len(said) - before
        going = False
        for talker in talkers:
            talker.join()
        self.assertLess(during, 50 * 40)  # half a second each, its longest wait, would be 300 * 40

    @CHILDS_THREADS
    def test_a_child_that_runs_another_program_at_once_leaves_no_socket(self):
        host = self.host("start here-%d")
        self.assertEqual(host.do("forkexec"), "ok")
        self.assertEqual([p.name for p in self.work.glob("here-*")], [f"here-{host.pid}"])

    def test_a_program_that_runs_itself_may_start_its_monitor_again(self):
        host = self.host("start here-%d")
        path = self.work / f"here-{host.pid}"
        old = self.client(path)
        host.tell("exec")
        self.assertIsNone(old.line())
        self.assertEqual(host.do("start here-%d"), "ok")
        self.assert_answers(self.client(path))


if __name__ == "__main__":
    monitored.main()
