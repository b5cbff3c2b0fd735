#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests control sockets of several users, roots and directories: sockets_users.py TOOL

Runs as root in a mount namespace where /run and /tmp are empty: the test sees and changes no file
of the machine, and its files are removed with the namespace.
"""

import contextlib
import os
import pathlib
import shutil
import socket
import subprocess
import sys
import unittest

import sockets_common
from sockets_common import NOBODY, SOMEBODY, mode_of, skip

INSIDE = "WAYMARK_TEST_INSIDE"
NAMESPACE = ["unshare", "--mount", "--propagation", "private"]
TOOL = pathlib.Path(sockets_common.BUILT).read_bytes()  # the tool may be below /tmp
TMP = f"/tmp/waymark-{NOBODY}"


def enter():
    """Continues in the namespace, or skips the tests."""
    if os.geteuid() != 0:
        skip("it needs root, to be several users")
    if subprocess.run([*NAMESPACE, "true"], capture_output=True, check=False).returncode:
        skip("it needs a mount namespace: " + " ".join(NAMESPACE))
    if INSIDE not in os.environ:
        os.environ[INSIDE] = "1"
        os.execvp(NAMESPACE[0], [*NAMESPACE, sys.executable, os.path.abspath(__file__), sockets_common.BUILT])
    os.environ["LSAN_OPTIONS"] = "detect_leaks=0"  # the leak check needs /proc
    for place, mode in (("/tmp", "1777"), ("/run", "755")):
        mount(place, "mode=" + mode)
    sockets_common.BUILT = "/run/tool"
    pathlib.Path(sockets_common.BUILT).write_bytes(TOOL)
    os.chmod(sockets_common.BUILT, 0o755)


def mount(place, options):
    subprocess.run(["mount", "-t", "tmpfs", "-o", options, "waymark-test", place], check=True)


@contextlib.contextmanager
def acting_as(uid):
    """Gives this process the rights of another user."""
    os.setegid(uid)
    os.seteuid(uid)
    try:
        yield
    finally:
        os.seteuid(0)
        os.setegid(0)


class Users(sockets_common.Sockets):
    def setUp(self):
        super().setUp()
        os.chmod(self.place, 0o755)
        for left in (TMP, "/tmp/waymark-0", "/run/user", "/run/waymark"):
            self.addCleanup(self.clean, left)

    def clean(self, path):
        if os.path.islink(path) or os.path.isfile(path):
            os.unlink(path)
        else:
            shutil.rmtree(path, ignore_errors=True)

    def make(self, path, mode=0o700, uid=NOBODY):
        os.makedirs(path)
        os.chown(path, uid, uid)
        os.chmod(path, mode)
        return path

    def place_of(self, uid, **how):
        return self.run_tool("directory", uid=uid, **how)[1]

    def reply(self, uid, path):
        """Connects as another user; returns the server's first answer."""
        with acting_as(uid), socket.socket(socket.AF_UNIX) as s:
            s.settimeout(5)
            try:
                s.connect(str(path))
                return s.recv(100).decode()
            except OSError as e:
                return e.strerror


