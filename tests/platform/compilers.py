#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compilers and options: compilers.py [--all] ROOT WAYMARK TRACETOOL LIBWAYMARK.SO

program.c with generated code and public headers in C and C++ is built in each way of the table
below, checked for the effect of the options, and run: its printed trace is compared with
values.expected. Without --all only a part of the table is tried.

A missing compiler is named and left out; exit status 77 if none is left. The results are printed as
the table of docs/platforms.md.
"""

import argparse
import concurrent.futures
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import traces

# From Debian 12's archive: its own gcc and clang, and the newest clang.
COMPILERS = {"gcc-12": "g++-12", "clang-14": "clang++-14", "clang-19": "clang++-19"}
LEVELS = ["-O0", "-O1", "-O2", "-O3", "-Os"]
FORMS = ["", "-flto", "-fcf-protection=full", "-fPIC -shared", "-fno-pie -no-pie",
         "-fdata-sections -Wl,--gc-sections,-z,start-stop-gc"]
FORMS_OF_32_BITS = ["-m32", "-m32 -fPIC -shared", "-m32 -fno-pie -no-pie"]
COMPILERS_OF_32_BITS = ["gcc-12", "clang-14"]
SOME = [("gcc-12", "-O0", ""), ("gcc-12", "-O2", "-flto"), ("gcc-12", "-O3", "-fcf-protection=full"),
        ("gcc-12", "-Os", FORMS[-1]), ("clang-14", "-O0", "-fPIC -shared"),
        ("clang-14", "-O2", "-flto")]

C_OPTIONS = ["-std=gnu11", "-D_GNU_SOURCE"]
CXX_OPTIONS = ["-std=c++11"]
OPTIONS = ["-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Werror", "-DWAYMARK_SCOPES=ctf"]
# The 32-bit C++ library is missing, and the kernel's headers are the same for both word sizes.
OF_32_BITS = ["-fno-exceptions", "-idirafter", "/usr/include/x86_64-linux-gnu"]
GROUPS = {"platform": "trace-events", "platform_toml": "events.toml"}
TYPE_EXEC, TYPE_DYN = 2, 3


class Failed(Exception):
    """Raised when a row fails."""


def run(command, **options):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True,
                          check=False, **options)
    if done.returncode or done.stderr:
        raise Failed(f"{' '.join(map(str, command))}: status {done.returncode}: {done.stderr}")
    return done.stdout


class Kit:
    """The sources and libraries of all rows."""

    def __init__(self, options, place):
        self.root = options.root.resolve()
        self.folder = self.root / "tests/platform"
        self.waymark = [str(options.waymark.resolve())]
        self.library = options.library.resolve()
        self.library_32 = None
        self.place = place
        for group, events in GROUPS.items():
            for form in ["h", "c"]:
                run([options.tracetool, f"--format={form}", "--backends=ctf", f"--group={group}",
                     self.folder / events, place / f"trace-{group}.{form}"])

    def sources(self):
        return [self.folder / "program.c", self.folder / "points.c", self.folder / "points.cc",
                *(self.place / f"trace-{group}.c" for group in GROUPS)]

    def build_library_32(self):
        """Builds the 32-bit library. Returns the reason why this machine cannot build it, or None."""
        build = self.place / "i386"
        source = self.place / "none.c"
        source.write_text("int main(void) { return 0; }\n", encoding="utf-8")
        try:
            run(["gcc-12", "-m32", source, "-o", self.place / "none"])
            run([self.place / "none"])
        except (Failed, OSError):
            return "gcc-12 -m32: no C library of 32 bits, or no kernel for it"
        run(["meson", "setup", "-Dmonitor=disabled", "-Dtests=none", "--cross-file",
             self.root / "tools/cross/i386.ini", build, self.root])
        run(["ninja", "-C", build, "src/rt/libwaymark.so.0"])
        self.library_32 = build / "src/rt/libwaymark.so.0"
        return None


class Row:
    """A program of one compiler, level and form, in a separate folder."""

    def __init__(self, kit, compiler, level, form):
        self.kit = kit
        self.name = f"{compiler} {level} {form}".strip()
        self.compiler, self.level, self.form = compiler, level, form
        self.place = kit.place / self.name.replace(" ", "_")
        self.is_32 = "-m32" in form
        self.is_library = "-shared" in form
        self.library = kit.library_32 if self.is_32 else kit.library
        words = [level, *form.split()]
        self.compiling = [word for word in words
                          if word not in ("-shared", "-no-pie") and not word.startswith("-Wl")]
        self.compiling += OF_32_BITS if self.is_32 else []
        self.linking = words

    def compile(self, source):
        is_cxx = source.suffix == ".cc"
        command = [COMPILERS[self.compiler] if is_cxx else self.compiler, *OPTIONS,
                   *(CXX_OPTIONS if is_cxx else C_OPTIONS), *self.compiling,
                   "-I", self.kit.root / "include", "-I", self.kit.place, "-I", self.kit.folder]
        to = self.place / f"{source.name}.o"
        run([*command, "-c", source, "-o", to])
        return to

    def build(self):
        self.place.mkdir()
        objects = [self.compile(source) for source in self.kit.sources()]
        linker = self.compiler if self.is_32 else COMPILERS[self.compiler]
        program = self.place / "program"
        run([linker, *self.linking, *objects, "-o", program, self.library, "-lpthread",
             f"-Wl,-rpath,{self.library.parent}"])
        self.check_objects(objects)
        self.check_program(program)
        return program

    def check_objects(self, objects):
        """Checks that the options had an effect on each object."""
        for path in objects:
            code = path.read_bytes()
            is_lto = code.startswith(b"BC\xc0\xde") or b".gnu.lto_" in code
            traces.expect(f"{path.name}: LTO", is_lto, "-flto" in self.form)
            if "-fcf-protection" in self.form:
                notes = run(["readelf", "-n", path])
                traces.expect(f"{path.name}: protected", "IBT" in notes and "SHSTK" in notes, True)

    def check_program(self, program):
        head = program.read_bytes()[:18]
        traces.expect("bits", head[4] * 32, 32 if self.is_32 else 64)
        kind = TYPE_EXEC if "-no-pie" in self.form else TYPE_DYN
        traces.expect("type of the program", int.from_bytes(head[16:18], "little"), kind)

    def command(self, program):
        if not self.is_library:
            return [str(program)]
        load = self.place / "load"
        run([self.compiler, *C_OPTIONS, *OPTIONS, self.level, *(["-m32"] if self.is_32 else []),
             self.kit.folder / "load.c", "-o", load, "-ldl"])
        return [str(load), str(program)]

    def check(self):
        """Builds and runs the row; returns its fault, or None."""
        try:
            command = self.command(self.build())
            traces.record(command, "values", self.place)
            text = traces.check(self.kit.waymark, "values", self.place, self.kit.folder)
            traces.expect("trace points in C++", '"C++"' in text, True)
        except (Failed, SystemExit) as reason:
            return str(reason)
        finally:
            shutil.rmtree(self.place, ignore_errors=True)
        return None


def rows_of(kit, is_all):
    """Returns the rows, and the reasons why others are left out."""
    known = [(c, level, form) for c in COMPILERS for form in FORMS for level in LEVELS]
    known += [(c, level, form) for c in COMPILERS_OF_32_BITS for form in FORMS_OF_32_BITS
              for level in LEVELS]
    left_out = {}
    for compiler, cxx in COMPILERS.items():
        if not shutil.which(compiler) or not shutil.which(cxx):
            left_out[compiler] = f"{compiler}: it is not here"
    if is_all and "gcc-12" not in left_out:
        missing = kit.build_library_32()
        if missing:
            left_out["-m32"] = missing
    rows, reasons = [], []
    for compiler, level, form in known if is_all else SOME:
        reason = left_out.get(compiler) or left_out.get(form.split(" ")[0])
        if reason:
            reasons.append(reason)
        else:
            rows.append(Row(kit, compiler, level, form))
    return rows, reasons


def print_table(rows, wrong):
    cells = {(row.compiler, row.form, row.level): "NO" if row.name in wrong else "yes"
             for row in rows}
    print("\n| compiler | options | " + " | ".join(LEVELS) + " |")
    print("|---" * (len(LEVELS) + 2) + "|")
    for compiler, form in dict.fromkeys((row.compiler, row.form) for row in rows):
        line = " | ".join(cells.get((compiler, form, level), "") for level in LEVELS)
        print(f"| {compiler} | {form} | {line} |")


def parse():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--all", action="store_true")
    for name in ["root", "waymark", "tracetool", "library"]:
        parser.add_argument(name, type=pathlib.Path)
    return parser.parse_args()


def main():
    options = parse()
    with tempfile.TemporaryDirectory() as temporary:
        kit = Kit(options, pathlib.Path(temporary))
        rows, reasons = rows_of(kit, options.all)
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            results = list(pool.map(Row.check, rows))
    wrong = {row.name: what for row, what in zip(rows, results) if what}
    for name, what in wrong.items():
        print(f"{name}: {what}")
    print_table(rows, wrong)
    for reason in dict.fromkeys(reasons):
        print(f"{reasons.count(reason)} left out: {reason}")
    if not rows:
        print("skipped: no compiler is here")
        return 77
    print(f"{len(rows)} built and run, {len(wrong)} of them wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
