#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""prompt.py WAYMARK ASK: statements and commands from a file and at the prompt, Ctrl-C there, and tables
that have more rows than set their widths.
"""
import os
import pathlib
import pty
import re
import select
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../common"))
from compare import check, finish

waymark, ask = sys.argv[1:]


def run(*arguments, given=""):
    told = subprocess.run([waymark, "sql", *map(str, arguments)], input=given, timeout=60, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    return told.returncode, told.stdout, told.stderr


def check_file(trace):
    check(".quit", run("--csv", trace, given="SELECT 1 AS a;\n.quit\nSELECT 2;\n"), (0, "a\n1\n", ""))
    check(".quit as a query", run(trace, ".quit"), (0, "", ""))
    check("blanks behind a command", run(trace, given=".mode csv \r\nSELECT 1 AS a;\r\n"), (0, "a\n1\n", ""))
    check("a text with an empty line", run("--json", trace, given="SELECT 'a\n\nb' AS a;\n"),
          (0, '[{"a":"a\\n\\nb"}]\n', ""))
    status, out, err = run(trace, ".schema ask_sumbit")
    check(f"the columns of no table: {err}", (status, out, "did you mean 'ask_submit'?" in err), (1, "", True))
    status, out, err = run(trace, ".schema")
    check(f"no table: {err}", (status, out, ".schema needs a table" in err), (1, "", True))


def check_long_table(trace):
    status, out, _ = run(trace, "SELECT a FROM ask_tick LIMIT 1200")
    lines = out.splitlines()
    check("a long table", (status, len(lines)), (0, 1202))
    check("one line below the names", [number for number, line in enumerate(lines) if line.startswith("-")], [1])


class Prompt:
    def __init__(self, trace, state):
        self.pid, self.terminal = pty.fork()
        if self.pid == 0:
            os.execve(waymark, [waymark, "sql", trace], dict(os.environ, TERM="xterm", XDG_STATE_HOME=str(state)))
        self.answer()

    def answer(self, seconds=30):
        """Returns what is shown until a prompt, or the end."""
        shown, end = b"", time.monotonic() + seconds
        while not re.search(rb"(waymark|\.\.\.)> $", shown) and time.monotonic() < end:
            if select.select([self.terminal], [], [], 0.1)[0]:
                try:
                    shown += os.read(self.terminal, 4096)
                except OSError:  # the other side was closed
                    break
        return shown.decode().replace("\r\n", "\n")

    def type(self, keys):
        os.write(self.terminal, keys.encode())
        return self.answer()

    def interrupt(self):
        """Presses Ctrl-C; returns what it shows. A key is lost if it comes before the command waits for it."""
        for _ in range(20):
            os.write(self.terminal, b"\x03")
            shown = self.answer(0.5)
            if shown.endswith("> "):
                return shown
        return ""

    def end(self, keys):
        """Types keys until the command ends; returns its status."""
        for _ in range(20):
            os.write(self.terminal, keys.encode())
            self.answer(0.5)
            time.sleep(0.1)  # the terminal is closed before the process ends
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                return os.waitstatus_to_exitcode(status)
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        return "does not end"


def check_prompt(trace, folder):
    prompt = Prompt(trace, folder)
    check("an answer", "\n42\n" in prompt.type("SELECT 42 AS a;\n"), True)
    check("a half statement", prompt.type("SELECT nothing\n").endswith("...> "), True)
    check("Ctrl-C drops it", prompt.interrupt().endswith("waymark> "), True)
    check("the next statement", "\n43\n" in prompt.type("SELECT 43 AS a;\n"), True)
    os.write(prompt.terminal, b"SELECT nothing")
    check("the line", prompt.answer(0.5).endswith("SELECT nothing"), True)
    check("Ctrl-C drops a line", prompt.interrupt().endswith("waymark> "), True)
    check("a statement after it", "\n44\n" in prompt.type("SELECT 44 AS a;\n"), True)
    # Ctrl-U first: a key that came while Ctrl-C dropped the line may be left in it.
    check("Ctrl-D", prompt.end("\x15\x04"), 0)
    history = folder / "waymark/sql_history"
    check("others cannot read the history", history.stat().st_mode & 0o77, 0)
    check(".quit", Prompt(trace, folder).end(".quit\n"), 0)


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        trace = folder / "ask.ctf"
        environment = dict(os.environ, WAYMARK_TRACE=f"*,backend=ctf,file={trace}")
        subprocess.run([ask, "1", "200"], check=True, env=environment, timeout=60)
        check_file(trace)
        check_long_table(trace)
        check_prompt(trace, folder)
    finish()


main()