class Places(Users):
    def test_roots_is_below_run(self):
        with self.listening("serve") as (process, path):
            self.assertEqual(str(path), f"/run/waymark/{process.pid}.sock")
            self.assertEqual(mode_of("/run/waymark"), 0o700)
            self.assert_connects(path, "one of us")

    def test_where_no_login_made_a_place_it_is_below_tmp(self):
        for umask in (0, 0o022, 0o777):
            with self.listening("serve", uid=NOBODY, umask=umask) as (process, path):
                self.assertEqual(str(path), f"{TMP}/{process.pid}.sock")
                self.assertEqual((mode_of(TMP), os.stat(TMP).st_uid), (0o700, NOBODY))
                self.assertEqual(mode_of(path), 0o600)
                self.assert_connects(path, "one of us", uid=NOBODY)
            os.rmdir(TMP)

    def test_a_directory_of_ours_without_rights_is_mended(self):
        self.make(TMP, 0)
        with self.listening("listen", uid=NOBODY):
            self.assertEqual(mode_of(TMP), 0o700)

    def test_the_place_of_a_login_is_found_without_the_environment(self):
        login = self.make(f"/run/user/{NOBODY}")
        self.assertEqual(self.place_of(NOBODY), f"{login}/waymark")
        for mode, uid in ((0o777, NOBODY), (0o1777, NOBODY), (0o770, NOBODY), (0o700, SOMEBODY), (0o700, 0)):
            os.chown(login, uid, uid)
            os.chmod(login, mode)
            self.assertEqual(self.place_of(NOBODY), TMP)

    def test_xdg_runtime_dir_is_used_where_it_is_ours_alone(self):
        mine = self.directory("mine", 0o700, NOBODY)
        (self.work / "link").symlink_to(mine)
        self.make(f"/run/user/{NOBODY}")
        for xdg in (mine, f"{self.work}/link"):
            self.assertEqual(self.place_of(NOBODY, xdg=xdg), f"{xdg}/waymark")
            with self.listening("listen", uid=NOBODY, xdg=xdg) as (_, path):
                self.assertEqual(str(path.parent), f"{xdg}/waymark")

    def test_xdg_runtime_dir_is_ignored_where_it_is_relative(self):
        self.directory("mine", 0o700, NOBODY)
        self.assertEqual(self.place_of(NOBODY, xdg="mine", cwd=self.work), TMP)

    def test_xdg_runtime_dir_is_ignored_where_it_is_empty(self):
        self.assertEqual(self.place_of(NOBODY, xdg=""), TMP)

    def test_xdg_runtime_dir_is_ignored_where_it_does_not_exist_or_is_no_directory(self):
        file = self.work / "file"
        file.touch()
        os.chown(file, NOBODY, NOBODY)
        for xdg in (self.work / "none", file):
            self.assertEqual(self.place_of(NOBODY, xdg=xdg), TMP)

    def test_xdg_runtime_dir_is_ignored_where_it_is_somebody_elses(self):
        other = self.directory("other", 0o755, SOMEBODY)
        for uid, place in ((NOBODY, TMP), (0, "/run/waymark")):
            self.assertEqual(self.place_of(uid, xdg=other), place)

    def test_xdg_runtime_dir_is_ignored_where_others_may_write(self):
        for mode in (0o777, 0o1777, 0o770, 0o702):
            xdg = self.directory(f"open-{mode}", mode, NOBODY)
            self.assertEqual(self.place_of(NOBODY, xdg=xdg), TMP)

    def test_xdg_runtime_dir_is_ignored_where_it_is_too_long(self):
        xdg = self.work
        while len(str(xdg)) < 1100:
            xdg /= "d" * 100
        xdg.mkdir(parents=True)
        os.chown(xdg, NOBODY, NOBODY)
        self.assertEqual(self.place_of(NOBODY, xdg=xdg), TMP)

    @unittest.skipIf(os.environ.get("WAYMARK_SANITIZER"), "a sanitizer cannot look into a set-uid program")
    def test_a_set_uid_program_does_not_hear_the_environment(self):
        mine = self.directory("mine", 0o700, NOBODY)
        self.assertEqual(self.place_of(NOBODY, xdg=mine), f"{mine}/waymark")
        os.chown(self.tool, NOBODY, NOBODY)
        os.chmod(self.tool, 0o4755)
        self.assertEqual(self.place_of(SOMEBODY, xdg=mine), TMP)

    def test_a_chroot_has_places_of_its_own(self):
        root = self.directory("root", 0o755)
        self.assert_refused("cannot be made: No such file", "chroot", root, "listen")
        (root / "tmp").mkdir()
        with self.listening("chroot", root, "listen") as (process, path):
            self.assertEqual(str(path), f"/tmp/waymark-0/{process.pid}.sock")
            self.assert_connects(f"{root}{path}")

    def test_a_umask_is_undone_without_proc(self):
        root = self.directory("root", 0o755)
        command = ("chroot", root, "listen", "/a.sock")
        if tuple(map(int, os.uname().release.split(".")[:2])) < (6, 6):  # the first version with fchmodat2()
            self.assert_refused("the umask cannot be undone", *command, umask=0o777)
        else:
            with self.listening(*command, umask=0o777):
                self.assertEqual(mode_of(root / "a.sock"), 0o600)
        self.assertEqual(os.listdir(root), [])

    def test_a_long_path_needs_proc(self):
        root = self.directory("root", 0o755)
        path = "/" + "d" * 100
        (root / path[1:]).mkdir()
        self.assert_refused("there is no /proc", "chroot", root, "listen", f"{path}/12345678.sock")

    def test_a_read_only_file_system_is_reported_as_one(self):
        mount(self.place, "mode=755")
        self.addCleanup(subprocess.run, ["umount", self.place], check=True)
        stale = self.leave_stale("listen", self.place / "stale.sock")
        listed = self.leave_stale("listen", xdg=self.place)
        subprocess.run(["mount", "-o", "remount,ro", self.place], check=True)
        self.assert_refused("Read-only file system", "listen", self.place / "a.sock")
        self.assert_refused("cannot be removed: Read-only file system", "listen", stale)
        self.assertEqual(self.run_tool("list", xdg=self.place), (0, ""))
        self.assertTrue(listed.is_socket())


