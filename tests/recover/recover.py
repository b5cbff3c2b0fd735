#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests that waymark recover completes the trace of a killed process: recover.py WAYMARK
WRITE_TRACE

Every packet is written once and unchanged, with clock and metadata; damaged files stay unchanged.
"""

import re
import sys
import unittest
import uuid

import left
from recovery import NAME, WRITE_TRACE, Recovery, contents


class Recover(Recovery):
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

    def test_an_buffer_in_the_trace_is_found(self):
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
        """The trace and its buffer have different first readings of the clock."""
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
        for i, torn in enumerate((
                b"/* trace-events x:1: more(int a", b"\0" * 500,
                b'/* trace-events x:1: m(void) "" */\nevent { id = 9; name = "m"; str')):
            trace = self.make(f"torn-{i}")
            metadata = trace / "metadata"
            whole = metadata.read_bytes()
            metadata.write_bytes(whole + torn)
            self.run_recover(trace)
            self.assertEqual(len(metadata.read_bytes()), len(whole))
        self.read(trace)

    def test_metadata_in_the_making_goes(self):
        trace = self.make()
        self.run_recover(trace)
        before = contents(trace)
        (trace / ".metadata").write_bytes(before["metadata"][:500])
        self.run_recover(trace)
        self.assertEqual(contents(trace), before)

    def test_a_file_cut_anywhere_is_repaired_without_an_buffer(self):
        first = len(left.written(1, 1, 5))
        content = first + len(left.packet(1, 2, 300))
        whole = left.written(1, 1, 5) + left.written(1, 2, 300, align=4096)
        for size in list(range(0, len(whole), 501)) + [first + n for n in (0, 1, 87, 88)]:
            with self.subTest(size=size):
                trace = left.make_trace(WRITE_TRACE, self.work / f"cut-{size}", {
                    "stream-1": [whole[:size]]})
                is_between = size in (0, first)
                is_padding = size >= content
                said = self.run_recover(trace, status=0 if is_between or is_padding else 1)
                self.assertEqual("1 packet missing" in said, not is_between and not is_padding)
                self.assertTrue(not is_padding or "cut" not in said.split(f"cut-{size}:")[1], said)
                lines = self.read(trace)
                self.assertGreaterEqual(len(lines), 5 if size >= first else 0)
                self.assertEqual(self.run_recover(trace), f"{trace}: nothing to do\n")

    def test_a_torn_packet_that_only_reported_a_loss_is_no_loss(self):
        for size in (3, 40, left.BYTES - 1):
            with self.subTest(size=size):
                lost = left.packet(1, 2, 0, lost=5)
                trace = left.make_trace(WRITE_TRACE, self.work / f"loss-{size}", {
                    "stream-1": [left.written(1, 1, 5), lost[:size]]})
                left.make_buffer(self.shm / NAME, trace, {}, lost={1: 5})
                for command in ("print", "recover", "print"):
                    said = self.waymark(command, trace)
                    self.assertNotIn("missing", said)
                    self.assertIn("lost 5 events" if command == "print" else " 5 lost", said)
                self.assertNotIn("cut", said)
                self.assertEqual(len(self.read(trace)), 5)

    def test_zeros_at_the_end_go(self):
        trace = left.make_trace(WRITE_TRACE, self.work / "zeros", {
            "stream-1": [left.written(1, 1, 5), bytes(8192)]})
        self.assertIn("8192 bytes cut", self.run_recover(trace))
        self.assertEqual(len(self.read(trace)), 5)

    def test_damage_before_whole_packets_is_left_alone(self):
        trace = left.make_trace(WRITE_TRACE, self.work / "damage", {
            "stream-1": [left.written(1, 1, 5), bytes(4096), left.written(1, 3, 5)]})
        before = contents(trace)
        self.assertIn("stream-1: is damaged before intact packets, at byte "
                      f"{len(left.written(1, 1, 5))}",
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
        self.assertIn(f"nothing is cut, at byte {len(left.written(1, 1, 5))}",
                      self.run_recover(trace, status=1))
        self.assertEqual(contents(trace), before)

    def test_the_buffer_has_the_fuller_packet(self):
        trace = self.make()
        data = (trace / "stream-1").read_bytes()
        (trace / "stream-1").write_bytes(data[:len(left.written(1, 1, 5)) + 3000])
        self.assertIn("1307 events recovered", self.run_recover(trace))
        self.assertEqual(len(self.read(trace)), 1312)

    def test_pieces_of_a_rotated_trace_go_on_in_the_last(self):
        trace = left.make_trace(WRITE_TRACE, self.work / "rotated", {
            "stream-1-2": [left.written(1, 4, 5)], "stream-1-10": [left.written(1, 5, 5)]})
        left.make_buffer(self.shm / NAME, trace, {
            0: left.packet(1, 3, 5), 1: left.packet(1, 5, 5), 2: left.packet(1, 6, 3),
            3: left.packet(2, 1, 2)})
        self.assertIn("2 streams, 5 events recovered", self.run_recover(trace))
        self.assertEqual(self.sequences(trace, "stream-1-2"), [4])
        self.assertEqual(self.sequences(trace, "stream-1-10"), [5, 6])
        self.assertEqual(self.sequences(trace, "stream-2-10"), [1])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
