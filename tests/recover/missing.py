#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests missing stream files, which the indexes still list: missing.py WAYMARK WRITE_TRACE"""

import fcntl
import os
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest

import left

WAYMARK, WRITE_TRACE = (os.path.abspath(a) for a in sys.argv[1:3])
NAME = "waymark-" + left.UUID.hex()
SIZES = [left.written(2, i, 300) for i in (1, 2, 3)]


class Missing(unittest.TestCase):
    def setUp(self):
        self.work = pathlib.Path(tempfile.mkdtemp(prefix="waymark-test-"))
        self.addCleanup(shutil.rmtree, self.work)
        self.shm = self.work / "shm"
        self.shm.mkdir()
        self.trace = left.make_trace(WRITE_TRACE, self.work / "trace", {
            "stream-1": [left.written(1, 1, 5), left.written(1, 2, 3)],
            "stream-2": SIZES})
        self.waymark("recover") # writes the indexes
        self.assertEqual(self.waymark("info")[1], "")

    def waymark(self, command, *args, status=0):
        done = subprocess.run([WAYMARK, command, *args, self.trace], capture_output=True, text=True,
                              env={**os.environ, "WAYMARK_SHM": str(self.shm)})
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done.stdout, done.stderr

    def both_say(self, what, packets):
        """Reader and recovery name the file; then the trace itself records the loss, and its
        indexes are right.
        """
        for command in ("info", "print"):
            said = self.waymark(command, status=1)[1].splitlines()
            self.assertEqual([line for line in said if "its process was killed" not in line],
                             [f"waymark {command}: {self.trace}: {what}"])
        out, said = self.waymark("recover", status=1)
        self.assertIn(f", {packets} packet{'s' * (packets > 1)} missing\n", out)
        self.assertEqual(said, f"waymark recover: {self.trace}: cannot be repaired: {what}\n")
        self.assertEqual(self.waymark("recover"), (f"{self.trace}: nothing to do\n", ""))
        out, said = self.waymark("info")
        self.assertEqual(said, "")
        self.assertRegex(out, rf"gaps      1: {packets} packets? missing\n")
        if shutil.which("babeltrace2"):
            done = subprocess.run(["babeltrace2", self.trace], capture_output=True, text=True)
            self.assertEqual(done.returncode, 0)
            if " more" in what or "-5" in what: # it passes over a first number above 1
                self.assertRegex(done.stderr, rf"discarded {packets} packet.*stream ID: 2")
            self.assertEqual([e for e in done.stderr.splitlines() if e and "discarded" not in e], [])

    def test_a_file_that_is_gone(self):
        (self.trace / "stream-2").unlink()
        self.both_say("stream-2: is missing: index/stream-2.idx lists 3 packets", 3)

    def test_a_file_that_is_empty(self):
        (self.trace / "stream-2").write_bytes(b"")
        self.both_say("stream-2: is empty: index/stream-2.idx lists 3 packets", 3)

    def test_a_file_that_ends_between_two_packets(self):
        os.truncate(self.trace / "stream-2", len(SIZES[0]))
        self.both_say("stream-2: ends too early: index/stream-2.idx lists 2 packets more", 2)

    def cut_says(self, file, size, what, packets, gaps):
        """The cut is reported once, and is a gap in the trace from then on. Returns the number of
        remaining events.
        """
        os.truncate(self.trace / file, size)
        out, said = self.waymark("recover", status=1)
        self.assertIn(f", {packets} packet{'s' * (packets > 1)} missing", out)
        self.assertEqual(said, f"waymark recover: {self.trace}: cannot be repaired: {what}\n")
        self.assertEqual(self.waymark("recover"), (f"{self.trace}: nothing to do\n", ""))
        out, said = self.waymark("info")
        self.assertEqual(said, "")
        self.assertRegex(out, rf"gaps      {gaps}: {packets} packets? missing\n")
        if shutil.which("babeltrace2"):
            done = subprocess.run(["babeltrace2", self.trace], capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual([e for e in done.stderr.splitlines() if e and "discarded" not in e], [])
        return len(re.findall("^[0-9]", self.waymark("print")[0], re.M))

    def test_a_file_that_ends_inside_of_a_packet(self):
        whole = len(re.findall("^[0-9]", self.waymark("print")[0], re.M))
        for index in (True, False):
            for size in (left.BYTES, 100, 2000, 4095, 5000):
                with self.subTest(size=size, index=index):
                    self.setUp()
                    if not index:
                        shutil.rmtree(self.trace / "index")
                    begin = len(SIZES[0]) + len(SIZES[1])
                    content = struct.unpack_from("=Q", SIZES[2], left.CONTENT)[0] // 8
                    text = (f"stream-2: packet 3 at byte {begin} is cut: the events in its last "
                            rf"\d+ bytes are lost")
                    self.assertLess(size, content)
                    os.truncate(self.trace / "stream-2", begin + size)
                    said = self.waymark("recover", status=1)[1]
                    self.assertRegex(said, text)
                    out = self.waymark("info")[0]
                    self.assertRegex(out, r"gaps      1: 1 packet missing\n")
                    events = len(re.findall("^[0-9]", self.waymark("print")[0], re.M))
                    self.assertLess(events, whole)
                    self.assertGreaterEqual(events, whole - 300)
                    self.assertEqual(self.waymark("recover"), (f"{self.trace}: nothing to do\n", ""))

    def test_packets_behind_the_one_that_is_cut(self):
        events = self.cut_says("stream-2", 1000, "stream-2: ends too early: index/stream-2.idx lists "
                               "2 packets more", 3, 2)
        self.assertGreater(events, 8)

    def test_a_header_that_is_cut(self):
        for size in (1, 4, left.BYTES - 1):
            with self.subTest(size=size):
                self.setUp()
                begin = len(SIZES[0]) + len(SIZES[1])
                events = self.cut_says("stream-2", begin + size, f"stream-2: packet 3 at byte {begin} "
                                       "is cut: its events are lost", 1, 1)
                self.assertEqual(events, 8 + 600)

    def test_the_only_packet_of_a_file_that_is_cut(self):
        self.assertEqual(self.cut_says("stream-1", 20, "stream-1: ends too early: index/stream-1.idx "
                                       "lists 1 packet more", 2, 1), 900)

    def test_a_cut_in_what_pads_a_packet_loses_nothing(self):
        large = left.written(2, 3, 300, align=4096)
        (self.trace / "stream-2").write_bytes(b"".join(SIZES[:2]) + large[:-8])
        out, said = self.waymark("recover")
        self.assertEqual((out, said), (f"{self.trace}: 2 streams, 0 events recovered, 0 lost\n", ""))
        self.assertEqual((self.trace / "stream-2").read_bytes(), b"".join(SIZES))
        self.assertNotIn("missing", self.waymark("info")[0])

    def test_what_memory_has_of_a_header_that_is_cut_is_not_missing(self):
        os.truncate(self.trace / "stream-2", len(SIZES[0]) + 20)
        left.make_buffer(self.shm / NAME, self.trace, {
            0: left.packet(2, 2, 300, end=left.end_of(2, 300)),
            1: left.packet(2, 3, 300, end=left.end_of(3, 300))})
        self.assertEqual(self.waymark("recover")[1], "")
        self.assertEqual((self.trace / "stream-2").read_bytes(), b"".join(SIZES))

    def test_the_last_piece_of_a_rotated_trace(self):
        for name in ("stream-1", "stream-2"):
            (self.trace / name).rename(self.trace / f"{name}-4")
        (self.trace / "stream-2-5").write_bytes(left.written(2, 4, 10))
        shutil.rmtree(self.trace / "index")
        self.waymark("recover")
        (self.trace / "stream-2-5").unlink()
        self.both_say("stream-2-5: is missing: index/stream-2-5.idx lists 1 packet", 1)
        self.assertFalse((self.trace / "index/stream-2-5.idx").exists())

    def test_what_memory_has_is_not_missing(self):
        os.truncate(self.trace / "stream-2", len(SIZES[0]))
        left.make_buffer(self.shm / NAME, self.trace, {
            0: left.packet(2, 2, 300, end=left.end_of(2, 300)),
            1: left.packet(2, 3, 300, end=left.end_of(3, 300))})
        self.assertEqual(self.waymark("info")[1], "")
        self.assertEqual(self.waymark("recover")[1], "")
        self.assertEqual((self.trace / "stream-2").read_bytes(), b"".join(SIZES))

    def test_a_part_of_it_is_in_memory(self):
        os.truncate(self.trace / "stream-2", len(SIZES[0]))
        left.make_buffer(self.shm / NAME, self.trace, {
            0: left.packet(2, 3, 300, end=left.end_of(3, 300))})
        self.both_say("stream-2: ends too early: index/stream-2.idx lists 1 packet more", 1)

    def test_indexes_are_optional(self):
        index = self.trace / "index"
        shutil.rmtree(index)
        self.assertEqual(self.waymark("info")[1], "")
        (self.trace / "stream-2").unlink()
        self.assertEqual(self.waymark("info")[1], "")
        index.write_bytes(b"no folder")
        self.assertEqual(self.waymark("info")[1], "")

    def test_an_index_that_makes_no_sense_is_passed_over(self):
        index = self.trace / "index/stream-2.idx"
        whole = index.read_bytes()
        (self.trace / "stream-2").write_bytes(SIZES[0])

        def record(data, number, field, value):
            at = 16 + 72 * number + 8 * field
            return data[:at] + struct.pack(">Q", value) + data[at + 8:]

        wrong = [b"", whole[:15], whole[:16], b"x" + whole[1:], whole[:16] + whole[17:],
                 record(whole, 0, 0, 4096), # does not begin at the begin
                 record(whole, 1, 0, 2**63), # a hole
                 record(whole, 2, 1, 2**63), # longer than any packet
                 record(whole, 2, 8, 2), # a number twice
                 record(whole, 0, 8, 0), # no number
                 record(whole, 0, 3, 5), # of another packet than the file's first
                 record(whole, 1, 7, 1)] # of another stream
        for number, data in enumerate(wrong):
            with self.subTest(number=number):
                index.write_bytes(data)
                self.assertEqual(self.waymark("info")[1], "")
        index.write_bytes(whole)
        self.waymark("info", status=1)

    def test_a_stale_index_is_written_anew(self):
        index = self.trace / "index/stream-2.idx"
        whole = index.read_bytes()
        for data in (whole[:16 + 72], whole[:-1], (self.trace / "index/stream-1.idx").read_bytes()):
            index.write_bytes(data)
            self.assertEqual(self.waymark("info")[1], "")
            self.waymark("recover")
            self.assertEqual(index.read_bytes(), whole)

    def test_a_trace_that_is_recorded_is_not_asked(self):
        left.make_buffer(self.shm / NAME, self.trace, {})
        (self.trace / "stream-2").unlink()
        with open(self.shm / NAME, "rb") as living:
            fcntl.flock(living, fcntl.LOCK_SH)
            self.assertEqual(self.waymark("info")[1], "")

    def test_damage_inside_of_a_packet_is_reported(self):
        data = bytearray((self.trace / "stream-2").read_bytes())
        data[left.BYTES] = 99 # the number of the first event
        (self.trace / "stream-2").write_bytes(data)
        for _ in range(2):
            out, said = self.waymark("recover", status=1)
            self.assertEqual(out, f"{self.trace}: nothing to do\n")
            self.assertRegex(said, "cannot be repaired: stream-2: packet 1 at byte 0: the event at byte "
                                   r"\d+ has the number 99, .*\n$")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
