#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests that programs under waymark record have a monitor: recorded.py WAYMARK TICKER MONITOR
COMPLETIONS [TEST...]
"""

import json
import os
import signal
import subprocess

import common
from common import PATIENCE


class Recorded(common.Case):
    def record(self, *words, program=(common.TICKER, "1000"), **env):
        """Starts a recording; returns it when the program is running."""
        p = subprocess.Popen([common.WAYMARK, "record", "-o", "t.ctf", *words, "--", *program], text=True,
                             stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                             env={**self.env, **env}, cwd=self.work)
        for what in (p.stderr.close, p.stdout.close, p.wait, p.kill, p.stdin.close):
            self.addCleanup(what)
        self.assertEqual(p.stdout.readline(), "ready\n")
        return p

    def end(self, p):
        """Ends the program; returns its output."""
        p.stdin.close()
        p.wait(PATIENCE)
        return p.stderr.read()

    def mine(self):
        """Returns the processes of this test, which has its own folder of sockets."""
        done = subprocess.run([common.WAYMARK, "ls", "--json"], env=self.env, capture_output=True, text=True,
                              check=True)
        return [p for p in map(json.loads, done.stdout.splitlines())
                if p["socket"] and p["socket"].startswith(str(self.runtime))]

    def test_can_be_controlled_and_watched(self):
        p = self.record("-e", "tick")
        (process,) = self.mine()
        self.assertEqual((process["events-on"], process["problem"]), (1, None))
        self.assertIn("process", self.ctl(process["pid"], "stats"))
        self.ctl(process["pid"], "on", "tock")
        shown = subprocess.run([common.WAYMARK, "attach", str(process["pid"]), "tack_text", "--count=3"],
                               env=self.env, capture_output=True, text=True, timeout=PATIENCE, check=True)
        self.assertEqual(shown.stdout.count(" tack_text "), 3)
        said = self.end(p)
        self.assertRegex(said, r"^waymark record: t.ctf: \d+ events, 0 lost, 1 process\n$")
        names = {line.split()[2] for line in self.waymark("print", "t.ctf").splitlines()}
        self.assertEqual(names, {"tick", "tock", "tack_text"})
        self.assertEqual(list((self.runtime / "waymark").iterdir()), [])

    def test_has_none_where_none_is_wanted(self):
        p = self.record("--no-control")
        self.assertEqual(self.mine(), [])
        self.assertIn("1 process", self.end(p))
        where = self.work / "s.sock"
        for words, env in ((["--option", f"control={where}"], {}), ([], {"WAYMARK_TRACE": f"control={where}"})):
            p = self.record("--replace", *words, **env)
            self.assertEqual(self.mine(), [])
            self.assertEqual(len(self.on(where)), 4)
            self.end(p)

    def test_each_program_of_a_script_has_its_own(self):
        script = f"exec 3<&0; {common.TICKER} 1000 <&3 & {common.TICKER} 1000 <&3 & wait"
        p = self.record(program=("sh", "-c", script))
        self.wait_for(lambda: len(self.mine()) == 2)
        for process in self.mine():
            self.assertEqual(len(self.on(process["pid"])), 4)
            os.kill(process["pid"], signal.SIGTERM)
        self.assertIn("2 processes", self.end(p))

    def test_records_silently_where_no_monitor_can_be_had(self):
        (self.runtime / "waymark").write_text("no directory")
        p = self.record()
        self.wait_for((self.work / "t.ctf").exists)
        self.assertRegex(self.end(p), r"^waymark record: t.ctf: \d+ events, 0 lost, 1 process\n$")

    def test_a_monitor_of_the_programs_own_has_the_place(self):
        """A program that reads its own options starts its monitor later, perhaps in another dialect."""
        p = self.start(1000, trace="control=auto;control=on,control-mode=hmp")
        self.ctl(p, "list", status=1, error="control-mode=hmp")
        p.stdin.close()
        p.wait(PATIENCE)
        p = self.start(1000, trace="control=auto;control=on")
        self.assertEqual(self.on(p), [])
        q = self.start(1000, trace="control=on;control=auto")
        self.assertEqual(self.on(q), [])
        self.wait_for(lambda: self.threads(p) == self.threads(q))

    @staticmethod
    def threads(p):
        return len(os.listdir(f"/proc/{p.pid}/task"))

    def test_its_children_and_signals_are_its_own(self):
        """A shell, which waits for its children and counts descriptors, notices no change."""
        script = f"trap 'echo child' CHLD; {common.TICKER} 1000 3 </dev/null; sleep 0.1; ls /proc/self/fd | wc -l"
        said = {}
        for option in ("--no-control", "--option=string=100"):
            done = subprocess.run([common.WAYMARK, "record", "-o", option[2:4], option, "--", "bash", "-c", script],
                                  capture_output=True, text=True, env=self.env, cwd=self.work, timeout=PATIENCE)
            said[option] = done.stdout
        self.assertEqual(*said.values())


if __name__ == "__main__":
    common.main()
