#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests waymark ls with processes that have ended: leftovers.py WAYMARK TICKER MONITOR COMPLETIONS
[TEST...]
"""

import json
import os
import shlex
import subprocess
import sys
import unittest

import common

NOBODY = 65534


class Leftovers(common.Case):
    def leave(self, name):
        """Runs a process that is killed after its events; returns its pid."""
        program = self.start(1000000, trace=f"*,leftovers=off,file={self.work / name}.ctf")
        self.wait_for(lambda: list(self.shm.iterdir()))
        program.kill()
        program.wait()
        return program.pid

    def ls(self, *args):
        done = subprocess.run([common.WAYMARK, "ls", *args], env=self.env, check=True,
                              capture_output=True, text=True)
        return done.stdout

    def listed(self):
        return [json.loads(line) for line in self.ls("--json").splitlines()]

    def test_what_is_done_with_it_is_a_command(self):
        pid = self.leave("x")
        title, heads, line = self.ls().splitlines()
        self.assertEqual(title, "Memory that ended processes left:")
        self.assertEqual(heads.split()[-3:], ["MEMORY", "AGE", "WHAT-TO-DO"])
        self.assertRegex(line, rf"^ *{pid} .* ticker +\d+K +\d+s  waymark recover {self.work}/x.ctf$")
        command = shlex.split(line.split("  ")[-1])
        self.waymark(*command[1:])
        self.assertEqual(self.ls(), "")
        self.assertEqual(list(self.shm.iterdir()), [])

    def test_as_json(self):
        pid = self.leave("x")
        [o] = self.listed()
        [buffer] = self.shm.iterdir()
        self.assertEqual((o["pid"], o["program"], o["socket"], o["uid"]), (pid, "ticker", None, os.geteuid()))
        self.assertEqual(o["to-do"], f"waymark recover {self.work}/x.ctf")
        left = o["leftover"]
        self.assertEqual((left["path"], left["bytes"], left["trace"], left["trace-is-there"]),
                         (str(buffer), buffer.stat().st_blocks * 512, f"{self.work}/x.ctf", True))
        self.assertIn(left["age"], range(600))

    def test_beside_a_process_that_lives(self):
        pid = self.leave("x")
        living = self.start(1000000, trace=f"*,leftovers=off,control=on,file={self.work}/y.ctf")
        self.wait_for(lambda: len(list(self.shm.iterdir())) == 2)
        self.assertEqual([(o["pid"], "leftover" in o) for o in self.listed()],
                         [(living.pid, False), (pid, True)])
        self.assertIn("\n\nMemory that ended processes left:\n", self.ls())

    def test_of_a_trace_that_is_gone_and_of_what_is_damaged(self):
        self.leave("x")
        (self.work / "x.ctf").rename(self.work / "moved.ctf")
        [o] = self.listed()
        self.assertFalse(o["leftover"]["trace-is-there"])
        self.assertIn("recover it where its trace is now", o["to-do"])
        damaged = self.shm / ("waymark-" + "0" * 32)
        damaged.write_bytes(b"x" * 100000)
        [o, _] = self.listed()
        self.assertEqual((o["pid"], o["leftover"]["path"]), (None, str(damaged)))
        self.assertEqual(o["to-do"], f"damaged: waymark recover --discard {damaged}")
        self.assertIn("damaged", self.ls())

    def test_a_trace_of_any_name_is_one_word_for_a_shell(self):
        name = "a b'$(echo x)`echo y`"
        self.leave(name)
        [o] = self.listed()
        self.assertEqual(shlex.split(o["to-do"]), ["waymark", "recover", f"{self.work}/{name}.ctf"])
        shell = subprocess.run(["sh", "-c", o["to-do"].replace("waymark recover", "printf %s")],
                               check=True, capture_output=True, text=True)
        self.assertEqual(shell.stdout, f"{self.work}/{name}.ctf")
        self.assertIn(o["to-do"], self.ls())

    def test_what_cannot_be_opened_has_its_path(self):
        link = self.shm / ("waymark-" + "0" * 32)
        link.symlink_to("nowhere")
        [o] = self.listed()
        self.assertRegex(o["to-do"], f"^{link}: ")

    @unittest.skipUnless(os.geteuid() == 0, "it needs root")
    def test_a_user_of_a_container(self):
        self.leave("x")
        [buffer] = self.shm.iterdir()
        os.chown(buffer, 2**32 - 2, 2**32 - 2)
        [o] = self.listed()
        self.assertEqual(o["uid"], 2**32 - 2)

    @unittest.skipUnless(os.geteuid() == 0, "it needs root")
    def test_root_sees_all_users(self):
        self.leave("x")
        [buffer] = self.shm.iterdir()
        os.chown(buffer, NOBODY, NOBODY)
        self.assertRegex(self.ls(), r"\n *\d+  nobody ")
        [o] = self.listed()
        self.assertEqual(o["uid"], NOBODY)


if __name__ == "__main__":
    common.main()