class Others(Users):
    def test_a_directory_that_an_attacker_made_in_advance_is_refused(self):
        self.make(TMP, 0o777, SOMEBODY)
        why = f"{TMP}: belongs to user {SOMEBODY}, not to us"
        for command in ("listen", "list"):
            self.assert_refused(why, command, uid=NOBODY)
            os.chmod(TMP, 0o700)
        os.chmod(TMP, 0o755)
        self.assert_refused("belongs to user", "connect", f"{TMP}/1.sock", 100, uid=NOBODY)
        self.assertEqual(os.listdir(TMP), [])

    def test_a_link_that_an_attacker_made_in_advance_is_refused(self):
        mine = self.directory("mine", 0o700, NOBODY)
        for target in (mine, "/nowhere"):
            with acting_as(SOMEBODY):
                os.symlink(target, TMP)
            for command in ("listen", "list"):
                self.assert_refused("a symbolic link", command, uid=NOBODY)
            os.unlink(TMP)
        self.assertEqual(os.listdir(mine), [])

    def test_a_directory_that_is_given_belongs_to_us_or_root(self):
        other = self.directory("other", 0o755, SOMEBODY)
        self.foreign(other / "b.sock")
        why = f"belongs to user {SOMEBODY}, not to us (user %d)"
        for uid in (0, NOBODY):
            self.assert_refused(why % uid, "listen", other / "a.sock", uid=uid)
        self.assert_refused(why % NOBODY, "connect", other / "b.sock", 100, uid=NOBODY)
        self.assert_refused("belongs to user 0, its directory", "connect", other / "b.sock", 100)
        with self.listening("listen", other / "a.sock", uid=SOMEBODY):
            pass
        self.assert_refused("Permission denied", "listen", self.place / "a.sock", uid=NOBODY)

    def test_others_cannot_connect(self):
        with self.listening("serve", self.place / "a.sock", umask=0) as (_, path):
            self.assertEqual(self.reply(NOBODY, path), "Permission denied")
            self.assert_refused("Permission denied", "connect", path, 100, uid=NOBODY)

    def test_the_server_tells_strangers_from_us_and_root(self):
        place = self.directory("mine", 0o755, NOBODY)
        with self.listening("serve", place / "a.sock", uid=NOBODY) as (_, path):
            path.chmod(0o666)
            self.assertEqual(self.reply(NOBODY, path), "one of us")
            self.assertEqual(self.reply(0, path), "one of us")
            self.assertEqual(self.reply(SOMEBODY, path), "a stranger")

    def test_root_connects_to_what_is_one_users_alone(self):
        mine = self.directory("mine", 0o755, NOBODY)
        with self.listening("serve", mine / "a.sock", uid=NOBODY) as (process, path):
            self.assert_connects(path, "one of us")
            for mode in (0o775, 0o757):
                mine.chmod(mode)
                self.assert_refused("others may write to it", "connect", path, 100)
            mine.chmod(0o755)
            os.symlink("a.sock", mine / "link")
            self.assert_refused("not a socket", "connect", mine / "link", 100)
            os.chown(mine, SOMEBODY, SOMEBODY)
            self.assert_refused(f"belongs to user {NOBODY}, its directory to user {SOMEBODY}", "connect", path, 100)
            os.chown(path, SOMEBODY, SOMEBODY)
            self.assert_refused("another user than the directory's", "connect", path, 100)
            for owner in (path, mine):
                os.chown(owner, NOBODY, NOBODY)
        with self.listening("serve", uid=NOBODY) as (process, path):
            self.assertEqual(self.run_tool("find", process.pid), (0, str(path)))
            self.assertEqual(self.run_tool("find", process.pid, uid=SOMEBODY)[0], 1)
            self.assertEqual(self.run_tool("list"), (0, ""))

    def test_the_client_takes_our_own_programs_and_roots_only(self):
        for uid, says in ((0, "a stranger"), (NOBODY, "one of us")):
            with self.listening("serve", self.directory(f"of-{uid}", 0o755, uid) / "a.sock", uid=uid) as (_, path):
                path.chmod(0o666)
                self.assert_connects(path, says, uid=NOBODY)
        self.place.chmod(0o777)
        with socket.socket(socket.AF_UNIX) as s:
            s.bind(str(self.place / "b.sock"))
            os.chmod(self.place / "b.sock", 0o666)
            self.place.chmod(0o755)
            with acting_as(SOMEBODY):
                s.listen(5)
            for uid in (0, NOBODY):
                self.assert_refused("another user's program", "connect", self.place / "b.sock", 100, uid=uid)

    def test_a_socket_in_a_directory_that_may_only_be_entered_is_reached(self):
        self.place.chmod(0o711)
        with self.listening("serve", self.place / "a.sock") as (_, path):
            path.chmod(0o666)
            self.assert_connects(path, "a stranger", uid=NOBODY)

    def test_a_stale_socket_of_another_user_stays(self):
        with socket.socket(socket.AF_UNIX) as s:
            s.bind(str(self.place / "a.sock"))
        os.chown(self.place / "a.sock", SOMEBODY, SOMEBODY)
        self.assert_refused(f"a socket of user {SOMEBODY} is there", "listen", self.place / "a.sock")
        self.assertTrue((self.place / "a.sock").is_socket())

    def test_a_socket_whose_place_was_closed_meanwhile_stays(self):
        """The program can no longer remove it: it reports that, and removes nothing else."""
        mine = self.directory("mine", 0o700, NOBODY)
        process = self.start("listen", mine / "a.sock", uid=NOBODY)
        self.assertTrue(process.stdout.readline())
        os.chown(mine, 0, 0)
        process.terminate()
        self.assertIn("Permission denied", process.communicate(timeout=60)[1])
        self.assertTrue((mine / "a.sock").is_socket())


