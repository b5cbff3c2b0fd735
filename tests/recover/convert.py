#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests waymark convert there and back: convert.py WAYMARK WRITE_TRACE READER_TESTS"""

import fcntl
import os
import pathlib
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest

import left

WAYMARK, WRITE_TRACE, READER_TESTS = (os.path.abspath(a) for a in sys.argv[1:4])
EVENTS = ('number(uint64_t n, int8_t small) "n %"PRIu64" small %d"\n'
          'text(const char *s, uint16_t half) "s %s half %u"\n'
          'letter(char c, char d) "c %d d %d"\n'
          'nothing(void) ""\n')


class Simple:
    """A simpletrace file, version 4, record by record."""

    def __init__(self):
        self.data = bytearray(struct.pack("=QQQ", 2**64 - 1, 0xF2B177CB0AA429B4, 4))
        for number, name in enumerate((b"number", b"text", b"letter", b"nothing")):
            self.data += struct.pack("=QQI", 0, number, len(name)) + name

    def put(self, number, ns, payload=b"", pid=77):
        self.data += struct.pack("=QQQII", 1, number, ns, 24 + len(payload), pid) + payload

    def number(self, ns, n, small=-1, pid=77):
        self.put(0, ns, struct.pack("=Qq", n, small), pid)

    def text(self, ns, s, half=65535):
        self.put(1, ns, struct.pack("=I", len(s)) + s + struct.pack("=Q", half))

    def gap(self, ns, lost):
        self.put(2**64 - 2, ns, struct.pack("=Q", lost))


