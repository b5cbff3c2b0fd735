#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests sockets, descriptors, standard streams: places.py HOST ECHO STATIC REAL [TEST...]"""

import os
import pty
import select
import signal
import socket
import stat
import subprocess
import time

import monitored
from monitored import NEVER_MS, Host, until


def each_way(test):
    """Runs the test with the monitor's own threads, and with the program's loop."""
    def both(self):
        for how in "start", "open":
            with self.subTest(how=how):
                test(self, how)
    return both


def read_until(fd, what, patience=monitored.PATIENCE):
    """Reads up to `what` or to the end; returns the text."""
    got = b""
    while what not in got and select.select([fd], [], [], patience)[0]:
        try:
            more = os.read(fd, 4096)
        except OSError:
            more = b""
        if not more:
            break
        got += more
    return got


class Sockets(monitored.Monitored):
    def test_the_default_path_is_that_of_the_process_and_goes_with_it(self):
        host = self.host("start on")
        path = self.default_path(host.pid)
        self.assertEqual(stat.S_IMODE(os.stat(path).st_mode), 0o600)
        self.assertEqual(stat.S_IMODE(os.stat(path.parent).st_mode), 0o700)
        self.assert_answers(self.client(path))
        host.tell("exit 0")
        self.assertEqual(host.wait(), (0, ""))
        self.assertFalse(path.exists())

    def test_a_path_may_be_relative_and_name_the_process(self):
        host = self.host("start here-%d")
        self.assert_answers(self.client(self.work / f"here-{host.pid}"))

    def test_a_path_that_is_taken_is_refused_and_stays(self):
        self.host(f"start {self.path}")
        for how in "start", "open":
            second = self.host()
            self.assertIn(str(self.path), second.do(f"{how} {self.path}"))
            second.tell("exit 0")
            self.assertEqual(second.wait(), (0, ""))
        self.assert_answers(self.client())

    def test_a_socket_that_a_killed_program_left_is_replaced(self):
        first = self.host(f"start {self.path}")
        first.process.kill()
        first.wait()
        self.assertTrue(self.path.exists())
        self.host(f"start {self.path}")
        self.assert_answers(self.client())

    def test_what_is_no_place_is_refused_with_a_reason(self):
        missing = str(self.work / "missing/socket")
        for how in "start", "open":
            host = self.host()
            files = host.do("files")
            for where, why in (("", "empty"), ("fd:", "number"), ("fd:x", "fd:x: "), ("fd:900", "fd:900: Bad"),
                               ("fd:2147483647", "fd:2147483647: Bad"),
                               ("fd:-1", "number"), (missing, "missing/: No such file"), ("x" * 900, "too long")):
                with self.subTest(how=how, where=where):
                    if where or how == "start":
                        self.assertIn(why, host.do(f"{how} {where}"))
            self.assertEqual(host.do("files"), files)
            self.assertEqual(until(lambda: host.threads() == {}), True)

    def test_several_monitors_are_each_for_itself(self):
        host = self.host(f"start {self.path}", f"start {self.work / 'second'}", f"open {self.work / 'third'}")
        slow = self.client()
        slow.send(f"sleep {NEVER_MS}\n")
        for name in "second", "third":
            self.assert_answers(self.client(self.work / name))
        host.tell("exit 0")
        self.assertEqual(host.wait(), (0, ""))
        self.assertEqual([p.name for p in self.work.iterdir()], ["run"])

    def test_a_static_program_has_a_monitor(self):
        self.host(f"start {self.path}", program=monitored.STATIC)
        self.assertTrue(self.client(greeted=False).socket.recv(100))

    def test_the_library_that_is_installed_greets(self):
        self.host(f"start {self.path}", library=monitored.REAL)
        self.assertTrue(self.client(greeted=False).socket.recv(100))


