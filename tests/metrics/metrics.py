#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests waymark metrics with a Prometheus that scrapes it: metrics.py WAYMARK PACED DASHBOARD [TEST...]"""

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

WAYMARK, PACED, DASHBOARD = (os.path.abspath(a) for a in sys.argv[1:4])
PATIENCE = 60
RULE = "enable=aggregate step count,, sum(step),, hist(step),, quantile(step) by thread"


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


class Metrics(unittest.TestCase):
    def setUp(self):
        self.work = pathlib.Path(tempfile.mkdtemp(prefix="waymark-test-"))
        self.addCleanup(shutil.rmtree, self.work)
        self.shm = make_memory()
        self.addCleanup(shutil.rmtree, self.shm)
        self.env = {**os.environ, "WAYMARK_SHM": str(self.shm)}

    def start(self, *command, env=None):
        p = subprocess.Popen([*map(str, command)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                             env={**self.env, **(env or {})})
        for cleanup in (p.stdout.close, p.stderr.close, p.wait, p.kill):
            self.addCleanup(cleanup)
        return p

    def program(self, *args, trace="t.ctf", options=f",{RULE}"):
        p = self.start(PACED, *args, env={"WAYMARK_TRACE": f"step,file={self.work / trace}{options}"})
        self.assertIn("recorded", p.stdout.readline())
        return p

    def listen(self):
        port = free_port()
        p = self.start(WAYMARK, "metrics", f"--listen={port}")
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

    def shown(self):
        done = subprocess.run([WAYMARK, "metrics"], capture_output=True, text=True, env=self.env, timeout=PATIENCE)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout

    def value(self, text, name, **labels):
        """The sum of a metric's lines that have the labels."""
        values = [int(m[2]) for m in re.finditer(rf"^{name}(?:{{(.*)}})? (\d+)$", text, re.M)
                  if all(f'{k}="{v}"' in (m[1] or "") for k, v in labels.items())]
        self.assertTrue(values, f"{name} {labels}: {text}")
        return sum(values)

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
        server, port = self.listen()
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
        done = subprocess.run([WAYMARK, "metrics", "trace"], capture_output=True, text=True)
        self.assertEqual((done.returncode, "it takes no 'trace'" in done.stderr), (2, True))


if __name__ == "__main__":
    if not shutil.which("prometheus") or not shutil.which("promtool"):
        print("there is no prometheus (Debian's prometheus)")
        sys.exit(77)
    unittest.main(argv=[sys.argv[0], *sys.argv[4:]])
