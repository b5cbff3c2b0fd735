#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests that every command has a manual page with exactly the options of its --help and the same
names of their values, and that the page's usage line names all of them: options.py ROOT BUILD
"""

import pathlib
import re
import subprocess
import sys

import manual

root = pathlib.Path(sys.argv[1])
commands = pathlib.Path(sys.argv[2], "src/cmd").resolve()
pages = manual.pages(root)
faults = manual.Faults()
defaults = {}  # {option: its number}

OPTION = re.compile(r"^ +(?:(-\w), )?--([a-z][a-z-]*)(=\S*)?(?: |$)")


def help_of(*words):
    done = subprocess.run([commands / words[0], *words[1:], "--help"], capture_output=True, text=True)
    faults.check(done.returncode == 0 and not done.stderr, f"{' '.join(words)} --help: {done.stderr}")
    return done.stdout


def options_of(text):
    """Returns {long name: (letter or None, takes a value)}."""
    return {m.group(2): (m.group(1), bool(m.group(3)))
            for m in map(OPTION.match, text.splitlines()) if m}


def documented(page):
    """Returns the same from a page's items: `.It Fl e , -event= Ns Ar X`, `.It Fl -help , -version`."""
    found = {}
    for words in page.macros("It"):
        if words[:1] != ["Fl"]:
            continue
        letter = None
        for number, word in enumerate(words):
            if re.fullmatch(r"\w", word) and words[number - 1] in ("Fl", ","):
                letter = "-" + word
            elif re.fullmatch(r"-[a-z][a-z-]*=?", word) and words[number - 1] in ("Fl", ","):
                value = word.endswith("=") or words[number + 1:number + 3] == ["Ns", "="] or \
                    words[number + 1:number + 3] == ["Ns", "Ar"] or words[number + 1:number + 2] == ["Ar"]
                found[word.strip("-=")] = (letter, value)
                letter = None
    return found


def check_usage(name, text):
    """The usage line names all options, or says that there are options."""
    usage = text.split("\n\n")[0]
    if "OPTION" in usage:
        return
    for long, (letter, _) in options_of(text).items():
        if long not in ("help", "version"):
            faults.check(f"--{long}" in usage or letter and letter in usage,
                         f"the usage of {name} lacks --{long}: {usage}")


def check_defaults(page, text):
    """A number that is an option's default is the same in the page and in all commands."""
    for long, number in re.findall(r"^ +(?:-\w, )?--([a-z-]+)=.*; default: (\d+)$", text, flags=re.M):
        item = re.search(rf"^\.It Fl -{long} .*?(?=^\.It|^\.El)", page.path.read_text(), flags=re.M | re.S)
        faults.check(item and f"{number} by default" in item[0],
                     f"{page.path.name}: --{long} is not {number} by default, as --help has it")
        other = defaults.setdefault(long, number)
        faults.check(other == number, f"--{long} is {number} by default here, {other} elsewhere: {page.path.name}")


def check(*words):
    name = "-".join(words)
    page = pages.get(f"{name}.1")
    faults.check(page, f"there is no manual page {name}.1")
    if not page:
        return
    text = help_of(*words)
    said, wanted = documented(page), options_of(text)
    faults.check(len(wanted) > 1, f"{name} --help was not understood")
    for long, (letter, value) in wanted.items():
        if long not in said:
            faults.check(False, f"{page.path.name} lacks --{long}")
            continue
        faults.check(said[long][1] == value, f"{page.path.name}: whether --{long} takes a value")
        faults.check(said[long][0] == letter or long in ("help",),
                     f"{page.path.name}: --{long} has the letter {said[long][0]}, by --help {letter}")
    for long in set(said) - set(wanted):
        faults.check(False, f"{page.path.name} has --{long}, which --help does not have")
    check_defaults(page, text)
    if words[0] == "waymark":
        check_usage(name, text)
    return text


def subcommands(text):
    return re.findall(r"^  ([a-z]+) ", text.split("\ncommands:\n")[1].split("\n\n")[0], flags=re.M)


def check_items(page, what, names):
    """Commands, formats and backends are items of their pages."""
    said = {words[1] for words in pages[page].macros("It") if words[:1] == ["Cm"]}
    said |= {words[0] for words in pages[page].macros("Cm") if words}
    for name in names:
        faults.check(name in said, f"{page} lacks the {what} {name}")


def main():
    built = re.findall(r"executable\('([a-z]+)'", (root / "src/cmd/meson.build").read_text())
    faults.check(len(built) == 3, f"the commands are {built}")
    for command in built:
        text = check(command)
        if command == "waymark":
            check_items("waymark.1", "command", subcommands(text))
            faults.check("help" in subcommands(text), "waymark --help does not list waymark help")
            for name in set(subcommands(text)) - {"help"}:
                check("waymark", name)
    check_items("waymark-ctl.1", "command", subcommands(help_of("waymark", "ctl")))
    for what in ("formats", "backends"):
        listed = subprocess.run([commands / "tracetool", f"--list-{what}"], capture_output=True, text=True)
        check_items("tracetool.1", what[:-1], re.findall(r"[\w-]+", listed.stdout))
    for path in (root / "docs/man").glob("waymark-*.1"):
        name = path.name[len("waymark-"):-2]
        faults.check(name in subcommands(help_of("waymark")), f"{path.name} is of no command")
    faults.check("timeout" in defaults, "no default was understood")
    faults.end(200)


main()
