#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests events declared in TOML, received by rsyslogd: rsyslog.py PROGRAM"""

import os
import pathlib
import subprocess
import sys

from fired import LINES

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "syslog"))
import daemon  # noqa: E402


class Live(daemon.Syslog):
    def test_every_line_arrives(self):
        self.start_daemon()
        ran = subprocess.run([daemon.PROGRAM], check=True, capture_output=True, text=True,
                             env={**os.environ, "WAYMARK_TRACE": "*,backend=syslog"}, timeout=30)
        self.assertEqual(ran.stderr, "")
        found = [m.text.strip() for m in self.messages(ident=daemon.IDENT)]
        self.assertEqual(found, [line.strip() for line in LINES])


if __name__ == "__main__":
    daemon.main()
