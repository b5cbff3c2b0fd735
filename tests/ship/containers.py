#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests processes in containers, which have a /dev/shm, pids, users and paths of their own: containers.py WAYMARK PACED OTHER [TEST...]

The host of these tests is a pid namespace, so that the processes of other tests are not on it.
"""

import json
import os
import pathlib
import re
import resource
import shlex
import shutil
import signal
import subprocess
import sys

from clickhouse import PATIENCE
from shipped import PACED, Shipped, main

NAMESPACES = ("--mount", "--pid", "--fork", "--mount-proc", "--kill-child")
OTHER_USER = 65534

# The trace's folder has the same path in all containers. It is another folder of the host in each.
BEGIN = 'set -e; mount -t tmpfs -o mode=1777 tmpfs /dev/shm; mount --bind "$1" "$2"; shift 2; exec "$@"'
# Its root is another folder, in which /var/run leads to a /run of its own.
ROOT = 'set -e; mount --rbind / "$1"; for i in run dev/shm; do mount -t tmpfs tmpfs "$1/$i"; done; exec chroot "$@"'
# As an engine of containers: their memory is a folder of the host.
SHARED = 'set -e; mount --bind "$1" /dev/shm; mount --bind "$2" "$3"; shift 3; exec "$@"'
# Process 1 is not the program.
INIT = 'set -e; mount -t tmpfs -o mode=1777 tmpfs /dev/shm; shift 2; "$@" & read line; kill -9 $!; wait || :; echo killed; read line'


def unshare(*command, **more):
    return subprocess.Popen(["unshare", *NAMESPACES, *map(str, command)], text=True, stdout=subprocess.PIPE, **more)


def children(pid):
    path = pathlib.Path(f"/proc/{pid}/task/{pid}/children")
    return [int(child) for child in (path.read_text() if path.exists() else "").split()]


def end_all(pid):
    """Kills the process's children: one that became another user outlives its parent."""
    for child in children(pid):
        os.kill(child, signal.SIGKILL)


