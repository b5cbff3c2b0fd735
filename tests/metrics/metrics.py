#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests waymark metrics with a Prometheus that scrapes it: metrics.py WAYMARK PACED DASHBOARD BUSY LOSSY [TEST...]"""

import json
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.error
import urllib.parse
import urllib.request

sys.path.insert(1, os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "common"))
from memory import make_memory  # noqa: E402
from ports import free_port  # noqa: E402

WAYMARK, PACED, DASHBOARD, BUSY, LOSSY = (os.path.abspath(a) for a in sys.argv[1:6])
PATIENCE = 60
SCOPE, LIFE = "Disk:größe_end", "busy_done"  # the ends of what busy does once a turn
RULE = "enable=aggregate step count,, sum(step),, hist(step),, quantile(step) by thread"


class Metrics(unittest.TestCase):
    def setUp(self):
        self.work = pathlib.Path(tempfile.mkdtemp(prefix="waymark-test-"))
        self.addCleanup(shutil.rmtree, self.work)
        self.shm = make_memory()
        self.addCleanup(shutil.rmtree, self.shm)
        self.env = {**os.environ, "WAYMARK_SHM": str(self.shm)}

    def start(self, *command, env=None, stdin=subprocess.DEVNULL):
        p = subprocess.Popen([*map(str, command)], stdin=stdin, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                             env={**self.env, **(env or {})})
        for cleanup in (p.stdout.close, p.stderr.close, p.wait, p.kill):
            self.addCleanup(cleanup)
        return p

    def program(self, *args, trace="t.ctf", options=f",{RULE}"):
        p = self.start(PACED, *args, env={"WAYMARK_TRACE": f"step,file={self.work / trace}{options}"})
        self.assertIn("recorded", p.stdout.readline())
        return p

    def with_pairs(self, program, *args, trace, options=""):
        env = {"WAYMARK_TRACE": f"*,backend=ctf,file={self.work / trace}{options}", "LC_ALL": "C.UTF-8"}
        p = self.start(program, *args, env=env, stdin=subprocess.PIPE)
        self.addCleanup(p.stdin.close)
        return p

    def busy(self, *args, trace="busy.ctf"):
        return self.with_pairs(BUSY, *args, trace=trace)

    def lossy(self, *args, **options):
        return self.with_pairs(LOSSY, *args, **options)

    def listen(self, *options):
        port = free_port()
        p = self.start(WAYMARK, "metrics", f"--listen={port}", *options)
        self.wait_for(lambda: self.get(port, "/metrics")[0] == 200)
        return p, port

    def get(self, port, path, method="GET", host="127.0.0.1"):
        request = urllib.request.Request(f"http://{host}:{port}{path}", method=method)
        try:
            with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as error:
            return error.code, error.read().decode()
        except OSError:
            return 0, ""

    def wait_for(self, what):
        end = time.monotonic() + PATIENCE
        while not what():
            self.assertLess(time.monotonic(), end, "waited in vain")
            time.sleep(0.1)

    def shown(self, *options):
        done = subprocess.run([WAYMARK, "metrics", *options], capture_output=True, text=True, env=self.env, timeout=PATIENCE)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout

    def value(self, text, name, **labels):
        """The sum of a metric's lines that have the labels."""
        values = [int(m[2]) for m in re.finditer(rf"^{name}(?:{{(.*)}})? (\d+)$", text, re.M)
                  if all(f'{k}="{v}"' in (m[1] or "") for k, v in labels.items())]
        self.assertTrue(values, f"{name} {labels}: {text}")
        return sum(values)

    def count(self, text, event, **labels):
        """The pairs that an event has ended; 0: none yet."""
        wanted = [f'{k}="{v}"' for k, v in {"event": event, **labels}.items()]
        rows = re.findall(r"^waymark_latency_seconds_count{(.*)} (\d+)$", text, re.M)
        return sum(int(n) for row, n in rows if all(w in row for w in wanted))

    def seconds(self, text, **labels):
        rows = re.findall(r"^waymark_latency_seconds_sum{(.*)} (\S+)$", text, re.M)
        return sum(float(v) for row, v in rows if all(f'{k}="{value}"' in row for k, value in labels.items()))

    def buckets(self, text, **labels):
        """What each bucket has more than the one before, by its end in ns; empty ones are left out."""
        rows = re.findall(r'^waymark_latency_seconds_bucket{(.*),le="(\S+)"} (\d+)$', text, re.M)
        rows = [(le, int(n)) for row, le, n in rows if all(f'{k}="{v}"' in row for k, v in labels.items())]
        self.assertEqual((len(rows), rows[-1][0]), (30, "+Inf"))
        ends = [None if le == "+Inf" else round(float(le) * 1e9) for le, _ in rows]
        counts = [n for _, n in rows]
        more = [n - before for n, before in zip(counts, [0, *counts])]
        self.assertGreaterEqual(min(more), 0)
        return {end: n for end, n in zip(ends, more) if n}

    def reported(self, *command):
        """The buckets of a report, as buckets() has them, its number of pairs, and its seconds."""
        done = subprocess.run([WAYMARK, *command, "--histogram", "--json", self.work / "busy.ctf"], capture_output=True,
                              text=True, env=self.env, timeout=PATIENCE)
        self.assertEqual(done.returncode, 0, done.stderr)
        report = json.loads(done.stdout)
        row, = report.get("latencies") or report["scopes"]
        buckets = {}
        for b in row["histogram"]:
            end = next((2**n - 1 for n in range(8, 37) if b["to_ns"] <= 2**n), None)
            buckets[end] = buckets.get(end, 0) + b["count"]
        return {end: n for end, n in buckets.items() if n}, row["count"], row["total_ns"] / 1e9

    def test_latencies_are_those_of_the_reports(self):
        p = self.busy(2, 1000)
        self.wait_for(lambda: self.count(self.shown("--latencies"), LIFE) > 500)
        p.send_signal(signal.SIGSTOP)  # all that follows is of the same events
        try:
            self.wait_for(lambda: pathlib.Path(f"/proc/{p.pid}/stat").read_text().split(") ")[1][0] == "T")
            text = self.shown("--latencies")
            for event, pair, command in ((LIFE, "io", ("latency", "--from=busy_submit", "--to=busy_done")),
                                         (SCOPE, "Disk:größe", ("scopes",))):
                buckets, count, seconds = self.reported(*command)
                labels = {"event": event, "pair": pair, "pid": p.pid, "program": "busy"}
                self.assertEqual(self.count(text, **labels), count)
                self.assertEqual(self.buckets(text, **labels), buckets)
                self.assertAlmostEqual(self.seconds(text, **labels), seconds, 9)
            self.assertNotIn("latency", self.shown())
        finally:
            p.send_signal(signal.SIGCONT)
        checked = subprocess.run(["promtool", "check", "metrics"], input=text, capture_output=True, text=True)
        self.assertEqual((checked.returncode, checked.stderr), (0, ""))

    def test_latencies_of_programs_that_begin_and_end(self):
        """A server counts each pair of later programs once, also after their end; of earlier ones, the later pairs."""
        first = self.busy(1, 1000, trace="first.ctf")
        self.wait_for(lambda: self.count(self.shown("--latencies"), LIFE) > 1000)
        _, port = self.listen("--latencies")
        at = self.count(self.get(port, "/metrics")[1], LIFE, pid=first.pid)
        whole = self.count(self.shown("--latencies"), LIFE, pid=first.pid)
        self.assertLess(at, whole - 900)
        threads, turns = 3, 1000
        second = self.busy(threads, 1000, turns)
        counts = [0]

        def is_complete():
            counts.append(self.count(self.get(port, "/metrics")[1], LIFE, pid=second.pid))
            return counts[-1] == threads * turns

        self.wait_for(is_complete)
        self.assertEqual(second.wait(PATIENCE), 0)
        self.wait_for(lambda: self.value(self.get(port, "/metrics")[1], "waymark_processes") == 1)
        self.wait_for(lambda: self.count(self.get(port, "/metrics")[1], LIFE, pid=first.pid) > at)
        text = self.get(port, "/metrics")[1]
        for event in LIFE, SCOPE:
            self.assertEqual(self.count(text, event, pid=second.pid), threads * turns)
        self.assertEqual(counts, sorted(counts))
        self.assertEqual(self.value(text, "waymark_latency_broken_total"), 0)

    def test_latencies_of_a_program_that_turns_to_other_traces(self):
        _, port = self.listen("--latencies")
        p = self.lossy(0, trace="one.ctf")
        calm, _ = map(int, p.stdout.readline().split())
        for n, trace in enumerate(("two.ctf", "three.ctf"), 1):
            self.wait_for(lambda n=n: self.count(self.get(port, "/metrics")[1], "job_end", pid=p.pid) == n * calm)
            p.stdin.write(f"{self.work / trace}\n")
            p.stdin.flush()
            self.assertEqual(p.stdout.readline(), "turned\n")
        p.stdin.close()
        self.assertEqual(p.wait(PATIENCE), 0)
        self.wait_for(lambda: self.count(self.get(port, "/metrics")[1], "job_end", pid=p.pid) == 3 * calm)
        time.sleep(1)  # nothing is counted again
        self.assertEqual(self.count(self.get(port, "/metrics")[1], "job_end", pid=p.pid), 3 * calm)

    def test_lost_events_make_no_latencies(self):
        _, port = self.listen("--latencies")
        p = self.lossy(10, trace="lossy.ctf", options=",buffer=1M")
        calm, own_ns = map(int, p.stdout.readline().split())
        for shown in lambda: self.shown("--latencies"), lambda: self.get(port, "/metrics")[1]:
            self.wait_for(lambda: self.value(shown(), "waymark_latency_broken_total", reason="lost") > 0)
            text = shown()
            self.assertIn(self.count(text, "job_end"), range(calm, calm + 11))
            self.assertLessEqual(self.seconds(text, event="job_end"), own_ns / 1e9)
            self.assertGreaterEqual(self.seconds(text, event="job_end"), calm * 5e-3)

    def test_a_shipper_shows_latencies(self):
        """Also while its server is down."""
        ship = [WAYMARK, "ship", f"--to=clickhouse://127.0.0.1:{free_port()}/waymark", "--latencies"]
        alone = subprocess.run(ship, capture_output=True, text=True, env=self.env, timeout=PATIENCE)
        if "this build cannot send" in alone.stderr:
            self.skipTest("this build has no waymark ship")
        self.assertEqual((alone.returncode, "--latencies needs --metrics" in alone.stderr), (2, True))
        port = free_port()
        p = self.start(*ship, f"--metrics={port}", f"--state={self.work / 'state'}")
        self.wait_for(lambda: self.get(port, "/metrics")[0] == 200)
        busy = self.busy(1, 1000, 500)
        self.wait_for(lambda: self.count(self.get(port, "/metrics")[1], LIFE, pid=busy.pid) == 500)
        self.assertIn("waymark_ship_rows_total", self.get(port, "/metrics")[1])
        p.terminate()
        p.wait(PATIENCE)

    def test_counts_of_processes(self):
        first = self.program(2, 150, 100, "stay")
        second = self.program(3, 200, 100, "stay", trace="second.ctf")
        for p, events in (first, 300), (second, 600):
            self.wait_for(lambda p=p, n=events: self.value(self.shown(), "waymark_events_recorded_total", pid=p.pid) >= n)
        text = self.shown()
        self.assertEqual(self.value(text, "waymark_processes"), 2)
        for p, threads, steps in (first, 2, 150), (second, 3, 200):
            self.assertEqual(self.value(text, "waymark_calls_total", pid=p.pid, program="paced"), threads * steps)
            self.assertEqual(self.value(text, "waymark_calls_total", pid=p.pid, thread=1), steps)
            self.assertEqual(self.value(text, "waymark_summed", pid=p.pid, thread=0), steps * (steps - 1) // 2)
            self.assertEqual(self.value(text, "waymark_hist_bucket", pid=p.pid, thread=0, le="+Inf"), steps)
            self.assertGreaterEqual(self.value(text, "waymark_events_recorded_total", pid=p.pid), threads * steps)
            self.assertEqual(self.value(text, "waymark_events_lost_total", pid=p.pid), 0)
        families = re.findall(r"^# TYPE (\S+)", text, re.M)
        self.assertEqual(len(families), len(set(families)))
        checked = subprocess.run(["promtool", "check", "metrics"], input=text, capture_output=True, text=True)
        self.assertEqual((checked.returncode, checked.stderr), (0, ""))

    def test_losses_and_killed_processes(self):
        lossy = self.program(4, 300000, 0, "stay", options=",buffer=1M")
        self.wait_for(lambda: self.value(self.shown(), "waymark_events_lost_total", pid=lossy.pid) > 0)
        lossy.kill()
        lossy.wait()
        text = self.shown()
        self.assertEqual((self.value(text, "waymark_processes"), self.value(text, "waymark_leftovers")), (0, 1))
        self.assertGreater(self.value(text, "waymark_leftover_bytes"), 0)

    def test_a_prometheus_scrapes_it_and_the_dashboard_asks_it(self):
        program = self.program(2, 150, 100, "stay")
        server, port = self.listen("--latencies")
        busy = self.busy(1, 1000)
        (self.work / "prometheus.yml").write_text(
            "global: {scrape_interval: 1s}\nscrape_configs:\n- job_name: waymark\n  static_configs:\n"
            f"  - targets: ['127.0.0.1:{port}']\n")
        own = free_port()
        self.start("prometheus", f"--config.file={self.work}/prometheus.yml", f"--storage.tsdb.path={self.work}/tsdb",
                   f"--web.listen-address=127.0.0.1:{own}", "--log.level=error")

        def ask(expression):
            status, text = self.get(own, "/api/v1/query?" + urllib.parse.urlencode({"query": expression}))
            return json.loads(text)["data"]["result"] if status == 200 else (status, text)

        self.wait_for(lambda: isinstance(ask("waymark_processes"), list) and ask("waymark_processes"))
        calls = ask(f'sum(waymark_calls_total{{pid="{program.pid}"}})')
        self.assertEqual(calls[0]["value"][1], "300")
        self.wait_for(lambda: ask("count_over_time(waymark_processes[1m])")[0]["value"][1] > "2")
        latency = f'waymark_latency_seconds_bucket{{pid="{busy.pid}",event="{LIFE}"}}'
        expressions = {"rate": f"sum(rate({latency.replace('_bucket', '_count')}[30s]))",
                       "median": f"histogram_quantile(0.5, rate({latency}[30s]))"}

        def answers():
            found = {name: ask(e) for name, e in expressions.items()}
            values = {name: float(f[0]["value"][1]) for name, f in found.items() if f and isinstance(f, list)}
            return values if len(values) == 2 and values["median"] > 0 else None

        self.wait_for(answers)
        # busy pauses for a millisecond after each turn, and is late on a busy machine.
        self.assertTrue(10 < answers()["rate"] < 1000 and answers()["median"] < 0.1, answers())
        panels = json.loads(pathlib.Path(DASHBOARD).read_text())["panels"]
        empty = []
        for target in (t for panel in panels for t in panel["targets"]):
            expression = target["expr"].replace("$__rate_interval", "1m").replace("$instance", ".*").replace("$program", ".*")
            found = ask(expression)
            self.assertIsInstance(found, list, f"{expression}: {found}")
            empty += [] if found else [expression]
        # There is no avg() in the rule, and no shipper.
        self.assertTrue(all("_ship_" in e or "_avg" in e for e in empty), empty)
        server.send_signal(signal.SIGTERM)
        self.assertEqual(server.wait(PATIENCE), 0)

    def test_other_requests_are_refused(self):
        _, port = self.listen()
        self.assertEqual(self.get(port, "/")[0], 404)
        self.assertEqual(self.get(port, "/metrics", method="POST")[0], 405)
        with socket.create_connection(("127.0.0.1", port)) as s:
            s.sendall(b"\0\xff nonsense\r\n\r\n" * 100)
        idle = [socket.create_connection(("127.0.0.1", port)) for _ in range(8)]
        self.assertEqual(self.get(port, "/metrics")[0], 200)
        for s in idle:
            s.close()

    def test_wrong_places(self):
        with socket.create_server(("127.0.0.1", 0)) as taken:
            for place, words in ((f"{taken.getsockname()[1]}", "cannot listen"), ("x", "is no [ADDRESS:]PORT"),
                                 ("", "is no [ADDRESS:]PORT"), ("127.0.0.1:", "is no [ADDRESS:]PORT"),
                                 ("nowhere.invalid:80", "is no [ADDRESS:]PORT"), ("70000", "is no [ADDRESS:]PORT")):
                done = subprocess.run([WAYMARK, "metrics", f"--listen={place}"], capture_output=True, text=True, timeout=PATIENCE)
                self.assertEqual((done.returncode, words in done.stderr), (1, True), f"{place}: {done.stderr}")
        done = subprocess.run([WAYMARK, "metrics", "--listen=x", "--latencies"], capture_output=True, text=True, timeout=PATIENCE)
        self.assertEqual((done.returncode, "is no [ADDRESS:]PORT" in done.stderr), (1, True))
        done = subprocess.run([WAYMARK, "metrics", "trace"], capture_output=True, text=True)
        self.assertEqual((done.returncode, "it takes no 'trace'" in done.stderr), (2, True))


if __name__ == "__main__":
    if not shutil.which("prometheus") or not shutil.which("promtool"):
        print("there is no prometheus (Debian's prometheus)")
        sys.exit(77)
    unittest.main(argv=[sys.argv[0], *sys.argv[6:]])
