#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Random kills: kills.py WAYMARK VICTIM CHECK --kills=N [--seed=TEXT] [--jobs=N] [--only=NUMBER]

Each turn kills victims, recoveries and drains at random moments, and checks that the trace has
every event whose call had returned. All random choices of a turn follow from the seed and its
number, so --only repeats it; only the instruction at which the kill arrives differs. The files of a
failed turn are kept. The last line is a summary.
"""

import argparse
import collections
import contextlib
import ctypes
import multiprocessing
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import traceback

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "survive"))

import killed
import survive

PR_SET_CHILD_SUBREAPER = 36
# Events of a thread's packet that full=overwrite discards at that moment: they are both shown and
# counted as overwritten.
EVENTS_OF_A_PACKET = 8192


class Turn(killed.Killed):
    """A turn, of one of the shapes below; each shape returns the number of recorded events."""

    def begin(self, rng):
        self.setUp()
        self.rng = rng
        self.kills = 0
        self.twice = 0
        self.kind = rng.choice(("step", "text", "both"))
        # babeltrace2 is slow, so only some turns use it
        survive.BABELTRACE = rng.random() < 0.05 and shutil.which("babeltrace2")

    def moment(self, span):
        """Returns a moment in ms; early moments are more frequent, because more happens then."""
        return span * self.rng.random() ** 2

    def kill(self, span, *args, **how):
        self.kill_after(self.moment(span), *args, kind=self.kind, **how)
        self.kills += 1

    def storm(self):
        self.kill(40, "storm", self.rng.randint(1, 4))
        return self.check_what_is_left()

    def start_of_it(self):
        self.kill(6, "storm", self.rng.randint(1, 4))
        return self.check_what_is_left()

    def comers(self):
        options = self.rng.choice((",buffer=1G", ",buffer=1M,full=block"))
        self.kill(60, "comers", self.rng.randint(1, 40), options=options)
        return self.check_what_is_left()

    def full(self):
        self.kill(60, "storm", self.rng.randint(1, 4), options=",buffer=1M,full=block")
        return self.check_what_is_left()

    def flush(self):
        self.kill(60, "flush", self.rng.randint(1, 3))
        return self.check_what_is_left()

    def rotate(self):
        self.kill(60, "comers", self.rng.randint(1, 8), 5000, options=",rotate=1M,buffer=1G")
        return self.check_what_is_left()

    def turns(self):
        shm = self.rng.choice((self.shm, self.work / "none"))
        self.kill(80, "turns", self.rng.choice((0, 0, 1, 3)), shm=shm)
        return self.check_turns()

    def exits(self):
        how = self.rng.choice(("exit", "quick_exit", "abort", "segv"))
        self.kill(25, "end", how, self.rng.randint(1000, 100000), self.rng.randint(0, 3), 3)
        return self.check_what_is_left()

    def snapshots(self):
        self.kill(40, "snapshots", 20000, options=",full=overwrite,snapshot=USR2,buffer=1G")
        return self.check_what_is_left()

    def overwrite(self):
        what = self.rng.choice((("comers", self.rng.randint(1, 8), 2000), ("storm", 2),
                                ("snapshots", 60000)))
        self.kill(60, *what, options=",full=overwrite,snapshot=USR2,buffer=2M")
        if not self.trace.exists():
            return self.check_what_is_left()
        events = self.check_overwritten()
        self.check_sum()
        self.waymark("recover", self.trace)
        self.assertEqual(self.check_overwritten(), events)
        self.check_sum()
        self.assert_clean()
        return events

    def check_overwritten(self):
        """Events may be missing, but none may occur twice."""
        command = f'"{survive.WAYMARK}" print "$1" | "{survive.CHECK}" --overwritten "$2"'
        done = subprocess.run(["sh", "-c", command, "sh", self.trace, self.counts], env=self.env(),
                              capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return int(done.stdout)

    def check_sum(self):
        """Every missing event must be counted; see the known limits of docs/reliability.md."""
        more = self.counted_too_much()
        self.assertGreaterEqual(more, 0)
        if more > 64:
            self.assertLessEqual(more, EVENTS_OF_A_PACKET)
            self.twice += 1

    def recover(self):
        """Recoveries are killed, too."""
        self.kill(30, "storm", self.rng.randint(1, 4))
        for _ in range(self.rng.randint(1, 5)):
            self.kill_command(self.moment(8), "recover", "--all")
        return self.check_what_is_left()

    def kill_command(self, ms, *words):
        command = subprocess.Popen([survive.WAYMARK, *words], env=self.env(), cwd=self.work,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(ms / 1000)
        command.kill()
        command.wait()
        self.kills += 1

    def family(self):
        """A parent and its children, some of them with threads, all at the same time."""
        parent = self.start("family", 200, kind=self.kind, env=self.env(",buffer=1G"),
                            start_new_session=True)
        time.sleep(self.moment(80) / 1000)
        self.kill_group(parent)
        if not self.trace.exists():
            self.waymark("recover", "--all")
        return self.check_traces()

    def jail(self):
        """The same in a jail, with drains that are killed all the time, also at the end."""
        jail = f",jail={16},buffer=1M,full=block"
        parent = self.start("family", 15, "jail", kind=self.kind, env=self.env(jail),
                            start_new_session=True)
        for _ in range(self.rng.randint(1, 4)):
            self.kill_command(self.moment(25), "drain", str(self.trace))
        self.kill_group(parent)
        for _ in range(self.rng.randint(0, 2)):
            self.kill_command(self.moment(10), "drain", "--once", str(self.trace))
        self.waymark("drain", "--once", self.trace, status=0 if self.buffers() else 1)
        return self.check_traces()

    def kill_group(self, parent):
        """Orphaned children become children of this process: see main()."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(parent.pid, signal.SIGKILL)
        _, said = parent.communicate()
        with contextlib.suppress(ChildProcessError):
            while True:
                os.waitpid(-parent.pid, 0)
        self.kills += 1
        self.assertRegex(said, "^(waymark: .*: threads still record; .*\n)*$")

    def check_traces(self):
        """Checks the traces of all processes, before and after recovery."""
        if not self.traces():
            self.assert_nothing_was_counted()
            events = 0
        else:
            events = self.check_together(self.traces())
        self.waymark("recover", "--all")
        self.assert_clean()
        if self.traces():
            self.assertEqual(self.check_together(self.traces()), events)
        return events