class Containers(Shipped):
    def setUp(self):
        super().setUp()
        for name in ("WAYMARK_SHM", "WAYMARK_MEMORY"):
            self.env.pop(name, None)
        subprocess.run(["mount", "-t", "tmpfs", "-o", "mode=1777", "tmpfs", "/dev/shm"], check=True)
        self.addCleanup(subprocess.run, ["umount", "-l", "/dev/shm"])
        self.inner = self.work / "inner"
        self.inner.mkdir()
        for folder in (self.folder, self.work):
            folder.chmod(0o755)

    def place(self, name):
        folder = self.work / name
        folder.mkdir()
        os.chown(folder, OTHER_USER, OTHER_USER)
        return folder

    def started(self, p):
        for cleanup in (*(file.close for file in (p.stdin, p.stdout) if file), p.wait, p.kill):
            self.addCleanup(cleanup)
        self.addCleanup(end_all, p.pid)
        return p

    def environment(self, trace, options=",full=block,buffer=8M"):
        return {**self.env, "WAYMARK_TRACE": f"*,file={trace}{options}"}

    def container(self, name, *args, before=(), script=BEGIN, what=PACED, **more):
        """Starts a program in a container whose folder of traces is `name` of the host."""
        env = self.environment(self.inner / "x.ctf")
        return self.started(unshare(*before, "sh", "-c", script, "sh", self.place(name), self.inner, what, *args, env=env, **more))

    def said(self, p):
        """Returns the number of events that the program has recorded, when it says so."""
        for line in p.stdout:
            if found := re.search(r"recorded (\d+)", line):
                return int(found[1])
        self.fail("it recorded nothing")

    def end(self, shipper, counts):
        self.wait_for(lambda: self.count() >= sum(counts))
        shipper.terminate()
        self.assertEqual(shipper.wait(PATIENCE), 0, self.notes(shipper))
        self.assert_steps(counts)
        self.assertEqual(self.count("gaps"), 0)
        self.assertRegex(self.notes(shipper), r"\A[^\n]* rows sent\n\Z")

    def test_two_with_the_same_pid_and_path(self):
        """Ended, killed and started anew while a shipper runs; nothing of a killed one is only in files."""
        shipper = self.ship("--interval=0.05")
        both = [self.container(f"one-{i}", 2, 40000, -20) for i in range(2)]
        stays = self.container("stays", 2, 40000, -20, "stay")
        counts = [self.said(p) for p in both]
        counts.append(self.said(stays))
        stays.kill()
        again = [self.container(f"two-{i}", 2, 40000, -20, "stay") for i in range(2)]
        for p in again:
            counts.append(self.said(p))
            p.kill()
        self.end(shipper, counts)
        self.assertEqual(self.server.ask("SELECT pid, count(), uniqExact(path), min(path LIKE '/proc/%/root/%/inner/x.ctf') FROM processes "
                                         "GROUP BY pid"), "1\t5\t5\t1")

    def test_killed_while_they_record(self):
        """Of each thread, all events up to some one are there."""
        shipper = self.ship("--interval=0.05")
        both = [self.container(f"{i}", 2, 1 << 30, -20) for i in range(2)]
        self.wait_for(lambda: self.count("processes") == 2 and self.count() > 100000)
        for p in both:
            p.kill()
            p.wait()
        shipper.terminate()
        self.assertEqual(shipper.wait(PATIENCE), 0, self.notes(shipper))
        self.assertEqual(self.server.ask("SELECT count(), min(n = different AND n = last + 1) FROM (SELECT process, numbers[1] AS t, "
                                         "count() AS n, uniqExact(numbers[2]) AS different, max(numbers[2]) AS last FROM events "
                                         "WHERE event = 'step' GROUP BY process, t)"), "4\t1")
        self.assertEqual(self.count("gaps"), 0)

    def test_traces_that_are_also_seen_on_the_host(self):
        """Each event is there once, though a trace has two paths, and those in memory come though the folder alone is known at first."""
        shipper = self.ship("--interval=0.05", f"--traces={self.work}")
        both = [self.container(f"{i}", 2, 30000, -20, "stay") for i in range(2)]
        counts = [self.said(p) for p in both]
        for p in both:
            p.kill()
        self.end(shipper, counts)

    def test_another_user(self):
        """The program is root in its container, and nobody outside."""
        shipper = self.ship("--interval=0.05")
        env = self.environment(self.inner / "x.ctf")
        user = ("setpriv", f"--reuid={OTHER_USER}", f"--regid={OTHER_USER}", "--clear-groups", "unshare", "--user", "--map-root-user")
        both = [self.started(subprocess.Popen([*user, *NAMESPACES, "sh", "-c", BEGIN, "sh", self.place(f"{i}"), self.inner, PACED, "2",
                                               "40000", "-20", "stay"], env=env, stdout=subprocess.PIPE, text=True)) for i in range(2)]
        counts = [self.said(p) for p in both]
        self.assertEqual((self.work / "0/x.ctf").stat().st_uid, OTHER_USER)
        for p in both:
            p.kill()
        self.end(shipper, counts)

    def test_a_root_of_its_own(self):
        """Symbolic links are those of the container; its files end with it."""
        shipper = self.ship("--interval=0.05")
        self.assertEqual(os.readlink("/var/run"), "/run")
        both = []
        for i in range(2):
            both.append(self.started(unshare("sh", "-c", ROOT, "sh", self.place(f"root-{i}"), PACED, 2, 40000, -20, "stay",
                                             env=self.environment("/var/run/x.ctf"))))
        counts = [self.said(p) for p in both]
        self.assertFalse(os.path.exists("/run/x.ctf"))
        for p in both:
            p.kill()
        self.end(shipper, counts)

    def test_what_is_put_in_place_of_a_trace(self):
        """It is in the container's root, though a shipper knows the path: a link that leads to the host's files, or a FIFO."""
        secret = self.work / "secret"
        secret.mkdir()
        self.recorded(1, 500, 0, trace="secret/x.ctf")
        hide = f"mount -t tmpfs tmpfs {shlex.quote(str(secret))}; exec"
        count = self.said(self.container("0", 1, 1000, 0, "stay", script=BEGIN.replace("exec", hide)))
        self.ship_all()
        place = self.work / "0/x.ctf"
        place.rename(self.work / "0/was")

        def links():
            place.mkdir()
            for file in (secret / "x.ctf").iterdir():
                (place / file.name).symlink_to(file)

        for put, remove in ((lambda: place.symlink_to(secret / "x.ctf"), place.unlink), (links, lambda: shutil.rmtree(place)),
                            (lambda: os.mkfifo(place), place.unlink)):
            put()
            self.ship_all()
            remove()
        self.assert_steps([count])
        self.assertEqual(self.count("processes"), 1)

    def test_too_many_files(self):
        """A container fills its memory with names: that takes nothing from the others, and is said."""
        both = [self.container(f"{i}", 1, 1000, 0, "stay") for i in range(2)]
        counts = [self.said(p) for p in both]
        memory = pathlib.Path(f"/proc/{children(both[0].pid)[0]}/root/dev/shm")
        for i in range(5000):
            (memory / f"waymark-{i:032x}").touch()
        done = self.waymark("ls", "--json")
        said = r"/proc/\d+/.*/shm: too many files: only some of its buffers are found; remove what is none\n"
        self.assertRegex(done.stderr, said)
        self.assertLess(4096, len(done.stdout.splitlines()))
        self.assertLess(len(done.stdout.splitlines()), 4100)
        self.assertEqual(len(re.findall(said, self.ship_all())), 1)
        self.assertIn(self.count(), (counts[1], sum(counts)))

    def test_a_trace_of_many_events(self):
        """A look at many processes does not read all that their traces declare."""
        p = self.container("0", 1, 100, 0, "stay")
        self.said(p)
        pid = children(p.pid)[0]
        os.kill(pid, signal.SIGSTOP)  # it writes its metadata anew when it has measured its clock
        memory = pathlib.Path(f"/proc/{pid}/root/dev/shm")
        buffer = next(memory.iterdir()).read_bytes()[:1 << 17]
        for i in range(64):
            (memory / f"waymark-{i:032x}").write_bytes(buffer)
        with open(self.work / "0/x.ctf/metadata", "a", encoding="ascii") as metadata:
            metadata.write("/* ... */\n" * (4 << 20))
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        self.assertEqual([row["program"] for row in self.rows()], ["paced"] * 65)
        self.assertLess(resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before, 5)

    def test_a_file_with_a_huge_hole(self):
        """A container makes a file of its trace longer than all memory: that does not keep the shipper from the others."""
        both = [self.container(f"{i}", 1, 1000, 0, "stay") for i in range(2)]
        counts = [self.said(p) for p in both]
        file = self.work / "0/x.ctf/stream-1"
        self.wait_for(lambda: file.exists() and file.stat().st_size > 4096)
        os.kill(children(both[0].pid)[0], signal.SIGSTOP)
        os.truncate(file, 1 << 40)
        shipper = self.ship("--interval=0.05")
        self.wait_for(lambda: self.count() == sum(counts))
        shipper.terminate()
        self.assertEqual(shipper.wait(20), 0, self.notes(shipper))
        self.assert_steps(counts)

    def test_memory_that_is_named(self):
        """After the end of the container, as its memory is a folder of the host; no other memory is searched."""
        self.container("other", 1, 100, 0, "stay")
        shm = self.place("shm")
        subprocess.run(["mount", "-t", "tmpfs", "-o", "mode=1777", "tmpfs", shm], check=True)
        self.addCleanup(subprocess.run, ["umount", "-l", shm])
        p = self.started(unshare("sh", "-c", SHARED, "sh", shm, self.place("traces"), self.inner, PACED, 2, 20000, 0, "stay",
                                 env=self.environment(self.inner / "x.ctf")))
        count = self.said(p)
        self.wait_for(lambda: self.leftover(shm)["recorded"] == count)
        notes = self.ship_all(state="without", env={"WAYMARK_MEMORY": str(shm)})
        self.assertRegex(notes, f"{shm}/waymark-[0-9a-f]{{32}}: its trace is not here: give its folder by --traces")
        p.kill()
        p.wait()
        self.wait_for(lambda: self.leftover(shm)["problem"] == "has ended and left memory")
        self.env["WAYMARK_MEMORY"] = f"/nonexistent:{shm}"
        self.ship_all(f"--traces={self.work / 'traces'}")
        self.assert_steps([count])
        self.assertEqual(len(list(shm.iterdir())), 1)

    def leftover(self, memory):
        lines = self.waymark("ls", "--json", env={"WAYMARK_MEMORY": str(memory)}).stdout.splitlines()
        self.assertEqual(len(lines), 1)
        return json.loads(lines[0])

    def test_what_other_commands_show(self):
        """A pid is the host's, and processes with one pid are two."""
        both = [self.container(f"{i}", 1, 1000, 0, "stay") for i in range(2)]
        pids = sorted(children(p.pid)[0] for p in both if self.said(p))
        self.wait_for(lambda: all(row["recorded"] == 1000 for row in self.rows()))
        self.assertEqual([row["pid"] for row in self.rows()], pids)
        metrics = self.waymark("metrics").stdout
        for pid in pids:
            self.assertIn(f'waymark_events_recorded_total{{program="paced",pid="{pid}"}} 1000', metrics)
            shown = json.loads(self.waymark("top", "--once", "--json", pid).stdout)
            self.assertEqual((shown["pid"], shown["program"], shown["state"]), (pid, "paced", "records"))
            printed = self.waymark("print", f"/proc/{pid}/root/{self.inner}/x.ctf").stdout
            self.assertEqual(len(printed.splitlines()), 1000)

    def test_rights(self):
        """The service's capabilities are those that it takes to find what another user records in a container, and to read it."""
        unit = pathlib.Path(__file__).resolve().parents[2] / "packaging/systemd/waymark-ship.service.in"
        rights = re.search(r"^CapabilityBoundingSet=(.*)", unit.read_text(), re.M)[1].lower().replace("cap_", "").split()
        user = ("setpriv", f"--reuid={OTHER_USER}", f"--regid={OTHER_USER}", "--clear-groups", "sh", "-c", 'umask 077; exec "$@"', "sh")
        p = self.container("0", 1, 1000, 0, "stay", script=BEGIN.replace("exec", f"exec {shlex.join(user)}"))
        count = self.said(p)
        for dropped in (None, *rights):
            kept = ",".join(["-all", *(f"+{right}" for right in rights if right != dropped)])
            state = f"--state={self.work / str(dropped)}"
            subprocess.run(["setpriv", f"--bounding-set={kept}", "--inh-caps=-all", sys.argv[1], "ship", "--once", state,
                            f"--to={self.server.place()}"], env=self.env, check=dropped is None, capture_output=True, timeout=PATIENCE)
            self.assertEqual(self.count(), 0 if dropped else count, dropped)
            self.make_tables(self.server)

    def rows(self):
        return [json.loads(line) for line in self.waymark("ls", "--json").stdout.splitlines()]

    def test_memory_of_an_ended_process(self):
        """It is listed, and nothing on the host changes it; `recover --all` is for the host's own."""
        p = self.container("0", 1, 1000, 0, "stay", script=INIT, stdin=subprocess.PIPE)
        self.said(p)
        p.stdin.write("\n")
        p.stdin.flush()
        self.assertEqual(p.stdout.readline(), "killed\n")
        memory = pathlib.Path(f"/proc/{children(p.pid)[0]}/root/dev/shm")
        before = [(f.name, f.stat().st_mtime_ns, f.read_bytes()) for f in memory.iterdir()]
        self.assertEqual(len(before), 1)
        row, = self.rows()
        self.assertEqual(row["problem"], "has ended and left memory")
        self.assertIn("in a container", row["to-do"])
        for arguments in (("recover", "--all"), ("recover", "--discard-gone"), ("metrics",), ("top", "--once")):
            subprocess.run([sys.argv[1], *arguments], env=self.env, capture_output=True, timeout=PATIENCE)
        self.assertEqual([(f.name, f.stat().st_mtime_ns, f.read_bytes()) for f in memory.iterdir()], before)
        self.ship_all()
        self.assert_steps([1000])


if __name__ == "__main__":
    if os.geteuid() or subprocess.run(["unshare", *NAMESPACES, "true"], check=False, capture_output=True).returncode:
        print("namespaces cannot be made: it needs root")
        sys.exit(77)
    if os.environ.pop("IN_NAMESPACES", None):
        main()
    else:
        os.environ["IN_NAMESPACES"] = "1"
        os.execvp("unshare", ["unshare", *NAMESPACES, sys.executable, *sys.argv])
