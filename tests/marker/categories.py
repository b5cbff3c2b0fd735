#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests that categories can be switched and listed wherever events are named:

categories.py WAYMARK PROGRAM MONITOR COMPLETIONS WITHOUT SIMPLE [TEST...]
"""
import json
import os
import subprocess
import sys

sys.path.insert(1, os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "ctl"))
WITHOUT, SIMPLE = (os.path.abspath(sys.argv.pop(5)) for _ in range(2))
import common
import completion

FS = {"VirtioFs:" + name for name in ("read (zero-message)", "READ(10) [x]")}
ODD = "VirtioFs:a|b, c=d; {e} ${f} %s # \"\"\""
QUOTED = "VirtioFs:a \"quoted\" 'name'"
NET = {"VirtioNet:print", "VirtioNet:handle RxTap event", "VirtioNet:packet | x",
       "VirtioNet:queued", "VirtioNet:sent", "VirtioNet:late", "VirtioNet:in | flight",
       "VirtioNet:load", "VirtioNet:busy", "VirtioNet:kick | x", "VirtioNet:inner",
       "VirtioNet:same name", "VirtioNet:poll"}


class Case(common.Case):
    def begun(self, trace=""):
        """Starts a program with these options; returns the events that are on."""
        p = self.start(trace="control=on;" + trace)
        return set(self.on(p))

    def names_of(self, p, category):
        return {e["name"] for e in json.loads(self.ctl(p, "list", "--json"))
                if e["name"].startswith(category + ":")}


class Patterns(Case):
    def test_option_and_environment(self):
        all_ = set(self.begun("*"))
        fs = {n for n in all_ if n.startswith("VirtioFs:")}
        self.assertTrue(FS < fs and len(fs) > 20, fs)
        for trace, wanted in {
                "VirtioNet": NET,
                "VirtioNet,enable=VirtioFs": NET | fs,
                "*;-VirtioFs": all_ - fs,
                "*,enable=-VirtioFs,enable=-Virtio*:*": all_ - fs - NET,
                "Virtio?et:q*": {"VirtioNet:queued"},
                "/^VirtioNet:(sent|late)$/": {"VirtioNet:sent", "VirtioNet:late"},
                "VirtioFs:read (zero-message)": {"VirtioFs:read (zero-message)"},
                "enable=" + ODD.replace(",", ",,").replace(";", ";;"): {ODD},
                ODD.replace(",", ",,").replace(";", ";;"): {ODD},
                QUOTED: {QUOTED},
                "VirtioFs:same": {"VirtioFs:same"},
                "VirtioFs:a:b::c": {"VirtioFs:a:b::c"},
                "print": {"print"},
                "NewCategory,enable=-NewCategory:exec": set(),
        }.items():
            with self.subTest(trace=trace):
                self.assertEqual(self.begun(trace), wanted)

    def test_sites_of_one_name_are_all_switched(self):
        p = self.start()
        self.ctl(p, "on", "VirtioFs:same")
        listed = self.ctl(p, "list", "VirtioFs:same").splitlines()
        self.assertEqual(listed, ["on      VirtioFs:same"] * 2)

    def test_file_of_events(self):
        (self.work / "list").write_text(f"# all of it\nVirtioNet\n-VirtioNet:sent\n{ODD}\n{QUOTED}\n")
        self.assertEqual(self.begun(f"events={self.work}/list"),
                         NET - {"VirtioNet:sent"} | {ODD, QUOTED})

    def test_a_mistyped_category_is_reported_with_the_nearest_one(self):
        p = subprocess.run([common.TICKER, "counters"], capture_output=True, text=True,
                           env={**self.env, "WAYMARK_TRACE": "VirtoNet,backend=log"})
        self.assertEqual(p.stderr, "waymark: WAYMARK_TRACE: no such trace event so far: "
                         "'VirtoNet' (did you mean 'VirtioNet'?)\n")
        p = self.start()
        self.ctl(p, "on", "VirtoNet", status=1, error="did you mean 'VirtioNet'?")

    def test_recorded_by_a_command(self):
        subprocess.run([common.WAYMARK, "record", "-e", "VirtioNet", "-e", "-VirtioNet:print",
                        "-o", "r", "--", common.TICKER, "document=1", "both=1"], check=True,
                       env=self.env, cwd=self.work, capture_output=True)
        done = self.waymark("print", "--json", "r")
        self.assertEqual([json.loads(s)["event"] for s in done.splitlines()],
                         ["VirtioNet:handle RxTap event", "VirtioNet:handle RxTap event_end",
                          "VirtioNet:same name", "VirtioNet:same name"])


class Running(Case):
    def test_on_and_off(self):
        p = self.start()
        fs = self.names_of(p, "VirtioFs")
        self.ctl(p, "on", "VirtioNet")
        self.assertEqual(set(self.on(p)), NET)
        self.ctl(p, "on", "VirtioFs", "print")
        self.assertEqual(set(self.on(p)), NET | fs | {"print"})
        self.ctl(p, "off", "VirtioFs", "VirtioNet:s*")
        self.assertEqual(set(self.on(p)), {n for n in NET if n[10] != "s"} | {"print"})
        self.ctl(p, "off", "*")
        for name in (ODD, QUOTED, "VirtioFs: ", "VirtioFs:two\nlines\ttab", "VirtioFs:"):
            self.ctl(p, "on", name)
            self.assertEqual(set(self.on(p)), {name})
            self.ctl(p, "off", name)
        self.assertEqual(self.ctl(p, "list", "VirtioFs:two*"),
                         "off     VirtioFs:two\\nlines\\x09tab\n")

    def test_categories_are_shown(self):
        p = self.start(trace="control=on;VirtioNet,enable=NewCategory,enable=-VirtioNet:s*")
        rows = {c["name"]: c for c in json.loads(self.ctl(p, "categories", "--json"))}
        self.assertEqual(list(rows), ["NewCategory", "VirtioFs", "VirtioNet"])
        net = rows["VirtioNet"]
        self.assertEqual(net, {"name": "VirtioNet", "description": "its network, as tap devices do",
                               "compiled-in": True, "events": 14, "events-on": 11, "live": 0})
        table = self.ctl(p, "categories").splitlines()
        self.assertEqual(table[0].split(), ["STATE", "ON", "EVENTS", "LIVE", "CATEGORY", "DESCRIPTION"])
        self.assertEqual([[t.split()[0], t.split()[2]] for t in table[1:]],
                         [["on", "1"], ["off", str(rows["VirtioFs"]["events"])], ["some", "14"]])
        self.assertIn("the guest's \"file system\"", table[2])
        self.assertEqual(self.ctl(p, "categories", "--names").splitlines(), list(rows))
        hmp = self.ctl(p, "monitor", "info", "trace-categories").splitlines()
        self.assertEqual(hmp[2], "VirtioNet : 11 on of 14, 0 live, its network, as tap devices do")

    def test_one_that_is_compiled_out_has_no_trace_points(self):
        p = self.start(program=WITHOUT)
        rows = {c["name"]: c for c in json.loads(self.ctl(p, "categories", "--json"))}
        out = rows.pop("NewCategory", {"compiled-in": False, "events-on": 0})
        self.assertEqual((out["compiled-in"], out["events-on"], len(rows)), (False, 0, 2))
        self.ctl(p, "on", "NewCategory", status=1, error="unknown event")
        self.assertEqual(self.on(p), [])

    def test_one_for_simple_alone_is_refused(self):
        advice = "a simpletrace file cannot record trace points of waymark/scope.h; instead of simple"
        p = self.start(program=SIMPLE)
        for name in ("VirtioNet", "VirtioNet:s*", "VirtioNet:queued", "*"):
            self.ctl(p, "on", name, status=1, error=advice)
            self.assertIn(advice, self.ctl(p, "monitor", "trace-event", name, "on"))
        self.assertEqual(self.on(p), [])
        self.ctl(p, "off", "*")

    def test_monitor_for_people(self):
        p = self.start()
        def hmp(*words):
            return self.ctl(p, "monitor", *words)
        self.assertEqual(hmp("trace-event", "VirtioNet", "on"), "")
        self.assertEqual(set(self.on(p)), NET)
        self.assertEqual(hmp("info", "trace-events", "NewCategory"), "NewCategory:exec : state 0\n")
        hmp("trace-event VirtioNet off")
        for name in (ODD, QUOTED):
            typed = '"' + name.replace('"', '\\"') + '"'
            self.assertEqual(hmp("trace-event", typed, "on"), "")
            self.assertEqual(set(self.on(p)), {name})
            self.assertEqual(hmp("info", "trace-events", typed), name + " : state 1\n")
            hmp("trace-event", typed, "off")
        self.assertEqual(hmp("log", "trace:VirtioNet"), "")
        self.assertEqual(set(self.on(p)), NET)

    def test_monitor_for_programs(self):
        p = self.start()
        def qmp(command, **arguments):
            return json.loads(self.ctl(p, "qmp", json.dumps(
                {"execute": command, "arguments": arguments})))
        qmp("trace-event-set-state", name="VirtioNet", enable=True)
        self.assertEqual(set(self.on(p)), NET)
        qmp("trace-event-set-state", name="VirtioNet", enable=False)
        qmp("trace-event-set-state", name=ODD, enable=True)
        self.assertEqual(qmp("trace-event-get-state", name=ODD),
                         [{"name": ODD, "state": "enabled", "vcpu": False}])
        self.assertEqual([c["events-on"] for c in qmp("trace-categories")], [0, 1, 0])

    def test_attach(self):
        p = self.start()
        shown = subprocess.Popen([common.WAYMARK, "attach", str(p.pid), "VirtioNet", "--count=3"],
                                 stdout=subprocess.PIPE, text=True,
                                 stderr=subprocess.DEVNULL, env=self.env)
        self.wait_for(lambda: self.on(p))
        self.assertEqual(set(self.on(p)), NET)
        p.stdin.write("document=1\nboth=1\n")
        p.stdin.flush()
        out = shown.communicate(timeout=common.PATIENCE)[0].splitlines()
        self.assertEqual([s.split(" ", 2)[2].split(" scope=")[0] for s in out],
                         ["VirtioNet:print 3 packets", "VirtioNet:handle RxTap event",
                          "VirtioNet:handle RxTap event_end"])

    def test_followed(self):
        p = self.start(trace=f"VirtioFs,backend=ctf,ctf.file={self.work}/t")
        shown = subprocess.Popen([common.WAYMARK, "print", "--follow", "--event=VirtioFs", "--head=3",
                                  f"{self.work}/t"], stdout=subprocess.PIPE, text=True,
                                 stderr=subprocess.DEVNULL, env=self.env)
        p.stdin.write("names=1\n")
        p.stdin.flush()
        out = shown.communicate(timeout=common.PATIENCE)[0].splitlines()
        self.assertEqual([s.split(" ", 2)[2].split(" scope=")[0] for s in out],
                         ["VirtioFs:read (zero-message)", "VirtioFs:READ(10) [x] (number: 1)",
                          "VirtioFs:a \"quoted\" 'name' (number: 1)"])


class Completed(completion.Shells):
    def setUp(self):
        super().setUp()
        self.program = self.start()

    def test_categories(self):
        pid = self.program.pid
        for _, offered in self.offered("ctl", pid, "on", "Virtio"):
            self.assertLessEqual({"VirtioFs", "VirtioNet"} | NET, offered)
            self.assertNotIn("NewCategory:exec", offered)
        self.prove({"NewCategory", "NewCategory:exec"}, "attach", pid, "New")

    def test_behind_a_colon(self):
        """For bash a colon is a separate word."""
        self.prove({"VirtioNet:handle RxTap event"}, "ctl", self.program.pid, "on", "VirtioNet:han")
        self.prove({"NewCategory:exec"}, "ctl", self.program.pid, "on", "NewCategory:")


del completion.Completion

if __name__ == "__main__":
    common.main()
