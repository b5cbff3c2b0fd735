#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests that a declaration changed as a message proposes is accepted, and that its generated code
compiles. Each line of the tests that must fail, and some more, is changed by one proposal after
the other. A proposal of unknown form is a failure, and so is a proposal in the sources that no
test line provokes: advice.py TRACETOOL ROOT
"""

import pathlib
import re
import subprocess
import sys
import tempfile

# Proposals that leave a choice to the reader.
PROSE = re.compile(
    r"choose another name|begin it with a letter|use the letters a to z|rename one|"
    r"give each argument its own name|write it as (type and name|name and type)|"
    r"pass (fewer|the error|its members|a pointer|a scaled integer)|split the event|allowed are|"
    r"events have no floating point|known are (%d|PRId64|disable)|end it with a letter|"
    r"save the file|is this a file of|add the closing|write a backslash|pass a string of bytes|"
    r"an event is declared as|it is not one of the types|remove it, or (make it a format|quote)|"
    r"write \(void\), or|declare an 'int' for the '\*'|remove the comma, or|"
    r"declare an enum as|print the arguments in their order|write it above the event")

TOML_PROSE = re.compile(
    r"choose another name|begin it with a letter|use the letters a to z|rename one|keep one|"
    r"give each argument its own name|write it as name and type|pass fewer|split the event|"
    r"is this a file of|it is not one of the types|allowed are|there (are|is)|they come in|"
    r"a key has letters|an event has|add: |begin a new line|this does not belong|move the table|"
    r"end it (on its line|with three quotes)|remove (it|the comma|the placeholder)|"
    r"write (it as (a number|an escape)|a (string|comma|whole character)|\\\\|\\u00e9)|"
    r"write: key = value|each takes the next one|use \?, x\?|write \{\} or ")

# Beginnings of advice in the sources; a report of a message's conversion is no advice.
ADVICE = re.compile(r"(write|print|declare|remove|add|did|is|pass|choose|begin|use|rename|give|"
                    r"split|allowed|events|known|end|save|it|keep|they|move|take|"
                    r"an event (is declared|has)|there are) .* ")
STRING = r'"((?:[^"\\\n]|\\.)*)"'


class Line:
    def __init__(self, text, message):
        self.text = text
        m = re.match(r"[^:]*:\d+:(\d+): (error|warning): (.*)", message)
        self.at = len(text.encode()[:int(m.group(1)) - 1].decode())  # columns are bytes
        self.message = m.group(3)

    def replaced(self, pattern, by):
        """Returns the line with the match at the caret replaced."""
        m = re.compile(pattern).match(self.text, self.at)
        assert m, f"{pattern} is not at the caret: {self.text[self.at:]}"
        return self.text[:self.at] + by(m) + self.text[m.end():]


CONVERSION = r'%[-+ #0-9.*]*(?:"\s*PRI\w+\s*"?|(?:hh|h|ll|l|j|z|t)?[a-zA-Z]|)'


def conversion(line, new):
    """A macro ends the quotes, which are opened again unless the format ends there."""
    def put(m):
        ends = m.group().endswith('"')
        had_macro = "PRI" in m.group()
        if "PRI" not in new:
            return new + ('' if not had_macro else '' if ends else '"')
        return new + (' "' if not had_macro or ends else '')
    return line.replaced(CONVERSION, put).replace(' ""', '')


def add_conversion(line, new):
    closed = new + ('' if "PRI" in new else '"')
    text = line.text.rstrip()
    return text[:-1] + " " + closed if text.endswith('"') else text + ' " ' + closed


def add_to_format(line, which, new):
    """Changes one of the two formats of a `tcg` event."""
    first, second = re.match(r'(.*"), ("[^"]*".*)', line.text).groups()
    line.text = first if which == "first" else second
    mended = add_conversion(line, new)
    return f"{mended}, {second}" if which == "first" else f"{first}, {mended}"


def after_type(line, new):
    """Replaces the type at the caret; the argument's name, one word, stays."""
    return line.replaced(r"[^,()]*?(?=\w+\s*[,)])", lambda m: new + (" " if new[-1] != "*" else ""))


def insert_comma(line, first, second):
    return re.sub(rf"\b{first}\s+{second}", f"{first}, {second}", line.text, count=1)