class Convert(unittest.TestCase):
    def setUp(self):
        self.work = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.work)
        os.chdir(self.work)
        pathlib.Path("events").write_text(EVENTS)

    def waymark(self, *args, status=0):
        done = subprocess.run([WAYMARK, *map(str, args)], capture_output=True)
        self.assertEqual(done.returncode, status, done.stderr)
        return done.stdout, done.stderr.decode()

    def lines(self, *args):
        return self.waymark("print", *args)[0].splitlines()

    def convert(self, simple, *options):
        pathlib.Path("simple").write_bytes(simple.data)
        self.waymark("convert", "-e", "events", *options, "-o", "out", "simple")

    def there_and_back(self, simple, *options):
        """Returns the lines, which are the same after each step."""
        self.convert(simple, *options)
        wanted = self.lines("-e", "events", "simple")
        self.assertEqual(self.lines("out"), wanted)
        self.waymark("convert", "-o", "back", "out")
        self.assertEqual(self.lines("-e", "events", "back"), wanted)
        return wanted

    def read(self, *options, trace="out"):
        """Returns the output of babeltrace2, which may warn of discarded events only."""
        if not shutil.which("babeltrace2"):
            self.skipTest("babeltrace2 is not installed")
        done = subprocess.run(["babeltrace2", *options, trace], capture_output=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        errors = done.stderr.decode().splitlines()
        self.assertEqual([e for e in errors if e and "discarded" not in e], [])
        return done.stdout.splitlines(), errors

    def test_every_kind_of_argument(self):
        simple = Simple()
        simple.number(10**12, 2**64 - 1)
        simple.text(10**12 + 1, b"some \xc3\xa9 text")
        simple.text(10**12 + 2, b"")
        simple.put(2, 10**12 + 3, struct.pack("=qq", -1, 255))
        simple.put(3, 10**12 + 4)
        lines = self.there_and_back(simple)
        self.assertEqual(lines[3], b"1000.000000003 77 letter c -1 d 255")
        self.assertEqual(len(self.read()[0]), 5)

    def test_many_packets(self):
        simple = Simple()
        for i in range(60000):
            simple.number(10**12 + 3 * i, i)
            if i % 1000 == 0:
                simple.text(10**12 + 3 * i + 1, b"x" * (i // 20))
        lines = self.there_and_back(simple)
        self.assertEqual(len(lines), 60060)
        self.assertEqual(len(self.read()[0]), 60060)

    def test_gaps_stay_where_they_are(self):
        simple = Simple()
        simple.gap(10**12, 3)
        simple.number(10**12 + 5, 1)
        simple.gap(10**12 + 10, 17)
        simple.gap(10**12 + 11, 1)
        simple.number(10**12 + 20, 2)
        simple.gap(10**12 + 30, 9)
        lines = self.there_and_back(simple)
        self.assertEqual(sum(line.startswith(b"#") for line in lines), 4)
        self.assertTrue(any("17 events" in e for e in self.read()[1]))

    def test_missing_packets_are_reported_on_the_way(self):
        for file, said in (("stream-1-2", "2 packets rotated away"), ("stream-1", "2 packets missing")):
            trace = left.make_trace(WRITE_TRACE, self.work / file, {file: [
                left.written(1, 3, 5)] if "-2" in file else [left.written(1, 1, 5), left.written(1, 4, 5)]})
            self.assertEqual(self.waymark("convert", "-o", f"{file}.simple", trace)[1],
                             f"waymark convert: {trace}: {said}: a simpletrace file cannot record that\n")

    def test_times_that_go_back_are_put_in_order(self):
        simple = Simple()
        times = [100, 300, 200, 250, 150, 400, 399]
        for i, ns in enumerate(times):
            simple.number(10**12 + ns, i)
        self.convert(simple)
        wanted = sorted(self.lines("-e", "events", "simple"))
        self.assertEqual(self.lines("out"), wanted)
        self.assertEqual(len(self.read()[0]), len(times))

    def test_days_between_two_events(self):
        simple = Simple()
        for i in range(5):
            simple.number(10**12 + i * 2**48 + i, i)
        self.there_and_back(simple)
        self.read()

    def test_a_string_that_no_packet_holds_is_cut(self):
        simple = Simple()
        simple.text(10**12, b"y" * 3_000_000)
        pathlib.Path("simple").write_bytes(simple.data)
        said = self.waymark("convert", "-e", "events", "-o", "out", "simple")[1]
        self.assertIn("1 strings were too long", said)
        self.assertGreater(len(self.lines("out")[0]), 1_000_000)
        self.read("--output-format=dummy")  # babeltrace2 takes a minute to print it

    def test_old_versions_and_the_other_byte_order(self):
        subprocess.run([sys.executable, READER_TESTS + "/make_traces.py", "."], check=True)
        events = READER_TESTS + "/golden/trace-events"
        for name in ("v0", "v2", "v3", "v3-big-endian", "v4", "v4-big-endian"):
            with self.subTest(name=name):
                pid = [] if name in ("v0", "v2") else ["--pid", "77"]
                pick = "77" if pid else "0"
                self.waymark("convert", "-e", events, *pid, "--replace", "-o", "out", name)
                wanted = self.lines("-e", events, *pid, name)
                wanted = [line.replace(b" - blk", f" {pick} blk".encode()).replace(
                    b" - lost", f" {pick} lost".encode()) for line in wanted]
                self.assertEqual(sorted(self.lines("out")), sorted(wanted))
                self.waymark("convert", "-e", events, "--to", "simple", "--replace", "-o", "new", name)
                self.assertEqual(len(self.lines("-e", events, "new")),
                                 len(self.lines("-e", events, name)))

    def test_a_native_trace_with_null_and_cut_strings(self):
        trace = left.make_trace(WRITE_TRACE, "native", {})
        body = left.lengths(10**9 + 1, b"\0") + left.lengths(10**9 + 2, b"begin of\0")
        header = left.packet(1, 1, 0, end=10**9 + 3, size=4096)[:left.BYTES]
        header = header[:48] + struct.pack("=Q", 8 * (left.BYTES + len(body))) + header[56:]
        (trace / "stream-1").write_bytes((header + body).ljust(4096, b"\0"))
        wanted = self.lines(trace)
        self.assertEqual(len(wanted), 2)
        self.waymark("convert", "-o", "back", trace)
        pathlib.Path("more").write_text('lengths(const char *s, uint32_t a, int b) "%s %u %d"\n')
        self.assertEqual(self.lines("-e", "more", "back"), wanted)
        self.assertIn(b"(null)", wanted[0])

    def test_a_reader_that_ends_is_no_failure(self):
        left.make_trace(WRITE_TRACE, "native", {"stream-1": [left.written(1, 1, 5)]})
        reader, writer = os.pipe()
        os.close(reader)
        done = subprocess.run([WAYMARK, "convert", "-o", "-", "native"], stdout=writer,
                              stderr=subprocess.PIPE)
        os.close(writer)
        self.assertEqual((done.returncode, done.stderr), (0, b""))

    def test_what_is_there_is_not_overwritten_unasked(self):
        simple = Simple()
        simple.number(10**12, 1)
        self.convert(simple)
        before = {f: f.read_bytes() for f in pathlib.Path("out").rglob("*") if f.is_file()}
        said = self.waymark("convert", "-e", "events", "-o", "out", "simple", status=1)[1]
        self.assertIn("exists already; --replace replaces it", said)
        for file, data in before.items():
            self.assertEqual(file.read_bytes(), data)
        self.convert(simple, "--replace")
        self.assertEqual(sorted(os.listdir()), ["events", "out", "simple"])
        pathlib.Path("out/mine").write_text("keep")
        said = self.waymark("convert", "-e", "events", "--replace", "-o", "out", "simple", status=1)[1]
        self.assertIn("more than a trace in it", said)
        self.assertEqual(pathlib.Path("out/mine").read_text(), "keep")
        self.assertEqual(sorted(os.listdir()), ["events", "out", "simple"])

    def crashed(self):
        """Makes the trace of a killed process, with everything that the process and a killed
        recovery leave.
        """
        trace = left.make_trace(WRITE_TRACE, self.work / "crashed", {"stream-1": [left.written(1, 1, 5)]})
        shm = self.work / "shm"
        shm.mkdir()
        os.environ["WAYMARK_SHM"] = str(shm)
        self.addCleanup(os.environ.pop, "WAYMARK_SHM")
        (trace / ".metadata").write_bytes(b"half of it")
        (trace / ".metadata.new").write_bytes(b"half of it")
        (trace / "index").mkdir()
        (trace / "index/.stream-1.idx.new").write_bytes(b"half of it")
        buffer = shm / ("waymark-" + left.UUID.hex())
        left.make_buffer(buffer, trace, {0: left.packet(1, 2, 3)})
        return trace, buffer

    def test_a_crashed_trace_is_replaced_with_all_that_is_left(self):
        simple = Simple()
        simple.number(10**12, 1)
        trace, buffer = self.crashed()
        pathlib.Path("simple").write_bytes(simple.data)
        self.waymark("convert", "-e", "events", "--replace", "-o", trace, "simple")
        self.assertEqual(len(self.lines(trace)), 1)
        self.assertFalse(buffer.exists())
        self.assertEqual(sorted(os.listdir()), ["crashed", "events", "shm", "simple"])

    def test_a_copy_that_is_replaced_leaves_the_original_alone(self):
        simple = Simple()
        simple.number(10**12, 1)
        trace, buffer = self.crashed()
        pathlib.Path("simple").write_bytes(simple.data)
        shutil.copytree(trace, "copy")
        self.waymark("convert", "-e", "events", "--replace", "-o", "copy", "simple")
        self.assertEqual(len(self.lines(trace)), 8)

    def test_a_trace_that_is_recorded_is_not_replaced_and_its_snapshot_says_so(self):
        simple = Simple()
        simple.number(10**12, 1)
        pathlib.Path("simple").write_bytes(simple.data)
        trace, buffer = self.crashed()
        with open(buffer, "rb") as living:
            fcntl.flock(living, fcntl.LOCK_SH)
            before = {f: f.read_bytes() for f in trace.rglob("*") if f.is_file()}
            said = self.waymark("convert", "-e", "events", "--replace", "-o", trace, "simple", status=1)[1]
            self.assertIn("is being recorded by process 4242", said)
            self.assertEqual({f: f.read_bytes() for f in trace.rglob("*") if f.is_file()}, before)
            self.assertTrue(buffer.exists())
            said = self.waymark("convert", "-o", "snapshot", trace)[1]
            self.assertIn("is still being recorded by process 4242", said)
        self.assertEqual(self.waymark("convert", "--replace", "-o", "snapshot", trace)[1], "")

    def test_nothing_is_written_into_a_trace(self):
        simple = Simple()
        simple.number(10**12, 1)
        self.convert(simple)
        before = sorted(os.listdir("out"))
        for place in ("out/new", "out/index/new", "./out/../out/stream-1"):
            said = self.waymark("convert", "--replace", "-o", place, "out", status=1)[1]
            self.assertIn("would be inside it", said)
        self.assertEqual(sorted(os.listdir("out")), before)

    def test_a_trace_is_not_replaced_by_itself(self):
        simple = Simple()
        simple.number(10**12, 1)
        self.convert(simple)
        os.symlink("out", "link")
        os.link("simple", "hard")
        pathlib.Path("out/stream-9").write_bytes(simple.data)
        before = {f: f.read_bytes() for f in pathlib.Path(".").rglob("*") if f.is_file()}
        for output, trace in (("out", "out"), ("out", "link"), ("link", "out"), ("out/", "./out/"),
                              ("out/../out", "out"), ("simple", "simple"), ("hard", "simple"),
                              ("simple", "hard")):
            with self.subTest(output=output, trace=trace):
                said = self.waymark("convert", "-e", "events", "--replace", "-o", output, trace, status=1)[1]
                self.assertEqual(said, f"waymark convert: {trace}: is both the trace and the output\n")
        with open("simple", "rb") as stdin:
            done = subprocess.run([WAYMARK, "convert", "-e", "events", "--replace", "-o", "simple", "-"],
                                  stdin=stdin, capture_output=True)
        self.assertEqual(done.returncode, 1)
        self.assertIn(b"is both the trace and the output", done.stderr)
        for output in ("out", "link/../out", "."):
            said = self.waymark("convert", "-e", "events", "--replace", "-o", output, "out/stream-9",
                                status=1)[1]
            self.assertIn(f"{output}: has the trace in it", said)
        self.assertEqual({f: f.read_bytes() for f in pathlib.Path(".").rglob("*") if f.is_file()}, before)

    def test_what_is_not_known_is_not_written(self):
        simple = Simple()
        simple.number(10**12, 1)
        self.convert(simple)
        text = pathlib.Path("out/metadata").read_text()
        for name in ("hostname", "procname", "boot_id", '""'):
            self.assertNotIn(name, text)
        self.assertNotIn(b"::", self.read()[0][0].split(b"number")[0].split(b"]")[1])

    def test_a_failure_leaves_nothing(self):
        simple = Simple()
        simple.number(10**12, 1)
        simple.number(10**12 + 1, 1, pid=78)
        pathlib.Path("simple").write_bytes(simple.data)
        self.assertIn("process 77 and of 78",
                      self.waymark("convert", "-e", "events", "-o", "out", "simple", status=1)[1])
        self.assertIn("no declaration of 'number'",
                      self.waymark("convert", "-o", "out", "simple", status=1)[1])
        self.assertIn("No such file",
                      self.waymark("convert", "-o", "no/out", "-e", "events", "simple", status=1)[1])
        self.assertEqual(sorted(os.listdir()), ["events", "simple"])

    def test_a_damaged_trace_gives_what_is_whole(self):
        simple = Simple()
        for i in range(10):
            simple.number(10**12 + i, i)
        simple.data = simple.data[:-5]
        pathlib.Path("simple").write_bytes(simple.data)
        self.assertIn("truncated",
                      self.waymark("convert", "-e", "events", "-o", "out", "simple", status=1)[1])
        self.assertEqual(len(self.lines("out")), 9)

    def test_a_command_line_without_sense_is_refused(self):
        for args in (["simple"], ["-o", "x"], ["-o", "x", "--to", "xml", "simple"],
                     ["-o", "x", "--pid", "-1", "simple"]):
            self.assertIn("usage:", self.waymark("convert", *args, status=2)[1])
        simple = Simple()
        simple.number(1, 1)
        self.convert(simple)
        self.assertIn("is a native trace already",
                      self.waymark("convert", "--to", "ctf", "-o", "x", "out", status=1)[1])
        self.assertIn("is a directory and cannot go there",
                      self.waymark("convert", "-e", "events", "-o", "-", "simple", status=1)[1])
        self.assertTrue(self.waymark("convert", "-o", "-", "out")[0].startswith(b"\xff" * 8))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
