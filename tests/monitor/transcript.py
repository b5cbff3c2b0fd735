#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Conversations with the monitor of a running program, as they are written down.

    transcript.py PROGRAM FILE...        each must go as its file says
    transcript.py --write PROGRAM FILE   writes down what was answered instead

A file begins with `# dialect: NAME`, or with `# dialect: dialect=NAME` to test that option, and
perhaps `,KEY=VALUE` for the option control=. Its lines: `> ` is sent to the monitor; `! ` is sent
to the program: a number of rounds of its events to fire; `$ NAME` shows a file; `# ` is a comment;
every other line is an answer. In answers, DIR is the folder of the test, PID the program's pid,
POINTER that of a vCPU.
"""

import difflib
import os
import re
import subprocess
import sys
import tempfile

from qmp import PATIENCE_S, connect


class Talk:
    """A connection; answers are read until the end mark of the dialect."""

    def __init__(self, path, dialect):
        self.socket = connect(path)
        self.prompt = re.search(r"^hmp|control-mode=hmp", dialect) and b"(waymark) "
        self.kept = b""

    def answer(self):
        """Returns the next answer; ends with None if the connection ends."""
        end = self.prompt or b"\n"
        while end not in self.kept:
            more = self.socket.recv(65536)
            if not more:
                rest, self.kept = self.kept, b""
                return rest, True
            self.kept += more
        at = self.kept.index(end) + len(end)
        text, self.kept = self.kept[:at], self.kept[at:]
        return text.removesuffix(self.prompt or b""), False


class Conversation:
    def __init__(self, program, folder, dialect):
        self.folder = folder
        where = os.path.join(folder, "monitor.sock")
        option = (f"{dialect},control={where}" if dialect.startswith("dialect=")
                  else f"control={where},control-mode={dialect}")
        self.program = subprocess.Popen(
            [program], cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
            env=dict(os.environ, WAYMARK_TRACE=option))
        self.talk = Talk(where, dialect)
        self.lines = []

    def plain(self, text):
        text = text.replace(self.folder, "DIR")
        text = re.sub(r"@\d+\.\d+:", "@TIME:", text)
        text = re.sub(r"\bcpu=0x[0-9a-f]+", "cpu=POINTER", text)
        return re.sub(rf"\b{self.program.pid}\b", "PID", text)

    def note_answer(self):
        text, closed = self.talk.answer()
        lines = self.plain(text.decode()).split("\r\n")
        assert lines[-1] == "", f"an answer without an end: {text}"
        self.lines += lines[:-1]
        if closed:
            self.lines.append("[closed]")

    def send(self, line):
        self.lines.append("> " + line)
        # A backslash at the end: the next line continues the input.
        more = line.endswith("\\")
        text = line.removesuffix("\\").replace("DIR", self.folder) + ("" if more else "\n")
        self.talk.socket.sendall(text.encode())
        if not more:
            self.note_answer()

    def fire(self, line):
        self.lines.append("! " + line)
        self.program.stdin.write(line + "\n")
        self.program.stdin.flush()
        assert self.program.stdout.readline() == f"fired {line}\n"

    def show(self, name):
        self.lines.append("$ " + name)
        with open(os.path.join(self.folder, name), encoding="utf-8") as file:
            self.lines += self.plain(file.read()).splitlines()

    def run(self, script):
        self.note_answer()
        deeds = {">": self.send, "!": self.fire, "$": self.show, "#": self.comment}
        for line in script:
            if line[:1] in deeds and line[1:2] == " ":
                deeds[line[0]](line[2:])
        self.talk.socket.close()
        self.program.stdin.close()
        assert self.program.wait(PATIENCE_S) == 0
        return self.lines

    def comment(self, line):
        self.lines.append("# " + line)


def converse(program, name):
    with open(name, encoding="utf-8") as file:
        wanted = file.read().splitlines()
    dialect = wanted[0].removeprefix("# dialect: ")
    with tempfile.TemporaryDirectory() as folder:
        conversation = Conversation(program, folder, dialect)
        return wanted, [wanted[0]] + conversation.run(wanted[1:])


def check(program, name):
    wanted, got = converse(program, name)
    for line in difflib.unified_diff(wanted, got, name, "what was said", lineterm=""):
        print(line)
    return wanted == got


def main():
    arguments = sys.argv[1:]
    if arguments[0] == "--write":
        _, got = converse(os.path.abspath(arguments[1]), arguments[2])
        with open(arguments[2], "w", encoding="utf-8") as file:
            file.write("\n".join(got) + "\n")
        return 0
    program = os.path.abspath(arguments[0])
    good = [check(program, name) for name in arguments[1:]]
    print(f"{sum(good)} of {len(good)} conversations went as written")
    return 0 if good and all(good) else 1


sys.exit(main())
