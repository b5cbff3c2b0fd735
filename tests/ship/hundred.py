#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Faults of all kinds while programs record: hundred.py WAYMARK PACED OTHER CLOCK [FAULTS]"""

import collections
import os
import random
import re
import subprocess
import sys
import time
import unittest

from clickhouse import PATIENCE, Proxy, is_installed
from shipped import Shipped

CLOCK = os.path.abspath(sys.argv[4])
FAULTS = int(sys.argv[5]) if len(sys.argv) > 5 else 100


class Hundred(Shipped):
    def begin_shipper(self):
        self.shipper = self.ship("--interval=0.05", f"--traces={self.work}", to=self.place, state="small/state",
                                 env={"SHIFT_FILE": str(self.shift), "LD_PRELOAD": CLOCK})

    # ---- The faults ----

    def kill_the_shipper(self):
        self.shipper.kill()
        self.shipper.wait()
        self.begin_shipper()

    def kill_the_server(self):
        self.server.kill()
        time.sleep(self.chance.uniform(0, 1))
        self.server.start()

    def cut_the_network(self):
        self.proxy.odds = 0.7
        time.sleep(self.chance.uniform(0.2, 1))
        self.proxy.odds = 0

    def set_the_clock(self):
        self.shift.write_text(str(self.chance.choice((-3600, -5, 0, 5, 3600))))

    def fill_the_disk(self):
        """A shipper that cannot store ends; it is begun again when there is room."""
        filler = self.small / "filler"
        try:
            with open(filler, "wb", buffering=0) as f:
                while f.write(bytes(65536)):
                    pass
        except OSError:
            pass
        time.sleep(self.chance.uniform(0.2, 1))
        filler.unlink()

    def test_a_hundred(self):
        self.chance = random.Random(int(os.environ.get("SEED", 33)))
        self.shift = self.work / "shift"
        self.shift.write_text("0")
        self.small = self.work / "small"
        self.small.mkdir()
        subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64M", "tmpfs", self.small], check=True)
        self.addCleanup(subprocess.run, ["umount", "-l", self.small])
        self.proxy = Proxy(self.server.http)
        self.addCleanup(self.proxy.close)
        self.place = self.server.place(port=self.proxy.own)
        kinds = [self.kill_the_shipper] * 6 + [self.cut_the_network] * 2 + [self.set_the_clock, self.fill_the_disk, self.kill_the_server]
        done = collections.Counter()
        programs = [self.program(2, 10**9, -10, trace=f"{n}.ctf") for n in range(3)]
        self.begin_shipper()
        for _ in range(FAULTS):
            time.sleep(self.chance.uniform(0.05, 0.6))
            fault = self.chance.choice(kinds)
            fault()
            done[fault.__name__] += 1
            if self.shipper.poll() is not None:
                self.begin_shipper()
        for p in programs:
            p.kill()
            p.wait(PATIENCE)
        self.shipper.terminate()
        self.shipper.wait(PATIENCE)
        self.ship_all(f"--traces={self.work}", to=self.place, state="small/state")
        self.assert_complete()
        print(f"{dict(done)}, {self.count()} events", file=sys.stderr)

    def assert_complete(self):
        """Each step that the traces have is there, once; none was lost."""
        counts = []
        for n in range(3):
            out = subprocess.run([sys.argv[1], "print", "--count", self.work / f"{n}.ctf"], text=True, capture_output=True,
                                 env=self.env, check=True).stdout
            counts.append(int(re.search(r"\d+", out)[0]))
        self.assertGreater(min(counts), 1000)
        self.assert_steps(counts)


if __name__ == "__main__":
    if not is_installed() or os.geteuid() != 0:
        print("skipped: it needs clickhouse-server and the right to mount")
        sys.exit(77)
    unittest.main(argv=sys.argv[:1], verbosity=2)
