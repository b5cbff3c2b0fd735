#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests programs run under waymark record: record.py WAYMARK PROGRAM STATIC_PROGRAM BLOCKCACHE LOGGED"""

import contextlib
import os
import pathlib
import pty
import re
import select
import shutil
import signal
import subprocess
import sys
import time
import unittest

from recorded import ALONE, BLOCKCACHE, FORKS, LOGGED, NOBODY, PATIENCE, PROGRAM, Recorded, WAYMARK


class Record(Recorded):
    # Recorded events, and the trace's name.

    def test_all_events_go_to_a_trace_with_the_programs_number(self):
        out, said = self.record(PROGRAM, "10")
        name = self.check_pid_name(said, 11)
        self.assertEqual(out, "")
        self.assertEqual(len(self.events(name)), 11)

    def test_nothing_goes_to_the_log_of_a_program_that_has_one(self):
        self.assertEqual(self.record("-o", "t", PROGRAM, "3")[1].count("\n"), 1)

    def test_patterns_choose_the_last_one_counts(self):
        for patterns, events in ((["-e", "tick"], 5), (["-e", "t*", "-e", "-tick"], 1),
                                 (["-e-tick"], 1), (["--enable=toc?", "-e", "tick"], 6)):
            said = self.record(*patterns, "-o", "t", "--replace", "--", PROGRAM, "5")[1]
            self.assertRegex(said, rf"^waymark record: t: {events} events?, 0 lost, 1 process\n$")

    def test_the_example(self):
        (self.work / "data").write_bytes(bytes(1 << 20))
        out, said = self.record("-e", "cache_*", "-o", "my.ctf", "--", BLOCKCACHE, "data")
        events = int(re.fullmatch(r"waymark record: my.ctf: (\d+) events, 0 lost, 1 process\n",
                                  said)[1])
        self.assertGreater(events, 100)
        self.assertIn("worker_start 4", out)
        self.assertEqual(len(self.babeltrace("my.ctf")), events)

    def test_names_with_separators_in_them(self):
        said = self.record("-o", "a,b;c d", "-e", "tick,;", "-e", "tick", PROGRAM, "4")[1]
        self.assertIn("waymark record: a,b;c d: 4 events", said)
        self.assertIn("'tick,;'", said)
        self.assertEqual(self.names(), ["a,b;c d"])

    def test_options_are_handed_on(self):
        said = self.record("--option", "buffer=1M", "--option=full=overwrite", "-o", "t",
                           PROGRAM, "200000")[1]
        self.assertRegex(said, r"t: \d+ events, 0 lost, \d+ overwritten, 1 process\n$")
        said = self.record("--option", "buffer=1X", "-o", "u", PROGRAM, "2")[1]
        self.assertIn("buffer=", said)
        self.assertIn("recorded nothing, u was not made", said)

    def test_what_was_rotated_away_is_called_so(self):
        said = self.record("--option=rotate=1M", "--option=keep=2", "-o", "t", PROGRAM, "400000")[1]
        self.assertRegex(said, r"t: \d+ events, 0 lost, \d+ packets rotated away, 1 process\n$")

    def test_the_variable_that_is_there_counts_too(self):
        for before in ("tock,backend=ctf,file=other", "tock,backend=ctf;", "tock\n", "-x;;;"):
            self.environment["WAYMARK_TRACE"] = before
            said = self.record("-e", "tick", "-o", "t", "--replace", PROGRAM, "4")[1]
            self.assertIn(f"waymark record: t: {4 if 'x' in before else 5} events", said)
            self.assertEqual(self.names(), ["t"])

    # The program's ends.

    def test_the_status_is_the_programs(self):
        self.record(PROGRAM, "1", "exit=3", status=3)
        self.record(PROGRAM, "exit=255", status=255)

    def test_a_killed_program_loses_nothing(self):
        for sig in (signal.SIGKILL, signal.SIGTERM, signal.SIGSEGV, signal.SIGINT):
            said = self.record("-o", "t", "--replace", PROGRAM, "1000", f"kill={int(sig)}",
                               status=128 + sig)[1]
            self.assertEqual(said, "waymark record: t: 1001 events, 0 lost, 1 process\n")
            self.assertEqual(len(self.babeltrace("t")), 1001)

    def test_what_cannot_be_run(self):
        (self.work / "plain").write_text("text")
        (self.work / "bad").write_text("#!/nowhere/sh\n")
        (self.work / "bad").chmod(0o755)
        for program, status, why in (
                ("no-such-program", 127, "No such file or directory"),
                ("./no/such", 127, "No such file or directory"),
                ("./plain", 126, "Permission denied"),
                ("/", 126, "Permission denied"),
                ("./bad", 127, "No such file or directory")):
            said = self.record("-o", "t", program, status=status)[1]
            self.assertEqual(said, f"waymark record: cannot run {program}: {why}\n")
        self.assertEqual(self.names(), ["bad", "plain"])

    # Errors before the program starts.

    def test_what_is_there_is_not_touched(self):
        (self.work / "t").mkdir()
        (self.work / "file").write_text("mine")
        for name in ("t", "t/", "file"):
            out, said = self.record("-o", name, PROGRAM, "count", status=125)
            self.assertEqual(out, "")
            self.assertIn(f"{name}: exists already; remove it, or give --replace", said)

    def test_only_traces_are_replaced(self):
        (self.work / "file").write_text("mine")
        (self.work / "t").mkdir()
        (self.work / "t" / "mine").write_text("mine")
        (self.work / "link").symlink_to("t")
        self.assertIn("remove it yourself", self.record(
            "-o", "file", "--replace", PROGRAM, "1", status=125)[1])
        self.assertIn("is a directory with more than a trace in it", self.record(
            "-o", "t", "--replace", PROGRAM, "1", status=125)[1])
        self.record("-o", "link", "--replace", PROGRAM, "1", status=125)
        self.assertEqual((self.work / "t" / "mine").read_text(), "mine")
        self.record("-o", "u", PROGRAM, "1")
        self.assertIn("2 events", self.record("-o", "u", "--replace", PROGRAM, "1")[1])

    def test_a_folder_that_takes_no_trace(self):
        self.assertIn("cannot make the trace in", self.record(
            "-o", "no/such/t", PROGRAM, "count", status=125)[1])
        if os.geteuid() != 0:
            self.skipTest("needs root to run as another user")
        self.work.chmod(0o755)
        said = self.record("/bin/true", status=125, user=NOBODY, group=NOBODY)[1]
        self.assertIn("Permission denied; -o names another place", said)

    def test_command_lines_that_make_no_sense(self):
        for args, why in (([], "the program is missing"), (["-o", "t"], "the program is missing"),
                          (["--replace", "true"], "--replace needs -o"),
                          (["-o", "", "true"], "the name is empty"),
                          (["-e", "", "true"], "a pattern is empty"),
                          (["-e", "a\nb", "true"], "has a newline"),
                          (["--option", "file=x", "true"], "name with -o"),
                          (["--option", "x", "true"], "KEY=VALUE"),
                          (["--option=ful=overwrite", "true"], "no key 'ful'; did you mean 'full'?"),
                          (["--option=something=1", "true"], "no key 'something'; see waymark-trace(7)"),
                          (["-e", "/(/", "true"], "regular expression '/(/': Unmatched ( or"),
                          (["-e", "-/a[/", "true"], "regular expression '/a[/': "),
                          (["-e", "//", "true"], "'//': it is empty"),
                          (["-e", "/a", "true"], "'/a': the second slash is missing"),
                          (["-e", "-", "true"], "a pattern is empty"),
                          (["--option=backend=log", "true"], "which write a trace"),
                          (["--option=jail=4", "true"], "jail=COUNT' itself, and then 'waymark drain"),
                          (["--nope", "true"], "--nope")):
            self.assertIn(why, self.record(*args, status=125)[1])
        self.assertEqual(self.names(), [])

    # Several processes.

    @FORKS
    def test_children_have_traces_beside_it(self):
        said = self.record("-o", "t", PROGRAM, "3", "fork", "4")[1]
        child = re.fullmatch(
            r"waymark record: t: 14 events, 0 lost, 2 processes; also (t\.\d+)\n", said)[1]
        self.assertEqual(self.names(), ["t", child])
        self.assertEqual(len(self.events("t")), 9)

    def test_a_script_that_runs_programs(self):
        script = self.work / "script"
        script.write_text(f"#!/bin/sh\nmkdir d; cd d\n{PROGRAM} 2\n{PROGRAM} 3\n"
                          f"{PROGRAM} 4 kill=9\nexit 7\n")
        script.chmod(0o755)
        said = self.record("./script", status=7)[1].splitlines()[-1]
        self.assertRegex(said, r"^waymark record: script-\d+.ctf: 12 events, 0 lost, 3 processes; "
                               r"also script-\d+\.ctf\.\d+, script-\d+\.ctf\.\d+$")
        traces = [n for n in self.names() if ".ctf" in n]
        self.assertEqual(len(traces), 3)
        self.assertEqual(sum(len(self.babeltrace(t)) for t in traces), 12)

    def test_a_hundred_processes_are_one_line(self):
        said = self.record("-o", "t", "sh", "-c",
                           f"for i in $(seq 20); do {PROGRAM} 1; done")[1].splitlines()[-1]
        self.assertRegex(said, "t: 40 events, 0 lost, 20 processes; also .* and 11 more beside")

    # Programs that record nothing.

    def test_why_there_is_nothing(self):
        script = self.work / "script"
        script.write_text("#!/bin/sh\nexit 4\n")
        script.chmod(0o755)
        for args, status, why in (
                (["/bin/true"], 0, "it is not linked with Waymark, and"),
                (["./script"], 4, "it is a script, and none of the programs"),
                ([LOGGED], 0, "its events are built without the backend ctf: make WAYMARK_BACKENDS=ctf"),
                (["-e", "nope*", PROGRAM, "3"], 0, "no pattern matches its events, none"),
                (["--option=full=blok", PROGRAM, "3"], 0, "no pattern matches its events, none "
                 "of them happened, or it refused an option, as reported above"),
                ([PROGRAM], 0, "no pattern matches its events, none")):
            said = self.record("-o", "t", *args, status=status)[1]
            self.assertIn(f"recorded nothing, t was not made: {why}", said)
            if LOGGED in args:  # the program prints one line that names all ineffective options
                self.assertEqual([line.split(": ")[2] for line in said.splitlines()[:-1]],
                                 ["backend=, ctf.file="], said)
        self.assertIn("no such trace event so far: 'nope*'", self.record(
            "-e", "nope*", PROGRAM, "3")[1])

    def test_set_uid_programs_are_not_asked(self):
        if os.geteuid() != 0:
            self.skipTest("needs root to make a set-uid program")
        program = shutil.copy(ALONE, self.work / "program")
        self.work.chmod(0o777)
        self.assertIn("t: 4 events", self.record("-o", "t", "./program", "3", user=NOBODY,
                                                 group=NOBODY)[1])
        os.chmod(program, 0o4755)
        if os.statvfs(program).f_flag & os.ST_NOSUID:
            self.skipTest(f"{self.work} lies on a file system mounted nosuid")
        said = self.record("-o", "u", "./program", "3", user=NOBODY, group=NOBODY)[1]
        self.assertIn("it is set-uid, set-gid or has capabilities", said)

    # The program's streams, signals and environment.

    def test_standard_streams_are_the_programs(self):
        out, said = self.record("-o", "t", PROGRAM, "1", "copy", text="line\n" * 1000)
        self.assertEqual(out, "line\n" * 1000)
        self.assertIn("t: 2 events", said)

    def test_memory_that_cannot_be_looked_at_is_an_error(self):
        self.environment["WAYMARK_SHM"] = str(self.work / "none")
        out, said = self.record("-o", "t", PROGRAM, "count", status=125)
        self.assertEqual(out, "")
        self.assertIn("cannot open WAYMARK_SHM=", said)

    def test_a_thousand_arguments(self):
        out, said = self.record("-o", "t", PROGRAM, "count", *["-x"] * 998, "1")
        self.assertEqual(out, "1000\n")
        self.assertIn("t: 2 events", said)

    def test_descriptors_are_handed_on_and_no_others(self):
        read, write = os.pipe()
        out, _ = self.record("-o", "t", PROGRAM, "descriptors", pass_fds=(read, write))
        self.assertEqual(out.split(), sorted(["0", "1", "2", str(read), str(write)], key=int))
        os.close(read)
        os.close(write)

    # Signals and the terminal.

    def test_signals_for_us_are_the_programs(self):
        for sig in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGTERM, signal.SIGUSR1):
            run = self.start("-o", "t", "--replace", PROGRAM, "3", "catch", "wait", "exit=5")
            self.assertEqual(run.stdout.readline(), "ready\n")
            run.send_signal(sig)
            status, out, said = self.finish(run)
            self.assertEqual((status, out), (5, f"got {int(sig)}\n"))
            self.assertEqual(said, "waymark record: t: 4 events, 0 lost, 1 process\n")

    def on_terminal(self, *args, program=WAYMARK, first="record"):
        """Starts a program in a new session; returns its pid and our end of the terminal."""
        pid, fd = pty.fork()
        if pid == 0:
            os.chdir(self.work)
            os.execvpe(program, [program, first, *args], self.environment)
        return pid, fd

    def test_a_shell_stops_it_and_goes_on_with_it(self):
        self.environment["PS1"] = ""
        pid, fd = self.on_terminal("--noprofile", "-i", program="bash", first="--norc")
        os.write(fd, f"{WAYMARK} record -o t {PROGRAM} 3 catch wait exit=6\n".encode())
        self.read_until(fd, b"ready")
        os.write(fd, b"\x1a")
        self.read_until(fd, b"Stopped")
        os.write(fd, b"fg\n")
        self.read_until(fd, b"record -o t")
        program = self.child_of(self.child_of(pid))
        self.wait_for(lambda: self.state(program) != "T") # bash gives it the terminal before
        os.write(fd, b"\x03")
        self.assertIn(b"got 2", self.read_until(fd, b"t: 4 events, 0 lost, 1 process\r\n"))
        os.write(fd, b"exit $?\n")
        self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), 6)
        os.close(fd)

    def read_until(self, fd, wanted):
        text = b""
        while wanted not in text:
            came = select.select([fd], [], [], PATIENCE)[0]
            with contextlib.suppress(OSError):
                more = os.read(fd, 1000) if came else b""
                text += more
            if not came or not more:
                self.fail(f"{wanted} did not come: {text}")
        return text

    def test_the_terminals_interrupt_reaches_the_program_once(self):
        pid, fd = self.on_terminal("-o", "t", PROGRAM, "3", "catch", "wait", "wait", "exit=6")
        self.read_until(fd, b"ready")
        os.write(fd, b"\x03")
        self.read_until(fd, b"got 2\r\nready")
        os.write(fd, b"\x1c")
        said = self.read_until(fd, b"process\r\n")
        self.assertIn(b"got 3", said)
        self.assertIn(b"t: 4 events", said)
        self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), 6)
        os.close(fd)

    def state(self, pid):
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]

    def test_it_stops_and_goes_on_with_the_program(self):
        run = self.start("-o", "t", PROGRAM, "3", "catch", "wait", process_group=0) \
            if sys.version_info >= (3, 11) else \
            self.start("-o", "t", PROGRAM, "3", "catch", "wait", preexec_fn=os.setpgrp)
        self.assertEqual(run.stdout.readline(), "ready\n")
        child = self.child_of(run.pid)
        run.send_signal(signal.SIGTSTP)
        self.wait_for(lambda: self.state(child) == "T" and self.state(run.pid) == "T")
        run.send_signal(signal.SIGCONT)
        self.wait_for(lambda: self.state(child) in "SR" and self.state(run.pid) in "SR")
        run.send_signal(signal.SIGTERM)
        self.assertEqual(self.finish(run)[1], "got 15\n")

    def test_it_does_not_stop_where_a_debugger_stops_the_program(self):
        run = self.start("-o", "t", PROGRAM, "3", "catch", "wait")
        self.assertEqual(run.stdout.readline(), "ready\n")
        child = self.child_of(run.pid)
        os.kill(child, signal.SIGSTOP)
        self.wait_for(lambda: self.state(child) == "T")
        time.sleep(0.1)
        self.assertIn(self.state(run.pid), "SR")
        os.kill(child, signal.SIGCONT)
        os.kill(child, signal.SIGTERM)
        self.assertIn("t: 4 events", self.finish(run)[2])

    def test_what_could_not_be_written_is_reported(self):
        """Neither the disk nor memory that outlives the process has the events."""
        said = self.record("-o", "t", "sh", "-c", f"ulimit -f 100; exec {PROGRAM} 200000")[1]
        self.assertIn("waymark record: t: its process did not end it, and its memory is not here: "
                      "the last events are missing", said)
        self.assertIn("\nwaymark record: t: 0 events, ", said)

    def test_a_process_that_still_records_is_reported(self):
        said = self.record("-o", "t", "sh", "-c",
                           f"{PROGRAM} 3 catch wait >out 2>&1 & echo $!; "
                           "until grep -q ready out; do sleep 0.1; done")
        pid = int(said[0])
        self.assertIn(f"waymark record: t: is still being recorded by process {pid}", said[1])
        self.assertIn("waymark record: t: 4 events, 0 lost, 1 process", said[1])
        os.kill(pid, signal.SIGTERM)
        recovered = lambda: subprocess.run([WAYMARK, "recover", self.work / "t"],
                                           capture_output=True).returncode == 0
        self.wait_for(recovered)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
