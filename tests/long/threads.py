#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Many short threads for a long time: threads.py WAYMARK CROWD --seconds=N [--threads=N]

Two programs at once, each with the given number of threads at a time, which fork now and then: one
writes a rotated trace, one is a flight recorder that takes repeated snapshots. `waymark info`
must find the number of events that the programs count, kind by kind; memory, files in /dev/shm
and descriptors must not grow. The last line is a summary.
"""

import argparse
import collections
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(1, os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "common"))
from memory import make_memory  # noqa: E402

MIB = 1 << 20
# The fates of a flight recorder's events. Events are lost if no memory is free while a busy
# machine writes a snapshot.
FATES = ("events", "overwritten", "lost")
RECORDED = "*,backend=ctf,ctf.file=t.ctf,full=block,buffer=256M,rotate=64M"
FLIGHT = "*,backend=ctf,ctf.file=t.ctf,full=overwrite,buffer=128M"
BUFFER_MIB = {RECORDED: 256, FLIGHT: 128}

# The buffer may fill up while the writer is slow; no other memory may grow.
MEASURED = ("MiB resident", "MiB resident beside the buffer", "MiB in /dev/shm", "descriptors")
MAY_NOT_GROW = ("MiB resident beside the buffer",)

# Memory of one crowd besides its buffer: the program, touched stacks, tables; in /dev/shm the
# buffers of a few children.
BESIDE_MIB = 64
DESCRIPTORS_MAX = 200  # at most 128 files of streams stay open; many during a snapshot, then none
SAMPLE_SECONDS = 0.5
# The share of the run after which nothing may grow; before it, threads and streams reach their
# final number.
SETTLED = 0.25
GROWTH = 1.15


def kinds_of(words):
    """Returns the program's own counts of recorded events, by their names in the trace."""
    counts = {name: int(count) for name, count in (word.split("=") for word in words)}
    counts["crowd_work_end"] = counts["crowd_work"]
    counts["Crowd:mark"] = counts.pop("marked")
    del counts["threads"]
    return {name: count for name, count in counts.items() if count}


def metadata_of(trace):
    try:
        return (trace / "metadata").read_text(errors="replace")
    except OSError:
        return ""  # removed for a snapshot


