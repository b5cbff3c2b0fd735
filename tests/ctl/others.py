#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests root and the programs of other users: others.py WAYMARK TICKER MONITOR COMPLETIONS
[TEST...]

Runs in a mount namespace where /run and /tmp are empty, so it sees and changes nothing of the
machine.
"""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import common
import reachable  # noqa: E402

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "monitor"))
import qmp  # noqa: E402

INSIDE = "WAYMARK_TEST_INSIDE"
NAMESPACE = ["unshare", "--mount", "--propagation", "private"]
BIN = pathlib.Path("/run/bin")
NOBODY, SOMEBODY = 65534, 65533


def mount(where, mode):
    subprocess.run(["mount", "-t", "tmpfs", "-o", "mode=" + mode, "waymark-test", where], check=True)


def enter():
    """Continues in the namespace with copies of the programs that any user may run, or skips the tests."""
    if os.geteuid() != 0:
        print("skipped: it needs root, to be several users")
        sys.exit(77)
    if subprocess.run([*NAMESPACE, "true"], capture_output=True, check=False).returncode:
        print("skipped: it needs a mount namespace: " + " ".join(NAMESPACE))
        sys.exit(77)
    if INSIDE not in os.environ:
        os.environ[INSIDE] = "1"
        os.execvp(NAMESPACE[0], [*NAMESPACE, sys.executable, *map(os.path.abspath, sys.argv[:5]), *sys.argv[5:]])
    copies = [reachable.reachable(path) for path in (common.WAYMARK, common.TICKER, common.MONITOR)]
    mount("/run", "755")
    shutil.copytree(reachable.folder(), BIN)
    shutil.rmtree(reachable.folder())
    mount("/tmp", "1777")
    os.environ["TMPDIR"] = tempfile.tempdir = "/tmp"
    common.WAYMARK, common.TICKER, common.MONITOR = [
        str(BIN / os.path.relpath(copy, reachable.folder())) for copy in copies]


class Root(common.Case):
    def setUp(self):
        super().setUp()
        self.env.pop("XDG_RUNTIME_DIR")
        self.env["LD_LIBRARY_PATH"] = os.path.dirname(common.MONITOR)
        self.work.chmod(0o755)
        for uid in (NOBODY, SOMEBODY):
            self.addCleanup(shutil.rmtree, f"/tmp/waymark-{uid}", ignore_errors=True)

    def of(self, uid, *args, trace="control=on", xdg=None):
        """Starts a program of another user, in its own directory."""
        home = self.work / f"home-{uid}"
        if not home.exists():
            home.mkdir()
            os.chown(home, uid, uid)
        run = subprocess.Popen(
            [common.TICKER, *map(str, args or (1000,))], cwd=home, user=uid, group=uid, extra_groups=[],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
            env={**self.env, "WAYMARK_SHM": str(home), "WAYMARK_TRACE": trace,
                 **({"XDG_RUNTIME_DIR": xdg} if xdg else {})})
        for what in (run.stdout.close, run.wait, run.kill, run.stdin.close):
            self.addCleanup(what)
        self.assertEqual(run.stdout.readline(), "ready\n")
        run.home = home
        return run

    def as_user(self, uid, *args):
        return subprocess.run([common.WAYMARK, *map(str, args)], user=uid, group=uid, extra_groups=[],
                              env=self.env, cwd="/", capture_output=True, text=True, check=False)

    def listed(self):
        return {p["pid"]: p for p in map(json.loads, self.waymark("ls", "--json").splitlines())}

    def test_controls_the_programs_of_others(self):
        p = self.of(NOBODY)
        self.ctl(p, "on", "tick")
        self.assertEqual(self.on(p), ["tick"])
        self.assertEqual(self.on("ticker"), ["tick"])
        self.assertEqual(self.on(f"/tmp/waymark-{NOBODY}/{p.pid}.sock"), ["tick"])

    def test_finds_them_where_their_user_logged_in(self):
        login = pathlib.Path(f"/run/user/{SOMEBODY}")
        login.mkdir(parents=True, mode=0o700)
        self.addCleanup(shutil.rmtree, "/run/user")
        os.chown(login, SOMEBODY, SOMEBODY)
        p = self.of(SOMEBODY)
        self.assertEqual(self.listed()[p.pid]["socket"], f"{login}/waymark/{p.pid}.sock")
        self.assertEqual(self.on(p), [])

    def test_attaches_to_the_programs_of_others(self):
        p = self.of(NOBODY)
        self.env["WAYMARK_SHM"] = str(p.home)
        done = subprocess.run([common.WAYMARK, "attach", str(p.pid), "tick", "--count=20"], env=self.env,
                              cwd=self.work, capture_output=True, text=True, timeout=common.PATIENCE)
        self.assertEqual((done.returncode, done.stdout.count(" tick ")), (0, 20), done.stderr)
        self.wait_for(lambda: self.on(p) == [])

    def test_lists_the_processes_of_all_users(self):
        mine, other, another = self.start(1000, program=common.TICKER), self.of(NOBODY), self.of(SOMEBODY)
        listed = self.listed()
        self.assertEqual({pid: (p["user"], p["events"]) for pid, p in listed.items()},
                         {mine.pid: ("root", 4), other.pid: ("nobody", 4), another.pid: (str(SOMEBODY), 4)})
        lines = [l.split() for l in self.waymark("ls").splitlines()]
        self.assertEqual(lines[0], ["PID", "USER", "PROGRAM", "EVENTS", "RECORDED", "LOST", "NOTE"])
        self.assertIn([str(other.pid), "nobody", "ticker", "0/4", "0", "0"], lines)

    def test_lists_the_others_that_only_record(self):
        p = self.of(NOBODY, trace="tick,file=t.ctf")
        self.env["WAYMARK_SHM"] = str(p.home)
        self.wait_for(lambda: p.pid in self.listed_or_none())
        process = self.listed()[p.pid]
        self.assertEqual((process["user"], process["problem"]), ("nobody", "no monitor"))

    def test_others_see_what_is_theirs(self):
        self.start(1000, program=common.TICKER)
        p = self.of(NOBODY)
        q = self.of(SOMEBODY)
        lines = [l.split() for l in self.as_user(NOBODY, "ls").stdout.splitlines()]
        self.assertEqual(lines, [["PID", "PROGRAM", "EVENTS", "RECORDED", "LOST", "NOTE"],
                                 [str(p.pid), "ticker", "0/4", "0", "0"]])
        self.assertNotIn("user", json.loads(self.as_user(NOBODY, "ls", "--json").stdout))
        done = self.as_user(NOBODY, "ctl", q.pid, "list")
        self.assertEqual(done.returncode, 1)
        self.assertIn("belongs to another user", done.stderr)

    def test_leaves_alone_what_the_dead_of_others_left(self):
        p = self.of(NOBODY)
        p.kill()
        p.wait()
        subprocess.run([common.WAYMARK, "ls"], env=self.env, check=True, capture_output=True)
        self.assertTrue(os.path.exists(f"/tmp/waymark-{NOBODY}/{p.pid}.sock"))

    def test_a_place_where_others_may_write_is_not_used(self):
        p = self.of(NOBODY)
        place = f"/tmp/waymark-{NOBODY}"
        for mode in (0o770, 0o707):
            os.chmod(place, mode)
            self.assertEqual(self.listed_or_none(), {})
            self.ctl(p, "list", status=1, error="has no monitor")
            self.ctl(f"{place}/{p.pid}.sock", "list", status=1, error="others may write to it")

    def test_a_socket_that_is_not_their_own_is_not_used(self):
        p, q = self.of(NOBODY), self.of(SOMEBODY)
        theirs = f"/tmp/waymark-{SOMEBODY}/{q.pid}.sock"
        mine = f"/tmp/waymark-{NOBODY}/{p.pid}.sock"
        os.unlink(mine)
        os.symlink(theirs, mine)
        self.ctl(mine, "list", status=1, error="not a socket")
        self.ctl(p, "list", status=1, error="has no monitor")
        os.unlink(mine)
        os.rename(theirs, mine)
        self.ctl(mine, "list", status=1, error=f"belongs to user {SOMEBODY}, its directory to user {NOBODY}")
        self.ctl(p, "list", status=1, error="has no monitor")
        os.chown(mine, NOBODY, NOBODY)
        self.ctl(mine, "list", status=1, error="a program of another user than the directory's")

    def hold_all(self, path):
        """Connects the maximum number of clients of another user; all attach, so none is closed for a new one."""
        os.seteuid(NOBODY)
        clients = [qmp.Qmp(path) for _ in range(256)]
        os.seteuid(0)
        for client in clients:
            self.addCleanup(client.close)
            client.command("trace-attach", name="tick")

    def test_a_monitor_whose_clients_hold_all_places_has_some_left_for_root(self):
        p = self.of(NOBODY)
        self.hold_all(f"/tmp/waymark-{NOBODY}/{p.pid}.sock")
        done = self.as_user(NOBODY, "ctl", p.pid, "list")
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertIn(f"{p.pid}: too many clients: all that are connected are busy or attached", done.stderr)
        self.assertIn("too many clients", self.as_user(NOBODY, "ls").stdout)
        self.assertEqual(self.on(p), ["tick"])
        self.assertIsNone(self.listed()[p.pid]["problem"])

    def listed_or_none(self):
        done = subprocess.run([common.WAYMARK, "ls", "--json"], env=self.env, capture_output=True, text=True,
                              check=True)
        return {p["pid"]: p for p in map(json.loads, done.stdout.splitlines())}


if __name__ == "__main__":
    enter()
    common.main()
