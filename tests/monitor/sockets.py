#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests control sockets of one user, and obstacles to them: sockets.py TOOL

Not named socket.py: `import socket` in this folder must find Python's module.
"""

import fcntl
import os
import pathlib
import shutil
import socket
import subprocess
import time
import unittest

import sockets_common
from sockets_common import mode_of


class Listening(sockets_common.Sockets):
    def test_it_listens_connects_and_leaves_nothing(self):
        with self.listening("serve", self.place / "a.sock") as (_, path):
            self.assertEqual(path, self.place / "a.sock")
            self.assertEqual(mode_of(path), 0o600)
            self.assert_connects(path, "one of us")
        self.assertEqual(os.listdir(self.place), [])

    def test_no_umask_makes_it_wider_or_useless(self):
        for umask in (0, 0o077, 0o277, 0o777):
            with self.subTest(umask=oct(umask)):
                xdg = self.directory(f"xdg-{umask}")
                with self.listening("serve", xdg=xdg, umask=umask) as (_, path):
                    self.assertEqual(mode_of(path), 0o600)
                    self.assertEqual(mode_of(path.parent), 0o700)
                    self.assert_connects(path, "one of us")
                with self.listening("serve", self.place / "a.sock", umask=umask) as (_, path):
                    self.assertEqual(mode_of(path), 0o600)

    @unittest.skipUnless(shutil.which("gdb"), "it needs gdb")
    def test_the_file_has_its_mode_from_its_first_moment(self):
        path = self.place / "a.sock"
        gdb = ["gdb", "-nx", "-batch", "-ex", "catch syscall bind", "-ex", "run", "-ex", "continue",
               "-ex", f"shell stat -c mode=%a {path}", "-ex", "kill", "--args", self.tool, "listen", path]
        out = subprocess.run(gdb, capture_output=True, text=True, umask=0, check=False).stdout
        self.assertIn("returned from syscall", out)
        self.assertIn("mode=600", out)

    def test_what_it_opens_is_closed_by_exec_and_no_standard_stream(self):
        for streams in ((), (0,), (1,), (0, 1, 2)):
            with self.subTest(closed=streams):
                path = self.place / f"closed-{len(streams)}-{sum(streams)}.sock"
                process = self.start("listen", path, stdin=subprocess.DEVNULL,
                                     preexec_fn=lambda: [os.close(fd) for fd in streams])
                self.wait_for(path.is_socket)
                time.sleep(0.1)
                self.check_descriptors(process.pid, streams)
                process.terminate()
                process.communicate(timeout=60)
                self.assertFalse(path.exists())

    def check_descriptors(self, pid, closed):
        infos = {int(p.name): p.read_text() for p in pathlib.Path(f"/proc/{pid}/fdinfo").iterdir()}
        links = {fd: os.readlink(f"/proc/{pid}/fd/{fd}") for fd in infos}
        self.assertEqual(set(infos) & {0, 1, 2}, {0, 1, 2} - set(closed), links)
        ours = [fd for fd in infos if fd > 2]
        self.assertEqual(len(ours), 1, links)  # the socket; the directory is closed
        flags = int(infos[ours[0]].split("flags:")[1].split()[0], 8)
        self.assertTrue(flags & os.O_CLOEXEC)
        self.assertTrue(flags & os.O_NONBLOCK)

    def wait_for(self, condition):
        for _ in range(3000):
            if condition():
                return
            time.sleep(0.01)
        self.fail("nothing happens")

    def test_a_child_of_fork_does_not_remove_it(self):
        with self.listening("child", self.place / "a.sock") as (_, path):
            self.assert_connects(path)
        self.assertFalse(path.exists())

    def test_a_stale_socket_of_a_killed_process_is_replaced(self):
        path = self.leave_stale("listen", self.place / "a.sock")
        self.assertEqual(self.run_tool("connect", path, 100)[0], 1)
        self.assert_refused("no program listens there", "connect", path, 100)
        with self.listening("listen", path):
            self.assert_connects(path)

    def test_a_pid_that_is_used_again_takes_the_name_over(self):
        """preexec_fn leaves a socket with the pid that the program then has."""
        directory = self.place / "waymark"
        directory.mkdir(0o700)

        def leave_one():
            with socket.socket(socket.AF_UNIX) as s:
                s.bind(str(directory / f"{os.getpid()}.sock"))

        with self.listening("listen", xdg=self.place, preexec_fn=leave_one) as (process, path):
            self.assertEqual(path, directory / f"{process.pid}.sock")
            self.assert_connects(path)
        self.assertEqual(os.listdir(directory), [])

    def test_a_living_socket_of_that_name_stays(self):
        for kind in (socket.SOCK_STREAM, socket.SOCK_SEQPACKET, socket.SOCK_DGRAM):
            with self.subTest(kind=kind), socket.socket(socket.AF_UNIX, kind) as other:
                path = self.place / f"{int(kind)}.sock"
                other.bind(str(path))
                if kind != socket.SOCK_DGRAM:
                    other.listen(1)
                before = os.stat(path).st_ino
                self.assert_refused("a program listens there already", "listen", path)
                self.assertEqual(os.stat(path).st_ino, before)

    def test_a_living_socket_with_a_full_queue_stays(self):
        self.fill(self.foreign(self.place / "a.sock"), self.place / "a.sock")
        self.assert_refused("a program listens there already", "listen", self.place / "a.sock")

    def fill(self, _, path):
        for _ in range(100):
            s = socket.socket(socket.AF_UNIX)
            self.addCleanup(s.close)
            s.setblocking(False)
            if s.connect_ex(str(path)):
                return
        self.fail("it is never full")

    def test_connecting_to_a_full_queue_ends_in_time(self):
        path = self.place / "a.sock"
        listener = self.foreign(path)
        self.fill(listener, path)
        for ms in (0, 300):
            begin = time.monotonic()
            self.assert_refused("does not answer", "connect", path, ms)
            self.assertGreaterEqual(time.monotonic() - begin, ms / 1000)
            self.assertLess(time.monotonic() - begin, ms / 1000 + 30)
        waiting = self.start("connect", path, 60000)
        time.sleep(0.1)
        self.assertIsNone(waiting.poll())
        for _ in range(2):  # the queue holds more than one, so make at least one place free
            listener.accept()[0].close()
        self.assertEqual(waiting.communicate(timeout=60)[0], "connected\n")

    def test_a_file_or_a_directory_of_that_name_stays(self):
        (self.place / "file").write_text("kept")
        (self.place / "directory").mkdir()
        os.mkfifo(self.place / "fifo")
        for name in ("file", "directory", "fifo"):
            self.assert_refused("not a socket", "listen", self.place / name)
            self.assert_refused("not a socket", "connect", self.place / name, 100)
        self.assertEqual((self.place / "file").read_text(), "kept")
        self.assertEqual(len(os.listdir(self.place)), 3)

    def test_a_symbolic_link_of_that_name_stays(self):
        self.leave_stale("listen", self.place / "stale.sock")
        for name, target in (("dangling", "nowhere.sock"), ("stale", "stale.sock"), ("file", "tool")):
            link = self.place / name
            link.symlink_to(target)
            self.assert_refused("a symbolic link is there", "listen", link)
            self.assertTrue(link.is_symlink())
        self.assertFalse((self.place / "nowhere.sock").exists())
        with self.listening("listen", self.place / "stale.sock"):
            self.assert_refused("a symbolic link", "connect", self.place / "stale", 100)

    def test_a_directory_that_is_given_may_be_reached_by_a_link(self):
        """/var/run is such a link."""
        (self.work / "link").symlink_to("place")
        with self.listening("listen", self.work / "link/a.sock") as (_, path):
            self.assert_connects(path)
            self.assert_connects(self.place / "a.sock")
        self.assertEqual(os.listdir(self.place), [])

    def test_a_default_directory_that_is_a_link_is_refused(self):
        for target in (self.place, "nowhere"):
            xdg = self.directory(f"xdg-{os.path.basename(target)}")
            (xdg / "waymark").symlink_to(target)
            self.assert_refused("a symbolic link", "listen", xdg=xdg)
        self.assertEqual(os.listdir(self.place), [])
        self.assertFalse((self.work / "nowhere").exists())

    def test_a_default_directory_that_is_a_file_is_refused(self):
        (self.place / "waymark").write_text("")
        self.assert_refused("not a directory", "listen", xdg=self.place)

    def test_a_default_directory_to_which_others_may_write_is_refused(self):
        for mode in (0o770, 0o720, 0o702, 0o1777):
            xdg = self.directory(f"xdg-{mode}")
            (xdg / "waymark").mkdir()
            (xdg / "waymark").chmod(mode)
            self.assert_refused("others may write to it", "listen", xdg=xdg)
        (xdg / "waymark").chmod(0o755)
        with self.listening("listen", xdg=xdg):
            pass

    def test_a_directory_that_is_given_to_which_everybody_may_write_is_refused(self):
        for mode in (0o777, 0o1777, 0o702):
            directory = self.directory(f"open-{mode}", mode)
            self.assert_refused("everybody may write to it", "listen", directory / "a.sock")
            self.foreign(directory / "b.sock")
            self.assert_refused("everybody may write to it", "connect", directory / "b.sock", 100)
            self.assertEqual(os.listdir(directory), ["b.sock"])
        directory.chmod(0o770)
        with self.listening("listen", directory / "a.sock") as (_, path):
            self.assert_connects(path)

    def test_a_directory_that_is_missing_is_named(self):
        self.assert_refused(f"{self.work}/none/: No such file", "listen", self.work / "none/a.sock")
        self.assert_refused(f"{self.work}/none/: No such file", "connect", self.work / "none/a.sock", 1)
        self.assert_refused("No such file", "connect", self.place / "none.sock", 100)

    def test_paths_of_any_length_up_to_the_limit(self):
        for length in (107, 108, 200, 1000):
            directory = self.place / str(length)
            while len(str(directory)) < length - 60:
                directory /= "d" * 50
            directory.mkdir(parents=True)
            path = f"{directory}/".ljust(length, "n")
            with self.subTest(length=length):
                with self.listening("listen", path) as (_, made):
                    self.assert_connects(made)
                    self.assert_refused("listens there already", "listen", path)
                self.assertFalse(made.exists())
                self.leave_stale("listen", path)
                with self.listening("listen", path):
                    self.assert_connects(path)

    def test_paths_that_are_too_long_are_refused(self):
        self.assert_refused("too long a name", "listen", self.place / ("n" * 120))
        self.assert_refused("longer than 1023 bytes", "listen", f"{self.place}/{'d/' * 512}a.sock")
        self.assertEqual(os.listdir(self.place), [])

    def test_names_that_are_none_are_refused(self):
        self.assert_refused("is empty", "listen", "")
        self.assert_refused("is empty", "connect", "", 100)
        for name in ("a.sock/", ".", "..", ""):
            self.assert_refused("this is a directory", "listen", f"{self.place}/{name}")
            self.assert_refused("this is a directory", "connect", f"{self.place}/{name}", 100)
        self.assertEqual(os.listdir(self.place), [])

    def test_percent_d_is_the_pid_and_no_other_percent_is_taken(self):
        with self.listening("listen", self.place / "%d-%d.sock") as (process, path):
            self.assertEqual(path, self.place / f"{process.pid}-{process.pid}.sock")
        for name in ("%s", "%", "%%", "%5d", "%n%n", "%d%"):
            self.assert_refused("only %d, the pid", "listen", self.place / name)
        self.assertEqual(os.listdir(self.place), [])
        self.foreign(self.place / "%d")
        self.assert_connects(self.place / "%d")  # for connecting, a path is used literally

    def test_a_relative_path_is_made_absolute(self):
        for name in ("a.sock", "%d.sock", "./b.sock"):
            with self.listening("listen", name, cwd=self.place) as (_, path):
                self.assertTrue(path.is_absolute())
                self.assert_connects(path.name, cwd=self.place)
                self.assertTrue(path.is_socket())
            self.assertFalse(path.exists())

    def test_an_error_is_one_line_whatever_the_path(self):
        self.assert_refused("a?b?[31m", "listen", self.work / "a\nb\033[31m/c.sock")

    def test_the_directory_is_locked_meanwhile(self):
        self.leave_stale("listen", self.place / "a.sock")
        before = os.stat(self.place / "a.sock").st_ino
        fd = os.open(self.place, os.O_RDONLY)
        fcntl.flock(fd, fcntl.LOCK_EX)
        waiting = self.start("listen", self.place / "a.sock")
        time.sleep(0.5)
        self.assertEqual(os.stat(self.place / "a.sock").st_ino, before)
        begin = time.monotonic()
        self.assert_refused("keeps it locked", "listen", self.place / "b.sock")
        self.assertLess(time.monotonic() - begin, 60)
        self.assertEqual(waiting.communicate(timeout=60)[0], "")
        waiting = self.start("listen", self.place / "a.sock")
        time.sleep(0.2)
        os.close(fd)
        self.assertEqual(waiting.stdout.readline(), f"{self.place}/a.sock\n")
        waiting.terminate()
        waiting.communicate(timeout=60)

    def test_of_those_that_race_for_a_name_one_gets_it(self):
        path = self.place / "a.sock"
        for _ in range(30):  # the round before leaves a stale socket
            self.assertEqual(self.run_tool("race", path, 16), (0, "1 connected"))

    def test_what_others_put_there_meanwhile_stays(self):
        path = self.place / "a.sock"

        def put_socket():
            self.foreign(path)

        for name, put in (("socket", put_socket), ("file", path.touch), ("nothing", lambda: None),
                          ("directory", path.mkdir), ("link", lambda: path.symlink_to("other"))):
            with self.subTest(name):
                with self.listening("listen", path):
                    path.rename(self.place / "other")
                    put()
                self.assertEqual(os.path.lexists(path), name != "nothing")
                self.assertTrue((self.place / "other").is_socket())
                if name == "directory":
                    path.rmdir()
                else:
                    path.unlink(missing_ok=True)

    def test_a_directory_that_is_gone_at_the_end_is_no_error(self):
        with self.listening("listen", self.place / "a.sock") as (process, _):
            self.place.rename(self.work / "moved")
        self.assertEqual(process.returncode, 0)


if __name__ == "__main__":
    unittest.main()
