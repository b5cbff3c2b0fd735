# SPDX-License-Identifier: MIT
"""Computes lives from the text of babeltrace2, for track.py: another way than that of waymark track."""

import re
import subprocess

LINE = re.compile(r"^\[(\d+)\.(\d{9})\] (?:\S*\(\d+\) )?(.+?): (\{.*)$")
FIELD = re.compile(r'(\w+) = (?:"((?:[^"\\]|\\.)*)"|\(? ?"?([^,"{}()]+?)"?(?: : container = \w+)?\)?)(?=,| })')


class Event:
    def __init__(self, line):
        seconds, ns, self.name, rest = LINE.match(line).groups()
        self.ns = int(seconds) * 10**9 + int(ns)
        self.fields = {}
        for name, text, plain in FIELD.findall(rest):
            self.fields.setdefault(name, text if plain == "" else self.number(plain))
        self.tid = self.fields.pop("tid")

    @staticmethod
    def number(text):
        try:
            return int(text, 0)
        except ValueError:
            return text


def events(*traces):
    """Returns [(trace, event)] in the order of time."""
    result = []
    for number, trace in enumerate(traces):
        done = subprocess.run(["babeltrace2", "--clock-seconds", "--no-delta", "--names=payload,context", trace],
                              text=True, check=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        result += [(number, Event(line)) for line in done.stdout.splitlines()]
    return sorted(result, key=lambda pair: pair[1].ns)


class Life:
    def __init__(self, key, event):
        self.key, self.events, self.state = key, [], "ended"
        self.begin = event.ns

    def add(self, event):
        self.events.append(event)

    @property
    def end(self):
        return self.events[-1].ns

    def steps(self):
        """Returns [name, count, ns after it] for each step; a part that is repeated at once counts once."""
        steps = []
        for i, event in enumerate(self.events):
            after = self.events[i + 1].ns - event.ns if i + 1 < len(self.events) else 0
            steps.append([event.name, 1, after])
            for size in range(1, len(steps) // 2 + 1):
                names = [s[0] for s in steps]
                if names[-size:] == names[-2 * size:-size]:
                    for old, new in zip(steps[-2 * size:-size], steps[-size:]):
                        old[1] += new[1]
                        old[2] += new[2]
                    del steps[-size:]
                    break
        return steps


def lives(all_events, key, begins=None, ends=None, idle=None):
    """Returns the lives, and how many ends had no begin, and other events no life.

    key(trace, event) returns the object, None if the event is no step; begins and ends are sets of
    names or None.
    """
    opened, done, unbegun, outside = {}, [], 0, 0

    def close(life, state):
        life.state = state
        done.append(life)
        del opened[life.key]

    for trace, event in all_events:
        name = key(trace, event)
        if name is None:
            continue
        if idle is not None:
            for life in [x for x in opened.values() if event.ns - x.end > idle]:
                close(life, "unfinished" if ends else "ended")
        life = opened.get(name)
        if begins and event.name in begins and life:
            close(life, "begun_twice" if ends else "ended")
            life = None
        if life is None and begins and event.name not in begins:
            unbegun += bool(ends and event.name in ends)
            outside += not (ends and event.name in ends)
            continue
        if life is None:
            life = opened[name] = Life(name, event)
        life.add(event)
        if ends and event.name in ends:
            close(life, "ended")
    for life in list(opened.values()):
        close(life, "unfinished" if ends else "ended")
    return done, unbegun, outside