SHAPES = ("storm", "start_of_it", "comers", "full", "flush", "rotate", "turns", "exits",
          "snapshots", "overwrite", "recover", "family", "jail")


def run_turn(task):
    """Returns (number, shape, kills, events, repeated events, failure)."""
    seed, number = task
    rng = random.Random(f"{seed}.{number}")
    shape = rng.choice(SHAPES)
    turn = Turn()
    turn.begin(rng)
    try:
        events, wrong = getattr(turn, shape)(), None
    except Exception:
        kept = tempfile.mkdtemp(prefix=f"waymark-kill-{number}-")
        for path in (turn.work, turn.shm):
            shutil.copytree(path, f"{kept}/{path.name}", symlinks=True)
        events, wrong = 0, f"{traceback.format_exc()}\nkept in {kept}"
    turn.doCleanups()
    return number, shape, turn.kills, events, turn.twice, wrong


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    for name in "waymark", "victim", "check":
        parser.add_argument(name)
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--seed", default=str(time.time_ns()))
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--only", type=int, help="this turn alone")
    return parser.parse_args()


def numbers_of(options):
    return range(options.kills) if options.only is None else (options.only,)


def begin_worker():
    """Makes this process the parent of orphans, so that it can wait for their end."""
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def main():
    options = arguments()
    total = collections.Counter()
    print(f"seed {options.seed}", file=sys.stderr)
    with multiprocessing.Pool(options.jobs, begin_worker) as pool:
        tasks = ((options.seed, number) for number in numbers_of(options))
        for number, shape, kills, events, twice, wrong in pool.imap_unordered(run_turn, tasks):
            total.update({"turns": 1, "kills": kills, "events": events, "failed": bool(wrong),
                          "counted twice": twice})
            if wrong:
                print(f"turn {number}, {shape}: {wrong}\nagain: --seed={options.seed} "
                      f"--only={number}", file=sys.stderr, flush=True)
            if number % 500 == 499:
                print(f"{number + 1} turns", file=sys.stderr, flush=True)
    print(", ".join(f"{what} {count}" for what, count in total.items()), f"seed {options.seed}",
          sep=", ")
    return 1 if total["failed"] else 0


if __name__ == "__main__":
    sys.exit(main())