class Walking(Users):
    def test_the_living_are_listed_and_the_stale_removed(self):
        stale = self.leave_stale("listen", xdg=self.place)
        with self.listening("listen", xdg=self.place) as (one, path), \
                self.listening("listen", xdg=self.place) as (two, other):
            status, out = self.run_tool("list", xdg=self.place)
            self.assertEqual(status, 0)
            self.assertEqual(set(out.splitlines()), {f"{one.pid} {path}", f"{two.pid} {other}"})
            self.assertFalse(stale.exists())
            self.assertEqual(self.run_tool("find", one.pid, xdg=self.place), (0, str(path)))
            self.assertEqual(self.run_tool("find", 999999999, xdg=self.place)[0], 1)

    def test_other_files_are_left_alone(self):
        directory = self.place / "waymark"
        directory.mkdir(0o700)
        for name in ("a.sock", "1.sock.old", ".1.sock", "-1.sock", "01.sock", "0.sock",
                     "99999999999.sock", "1x.sock"):
            with socket.socket(socket.AF_UNIX) as s:
                s.bind(str(directory / name))
        (directory / "12.sock").touch()
        (directory / "13.sock").symlink_to("a.sock")
        before = sorted(os.listdir(directory))
        status, out = self.run_tool("list", xdg=self.place)
        self.assertEqual(status, 0)
        self.assertEqual(out, "")
        self.assertEqual(sorted(os.listdir(directory)), before)

    def test_a_socket_with_a_full_queue_is_listed(self):
        (self.place / "waymark").mkdir(0o700)
        path = self.place / "waymark/77.sock"
        self.foreign(path, 0)
        for _ in range(3):
            s = socket.socket(socket.AF_UNIX)
            self.addCleanup(s.close)
            s.setblocking(False)
            s.connect_ex(str(path))
        self.assertEqual(self.run_tool("list", xdg=self.place), (0, f"77 {path}"))

    def test_nothing_is_made_by_looking(self):
        self.assertEqual(self.run_tool("list", xdg=self.place), (0, ""))
        self.assertEqual(os.listdir(self.place), [])

    def test_all_places_of_a_user_are_searched(self):
        """A program that was started before its user's login has its socket in another place."""
        xdg = self.directory("mine", 0o700, NOBODY)
        before = self.listening("listen", uid=NOBODY)
        login = f"/run/user/{NOBODY}"
        with before as (one, path), self.listening("listen", uid=NOBODY, xdg=xdg) as (two, other):
            self.make(login)
            with self.listening("listen", uid=NOBODY) as (three, third):
                expected = {f"{one.pid} {path}", f"{two.pid} {other}", f"{three.pid} {third}"}
                status, out = self.run_tool("list", uid=NOBODY, xdg=xdg)
                self.assertEqual((status, set(out.splitlines())), (0, expected))
                self.assertEqual(len({path.parent, other.parent, third.parent}), 3)
                self.assertEqual(self.run_tool("find", one.pid, uid=NOBODY, xdg=xdg), (0, str(path)))
                out = self.run_tool("list", uid=NOBODY, xdg=login)[1]  # two places are the same directory
                self.assertEqual(out.splitlines().count(f"{three.pid} {third}"), 1)

    def test_a_place_that_cannot_be_used_hides_no_other(self):
        xdg = self.directory("mine", 0o700, NOBODY)
        self.make(TMP, 0o700, SOMEBODY)
        with self.listening("listen", uid=NOBODY, xdg=xdg) as (process, path):
            status, out = self.run_tool("list", uid=NOBODY, xdg=xdg)
            self.assertEqual(status, 1)
            self.assertIn(f"{process.pid} {path}\n{TMP}: belongs to user", out)
        os.chown(TMP, NOBODY, NOBODY)
        (xdg / "waymark").chmod(0o777)
        with self.listening("listen", uid=NOBODY) as (process, path):
            status, out = self.run_tool("list", uid=NOBODY, xdg=xdg)
            self.assertEqual(status, 1)
            self.assertIn(f"{process.pid} {path}\n{xdg}/waymark: others may write", out)


if __name__ == "__main__":
    enter()
    unittest.main()
