#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests the documented example of vCPUs, received by rsyslogd: rsyslog_guest.py PROGRAM"""

import os
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "syslog"))
import daemon  # noqa: E402


class Documented(daemon.Syslog):
    def test_every_event_is_a_message_with_its_cpu(self):
        self.start_daemon()
        ran = subprocess.run([daemon.PROGRAM], check=True, capture_output=True, text=True,
                             env={**os.environ, "WAYMARK_TRACE": "*,backend=syslog"}, timeout=30)
        cpu = ran.stdout.strip()
        self.assertEqual(ran.stderr, "")
        self.assertEqual([m.text for m in self.messages(ident=daemon.IDENT)], [
            " foo a=d1", f" bar cpu={cpu} a=d2", f" baz_trans cpu={cpu} a=d3",
            f" baz_exec cpu={cpu} a=d3"])


if __name__ == "__main__":
    daemon.main()
