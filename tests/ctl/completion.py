#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Completion of what running programs know: completion.py WAYMARK TICKER MONITOR COMPLETIONS [TEST...]"""

import os
import shutil
import subprocess

import common

BASH = """
source "$1/waymark"; shift
compopt() { echo "compopt $*"; }
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMPREPLY=()
_waymark "$1" "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
printf '%s\\n' "${COMPREPLY[@]}"
"""
# What the function calls of the completion system does, as far as it matters here.
ZSH = """
compset() { }
_files() { print -l -- ${words[CURRENT]}*(N) }
compadd() { while [[ $1 != -- ]]; do shift; done; shift; print -l -- "$@" }
_describe() { print -l -- ${${(P)2}%%:*} }
functions[run]=$(<$1/zsh/_waymark); shift
words=("$@") CURRENT=$# service=waymark
run
"""
FISH = """
source $argv[1]/fish/waymark.fish
complete -C "$argv[2..-1]"
"""


class Completion(common.Case):
    def setUp(self):
        super().setUp()
        self.env["PATH"] = f"{os.path.dirname(common.WAYMARK)}:{self.env['PATH']}"
        self.env["HOME"] = str(self.work)
        self.program = self.start(1000, program=self.named("completed"))

    def run_shell(self, *command):
        done = subprocess.run(command, env=self.env, cwd=self.work, capture_output=True, text=True,
                              timeout=common.PATIENCE)
        self.assertEqual(done.stderr, "")
        return {line.split("\t")[0] for line in done.stdout.splitlines() if line}

    def offered(self, words):
        """By each shell; events and commands of ours only."""
        yield self.run_shell("bash", "-c", BASH, "bash", common.COMPLETIONS, "waymark", *words)
        if shutil.which("zsh"):
            yield self.run_shell("zsh", "-f", "-c", ZSH, "zsh", common.COMPLETIONS, "waymark", *words)
        if shutil.which("fish"):
            yield self.run_shell("fish", "--no-config", "-c", FISH, common.COMPLETIONS, "waymark",
                                 *words)

    def prove(self, wanted, *words):
        for number, offered in enumerate(self.offered([str(w) for w in words])):
            with self.subTest(shell=number, words=words):
                prefix = str(words[-1])
                self.assertEqual({o for o in offered if o.startswith(prefix)}, wanted)

    def test_events(self):
        pid = self.program.pid
        self.prove({"tick", "tock", "tack_text"}, "attach", pid, "t")
        self.prove({"tick", "tock", "tack_text", "never"}, "ctl", pid, "list", "")
        self.prove({"never"}, "ctl", "completed", "on", "tick", "n")
        self.prove({"tack_text"}, "ctl", "--timeout", "5", pid, "off", "ta")
        self.prove({"never"}, "attach", pid, "tick", "n")
        self.prove(set(), "attach", pid, "x")
        self.prove(set(), "attach", "4194303", "t")

    def test_events_behind_an_open_quote(self):
        for offered in list(self.offered(["ctl", str(self.program.pid), "on", "'n"]))[1:]:
            self.assertEqual(offered, {"never"})

    def test_an_option_with_a_value_is_not_quoted(self):
        """By bash, which takes it for the name of a file else."""
        bash = next(self.offered(["attach", "--sec"]))
        self.assertEqual(bash, {"--seconds=", "compopt -o nospace +o filenames"})

    def test_processes(self):
        pid = str(self.program.pid)
        self.prove({pid}, "ctl", pid[:-1] + pid[-1])
        self.prove({"completed"}, "attach", "comp")
        self.prove({"completed"}, "attach", "--seconds", "5", "comp")

    def test_commands(self):
        self.prove({"snapshot", "stats"}, "ctl", self.program.pid, "s")
        self.prove({"on", "off"}, "ctl", self.program.pid, "file", "o")
        self.prove({"ctl"}, "ct")

    def test_files(self):
        (self.work / "some-file").touch()
        self.prove({"some-file"}, "ctl", self.program.pid, "snapshot", "some")
        self.prove({"some-file"}, "ctl", self.program.pid, "file", "set", "some")
        self.prove({"some-file"}, "ctl", "some")


if __name__ == "__main__":
    common.main()
