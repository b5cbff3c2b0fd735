#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Random rules and triggers between random calls: what is recorded is what model.py says.

states.py TRACETOOL LIBRARY ROOT WAYMARK ROUNDS EVENTS STEPS [SEED]

Each round makes EVENTS random declarations and STEPS steps, each a change or some calls. Compares
the calls in the trace, the counts of those that limits left out, and how often triggers fired. A
round has a seed of its own, which is printed: repeat it by ROUNDS 1 and this SEED.
"""

import json
import os
import random
import re
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True  # the sources' folder may belong to another user
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../expr"))

import build  # noqa: E402  pylint: disable=wrong-import-position
import declarations  # noqa: E402  pylint: disable=wrong-import-position
import model  # noqa: E402  pylint: disable=wrong-import-position
import texts  # noqa: E402  pylint: disable=wrong-import-position

OBJECTS = 6  # values of `io`
SWITCHING = ("enable", "disable", "stop")  # actions of triggers


class Script:
    """Makes requests for the program, and keeps what they should do."""

    def __init__(self, rng, events, pid):
        self.rng, self.events, self.pid = rng, events, pid
        self.world = model.World(events)
        self.requests, self.answers = [], []
        self.recorded = []  # numbers of calls
        self.fired = {}  # times, by text of a trigger
        self.number = self.signals = 0

    # ---- Calls ----

    def call(self, event):
        rng = self.rng
        event.words, event.calls = event.words[-20:], event.calls[-20:]
        event.add_call(rng, event.commons)
        io = rng.randrange(OBJECTS)
        words = event.words[-1].split()
        words[:2] = declarations.integer_word(self.number), declarations.integer_word(io)
        values = event.calls[-1]
        values[:2] = self.number, io
        self.requests.append(f"call {event.name} {' '.join(words)}")
        recorded, fired = self.world.call(event, values)
        if recorded:
            self.recorded.append(self.number)
        self.number += 1
        for trigger in fired:
            self.fire(trigger)

    def fire(self, trigger):
        self.fired[trigger.text] = self.fired.get(trigger.text, 0) + 1
        for verb, pattern in trigger.actions:
            if verb == "enable":
                self.world.enable(pattern, model.Terms())
            elif verb in SWITCHING:
                self.world.disable(pattern)
            self.signals += verb == "signal"
        self.requests.append(f"await {self.signals}")

    # ---- Changes ----

    def pattern(self):
        return self.rng.choice([self.rng.choice(self.events).name, "e?", "*", "e[", "e1*"])

    def words(self):
        """Returns random limits."""
        rng = self.rng
        made = {}
        if rng.random() < 0.3:
            made["sample"] = rng.randint(1, 4), rng.choice(rng.choice(self.events).args[1:]).name
        if rng.random() < 0.4:
            made["every"] = rng.randint(1, 5)
        if rng.random() < 0.3:
            made["rate"] = rng.randint(1, 9)
        if rng.random() < 0.4:
            made["first"] = rng.randint(1, 9)
        return made

    def condition(self):
        rng = self.rng
        maker = texts.Maker(rng, rng.choice(self.events), self.events)
        return rng.choice([maker.truth(1), maker.truth(3), f"k % {rng.randint(1, 4)} == 0",
                           f"io < {rng.randrange(OBJECTS)}"]).replace("\n", " ")

    def terms(self):
        rng = self.rng
        condition = self.condition() if rng.random() < 0.7 else None
        words = self.words() if rng.random() < 0.5 else {}
        if condition is None or rng.random() < 0.7:
            return model.Terms(condition, words)
        pairs = model.Pairs(rng.choice(self.events).name, "io")
        paired = rng.choice([">= 0", "< 1h", "!= 7h", "> 100h"])
        condition = rng.choice([f"{pairs.name()} {paired} && ({condition})",
                                f"({condition}) || {pairs.name()} {paired}",
                                f"{pairs.name()} {paired}", f"!({pairs.name()} {paired})"])
        return model.Terms(condition, words, pairs)

    def rule(self):
        pattern, terms = self.pattern(), self.terms()
        if not self.world.matching(pattern):
            return
        self.requests.append(f"rule {pattern}{terms.text()}")
        self.answers.append(self.world.enable(pattern, terms))

    def off(self):
        pattern = self.pattern()
        self.requests.append(f"-rule {pattern}")
        self.answers.append(True)
        self.world.disable(pattern)

    def may_switch(self):
        """False if a trigger switches events already: the order of two is not promised."""
        return not any(t.actions[0][0] in SWITCHING for t in self.world.triggers)

    def trigger(self):
        pattern, terms = self.pattern(), self.terms()
        actions = [("mark", f"m{self.number}")]
        if self.rng.random() < 0.6:
            verb = self.rng.choice(["enable", "disable", "stop"]) if self.may_switch() else "flush"
            actions = [(verb, {"stop": "*", "flush": ""}.get(verb, self.pattern()))]
            actions.append(("signal", "40"))
        said = " and ".join(verb if verb in ("stop", "flush") else f"{verb} {what}"
                            for verb, what in actions)
        text = f"when {pattern}{terms.text()} then {said}"
        trigger = model.Trigger(text, terms, actions)
        if not self.world.matching(pattern) or text in [t.text for t in self.world.triggers]:
            return
        self.requests.append(f"rule {text}")
        self.answers.append(self.world.add(trigger, pattern, terms))

    def remove(self):
        if self.world.triggers:
            trigger = self.rng.choice(self.world.triggers)
            self.world.triggers.remove(trigger)
            self.requests.append(f"-rule {trigger.text}")
            self.answers.append(True)

    def step(self):
        choice = self.rng.randrange(20)
        if choice < 4:
            self.rule()
        elif choice == 4:
            self.off()
        elif choice == 5:
            self.trigger()
        elif choice == 6 and (len(self.world.triggers) > 4 or self.rng.random() < 0.5):
            self.remove()
        else:
            for _ in range(self.rng.randint(1, 40)):
                self.call(self.rng.choice(self.events))


def run_round(tools, waymark, rng, counts):
    """Returns a script, and what became of it: answers, calls, left out, fired."""
    events = [declarations.make_event(rng, i, True) for i in range(counts[0])]
    with tempfile.TemporaryDirectory() as place:
        trace = os.path.join(place, "t.ctf")
        fire = build.Fire(tools.build(events, place), place, f"*,file={trace}")
        for event in events:
            event.commons = [event.name.encode(), 10**12, fire.pid, fire.pid, b"", b""]
            event.add_call(rng, event.commons)
        script = Script(rng, events, fire.pid)
        script.off()
        script.requests.append("rule *")
        script.answers.append(script.world.enable("*", model.Terms()))
        for _ in range(counts[1]):
            script.step()
        answers = fire.answers(script.requests)
        shown = subprocess.run([waymark, "print", '--where=@event =~ "e?"', trace], check=True,
                               capture_output=True, encoding="latin-1").stdout
        info = json.loads(subprocess.run([waymark, "info", "--json", trace], check=True,
                                         capture_output=True, text=True).stdout)
    calls = [int(k) for k in re.findall(r"(?m)^\S+ \d+ e\d (\d+)", shown)]
    left_out = {}
    for row in info.get("left_out", []):
        key = row["event"], row["limits"]
        left_out[key] = left_out.get(key, 0) + row["calls"]
    fired = {}
    for row in info.get("triggers", []):
        fired[row["trigger"]] = fired.get(row["trigger"], 0) + row["times"]
    return script, answers, calls, left_out, fired


def differences(script, answers, calls, left_out, fired):
    rules = [r for r in script.requests if "rule " in r]
    for rule, good, answer in zip(rules, script.answers, answers):
        if good != (answer == "ok"):
            yield f"{rule}: {answer}, expected {'ok' if good else 'an error'}"
    if len(answers) != len(script.answers):
        yield f"{len(answers)} answers to {len(script.answers)} rules"
    if calls != script.recorded:
        yield (f"recorded and not expected: {sorted(set(calls) - set(script.recorded))[:10]}, "
               f"missing: {sorted(set(script.recorded) - set(calls))[:10]}")
    if left_out != script.world.left_out:
        yield f"left out {set(left_out.items()) ^ set(script.world.left_out.items())}"
    if fired != script.fired:
        yield f"fired {set(fired.items()) ^ set(script.fired.items())}"


def main():
    tools = build.Tools(*sys.argv[1:4])
    rounds, *counts = map(int, sys.argv[5:8])
    seed = int(sys.argv[8]) if len(sys.argv) > 8 else random.randrange(1 << 32)
    for i in range(rounds):
        script, *found = run_round(tools, sys.argv[4], random.Random(seed + i), counts)
        print(f"seed {seed + i}: {len(script.answers)} rules, {script.number} calls, "
              f"{len(script.recorded)} recorded, {sum(script.fired.values())} fired, "
              f"{sum(script.world.left_out.values())} left out", flush=True)
        wrong = list(differences(script, *found))
        if wrong:
            sys.exit("\n".join(wrong))


if __name__ == "__main__":
    main()
