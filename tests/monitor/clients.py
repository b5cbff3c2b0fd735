#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests clients that misbehave, are idle or many: clients.py HOST ECHO STATIC REAL [TEST...]"""

import pathlib
import select
import socket
import threading
import time

import monitored
from monitored import until


class Clients:
    """With the monitor's own threads, and with the program's loop."""

    def setUp(self):
        super().setUp()
        self.program = self.host(f"{self.how} {self.path}")

    def memory_kib(self):
        status = pathlib.Path(f"/proc/{self.program.pid}/status").read_text()
        return int(status.split("VmRSS:")[1].split()[0])

    def processor_s(self):
        fields = pathlib.Path(f"/proc/{self.program.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / 100

    def test_a_client_is_greeted_and_answered(self):
        client = self.client()
        self.assert_answers(client)
        self.assertEqual(client.ask("quit"), "bye")
        self.assertIsNone(client.line())
        self.assert_answers(self.client())

    def test_a_hundred_clients_are_answered_at_the_same_time(self):
        clients = [self.client() for _ in range(100)]
        for _ in range(3):
            for i, client in enumerate(clients):
                client.send(f"I am {i}\n")
            for i, client in enumerate(clients):
                self.assertEqual(client.line(), f"I am {i}")

    def test_clients_that_come_and_go_leave_nothing(self):
        self.assert_answers(self.client())
        files = self.files()

        def come_and_go():
            for _ in range(50):
                client = self.client()
                self.assertEqual(client.ask("sleep 1"), "slept")
                client.close()

        threads = [threading.Thread(target=come_and_go) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(until(lambda: self.files() == files and files), files)

    def files(self):
        if self.how == "start":
            return max(len(fds) for fds in self.program.threads().values())
        return int(self.program.do("files"))

    def holder(self):
        """Connects a client that is never closed for another one."""
        client = self.client()
        self.assertEqual(client.ask(f"hold {self.work / 'note'}"), "held")
        return client

    def test_the_257th_client_is_refused_with_the_reason(self):
        clients = [self.holder() for _ in range(256)]
        late = self.client(greeted=False)
        self.assertEqual(late.line(), "error: too many clients: all that are connected are busy or "
                                      "attached; try again later")
        self.assertIsNone(late.line())
        self.assert_answers(clients[0])
        clients.pop().close()
        self.assert_answers(until(self.try_again))

    def try_again(self):
        client = self.client(greeted=False)
        line = client.line()
        if line == "ready":
            return client
        self.assertIn("too many clients", line)
        return None

    def test_a_new_client_takes_the_place_of_the_one_that_is_idle_longest(self):
        holder = self.holder()
        idle = [self.client() for _ in range(255)]
        for number in range(3):
            self.assert_answers(until(self.try_again))
            self.assertEqual(idle[number].line(), "error: closed because it was idle: another client "
                                                  "needed the place; connect again")
            self.assertIsNone(idle[number].line())
        self.assert_answers(holder)
        self.assert_answers(idle[3])

    def test_a_client_that_reads_no_answers_is_closed_for_another_but_not_one_that_waits(self):
        for _ in range(253):
            self.holder()
        lazy, waiting, slow = self.client(), self.client(), self.client()
        lazy.send("flood 2000000\n")
        slow.send("sleep 1500\n")
        waiting.send("answered\n")
        self.assert_answers(until(self.try_again))
        self.assertEqual([slow.line(), waiting.line()], ["slept", "answered"])
        answer = lazy.line()
        self.assertTrue(answer is None or len(answer) < 2000000)
        self.assert_answers(waiting)
        self.assert_answers(slow)

    def test_a_client_that_says_nothing_costs_nothing(self):
        for _ in range(20):
            monitored.Client(self.path).close()
        silent = [self.client(greeted=False) for _ in range(20)]
        self.assert_answers(self.client())
        before = self.processor_s()
        time.sleep(0.5)
        self.assertLess(self.processor_s() - before, 0.1)
        self.assertEqual([client.line() for client in silent], ["ready"] * 20)

    def test_who_ends_his_side_gets_all_answers(self):
        client = self.client()
        client.send("one\nflood 3000000\ntwo\n")
        client.socket.shutdown(socket.SHUT_WR)
        self.assertEqual(client.line(), "one")
        self.assertEqual(len(client.line()), 3000000)
        self.assertEqual(client.line(), "two")
        self.assertIsNone(client.line())

    def test_the_last_answer_is_sent_before_the_connection_ends(self):
        for size in range(60000, 240000, 20000):
            client = self.client()
            client.send(f"flood {size}\nflood 60000\nquit\n")
            time.sleep(0.05)
            self.assertEqual([len(client.line()), len(client.line()), client.line()], [size, 60000, "bye"])
            self.assertIsNone(client.line())

    def test_a_client_that_does_not_read_is_not_read_from_and_delays_none(self):
        lazy = self.client()
        lazy.socket.setblocking(False)
        line = b"flood 1000\n" * 100
        sent = 0
        while select.select([], [lazy.socket], [], 0.5)[1] and sent < 1 << 22:
            sent += lazy.socket.send(line)
        self.assertLess(sent, 1 << 22)
        self.assert_answers(self.client())
        before = self.processor_s()
        time.sleep(0.5)
        self.assertLess(self.processor_s() - before, 0.1)
        lazy.socket.settimeout(monitored.PATIENCE)
        for _ in range(sent // 11):
            self.assertEqual(len(lazy.line()), 1000)

    def test_a_client_that_wants_too_long_an_answer_is_closed(self):
        before = self.memory_kib()
        client = self.client()
        self.assertIsNone(client.ask("flood 20000000"))
        self.assert_answers(self.client())
        if not monitored.SANITIZER:
            self.assertLess(self.memory_kib() - before, 40 << 10)
            self.assertEqual(len(self.client().ask("flood 16000000")), 16000000)

    def test_a_line_of_100_mb_is_refused_in_bounded_memory(self):
        before = self.memory_kib()
        client = self.client()
        try:
            for _ in range(100):
                client.send(b"x" * 1000000)
            self.fail("all was taken")
        except (BrokenPipeError, ConnectionResetError):
            pass
        self.assertEqual(client.line(), "error: a line of more than 1 MiB")
        self.assertIsNone(client.line())
        self.assert_answers(self.client())
        if not monitored.SANITIZER:
            self.assertLess(self.memory_kib() - before, 8 << 10)

    def test_garbage_is_given_to_its_conversation_only(self):
        client = self.client()
        client.send(bytes(range(11, 256)) * 40 + b"\0\n")
        self.assertIn(b"\0", client.socket.recv(1 << 16))
        client.close()
        self.assert_answers(self.client())

    def test_bytes_may_come_one_by_one_and_lines_all_at_once(self):
        client = self.client()
        for byte in "piecemeal\n":
            client.send(byte)
        self.assertEqual(client.line(), "piecemeal")
        client.send("".join(f"{i}\n" for i in range(5000)))
        self.assertEqual([client.line() for _ in range(5000)], [str(i) for i in range(5000)])

    def test_who_goes_while_answers_are_under_way_raises_no_signal(self):
        for _ in range(20):
            client = self.client()
            client.send("flood 2000000\nsleep 1\nflood 2000000\n")
            client.close()
        self.assert_answers(self.client())
        self.assertEqual(self.program.do("pendingpipe"), "0")

    def test_what_a_client_holds_is_undone_when_it_goes(self):
        note = self.work / "note"
        client = self.client()
        self.assertEqual(client.ask(f"hold {note}"), "held")
        self.assertFalse(note.exists())
        client.close()
        self.assertEqual(until(lambda: note.exists() and note.read_text()), f"{self.program.pid}\n")

    def test_a_slow_command_makes_others_wait_and_loses_nothing(self):
        slow = self.client()
        slow.send("sleep 300\nafter\n")
        other = self.client(greeted=False)
        self.assertEqual(other.line(), "ready")
        self.assert_answers(other)
        self.assertEqual([slow.line(), slow.line()], ["slept", "after"])

    def test_signals_of_the_program_neither_disturb_nor_come_to_the_monitor(self):
        self.assertEqual(self.program.do("signals"), "ok")
        client = self.client()
        for i in range(300):
            self.assertEqual(client.ask(f"line {i}"), f"line {i}")
        self.assertEqual(client.ask("sleep 50"), "slept")
        self.assertEqual(self.program.do("nosignals"), "1 0")


class WithThreads(Clients, monitored.Monitored):
    how = "start"

    def test_commands_run_in_a_thread_of_the_monitor(self):
        self.assertEqual(self.client().ask("where"), f"{self.program.pid} wm-monitor")

    def test_descriptors_that_are_short_are_waited_for_without_spinning(self):
        program = self.host("limit 24", f"start {self.work / 'other'}")
        clients = [self.client(self.work / "other") for _ in range(8)]
        late = [self.client(self.work / "other", greeted=False) for _ in range(20)]
        self.program = program
        self.assert_answers(clients[0])
        before = self.processor_s()
        time.sleep(0.6)
        self.assertLess(self.processor_s() - before, 0.1)
        for client in clients:
            client.close()
        self.assertEqual(late[0].line(), "ready")


class ByTheProgram(Clients, monitored.Monitored):
    how = "open"

    def test_a_loop_that_has_nothing_to_do_sleeps(self):
        self.assert_answers(self.client())
        time.sleep(0.1)
        before = int(self.program.do("rounds"))
        time.sleep(0.3)
        self.assertEqual(int(self.program.do("rounds")), before)

    def test_descriptors_that_are_short_are_waited_for_without_spinning(self):
        self.assert_answers(self.client())
        self.program.do("fill")
        late = self.client(greeted=False)
        before = int(self.program.do("rounds"))
        time.sleep(0.6)
        self.assertIn(int(self.program.do("rounds")) - before, range(1, 20))
        self.assertEqual(self.program.do("limit 200"), "ok")
        self.assertEqual(late.line(), "ready")

    def test_a_dispatching_thread_may_be_cancelled(self):
        going = True

        def talk():
            while going:
                client = self.client()
                self.assertEqual(client.ask("sleep 1"), "slept")
                client.close()

        thread = threading.Thread(target=talk)
        thread.start()
        self.assertEqual(self.program.do("cancel 200"), "ok")
        going = False
        thread.join()
        self.assert_answers(self.client())

    def test_closing_ends_conversations_and_removes_the_socket(self):
        note = self.work / "note"
        client = self.client()
        client.ask(f"hold {note}")
        self.assertEqual(self.program.do("close"), "ok")
        self.assertEqual(note.read_text(), f"{self.program.pid}\n")
        self.assertIsNone(client.line())
        self.assertFalse(self.path.exists())

    def test_opening_and_closing_leaves_nothing(self):
        files = self.program.do("files")
        self.assertEqual(self.program.do(f"reopen 200 {self.work / 'other'}"), "ok")
        self.assertEqual(self.program.do("files"), files)


if __name__ == "__main__":
    monitored.main()
