#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests waymark ctl --vcpu=N with a program that has vCPUs: vcpus.py WAYMARK VCPUS MONITOR
COMPLETIONS [TEST...]
"""

import json
import subprocess

import common
import completion

TRACE = "control=on,log.file=/dev/null"


class Vcpus(common.Case):
    def setUp(self):
        super().setUp()
        self.program = self.start("run", trace=TRACE)

    def listed(self, *words):
        return self.ctl(self.program, "list", *words).split("\n")[:-1]

    def states(self, vcpu):
        return [line.split()[0] for line in self.listed(f"--vcpu={vcpu}")]

    def test_shows_what_is_of_a_vcpu(self):
        self.assertEqual(self.listed(), ["off     mem_access", "off     mem_fault", "off     disk_done"])
        self.assertEqual(self.listed("--vcpu=0"), ["off     mem_access", "off     mem_fault"])
        self.assertEqual(self.listed("--vcpu", "3", "--names", "*fault", "mem_access"),
                         ["mem_access", "mem_fault"])
        self.assertEqual(json.loads(self.ctl(self.program, "list", "mem_fault", "disk*", "--json")),
                         [{"name": "mem_fault", "state": "disabled", "vcpu": True},
                          {"name": "disk_done", "state": "disabled", "vcpu": False}])

    def test_switches_one(self):
        self.ctl(self.program, "on", "mem_access", "--vcpu=2")
        self.assertEqual([self.states(n) for n in range(4)],
                         [["off", "off"], ["off", "off"], ["on", "off"], ["off", "off"]])
        self.assertEqual(self.listed("--on"), ["on      mem_access"])
        self.ctl(self.program, "on", "*", "--vcpu=1")
        self.assertEqual(self.listed("--on"), ["on      mem_access", "on      mem_fault"])
        self.ctl(self.program, "off", "mem_access", "/fault$/", "--vcpu=1")
        self.assertEqual(self.listed("--on"), ["on      mem_access"])
        self.ctl(self.program, "on", "mem_fault")
        self.ctl(self.program, "off", "mem_fault", "--vcpu=0")
        self.assertEqual([self.states(n)[1] for n in range(4)], ["off", "on", "on", "on"])
        self.ctl(self.program, "off", "*")
        self.assertEqual(self.ctl(self.program, "on", "*", "--vcpu=0", "--json"), "{}\n")

    def test_switches_all_or_nothing(self):
        for command in "on", "off", "list":
            for words, error in (
                    (["mem_access", "--vcpu=4"], "invalid vCPU index 4\n"),
                    (["mem_*", "--vcpu=4"], "invalid vCPU index 4\n"),
                    (["mem_*", "--vcpu=4294967296"], "invalid vCPU index 4294967296\n"),
                    (["mem_access", "disk_done", "--vcpu=0"], 'event "disk_done" is not vCPU-specific\n'),
                    (["mem_access", "disk_*", "--vcpu=0"], "no event of single vCPUs matches 'disk_*'\n"),
                    (["mem_acess", "--vcpu=0"], "unknown event \"mem_acess\": did you mean 'mem_access'?\n")):
                self.ctl(self.program, command, *words, status=1, error=error)
        self.assertEqual(self.on(self.program), [])

    def test_refuses_what_is_no_index(self):
        for bad in ("-1", "", "x", "1x", " 1", "0.5", "99999999999999999999"):
            self.ctl(self.program, "list", f"--vcpu={bad}", status=2,
                     error=f"'{bad}' is not the number of a vCPU, from 0\n")
        self.ctl(self.program, "stats", "--vcpu=0", status=2, error="--vcpu goes with 'list, on, off' only")
        self.ctl(self.program, "list", "--backend=ctf", status=2, error="--backend goes with 'file' only")

    def test_a_program_without_vcpus(self):
        path = self.fake(common.answers({"trace-event-get-state": []}), "s.sock")
        self.ctl(path, "list", "--vcpu=0", status=0, error="the process has no events of single vCPUs\n")

    def test_attaching_leaves_each_vcpu_as_it_was(self):
        self.ctl(self.program, "on", "mem_access", "--vcpu=2")
        done = subprocess.run([common.WAYMARK, "attach", str(self.program.pid), "mem_*", "--count=5"],
                              env=self.env, capture_output=True, text=True, timeout=common.PATIENCE)
        self.assertEqual((done.returncode, done.stdout.count("\n")), (0, 5), done.stderr)
        self.wait_for(lambda: self.states(0) == ["off", "off"])
        self.assertEqual([self.states(n) for n in range(1, 4)],
                         [["off", "off"], ["on", "off"], ["off", "off"]])

    def attach(self, *words):
        p = subprocess.Popen([common.WAYMARK, "attach", str(self.program.pid), *words], env=self.env, cwd=self.work,
                             stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        for what in (p.stdout.close, p.wait, p.kill):
            self.addCleanup(what)
        p.stdout.readline()
        return p

    def end(self, p):
        p.kill()
        p.wait()

    def test_attaching_under_a_condition_leaves_each_vcpu_as_it_was(self):
        self.ctl(self.program, "on", "mem_access", "if", "index < 9")
        self.ctl(self.program, "off", "mem_access", "--vcpu=2")
        self.end(self.attach("mem_*", "if", "index == 3"))
        self.wait_for(lambda: self.states(2) == ["off", "off"])
        self.assertEqual([self.states(n) for n in (0, 1, 3)], [["on", "off"]] * 3)
        self.assertEqual(self.listed("--on"), ["on      mem_access if index < 9"])

    def test_a_vcpu_that_is_switched_on_meanwhile_has_no_condition_afterwards(self):
        p = self.attach("mem_access", "if", "index == 3")
        self.assertEqual(self.listed("--on"), ["on      mem_access if index == 3"])
        self.ctl(self.program, "on", "mem_access", "--vcpu=1")
        self.end(p)
        self.wait_for(lambda: self.states(0) == ["off", "off"])
        self.assertEqual(self.states(1), ["on", "off"])
        self.assertEqual(self.listed("--on"), ["on      mem_access"])


class Completion(completion.Shells):
    def test_offers_what_is_of_a_vcpu(self):
        pid = self.start("run", trace=TRACE).pid
        of_vcpu = {"mem_access", "mem_fault"}
        self.prove(of_vcpu | {"disk_done"}, "ctl", pid, "on", "")
        self.prove(of_vcpu, "ctl", pid, "on", "--vcpu", "1", "")
        self.prove(of_vcpu, "ctl", pid, "--vcpu=1", "on", "")
        self.prove(of_vcpu, "ctl", "--vcpu", "0", pid, "list", "mem_fault", "")
        self.prove(set(), "ctl", "--vcpu", "4", pid, "list", "")
        self.prove({"--vcpu="}, "ctl", pid, "--vc")


if __name__ == "__main__":
    common.main()
