#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests waymark attach with running programs: attach.py WAYMARK TICKER MONITOR COMPLETIONS [TEST...]"""

import json
import os
import pathlib
import pty
import re
import signal
import socket
import subprocess
import time

import common
from common import PATIENCE, answers

LINE = re.compile(r"^\d+\.\d{9} \d+ (\w+) n (\d+)( text a text)?$")


class Attaching(common.Case):
    """Runs waymark attach, and reads what it shows."""

    def attach(self, target, *args, stdout=None):
        """Starts waymark attach."""
        number = len(list(self.work.glob("out*")))
        out = stdout or open(self.work / f"out{number}", "w")
        err = open(self.work / f"err{number}", "w")
        p = subprocess.Popen([common.WAYMARK, "attach", str(getattr(target, "pid", target)), *args],
                             stdout=out, stderr=err, env=self.env, cwd=self.work)
        p.out, p.err = str(getattr(out, "name", "")), err.name
        for what in (err.close, out.close if not stdout else lambda: None, p.wait, p.kill):
            self.addCleanup(what)
        return p

    def text(self, p):
        """Returns the output until now; the command may print faster than this reads."""
        with open(p.out, "rb") as file:
            return file.read(os.fstat(file.fileno()).st_size).decode()

    def notes(self, p):
        return pathlib.Path(p.err).read_text()

    def events(self, p):
        """Returns the names and numbers of the printed events."""
        found = [LINE.match(l) for l in self.text(p).splitlines()]
        self.assertNotIn(None, found)
        return [(m[1], int(m[2])) for m in found]

    def wait_for_lines(self, p, count):
        self.wait_for(lambda: p.poll() is not None or self.text(p).count("\n") >= count)
        self.assertIsNone(p.poll(), self.notes(p))

    def ended(self, p, status=0):
        self.assertEqual(p.wait(PATIENCE), status, self.notes(p))
        return self.events(p)

    def assert_no_holes(self, events, name="tick"):
        numbers = [n for event, n in events if event == name]
        self.assertEqual(numbers, list(range(numbers[0], numbers[-1] + 1)))
        return numbers

    def wait_until_off(self, program, left=()):
        self.wait_for(lambda: self.on(program) == list(left))


