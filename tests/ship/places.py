#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests what the folder of the state keeps of many traces: places.py WAYMARK PACED OTHER [TEST...]"""

import json
import shutil
import subprocess

from clickhouse import PATIENCE
from shipped import OTHER, Shipped, main

MANY = 80  # more than DONE_MIN of src/ship/source.c


class Places(Shipped):
    def many(self, folder, count=MANY):
        """Records traces at once, of three events each."""
        (self.work / folder).mkdir(exist_ok=True)
        programs = [subprocess.Popen([OTHER, "1"], env={**self.env, "WAYMARK_TRACE": f"*,file={self.work / folder}/{n}.ctf,buffer=1M"})
                    for n in range(count)]
        for p in programs:
            self.assertEqual(p.wait(PATIENCE), 0)

    def state(self, name):
        return self.work / "state" / name

    def read(self, name):
        return json.loads(self.state(name).read_text())

    def test_traces_that_are_done_cost_nothing(self):
        self.many("many")
        self.ship_all(f"--traces={self.work / 'many'}")
        self.assertEqual(self.count(), 3 * MANY)
        self.assertEqual(len(self.read("done")), MANY)
        shipper = self.ship("--interval=0.1", f"--traces={self.work}", f"--traces={self.work / 'many'}")
        count = self.recorded(2, 1000, 200)
        self.wait_for(lambda: self.count() == 3 * MANY + count)
        self.assertLess(self.state("positions").stat().st_size, 5000)
        shipper.terminate()
        self.assertEqual(shipper.wait(PATIENCE), 0)
        # All places outlast a restart, those of moved traces, too.
        (self.work / "many").rename(self.work / "moved")
        self.assertIn(" 0 rows sent", self.ship_all(f"--traces={self.work}", f"--traces={self.work / 'moved'}"))
        self.assertIn(" 0 rows sent", self.ship_all(f"--traces={self.work}", f"--traces={self.work / 'moved'}"))
        self.assertEqual(self.count(), 3 * MANY + count)

    def test_traces_at_the_paths_of_those_that_are_done(self):
        self.many("many")
        self.ship_all(f"--traces={self.work / 'many'}")
        shutil.rmtree(self.work / "many")
        self.many("many", count=MANY // 2)
        self.ship_all(f"--traces={self.work / 'many'}")
        self.assertEqual(self.count(), 3 * MANY + 3 * (MANY // 2))
        self.assertIn(" 0 rows sent", self.ship_all(f"--traces={self.work / 'many'}"))

    def test_damaged_places_are_refused(self):
        self.many("many")
        self.ship_all(f"--traces={self.work / 'many'}")
        good = self.state("done").read_text()
        for bad in "", "{}", good[:-5]:
            self.state("done").write_text(bad)
            self.assertIn("done is damaged", self.ship_all(f"--traces={self.work / 'many'}", status=1))
        self.state("done").write_text(good)
        positions = self.state("positions").read_text()
        self.state("positions").unlink()
        self.assertIn("positions is damaged", self.ship_all(f"--traces={self.work / 'many'}", status=1))
        self.state("positions").write_text(positions)
        self.assertIn(" 0 rows sent", self.ship_all(f"--traces={self.work / 'many'}"))

    def test_two_places_at_one_path(self):
        """One is of a trace that another one has replaced."""
        self.recorded(1, 10, 0)
        self.ship_all(f"--traces={self.work}")
        replaced = self.read("positions")["traces"]
        shutil.rmtree(self.work / "t.ctf")
        self.recorded(1, 1000, 0)
        self.ship_all(f"--traces={self.work}")
        positions = self.read("positions")
        positions["traces"] = [t for t in positions["traces"] if not t["gone"]]
        self.state("positions").write_text(json.dumps(positions))
        self.state("done").write_text(json.dumps(replaced))
        self.assertIn(" 0 rows sent", self.ship_all(f"--traces={self.work}"))
        self.assert_steps([10, 1000])

    def test_traces_that_are_gone_are_forgotten(self):
        """The first ones, when there are very many."""
        self.recorded(1, 10, 0)
        self.ship_all(f"--traces={self.work}")
        positions = self.read("positions")
        gone = [{**positions["traces"][0], "uuid": f"{n:08}-0000-4000-8000-000000000000", "path": f"/gone/{n}", "gone": True}
                for n in range(1100)]
        self.state("positions").write_text(json.dumps({**positions, "traces": gone + positions["traces"]}))
        self.recorded(1, 20, 0, trace="u.ctf")
        self.ship_all(f"--traces={self.work}")
        self.assert_steps([10, 20])
        kept = {t["path"] for t in self.read("positions")["traces"] + self.read("done") if t["gone"]}
        self.assertEqual(kept, {f"/gone/{n}" for n in range(100, 1100)})
        self.assertIn(" 0 rows sent", self.ship_all(f"--traces={self.work}"))


if __name__ == "__main__":
    main()
