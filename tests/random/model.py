# SPDX-License-Identifier: MIT
"""A model of conditions, limits, pairs and triggers, written from waymark-trace(7).

World.call() says what a call does: whether it is recorded, and which triggers it fires.
"""

import fnmatch
import re
import struct

import reference as ref

MASK = ref.BITS - 1
KEY_BYTES = 256
NOT_SO_LONG = 1000  # nanoseconds of a pair, which the conditions cannot tell from others


def mix64(h):
    """The finalizer of splitmix64, by which objects are sampled."""
    h = (h ^ h >> 30) * 0xbf58476d1ce4e5b9 & MASK
    h = (h ^ h >> 27) * 0x94d049bb133111eb & MASK
    return h ^ h >> 31


def key_of(v):
    """Returns the number by which a value is sampled."""
    if isinstance(v, bytes):
        h = len(v)
        for i in range(0, min(len(v), KEY_BYTES), 8):
            h = mix64(h ^ int.from_bytes(v[i:min(i + 8, KEY_BYTES)], "little"))
        return mix64(h)
    if isinstance(v, float):
        return mix64(struct.unpack("Q", struct.pack("d", v))[0])
    return mix64(int(v) & MASK) if isinstance(v, int) else mix64(0)


class Pairs:
    """The calls of an event that wait for their partner, by the value of a field."""

    def __init__(self, begin, field):
        self.begin, self.field, self.waiting = begin, field, set()

    def name(self):
        return f"elapsed({self.begin} by {self.field})"

    def enter(self, event, values):
        self.waiting.add(values[event.fields[self.field].slot])

    def take(self, event, values):
        """Returns the time of the pair that the call ends; None: it ends none."""
        key = values[event.fields[self.field].slot]
        if key not in self.waiting:
            return None
        self.waiting.remove(key)
        return NOT_SO_LONG


class Limits:
    """Limits of one event, or of one trigger. The rate is one of hours: a run is shorter."""

    def __init__(self, words):
        self.words = words
        self.seen = self.in_rate = self.passed = 0

    def text(self):
        forms = {"sample": "sample=1/{0[0]} by {0[1]}", "every": "every={0}", "rate": "rate={0}/h",
                 "first": "first={0}"}
        return " ".join(forms[word].format(value) for word, value in self.words.items())

    def fits(self, event):
        return "sample" not in self.words or self.words["sample"][1] in event.fields

    def passes(self, event, values):
        if "sample" in self.words:
            one_of, field = self.words["sample"]
            if key_of(values[event.fields[field].slot]) % one_of:
                return False
        if "every" in self.words:
            self.seen += 1
            if (self.seen - 1) % self.words["every"]:
                return False
        if "rate" in self.words:
            if self.in_rate == self.words["rate"]:
                return False
            self.in_rate += 1
        if "first" in self.words:
            if self.passed == self.words["first"]:
                return False
            self.passed += 1
        return True


class Terms:
    """A rule's condition, limits and pairs, as text; and for one event, bound to it."""

    def __init__(self, condition=None, words=None, pairs=None):
        self.condition, self.words, self.pairs = condition, words or {}, pairs

    def text(self):
        limits = Limits(self.words).text()
        return (f" {limits}" if limits else "") + (f" if {self.condition}" if self.condition else "")

    def bind(self, event):
        """Returns the condition for the event; raises ref.Wrong if the terms do not fit."""
        if not Limits(self.words).fits(event):
            raise ref.Wrong("no such field")
        if not self.condition:
            return None
        fields = dict(event.fields)
        if self.pairs:
            slot = len(event.args) + len(event.commons)
            fields[self.pairs.name()] = ref.Field(slot, ref.INTEGER, None, ref.TIME, 1)
        bound = ref.bind(self.condition.encode("latin-1"), fields)
        if bound.unknown or bound.slots & event.of_reader or bound.longest > ref.MOST_OF_A_PART:
            raise ref.Wrong("not in a program")
        return bound


class Decision:
    """Terms in force for one event."""

    def __init__(self, terms, event):
        self.bound = terms.bind(event)
        self.limits, self.pairs = Limits(terms.words), terms.pairs

    def is_true(self, event, values):
        paired = self.pairs.take(event, values) if self.pairs else None
        return self.bound is None or self.bound.is_true([*values, paired])


class Trigger:
    def __init__(self, text, terms, actions):
        self.text, self.limits, self.pairs = text, Limits(terms.words), terms.pairs
        self.actions, self.by_event, self.fired = actions, {}, 0


class World:
    """What is in force. `events` by name."""

    def __init__(self, events):
        self.events = {e.name: e for e in events}
        self.on = {}  # Decisions, and None without terms, of events that are on
        self.triggers = []
        self.left_out = {}  # calls, by event and limits

    def matching(self, pattern):
        found = re.compile(fnmatch.translate(pattern))
        return [e for name, e in self.events.items() if found.match(name)]

    def fitting(self, pattern, terms):
        """Returns {event: decision} of those that the terms fit."""
        found = {}
        for event in self.matching(pattern):
            try:
                found[event] = Decision(terms, event)
            except ref.Wrong:
                pass
        return found

    def enable(self, pattern, terms):
        """Returns false if the terms fit no event."""
        fitting = self.fitting(pattern, terms)
        for event, decision in fitting.items():
            self.on[event.name] = decision if terms.text() else None
        return bool(fitting)

    def disable(self, pattern):
        for event in self.matching(pattern):
            self.on.pop(event.name, None)

    def add(self, trigger, pattern, terms):
        trigger.by_event = {e.name: d for e, d in self.fitting(pattern, terms).items()}
        if trigger.by_event and "sample" not in terms.words:
            self.triggers.append(trigger)
            return True
        return False

    def pairs(self):
        decisions = [d for d in self.on.values() if d] + self.triggers
        return {id(d.pairs): d.pairs for d in decisions if d.pairs}.values()

    def call(self, event, values):
        """Returns whether the call is recorded, and the triggers that it fires."""
        recorded = event.name in self.on and self.passes(self.on[event.name], event, values)
        fired = [t for t in self.triggers if event.name in t.by_event and
                 t.by_event[event.name].is_true(event, values) and t.limits.passes(event, values)]
        for pairs in self.pairs():
            if pairs.begin == event.name:
                pairs.enter(event, values)
        for trigger in fired:
            trigger.fired += 1
        return recorded, fired

    def passes(self, decision, event, values):
        if decision is None:
            return True
        if not decision.is_true(event, values):
            return False
        if decision.limits.passes(event, values):
            return True
        key = event.name, decision.limits.text()
        self.left_out[key] = self.left_out.get(key, 0) + 1
        return False