class Descriptors(monitored.Monitored):
    """A descriptor given by number belongs to the monitor from then on."""

    def given(self, how, end):
        host = self.host(fds=[end.fileno()])
        self.files = int(host.do("files"))
        self.assertEqual(host.do(f"{how} fd:{end.fileno()}"), "ok")
        end.close()
        return host

    def ends(self, host, how):
        self.assert_over(host, how)
        if how != "start":
            self.assertEqual(host.do("close"), "ok")
        self.assertEqual(int(host.do("files")), self.files - 1)

    @each_way
    def test_a_listening_socket(self, how):
        with socket.socket(socket.AF_UNIX) as end:
            path = self.work / how
            end.bind(str(path))
            end.listen(8)
            self.given(how, end)
            self.assert_answers(self.client(path))
            self.assert_answers(self.client(path))

    @each_way
    def test_a_listening_socket_of_the_network(self, how):
        with socket.create_server(("127.0.0.1", 0)) as end:
            port = end.getsockname()[1]
            self.given(how, end)
            self.assert_answers(self.client(socket.create_connection(("127.0.0.1", port))))

    @each_way
    def test_an_end_of_a_pair_of_sockets_whose_end_is_the_monitors(self, how):
        ours, theirs = socket.socketpair()
        host = self.given(how, theirs)
        client = self.client(ours)
        self.assert_answers(client)
        client.socket.shutdown(socket.SHUT_WR)
        self.assertIsNone(client.line())
        self.ends(host, how)

    @each_way
    def test_a_connected_socket(self, how):
        with socket.create_server(("127.0.0.1", 0)) as server:
            ours = socket.create_connection(server.getsockname())
            host = self.given(how, server.accept()[0])
            client = self.client(ours)
            self.assert_answers(client)
            self.assertEqual(client.ask("quit"), "bye")
            self.assertIsNone(client.line())
            self.ends(host, how)

    @each_way
    def test_a_pseudo_terminal(self, how):
        ours, theirs = pty.openpty()
        host = self.given(how, os.fdopen(theirs, "r+b", 0))
        self.assertIn(b"ready", read_until(ours, b"ready\r\n"))
        os.write(ours, b"hello\n")
        self.assertIn(b"hello\r\nhello\r\n", read_until(ours, b"hello\r\nhello\r\n"))
        os.close(ours)
        self.ends(host, how)

    @each_way
    def test_what_cannot_be_talked_to_is_refused_and_stays_open(self, how):
        datagrams, other = socket.socketpair(type=socket.SOCK_DGRAM)
        alone = socket.socket(socket.AF_UNIX)
        read, write = os.pipe()
        plain = os.open(self.work / "file", os.O_RDWR | os.O_CREAT)
        for fd, why in ((datagrams.fileno(), "stream"), (alone.fileno(), "connected"),
                        (read, "reading and writing"), (plain, "neither")):
            host = self.host(fds=[fd])
            files = host.do("files")
            self.assertIn(why, host.do(f"{how} fd:{fd}"))
            self.assertEqual(host.do("files"), files)
        for end in datagrams, other, alone:
            end.close()
        for fd in read, write, plain:
            os.close(fd)


