#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests events of modules that are loaded and unloaded: modules.py WAYMARK VICTIM CHECK MODULE"""

import random
import re
import sys
import time
import unittest

import survive
from survive import SANITIZER, amount

MODULE = open(sys.argv.pop(4), "rb").read()
MODULES = 100


class Modules(survive.Survive):
    def setUp(self):
        super().setUp()
        self.modules = self.shm.with_name(self.shm.name + "-modules")
        self.modules.mkdir()
        self.addCleanup(survive.shutil.rmtree, self.modules)
        for i in range(MODULES):
            own = MODULE.replace(b"live_module_0000", b"live_module_%04d" % i)
            (self.modules / f"{i}.so").write_bytes(own)

    def declared(self):
        """Returns the modules whose events the metadata declares."""
        text = (self.trace / "metadata").read_text()
        return re.findall(r"name = \"?live_module_(\d{4})\b", text)

    def test_unloaded_events_keep_their_names(self):
        for how in ("exit", "_exit", "abort", "kill"):
            if SANITIZER and how != "exit":
                continue
            with self.case(how=how):
                self.live("modules", self.modules, MODULES, 3, 0, how,
                          status={"abort": -6, "kill": -9}.get(how, 0))
                self.assertEqual(self.check_everything(), 1 + 3 * MODULES)
                named = re.findall(r"live_module_(\d{4})", self.waymark("print", self.trace))
                self.assertEqual(named, [f"{i:04}" for i in range(MODULES) for _ in range(3)])
                self.assertEqual(self.declared(), [f"{i:04}" for i in range(MODULES)])

    @unittest.skipIf(SANITIZER == "thread", "TSan does not see the mappings of dlopen()")
    def test_modules_that_are_loaded_while_others_record(self):
        for keep in ((), ("keep",)):
            with self.case(keep=keep):
                self.live("modules", self.modules, MODULES, 20, 1, "_exit", *keep,
                          env=self.env(",buffer=1G"))
                self.check_everything()

    def test_a_kill_while_events_are_declared_leaves_a_whole_trace(self):
        declared = []
        for i in range(amount(24, 300)):
            ms = random.uniform(2, 25)
            with self.case(i=i, ms=ms):
                victim = self.start("modules", self.modules, MODULES, 1, i % 2, "kill",
                                    env=self.env(",buffer=1G"))
                if i % 4 > 1:  # a busy machine takes longer to begin
                    while not self.trace.exists() and victim.poll() is None:
                        pass
                time.sleep(ms / 1000)
                victim.kill()
                victim.communicate()
                if self.trace.exists():
                    self.check_everything()
                    declared.append(len(self.declared()))
                self.waymark("recover", "--all")
        print(f"killed with {sorted(declared)} of {MODULES} modules declared")
        if not SANITIZER:  # a sanitizer takes longer to begin
            self.assertTrue(any(0 < n < MODULES for n in declared))


survive.main()
