#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests messages with braces, received by rsyslogd: rsyslog.py PROGRAM"""

import os
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "syslog"))
import daemon  # noqa: E402


class Messages(daemon.Syslog):
    def texts(self, *actions):
        self.start_daemon()
        ran = subprocess.run([daemon.PROGRAM, *actions], check=True, capture_output=True, text=True,
                             env={**os.environ, "WAYMARK_TRACE": "*,backend=syslog"}, timeout=30)
        self.assertEqual(ran.stderr, "")
        return [m.text for m in self.messages(ident=daemon.IDENT)]

    def test_names_are_in_brackets(self):
        texts = self.texts("texts", "handler=2")
        self.assertEqual(texts[0], " [request] Rng: Request received")
        self.assertEqual(texts[1].rstrip(), " [plain]")
        self.assertEqual(texts[3:], [" [request] handler: Request received"] * 2)

    def test_a_message_of_several_lines_is_one(self):
        self.assertEqual(self.texts("lines"),
                         [' [object] is Request {\\n    sector: 7,\\n    name: "a\\nb",\\n}'])

    def test_long_messages(self):
        texts = self.texts("long=5000", "long=9000")
        self.assertEqual(texts[0], " [request] " + "\u00e9" * 2500 + ": Request received")
        self.assertRegex(texts[1], "^ \\[request\\] \u00e9{3900,4000}\\.\\.\\.$")

    def test_scopes(self):
        texts = self.texts("scopes=9", "child")
        self.assertEqual(texts[0].rstrip(), " [SCOPE_START][cursor]")
        self.assertEqual(texts[1:6], [
            ' [SCOPE_START][frame] fd 5 | "x"', " [SCOPE_END]", " [SCOPE_END]",
            ' [SCOPE_START(id=9)][frame] fd 5 | "x"', ' [SCOPE_END(id=9)][frame] fd 5 | "x"'])
        self.assertEqual(texts[6], " [request] child: Request received")


if __name__ == "__main__":
    daemon.main()
