#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests waymark relay with babeltrace2 as its viewer: relay.py WAYMARK PACED OTHER THREADS CLOCK [TEST...]"""

import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
import unittest

from viewed import CLOCK, OTHER, PACED, PATIENCE, THREADS, WAYMARK, Viewed


class Relay(Viewed):
    def test_three_processes_during_an_end_a_kill_and_a_start(self):
        _, port = self.relay("--whole")
        ends = self.program(3, 1500, 1000, trace="ends.ctf")
        killed = self.program(3, 100000, 1000, trace="killed.ctf")
        view = self.view(self.url(port, "all"))
        self.wait_for_events(view, 500)
        later = self.program(3, 1500, 1000, trace="later.ctf")
        time.sleep(0.5)
        killed.kill()
        self.assertEqual([p.wait(PATIENCE) for p in (ends, later)], [0, 0])
        printed = self.printed("ends.ctf", "killed.ctf", "later.ctf")
        self.wait_for_events(view, len(printed))
        time.sleep(1)  # for what must not be shown twice
        self.assert_same(view.events(), printed)
        self.assertEqual(len([e for e in printed if e[1] == later.pid]), 4500)
        self.assertGreater(len([e for e in printed if e[1] == killed.pid]), 500)
        self.assertIsNone(view.poll())
        self.assertEqual(view.errors(), "")

    def test_a_session_of_a_process_ends_with_it(self):
        _, port = self.relay("--whole")
        p = self.program(2, 1000, 1000)
        self.program(1, 100000, 1000, trace="other.ctf")
        self.assertIn(f"paced-{p.pid}", self.sessions(port))
        self.assertEqual(len(self.sessions(port)), 3)
        view = self.view(self.url(port, f"paced-{p.pid}"))
        self.assertEqual(view.wait(PATIENCE), 0, view.errors())
        self.assert_same(view.events(), self.printed("t.ctf"))
        self.assertEqual(len(view.events()), 2000)

    def test_viewers_begin_now(self):
        p = self.program(1, 3000, 1000)
        time.sleep(1)
        _, port = self.relay()
        view = self.view(self.url(port, f"paced-{p.pid}"))
        self.assertEqual(view.wait(PATIENCE), 0, view.errors())
        shown, printed = view.events(), self.printed("t.ctf")
        self.assertLess(len(shown), 2600)
        self.assertGreater(len(shown), 500)
        self.assert_same(shown, printed[-len(shown):])

    def test_metadata_grows(self):
        p = self.program(1, 1000, 1000, "late", options=",full=block")
        _, port = self.relay("--whole")
        view = self.view(self.url(port, f"paced-{p.pid}"))
        self.assertEqual(view.wait(PATIENCE), 0, view.errors())
        self.assert_same(view.events(), self.printed("t.ctf"))
        self.assertEqual(view.events()[-1][3:], ("late", {"text": "on"}))

    def test_a_given_trace_of_a_running_process(self):
        p = self.program(2, 2000, 1000)
        _, port = self.relay(self.work / "t.ctf")
        view = self.view(self.url(port, "t.ctf"))
        self.assertEqual(p.wait(PATIENCE), 0)
        self.assertEqual(view.wait(PATIENCE), 0, view.errors())
        self.assert_same(view.events(), self.printed("t.ctf"))
        self.assertEqual(len(view.events()), 4000)

    def test_many_processes_begin_at_once(self):
        _, port = self.relay()
        self.program(1, 100000, 1000, trace="steady.ctf")
        view = self.view(self.url(port, "all"))
        self.wait_for_events(view, 100)
        names = [f"{i}.ctf" for i in range(60)]
        every = [self.program(1, 500, 2000, trace=name) for name in names]
        self.assertEqual([p.wait(PATIENCE) for p in every], [0] * 60)
        shown = lambda: [e for e in view.events() if e[1] in {p.pid for p in every}]  # noqa: E731
        self.wait_for(lambda: view.poll() is not None or len(shown()) >= 30000, view.errors)
        self.assert_same(shown(), self.printed(*names))

    def test_programs_of_a_moment(self):
        """Each begins and ends within milliseconds, between two looks at the running processes."""
        relay, port = self.relay()
        view = self.view(self.url(port, "all"))
        time.sleep(1)
        names = [f"{i}.ctf" for i in range(50)]
        running = []
        for name in names:
            options = f"*,file={self.work / name},full=block"
            running.append(self.start(PACED, 1, 20, 0, env={**self.env, "WAYMARK_TRACE": options}, stdout=subprocess.DEVNULL))
            if len(running) == 4:
                self.assertEqual(running.pop(0).wait(PATIENCE), 0)
        self.assertEqual([p.wait(PATIENCE) for p in running], [0] * 3)
        printed = self.printed(*names)
        self.assertEqual(len(printed), 1000)
        self.wait_for_events(view, len(printed))
        time.sleep(1)  # for what must not be shown twice
        self.assert_same(view.events(), printed)
        self.assertEqual((view.errors(), pathlib.Path(relay.errors).read_text()), ("", ""))

    def show_later(self, view, stopped, count, seconds):
        """Stops a process while programs of a moment run, and for some seconds; all are shown."""
        self.assertEqual(self.program(1, 500, 1000).wait(PATIENCE), 0)
        self.wait_for_events(view, 500)
        stopped.send_signal(signal.SIGSTOP)
        names = [f"{i}.ctf" for i in range(count)]
        for name in names:
            options = f"*,file={self.work / name},full=block"
            p = self.start(PACED, 1, 20, 0, env={**self.env, "WAYMARK_TRACE": options}, stdout=subprocess.DEVNULL)
            self.assertEqual(p.wait(PATIENCE), 0)
        self.assertEqual(self.program(1, 2500, 1000, trace="longer.ctf").wait(PATIENCE), 0)
        time.sleep(seconds)
        stopped.send_signal(signal.SIGCONT)
        self.wait_for_events(view, 3000 + 20 * count)
        self.assert_same(view.events(), self.printed("t.ctf", "longer.ctf", *names))

    def test_programs_of_a_moment_while_a_viewer_is_stopped(self):
        _, port = self.relay()
        view = self.view(self.url(port, "all"))
        time.sleep(1)
        self.show_later(view, view, 20, 12)

    def test_programs_of_a_moment_while_the_relay_is_stopped(self):
        relay, port = self.relay()
        view = self.view(self.url(port, "all"))
        time.sleep(1)
        self.show_later(view, relay, 100, 0)

    def test_programs_that_replace_a_trace(self):
        """No trace is shown as that of the process before."""
        _, port = self.relay()
        view = self.view(self.url(port, "all"))
        time.sleep(1)
        options = f"*,file={self.work / 't.ctf'},full=block"
        view.send_signal(signal.SIGSTOP)
        for _ in range(3):
            shutil.rmtree(self.work / "t.ctf", ignore_errors=True)
            p = self.start(PACED, 1, 20, 0, env={**self.env, "WAYMARK_TRACE": options}, stdout=subprocess.DEVNULL)
            self.assertEqual(p.wait(PATIENCE), 0)
        view.send_signal(signal.SIGCONT)
        self.wait_for(lambda: view.poll() is not None or any(e[1] == p.pid for e in view.events()), view.errors)
        time.sleep(1)  # for what must not be shown twice
        self.assert_same(view.events(), self.printed("t.ctf"))
        self.assertEqual(view.errors(), "")

    def test_given_traces_only(self):
        p = self.program(1, 3000, 1000)
        _, port = self.relay(self.work / "t.ctf")
        view = self.view(self.url(port, "all"))
        self.wait_for_events(view, 100)
        for i in range(10):
            self.assertEqual(self.program(1, 20, 0, trace=f"{i}.ctf").wait(PATIENCE), 0)
        self.assertEqual(view.wait(PATIENCE), 0, view.errors())
        self.assertEqual({e[1] for e in view.events()}, {p.pid})

    def test_no_folder_to_watch(self):
        relay, port = self.relay(env={**self.env, "WAYMARK_SHM": str(self.shm / "none")})
        with open(relay.errors) as f:
            self.assertRegex(f.read(), "none: inotify.7. fails: No such file or directory; programs that live for milli")
        self.assertEqual(self.sessions(port), ["all"])

    def test_a_clock_that_is_set(self):
        _, port = self.relay("--whole")
        self.program(1, 3000, 1000)
        view = self.view(self.url(port, "all"))
        self.wait_for_events(view, 300)
        for shift in ("-10", "10"):
            self.assertEqual(self.program(1, 1000, 1000, trace=f"{shift}.ctf", env={"SHIFT": shift, "LD_PRELOAD": CLOCK})
                             .wait(PATIENCE), 0)
        self.wait_for_events(view, 5000)
        self.assert_same(view.events(), self.printed("t.ctf", "-10.ctf", "10.ctf"))

    def test_descriptors_are_short(self):
        _, port = self.relay("--whole", before=("prlimit", "--nofile=40:40"))
        names = [f"{i}.ctf" for i in range(20)]
        every = [self.program(2, 1500, 1000, trace=name) for name in names]
        view = self.view(self.url(port, "all"))
        self.assertEqual([p.wait(PATIENCE) for p in every], [0] * 20)
        steady = self.program(1, 500, 1000, trace="steady.ctf")
        self.wait_for(lambda: view.poll() is not None or any(e[1] == steady.pid for e in view.events()), view.errors)
        self.assertIsNone(view.poll(), view.errors())

    def test_no_descriptor_for_a_viewer(self):
        """It is reported once, and once that it is over."""
        relay, port = self.relay("--whole", before=("prlimit", "--nofile=30:30"))
        text = lambda: pathlib.Path(relay.errors).read_text()  # noqa: E731
        self.assertEqual(text(), "")
        clients = [socket.create_connection(("127.0.0.1", port)) for _ in range(40)]
        self.wait_for(lambda: "could not be accepted" in text())
        time.sleep(1)
        self.assertEqual(text().count("\n"), 1, text())
        for client in clients:
            client.close()
        time.sleep(2)
        self.assertEqual(self.sessions(port), ["all"])
        self.wait_for(lambda: "viewers are accepted again" in text())
        self.assertEqual(text().count("\n"), 2, text())

    def test_damage_is_reported(self):
        self.assertEqual(self.program(2, 20000, 0).wait(PATIENCE), 0)
        with open(self.work / "t.ctf" / "stream-1", "r+b") as f:
            f.seek(100000)
            f.write(os.urandom(3000))
        relay, port = self.relay(self.work / "t.ctf")
        view = self.view(self.url(port, "t.ctf"))
        self.assertEqual(view.wait(PATIENCE), 0, view.errors())
        with open(relay.errors) as f:
            self.assertIn("t.ctf: ", f.read())

    def test_a_process_that_was_killed_before_is_no_session(self):
        p = self.program(1, 100000, 1000)
        time.sleep(0.3)
        p.kill()
        p.wait()
        _, port = self.relay("--whole")
        self.assertEqual(self.sessions(port), ["all"])

    def test_names_of_given_traces(self):
        for name in "all", "t.ctf":
            self.assertEqual(self.program(1, 10, 0, trace=name).wait(PATIENCE), 0)
        done = subprocess.run([WAYMARK, "relay", self.work / "all"], text=True, capture_output=True, timeout=PATIENCE)
        self.assertEqual((done.returncode, "named 'all'" in done.stderr), (1, True))
        _, port = self.relay(self.work / "t.ctf", self.work / "." / "t.ctf", f"{self.work}/t.ctf/")
        self.assertEqual(sorted(self.sessions(port)), ["all", "t.ctf"])
        view = self.view(self.url(port, "all"))
        self.assertEqual(view.wait(PATIENCE), 0, view.errors())
        self.assertEqual(len(view.events()), 10)

    def test_a_thread_for_each_request(self):
        """Streams of threads that have ended end, so that many do not slow the viewer down."""
        p = self.program(4000, 3000, what=THREADS, options=",full=block")
        _, port = self.relay("--whole")
        view = self.view(self.url(port, f"threads-{p.pid}"))
        self.assertEqual(p.wait(PATIENCE), 0)
        self.assertEqual(view.wait(PATIENCE), 0, view.errors())
        self.assert_same(view.events(), self.printed("t.ctf"))
        self.assertEqual(len(view.events()), 8000)

    def test_events_in_memory_are_shown_soon(self):
        p = self.program(1, 10, 0, "stay")
        self.assertIn("recorded", p.stdout.readline())
        _, port = self.relay("--whole", "--delay=0.1")
        begin = time.monotonic()
        view = self.view(self.url(port, "all"))
        self.wait_for_events(view, 10)
        self.assertLess(time.monotonic() - begin, 20)
        self.assertEqual(len(view.events()), 10)

    def test_threads_come_and_go(self):
        p = self.program(1, 100000, 1000, trace="steady.ctf")
        _, port = self.relay("--whole")
        view = self.view(self.url(port, "all"))
        short = [self.program(20, 500, 1000, trace=f"{i}.ctf") for i in range(3)]
        self.assertEqual([q.wait(PATIENCE) for q in short], [0] * 3)
        p.kill()
        printed = self.printed("steady.ctf", *(f"{i}.ctf" for i in range(3)))
        self.wait_for_events(view, len(printed))
        self.assert_same(view.events(), printed)

    def test_a_trace_that_continues_elsewhere(self):
        p = self.program(2, 2000, 1000, f"turn={self.work / 'second.ctf'}")
        _, port = self.relay("--whole")
        view = self.view(self.url(port, f"paced-{p.pid}"))
        self.assertEqual(p.wait(PATIENCE), 0)
        self.assertEqual(view.wait(PATIENCE), 0, view.errors())
        self.assert_same(view.events(), self.printed("t.ctf", "second.ctf"))

    def check_losses(self, *args, full, steps):
        p = self.program(*args, options=f",full={full},buffer=1M")
        self.assertEqual(p.wait(PATIENCE), 0)
        done = subprocess.run([WAYMARK, "print", "--count", self.work / "t.ctf"], text=True, capture_output=True)
        recorded = int(done.stdout)
        self.assertLess(recorded, steps)
        _, port = self.relay(self.work / "t.ctf")
        view = self.view(self.url(port, "t.ctf"))
        self.assertEqual(view.wait(PATIENCE), 0, view.errors())
        self.assertEqual(len(view.events()), recorded)
        lost = sum(map(int, re.findall(r"discarded (\d+) event", view.errors())))
        self.assertEqual(recorded + lost, steps, view.errors()[-500:])

    def test_losses_are_counted(self):
        self.check_losses(1, 500000, 0, full="discard", steps=500000)

    def test_losses_before_the_first_event_are_counted(self):
        self.check_losses(1, 500000, 0, full="overwrite", steps=500000)

    def test_secrets_stay_on_the_host(self):
        p = self.program(50, what=OTHER)
        self.assertEqual(p.wait(PATIENCE), 0)
        _, port = self.relay(self.work / "t.ctf")
        view = self.view(self.url(port, "t.ctf"))
        self.assertEqual(view.wait(PATIENCE), 0, view.errors())
        logins = [e[4] for e in view.events() if e[3] == "login"]
        self.assertEqual(len(logins), 50)
        for fields in logins:
            self.assertEqual(fields["user"], "user")
            self.assertEqual(fields["pin"], 0)
            self.assertEqual(fields["password"].strip("*"), "")

    def test_given_traces(self):
        for name in "a.ctf", "b.ctf":
            self.assertEqual(self.program(2, 500, 0, trace=name).wait(PATIENCE), 0)
        _, port = self.relay(self.work / "a.ctf", self.work / "b.ctf")
        self.assertEqual(sorted(self.sessions(port)), ["a.ctf", "all", "b.ctf"])
        view = self.view(self.url(port, "all"))
        self.assertEqual(view.wait(PATIENCE), 0, view.errors())
        self.assert_same(view.events(), self.printed("a.ctf", "b.ctf"))
        self.assertEqual(len(view.events()), 2000)

    def test_metadata_of_another_layout(self):
        """Times are right whatever the columns of the head's numbers."""
        self.assertEqual(self.program(1, 100, 1000).wait(PATIENCE), 0)
        metadata = self.work / "t.ctf/metadata"
        metadata.write_text(re.sub(r"(freq|offset|offset_s) = +", r"\1 = ", metadata.read_text()))
        usual = subprocess.run(["babeltrace2", "--clock-seconds", "--no-delta", self.work / "t.ctf"], text=True,
                               capture_output=True, check=True)
        _, port = self.relay(self.work / "t.ctf")
        view = self.view(self.url(port, "t.ctf"))
        self.assertEqual(view.wait(PATIENCE), 0, view.errors())
        first = [float(text.split("]")[0][1:]) for text in (usual.stdout, view.text())]
        self.assertAlmostEqual(*first, delta=0.001)
        self.assert_same(view.events(), self.printed("t.ctf"))

    def test_two_viewers_and_one_that_sleeps(self):
        p = self.program(2, 1500, 1000)
        _, port = self.relay("--whole")
        asleep = self.view(self.url(port, "all"))
        self.wait_for_events(asleep, 100)
        os.kill(asleep.pid, signal.SIGSTOP)
        view = self.view(self.url(port, f"paced-{p.pid}"))
        self.assertEqual(view.wait(PATIENCE), 0, view.errors())
        printed = self.printed("t.ctf")
        self.assert_same(view.events(), printed)
        os.kill(asleep.pid, signal.SIGCONT)
        self.wait_for_events(asleep, len(printed))
        self.assert_same(asleep.events(), printed)

    def test_a_signal_ends_the_relay(self):
        self.program(1, 100000, 1000)
        relay, port = self.relay("--whole")
        view = self.view(self.url(port, "all"))
        self.wait_for_events(view, 100)
        relay.terminate()
        self.assertEqual(relay.wait(PATIENCE), 0)
        view.wait(PATIENCE)

    def test_a_message_is_written_at_once(self):
        """Others may write to standard error, too: each write is a datagram here."""
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
        with ours, theirs:
            subprocess.run([WAYMARK, "relay", self.work / "none.ctf"], stderr=theirs, timeout=PATIENCE)
            ours.settimeout(PATIENCE)
            self.assertRegex(ours.recv(1000).decode(), r"^waymark relay: .*none\.ctf: .*\n$")

    def test_wrong_words(self):
        for args, why in ((["--listen=x"], "is no [ADDRESS:]PORT"), (["--delay=x"], "delay"),
                          ([self.work / "none.ctf"], "none.ctf"), ([__file__], "relay.py"),
                          (["--listen=203.0.113.1:80"], "cannot listen")):
            done = subprocess.run([WAYMARK, "relay", *map(str, args)], text=True, capture_output=True, env=self.env,
                                  timeout=PATIENCE)
            self.assertNotEqual(done.returncode, 0, args)
            self.assertIn(why, done.stderr)
        _, port = self.relay()
        done = subprocess.run([WAYMARK, "relay", f"--listen={port}"], text=True, capture_output=True, env=self.env,
                              timeout=PATIENCE)
        self.assertEqual(done.returncode, 1)
        self.assertIn("Address already in use", done.stderr)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[6:]], verbosity=2)
