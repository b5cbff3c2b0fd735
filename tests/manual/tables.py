#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests that the manual's tables have exactly the rows of the tables in the sources: keys of the
option, log prefixes, commands of the monitor, system calls, environment variables, a buffer's
header: tables.py ROOT
"""

import pathlib
import re
import subprocess
import sys

import manual

root = pathlib.Path(sys.argv[1]).resolve()
pages = manual.pages(root)
faults = manual.Faults()
# Read by libc in the name of the program.
OF_LIBC = {"TZ"}


def rows(path, macro):
    """Yields the arguments of each row of a table, even if it is wrapped to several lines."""
    text = re.sub(r"/\*.*?\*/", "", (root / path).read_text(), flags=re.S)
    for row in re.findall(rf"^{macro}\((.*?)\)\s*$", text, flags=re.M | re.S):
        yield " ".join(row.split())


def first_strings(path, macro):
    return [re.match(r'"([^"]*)"', row).group(1) for row in rows(path, macro)]


def items(page, section):
    """Yields the first words of the items of a section, without macros."""
    for words in pages[page].macros("It", section):
        yield words


def check_options():
    keys = [w[1].rstrip("=") for w in items("waymark-trace.7", "DESCRIPTION")
            if w[:1] == ["Cm"] and re.fullmatch(r"[a-z.-]+=", w[1])]
    taken = [k for k in keys if k not in ("help",)]
    faults.same("keys of -trace", first_strings("src/rt/control/options.def", "WAYMARK_OPTION"), taken)


def check_prefixes():
    text = "\n".join(pages["waymark-trace.7"].lines("DESCRIPTION"))
    said = re.search(r"^\.It Cm log\.prefix= Ns Cm (.*)$", text, flags=re.M).group(1)
    prefixes = first_strings("src/rt/text/log_prefixes.def", "WAYMARK_LOG_PREFIX")
    faults.same("log prefixes of waymark-trace(7)", prefixes, said.replace("|", " ").split())
    faults.same("log prefixes of waymark-log(5)", prefixes,
                [w[1] for w in items("waymark-log.5", "DESCRIPTION") if w[:1] == ["Cm"]])


def check_system_calls():
    calls = [r.split(",")[0] for r in rows("src/rt/control/jail_calls.def", "JAIL_CALL")]
    text = "\n".join(pages["waymark-jail.7"].lines("DESCRIPTION")).split(".Ss System calls")[1]
    said = re.findall(r"^\.It ([a-z0-9_, ]*) Ta ", text.split(".El")[0], flags=re.M)
    faults.same("system calls in a jail", calls, ", ".join(said).replace(" ", "").split(","))


def usage_of(name, parameters):
    """Returns a monitor command as the page shows it."""
    words = [name]
    for parameter in parameters.split():
        shown, _, kind = parameter.partition(":")
        optional = kind.endswith("?")
        kind = kind.rstrip("?")
        shown = "on|off" if kind == "switch" else kind if "|" in kind else shown
        words.append(f"[{shown}]" if optional else shown)
    return " ".join(words)


def check_monitor():
    done = subprocess.run(["mandoc", "-Tascii", "-O", "width=200",
                           root / "docs/man/waymark-monitor.7"], capture_output=True, text=True)
    lines = [line.strip() for line in re.sub(".\b", "", done.stdout).splitlines()]
    # A short item has its text on the same line.
    said = {usage for line in lines for usage in re.split(r"  +", line)[0].split(", ")}
    commands = [re.match(r'"([^"]*)", [A-Z| ]+, *"([^"]*)"', row).groups()
                for row in rows("src/mon/session/commands.def", "COMMAND")]
    faults.check(len(commands) > 20, "commands.def was not understood")
    for name, parameters in commands:
        faults.check(usage_of(name, parameters) in said,
                     f"waymark-monitor(7) does not have: {usage_of(name, parameters)}")


def headers(name):
    """Finds the macro of that name in the headers."""
    for path in (root / "src").rglob("*.h"):
        macro = re.search(rf'^#define {name} ("\w+")', path.read_text(), flags=re.M)
        if macro:
            return macro
    return None


def variables():
    """Returns {name: files that read the variable}; a name may be a macro of the file."""
    found = {}
    for path in (root / "src").rglob("*.[ch]"):
        text = path.read_text()
        for name in re.findall(r'\b(?:secure_)?getenv\(\s*("?\w+"?)\s*\)', text):
            if not name.startswith('"'):
                macro = re.search(rf'^#define {name} ("\w+")', text, flags=re.M) or headers(name)
                faults.check(macro, f"{path}: what is {name} of getenv()?")
                name = macro.group(1) if macro else name
            found.setdefault(name.strip('"'), []).append(path)
    return found


def check_environment():
    said = set()
    for page in pages.values():
        said |= {v for words in page.macros("It", "ENVIRONMENT") if words[:1] == ["Ev"]
                 for v in words[1:] if v != ","}
    faults.same("variables of the environment", set(variables()) | OF_LIBC, said)
    # The runtime's variables are on the page of its other settings.
    runtime = {name for name, files in variables().items()
               if any(part in str(f) for f in files for part in ("/src/rt/", "/src/socket/"))}
    there = {w[1] for w in items("waymark-trace.7", "ENVIRONMENT") if w[:1] == ["Ev"]}
    faults.same("variables of the traced program", runtime | OF_LIBC, there)
    for page in pages.values():
        for name in re.findall(r"^\.Ev (\w+)", page.text, flags=re.M):
            faults.check(name in said, f"{page.path.name}: {name} is in no section ENVIRONMENT")


def check_buffer():
    """Checks each offset with a compiler."""
    code = ["#include <stddef.h>", "#include <stdbool.h>", '#include "format/buffer.h"']
    fields = []
    for words in items("waymark-buffer.5", "DESCRIPTION"):
        if words[0].isdigit():
            fields.append(words[2])
            code.append(f"_Static_assert(offsetof(struct buffer_file, {words[2]}) == {words[0]}, "
                        f'"{words[2]} is not at {words[0]}");')
    done = subprocess.run(["cc", "-std=gnu11", f"-I{root}/src", "-fsyntax-only", "-x", "c", "-"],
                          input="\n".join(code) + "\n", capture_output=True, text=True)
    faults.check(done.returncode == 0, f"waymark-buffer(5): {done.stderr}")
    struct = (root / "src/format/buffer.h").read_text().split("struct buffer_file {")[1].split("};")[0]
    struct = re.sub(r"/\*.*?\*/", "", struct, flags=re.S)
    faults.same("fields of a buffer's header", set(re.findall(r"(\w+)(?:\[\w+\])?;", struct)) - {"reserved"},
                fields)
    version = re.search(r"#define BUFFER_FILE_VERSION (\d+)", (root / "src/format/buffer.h").read_text())
    faults.check(f".It 8 Ta version Ta u32 Ta {version.group(1)}\n" in pages["waymark-buffer.5"].text,
                 "waymark-buffer(5) is of another version")


check_options()
check_prefixes()
check_system_calls()
check_monitor()
check_environment()
check_buffer()
faults.end(50)