# The forms of proposals, and how each is carried out.
RULES = [
    (r"write: (\"format at.*)", lambda l, m: l.text.split(")")[0] + ") " + m[1]),
    (r"write: (.*)", lambda l, m: m[1]),
    (r"write it as (\".*)", lambda l, m: l.replaced(r"PRI\w+", lambda _: m[1])),
    (r"write %% for a percent sign", lambda l, m: l.replaced("%", lambda _: "%%")),
    (r"write (%.*)", lambda l, m: conversion(l, m[1])),
    (r"print '\w+' with (.*)", lambda l, m: conversion(l, m[1])),
    (r"add a conversion for '\w+', for example (.*)", lambda l, m: add_conversion(l, m[1])),
    (r"add a conversion for '\w+' to the (first|second) format, for example (.*)",
     lambda l, m: add_to_format(l, m[1], m[2])),
    (r"declare '(\w+)' as '(.*)'", lambda l, m: re.sub(rf"[^,(]*\b{m[1]}(?=\s*[,)])",
                                                     lambda _: m[2] + " " + m[1], l.text, count=1)),
    (r"declare it as '(.*)'", lambda l, m: after_type(l, m[1])),
    (r"declare a pointer to anything .* '(.*)'", lambda l, m: after_type(l, m[1])),
    (r"did you mean '(.*)'\?", lambda l, m: l.replaced(r"\w+", lambda _: m[1])),
    (r"is a comma missing between '(\w+)' and '(\w+)'\?", lambda l, m: insert_comma(l, m[1], m[2])),
    (r"declare the event with the property tcg", lambda l, m: "tcg " + l.text),
    (r"remove the newline.*", lambda l, m: l.replaced(r"(\\(n|x0a|012))+", lambda _: "")),
    (r"remove the macro, or the letter .*", lambda l, m: l.replaced(r"\w+", lambda _: "").rstrip()),
    (r"remove the length", lambda l, m: l.replaced(r"%[hljzt]+", lambda _: "%")),
    (r"remove the blank", lambda l, m: l.replaced(r"\s*(?=\()|\s+", lambda _: "")
        if l.text[l.at] != "(" else l.text[:l.at].rstrip() + l.text[l.at:]),
    (r"remove 'volatile'.*", lambda l, m: l.text.replace("volatile ", "")),
    (r"remove it: an argument never changes", lambda l, m: l.replaced(r"const\s*", lambda _: "")),
    (r"put the comment on its own line", lambda l, m: l.text[:l.at].rstrip()),
    (r"remove it: with it the format.*", lambda l, m: l.replaced(r"[^\"]*", lambda _: "")),
    (r"remove it, or declare the event 'tcg'", lambda l, m: l.text[:l.text.rindex(",", 0, l.at)]),
    (r"remove it(: the guest's values.*|, or write %% .*)?$", lambda l, m: remove(l)),
    (r"remove the conversion, or declare .*", lambda l, m: l.replaced(CONVERSION, lambda c: "")),
]


def remove(line):
    rules = [
        (r"'%.*' takes no precision", r"(%[-+ #0-9]*)\.[0-9*]*", lambda m: m[1]),
        (r"a format cannot group", r"%'", lambda m: "%"),
        (r"the flag '(.)' has no effect", r"%[-+ #0]+", None),
        (r"'%n' is", r"%n", lambda m: ""),
        (r"'void' among", r"void\s*,?\s*", lambda m: ""),
        (r"unexpected text after the second", r".*", lambda m: ""),
        (r"(\d+ arguments?), but the format", CONVERSION, lambda m: ""),
    ]
    for message, pattern, by in rules:
        m = re.match(message, line.message)
        if m and by is None:
            return line.replaced(pattern, lambda c: c.group().replace(m.group(1), ""))
        if m:
            text = line.replaced(pattern, by)
            return text.replace(", )", ")") if "void" in line.message else text
    raise AssertionError(f"remove what? {line.message}")


def check(tracetool, text, folder):
    path = folder / "one.events"
    path.write_text(text + "\n")
    done = subprocess.run([*tracetool, "--check", path.name], cwd=folder, capture_output=True,
                          text=True)
    found, current = [], None
    for line in done.stderr.splitlines():
        if re.match(r"one\.events:\d+:\d+: ", line):
            current = [line, None]
            found.append(current)
        elif current and (m := re.match(r"one\.events:\d+: help: (.*)", line)):
            current[1] = m[1]
    return found


