#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests that processes in jails record, and that `waymark drain` writes their traces:

jail.py WAYMARK DEVICE KILL_AT [TEST...]

A device process makes only the system calls of waymark_jail_syscalls(): its filter kills it at any
other call.
"""

import os
import pathlib
import pty
import re
import shutil
import signal
import subprocess
import time
import unittest

from harness import DEVICE, Harness, KILL_AT, LIMIT, ROOT, TSAN, WAYMARK


class Patience(Harness):
    def test_without_a_drain_no_process_waits_for_ever(self):
        begin = time.time()
        device = self.device("exit", 1, 100000, option="jail=1,buffer=1M,full=block")
        _, err = self.finish(device)
        self.assertGreater(time.time() - begin, 9.5)
        self.assertIn("events lost", err)
        self.waymark("drain", self.trace)
        self.assertGreater(len(self.ticks_of(self.traces()[0])), 30000)


class Jail(Harness):
    def test_a_million_events_with_a_drain(self):
        traces = self.run_drained("plain", 1, 1000000)
        self.assertEqual(len(traces), 1)
        self.assert_all(traces[0], 1000000)

    def test_the_user_of_a_terminal_sees_that_it_waits(self):
        terminal, its = pty.openpty()
        self.addCleanup(os.close, terminal)
        drain = subprocess.Popen([WAYMARK, "drain", self.trace], env=self.env, stderr=its)
        self.addCleanup(drain.kill)
        os.close(its)
        said = b""
        while b"\n" not in said:  # a terminal delivers it in parts
            said += os.read(terminal, 4096)
        self.assertIn(b"no program records there yet: waiting for one", said)
        drain.send_signal(signal.SIGINT)
        self.assertEqual(drain.wait(LIMIT), 0)

    def test_killed_before_any_drain(self):
        device = self.device("hang", 1, 1000000, option="jail=2,buffer=64M")
        pids = self.children(device)
        os.kill(pids[0], signal.SIGKILL)
        self.finish(device, 1)
        self.waymark("drain", self.trace)
        self.assert_all(f"{self.trace}.{pids[0]}", 1000000)
        self.assert_nothing_left()

    @unittest.skipUnless(KILL_AT, "a sanitizer comes first")
    def test_killed_at_each_change_of_a_file_while_the_memory_is_made(self):
        """`waymark recover --all` removes the leftovers."""
        option = f"*,backend=ctf,ctf.file={self.trace},jail=3,buffer=1M"
        env = dict(self.env, WAYMARK_TRACE=option, LD_PRELOAD=os.path.abspath(KILL_AT))
        status, steps = -signal.SIGKILL, 0
        while status == -signal.SIGKILL and steps < 50:
            steps += 1
            env["VICTIM_KILL_AT"] = str(steps)
            status = subprocess.run([DEVICE, "exit", "0", "0"], env=env, check=False,
                                    capture_output=True, timeout=LIMIT).returncode
            self.waymark("recover", "--all")
            self.assert_nothing_left()
        self.assertIn(steps, range(4, 50))

    def written(self):
        return sum(f.stat().st_size for f in self.folder.glob("t.ctf*/*") if f.is_file())

    def test_the_drain_killed_and_begun_anew(self):
        """Each drain is killed after it has written something. The device ends only if drains continue."""
        device = self.device("plain", 1, 1000000)
        times = 0
        while device.poll() is None:
            before = self.written()
            drain = self.drain(self.trace)
            while self.written() == before and device.poll() is None:
                time.sleep(0.001)
            drain.kill()
            drain.wait()
            times += 1
        self.assertGreater(times, 0)
        self.finish(device)
        if os.listdir(self.shm):
            self.waymark("drain", self.trace)
        self.assert_all(self.traces()[0], 1000000)
        self.assert_nothing_left()

    def test_two_devices_and_the_broker(self):
        traces = self.run_drained("first", 2, 100000)
        self.assertEqual(traces[0], str(self.trace))
        self.assertEqual(len(traces), 3)
        for trace in traces:
            self.assert_all(trace, 100000)

    def test_another_system_call_kills(self):
        device = self.device("forbidden", 1, 10)
        out, _ = self.finish(device, 1)
        self.assertIn(f"signal {signal.SIGSYS.value}", out)
        self.waymark("drain", self.trace)
        self.assert_all(self.traces()[0], 10)

    def test_threads(self):
        if TSAN:  # TSan cannot see in which order another process returns memory
            self.finish(self.device("threads", 1, 20000, option="jail=1,buffer=16M,full=block"))
            self.waymark("drain", self.trace)
        else:
            self.run_drained("threads", 1, 20000)
        self.assertEqual(sorted(self.ticks(self.traces()[0])), list(range(8 * 20000)))

    def test_signals_and_a_full_buffer(self):
        traces = self.run_drained("signals", 1, 300000)
        self.assert_all(traces[0], 300000)
        out, _ = self.waymark("print", traces[0])
        notes = [int(n) for n in re.findall(r"note signal (\d+)", out)]
        self.assertEqual(notes, list(range(len(notes))))

    def test_scopes_without_declarations(self):
        traces = self.run_drained("scopes", 1, 20000)
        out, err = self.waymark("scopes", "--csv", *traces)
        self.assertEqual(err, "")
        self.assertIn('"Device:outer (of two)",20000,', out)
        self.assertIn('"Device:inner",10000,', out)
        out, _ = self.waymark("print", *traces)
        self.assertEqual(out.count("19999 of all"), 1)

    def test_an_event_switched_on_in_the_jail(self):
        traces = self.run_drained("late", 1, 1000)
        out, _ = self.waymark("print", traces[0])
        self.assertEqual(len(re.findall(r"tick n", out)), 2000)
        self.assertIn("late n 7", out)

    def test_grandchildren(self):
        traces = self.run_drained("grandchild", 1, 1000)
        self.assertEqual([self.ticks(t)[0] for t in traces].count(0), 1)
        self.assertEqual(sorted(sum(map(self.ticks, traces), [])), list(range(2000)))

    def test_all_steps_of_a_jail(self):
        if not ROOT:
            self.skipTest("chroot, setuid and unshare need root")
        empty = self.folder / "empty"
        empty.mkdir()
        traces = self.run_drained(
            "plain", 1, 1000, "unshare", f"chroot={empty}", "setuid=65534", "close")
        self.assert_all(traces[0], 1000)

    def test_namespaces_of_processes_and_users(self):
        if not ROOT:
            self.skipTest("a namespace of processes needs root")
        if TSAN:
            self.skipTest("TSan has a thread of its own, and with two none enters a namespace of users")
        device = self.device("pidns", 1, 50000, "userns", "close", option="jail=2,buffer=8M")
        pid = self.children(device)[0]
        self.finish(device)
        self.waymark("drain", self.trace)
        # No consumer saw the process alive, so only its pid in its own namespace is known.
        self.assertEqual(self.traces(), [f"{self.trace}.1"])
        self.assert_all(self.traces()[0], 50000)
        self.assertNotEqual(pid, 1)

    def test_descriptors_are_listed_once(self):
        self.finish(self.device("list", 0, 0))
        self.waymark("drain", self.trace)

    def test_the_log_goes_on(self):
        if not ROOT:
            self.skipTest("chroot needs root")
        empty = self.folder / "empty"
        empty.mkdir()
        self.device("exit", 1, 0)
        self.env["WAYMARK_TRACE"] = f"tick,backend=log,log.file={self.folder}/log,jail=1"
        device = self.start([DEVICE, "exit", "1", "5000", f"chroot={empty}", "close"])
        self.finish(device)
        lines = (self.folder / "log").read_text().splitlines()
        self.assertEqual([int(line.split()[-1]) for line in lines], list(range(5000)))

    def test_overwriting_is_refused(self):
        device = self.device("exit", 1, 10, option="jail=1,full=overwrite")
        _, err = self.finish(device)
        self.assertIn("using full=discard", err)
        self.waymark("drain", self.trace)
        self.assert_all(self.traces()[0], 10)

    def test_what_comes_behind_the_jail_is_refused(self):
        self.finish(self.device("overwrite", 0, 0))

    def test_threads_that_make_the_jail_together(self):
        for _ in range(10):
            self.finish(self.device("together", 0, 0))

    def test_bad_options(self):
        for option, wanted in (("jail=0", "1 to 64"), ("jail=65", "'65' is neither off nor a number from 1 to 64")):
            _, err = self.finish(self.device("exit", 0, 0, option=option))
            self.assertIn(wanted, err)

    def test_descriptors_that_were_closed_all_the_same(self):
        traces = self.run_drained("plain", 1, 100000, "close-all")
        self.assert_all(traces[0], 100000)

    def test_more_processes_than_the_jail_has_room_for(self):
        _, err = self.finish(self.device("exit", 3, 1000, option="jail=2"))
        self.assertEqual(err.count("jail= is too small: more processes record"), 1, err)
        self.assertIn("1000 events lost", err)
        self.finish(self.drain(self.trace))
        self.assertEqual(len(self.traces()), 2)
        self.assert_nothing_left()

    def test_processes_one_after_another_share_the_memory(self):
        traces = self.run_drained("turns", 20, 5000, option="jail=3,buffer=1M,full=block")
        self.assertEqual(len(traces), 20)
        for trace in traces:
            self.assert_all(trace, 5000)

    def test_processes_and_drains_that_are_killed_at_any_moment(self):
        count = int(os.environ.get("JAIL_KILLS", "40"))
        device = self.device("killed", count, 1000000, option="jail=4,buffer=1M,full=block")
        turns = 0
        while device.poll() is None:
            drain = self.drain(self.trace)
            time.sleep(0.01 + turns % 8 / 20)
            drain.kill()
            drain.wait()
            turns += 1
        out, err = self.finish(device)
        self.assertNotIn("more processes", err)
        self.waymark("drain", "--once", self.trace, status=0 if os.listdir(self.shm) else 1)
        self.assert_nothing_left()
        recorded = dict(map(int, line.split()) for line in out.splitlines())
        self.assertEqual(len(recorded), count)
        self.assertGreater(sum(recorded.values()), (100 if TSAN else 1000) * count)  # TSan is slow
        for pid, events in recorded.items():
            trace = f"{self.trace}.{pid}"
            if events or os.path.exists(trace):
                ticks = self.ticks(trace)
                self.assertEqual(ticks, list(range(len(ticks))))
                self.assertIn(len(ticks) - events, (0, 1), trace)

    def test_the_broker_ends_first(self):
        drain = self.drain(self.trace)
        self.finish(self.device("orphan", 2, 200000))
        self.finish(drain)
        for trace in self.traces():
            self.assert_all(trace, 200000)
        self.assertEqual(len(self.traces()), 2)

    def test_discarded_events_are_counted_where_they_are_missing(self):
        device = self.device("hang", 1, 200000, option="jail=1,buffer=1M")
        pids = self.children(device)
        drain = self.drain(pids[0])
        time.sleep(0.2)
        os.kill(pids[0], signal.SIGKILL)
        self.finish(device, 1)
        self.finish(drain)
        out, _ = self.waymark("info", self.traces()[0])
        lost = int(re.search(r"lost (\d+) events", out)[1])
        self.assertGreater(lost, 0)
        self.assertEqual(len(self.ticks_of(self.traces()[0])) + lost, 200000)

    def test_two_drains_exclude_each_other(self):
        device = self.device("hang", 1, 1000)
        self.children(device)
        drain = self.drain(self.trace)
        deadline = time.time() + 10
        while not self.traces() and time.time() < deadline:
            time.sleep(0.01)
        _, err = self.waymark("drain", "--once", self.trace, status=1)
        self.assertIn("another waymark drain works on it", err)
        drain.send_signal(signal.SIGTERM)
        out, _ = self.finish(drain)
        self.assertIn("its process still runs", out)

    def test_a_signal_ends_the_drain_and_the_next_one_goes_on(self):
        device = self.device("hang", 1, 50000)
        pid = self.children(device)[0]
        self.waymark("drain", "--once", self.trace)
        trace = f"{self.trace}.{pid}"
        self.assert_all(trace, 50000)  # the reader also reads events in memory
        os.kill(pid, signal.SIGKILL)
        self.finish(device, 1)
        self.waymark("drain", self.trace)
        self.assert_all(trace, 50000)
        self.assert_nothing_left()

    def test_a_drain_that_cannot_end_counts_once(self):
        device = self.device("hang", 1, 50000, option="jail=2,buffer=8M")
        trace = f"{self.trace}.{self.children(device)[0]}"
        said = self.waymark("drain", "--once", self.trace)[0]
        os.kill(int(trace.rsplit(".")[-1]), signal.SIGKILL)
        self.finish(device, 1)
        way = pathlib.Path(trace, ".metadata.new", "in the way")
        way.mkdir(parents=True)
        said += self.waymark("drain", "--once", self.trace, status=1)[0]
        shutil.rmtree(way.parent)
        said += self.waymark("drain", self.trace)[0]
        self.assertEqual(sum(map(int, re.findall(r"(\d+) events", said))), 50000, said)
        self.assert_all(trace, 50000)
        self.assert_nothing_left()

    def test_recover_without_a_drain(self):
        device = self.device("hang", 1, 50000, option="jail=2,buffer=8M")
        pid = self.children(device)[0]
        _, err = self.waymark("print", self.trace, status=1)
        self.assertIn("waymark drain", err)
        os.kill(pid, signal.SIGKILL)
        self.finish(device, 1)
        self.waymark("recover", "--all")
        self.assert_all(f"{self.trace}.{pid}", 50000)
        self.assert_nothing_left()

    def test_follow_while_it_is_drained(self):
        device = self.device("hang", 1, 50000)
        pid = self.children(device)[0]
        self.waymark("drain", "--once", pid)
        follow = self.start([WAYMARK, "print", "--follow", f"{self.trace}.{pid}"])
        drain = self.drain(self.trace)
        time.sleep(0.3)
        os.kill(pid, signal.SIGKILL)
        self.finish(device, 1)
        self.finish(drain)
        out, _ = self.finish(follow)
        self.assertEqual(len(re.findall("tick n", out)), 50000)

    def test_follow_ends_with_its_process_and_not_with_the_jail(self):
        device = self.device("hang", 2, 50000)
        pids = self.children(device)
        self.waymark("drain", "--once", self.trace)
        follow = self.start([WAYMARK, "print", "--follow", f"{self.trace}.{pids[0]}"])
        drain = self.drain(self.trace)
        time.sleep(0.3)
        os.kill(pids[0], signal.SIGKILL)
        out, _ = self.finish(follow)
        self.assertEqual(len(re.findall("tick n", out)), 50000)
        os.kill(pids[1], signal.SIGKILL)
        self.finish(device, 1)
        self.finish(drain)
        self.assert_all(f"{self.trace}.{pids[1]}", 50000)
        self.assert_nothing_left()

    def test_full_shm_is_an_error_and_tracing_goes_on(self):
        device = self.device("refused", 0, 0, option="jail=64,buffer=64G")
        _, err = self.finish(device)
        self.assertRegex(err, "waymark: jail=64: .*buffer= smaller")
        self.assert_nothing_left()

    def test_a_full_disk_is_waited_for_and_then_given_up(self):
        small = self.small_disk()
        self.trace = small / "t.ctf"
        self.finish(self.device("exit", 1, 20000, option="jail=1,buffer=4M"))
        out, err = self.waymark("drain", self.trace, status=1)
        self.assertIn("No space left on device; retrying", err)
        self.assertIn("gives up: the rest stays in memory for the next drain", err)
        self.assertIn(" so far; the rest stays in memory", out)
        subprocess.run(["mount", "-o", "remount,size=64m", small], check=True)
        self.waymark("drain", self.trace)
        self.assert_all(self.traces()[0], 20000)
        self.assert_nothing_left()

    def test_bad_words(self):
        self.waymark("drain", status=2)
        self.waymark("drain", "-o", "/nowhere", "x", status=2)
        _, err = self.waymark("drain", "--once", self.trace, status=1)
        self.assertIn("no process in a jail", err)
        gone = subprocess.Popen(["true"])
        gone.wait()
        _, err = self.waymark("drain", gone.pid, status=1)
        self.assertIn(f"{gone.pid}: no process in a jail", err)


if __name__ == "__main__":
    unittest.main()
