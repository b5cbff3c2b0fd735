#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests waymark ls and ctl with running programs: programs.py WAYMARK TICKER MONITOR COMPLETIONS [TEST...]"""

import json
import os
import signal
import socket
import subprocess
import sys
import time

import common

ALL = ["tick", "tock", "tack_text", "never"]


class Ls(common.Case):
    user = ["USER"] if os.geteuid() == 0 else []

    def listed(self):
        done = subprocess.run([common.WAYMARK, "ls", "--json"], env=self.env, check=True,
                              capture_output=True, text=True)
        return {p["pid"]: p for p in map(json.loads, done.stdout.splitlines())}

    def test_lists_what_can_be_controlled(self):
        p = self.start(1000)
        self.ctl(p, "on", "t*")
        self.wait_for(lambda: self.listed()[p.pid]["recorded"] > 10)
        process = self.listed()[p.pid]
        self.assertEqual((process["program"], process["events-on"], process["events"],
                          process["lost"], process["problem"]), ("ticker", 3, 4, 0, None))
        self.assertEqual(process["socket"], f"{self.runtime}/waymark/{p.pid}.sock")
        lines = self.waymark("ls").splitlines()
        self.assertEqual(lines[0].split(), ["PID", *self.user, "PROGRAM", "EVENTS", "RECORDED", "LOST", "NOTE"])
        (line,) = [l.split() for l in lines if l.split()[0] == str(p.pid)]
        line = line[len(self.user):]
        self.assertEqual(line[1:3] + line[4:], ["ticker", "3/4", "0"])

    def test_lists_what_only_records(self):
        p = self.start(1000, trace="tick,file=t.ctf")
        self.wait_for(lambda: p.pid in self.listed())
        process = self.listed()[p.pid]
        self.assertEqual((process["program"], process["socket"], process["problem"]),
                         ("ticker", None, "no monitor"))

    def test_one_that_is_stopped_holds_up_nobody(self):
        stopped, running = self.start(1000), self.start(1000)
        self.stop(stopped)
        begin = time.monotonic()
        listed = self.listed()
        self.assertLess(time.monotonic() - begin, common.PATIENCE)
        self.assertEqual(listed[stopped.pid]["problem"], "does not answer")
        self.assertIsNone(listed[running.pid]["problem"])

    def test_one_that_is_for_people(self):
        p = self.start(1000, trace="control=on,control-mode=hmp")
        self.assertEqual(self.listed()[p.pid]["problem"], "does not speak QMP")
        self.ctl(p, "stats", status=1, error="control-mode=qmp")

    def test_one_that_speaks_another_dialect(self):
        p = self.start(1000, trace="control=on,control-mode=stratovirt")
        self.assertEqual(self.listed()[p.pid]["problem"], "does not speak QMP")
        self.ctl(p, "stats", status=1, error="dialect of StratoVirt")

    def test_counts_of_a_process_without_a_monitor(self):
        p = self.start(1000, trace="tick,enable=tock,file=t.ctf")
        self.wait_for(lambda: self.listed().get(p.pid, {}).get("recorded", 0) > 100)
        process = self.listed()[p.pid]
        self.assertEqual([process[k] for k in ("problem", "socket", "events", "events-on", "lost")],
                         ["no monitor", None, 4, 2, 0])
        (line,) = [l.split() for l in self.waymark("ls").splitlines() if l.split()[0] == str(p.pid)]
        self.assertEqual(line[-5:-3] + line[-2:], ["2/4", line[-4], "no", "monitor"])
        p.send_signal(signal.SIGSTOP)
        before = self.listed()[p.pid]["recorded"]
        self.assertGreater(before, 100)
        p.send_signal(signal.SIGCONT)
        self.wait_for(lambda: self.listed()[p.pid]["recorded"] > before)

    def test_memory_of_a_version_without_counts(self):
        p = self.start(1000, trace="tick,file=t.ctf")
        self.wait_for(lambda: self.listed().get(p.pid, {}).get("recorded"))
        (buffer,) = self.shm.iterdir()
        with buffer.open("r+b") as file:
            file.seek(8)
            file.write((3).to_bytes(4, sys.byteorder))
        process = self.listed()[p.pid]
        self.assertEqual((process["problem"], process.get("recorded")), ("no monitor", None))
        self.assertIn([str(p.pid), *(["root"] if self.user else []), "ticker", "-", "-", "-", "no", "monitor"],
                      [l.split() for l in self.waymark("ls").splitlines()])

    def test_removes_what_the_dead_left(self):
        p = self.start(1000)
        p.kill()
        p.wait()
        path = self.runtime / "waymark" / f"{p.pid}.sock"
        self.assertTrue(path.exists())
        subprocess.run([common.WAYMARK, "ls"], env=self.env, check=True, capture_output=True)
        self.assertFalse(path.exists())

    def test_says_how_to_get_one_where_there_is_none(self):
        # A mount namespace without the folders of other programs' sockets.
        as_root = ["--map-root-user"] if os.geteuid() else []
        done = subprocess.run(
            ["unshare", "-m", *as_root, "sh", "-c", 'mount -t tmpfs none /run && exec "$0" ls',
             common.WAYMARK], env=self.env, capture_output=True, text=True)
        if done.returncode == 1 and "unshare" in done.stderr:
            self.skipTest("cannot unshare mounts")
        self.assertEqual((done.returncode, done.stdout), (0, ""))
        self.assertIn("control=on", done.stderr)

    def test_a_place_that_cannot_be_used(self):
        (self.runtime / "waymark").write_text("x")
        self.assertIn("not a directory", subprocess.run(
            [common.WAYMARK, "ls"], env=self.env, capture_output=True, text=True).stderr)