def without_place(found):
    return {re.sub(r"^[^ ]* ", "", m) for m, _ in found}


def mend(tracetool, text, folder, faults, used):
    """Returns the line changed as its messages propose; None if they leave the change to the reader."""
    for _ in range(12):
        found = check(tracetool, text, folder)
        if not found:
            return text
        message, help_text = found[0]
        used.update(help_text for _, help_text in found if help_text)
        if not help_text or PROSE.match(help_text):
            return None
        rule = next(((p, f) for p, f in RULES if re.match(p, help_text)), None)
        if not rule:
            faults.append(f"{text}\n  {message}\n  a proposal in no known form: {help_text}")
            return None
        used.add(rule[0])
        try:
            new = rule[1](Line(text, message), re.match(rule[0], help_text))
        except (AssertionError, ValueError) as impossible:
            faults.append(f"{text}\n  {message}\n  {help_text}\n  {impossible}")
            return None
        after = check(tracetool, new, folder)
        more = without_place(after) - without_place(found)
        whole = help_text.startswith("write: ") and '"format' not in help_text
        if new == text or (message.split(": ", 1)[1] in {m.split(": ", 1)[1] for m, _ in after} and
                           len(after) >= len(found)) or (whole and more):
            faults.append(f"{text}\n  {message}\n  {help_text}\n  gives: {new}\n  {after[:1]}")
            return None
        text = new
    faults.append(f"{text}: proposals that go in circles")
    return None


def compile_all(tracetool, root, lines, folder):
    events = []
    for i, line in enumerate(lines):
        events.append(re.sub(r"(\w+)\(", lambda m: f"e{i}_{m[1]}(", line, count=1))
    (folder / "all.events").write_text("\n".join(events) + "\n")
    for form in "h", "c":
        subprocess.run([*tracetool, f"--format={form}", "--backends=log,ctf,simple,syslog,ftrace",
                        "--group=all", "all.events", f"trace-all.{form}"], cwd=folder, check=True)
    subprocess.run(["gcc", "-std=c99", "-Wall", "-Wextra", "-Werror", "-fsyntax-only",
                    f"-I{root}/include", "-I.", "trace-all.c"], cwd=folder, check=True)


def replaced_type(line, new):
    m = re.match(r"the type '(.*)' is", line.message)
    return line.replaced(re.escape(m[1]) if m else r"\w+", lambda _: new)


# The same in TOML, where a proposal changes one line.
TOML_RULES = [
    (r"print '.*' with (.*)", lambda l, m: l.replaced(r"\{[^}]*\}", lambda _: m[1])),
    (r"did you mean '(.*)'\?", lambda l, m: replaced_type(l, m[1])),
    (r"did you mean (\[\[.*\]\])\?", lambda l, m: m[1]),
    (r"write (\}\}|\{\{) for a brace", lambda l, m: l.replaced(r"[{}]", lambda _: m[1])),
    (r"write: (?!key = value)(.*)", lambda l, m: m[1]),
    (r"write (\[\[events\]\]) on a line before it", lambda l, m: m[1] + "\n" + l.text),
    (r"write it between quotes", lambda l, m: l.replaced(r"[^,]*", lambda v: '"x"')),
    (r"write true or false, without quotes", lambda l, m: l.replaced(r'[^,} ]+', lambda v: "true")),
]


def check_toml(tracetool, lines, folder):
    """Returns (line, column, message, help) of each fault."""
    (folder / "one.toml").write_text("\n".join(lines) + "\n")
    done = subprocess.run([*tracetool, "--check", "one.toml"], cwd=folder, capture_output=True,
                          text=True)
    found = []
    for line in done.stderr.splitlines():
        if m := re.match(r"one\.toml:(\d+):(\d+: (?:error|warning): (.*))", line):
            found.append([int(m[1]), m[2], m[3], ""])
        elif found and (m := re.match(r"one\.toml:\d+: help: (.*)", line)):
            found[-1][3] = m[1]
    return found