class Streams(monitored.Monitored):
    """Tests standard input and output."""

    def stdio(self, how, stdin, stdout):
        host = self.host(f"{how} stdio", stdin=stdin, stdout=stdout)
        return host

    @each_way
    def test_pipes_and_their_end(self, how):
        host = self.stdio(how, subprocess.PIPE, subprocess.PIPE)
        host.process.stdin.write(b"one\ntwo\n")
        host.process.stdin.flush()
        self.assertEqual(read_until(host.process.stdout.fileno(), b"two\n"), b"ready\none\ntwo\n")
        host.process.stdin.write(b"three\n")
        host.process.stdin.close()
        host.process.stdin = None
        self.assertEqual(read_until(host.process.stdout.fileno(), b"three\n"), b"three\n")
        self.assert_over(host, how)

    @each_way
    def test_a_file_is_read_to_its_end_and_a_file_is_written(self, how):
        asked = self.work / "asked"
        asked.write_text("".join(f"line {i}\n" for i in range(3000)))
        told = self.work / f"told-{how}"
        with asked.open() as stdin, told.open("w") as stdout:
            host = self.stdio(how, stdin, stdout)
        self.assert_over(host, how)
        self.assertEqual(told.read_text(), "ready\n" + asked.read_text())

    @each_way
    def test_nothing_to_read_ends_at_once(self, how):
        host = self.stdio(how, subprocess.DEVNULL, subprocess.DEVNULL)
        self.assert_over(host, how)
        self.assertEqual(host.do("start on"), "ok")
        self.assert_answers(self.client(self.default_path(host.pid)))

    @each_way
    def test_a_reader_that_is_gone_raises_no_signal(self, how):
        read, write = os.pipe()
        host = self.stdio(how, subprocess.PIPE, write)
        os.close(write)
        self.assertEqual(os.read(read, 100), b"ready\n")
        os.close(read)
        host.process.stdin.write(b"hello\n")
        host.process.stdin.flush()
        self.assert_over(host, how)
        self.assertEqual(host.do("pendingpipe"), "0")

    @each_way
    def test_a_reader_that_does_not_read_holds_the_program_not_up(self, how):
        read, write = os.pipe()
        host = self.stdio(how, subprocess.PIPE, write)
        os.close(write)
        host.process.stdin.write(b"flood 1000000\nafter\n")
        host.process.stdin.flush()
        time.sleep(0.3)
        host.do("rounds")  # would wait for the reader below if output blocked the program
        if how == "open":
            host.do("cancel 3")
        self.assertTrue(read_until(read, b"after\n").endswith(b"x\nafter\n"))
        os.close(read)

    @each_way
    def test_streams_that_others_use_stay_as_they_are(self, how):
        stdin, ours = os.pipe()
        theirs, stdout = os.pipe()
        self.stdio(how, stdin, stdout)
        os.write(ours, b"hello\n")
        self.assertIn(b"hello", read_until(theirs, b"hello\n"))
        for fd in stdin, stdout:
            self.assertTrue(os.get_blocking(fd))
        for fd in stdin, ours, theirs, stdout:
            os.close(fd)

    @each_way
    def test_one_socket_for_both_as_of_inetd(self, how):
        ours, theirs = socket.socketpair()
        host = self.stdio(how, theirs, theirs)
        theirs.close()
        client = self.client(ours)
        client.send("flood 3000000\nafter\n")
        self.assertEqual(len(client.line()), 3000000)
        self.assertEqual(client.line(), "after")
        client.socket.shutdown(socket.SHUT_WR)
        self.assert_over(host, how)

    @each_way
    def test_a_terminal_edits_lines_and_ends_with_ctrl_d(self, how):
        ours, theirs = pty.openpty()
        host = self.stdio(how, theirs, theirs)
        self.assertTrue(os.get_blocking(theirs))
        os.close(theirs)
        self.assertIn(b"ready", read_until(ours, b"ready\r\n"))
        os.write(ours, b"helxx\x7f\x7flo\n")
        self.assertIn(b"\r\nhello\r\n", read_until(ours, b"\r\nhello\r\n"))
        os.write(ours, b"\x04")
        self.assert_over(host, how)
        os.close(ours)

    @each_way
    def test_a_program_in_the_background_leaves_the_terminal_to_others(self, how):
        pid, ours = pty.fork()
        if pid == 0:
            self.be_shell(how)
        got = read_until(ours, b"started")
        self.assertIn(b"ready", got)
        os.write(ours, b"for the shell\n")
        self.assertIn(b"<for the shell>", read_until(ours, b">"))
        os.write(ours, b"for the monitor\n")  # the monitor is now in the foreground
        self.assertIn(b"\r\nfor the monitor\r\n", read_until(ours, b"\r\nfor the monitor\r\n"))
        os.write(ours, b"quit\n")
        self.assertIn(b"bye", read_until(ours, b"bye"))
        os.close(ours)
        os.waitpid(pid, 0)

    def be_shell(self, how):
        """Acts as a session's leader that runs the program in the background, then in the foreground."""
        signal.signal(signal.SIGTTOU, signal.SIG_IGN)
        host = Host(self.work, stdin=0, stdout=1, process_group=0)
        host.do(f"{how} stdio")
        print("started", flush=True)
        while not select.select([0], [], [], 5)[0]:
            pass
        time.sleep(0.3)  # the monitor sees the input, too
        print("<" + os.read(0, 100).decode().strip() + ">", flush=True)
        os.tcsetpgrp(0, host.pid)
        host.steers[0].settimeout(20)
        time.sleep(1.5)
        host.process.kill()
        os._exit(0)


if __name__ == "__main__":
    monitored.main()