class Ctl(common.Case):
    def printed(self, trace):
        return subprocess.run([common.WAYMARK, "print", "--head=1", self.work / trace], env=self.env,
                              check=True, capture_output=True, text=True).stdout

    def test_lists_events(self):
        p = self.start(1000)
        self.assertEqual(self.ctl(p, "list"), "".join(f"off     {n}\n" for n in ALL))
        self.assertEqual(self.ctl(p, "list", "--names", "t?ck", "never"), "tick\ntock\nnever\n")
        self.assertEqual(json.loads(self.ctl(p, "list", "tick", "--json")),
                         [{"name": "tick", "state": "disabled", "vcpu": False}])
        self.ctl(p, "list", "t*", "none", status=1, error="none")
        self.ctl(p, "list", "x*", status=1, error="no event matches 'x*'")
        self.ctl(p, "list", "/(/", status=1, error="regular expression")

    def test_switches_all_or_nothing(self):
        p = self.start(1000)
        self.ctl(p, "on", "tick")
        self.assertEqual(self.on(p), ["tick"])
        self.assertEqual(self.ctl(p, "list", "--on"), "on      tick\n")
        self.ctl(p, "on", "tack_*", "/^to.k$/")
        self.assertEqual(self.on(p), ALL[:3])
        for bad in ("bad", "x*", "/(/", "/^x/"):
            self.ctl(p, "off", "t*", bad, status=1)
            self.ctl(p, "on", bad, "never", status=1)
            self.assertEqual(self.on(p), ALL[:3])
        self.ctl(p, "off", "tick", "t?ck")
        self.assertEqual(self.on(p), ["tack_text"])
        self.ctl(p, "off", "*")
        self.assertEqual(self.on(p), [])
        self.assertEqual(self.ctl(p, "on", "*", "--json"), "{}\n")

    def test_says_what_is_meant(self):
        p = self.start(1000)
        for command in ("on", "off", "list"):
            self.ctl(p, command, "tikc", status=1, error="unknown event \"tikc\": did you mean 'tick'?\n")
        self.ctl(p, "on", "tick", "tack_texts", status=1, error="did you mean 'tack_text'?\n")
        self.ctl(p, "on", "something", status=1, error="unknown event \"something\"\n")
        self.ctl(p, "on", "ack", status=1, error="unknown event \"ack\": '*ack*' matches 1 event\n")
        self.waymark("attach", p.pid, "k", status=1, error="unknown event \"k\": '*k*' matches 3 events\n")
        self.ctl(p, "on", "/^tikc/", status=1, error="no event matches '/^tikc/'\n")
        self.assertEqual(self.on(p), [])

    def test_one_pattern_means_what_it_means_alone(self):
        p = self.start(1000)
        for patterns, names in ((["tick", "tock"], ["tick", "tock"]),
                                (["tic", "never"], None),
                                (["/ic/", "/^never/"], ["tick", "never"]),
                                (["/tick|tock/", "nev*"], ["tick", "tock", "never"])):
            if names is None:
                self.ctl(p, "on", *patterns, status=1)
            else:
                self.ctl(p, "on", *patterns)
                self.assertEqual(self.on(p), names)
                self.ctl(p, "off", "*")

    def test_too_many_patterns_are_refused(self):
        p = self.start(1000)
        self.ctl(p, "on", *["tick"] * 500, status=1, error="give fewer")
        self.assertEqual(self.on(p), [])

    def test_shows_what_was_recorded(self):
        p = self.start(100, trace="t*,stats=on,file=t.ctf,control=on")
        self.wait_for(lambda: self.recorded(p) > 300)
        stats = json.loads(self.ctl(p, "stats", "--json", "--events", "--threads"))
        self.assertEqual({e["name"] for e in stats["per-event"]}, set(ALL[:3]))
        self.assertEqual(stats["per-thread"][0]["tid"], p.pid)
        self.assertGreaterEqual(stats["recorded"], 300)
        text = self.ctl(p, "stats", "--events", "--threads").split("\n\n")
        self.assertRegex(text[0], fr"^process {p.pid}, ticker\non        3 of 4 events\n"
                                  r"recorded  \d+ events, \d+ bytes\nlost      0 events, for which")
        self.assertIn(len(text), (3, 4))  # with a line about events not counted yet
        self.assertEqual(text[1].splitlines()[0].split(),
                         ["RECORDED", "LOST", "LEFT-OUT", "BYTES", "STATE", "EVENT"])
        numbers = [int(l.split()[0]) for l in text[1].splitlines()[1:]]
        self.assertEqual(numbers, sorted(numbers, reverse=True))
        self.assertIn(str(p.pid), text[2])

    def test_says_what_is_not_counted_one_by_one(self):
        p = self.start(1000, trace="tick,file=t.ctf,control=on")
        self.wait_for(lambda: json.loads(self.ctl(p, "stats", "--json"))["recorded"] > 100)
        self.ctl(p, "flush") # what has left the memory before anybody asked
        self.assertIn(f"are in no row: they are still in memory ('waymark ctl {p.pid} flush' writes", self.ctl(p, "stats", "--events"))
        def counted():
            self.ctl(p, "flush")
            return json.loads(self.ctl(p, "stats", "--events", "--json"))["per-event"][0]["recorded"]
        self.wait_for(lambda: counted() > 50)

    def test_controls_the_file(self):
        p = self.start(1000, trace="control=on", cwd="/")
        self.assertEqual(self.ctl(p, "file"), f"ctf on /trace-{p.pid}.ctf (does not exist yet)\n")
        self.ctl(p, "file", "set", "here.ctf")
        self.assertEqual(self.ctl(p, "file"), f"ctf on {self.work}/here.ctf (does not exist yet)\n")
        self.ctl(p, "on", "tick")
        self.wait_for((self.work / "here.ctf").is_dir)
        self.ctl(p, "flush")
        self.assertEqual(self.ctl(p, "file", "--backend=ctf"), f"ctf on {self.work}/here.ctf\n")
        self.assertIn(" tick ", self.printed("here.ctf"))
        self.assertIn("ctf off", self.ctl(p, "file", "off"))
        status = json.loads(self.ctl(p, "file", "--json"))
        self.assertFalse(status["on"])
        self.ctl(p, "file", "bad", status=1, error="on, off or set")
        self.ctl(p, "file", "on", "x", status=1, error="only 'file set'")
        self.ctl(p, "file", "set", "", status=1, error="the path is empty")
        self.ctl(p, "file", "--backend=none", status=1, error="none")

    def test_writes_snapshots(self):
        p = self.start(1000, trace=f"tick,full=overwrite,file={self.work}/t.ctf,control=on", cwd="/")
        self.wait_for(lambda: self.recorded(p) > 50)
        path = self.ctl(p, "snapshot", "snap.ctf").strip()
        self.assertEqual(path, os.path.realpath(f"{self.work}/snap.ctf"))
        self.assertIn(" tick ", self.printed("snap.ctf"))

    def test_passes_on_what_it_does_not_know(self):
        p = self.start(1000)
        self.assertEqual(self.ctl(p, "monitor", "info", "trace-events", "ti*"), "tick : state 0\n")
        self.assertIn("unknown", self.ctl(p, "monitor", "bad"))
        self.assertIn("package", self.ctl(p, "qmp", '{"execute": "query-version"}'))
        self.ctl(p, "qmp", '{"execute": "bad"}', status=1, error="bad")

    def test_finds_a_program_by_its_name(self):
        name = self.named("a-name-of-its-own")
        p = self.start(1000, program=name)
        self.assertIn(str(p.pid), self.ctl("a-name-of-its-own", "stats"))
        q = self.start(1000, program=name)
        both = ", ".join(map(str, sorted([p.pid, q.pid])))
        self.ctl("a-name-of-its-own", "stats", status=1, error=f"pid of one: {both}\n")
        p.kill()
        p.wait()
        self.assertIn(str(q.pid), self.ctl("a-name-of-its-own", "stats"))
        self.assertIn(str(q.pid), self.ctl(self.runtime / f"waymark/{q.pid}.sock", "stats"))

    def test_finds_a_program_by_a_part_of_its_name(self):
        p = self.start(1000, program=self.named("red-blue-program"))
        q = self.start(1000, program=self.named("blue-green-program"))
        self.assertIn(f"process {p.pid}, red-blue-program", self.ctl("red-", "stats"))
        self.assertIn(f"process {q.pid}, blue-green-program", self.ctl("green", "stats"))
        both = ", ".join(f"{p.pid} ({n})" for p, n in sorted(
            [(p, "red-blue-program"), (q, "blue-green-program")], key=lambda pair: pair[0].pid))
        for command in (["stats"], ["off", "*"]):
            self.ctl("program", *command, status=1,
                     error=f"2 processes have a name with 'program': give the pid of one: {both}\n")
        self.waymark("attach", "blue", "tick", status=1, error="2 processes have a name with 'blue'")
        whole = self.start(1000, program=self.named("blue"))
        self.assertIn(f"process {whole.pid}, blue\n", self.ctl("blue", "stats"))
        self.ctl("", "stats", status=1, error="no process with a monitor is called ''")

    def test_says_which_program_may_be_meant(self):
        self.start(1000, program=self.named("red-blue-program"))
        self.ctl("red-bleu-program", "stats", status=1,
                 error="red-bleu-program: no process with a monitor is called 'red-bleu-program': did you "
                       "mean 'red-blue-program'?\n")
        self.ctl("something-else", "stats", status=1, error="'waymark ls' lists those that have one")

    def test_many_programs_of_one_name_part(self):
        for n in range(12):
            self.start(1000, program=self.named(f"a-program-with-a-name-as-long-as-this-{n}"))
        self.ctl("a-program-with", "stats", status=1, error="12 processes have a name with 'a-program-with'")
        self.ctl("a-program-with", "stats", status=1, error="), ...\n")

    def test_targets_that_cannot_be_had(self):
        p = self.start(1000)
        p.kill()
        os.waitid(os.P_PID, p.pid, os.WEXITED | os.WNOWAIT)
        self.ctl(p, "stats", status=1, error=f"process {p.pid} has ended")
        p.wait()
        self.ctl(p, "stats", status=1, error=f"there is no process {p.pid}")
        self.ctl(self.runtime / f"waymark/{p.pid}.sock", "stats", status=1)
        without = self.start(1000, trace="")
        self.ctl(without, "stats", status=1, error="has no monitor")
        stopped = self.start(1000)
        self.stop(stopped)
        self.ctl(stopped, "stats", "--timeout=0.3", status=1, error="does not answer within 0.3 s")

    def test_other_users_are_distinguished(self):
        if os.getuid() != 0:
            self.skipTest("only root can have processes of another user")
        p = self.start(1000)
        os.chmod(self.work, 0o755)
        waymark = common.reachable(common.WAYMARK)
        done = subprocess.run(["setpriv", "--reuid=65534", "--clear-groups", waymark, "ctl", str(p.pid), "stats"], env=self.env, capture_output=True, text=True)
        self.assertEqual(done.returncode, 1)
        self.assertIn("sudo -u root", done.stderr)
        q = subprocess.Popen(["setpriv", "--reuid=12345", "--clear-groups", "sleep", "100"])
        self.addCleanup(q.wait)
        self.addCleanup(q.kill)
        self.wait_for(lambda: os.stat(f"/proc/{q.pid}").st_uid == 12345)
        done = subprocess.run(["setpriv", "--reuid=65534", "--clear-groups", waymark, "ctl", str(q.pid), "stats"], env=self.env, capture_output=True, text=True)
        self.assertIn(r"'sudo -u \#12345 waymark", done.stderr)
        self.ctl(q, "stats", status=1, error="has no monitor")


if __name__ == "__main__":
    common.main()