def add_placeholder(lines, at, new):
    """Adds a placeholder to the message in this line, or in the next line that has one."""
    while not re.search(r'message = ".*?"', lines[at]):
        at += 1
    mended = re.sub(r'(message = ".*?)"', lambda m: m[1] + " " + new + '"', lines[at], count=1)
    return lines[:at] + [mended] + lines[at + 1:]


def mend_toml(lines, fault, used):
    """Returns the file changed as one message proposes; None if it leaves the change to the reader."""
    number, place, _, help_text = fault
    if m := re.match(r"add a placeholder for '.*', for example (.*)", help_text):
        return add_placeholder(lines, number - 1, m[1])
    for pattern, rule in TOML_RULES:
        if m := re.match(pattern, help_text):
            used.add(pattern)
            new = rule(Line(lines[number - 1], f"f:{number}:{place}"), m)
            return lines[:number - 1] + [new] + lines[number:]
    assert TOML_PROSE.match(help_text), "a proposal in no known form"
    return None


def try_toml(tracetool, path, folder, faults, used):
    """Carries out each message's proposal for a file by itself; returns the number of successes."""
    done = 0
    try:
        lines = path.read_text().splitlines()
    except UnicodeDecodeError:
        return 0
    for fault in check_toml(tracetool, lines, folder):
        used.add(fault[3])
        try:
            new = mend_toml(lines, fault, used)
        except (AssertionError, IndexError) as impossible:
            faults.append(f"{path.name}: {fault}: {impossible}")
            continue
        if new is None:
            continue
        left = [f for f in check_toml(tracetool, new, folder) if f[0] == fault[0]]
        if fault[2] in [f[2] for f in left]:
            faults.append(f"{path.name}: {fault}\n  gives {new[fault[0] - 1]}")
        done += 1
    return done


def unseen(root, seen):
    """Yields advice in the sources that is not in `seen`."""
    for path in sorted([*root.glob("src/model/*.c"), *root.glob("src/decl/*.c")]):
        for m in re.finditer(rf"{STRING}(\s*{STRING})*", path.read_text()):
            text = "".join(re.findall(STRING, m[0])).replace('\\"', '"').replace("\\\\", "\\")
            parts = re.split(r"%(?:\.\*s|s|zu|c|d|u)", text.replace("%%", "%"))
            printed = re.compile(".*".join(re.escape(part) for part in parts))
            if ADVICE.match(text) and not any(printed.match(s) or s.startswith(text) for s in seen):
                yield f"{path.name}: no declaration of the tests gets the advice: {text}"


def main():
    tracetool, root = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
    here = root / "tests" / "decl"
    faults, used, mended = [], set(), []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        own = [here / "advice.events", here / "advice_old.events"]
        for path in sorted([*here.glob("fail/*/*.events"), *here.glob("pass/*/*.events")]) + own:
            tool = [tracetool, "--accept-old"] if "old.events" in path.name else [tracetool]
            try:
                lines = path.read_text().splitlines()
            except UnicodeDecodeError:
                continue
            for line in lines:
                if len(line) > 2000 or not line.isprintable():
                    continue
                new = mend(tool, line, folder, faults, used)
                if new and not new.startswith("#"):
                    mended.append(new)
                elif new is None and path == own[0]:
                    faults.append(f"{path.name}: {line}\n  not mended")
        tables = sum(try_toml([tracetool], path, folder, faults, used)
                     for path in sorted((here / "fail" / "toml").glob("*.toml")))
        names = check([tracetool, "--warn=names"], "ab(void)\nab_c(void)", folder)
        used.update(help_text for _, help_text in names)
        if not faults:
            compile_all([tracetool], root, mended, folder)
    for pattern, _ in RULES + TOML_RULES:
        if pattern not in used:
            faults.append(f"no message proposes: {pattern}")
    goldens = "".join(path.read_text(errors="replace") for path in here.glob("*/*/*.expected"))
    faults += unseen(root, used | set(re.findall(r": help: (.*)", goldens)))
    for fault in faults:
        print("FAILED:", fault)
    print(f"{len(mended)} lines and {tables} of TOML mended, {len(faults)} faults")
    return 1 if faults or len(mended) < 100 or tables < 30 else 0


if __name__ == "__main__":
    sys.exit(main())
