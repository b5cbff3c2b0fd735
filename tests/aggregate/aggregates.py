#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Aggregations: their values are the program's own, however it ends, and every reader shows them.

aggregates.py PROGRAM WAYMARK MONITOR
"""

import collections
import json
import mmap
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

PROGRAM, WAYMARK, MONITOR = map(os.path.abspath, sys.argv[1:4])
CALLS, THREADS = 20000, 3
OPS = ("read", "write", "flush")
DISKS = ("vda", "vdb", 'a "b", c')
# A child of a process with threads starts its own.
UNDER_TSAN = {"TSAN_OPTIONS": os.environ.get("TSAN_OPTIONS", "") + ":die_after_fork=0"}

Call = collections.namedtuple("Call", "op bytes delta disk")


def call_of(n):
    """The values of the call with that number, as the program computes them."""
    return Call(n % 3, n * 7919 % 100000, n % 201 - 100, DISKS[n % 3])


def calls_of(count=CALLS, threads=THREADS):
    return [call_of(n) for n in range(count)] * threads


def escaped(rule):
    """A comma inside of an option is doubled."""
    return rule.replace(",", ",,")


class Run:
    """A run of the program in a directory of its own."""

    def __init__(self, case, rules, what="", calls=CALLS, threads=THREADS, option="", tool=None):
        self.place = tempfile.mkdtemp()
        case.addCleanup(shutil.rmtree, self.place)
        self.trace = os.path.join(self.place, "t.ctf")
        rules = [rules] if isinstance(rules, str) else rules
        enabled = ",".join(f"enable={escaped(r)}" for r in rules)
        self.environment = {**os.environ, **UNDER_TSAN, "HOME": self.place, "XDG_RUNTIME_DIR": self.place,
                            "LD_LIBRARY_PATH": ":".join((os.path.dirname(MONITOR),
                                                         os.environ.get("LD_LIBRARY_PATH", ""))),
                            "WAYMARK_TRACE": f"backend=ctf,{enabled},file={self.trace}{option}"}
        self.command = [*(tool or []), PROGRAM, str(calls), str(threads), what]

    def end(self):
        self.program = subprocess.run(self.command, text=True, check=False, capture_output=True, timeout=120,
                                      cwd=self.place, env=self.environment)
        return self

    def begin(self, more=(), **options):
        self.program = subprocess.Popen([*self.command, *more], text=True, stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, cwd=self.place, env=self.environment, **options)
        return self

    def shown(self, *traces):
        """Values by (function, key): of the event `complete`."""
        out = subprocess.run([WAYMARK, "aggregates", "--json", *(traces or [self.trace])], check=True,
                             capture_output=True, text=True).stdout
        values = {}
        for row in json.loads(out)["aggregates"]:
            name = row["function"], ", ".join(f"{f}={v}" for f, v in row["key"].items()) or \
                   ("other" if row["other"] else "")
            assert name not in values, name
            values[name] = row
        return values

    def counts(self, *traces):
        return {key: row["value"] for (function, key), row in self.shown(*traces).items() if function == "count"}


def by_op(calls):
    return dict(collections.Counter(f"op={OPS[c.op]}" for c in calls))


class Aggregates(unittest.TestCase):
    def test_functions(self):
        run = Run(self, "aggregate complete count, sum(bytes), min(delta), max(bytes), avg(delta), hist(bytes), "
                  "quantile(bytes) by op").end()
        self.assertEqual((run.program.returncode, run.program.stderr), (0, ""))
        shown = run.shown()
        for op, name in enumerate(OPS):
            calls = [c for c in calls_of() if c.op == op]
            sizes = sorted(c.bytes for c in calls)
            key = f"op={name}"
            self.assertEqual(shown["count", key]["value"], len(calls))
            self.assertEqual(shown["sum(bytes)", key]["value"], sum(sizes))
            self.assertEqual(shown["min(delta)", key]["value"], min(c.delta for c in calls))
            self.assertEqual(shown["max(bytes)", key]["value"], sizes[-1])
            self.assertAlmostEqual(shown["avg(delta)", key]["value"], sum(c.delta for c in calls) / len(calls))
            buckets = collections.Counter(0 if s == 0 else 1 << (s.bit_length() - 1) for s in sizes)
            self.assertEqual({b["from"]: b["count"] for b in shown["hist(bytes)", key]["buckets"]}, buckets)
            for share in 50, 90, 99, 99.9:
                exact = sizes[max(0, -int(-len(sizes) * share // 100) - 1)]
                self.assertAlmostEqual(shown["quantile(bytes)", key][f"p{share:g}"], exact, delta=exact * 0.032 + 1)
        # An event that is only added up is not recorded.
        printed = subprocess.run([WAYMARK, "print", run.trace], check=True, capture_output=True, text=True).stdout
        self.assertEqual(re.findall(r" complete io", printed), [])

    def test_keys(self):
        run = Run(self, "aggregate complete sum(bytes) by disk, op if bytes > 50000").end()
        calls = [c for c in calls_of() if c.bytes > 50000]
        for op, disk in enumerate(DISKS):
            sizes = [c.bytes for c in calls if c.op == op]
            row = run.shown()["sum(bytes)", f"disk={disk}, op={OPS[op]}"]
            self.assertEqual((row["value"], row["terms"]), (sum(sizes), "by disk, op if bytes > 50000"))

    def test_pairs(self):
        run = Run(self, "aggregate complete count, quantile(elapsed(submit by io)), max(elapsed(submit by io))").end()
        shown = run.shown()
        total = sum(b["count"] for b in shown["quantile(elapsed(submit by io))", ""]["buckets"])
        self.assertEqual((shown["count", ""]["value"], total), (CALLS * THREADS,) * 2)
        self.assertGreater(shown["quantile(elapsed(submit by io))", ""]["p50"], 10)
        self.assertLess(shown["max(elapsed(submit by io))", ""]["value"], 10**10)

    def test_signs_and_no_key(self):
        run = Run(self, "aggregate complete sum(delta), hist(delta)").end()
        deltas = [c.delta for c in calls_of()]
        self.assertEqual(run.shown()["sum(delta)", ""]["value"], sum(deltas))
        below = run.shown()["hist(delta)", ""]["buckets"][0]
        self.assertEqual((below["from"], below["to"], below["count"]), (None, 0, sum(d < 0 for d in deltas)))

    def test_fractions(self):
        run = Run(self, ["aggregate odd sum(part), min(part), max(part), avg(part), hist(part)"], "odd", calls=0).end()
        shown = run.shown()
        self.assertEqual([shown[f"{f}(part)", ""]["value"] for f in ("sum", "min", "max", "avg")],
                         [1e300, -2.25, 1e300, 2.5e299])
        self.assertEqual([(b["from"], b["count"]) for b in shown["hist(part)", ""]["buckets"]],
                         [(None, 1), (0, 1), (1, 1), (1 << 62, 1)])
        run = Run(self, "aggregate * max(delta), count by @event", "odd", calls=0).end()
        self.assertIn("aggregation does not fit submit, odd", run.program.stderr)
        self.assertEqual(run.shown()["max(delta)", "@event=complete"]["value"], -5)

    def test_keys_that_look_alike(self):
        run = Run(self, "aggregate complete count, max(delta) by disk", "odd", calls=0).end()
        counts = run.counts()
        self.assertEqual(sorted(counts.values()), [1, 1, 1, 2])
        self.assertEqual(len({key for key in counts if key.startswith("disk=xxx")}), 2)
        self.assertEqual(counts["disk="], 2, "NULL and an empty text")
        self.assertEqual({row["value"] for (f, _), row in run.shown().items() if f == "max(delta)"}, {-5})

    def test_many_threads_share_a_small_buffer(self):
        for _ in range(5):
            run = Run(self, ["submit", "aggregate complete count, sum(bytes) by op"], calls=100, threads=32,
                      option=",full=discard,buffer=4M").end()
            self.assertEqual((run.program.stderr, run.counts()), ("", by_op(calls_of(100, 32))))

    def test_without_memory_values_are_missed(self):
        run = Run(self, ["aggregate complete count, sum(bytes) by io"], calls=4000, threads=16,
                  option=",buffer=1M").end()
        shown = run.shown()
        missed = sum(row["value"] for (function, _), row in shown.items() if function == "left_out")
        self.assertGreater(missed, 0)
        # The message also has those for which there was no memory to count them in the trace.
        lacked = int(re.search(r"aggregations lack (\d+) values", run.program.stderr)[1])
        self.assertLessEqual(missed, lacked)
        sums = sum(row["value"] for (function, _), row in shown.items() if function == "sum(bytes)")
        self.assertLessEqual(sums, sum(c.bytes for c in calls_of(4000, 16)))
        self.assertGreaterEqual(sum(run.counts().values()) + lacked, 64000)
        self.assertIn("left_out", subprocess.run([WAYMARK, "aggregates", run.trace], check=True, capture_output=True,
                                                 text=True).stdout)

    def test_a_handler_may_fork_at_any_moment(self):
        if os.environ.get("WAYMARK_SANITIZER"):
            self.skipTest("a sanitizer's fork waits for locks that the handler interrupted")
        run = Run(self, ["aggregate complete count, sum(bytes), hist(bytes) by op"], "forks", calls=300000,
                  threads=1).end()
        self.assertEqual(run.program.returncode, 0, run.program.stderr)
        self.assertEqual({k: v for k, v in run.counts().items() if k != "op=5"}, by_op(calls_of(300000, 1)))

    def test_a_daemon_has_snapshots(self):
        run = Run(self, "aggregate complete count by op", "daemon").begin()
        self.assertEqual(run.program.stdout.readline(), "0\n")
        time.sleep(1.2)
        child = next(t for t in os.listdir(run.place) if t.startswith("t.ctf."))
        printed = subprocess.run([WAYMARK, "print", os.path.join(run.place, child)], check=True, capture_output=True,
                                 text=True).stdout
        self.assertRegex(printed, r"snapshot [1-9]\d*\)")
        run.program.communicate("\n")

    def test_too_many_keys_are_counted_under_other(self):
        run = Run(self, "aggregate complete count, sum(bytes), hist(bytes) by io", calls=10000, threads=1).end()
        shown = run.shown()
        self.assertEqual(sum(run.counts().values()), 10000)
        self.assertGreater(shown["count", "other"]["value"], 5000)
        self.assertEqual(sum(row["value"] for (f, _), row in shown.items() if f == "sum(bytes)"),
                         sum(c.bytes for c in calls_of(10000, 1)))

    def test_events_are_recorded_besides(self):
        run = Run(self, ["complete", "submit", "aggregate complete count by op", "aggregate * count by @event"]).end()
        self.assertEqual(run.counts(), {**by_op(calls_of()), "@event=submit": CALLS * THREADS,
                                        "@event=complete": CALLS * THREADS})
        info = json.loads(subprocess.run([WAYMARK, "info", "--json", run.trace], check=True, capture_output=True,
                                         text=True).stdout)
        kinds = {k["name"]: k["events"] for k in info["kinds"]}
        self.assertEqual((kinds["complete"], kinds["submit"]), (CALLS * THREADS,) * 2)

    def test_each_end_keeps_them(self):
        for what, status in ("", 0), ("crash", -signal.SIGABRT), ("_exit", 0):
            run = Run(self, "aggregate complete count, sum(bytes) by op", what).end()
            self.assertEqual((run.program.returncode, run.counts()), (status, by_op(calls_of())), what)
            subprocess.run([WAYMARK, "recover", run.trace], check=True, capture_output=True)
            self.assertEqual(run.counts(), by_op(calls_of()), f"{what} recovered")
            self.assertEqual(os.listdir(run.place), ["t.ctf"])

    def test_a_child_has_its_own(self):
        run = Run(self, "aggregate complete count by op", "fork").end()
        traces = sorted(os.path.join(run.place, t) for t in os.listdir(run.place))
        self.assertEqual(run.counts(traces[0]), {"op=read": 1})
        self.assertEqual(run.counts(traces[1]), by_op(calls_of()))
        self.assertEqual(run.counts(*traces)["op=read"], by_op(calls_of())["op=read"] + 1)

    def test_signal_handlers(self):
        run = Run(self, "aggregate complete count, sum(bytes), hist(bytes) by op", "signals", calls=300000).end()
        handled = int(run.program.stdout)
        self.assertGreater(handled, 10)
        counts = run.counts()
        self.assertEqual(counts.pop("op=5"), handled)
        self.assertEqual(counts, by_op(calls_of(300000)))
        self.assertEqual(run.shown()["sum(bytes)", "op=5"]["value"], handled)

    def test_switched_off_and_on_again_it_goes_on(self):
        run = Run(self, ["aggregate complete count by op", "aggregate complete count by disk"], "change",
                  calls=500000).end()
        self.assertEqual((run.program.returncode, run.program.stderr), (0, ""))
        counts = run.counts()
        for op, disk in zip(OPS, DISKS):
            every = sum(c.disk == disk for c in calls_of(500000))
            self.assertEqual(counts[f"disk={disk}"], every)
            self.assertLessEqual(counts[f"op={op}"], every)
            self.assertGreater(counts[f"op={op}"], 0)

    def test_a_kill_loses_nothing(self):
        for i in range(15):
            run = Run(self, "aggregate complete count, sum(bytes), hist(bytes) by op", "kill", threads=2)
            with tempfile.TemporaryFile() as shared:
                shared.truncate(4096)
                os.set_inheritable(shared.fileno(), True)
                run.begin([str(shared.fileno())], pass_fds=[shared.fileno()])
                done = mmap.mmap(shared.fileno(), 4096)
                while not done[0:8].strip(b"\0"):
                    time.sleep(0.001)
                time.sleep(0.001 * 1.5 ** i)
                run.program.kill()
                run.program.communicate()
                counted = [int.from_bytes(done[8 * t:8 * t + 8], sys.byteorder) for t in range(2)]
            self.check_killed(run, counted)
            if i % 5 == 0:
                subprocess.run([WAYMARK, "recover", run.trace], check=True, capture_output=True)
                self.check_killed(run, counted)

    def check_killed(self, run, counted):
        """Each thread's last call may have been added up, or be in the middle of that."""
        shown = run.shown()
        for op, name in enumerate(OPS):
            least = sum((n + 2 - op) // 3 for n in counted)
            count = shown["count", f"op={name}"]["value"]
            self.assertTrue(least <= count <= least + 2, (least, count))
            buckets = sum(b["count"] for b in shown["hist(bytes)", f"op={name}"]["buckets"])
            self.assertTrue(least <= buckets <= count, (least, buckets, count))
            exact = sum(sum(n * 7919 % 100000 for n in range(op, count_of, 3)) for count_of in counted)
            self.assertTrue(exact <= shown["sum(bytes)", f"op={name}"]["value"] <= exact + 2 * 100000)

    def test_a_full_buffer_keeps_them(self):
        for policy in "overwrite", "discard", "block":
            run = Run(self, ["complete", "submit", "aggregate complete count by op"], calls=100000,
                      option=f",full={policy},buffer=1M").end()
            self.assertEqual(run.counts(), by_op(calls_of(100000)), policy)

    def test_a_snapshot_has_the_values_of_its_moment(self):
        run = Run(self, ["complete", "aggregate complete count by op",
                         f"when complete first=1 if io == {CALLS // 2} then snapshot shot"],
                  threads=1, option=",full=overwrite,buffer=8M").end()
        total = sum(run.counts(os.path.join(run.place, "shot")).values())
        self.assertTrue(CALLS // 2 <= total <= CALLS, total)
        self.assertEqual(run.counts(), by_op(calls_of(threads=1)))
        self.assertEqual(run.counts(os.path.join(run.place, "shot"), run.trace), by_op(calls_of(threads=1)),
                         "values of one process are not added up")

    def test_a_running_process(self):
        run = Run(self, "aggregate complete count by op", "wait").begin()
        self.assertEqual(run.program.stdout.readline(), "0\n")
        self.assertEqual(run.counts(), by_op(calls_of()))
        time.sleep(1.2)  # the next snapshot
        self.assertEqual(run.counts(), by_op(calls_of()))
        printed = subprocess.run([WAYMARK, "print", run.trace], check=True, capture_output=True, text=True).stdout
        self.assertRegex(printed, r"snapshot [1-9]\d*\)")
        run.program.communicate("\n")
        self.assertEqual(run.counts(), by_op(calls_of()))

    def test_a_running_process_is_asked(self):
        run = Run(self, "aggregate complete count by op", "wait", option=",control=on").begin()
        self.assertEqual(run.program.stdout.readline(), "0\n")

        def ctl(*words, status=0):
            done = subprocess.run([WAYMARK, "ctl", str(run.program.pid), *words], check=False, text=True,
                                  capture_output=True, env=run.environment)
            self.assertEqual(done.returncode, status, done.stderr)
            return done.stdout or done.stderr

        self.assertEqual(ctl("triggers"), f"{CALLS * THREADS:<8}aggregate complete count by op\n")
        shown = json.loads(ctl("--json", "aggregates"))["aggregates"]
        self.assertEqual({f"op={row['key']['op']}": row["value"] for row in shown}, by_op(calls_of()))
        self.assertIn("op=write", ctl("aggregates"))
        ctl("aggregate", "complete", "hist(bytes),", "avg(delta)", "by", "disk", "if", "bytes > 3")
        self.assertIn("0       aggregate complete hist(bytes), avg(delta) by disk if bytes > 3", ctl("triggers"))
        ctl("aggregate", "complete max(bytes), min(delta) by disk")
        self.assertIn("aggregate complete max(bytes), min(delta) by disk", ctl("triggers"))
        self.assertIn("did you mean 'bytes'?", ctl("aggregate", "complete", "hist(byte)", status=1))
        ctl("off", "aggregate", "complete", "count", "by", "op")
        self.assertNotIn("count by op", ctl("triggers"))
        self.assertIn("there is no trigger", ctl("off", "aggregate", "complete", "count", status=1))
        run.program.communicate("\n")

    def test_top_shows_what_grows(self):
        run = Run(self, "aggregate complete count, hist(bytes) by op", "kill", threads=2).begin()
        while not os.path.exists(run.trace):
            time.sleep(0.01)
        shown = json.loads(subprocess.run([WAYMARK, "top", "--once", "--json", "--interval=2", run.trace],
                                          check=True, capture_output=True, text=True).stdout)
        counts = {row["key"]["op"]: row["value"] for row in shown["aggregates"] if row["function"] == "count"}
        self.assertEqual(counts.keys(), set(OPS))
        text = subprocess.run([WAYMARK, "top", "--once", "--interval=2", run.trace], check=True,
                              capture_output=True, text=True).stdout
        run.program.kill()
        run.program.communicate()
        self.assertIn("complete by op\n\nKEY", text)
        self.assertLess(counts["read"], run.counts()["op=read"])

    def test_babeltrace_reads_them(self):
        if not shutil.which("babeltrace2"):
            self.skipTest("there is no babeltrace2")
        run = Run(self, ["submit", "aggregate complete count by op"]).end()
        shown = subprocess.run(["babeltrace2", run.trace], check=True, capture_output=True, text=True).stdout
        counts = collections.Counter()
        for key, value in re.findall(r'waymark:aggregate:.*function = "count".*key = "(.*?)", bucket = 0, '
                                     r'value = (\d+), map = \d+, snapshot = 0', shown):
            counts[key] += int(value)
        self.assertEqual(+counts, by_op(calls_of()))

    def test_prometheus_takes_them(self):
        promtool = shutil.which("promtool")
        if not promtool:
            self.skipTest("there is no promtool (Debian's prometheus)")
        run = Run(self, ["aggregate complete count, sum(bytes), min(delta), max(bytes), avg(delta), hist(bytes), "
                         "quantile(elapsed(submit by io)) by disk", "aggregate submit count by io"]).end()
        shown = subprocess.run([WAYMARK, "aggregates", "--prometheus", run.trace], check=True, capture_output=True,
                               text=True).stdout
        checked = subprocess.run([promtool, "check", "metrics"], input=shown, check=False, capture_output=True,
                                 text=True)
        self.assertEqual(checked.returncode in (0, 3), True, checked.stderr)  # 3: advice on names
        self.assertNotIn("error", checked.stderr)
        self.assertIn('waymark_calls_total{event="complete",terms="by disk",disk="a \\"b\\", c"} '
                      f'{sum(c.op == 2 for c in calls_of())}', shown)

    def test_bad_rules_are_refused_with_their_reason(self):
        for rule, reason in {
                "aggregate complete": "an aggregation needs a function",
                "aggregate complete by op": "is wrong; write aggregate EVENT",
                "aggregate complete median(bytes)": "'median(bytes)' is wrong",
                "aggregate complete count(bytes)": "'count(bytes)' is wrong",
                "aggregate complete sum": "'sum' is wrong",
                "aggregate complete sum()": "'sum()' is wrong",
                "aggregate complete sum(bytes": "'sum(bytes' is wrong",
                "aggregate complete count,,": "'' is wrong",
                "aggregate complete sum(byte)": "has no field 'byte'; did you mean 'bytes'?",
                "aggregate complete sum(disk)": "field 'disk' of event 'complete' is no number",
                "aggregate complete count by": "'count by' is wrong",
                "aggregate complete count by op,,": "'' is no field",
                "aggregate complete count by opp": "has no field 'opp'",
                "aggregate complete count by op if bytes > ": "column",
                "aggregate complete count by op if size > 3": "has no field or value 'size'",
                "aggregate complete sum(elapsed(submit by io)),, max(elapsed(submit by op))":
                    "two different elapsed()",
                "aggregate complete sum(elapsed(submit))": "write elapsed(EVENT by FIELD)",
                "aggregate complete sum(elapsed(submit by bytes))": "event 'submit' has no field 'bytes'",
                "aggregate complete count by op,, op": "'op' is given twice",
                "aggregate complete left_out": "'left_out' is wrong",
                "aggregate odd count by part": "field 'part' of event 'odd' is no key",
                "aggregate odd count by wide": "field 'wide' of event 'odd' is no key",
                "aggregate complete count by io,, op,, bytes,, delta,, disk": "more than 4 fields",
                "aggregate complete " + ",, ".join(["sum(bytes)"] * 8): "more than 7 functions",
                "aggregate nosuch count": "no such trace event so far: 'nosuch'",
                "aggregate  count": "aggregate NAME count",
                ",enable=".join(f"aggregate complete count if bytes > {i}" for i in range(65)):
                    "there were 64 different aggregations",
        }.items():
            program = subprocess.run([PROGRAM, "1"], text=True, check=False, capture_output=True,
                                     cwd=tempfile.gettempdir(), env={**os.environ, "WAYMARK_TRACE": "enable=" + rule})
            self.assertIn(reason, program.stderr, rule)

    def test_a_pattern_that_fits_some_events_names_the_others(self):
        run = Run(self, "aggregate * sum(bytes)").end()
        self.assertIn("does not fit submit", run.program.stderr)
        self.assertEqual(run.shown()["sum(bytes)", ""]["value"], sum(c.bytes for c in calls_of()))

    def test_a_trace_without_any_says_so(self):
        run = Run(self, "complete").end()
        shown = subprocess.run([WAYMARK, "aggregates", run.trace], check=True, capture_output=True, text=True)
        self.assertEqual(shown.stdout, "")
        self.assertIn("no program has added anything up", shown.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[4:])
