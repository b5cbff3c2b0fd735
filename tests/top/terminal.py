# SPDX-License-Identifier: MIT
"""A terminal of a given size, with a program in it: as much of xterm as ncurses uses for us."""
import fcntl
import os
import re
import select
import struct
import subprocess
import termios
import time
import unicodedata

SEQUENCE = re.compile(r"\x1b(?:\[([?>]?)([\d;]*)([@-~])|[()][A-Z0-9]|[=>78cDEHMNOZ])")


class Terminal:
    def __init__(self, command, rows=24, columns=100, env=None):
        self.master, self.slave = os.openpty()
        self.resize(rows, columns)
        self.before = termios.tcgetattr(self.slave)
        self.raw = ""  # all that was written
        self.pending = b""
        self.process = subprocess.Popen(command, stdin=self.slave, stdout=self.slave, stderr=self.slave, env=env,
                                        start_new_session=True,
                                        preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0))

    def resize(self, rows, columns):
        self.rows, self.columns = rows, columns
        self.cells = [[" "] * columns for _ in range(rows)]
        self.y = self.x = 0
        fcntl.ioctl(self.slave, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def close(self):
        """Ends the program if it still runs; returns its status."""
        self.process.kill()
        os.close(self.master)
        os.close(self.slave)
        return self.process.wait()

    def is_restored(self):
        return termios.tcgetattr(self.slave) == self.before

    def type(self, text):
        os.write(self.master, text.encode(errors="surrogateescape"))

    # ---- What is shown ----

    def put(self, character):
        width = 2 if unicodedata.east_asian_width(character) in "WF" else 1
        if self.x + width > self.columns:
            self.x, self.y = 0, min(self.y + 1, self.rows - 1)
        self.cells[self.y][self.x:self.x + width] = [character, ""][:width]
        self.x += width

    def erase(self, y, begin, end):
        for x in range(begin, min(end, self.columns)):
            self.cells[y][x] = " "

    def control(self, private, numbers, kind):
        given = [int(n) if n else 0 for n in numbers.split(";")]
        n = max(given[0], 1)
        row = self.cells[self.y]
        if private:
            return
        if kind == "H":
            self.y, self.x = n - 1, max(given[1] if len(given) > 1 else 1, 1) - 1
        elif kind in "ABCDGd":
            self.y, self.x = {"A": (self.y - n, self.x), "B": (self.y + n, self.x), "C": (self.y, self.x + n),
                              "D": (self.y, self.x - n), "G": (self.y, n - 1), "d": (n - 1, self.x)}[kind]
        elif kind == "J":
            if given[0] == 2:
                self.y = self.x = 0
            self.erase(self.y, self.x, self.columns)
            for y in range(self.y + 1, self.rows):
                self.erase(y, 0, self.columns)
        elif kind == "K":
            self.erase(self.y, 0 if given[0] else self.x, self.x + 1 if given[0] == 1 else self.columns)
        elif kind == "X":
            self.erase(self.y, self.x, self.x + n)
        elif kind == "P":
            row[self.x:] = row[self.x + n:] + [" "] * min(n, self.columns - self.x)
        elif kind == "@":
            row[self.x:] = ([" "] * n + row[self.x:])[:self.columns - self.x]
        elif kind == "b":
            for _ in range(n):
                self.put(self.last)
        elif kind in "LM":
            del self.cells[self.rows - n if kind == "L" else self.y:][:n]
            blank = [[" "] * self.columns for _ in range(n)]
            kept = self.cells[self.y:self.rows - n] if kind == "L" else self.cells[self.y + n:]
            self.cells[self.y:] = blank + kept if kind == "L" else kept + blank
        self.y = min(max(self.y, 0), self.rows - 1)
        self.x = min(max(self.x, 0), self.columns - 1)

    def take(self, text):
        at = 0
        while at < len(text):
            found = SEQUENCE.match(text, at)
            if found:
                if found[3]:
                    self.control(*found.groups())
                at = found.end()
                continue
            c = text[at]
            if c == "\r":
                self.x = 0
            elif c == "\n":
                self.y = min(self.y + 1, self.rows - 1)
            elif c == "\b":
                self.x = max(self.x - 1, 0)
            elif c == "\t":
                self.x = min((self.x // 8 + 1) * 8, self.columns - 1)
            elif c >= " ":
                self.last = c
                self.put(c)
            at += 1

    def read(self, seconds):
        """Reads what is written within that time; returns whether there was anything."""
        if not select.select([self.master], [], [], seconds)[0]:
            return False
        try:
            self.pending += os.read(self.master, 65536)
        except OSError:
            return False
        # A sequence or character may be cut.
        text = self.pending.decode(errors="ignore")
        cut = text.rfind("\x1b")
        if cut >= 0 and not SEQUENCE.match(text, cut):
            text = text[:cut]
        self.pending = self.pending[len(text.encode()):]
        self.raw += text
        self.take(text)
        return True

    def lines(self):
        return ["".join(row).rstrip() for row in self.cells]

    def shows(self, *wanted, seconds=20):
        """Returns "" when all patterns are on the screen, else what is there after that time."""
        end = time.monotonic() + seconds
        while not all(re.search(w, "\n".join(self.lines()), re.M) for w in wanted):
            if time.monotonic() > end:
                return "\n".join(self.lines())
            self.read(0.1)
        return ""

    def settle(self, seconds):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self.read(0.05)

    def wait(self, seconds=20):
        """Returns the program's status; reads all that it writes."""
        end = time.monotonic() + seconds
        while self.process.poll() is None and time.monotonic() < end:
            self.read(0.05)
        while self.read(0.05):
            pass
        return self.process.poll()
