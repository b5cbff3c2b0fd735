# SPDX-License-Identifier: MIT
"""Builds random-fire for declarations of events, and runs it."""

import os
import subprocess


class Tools:
    """What meson passes: the compiler and tracetool, the library, and the sources."""

    def __init__(self, tracetool, library, root):
        self.tracetool, self.library, self.root = tracetool, library, root
        self.compiler = os.environ.get("CC", "cc").split()
        # tools/check-sanitize: as the library is built
        flags = {"address": ["-fsanitize=address,undefined"], "thread": ["-fsanitize=thread"]}
        self.compiler += flags.get(os.environ.get("WAYMARK_SANITIZER"), [])

    def build(self, events, place):
        """Returns the program that fires the events."""
        inputs = []
        for name, is_toml in ("events.toml", True), ("trace-events", False):
            path = os.path.join(place, name)
            with open(path, "w", encoding="utf-8") as file:
                file.write("".join(e.declared() for e in events if e.is_toml == is_toml))
            inputs.append(path)
        for kind in "h", "c":
            subprocess.run([self.tracetool, f"--format={kind}", "--backends=ctf", "--group=random",
                            "-o", os.path.join(place, f"trace-random.{kind}"), *inputs],
                           check=True)
        with open(os.path.join(place, "glue.h"), "w", encoding="utf-8") as file:
            file.write('#include "trace-random.h"\n')
            file.write("".join(e.glue() for e in events))
            rows = "".join(f'\t{{ "{e.name}", "{"".join(a.kind for a in e.args)}", '
                           f"fire_{e.name}, NULL, 0 }},\n" for e in events)
            file.write(f"static struct event events[] = {{\n{rows}}};\n")
        program = os.path.join(place, "fire")
        folder = os.path.dirname(self.library)
        subprocess.run(
            [*self.compiler, "-std=gnu11", "-D_GNU_SOURCE", "-O1", "-w", f"-I{place}",
             f"-I{self.root}/include", "-o", program,
             f"{self.root}/tests/random/fire.c", os.path.join(place, "trace-random.c"),
             f"-L{folder}", f"-Wl,-rpath,{folder}", "-lwaymark", "-lm"], check=True)
        return program


class Fire:
    """The running program."""

    def __init__(self, program, place, option):
        self.process = subprocess.Popen(
            [program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
            encoding="latin-1", cwd=place, env={**os.environ, "WAYMARK_TRACE": option})
        self.pid = int(self.process.stdout.readline())

    def answers(self, requests):
        """Returns what it prints for the requests, and ends it."""
        printed = self.process.communicate("".join(f"{r}\n" for r in requests))[0]
        if self.process.returncode:
            raise RuntimeError(f"random-fire ended with {self.process.returncode}")
        return printed.splitlines()
