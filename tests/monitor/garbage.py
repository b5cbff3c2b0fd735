#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests that bytes that are no request cause one error per line, however many there are: garbage.py TALKER"""

import json
import os
import subprocess
import sys
import tempfile
import unittest

from qmp import PATIENCE_S, connect

TALKER = os.path.abspath(sys.argv.pop(1))
SIZE = 1 << 19
VERSION = b'{"execute": "query-version", "id": "end"}\n'

# Pieces that are repeated to SIZE bytes: no JSON value, or no object.
KINDS = [b"\0", b"\x01", b"\x7f", b"}", b"]", b",", b":", b"x ", b"1 ", b"[]", b'""', b"'\x01", b"\0x\0}",
         "\u00e9,".encode(), b"/* */ "]


class Json:
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="waymark-test-")
        self.addCleanup(folder.cleanup)
        where = os.path.join(folder.name, "s")
        process = subprocess.Popen(
            [TALKER], cwd=folder.name, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            env={**os.environ, "WAYMARK_TRACE": f"control={where},control-mode={self.mode}"})
        self.addCleanup(process.communicate)
        self.socket = connect(where)
        self.addCleanup(self.socket.close)
        self.socket.settimeout(PATIENCE_S)
        self.stream = self.socket.makefile("rb")
        self.addCleanup(self.stream.close)
        self.stream.readline()
        self.assertEqual(self.answers(b'{"execute": "qmp_capabilities", "id": "end"}\n'), [])

    def answers(self, *sent):
        """Returns the answers before the last one, whose id is "end"."""
        self.socket.sendall(b"".join(sent))
        answers = []
        for line in self.stream:
            answer = json.loads(line)
            if answer.get("id") == "end":
                self.assertIn("return", answer)
                return answers
            answers.append(answer)
        self.fail(f"closed behind {answers}")

    def assert_errors(self, answers, count):
        self.assertEqual(len(answers), count, answers[:3])
        for answer in answers:
            self.assertIn("JSON", answer["error"]["desc"])

    def test_half_a_megabyte_brings_one_error(self):
        for kind in KINDS:
            with self.subTest(kind):
                garbage = kind * (SIZE // len(kind))
                self.assert_errors(self.answers(garbage + b"\n", VERSION), 1)

    def test_each_line_brings_one(self):
        for kind in KINDS:
            with self.subTest(kind):
                self.assert_errors(self.answers((kind * 20 + b"\n") * 30, VERSION), 30)

    def test_a_request_behind_it_is_answered_without_a_newline(self):
        self.assert_errors(self.answers(b"\0\0x ]", VERSION), 1)
        self.assert_errors(self.answers(b'{"a" 1}', VERSION), 1)
        self.assert_errors(self.answers(b'{"a": "\x02" ', VERSION), 1)

    def test_pieces_of_it_are_one(self):
        for _ in range(200):
            self.socket.sendall(b"\0} ")
        self.assert_errors(self.answers(b"\n", VERSION), 1)

    def test_each_object_has_its_answer(self):
        self.assertEqual(len(self.answers(b"{}" * 100, VERSION)), 100)
        self.assertEqual(len(self.answers(b"{} {} {,}\n" * 10, VERSION)), 30)


class Qmp(Json, unittest.TestCase):
    mode = "qmp"


class StratoVirt(Json, unittest.TestCase):
    mode = "stratovirt"


unittest.main()
