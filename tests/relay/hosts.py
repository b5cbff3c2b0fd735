#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests a relay that shows those of other hosts: hosts.py WAYMARK PACED OTHER THREADS CLOCK [TEST...]"""

import os
import pathlib
import shutil
import signal
import subprocess
import sys
import unittest

from viewed import PATIENCE, Viewed, free_port, make_memory


class Hosts(Viewed):
    """Each host has a name and memory of its own."""

    def host(self, name, *args):
        shm = make_memory()
        self.addCleanup(shutil.rmtree, shm)
        env = {**self.env, "WAYMARK_SHM": str(shm)}
        relay, port = self.relay("--whole", *args, env=env,
                                 before=("unshare", "-u", "sh", "-c", f'hostname {name}; exec "$@"', "sh"))
        return {"WAYMARK_SHM": str(shm)}, relay, port

    def test_sessions_of_two_hosts(self):
        (a_env, _, a), (b_env, b_relay, b) = self.host("first"), self.host("second")
        front, port = self.relay(f"--host=localhost:{a}", f"--host=127.0.0.1:{b}")
        programs = [self.program(2, 1500, 1000, trace=f"{i}.ctf", env=e) for i, e in enumerate((a_env, b_env))]
        done = subprocess.run(["babeltrace2", "--input-format=lttng-live", f"net://localhost:{port}"], text=True,
                              capture_output=True, timeout=PATIENCE)
        for host, p in zip(("first", "second"), programs):
            self.assertIn(f"/host/{host}/paced-{p.pid} ", done.stdout)
            self.assertIn(f"/host/{host}/all ", done.stdout)
        one = self.view(self.url(port, f"paced-{programs[0].pid}", "first"))
        both = self.view(self.url(port, "all", "first"), self.url(port, "all", "second"))
        self.assertEqual([p.wait(PATIENCE) for p in programs], [0, 0])
        self.assertEqual(one.wait(PATIENCE), 0, one.errors())
        self.assert_same(one.events(), self.printed("0.ctf"))
        self.wait_for_events(both, 5000)
        self.assertEqual({e[1] for e in both.events()}, {p.pid for p in programs})
        b_relay.kill()
        done = subprocess.run(["babeltrace2", "--input-format=lttng-live", f"net://localhost:{port}"], text=True,
                              capture_output=True, timeout=PATIENCE)
        self.assertIn("/host/first/all ", done.stdout)
        self.assertNotIn("/host/second/", done.stdout)
        self.assertIn(f"127.0.0.1:{b}: no relay answers there", pathlib.Path(front.errors).read_text())

    def test_a_host_that_is_silent(self):
        """It delays a list by two seconds, not for ever."""
        relay, port = self.relay("--whole")
        os.kill(relay.pid, signal.SIGSTOP)
        front, own = self.relay(f"--host=localhost:{port}", f"--host=no.such.host.invalid:{free_port()}")
        self.assertEqual(self.sessions(own), ["all"])
        os.kill(relay.pid, signal.SIGCONT)
        text = pathlib.Path(front.errors).read_text()
        self.assertIn(f"localhost:{port}: no relay answers there", text)
        self.assertIn("no.such.host.invalid", text)


if __name__ == "__main__":
    if os.geteuid() != 0:
        print("skipped: only root can give a process another name of the host")
        sys.exit(77)
    unittest.main(argv=[sys.argv[0], *sys.argv[6:]], verbosity=2)
