#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests want of descriptors: short.py WAYMARK PACED OTHER SHORT [TEST...]"""

import os
import re
import resource
import shutil
import subprocess
import sys

SHORT = os.path.abspath(sys.argv.pop(4))
from clickhouse import PATIENCE  # noqa: E402
from shipped import PACED, Shipped, WAYMARK, main  # noqa: E402


class Short(Shipped):
    def setUp(self):
        super().setUp()
        self.flag = self.work / "short"
        self.preload = {"LD_PRELOAD": SHORT, "SHORT": str(self.flag), "SHORT_NAME": "stream-"}

    def test_files_that_cannot_be_opened_for_now(self):
        """It is reported; when there are descriptors again, all events arrive, each once."""
        count = self.recorded(2, 5000, 0)
        self.flag.touch()
        shipper = self.ship("--interval=0.1", self.work / "t.ctf", env=self.preload)
        self.wait_for(lambda: "Too many open files" in self.notes(shipper))
        self.assertEqual(self.count(), 0)
        self.flag.unlink()
        self.wait_for(lambda: self.count() >= count)
        shipper.terminate()
        shipper.wait(PATIENCE)
        self.assert_steps([count])

    def test_files_of_a_program_that_runs(self):
        """They come and go while the reader is open."""
        program = self.program(2, 60000, -50, options=",full=block,buffer=1M,rotate=1M")
        shipper = self.ship("--interval=0.1", f"--traces={self.work}", env=self.preload)
        for _ in range(3):
            before = self.count()
            self.wait_for(lambda: self.count() > before or program.poll() is not None)
            self.flag.touch()
            reports = self.notes(shipper).count("Too many open files")
            self.wait_for(lambda: self.notes(shipper).count("Too many open files") > reports or program.poll() is not None)
            self.flag.unlink()
        count = int(re.search(r"recorded (\d+)", program.stdout.read())[1])
        self.wait_for(lambda: self.count() >= count)
        shipper.terminate()
        self.assertEqual(shipper.wait(PATIENCE), 0, self.notes(shipper))
        self.assert_steps([count])

    def test_an_event_that_is_declared_later(self):
        """Its declaration cannot be read for now."""
        program = subprocess.Popen([PACED, "1", "100", "20000", "late"], stdout=subprocess.PIPE,
                                   env={**self.env, "WAYMARK_TRACE": f"step,file={self.work / 't.ctf'}"})
        for cleanup in (program.stdout.close, program.wait, program.kill):
            self.addCleanup(cleanup)
        shipper = self.ship("--interval=0.1", f"--traces={self.work}", env={**self.preload, "SHORT_NAME": "metadata"})
        self.wait_for(lambda: self.count() > 0)
        self.flag.touch()
        self.assertEqual(program.wait(PATIENCE), 0)
        self.wait_for(lambda: "Too many open files" in self.notes(shipper))
        self.flag.unlink()
        self.wait_for(lambda: self.count() == 101)
        shipper.terminate()
        self.assertEqual(shipper.wait(PATIENCE), 0, self.notes(shipper))
        self.assertLess(self.notes(shipper).count("Too many open files"), 3)

    def test_a_folder_whose_trace_cannot_be_opened(self):
        """Other than one that is no trace of ours, it makes --once fail."""
        count = self.recorded(2, 500, 0)
        self.flag.touch()
        env = {**self.preload, "SHORT_NAME": "metadata"}
        self.assertIn("Too many open files", self.ship_all(f"--traces={self.work}", env=env, status=1))
        self.flag.unlink()
        self.ship_all(f"--traces={self.work}", env=env)
        self.assert_steps([count])

    def test_once_fails_and_the_next_run_goes_on(self):
        count = self.recorded(2, 5000, 0)
        self.flag.touch()
        notes = self.ship_all(self.work / "t.ctf", env=self.preload, status=1)
        self.assertIn("Too many open files", notes)
        self.flag.unlink()
        self.ship_all(self.work / "t.ctf", env=self.preload)
        self.assert_steps([count])

    def test_places_that_cannot_be_read(self):
        """They are not called damaged."""
        self.recorded(1, 10, 0)
        self.ship_all(self.work / "t.ctf")
        self.flag.touch()
        notes = self.ship_all(self.work / "t.ctf", env={**self.preload, "SHORT_NAME": "positions"}, status=1)
        self.assertIn("positions: Too many open files", notes)

    def test_a_limit(self):
        """Below some number of descriptors nothing works, above it everything does; nothing is lost in between."""
        count = self.recorded(2, 2000, 0)
        for what in self.work / "t.ctf", f"--traces={self.work}":
            self.make_tables(self.server)
            for limit in range(4, 40):
                done = subprocess.run([WAYMARK, "ship", "--once", f"--to={self.server.place()}", f"--state={self.work / 'state'}", what],
                                      env=self.env, capture_output=True, text=True, timeout=PATIENCE,
                                      preexec_fn=lambda limit=limit: resource.setrlimit(resource.RLIMIT_NOFILE, (limit, limit)))
                self.assertIn(self.count(), (0, count), f"{limit}: {done.stderr}")
                if done.returncode == 0:
                    break
                self.assertTrue(done.stderr, limit)
            self.assertLess(limit, 39, done.stderr)
            self.assert_steps([count])
            shutil.rmtree(self.work / "state")

    def test_a_reader(self):
        """waymark print reports the failure."""
        self.recorded(2, 100, 0)
        self.flag.touch()
        done = subprocess.run([WAYMARK, "print", self.work / "t.ctf"], env={**os.environ, **self.preload}, capture_output=True,
                              text=True, timeout=PATIENCE)
        self.assertEqual((done.returncode, "Too many open files" in done.stderr), (1, True), done.stderr)


if __name__ == "__main__":
    main()
