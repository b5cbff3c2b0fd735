#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests other users, roots, namespaces and clocks: others.py WAYMARK VICTIM CHECK STATIC CLOCK"""

import json
import os
import re
import shutil
import signal
import stat
import subprocess
import sys
import time
import unittest

STATIC, CLOCK = (os.path.abspath(a) if a else "" for a in (sys.argv.pop(4), sys.argv.pop(4)))

import survive
from survive import NOBODY, ROOT, SANITIZER, VICTIM, reachable



def become_nobody():
    os.setgroups([])
    os.setgid(NOBODY)
    os.setuid(NOBODY)


def as_nobody(work):
    """Runs `work` as another user."""
    pid = os.fork()
    if pid == 0:
        try:
            become_nobody()
            work()
            os._exit(0)
        except BaseException as e:
            print(e, file=sys.stderr)
            os._exit(1)
    assert os.waitpid(pid, 0)[1] == 0


class Others(survive.Survive):
    def namespace(self, *options):
        """Returns a command that runs another one in separate namespaces."""
        command = ["unshare", *options]
        if not shutil.which("unshare") or subprocess.run([*command, "true"],
                                                         capture_output=True).returncode:
            self.skipTest("it needs the right to " + " ".join(command))
        return command

    def victim_in(self, namespace, *args, env=None, **how):
        """Starts a victim through a command that executes it as its last step."""
        return subprocess.Popen([*namespace, VICTIM, self.counts, "both", *map(str, args)],
                                cwd=self.work, env=env or self.env(), text=True,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, **how)

    def accounted(self, said, trace=None):
        """Returns the number of events that are printed or that the last messages report as lost."""
        lines = self.waymark("print", trace or self.trace).splitlines()
        lost = re.search(r": (\d+) events lost", said)
        return sum(not l.startswith(("#", "waymark ")) for l in lines) + (int(lost[1]) if lost else 0)

    def test_another_directory_is_no_matter(self):
        (self.work / "there").mkdir()
        for name in ("x.ctf", self.trace):
            with self.case(name=name):
                (self.work / "there").mkdir(exist_ok=True)
                self.live("move", "chdir", "there", 1000, 50000,
                          env=self.env(",buffer=1G", file=False,
                                       WAYMARK_TRACE=f"live_*,buffer=1G,file={name}"))
                self.assertEqual(self.check_everything(), 101000)

    def test_the_default_trace_is_where_the_first_event_was(self):
        (self.work / "there").mkdir()
        self.live("move", "chdir", "there", 0, 500, env=self.env(file=False))
        self.assertEqual(self.traces(), [])
        self.trace = self.work / "there" / f"trace-{self.pid}.ctf"
        self.assertEqual(self.check_everything(), 1000)

    def test_the_default_trace_where_there_is_no_directory(self):
        said = self.live("move", "gone", "gone", 0, 500, silent=False,
                         env=self.env(file=False))[1]
        self.assertRegex(said, "cannot write the trace: No such file or directory")
        self.assertRegex(said, r": 1000 events lost")
        self.assert_clean()

    def test_a_directory_that_goes_away_behind_the_first_event(self):
        said = self.live("move", "gone", "gone", 1000, 50000, env=self.env(",buffer=1G"))[1]
        self.assertEqual(self.check_everything(), 101000)

    def test_any_umask(self):
        for umask in (0, 0o77, 0o277, 0o777):
            with self.case(umask=oct(umask)):
                if umask & 0o300 and (not ROOT or umask == 0o777 and not ROOT):
                    continue  # only root can enter its own directory then
                self.counts.touch()
                self.lived(self.start("move", "chdir", "/", 1000, 1000,
                                      preexec_fn=lambda: os.umask(umask)))
                for path in (self.trace, *self.trace.rglob("*")):
                    mode = path.stat().st_mode
                    full = 0o777 if stat.S_ISDIR(mode) else 0o666
                    self.assertEqual(mode & 0o777, full & ~umask, path)
                self.assertEqual(self.check_everything(), 3000)

    def test_memory_is_readable_by_its_user_alone(self):
        self.lived(self.start("end", "kill", 100, preexec_fn=lambda: os.umask(0)), status=-9)
        modes = [(self.shm / name).stat().st_mode & 0o777 for name in self.buffers()]
        self.assertEqual(modes, [0o600])
        self.assertEqual(self.check_everything(), 100)

    @unittest.skipUnless(ROOT, "it needs another user")
    def test_what_another_user_has_put_in_the_way_is_neither_followed_nor_changed(self):
        self.work.chmod(0o1777)
        mine = self.work / "mine"
        plants = {
            "file": lambda: self.trace.touch(),
            "directory": lambda: self.trace.mkdir(),
            "link to a directory": lambda: self.trace.symlink_to(self.work / "elsewhere"),
            "dangling link": lambda: self.trace.symlink_to(self.work / "nowhere"),
            "link to a file": lambda: self.trace.symlink_to(mine),
            "fifo": lambda: os.mkfifo(self.trace),
        }
        for name, plant in plants.items():
            with self.case(name=name):
                mine.write_text("mine")
                (self.work / "elsewhere").mkdir()
                self.work.chmod(0o1777)
                as_nobody(plant)
                said = self.live("move", "chdir", "/", 100, 100, silent=False)[1]
                self.assertIn("the requested name is taken", said)
                self.assertEqual(mine.read_text(), "mine")
                self.assertFalse((self.work / "nowhere").exists())
                self.assertEqual(list((self.work / "elsewhere").iterdir()), [])
                if self.trace.is_dir() and not self.trace.is_symlink():
                    self.assertEqual(list(self.trace.iterdir()), [])
                other = self.work / f"x.ctf.{self.pid}"
                self.assertEqual(self.check_everything(trace=other), 300)

    @unittest.skipUnless(ROOT, "it needs another user")
    def test_links_that_another_user_plants_in_a_trace_are_not_followed(self):
        """A program with umask 0 has a trace that every user may write to."""
        self.work.chmod(0o755)
        mine = self.work / "mine"
        for name in ("stream-2", "index/stream-2.idx", ".metadata", "metadata"):
            for kind in ("link", "fifo"):
                with self.case(name=name, kind=kind):
                    self.plant(mine, name, kind)

    def plant(self, mine, name, kind):
        mine.write_text("mine")
        victim = self.start("go", 100, stdin=subprocess.PIPE, preexec_fn=lambda: os.umask(0))
        victim.stdout.readline()
        place = self.trace / name

        def put():
            place.unlink(missing_ok=True)
            place.symlink_to(mine) if kind == "link" else os.mkfifo(place)

        def put_at_last():
            for _ in range(100):
                try:
                    return put()
                except FileExistsError:  # the writer was faster
                    pass
        as_nobody(put_at_last)
        out, said = victim.communicate("go\n", timeout=60)
        self.assertEqual(victim.returncode, 0, said)
        self.assertEqual(mine.read_text(), "mine")

    @unittest.skipUnless(ROOT, "it needs another user")
    def test_a_file_that_another_user_plants_in_a_trace_gets_no_events(self):
        self.work.chmod(0o755)
        victim = self.start("go", 100, stdin=subprocess.PIPE, preexec_fn=lambda: os.umask(0))
        victim.stdout.readline()
        planted = self.trace / "stream-2"
        as_nobody(lambda: planted.write_bytes(b"A" * 5000))
        as_nobody(lambda: (self.trace / ".metadata").touch())
        out, said = victim.communicate("go\n", timeout=60)
        self.assertEqual(victim.returncode, 0, said)
        self.assertEqual(planted.read_bytes(), b"A" * 5000)
        self.assertEqual((self.trace / "metadata").stat().st_uid, 0)

    @unittest.skipUnless(ROOT, "it needs another user")
    def test_memory_that_another_user_puts_there_is_not_believed(self):
        self.live("end", "exit", 100)
        uuid = re.search(r'uuid = "([-0-9a-f]+)"', (self.trace / "metadata").read_text())[1]
        buffer = "waymark-" + uuid.replace("-", "")
        self.shm.chmod(0o777)
        forged = self.work / "forged.ctf"
        counts, self.counts = self.counts, self.work / "other"
        self.lived(self.start("end", "kill", 20000, env=self.env(WAYMARK_TRACE=f"*,file={forged}")), -9)
        shutil.rmtree(forged)
        raw = (self.shm / self.buffers()[0]).read_bytes()
        own = bytes.fromhex(self.buffers()[0].split("-")[1])
        (self.shm / self.buffers()[0]).unlink()
        path = self.shm / buffer
        path.write_bytes(raw.replace(own, bytes.fromhex(uuid.replace("-", ""))))
        path.chmod(0o644)
        os.chown(path, NOBODY, NOBODY)
        self.counts = counts
        self.assertEqual(self.check(), 100)
        done = subprocess.run([survive.WAYMARK, "recover", self.trace], env=self.env(),
                              capture_output=True, text=True)
        self.assertEqual(self.check(), 100, done.stderr)

    @unittest.skipUnless(ROOT, "it needs another user")
    def test_memory_of_another_user_that_cannot_be_read_is_reported(self):
        """Of a running program, and of a killed one; for every command that reads traces."""
        os.chmod(self.work, 0o755)
        os.chmod(self.shm, 0o1777)
        victim = self.start("go", 100, stdin=subprocess.PIPE, preexec_fn=lambda: os.umask(0o022))
        victim.stdout.readline()
        why = f"{self.buffers()[0]}) cannot be read: Permission denied"
        program = reachable(survive.WAYMARK)
        out = self.work / "out"
        out.mkdir()
        out.chmod(0o777)
        commands = {"print": ["print"], "print --follow": ["print", "--follow"], "info": ["info"],
                    "info --json": ["info", "--json"],
                    "convert": ["convert", "-o", str(out / "simple"), "--replace"]}
        for kind in ("runs", "killed"):
            if kind == "killed":
                victim.kill()
                victim.communicate()
            for name, command in commands.items():
                with self.subTest(kind=kind, command=name):
                    done = subprocess.run([program, *command, self.trace], env=self.env(),
                                          text=True, capture_output=True, preexec_fn=become_nobody,
                                          timeout=60)
                    self.assertIn(why, done.stderr)
                    self.assertEqual(done.returncode, 1)
                    if name == "info":
                        self.assertRegex(done.stdout, "(?m)^state     unreadable: its process's mem")
                    if name == "info --json":
                        self.assertEqual(json.loads(done.stdout)["traces"][0]["state"],
                                         "unreadable")

    @unittest.skipUnless(ROOT and STATIC, "it needs root, and a static program")
    def test_a_set_uid_program_takes_nothing_from_its_environment(self):
        self.work.chmod(0o777)
        program = self.work / "program"
        shutil.copy(STATIC, program)
        for mode, traced in ((0o755, True), (0o4755, False)):
            with self.subTest(traced=traced):
                program.chmod(mode)
                if os.statvfs(self.work).f_flag & os.ST_NOSUID and not traced:
                    self.skipTest("no set-uid programs here")
                self.shm.chmod(0o777)
                self.counts.unlink(missing_ok=True)
                done = subprocess.run([program, self.counts, "both", "end", "kill", "100"],
                                      cwd=self.work, env=self.env(), preexec_fn=become_nobody,
                                      capture_output=True, text=True)
                self.assertEqual((done.returncode, done.stderr), (-9, ""))
                self.assertEqual((len(self.traces()), len(self.buffers())), (traced, traced))
                for path in (*self.traces(), *self.shm.iterdir()):
                    shutil.rmtree(path) if path.is_dir() else path.unlink()

    def test_two_processes_of_one_number_in_one_directory(self):
        spaces = self.namespace("--pid", "--fork", "--kill-child")
        env = self.env(file=False)
        first = self.victim_in(spaces, "go", 1000, env=env, stdin=subprocess.PIPE)
        first.stdout.readline()
        self.counts = self.work / "other"
        second = self.victim_in(spaces, "go", 500, env=env, stdin=subprocess.PIPE)
        second.stdout.readline()
        traces = [self.work / "trace-1.ctf", self.work / "trace-1.ctf.1"]
        self.assertEqual(self.traces(), traces)
        self.assertEqual(self.check(trace=traces[1]), 500)
        first.communicate("go\n")
        second.communicate("go\n")
        self.assertEqual(self.check_everything(trace=traces[1]), 1500)
        self.counts = self.work / "counts"
        self.assertEqual(self.check_everything(trace=traces[0]), 3000)

    @unittest.skipIf(SANITIZER, "sanitizers need /proc")
    def test_a_program_without_proc(self):
        hidden = self.namespace("--mount") + [
            "sh", "-c", 'mount -t tmpfs none /proc && exec "$@"', "sh"]
        for how, status in (("exit", 0), ("kill", -9)):
            with self.case(how=how):
                said = self.lived(self.victim_in(hidden, "end", how, 20000), status)
                self.assertEqual(said, "")
                self.assertEqual(self.check_everything(), 20000)

    def test_a_dev_shm_that_cannot_be_used(self):
        """A read-only or limited /dev/shm: the memory is in the trace. One mounted noexec is used."""
        kinds = {"ro": True, "noexec,nosuid,nodev": False, "nr_inodes=1": True}
        for options, passed_over in kinds.items():
            with self.case(options=options):
                place = self.work / "shm"
                place.mkdir()
                if subprocess.run(["mount", "-t", "tmpfs", "-o", options, "none", place],
                                  capture_output=True).returncode:
                    self.skipTest("it needs the right to mount a tmpfs")
                try:
                    self.dev_shm(place, passed_over)
                finally:
                    subprocess.run(["umount", "-l", place], check=True)

    def dev_shm(self, place, passed_over):
        env = self.env(WAYMARK_SHM=str(place))
        said = self.lived(self.start("end", "kill", 20000, env=env), -9)
        self.assertEqual(said, "")
        self.assertEqual((self.trace / ".arena").exists(), passed_over)
        self.assertEqual(len(list(place.iterdir())), 0 if passed_over else 1)
        for path in place.iterdir():
            shutil.move(path, self.shm)
        self.assertEqual(self.check_everything(), 20000)

    def test_a_clock_that_is_set(self):
        if not CLOCK or SANITIZER:
            self.skipTest("not with sanitizers")
        for how, status in (("exit", 0), ("kill", -9)):
            with self.case(how=how):
                before = time.clock_gettime(time.CLOCK_MONOTONIC)
                victim = self.start("wait", 10000, env=self.env(LD_PRELOAD=CLOCK),
                                    stdin=subprocess.PIPE)
                for _ in range(2):
                    victim.stdout.readline()
                    time.sleep(0.2)
                    victim.stdin.write("go on\n")
                    victim.stdin.flush()
                if how == "kill":
                    victim.kill()
                self.assertEqual(self.lived(victim, status), "")
                after = time.clock_gettime(time.CLOCK_MONOTONIC)
                self.assertEqual(self.check_everything(), 20000)
                lines = self.waymark("print", self.trace).splitlines()
                times = [float(line.split()[0]) for line in (lines[0], lines[-1])]
                self.assertTrue(before <= times[0] <= times[1] <= after, (before, times, after))

    def test_a_time_namespace_has_its_own_time_since_boot(self):
        spaces = self.namespace("--time", "--monotonic", "1000000", "--fork")
        before = time.clock_gettime(time.CLOCK_MONOTONIC)
        self.lived(self.victim_in(spaces, "end", "exit", 20000))
        self.assertEqual(self.check_everything(), 20000)
        first = float(self.waymark("print", self.trace).split()[0])
        self.assertAlmostEqual(first - before, 1000000, delta=60)

    def counted(self):
        """Returns the number of events that its threads have counted."""
        counts = self.counts.read_bytes() if self.counts.exists() else b""
        return sum(int.from_bytes(counts[i:i + 8], sys.byteorder) for i in range(0, len(counts), 8))

    def wait_for_counts(self, least):
        for _ in range(6000):
            if self.counted() >= least:
                return
            time.sleep(0.01)
        self.fail(f"it does not count to {least}")

    def test_a_process_that_is_stopped_is_read(self):
        victim = self.start("storm", 2, env=self.env(",buffer=1G"))
        self.wait_for_counts(1)
        victim.send_signal(signal.SIGSTOP)
        os.waitid(os.P_PID, victim.pid, os.WSTOPPED)
        events = self.check()
        self.assertEqual(self.check(), events)
        stopped_at = self.counted()
        victim.send_signal(signal.SIGCONT)
        self.wait_for_counts(stopped_at + 1000)
        victim.kill()
        victim.communicate()
        self.assertGreater(self.check_everything(), events)


survive.main()
