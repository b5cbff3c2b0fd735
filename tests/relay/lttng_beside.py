#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A viewer is attached to the relay and to LTTng's own, which both have the same events of one process, as it has
the backends ctf and ust: lttng_beside.py WAYMARK PACED OTHER THREADS CLOCK [BOTH]"""

import os
import pathlib
import re
import shutil
import sys
import unittest

sys.path.insert(1, os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "..", "bench"))
import lttng  # noqa: E402
from viewed import HOST, PATIENCE, Viewed, free_port  # noqa: E402

LINE = re.compile(r"\[(\d+)\.(\d{9})\] \S+ (?:follow:)?(\w+): (.*)$")


class Beside(Viewed):
    def setUp(self):
        super().setUp()
        daemon = lttng.daemon_of_tests()
        self.daemon = daemon.__enter__()
        self.addCleanup(daemon.__exit__, None, None, None)
        control, data, self.live = free_port(), free_port(), free_port()
        self.start("lttng-relayd", f"--control-port=tcp://127.0.0.1:{control}", f"--data-port=tcp://127.0.0.1:{data}",
                   f"--live-port=tcp://127.0.0.1:{self.live}", f"--output={self.work / 'relayd'}",
                   env=self.daemon.environment)
        self.wait_for(lambda: self.is_listening(control))
        self.daemon.lttng("create", "beside", "--live=100000", f"--ctrl-url=tcp://127.0.0.1:{control}",
                          f"--data-url=tcp://127.0.0.1:{data}")
        self.daemon.lttng("enable-event", "--userspace", "follow:*")
        self.daemon.lttng("start")
        self.env.update(self.daemon.environment, WAYMARK_SHM=str(self.shm))

    def test_both_show_the_same(self):
        _, port = self.relay("--whole")
        view = self.view(self.url(port, "all"), f"net://localhost:{self.live}/host/{HOST}/beside")
        p = self.program(1, 3000, 1000, "stay", what=sys.argv[6])
        self.wait_for(lambda: view.poll() is not None or view.text().count("step = 2999 }") >= 2, view.errors)
        p.kill()
        self.assertIsNone(view.poll(), view.errors())
        found = [LINE.match(s) for s in view.text().splitlines()]
        self.assertTrue(all(found))
        ours = [(m[3], *re.findall(r"\b(?:thread|step) = \d+", m[4])) for m in found if ":paced-both:(" in m[0]]
        theirs = [(m[3], *re.findall(r"\b(?:thread|step) = \d+", m[4])) for m in found if " follow:" in m[0]]
        self.assertEqual(len(ours), 3000)
        self.assertGreater(len(theirs), 1000)  # LTTng's begin when the viewer is attached
        self.assertEqual(ours[-len(theirs):], theirs)
        times = [int(m[1] + m[2]) for m in found]
        self.assertEqual(times, sorted(times))


if __name__ == "__main__":
    lttng.move_apart()
    reason = lttng.why_no_tests() or (len(sys.argv) < 7 and "the program was built without LTTng-UST")
    if not reason and not shutil.which("lttng-relayd"):
        reason = "lttng-relayd is not installed"
    if reason:
        print("skipped:", reason)
        sys.exit(77)
    unittest.main(argv=sys.argv[:1], verbosity=2)
