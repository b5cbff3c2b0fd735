#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""waymark recover on what killed processes leave: recover.py WAYMARK WRITE_TRACE KILLER"""

import contextlib
import fcntl
import os
import pathlib
import pwd
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
import uuid

import left

WAYMARK, WRITE_TRACE, KILLER = (os.path.abspath(a) for a in sys.argv[1:4])
NAME = "waymark-" + left.UUID.hex()


def contents(folder):
    return {str(f.relative_to(folder)): f.read_bytes()
            for f in sorted(folder.rglob("*")) if f.is_file()}


class Recover(unittest.TestCase):
    def setUp(self):
        self.work = pathlib.Path(tempfile.mkdtemp(dir="/dev/shm" if os.path.isdir("/dev/shm")
                                                  else None, prefix="waymark-test-"))
        self.addCleanup(shutil.rmtree, self.work)
        self.shm = self.work / "shm"
        self.shm.mkdir()

    def run_recover(self, *args, status=0, env=None):
        return self.waymark("recover", *args, status=status, env=env)

    def waymark(self, *args, status=0, env=None):
        done = subprocess.run([WAYMARK, *map(str, args)], capture_output=True, text=True,
                              env={**os.environ, "WAYMARK_SHM": str(self.shm), **(env or {})})
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done.stdout + done.stderr

    def make(self, name="trace", in_trace=False):
        """Stream 1 half written, stream 2 not at all, stream 3 with losses only."""
        trace = left.make_trace(WRITE_TRACE, self.work / name, {
            "stream-1": [left.written(1, 1, 5), left.written(1, 2, 300)]})
        path = trace / ".arena" if in_trace else self.shm / NAME
        left.make_arena(path, trace, {
            0: left.packet(1, 4, 7, lost=5),
            1: left.packet(1, 2, 300, end=left.end_of(2, 300)),
            2: left.packet(1, 3, 1000, end=left.end_of(3, 1000)),
            5: left.packet(2, 1, 0),
            6: left.packet(1, 1, 5, end=left.end_of(1, 5)),
        }, lost={1: 9, 3: 4})
        return trace

    def read(self, trace):
        """What babeltrace2 says; nothing but discarded events may trouble it."""
        if not shutil.which("babeltrace2"):
            self.skipTest("babeltrace2 is not installed")
        done = subprocess.run(["babeltrace2", trace], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        troubles = [line for line in done.stderr.splitlines()
                    if line and "discarded" not in line]
        self.assertEqual(troubles, [])
        return done.stdout.replace("\\slash\n:", "\\slash:").splitlines()  # the process's name

    def sequences(self, trace, name):
        return [f[8] for f, _ in left.read_packets((trace / name).read_bytes())]

    def test_every_packet_is_there_once_and_unchanged(self):
        trace = self.make()
        said = self.run_recover(trace)
        self.assertEqual(said, f"{trace}: 3 streams, 1007 events recovered, 13 lost\n")
        self.assertEqual(self.sequences(trace, "stream-1"), [1, 2, 3, 4, 5])
        self.assertEqual(self.sequences(trace, "stream-2"), [1])
        self.assertEqual(self.sequences(trace, "stream-3"), [1])
        packets = list(left.read_packets((trace / "stream-1").read_bytes()))
        for sequence, events in enumerate((5, 300, 1000, 7), 1):
            self.assertEqual(packets[sequence - 1][1], left.packet(1, sequence, events)[left.BYTES:])
        self.assertEqual(packets[3][0][5], left.end_of(4, 7) - 1)
        self.assertEqual([f[9] for f, _ in packets], [0, 0, 0, 5, 9])
        self.assertEqual(len(self.read(trace)), 1312)
        self.assertEqual(list(self.shm.iterdir()), [])

    def test_an_arena_in_the_trace_is_found(self):
        trace = self.make(in_trace=True)
        self.assertIn("1007 events recovered", self.run_recover(trace))
        self.assertFalse((trace / ".arena").exists())

    def test_a_second_run_has_nothing_to_do(self):
        trace = self.make()
        self.run_recover(trace)
        before = contents(trace)
        self.assertEqual(self.run_recover(trace), f"{trace}: nothing to do\n")
        self.assertEqual(contents(trace), before)

    def test_the_clock_follows_from_both_readings(self):
        trace = self.make()
        before = (trace / "metadata").read_text()
        self.run_recover(trace)
        text = (trace / "metadata").read_text()
        self.assertEqual(len(text), len(before))
        self.assertRegex(text, r"\n\tfreq = +1000000000;\n")
        self.assertRegex(text, r"\n\toffset_s = +1700000000;\n")
        self.assertRegex(text, r"\n\toffset = +0;\n")
        self.assertRegex(text, r"\n\tclock_end_ticks = +100000000000;\n")

    def test_times_stay_what_they_were(self):
        """The trace and its arena have each a first reading of its own."""
        trace = self.make()
        metadata = trace / "metadata"
        text = metadata.read_text()
        for name, value in (("ticks", 1000), ("monotonic", 5 * left.SECOND + 900),
                            ("realtime", 1_700_000_000 * left.SECOND + 4321)):
            text = re.sub(rf"(clock_begin_{name} =) +\d+;", rf"\1 {value:20};", text)
        metadata.write_text(text)
        events = lambda: re.findall("^[0-9].*", self.waymark("print", trace), re.M)
        before = events()
        self.assertEqual(len(before), 1312)
        self.run_recover(trace)
        self.assertTrue(events() == before, "times have changed")

    def test_a_torn_declaration_goes(self):
        trace = self.make()
        metadata = trace / "metadata"
        whole = metadata.read_bytes()
        for torn in (b"/* trace-events x:1: more(int a", b"\0" * 500,
                     b'/* trace-events x:1: m(void) "" */\nevent { id = 9; name = "m"; str'):
            metadata.write_bytes(whole + torn)
            self.run_recover(trace)
            self.assertEqual(len(metadata.read_bytes()), len(whole))
        self.read(trace)

    def test_a_file_cut_anywhere_is_repaired_without_an_arena(self):
        whole = left.written(1, 1, 5) + left.written(1, 2, 300)
        for size in list(range(0, len(whole), 501)) + [4096, 4097, 4096 + 87, 4096 + 88]:
            with self.subTest(size=size):
                trace = left.make_trace(WRITE_TRACE, self.work / f"cut-{size}", {
                    "stream-1": [whole[:size]]})
                is_between = size in (0, len(left.written(1, 1, 5)))
                is_padding = len(left.packet(1, 1, 5)) <= size < 4096 or \
                    size - 4096 >= len(left.packet(1, 2, 300))
                said = self.run_recover(trace, status=0 if is_between or is_padding else 1)
                self.assertEqual("1 packet missing" in said, not is_between and not is_padding)
                self.assertTrue(not is_padding or "cut" not in said.split(f"cut-{size}:")[1], said)
                lines = self.read(trace)
                self.assertGreaterEqual(len(lines), 5 if size >= 4096 else 0)
                self.assertEqual(self.run_recover(trace), f"{trace}: nothing to do\n")

    def test_zeros_at_the_end_go(self):
        trace = left.make_trace(WRITE_TRACE, self.work / "zeros", {
            "stream-1": [left.written(1, 1, 5), bytes(8192)]})
        self.assertIn("8192 bytes cut", self.run_recover(trace))
        self.assertEqual(len(self.read(trace)), 5)

    def test_damage_before_whole_packets_is_left_alone(self):
        trace = left.make_trace(WRITE_TRACE, self.work / "damage", {
            "stream-1": [left.written(1, 1, 5), bytes(4096), left.written(1, 3, 5)]})
        before = contents(trace)
        self.assertIn("stream-1: is damaged before packets that are whole, at byte 4096",
                      self.run_recover(trace, status=1))
        self.assertEqual(contents(trace), before)

    def test_the_streams_of_another_trace_are_left_alone(self):
        trace = left.make_trace(WRITE_TRACE, self.work / "other", {
            "stream-1": [left.written(1, 1, 5), left.written(1, 2, 5)]})
        metadata = trace / "metadata"
        own = str(uuid.UUID(bytes=left.UUID))
        self.assertIn(own, metadata.read_text())
        metadata.write_text(metadata.read_text().replace(own, own[:-4] + "beef"))
        before = contents(trace)
        self.assertIn("stream-1: is damaged, or of another trace: nothing is cut, at byte 0",
                      self.run_recover(trace, status=1))
        self.assertEqual(contents(trace), before)

    def test_a_damaged_last_header_is_left_alone(self):
        last = bytearray(left.written(1, 2, 5))
        last[0] ^= 0xff
        trace = left.make_trace(WRITE_TRACE, self.work / "last", {
            "stream-1": [left.written(1, 1, 5), bytes(last)]})
        before = contents(trace)
        self.assertIn("nothing is cut, at byte 4096", self.run_recover(trace, status=1))
        self.assertEqual(contents(trace), before)

    def test_the_arena_has_the_fuller_packet(self):
        trace = self.make()
        data = (trace / "stream-1").read_bytes()
        (trace / "stream-1").write_bytes(data[:4096 + 3000])
        self.assertIn("1307 events recovered", self.run_recover(trace))
        self.assertEqual(len(self.read(trace)), 1312)

    def test_pieces_of_a_rotated_trace_go_on_in_the_last(self):
        trace = left.make_trace(WRITE_TRACE, self.work / "rotated", {
            "stream-1-2": [left.written(1, 4, 5)], "stream-1-10": [left.written(1, 5, 5)]})
        left.make_arena(self.shm / NAME, trace, {
            0: left.packet(1, 3, 5), 1: left.packet(1, 5, 5), 2: left.packet(1, 6, 3),
            3: left.packet(2, 1, 2)})
        self.assertIn("2 streams, 5 events recovered", self.run_recover(trace))
        self.assertEqual(self.sequences(trace, "stream-1-2"), [4])
        self.assertEqual(self.sequences(trace, "stream-1-10"), [5, 6])
        self.assertEqual(self.sequences(trace, "stream-2-10"), [1])

    def test_a_living_process_keeps_its_arena(self):
        trace = self.make()
        before = contents(trace)
        with open(self.shm / NAME, "rb") as arena:
            fcntl.flock(arena, fcntl.LOCK_SH)
            said = self.run_recover(trace, status=1)
            self.assertIn(f"{trace}: is still being recorded by process 4242", said)
            self.assertEqual(contents(trace), before)
            self.assertEqual(self.listed()[2:7], ["USER", "4242", "alive", "there", "back\\slash\\n"])
            self.run_recover("--discard", trace, status=1)
            self.run_recover("--all")
            self.run_recover("--discard-gone")
        self.assertEqual(contents(trace), before)
        self.assertEqual(self.listed()[4], "dead")

    def listed(self, *args):
        """The one line of the list, with the caller's name as USER."""
        header, *lines = self.run_recover(*(args or ["--list"])).splitlines()
        self.assertEqual(header.split("\t"), ["SIZE", "AGE", "USER", "PID", "PROCESS", "TRACE",
                                              "COMMAND", "ARENA", "DIRECTORY"])
        self.assertEqual(len(lines), 1)
        fields = lines[0].split("\t")
        self.assertEqual(fields[2], pwd.getpwuid(os.getuid()).pw_name)
        return fields[:2] + ["USER"] + fields[3:]

    def test_without_a_word_it_only_lists(self):
        trace = self.make()
        before = contents(self.work)
        fields = self.listed("--list")
        self.assertEqual(fields[7:], [str(self.shm / NAME), str(trace)])
        self.assertRegex(fields[0], r"^\d+[KM]$")
        now = time.time() - 1_700_000_100
        self.assertIn(int(fields[1][:-1]), (int(now / 86400), int(now / 86400) + 1))
        self.assertEqual(self.run_recover(), self.run_recover("--list"))
        self.assertEqual(contents(self.work), before)

    def test_two_at_once_come_to_one_end(self):
        wanted = self.reference()
        for i in range(5):
            trace = self.make(f"two-{i}")
            env = {**os.environ, "WAYMARK_SHM": str(self.shm)}
            runs = [subprocess.Popen([WAYMARK, "recover", trace], env=env, text=True,
                                     stdout=subprocess.PIPE) for _ in range(2)]
            said = sorted(r.communicate()[0] for r in runs)
            self.assertEqual([r.returncode for r in runs], [0, 0])
            self.assertIn("1007 events recovered", said[0])
            self.assertIn("nothing to do", said[1])
            self.assertEqual(contents(trace), wanted)

    def test_it_waits_for_another_that_works_on_the_trace(self):
        trace = self.make()
        before = contents(trace)
        directory = os.open(trace, os.O_RDONLY)
        self.addCleanup(os.close, directory)
        fcntl.flock(directory, fcntl.LOCK_EX)
        run = subprocess.Popen([WAYMARK, "recover", trace], text=True, stdout=subprocess.PIPE,
                               env={**os.environ, "WAYMARK_SHM": str(self.shm)})
        with self.assertRaises(subprocess.TimeoutExpired):
            run.wait(0.3)
        self.assertEqual(contents(trace), before)
        fcntl.flock(directory, fcntl.LOCK_UN)
        self.assertIn("1007 events recovered", run.communicate(timeout=60)[0])

    def reference(self):
        trace = self.make("reference")
        self.run_recover(trace)
        return contents(trace)

    def test_killed_at_any_call_it_goes_on_the_next_time(self):
        wanted = self.reference()
        for call in range(1, 200):
            trace = self.make("killed")
            done = subprocess.run(
                [WAYMARK, "recover", trace], capture_output=True,
                env={**os.environ, "WAYMARK_SHM": str(self.shm), "LD_PRELOAD": KILLER,
                     "KILL_AT": str(call)})
            if done.returncode == 0:
                break
            self.assertEqual(done.returncode, -signal.SIGKILL)
            self.run_recover(trace)
            self.assertEqual(contents(trace), wanted, f"killed at call {call}")
            self.assertEqual(list(self.shm.iterdir()), [])
            shutil.rmtree(trace)
        self.assertGreater(call, 15)

    def test_a_full_disk_leaves_the_arena(self):
        wanted = self.reference()
        for call in range(1, 200):
            trace = self.make("full")
            done = subprocess.run(
                [WAYMARK, "recover", trace], capture_output=True, text=True,
                env={**os.environ, "WAYMARK_SHM": str(self.shm), "LD_PRELOAD": KILLER,
                     "FULL_AT": str(call)})
            if done.returncode == 0:
                break
            self.assertEqual(done.returncode, 1)
            self.assertIn("No space left on device", done.stderr)
            self.assertTrue((self.shm / NAME).exists())
            for file in trace.glob("stream-*"):
                self.assertEqual(file.stat().st_size % 4096, 0, "part of a packet is left")
            self.run_recover(trace)
            self.assertEqual(contents(trace), wanted, f"full from call {call} on")
            shutil.rmtree(trace)
        self.assertGreater(call, 5)

    def test_all_of_the_dead_are_recovered(self):
        trace = self.make()
        gone = self.shm / ("waymark-" + 16 * "cd")
        left.make_arena(gone, "/nowhere/at/all", {})
        before = contents(self.work)
        self.assertEqual(self.run_recover("--list").count("\n"), 3)
        said = self.run_recover("--all", "--dry-run")
        self.assertIn(f"{self.shm / NAME}: would be recovered: process 4242", said)
        self.assertEqual(contents(self.work), before)
        said = self.run_recover("--all", status=1)
        self.assertIn(f"{trace}: 3 streams", said)
        self.assertIn(f"{gone}: its trace '/nowhere/at/all' is gone", said)
        self.assertEqual(list(self.shm.iterdir()), [gone])
        self.assertEqual(self.run_recover("--discard", gone), f"{gone}: thrown away\n")
        self.assertIn("no process left anything", self.run_recover("--all"))

    def test_what_is_gone_is_thrown_away_at_once(self):
        self.make()
        arenas = [self.shm / ("waymark-" + 16 * f"{i:02x}") for i in range(4)]
        for arena in arenas:
            left.make_arena(arena, self.work / "nowhere", {})
        before = contents(self.work)
        with open(arenas[3], "rb") as living:
            fcntl.flock(living, fcntl.LOCK_SH)
            said = self.run_recover("--discard-gone", "--dry-run")
            self.assertEqual(re.findall(r"^(.*): would be thrown away: process 4242, trace (.*)$", said,
                                        re.M), [(str(a), f"{self.work}/nowhere") for a in arenas[:3]])
            self.assertEqual(contents(self.work), before)
            said = self.run_recover("--discard-gone")
            self.assertEqual(said, "".join(f"{a}: thrown away\n" for a in arenas[:3]))
        self.assertEqual(sorted(self.shm.iterdir()), [arenas[3], self.shm / NAME])

    def test_a_trace_that_is_gone_is_explained(self):
        trace = self.make()
        moved = self.work / "moved"
        trace.rename(moved)
        for command in ("print", "info", "recover"):
            said = self.waymark(command, trace, status=1)
            self.assertIn("is gone, and what process 4242 left in memory cannot be read", said)
            self.assertIn(f"waymark recover --discard {self.shm / NAME}", said)
        with open(self.shm / NAME, "rb") as living:
            fcntl.flock(living, fcntl.LOCK_SH)
            for command in ("print", "recover"):
                said = self.waymark(command, trace, status=1)
                self.assertIn("is gone, but process 4242 still records into it", said)
                self.assertNotIn("--discard", said)
        self.assertIn("if it was moved, recover it where it is now", self.run_recover("--all", status=1))
        self.assertIn("1007 events recovered", self.run_recover(moved))

    def test_a_copy_leaves_the_original_what_is_its(self):
        trace = self.make()
        copy = shutil.copytree(trace, self.work / "copy")
        said = self.run_recover(copy)
        self.assertIn("1007 events recovered", said)
        self.assertIn(f"{copy}: is a copy of {trace}", said)
        self.assertIn("nothing to do", self.run_recover(copy))
        self.assertIn("1007 events recovered", self.run_recover(trace))
        self.assertEqual(contents(trace), contents(copy))
        self.assertEqual(list(self.shm.iterdir()), [])

    def test_metadata_in_the_making_goes(self):
        trace = self.make()
        self.run_recover(trace)
        before = contents(trace)
        (trace / ".metadata").write_bytes(before["metadata"][:500])
        self.run_recover(trace)
        self.assertEqual(contents(trace), before)

    def test_leftovers_are_thrown_away_unread(self):
        trace = self.make()
        before = contents(trace)
        self.assertEqual(self.run_recover("--discard", trace), f"{trace}: thrown away\n")
        self.assertEqual(self.run_recover("--discard", trace), f"{trace}: nothing to do\n")
        self.assertEqual(contents(trace), before)
        self.assertEqual(list(self.shm.iterdir()), [])

    def test_what_is_no_trace_is_refused(self):
        (self.work / "file").write_text("x")
        (self.work / "empty").mkdir()
        for name, why in (("file", "is no directory"), ("none", "No such file"),
                          ("empty", "is not a trace of Waymark")):
            said = self.run_recover(self.work / name, status=1)
            self.assertIn(why, said)
        trace = self.make()
        for name in ("stream-1", "metadata"):
            self.assertEqual(self.run_recover(trace / name, status=1),
                             self.waymark("print", trace / name, status=1)
                             .replace("waymark print", "waymark recover"))
            self.assertIn(f"directory, '{trace}'", self.run_recover(trace / name, status=1))
        (self.shm / NAME).write_bytes(bytes(100000))
        self.assertIn("is damaged", self.run_recover(trace, status=1))
        (trace / "metadata").write_bytes((trace / "metadata").read_bytes()[:900])
        self.assertIn("is cut before the first event", self.run_recover(trace, status=1))

    def test_memory_that_cannot_be_looked_at_is_an_error(self):
        trace = self.make()
        before = contents(trace)
        (self.work / "file").write_text("x")
        for shm, why in (("none", "No such file or directory"), ("file", "Not a directory")):
            env = {"WAYMARK_SHM": str(self.work / shm)}
            said = f"cannot open WAYMARK_SHM={self.work / shm}: {why}\n"
            for args in ((), ("--list",), ("--all",), ("--discard-gone",), ("--discard", trace), (trace,)):
                self.assertEqual(self.run_recover(*args, status=1, env=env), f"waymark recover: {said}")
            for command in ("print", "info"):
                self.assertIn(f"waymark {command}: {said}",
                              self.waymark(command, trace, status=1, env=env))
        self.assertEqual(contents(trace), before)
        self.assertIn("1007 events recovered", self.run_recover(trace))

    def test_output_that_cannot_be_written_is_an_error(self):
        trace = self.make()
        left.make_arena(self.shm / ("waymark-" + 32 * "a"), self.work / "nowhere", {})
        env = {**os.environ, "WAYMARK_SHM": str(self.shm)}
        for args in (["recover"], ["recover", "--list"], ["recover", "--discard-gone", "--dry-run"],
                     ["recover", "--all", "--dry-run"], ["recover", "--help"], ["--help"], ["help"],
                     ["help", "print"], ["--version"], ["print", "--version"], ["recover", trace]):
            with self.subTest(args=args), open("/dev/full", "w") as full:
                done = subprocess.run([WAYMARK, *args], stdout=full, stderr=subprocess.PIPE, text=True,
                                      env=env)
                self.assertEqual(done.returncode, 1)
                self.assertEqual(done.stderr, "waymark: cannot write to standard output: "
                                 "No space left on device\n")
        self.assertEqual(self.run_recover(trace), f"{trace}: nothing to do\n")

    def test_names_with_control_characters_are_one_line(self):
        bad, said = self.work / "a\n\033[31m\t", f"{self.work}/a\\n\\x1b[31m\\x09"
        for command in ("print", "info", "recover"):
            self.assertEqual(self.waymark(command, bad, status=1).count("\n"), 1)
            self.assertIn(f"waymark {command}: {said}: ", self.waymark(command, bad, status=1))
        self.assertIn(f"{said}: ", self.waymark("print", "-e", bad, bad, status=2))
        trace = self.make("trace")
        self.assertIn(f"waymark print: {said}/x: cannot open for writing",
                      self.waymark("print", "-o", f"{bad}/x", trace, status=1))
        self.assertIn(f"waymark convert: {said}/x: ",
                      self.waymark("convert", "-o", f"{bad}/x", trace, status=1))
        trace.rename(bad)
        self.assertIn(f"{said}: 3 streams, 1007", self.run_recover(bad))
        self.assertEqual(self.run_recover(bad), f"{said}: nothing to do\n")
        left.make_arena(self.shm / NAME, bad, {})
        self.assertIn(f"trace {said}\n", self.run_recover("--all", "--dry-run"))
        self.assertEqual(self.run_recover("--discard", bad), f"{said}: thrown away\n")

    def test_what_is_no_arena_is_not_thrown_away(self):
        (self.work / "file").write_text("x" * 100000)
        self.assertEqual(self.run_recover("--discard", self.work / "file", status=1), "waymark recover: "
                         f"{self.work / 'file'}: is neither a trace nor what a process left\n")
        self.assertIn(": No such file or directory\n",
                      self.run_recover("--discard", self.work / "none", status=1))

    def test_a_command_line_without_sense_is_refused(self):
        self.assertIn("usage:", self.run_recover("--list", "--all", status=2))
        self.assertIn("usage:", self.run_recover("--discard", status=2))
        self.assertIn("usage:", self.run_recover("--list", "x", status=2))
        self.assertIn("usage:", self.run_recover("--discard-gone", "x", status=2))
        self.assertIn("usage:", self.run_recover("--dry-run", status=2))
        self.assertIn("usage:", self.run_recover("--dry-run", "x", status=2))

    @unittest.skipIf(os.geteuid() == 0, "root may write anything")
    def test_a_read_only_trace(self):
        trace = self.make()
        with contextlib.ExitStack() as stack:
            for path in (trace, trace / "stream-1"):
                path.chmod(0o555)
                stack.callback(path.chmod, 0o755)
            self.assertIn("Permission denied", self.run_recover(trace, status=1))
            self.assertTrue((self.shm / NAME).exists())


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