class Attach(Attaching):
    def printed_ticks(self, program):
        """Returns the ticks in the program's trace."""
        printed = subprocess.run([common.WAYMARK, "print", "--event=tick",
                                  self.work / f"trace-{program.pid}.ctf"],
                                 env=self.env, capture_output=True, text=True, check=True).stdout
        return [int(LINE.match(l)[2]) for l in printed.splitlines()]

    def on_terminal(self, *args):
        """Starts a command whose messages go to a terminal; returns a function that reads them."""
        ours, theirs = pty.openpty()
        p = subprocess.Popen([common.WAYMARK, *map(str, args)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                             stderr=theirs, text=True, env={**self.env, "TERM": "xterm"}, cwd=self.work)
        os.close(theirs)
        os.set_blocking(ours, False)
        for what in (lambda: os.close(ours), p.stdout.close, p.wait, p.kill):
            self.addCleanup(what)
        said = []

        def read():
            try:
                said.append(os.read(ours, 1 << 16).decode())
            except OSError:  # nothing to read, or the writing end is closed
                pass
            return "".join(said)
        return p, read

    def test_says_on_a_terminal_what_it_waits_for(self):
        program = self.start(1500000, trace="control=on,file=t.ctf")
        p, said = self.on_terminal("attach", program.pid, "tick", "--count=2")
        self.wait_for(lambda: p.poll() is not None)
        self.assertEqual((p.returncode, p.stdout.read().count("\n")), (0, 2), said())
        first = "\r\x1b[Kwaymark attach: waiting for 2 events more; Ctrl-C ends"
        second = "\r\x1b[Kwaymark attach: waiting for 1 event more; Ctrl-C ends"
        self.assertIn(second + "\r\x1b[K", said())
        self.assertLess(said().find(first), said().index(second))
        self.assertTrue(said().endswith(f"\r\x1b[Kwaymark attach: the trace is kept: {self.work}/t.ctf\r\n"), said())

        for command in (["attach", program.pid, "never"], ["print", "--follow", "--new", "t.ctf"]):
            p, said = self.on_terminal(*command)
            note = f"\r\x1b[Kwaymark {command[0]}: waiting for events; Ctrl-C ends"
            self.wait_for(lambda: note in said())
            p.send_signal(signal.SIGINT)
            p.wait(PATIENCE)
            self.assertIn(note + "\r\x1b[K", said())

    def test_shows_what_matches_and_leaves_all_as_it_was(self):
        program = self.start(1000)
        p = self.attach(program, "t?ck")
        self.wait_for_lines(p, 50)
        self.assertEqual(self.on(program), ["tick", "tock"])
        p.send_signal(signal.SIGINT)
        events = self.ended(p)
        self.assertEqual({e for e, _ in events}, {"tick", "tock"})
        self.assert_no_holes(events)
        self.wait_until_off(program)
        self.assertEqual(self.notes(p), f"waymark attach: the trace is kept: "
                                        f"{self.work}/trace-{program.pid}.ctf\n")
        self.assertIsNone(program.poll())

    def test_first_events_right_before_the_end_are_shown(self):
        program = self.start(2000000, 2)
        p = self.attach(program, "t*")
        self.wait_for(lambda: len(self.on(program)) == 3)
        self.assertEqual(self.ended(p), [(name, 1) for name in ("tick", "tock", "tack_text")])
        self.assertIn("the trace is kept", self.notes(p))

    def test_shows_what_an_expression_selects(self):
        program = self.start(1000)
        p = self.attach(program, "tick", "--where=n % 10 == 3", "--count=5")
        numbers = [n for _, n in self.ended(p)]
        self.assertEqual(numbers, list(range(numbers[0], numbers[0] + 50, 10)))
        self.assertEqual(numbers[0] % 10, 3)
        p = self.attach(program, "tick", "--where=m == 3", "--seconds=0.2")
        self.assertEqual(self.ended(p, 1), [])
        self.assertIn("--where: no event has a field or value 'm'", self.notes(p))

    def test_leaves_all_as_it_was_when_it_is_killed(self):
        for number in (signal.SIGKILL, signal.SIGTERM, signal.SIGHUP):
            program = self.start(1000, trace="tock,control=on")
            p = self.attach(program, "t*")
            self.wait_for_lines(p, 10)
            self.assertEqual(self.on(program), ["tick", "tock", "tack_text"])
            p.send_signal(number)
            p.wait(PATIENCE)
            self.wait_until_off(program, ["tock"])

    def test_two_that_overlap(self):
        program = self.start(1000)
        first, second = self.attach(program, "ti*"), self.attach(program, "/^t[io]/")
        self.wait_for_lines(first, 10)
        self.wait_for_lines(second, 10)
        first.kill()
        first.wait()
        self.wait_until_off(program, ["tick", "tock"])
        lines = self.text(second).count("\n")
        self.wait_for_lines(second, lines + 20)
        second.send_signal(signal.SIGINT)
        events = self.ended(second)
        self.assert_no_holes(events)
        self.assert_no_holes(events, "tock")
        self.wait_until_off(program)

    def test_shows_only_what_comes_from_now_on(self):
        program = self.start(20, trace="*,file=t.ctf,control=on")
        self.wait_for(lambda: self.recorded(program) > 3 * 1001)
        p = self.attach(program, "tack_text", "--count=100")
        names, numbers = zip(*self.ended(p))
        self.assertEqual(names, ("tack_text",) * 100)
        self.assertGreater(numbers[0], 1000)
        self.assertEqual(self.on(program), ["tick", "tock", "tack_text", "never"])

    def test_of_a_long_trace_reads_the_end_only(self):
        program = self.start(0, trace="*,file=t.ctf,control=on,buffer=4M")
        files = lambda: sum(f.stat().st_size for f in (self.work / "t.ctf").glob("stream*"))
        self.wait_for(lambda: (self.work / "t.ctf").is_dir() and files() > 150 << 20)
        self.ctl(program, "off", "*")
        size = files()
        p = self.attach(program, "never")
        self.wait_for(lambda: self.on(program) == ["never"])
        time.sleep(0.4)
        io = pathlib.Path(f"/proc/{p.pid}/io").read_text()
        p.send_signal(signal.SIGINT)
        used = os.wait4(p.pid, 0)[2]
        p.returncode = 0
        self.assertLess(int(re.search(r"rchar: (\d+)", io)[1]), size / 50)
        if not os.environ.get("WAYMARK_SANITIZER"):
            self.assertLess(used.ru_utime + used.ru_stime, 0.3)

    def test_shows_all_of_a_program_that_is_killed(self):
        program = self.start(50)
        p = self.attach(program, "t*")
        self.wait_for_lines(p, 100)
        program.kill()
        program.wait()
        events = self.ended(p)
        self.assertIn("the traced program has ended", self.notes(p))
        self.assertEqual(self.assert_no_holes(events), self.printed_ticks(program))

    def test_takes_several_patterns(self):
        program = self.start(1000)
        p = self.attach(program, "tick", "/^to/", "--count=50")
        events = self.ended(p)
        self.assertEqual({e for e, _ in events}, {"tick", "tock"})
        self.wait_until_off(program)
        self.waymark("attach", program.pid, "tick", "x*", status=1, error="no event matches 'x*'")
        self.waymark("attach", program.pid, "tock", "tikc", status=1, error="did you mean 'tick'?")
        self.assertEqual(self.on(program), [])

    def test_waits_as_long_as_is_said(self):
        program = self.start(1000)
        self.stop(program)
        begin = time.monotonic()
        self.waymark("attach", program.pid, "tick", "--timeout=0.3", status=1, error="does not answer within 0.3 s")
        self.assertLess(time.monotonic() - begin, PATIENCE)

    def test_ends_with_the_program(self):
        program = self.start(200)
        p = self.attach(program, "tick")
        self.wait_for_lines(p, 100)
        program.stdin.close()
        self.assertEqual(program.wait(PATIENCE), 0)
        numbers = self.assert_no_holes(self.ended(p))
        self.assertEqual(numbers, self.printed_ticks(program))
        self.assertIn("the traced program has ended", self.notes(p))
        self.assertIn("the trace is kept", self.notes(p))

    def test_waits_for_a_trace_that_has_not_begun(self):
        program = self.start(1000)
        p = self.attach(program, "never", "--seconds=0.4")
        begin = time.monotonic()
        self.assertEqual(self.ended(p), [])
        self.assertLess(time.monotonic() - begin, PATIENCE)
        self.assertEqual(self.notes(p).count("\n"), 1, self.notes(p))
        self.wait_until_off(program)

    def test_a_file_that_takes_no_events_is_shown(self):
        """The writer's messages go to standard error, which is /dev/null for a daemon."""
        gone = self.work / "gone"
        gone.mkdir()
        program = self.start(1000, cwd=gone)
        gone.rmdir()
        self.ctl(program, "on", "tick")
        why = r"cannot write trace-.*.ctf: No such file or directory; events wait in memory"
        rows = lambda: map(json.loads, self.waymark("ls", "--json").splitlines())
        problem = lambda: next(row["problem"] for row in rows() if row["pid"] == program.pid)
        self.wait_for(problem)
        self.assertRegex(problem(), why)
        self.assertRegex(self.waymark("ls"), rf"(?m)^ *{program.pid} .*{why}$")
        self.assertRegex(self.ctl(program, "stats"), f"problem   {why}; 'waymark ctl {program.pid} file set'")
        self.ctl(program, "flush", status=1, error=f"'waymark ctl {program.pid} file' shows the file")
        self.ctl(program, "file", "set", self.work / "here.ctf")
        self.wait_for(lambda: not problem())
        self.assertNotIn("problem", self.ctl(program, "stats"))

    def test_a_trace_that_cannot_be_made_is_reported(self):
        gone = self.work / "gone"
        gone.mkdir()
        program = self.start(1000, cwd=gone)
        gone.rmdir()
        for seconds in ("100", "0.3"):  # the state is known by then
            p = self.attach(program, "tick", f"--seconds={seconds}")
            begin = time.monotonic()
            self.assertEqual(self.ended(p, 1), [])
            self.assertLess(time.monotonic() - begin, PATIENCE)
            self.assertIn("could not be written: No such file or directory; 'waymark ctl",
                          self.notes(p))
        self.ctl(program, "file", "set", "here.ctf")
        self.wait_for((self.work / "here.ctf").is_dir)
        p = self.attach(program, "tick", "--count=20")
        self.assertEqual(len(self.assert_no_holes(self.ended(p))), 20)
        self.ctl(program, "on", "tick")
        time.sleep(0.1)
        recorded = self.recorded(program)
        program.kill()
        program.wait()
        printed = subprocess.run([common.WAYMARK, "print", "here.ctf"], env=self.env, cwd=self.work,
                                 capture_output=True, text=True, check=True).stdout
        self.assertGreaterEqual(printed.count("\n"), recorded)

    def test_memory_that_no_other_process_sees_is_reported(self):
        gone = self.work / "gone"
        gone.mkdir()
        shm, self.env["WAYMARK_SHM"] = self.env["WAYMARK_SHM"], "/nonexistent"
        program = self.start(1000, cwd=gone)
        self.env["WAYMARK_SHM"] = shm
        gone.rmdir()
        self.ctl(program, "on", "tick")
        time.sleep(0.1)
        self.ctl(program, "file", "set", "here.ctf")
        self.wait_for((self.work / "here.ctf").is_dir)
        p = self.attach(program, "tick", "--seconds=20")
        self.ended(p, 1)
        self.assertIn("no more of it can be read, though its process runs", self.notes(p))

    def test_a_program_that_ends_before_anything_happens(self):
        for end in ("kill", "terminate"):
            program = self.start(1000)
            p = self.attach(program, "never")
            self.wait_for(lambda: self.on(program) == ["never"])
            getattr(program, end)()
            program.wait()
            self.assertIn(p.wait(PATIENCE), (0, 1))

    def test_is_not_faster_than_its_reader_and_loses_nothing(self):
        program = self.start(0, trace="control=on,full=block,file=t.ctf")
        read, write = os.pipe()
        with os.fdopen(write, "w") as out:
            p = self.attach(program, "tick", "--count=2000", stdout=out)
        lines = []
        with os.fdopen(read) as pipe:
            for line in pipe:
                lines.append(line)
                if len(lines) % 200 == 0:
                    time.sleep(0.05)
        self.assertEqual(p.wait(PATIENCE), 0, self.notes(p))
        numbers = [int(LINE.match(l)[2]) for l in lines]
        self.assertEqual(numbers, list(range(numbers[0], numbers[0] + len(numbers))))

    def test_shows_what_is_lost(self):
        program = self.start(0, trace="control=on,buffer=1M,file=t.ctf")
        p = self.attach(program, "tick")
        self.wait_for_lines(p, 100)
        if "WAYMARK_SANITIZER" not in os.environ:  # a sanitizer makes the program too slow to lose events
            self.wait_for(lambda: "\n#" in self.text(p))
        p.send_signal(signal.SIGINT)
        self.assertEqual(p.wait(PATIENCE), 0, self.notes(p))
        lines = self.text(p).splitlines()
        gaps = [int(n) for l in lines if l[0] == "#" for n in re.findall(r"(\d+) event", l)]
        numbers = [int(LINE.match(l)[2]) for l in lines if l[0] != "#"]
        if "WAYMARK_SANITIZER" not in os.environ:
            self.assertGreater(sum(gaps), 0)
        self.assertEqual(numbers, sorted(numbers))
        self.assertGreaterEqual(numbers[-1] - numbers[0] + 1, len(numbers))

    def test_ends_when_it_has_no_reader(self):
        program = self.start(1000)
        read, write = os.pipe()
        with os.fdopen(write, "w") as out:
            p = self.attach(program, "never", stdout=out)
        self.wait_for(lambda: self.on(program) == ["never"])
        os.close(read)
        self.ctl(program, "on", "tick")  # the trace begins
        self.assertEqual(p.wait(PATIENCE), 0, self.notes(p))
        self.wait_until_off(program, ["tick"])

    def test_objects_a_line(self):
        program = self.start(1000)
        p = self.attach(program, "tack_text", "--json", "--count=3")
        self.assertEqual(p.wait(PATIENCE), 0)
        for event in map(json.loads, self.text(p).splitlines()):
            self.assertEqual((event["event"], event["args"]["text"]), ("tack_text", "a text"))

    def test_goes_on_in_another_trace(self):
        program = self.start(1000, trace="control=on,file=one.ctf")
        p = self.attach(program, "tick")
        self.wait_for_lines(p, 20)
        self.ctl(program, "file", "set", "two.ctf")
        self.wait_for((self.work / "two.ctf").is_dir)
        lines = self.text(p).count("\n")
        self.wait_for_lines(p, lines + 50)
        p.send_signal(signal.SIGINT)
        self.assert_no_holes(self.ended(p))

    def test_what_cannot_be_attached_to(self):
        program = self.start(1000)
        for words, error in ((["bad"], "bad"), (["x*"], "x*"), (["/(/"], "regular expression")):
            self.waymark("attach", program.pid, *words, status=1, error=error)
        self.ctl(program, "file", "off")
        self.waymark("attach", program.pid, "tick", status=1, error="its trace is off")
        self.assertEqual(self.on(program), [])

    def test_a_monitor_that_lets_go(self):
        program = self.start(1000, trace="tick,file=t.ctf,control=on")
        self.wait_for((self.work / "t.ctf").is_dir)

        def let_go(connection, _):
            common.say(connection, {"return": {"events": ["tick"], "path": f"{self.work}/t.ctf",
                                               "begun": True}})
            self.wait_for(lambda: (self.work / "out0").read_text().count("\n") > 10)
            connection.shutdown(socket.SHUT_RDWR)
        path = self.fake(answers({
            "trace-file": {"path": f"{self.work}/t.ctf", "begun": True, "on": True, "backend": "ctf"},
            "trace-event-get-state": [{"name": "tick", "state": "enabled"}],
            "trace-attach": let_go}), "s.sock")
        p = self.attach(path, "tick")
        self.assertGreater(len(self.ended(p, status=1)), 10)
        self.assertIn("closed the connection", self.notes(p))


if __name__ == "__main__":
    common.main()
