# SPDX-License-Identifier: MIT
"""Checks the trace of a killed victim: for kill.py and for the long run of kills."""

import json
import struct
import time

import survive


class Killed(survive.Survive):
    def kill_after(self, ms, *args, options=",buffer=1G", shm=None, **how):
        more = {"WAYMARK_SHM": str(shm)} if shm else {}
        victim = self.start(*args, env=self.env(options, **more), **how)
        time.sleep(ms / 1000)
        victim.kill()
        out, said = victim.communicate()
        self.assertRegex(said, "^(waymark: .*: threads still record; .*\n)?$")

    def assert_nothing_was_counted(self):
        counted = self.counts.read_bytes() if self.counts.exists() else b""
        self.assertEqual(counted.strip(b"\0"), b"")

    def check_what_is_left(self):
        if self.trace.exists():
            events = self.check_everything()
        else: # killed before its first event
            events = 0
            self.assert_nothing_was_counted()
            self.waymark("recover", "--all")
            self.assert_clean()
        return events

    def check_turns(self):
        """Checks that each event is in one of the process's successive traces, before and after recover."""
        traces = sorted(self.work.glob("turn-*.ctf"))
        if self.trace.exists():
            traces.insert(0, self.trace)
        if not traces: # killed before its first event
            return 0
        events = self.check_together(traces)
        self.waymark("recover", *(("--all",) if self.buffers() else traces))
        self.assert_clean()
        self.assertEqual(self.check_together(traces), events)
        return len(traces)

    def check_together(self, traces):
        """Checks traces as one, in this order."""
        reads = f'for t; do "{survive.WAYMARK}" print "$t" || exit; done'
        return self.checked(["sh", "-c", reads, "sh", *traces], ())

    def counted_too_much(self):
        """Returns the printed events plus the reported losses, less the recorded events."""
        recorded = sum(c for (c,) in struct.iter_unpack("Q", self.counts.read_bytes()))
        info, _ = json.JSONDecoder().raw_decode(self.waymark("info", "--json", self.trace))
        return info["events"] + info["lost"] + info["overwritten"] - recorded
