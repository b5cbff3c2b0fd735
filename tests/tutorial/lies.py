#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests that run.py fails for documents with wrong output, and passes for right ones: lies.py"""

import contextlib
import io
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import run  # noqa: E402

FENCE = "```"


class Lies(unittest.TestCase):
    def told(self, *blocks):
        """Runs a document made of these blocks; returns the messages, empty if it passes."""
        text = "\n\n".join(f"{FENCE}{b}\n{FENCE}" if "\n" in b else b for b in blocks) + "\n"
        said = io.StringIO()
        with tempfile.TemporaryDirectory(prefix="waymark-lies-") as top:
            document = pathlib.Path(top) / "document.md"
            document.write_text(text)
            with contextlib.redirect_stdout(said):
                status = run.run(document, None, pathlib.Path(top))
        self.assertEqual(status != 0, said.getvalue() != "")
        return said.getvalue()

    def test_what_is_shown(self):
        for shown, came, same in (
                ("events 12 lost 0", "events 7 lost 0", True),
                ("events 12 lost 0", "events 7 lost 1", False),
                ("events 12 lost 0", "events 7 gone 0", False),
                ("pid 1234, of 1234", "pid 77, of 77", True),
                ("pid 1234, of 1234", "pid 77, of 78", False),
                ("took 1.25 ms", "took 900 ns", True),
                ("took 1.25 ms", "took long", False),
                ("a   b", "a b", True),
                ("first\n...\nlast", "first\nlast", True),
                ("first\n...\nlast", "first\n1\n2\nlast", True),
                ("first\n...\nlast", "first\n1\n2", False),
                ("trace-1234.ctf", "trace-9.ctf", True),
                ("2025-12-31T23:59:59.9Z x", "2026-01-01T00:00:00.1Z x", True),
                ("io_read2", "io_read3", False),
                ("one line", "one line\nand more", False)):
            with self.subTest(shown=shown, came=came):
                self.assertEqual(run.matches(shown, came), same)

    def test_an_edit_fits_in_one_place(self):
        self.assertEqual(run.edited("a\nb\nc\n", " a\n-b\n+B\n@@\n c\n+d\n"), "a\nB\nc\nd\n")
        for text in "a\n", "a\nb\na\nb\n":
            with self.assertRaises(run.Lie):
                run.edited(text, " a\n-b\n+B\n")

    def test_a_document_is_done(self):
        blocks = ["It is `name`:", "\nworld", "sh\necho hello $(cat name)", "text\nhello world"]
        self.assertEqual(self.told(*blocks), "")
        self.assertRegex(self.told(*blocks[:3], "text\nhello you"),
                         r"document.md:11: shows\nhello you\n\n"
                         r"but line 7\necho .*\n\nprints\nhello world")

    def test_a_command_that_fails_is_reported(self):
        self.assertRegex(self.told("sh\nls nosuch", "text\nnosuch"),
                         r"document.md:1: fails with status 2\nls nosuch\nls: .*nosuch")

    def test_what_the_text_says_of_numbers_is_tried(self):
        holds = "<!-- holds:\ntest $n -gt {}\n-->"
        blocks = ["sh\nn=7; echo $n", "text\n12"]
        for bound, status in ((5, False), (9, True)):
            text = "".join(f"{FENCE}{b}\n{FENCE}\n" for b in blocks) + holds.format(bound) + "\n"
            with tempfile.TemporaryDirectory() as top:
                (pathlib.Path(top) / "d.md").write_text(text)
                with contextlib.redirect_stdout(io.StringIO()):
                    self.assertEqual(run.run(f"{top}/d.md", None, pathlib.Path(top)) != 0, status)

    def test_no_block_goes_unread(self):
        for blocks in (["text\nalone"], ["sh\ntrue"], ["diff\n-a\n+b", "sh\necho 7", "text\n7"]):
            with self.assertRaises(run.Lie):
                self.told(*blocks)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
