#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests programs that change their descriptors, signals and users: hosts.py HOST ECHO STATIC REAL
[TEST...]
"""

import os
import pathlib
import signal
import socket
import subprocess
import unittest

import monitored
from monitored import until

NOBODY = 65534

def said_to(uid, path):
    """Returns the first answer of the socket to a process of that user."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.setgroups([])
            os.setresgid(uid, uid, uid)
            os.setresuid(uid, uid, uid)
            client = socket.socket(socket.AF_UNIX)
            client.connect(str(path))
            os.write(write, client.recv(100))
        finally:
            os._exit(0)
    os.close(write)
    os.waitpid(child, 0)
    said = os.read(read, 100).decode()
    os.close(read)
    return said


class Hosts(monitored.Monitored):
    def tasks(self, host):
        return pathlib.Path(f"/proc/{host.pid}/task")

    def test_closing_all_descriptors_reaches_the_monitor_not(self):
        host = self.host(f"start {self.path}")
        client = self.client()
        self.assertEqual(host.do("closefrom"), "ok")
        self.assert_answers(client)
        self.assert_answers(self.client())

    def test_closing_all_descriptors_ends_a_monitor_that_the_program_drives(self):
        host = self.host(f"open {self.path}")
        client = self.client()
        self.assertEqual(host.do("closefrom"), "ok")
        self.assertIsNone(client.line())
        self.assertEqual(host.do("pair"), "ok")  # under the number of the monitor's descriptor
        files = host.do("files")
        self.assertEqual(host.do("closeended"), "ok")
        self.assertEqual(host.do("files"), files)
        host.tell("exit 0")
        self.assertEqual(host.wait(), (0, ""))

    def test_a_loop_of_the_program_in_the_place_of_the_monitors_is_its_own(self):
        host = self.host(f"open {self.path}")
        client = self.client()
        self.assertEqual(host.do("closefrom"), "ok")
        self.assertIsNone(client.line())
        for what in "epoll", "pair", "ready", "childready":
            self.assertEqual(host.do(what), "ok", what)
        files = host.do("files")
        self.assertEqual(host.do("closeended"), "ok")
        self.assertEqual((host.do("files"), host.do("ready")), (files, "ok"))

    def test_a_socket_of_the_program_sees_its_end(self):
        for where in str(self.path), "stdio":
            with self.subTest(where=where):
                host = self.host("pair", f"start {where}", stdin=subprocess.PIPE)
                self.assertEqual(host.do("hangup"), "end")

    def test_the_thread_that_talks_has_nothing_of_the_programs_open(self):
        host = self.host("pair", f"start {self.path}")
        client = self.client()
        tables = sorted(host.threads().values(), key=len)
        self.assertEqual(len(tables), 2)
        if monitored.SANITIZER:
            return
        # The covered standard streams; epoll, timer, socket, client.
        inodes = self.inodes(host)
        own = min(inodes, key=lambda table: sum(link.startswith("anon_inode") for link in table) == 0)
        self.assertEqual(sum(link.startswith("socket") for link in own), 2)
        self.assertEqual(len(own), 7)
        self.assert_answers(client)

    def inodes(self, host):
        return [[os.readlink(self.tasks(host) / f"{tid}/fd/{fd}") for fd in fds]
                for tid, fds in host.threads().items()]

    def test_what_a_command_opens_is_the_programs(self):
        for how in "start", "open":
            with self.subTest(how=how):
                host = self.host(f"{how} {self.work / how}")
                client = self.client(self.work / how)
                files = int(host.do("files"))
                number = int(client.ask("open /dev/null"))
                self.assertGreaterEqual(number, 0)
                self.assertEqual(int(host.do("files")), files + 1)

    def test_a_program_without_descriptors_left_still_answers(self):
        host = self.host(f"start {self.path}")
        host.do("fill")
        client = self.client()
        self.assert_answers(client)
        self.assertEqual(client.ask("open /dev/null"), "-1")

    def test_a_program_without_descriptors_left_may_start_a_monitor_with_threads_only(self):
        host = self.host()
        host.do("fill")
        self.assertIn("Too many open files", host.do(f"open {self.path}"))
        self.assertFalse(self.path.exists())
        self.assertEqual(host.do(f"start {self.path}"), "ok")
        self.assert_answers(self.client())

    def test_a_program_that_blocks_all_signals(self):
        for how in "start", "open":
            with self.subTest(how=how):
                self.host("block", f"{how} {self.work / how}")
                self.assert_answers(self.client(self.work / how))

    def test_the_threads_block_all_signals(self):
        host = self.host(f"start {self.path}")
        everything = ((1 << 64) - 1) & ~(1 << signal.SIGKILL - 1 | 1 << signal.SIGSTOP - 1 | 3 << 31)
        for tid in host.threads():
            status = (self.tasks(host) / f"{tid}/status").read_text()
            blocked = int(status.split("SigBlk:")[1].split()[0], 16)
            self.assertEqual(blocked & everything, everything)

    def test_a_pinned_or_realtime_thread_starts_ordinary_ones(self):
        host = self.host(f"specialstart {self.path}")
        self.assert_answers(self.client())
        for tid in host.threads():
            self.assertEqual(os.sched_getaffinity(tid), os.sched_getaffinity(host.pid))
            self.assertEqual(os.sched_getscheduler(tid), os.SCHED_OTHER)

    def test_an_idle_monitor_is_never_woken(self):
        host = self.host(f"start {self.path}")
        client = self.client()
        self.assert_answers(client)

        def switches():
            return sum(int(line.split()[1]) for tid in host.threads()
                       for line in (self.tasks(host) / f"{tid}/status").read_text().splitlines()
                       if line.startswith("voluntary"))
        until(lambda: False, 0.3)
        before = switches()
        until(lambda: False, 0.7)
        if monitored.SANITIZER != "thread":
            self.assertEqual(switches(), before)

    def test_another_user_behind_the_start(self):
        if os.geteuid():
            self.skipTest("only root can")
        for how in "start", "open":
            with self.subTest(how=how):
                self.work.chmod(0o755)
                host = self.host(f"{how} {self.work / how}")
                held = self.client(self.work / how)
                self.assertEqual(host.do(f"setuid {NOBODY}"), "ok")
                self.assert_answers(held)
                self.assert_answers(self.client(self.work / how))
                host.tell("exit 0")
                self.assertEqual(host.wait(), (0, ""))

    @unittest.skipIf(os.geteuid(), "only root can")
    def test_another_users_client_is_turned_away(self):
        for how in "start", "open":
            with self.subTest(how=how):
                path = self.work / how
                self.work.chmod(0o755)
                self.host(f"{how} {path}")
                path.chmod(0o666)
                self.assertEqual(said_to(NOBODY, path), "error: not this process's user\r\n")
                self.assert_answers(self.client(path))

    def test_a_sandbox_that_refuses_one_way_to_descriptors_of_ones_own(self):
        host = self.host("pair", "refuse close_range", f"start {self.path}")
        self.assert_answers(self.client())
        self.assertEqual(host.do("closefrom"), "ok")
        self.assert_answers(self.client())

    def test_a_sandbox_that_refuses_new_clients_keeps_no_processor_busy(self):
        for how in "start", "open":
            with self.subTest(how=how):
                host = self.host(f"{how} {self.work / how}")
                held = self.client(self.work / how)
                self.assertEqual(host.do("refuse accept4"), "ok")
                self.client(self.work / how, greeted=False)
                self.assert_answers(held)
                before = self.processor_time(host)
                until(lambda: False, 0.5)
                self.assertLess(self.processor_time(host) - before, 0.2)

    def processor_time(self, host):
        """Returns the CPU seconds of all threads."""
        fields = pathlib.Path(f"/proc/{host.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def test_a_sandbox_that_refuses_both_is_reported(self):
        host = self.host("refuse close_range unshare")
        files = host.do("files")
        self.assertIn("waymark_monitor_dispatch()", host.do(f"start {self.path}"))
        self.assertTrue(until(lambda: host.threads() == {}))
        self.assertEqual(host.do("files"), files)
        self.assertEqual(host.do(f"open {self.path}"), "ok")
        self.assert_answers(self.client())


if __name__ == "__main__":
    monitored.main()