class Crowd:
    """A program of threads, watched and checked while it runs."""

    def __init__(self, options, option, snapshot_ms):
        self.options = options
        self.option = option
        self.faults = []
        self.total = collections.Counter()
        self.samples = []  # tuples in the order of MEASURED
        self.taken = collections.Counter()  # of the snapshots
        self.work = pathlib.Path(tempfile.mkdtemp(prefix="waymark-long-", dir=options.directory))
        self.shm = make_memory()
        words = [options.seconds, options.threads, options.fork_ms, snapshot_ms]
        env = {**os.environ, "WAYMARK_TRACE": option, "WAYMARK_SHM": str(self.shm)}
        self.process = subprocess.Popen([options.crowd, *map(str, words)], cwd=self.work, env=env,
                                        stdout=subprocess.PIPE, text=True)
        self.reader = threading.Thread(target=self.read)
        self.reader.start()

    def fault(self, text):
        self.faults.append(text)
        print(f"FAULT: {self.option}: {text}", file=sys.stderr, flush=True)

    def read(self):
        for line in self.process.stdout:
            what, *words = line.split()
            if what == "child":
                self.check_child(words)
            elif what == "parent":
                self.check_parent(words)
            elif what == "snapshot":
                self.take_snapshot(words[0])
            elif what == "incomplete":
                self.total["snapshots incomplete"] += 1
                if (self.work / words[0]).exists():
                    self.take_snapshot(words[0])
            else:
                self.fault(line.strip())

    def info(self, trace):
        done = subprocess.run([self.options.waymark, "info", "--json", self.work / trace],
                              capture_output=True, text=True, check=False,
                              env={**os.environ, "WAYMARK_SHM": str(self.shm)})
        if done.returncode:
            self.fault(f"waymark info {trace}: {done.stderr.strip()}")
            return collections.defaultdict(int, kinds=[])
        said = json.loads(done.stdout)
        if said["damaged"] or said["unread"] or said["rotated_packets"]:
            self.fault(f"{trace}: damaged {said['damaged']}, unread {said['unread']}")
        return said

    def check_child(self, words):
        """The child has printed its trace's name; the trace is complete when the child has ended."""
        self.wait_for_end(int(words[0]))
        trace = self.check_kinds(words)
        if trace:
            shutil.rmtree(self.work / trace)
        self.total["forks"] += 1

    def traces_of(self, pid):
        """Finds traces by their metadata: a child that begins during a snapshot has the name t.ctf."""
        wanted = re.compile(rf"\bv?pid = {pid};")
        return [path.name for path in self.work.glob("t.ctf*")
                if path.name == f"t.ctf.{pid}" or wanted.search(metadata_of(path))]

    def check_kinds(self, words):
        """Checks the trace of an ended process; another process may have got its pid in the meantime."""
        wanted = kinds_of(words[1:])
        found = {}
        for trace in self.traces_of(words[0]):
            kinds = self.info(trace)["kinds"]
            found[trace] = {kind["name"]: kind["events"] for kind in kinds if kind["events"]}
            if found[trace] == wanted:
                self.total["events"] += sum(wanted.values())
                return trace
        self.fault(f"there are {found}, recorded were {wanted}")
        return None

    def wait_for_end(self, pid):
        """Waits until the kernel has freed a child's memory: the child is at most a zombie."""
        for _ in range(3000):
            try:
                status = pathlib.Path(f"/proc/{pid}/status").read_text()
            except OSError:
                return
            if "State:\tZ" in status or f"PPid:\t{self.process.pid}\n" not in status:
                return
            time.sleep(0.02)

    def take_snapshot(self, name):
        said = self.info(name)
        self.taken.update({what: said[what] for what in FATES})
        self.total["snapshots"] += 1
        shutil.rmtree(self.work / name, ignore_errors=True)

    def check_parent(self, words):
        self.process.wait()
        self.total["threads"] = int(words[-1].split("=")[1])
        wanted = kinds_of(words[1:])
        if self.option == RECORDED:
            self.check_kinds(words)
            return
        for trace in self.traces_of(words[0]):
            said = self.info(trace)
            self.taken.update({what: said[what] for what in FATES})
        if sum(self.taken.values()) != sum(wanted.values()):
            self.fault(f"there are {dict(self.taken)}, recorded were {sum(wanted.values())}")
        self.total.update(self.taken)

    def sample(self):
        """Returns False if the program has ended."""
        pid = self.process.pid
        try:
            status = pathlib.Path(f"/proc/{pid}/status").read_text()
            resident = int(status.split("VmRSS:")[1].split()[0]) / 1024
            descriptors = sum(len(os.listdir(path)) for path in self.tables_of(pid))
        except (OSError, IndexError):
            return False
        shm = sum(map(bytes_of, self.shm.iterdir())) / MIB
        self.samples.append((resident, max(resident - shm, 0), shm, descriptors))
        return True

    @staticmethod
    def tables_of(pid):
        """Yields the descriptor tables of the program and of the writer, which has a separate table."""
        yield f"/proc/{pid}/fd"
        for task in pathlib.Path(f"/proc/{pid}/task").iterdir():
            try:
                if (task / "comm").read_text() == "waymark\n":
                    yield task / "fd"
            except OSError:
                pass  # it has ended

    def end(self):
        self.reader.join()
        if self.process.wait():
            self.fault(f"exit {self.process.returncode}")
        left = [entry.name for entry in self.shm.iterdir()]
        if left:
            self.fault(f"left in memory: {left}")
        own = self.traces_of(self.process.pid)
        nobodys = {path.name for path in self.work.glob("t.ctf*")}.difference(own)
        if nobodys:
            self.fault(f"traces that no process told of: {nobodys}")
        self.check_samples()
        shutil.rmtree(self.work)
        shutil.rmtree(self.shm)

    def check_samples(self):
        begin = self.samples[int(len(self.samples) * SETTLED):][:max(1, len(self.samples) // 4)]
        last = self.samples[-max(1, len(self.samples) // 4):]
        buffer = BUFFER_MIB[self.option]
        limits = (buffer + BESIDE_MIB, BESIDE_MIB, buffer + BESIDE_MIB, DESCRIPTORS_MAX)
        for index, what in enumerate(MEASURED):
            most = max(sample[index] for sample in self.samples)
            before, after = (max(sample[index] for sample in part) for part in (begin, last))
            if most > limits[index]:
                self.fault(f"{what}: {most:.0f}, more than {limits[index]}")
            grows = what in MAY_NOT_GROW and after > before * GROWTH + 8
            if self.options.seconds >= 60 and grows:
                self.fault(f"{what} have grown from {before:.0f} to {after:.0f}")
            self.total[what] = f"{before:.0f} then {after:.0f}"


def bytes_of(path):
    """Returns the bytes in memory; 0 for a process that has just ended."""
    try:
        return path.stat().st_blocks * 512
    except FileNotFoundError:
        return 0


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("waymark", type=os.path.abspath)
    parser.add_argument("crowd", type=os.path.abspath)
    parser.add_argument("--seconds", type=int, default=10)
    parser.add_argument("--threads", type=int, default=1000)
    parser.add_argument("--fork-ms", type=int, default=500)
    parser.add_argument("--snapshot-ms", type=int, default=1000)
    parser.add_argument("--directory", help="where traces are written")
    return parser.parse_args()


def main():
    options = arguments()
    crowds = {"in pieces": Crowd(options, RECORDED, 0),
              "flight recorder": Crowd(options, FLIGHT, options.snapshot_ms)}
    try:
        while any([crowd.sample() for crowd in crowds.values()]):
            time.sleep(SAMPLE_SECONDS)
    except BaseException:
        for crowd in crowds.values():
            crowd.process.kill()  # it would run for its full ten minutes
        raise
    for crowd in crowds.values():
        crowd.end()
    print("; ".join(f"{name}: " + ", ".join(f"{what} {n}" for what, n in crowd.total.items())
                    for name, crowd in crowds.items()))
    return 1 if any(crowd.faults for crowd in crowds.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
