#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests that the examples of the manual work: commands run, with the traces and programs that they
name; programs compile; tracetool accepts declarations. Examples that other tests run are left out.
examples.py ROOT BUILD
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import manual

root = pathlib.Path(sys.argv[1]).resolve()
build = pathlib.Path(sys.argv[2]).resolve()
pages = manual.pages(root)
faults = manual.Faults()
PATIENCE = 60

# Other tests compile and run the examples of these pages.
ELSEWHERE = {"waymark-debug.3": "tests/brace/manual.sh", "waymark-reader.3": "tests/reader/documented_example.sh",
             "waymark-sync.1": "tests/sync/sync.py",
             "waymark-trace-points.3": "tests/house/examples-of-docs.sh",
             "waymark-toml.5": "tests/house/examples-of-docs.sh"}
# Code around an example that is only a part of a program.
AROUND = {
    "waymark-monitor.3": ("#include <poll.h>\n#include <stdio.h>\n#include <waymark/monitor.h>\nint main(void)\n{\n",
                          "return 0;\n}\n"),
    "waymark-jail.7": ("#include <waymark/init.h>\nint main(void)\n{\n", "return 0;\n}\n"),
    "waymark-translate.3": ("#include <waymark/translate.h>\n"
                            "void emit_store_register(unsigned int i, waymark_value v);\n"
                            "void emit_store_constant(unsigned int i, uint64_t v);\n"
                            "void emit_call(void (*helper)(const uint64_t *arguments));\n", ""),
    "waymark-scopes.3": ("#include \"scopes.h\"\nstruct ram { uint64_t free; };\n"
                         "struct camera { uint64_t number; struct waymark_scope frame; };\n"
                         "int map(struct ram *ram, uint64_t size);\n", ""),
}
SCOPES = "".join(f'[[scopes]]\nname = "{name}"\nargs = "n: u64"\nmessage = "{{}}"\nenabled = true\n'
                 for name in ("reserve", "next_frame"))
# Commands that are only parsed: their command line must be valid. All others must exit with 0.
ONLY_READ = {
    "stap ": "SystemTap loads a module into the kernel",
    "trace-cmd ": "the kernel's tracing is the whole machine's",
    "ftrace": "the kernel's tracing is the whole machine's",
    "waymark ctl": "no such program runs here; tests/ctl has some",
    "waymark attach": "no such program runs here; tests/ctl has some",
    "waymark top": "no such program runs here, and no terminal; tests/top has both",
    "waymark view": "it serves until a signal; tests/view asks it",
    "waymark drain": "no such program runs here; tests/jail has some",
    "waymark metrics": "it serves until a signal; tests/metrics asks it",
    "waymark relay": "it serves until a signal; tests/relay has viewers",
    "babeltrace2 --input-format=lttng-live": "no relay runs here; tests/relay has some",
    "waymark ship": "no server runs here; tests/ship has some",
    "waymark export --to=otlp": "no collector runs here; tests/export has some",
    "clickhouse-client": "no server runs here; tests/ship has some",
    "blk_read(uint64_t offset": "the declaration is wrong on purpose",
    "socat": "tests/monitor speaks with a socket",
    "kick": "no such events are recorded here; tests/analyse has some",
    "tick": "no such events are recorded here; tests/analyse has some",
    "vcpu_exit": "no such events are recorded here; tests/flame has some",
}
# Prefixes of log lines.
LINE = re.compile(r"^(\d+@\d+\.\d{6}:|\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z \d+:)")
# Names in the examples for the reader's own programs, and programs that may not be installed.
PROGRAMS = ("program", "daemon", "device", "my-program")
STAND_INS = {"jq": "exec cat >jq.input", "less": "exec cat \"$@\""}


def run(command, env, work):
    return subprocess.run(["sh", "-c", command], env=env, cwd=work, capture_output=True, text=True,
                          errors="replace", timeout=PATIENCE, stdin=subprocess.DEVNULL)


def paragraphs(page):
    """Yields adjacent commands as one script, also blocks of commands."""
    lines, block = [], None
    for line in [*page.lines("EXAMPLES"), ".Pp"]:
        if line.startswith(".Bd"):
            block = []
        elif line.startswith(".Ed"):
            yield "\n".join(block)
            block = None
        elif block is not None:
            block.append(manual.unescape(line))
        elif line.startswith(".Dl "):
            lines.append(manual.unescape(line[4:]))
        elif lines and line.startswith("."):
            yield "\n".join(lines)
            lines = []


def is_shell(text):
    return re.match(r"(\$ )?(for |[A-Z_]+=\S+ |mkdir |zcat |less |od |babeltrace2 |trace-cmd |"
                    r"waymark |tracetool |simpletrace |blockcache |program )", text)


def prepare(work, env):
    """Makes the traces, declarations and programs that the examples name."""
    bin_folder = work / "bin"
    bin_folder.mkdir()
    blockcache = build / "examples/blockcache/blockcache"
    for name in PROGRAMS:
        (bin_folder / name).write_text(
            f'#!/bin/sh\nfor a; do [ "$a" != data ] || exec "{blockcache}" "$@"; done\n'
            f'[ "${{1-}}" = -trace ] || set --\nexec "{blockcache}" --requests=20 "$@" data\n')
        (bin_folder / name).chmod(0o755)
        shutil.copy(bin_folder / name, work / name)
    for name, script in STAND_INS.items():
        if name != "jq" or not shutil.which("jq"):
            (bin_folder / name).write_text(f"#!/bin/sh\n{script}\n")
            (bin_folder / name).chmod(0o755)
    for name, path in {"blockcache": blockcache, "waymark": build / "src/cmd/waymark",
                       "simpletrace": build / "src/cmd/simpletrace",
                       "tracetool": build / "src/cmd/tracetool"}.items():
        (bin_folder / name).symlink_to(path)
    (work / "blockcache").symlink_to(blockcache)
    (work / "data").write_bytes(bytes(1 << 20))
    (work / "block").mkdir()
    (work / "tapset").mkdir()
    (work / "tmp").mkdir()
    (work / "block/trace-events").write_text(next(pages["waymark-trace-events.5"].blocks("EXAMPLES")))
    (work / "list").write_text(next(pages["waymark-events.5"].blocks("EXAMPLES")))
    (work / "usb.list").write_text("^usb_\n")
    shutil.copy(build / "examples/blockcache/trace-events-all", work)
    for command in (
            "WAYMARK_TRACE='*,file=my.ctf' blockcache --requests=50 data",
            "WAYMARK_TRACE='*_*,file=trace-4242.ctf' blockcache --requests=50 data",
            "waymark convert --to=simple -o trace-4242 trace-4242.ctf",
            "cp -r my.ctf former.ctf && cp trace-4242 my.trace && cp trace-4242 my.fifo",
            "for t in vm host guest base old old1 old2 old3 new new1 new2 new3; do cp -r my.ctf $t.ctf; done && cp -r my.ctf device.ctf && gzip -k my.trace && touch trace.dat"):
        done = run(command, env, work)
        faults.check(done.returncode == 0, f"{command}: {done.stderr}")


# Removes files that a command would otherwise have to replace.
def clean(work):
    for name in ("trace.ctf", "my.ctf", "my.trace", "out.svg", "blk.ctf", "out.ctf", "last.ctf", "jq.input"):
        path = work / name
        shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)


def check_command(page, text, env, work):
    script = re.sub(r"^\$ ", "", text, flags=re.M)
    clean(work)
    if not re.search(r"record .*-o my\.ctf|file=my\.trace", script):
        shutil.copytree(work / "former.ctf", work / "my.ctf")
        shutil.copy(work / "trace-4242", work / "my.trace")
    script = script.replace("/var/tmp/", "tmp/").replace("/dev/shm", env["WAYMARK_SHM"])
    reason = next((r for part, r in ONLY_READ.items() if part in text), None)
    if reason:
        check_read(page, script, env, work)
        return
    done = run(script, env, work)
    faults.check(done.returncode == 0, f"{page.path.name}: {text}\n  ends with {done.returncode}: {done.stderr}")


def check_read(page, script, env, work):
    """Parses each Waymark command in the script: its command line must be valid."""
    joined = script.replace("\\\n", " ")
    for line in joined.splitlines():
        for part in re.findall(r"\b(?:waymark|tracetool) [^|&]*", line):
            if "trace-events:2" in line:
                continue
            # Replaces pids by a pid that does not exist, so that no process on this machine is
            # affected.
            part = re.sub(r"\b(4242|4711)\b", "4194303", part).replace("--seconds=10", "--seconds=1")
            if part.startswith("waymark drain"):
                part = part.replace("waymark drain", "waymark drain --once")
            if part.startswith("waymark ship"):
                part = f"{part} --state=ship"
            if part.startswith(("waymark view", "waymark ship", "waymark metrics", "waymark relay")):
                part = f"timeout --preserve-status 2 {part}"
            done = run(part, env, work)
            faults.check(done.returncode in (0, 1), f"{page.path.name}: {part}\n  makes no sense: {done.stderr}")


def check_program(page, text, work):
    before, after = AROUND.get(page.path.name, ("", ""))
    done = subprocess.run(["cc", "-std=gnu11", "-Wall", "-Wextra", "-Werror", "-Wno-unused-function",
                           f"-I{root}/include", f"-I{work}", "-c", "-o", "/dev/null", "-x", "c", "-"],
                          input=before + text + after, capture_output=True, text=True)
    faults.check(done.returncode == 0, f"{page.path.name}: its program does not compile: {done.stderr}")


def check_declarations(work, env):
    done = run("tracetool --check --werror block/trace-events", env, work)
    faults.check(done.returncode == 0, f"waymark-trace-events.5: {done.stderr}")
    (work / "scopes.toml").write_text(SCOPES)
    done = run("tracetool --format=h --backends=log --group=scopes scopes.toml scopes.h", env, work)
    faults.check(done.returncode == 0, f"what waymark-scopes.3 uses: {done.stderr}")


LOGGER = """
#include "trace-logger.h"
int main(void)
{
	trace_cache_miss(1042, 8);
	trace_disk_open(5, "disk.img", 2);
	return 0;
}
"""


def check_lines(work, env):
    """The examples of log lines must equal real log lines, except time and thread."""
    declared = (root / "examples/blockcache/cache/trace-events").read_text()
    (work / "logger").mkdir()
    (work / "logger/trace-events").write_text(re.search(r"^cache_miss.*\n", declared, re.M).group())
    (work / "logger/block.toml").write_text(next(pages["waymark-toml.5"].blocks("EXAMPLES")))
    (work / "logger/main.c").write_text(LOGGER)
    files = "--backends=log --group=logger logger/trace-events logger/block.toml"
    done = run(f"tracetool --format=h {files} logger/trace-logger.h && "
               f"tracetool --format=c {files} logger/trace-logger.c && "
               f"cc -std=gnu11 -I{root}/include -Ilogger -o bin/logger logger/main.c logger/trace-logger.c "
               f"-L{build}/src/rt -Wl,-rpath,{build}/src/rt -lwaymark", env, work)
    faults.check(done.returncode == 0, f"the program of waymark-log.5: {done.stderr}")
    printed = set()
    for prefix in ("default", "iso"):
        done = run(f"WAYMARK_TRACE='*,log.prefix={prefix}' logger", env, work)
        printed |= {LINE.sub("", line) for line in done.stderr.splitlines()}
    said = next(pages["waymark-log.5"].blocks("EXAMPLES")).splitlines()
    faults.check(len(said) == 4, f"waymark-log.5 has {len(said)} lines")
    for line in said:
        faults.check(LINE.match(line) and LINE.sub("", line) in printed,
                     f"waymark-log.5: no line is like {line}: {sorted(printed)}")


def main():
    if re.search(rb"__[at]san_init", (build / "src/rt/libwaymark.so").read_bytes()):
        print("skipped: the library is built with a sanitizer, which needs more to link")
        sys.exit(77)
    work = pathlib.Path(tempfile.mkdtemp(prefix="waymark-test-"))
    (work / "shm").mkdir()
    (work / "run").mkdir(mode=0o700)
    env = {**os.environ, "PATH": f"{work}/bin:{os.environ['PATH']}", "WAYMARK_SHM": str(work / "shm"),
           "XDG_RUNTIME_DIR": str(work / "run"), "HOME": str(work), "LC_ALL": "C"}
    env.pop("WAYMARK_TRACE", None)
    counts = {"commands": 0, "programs": 0}
    try:
        prepare(work, env)
        check_declarations(work, env)
        check_lines(work, env)
        for page in pages.values():
            if page.path.name in ELSEWHERE:
                faults.check((root / ELSEWHERE[page.path.name]).read_text().find(page.path.name) >= 0,
                             f"{ELSEWHERE[page.path.name]} does not try the examples of {page.path.name}")
            for text in paragraphs(page):
                if is_shell(text):
                    counts["commands"] += 1
                    check_command(page, text, env, work)
                elif page.path.name in ELSEWHERE:
                    continue
                elif page.section == "3" or page.path.name == "waymark-jail.7":
                    counts["programs"] += 1
                    check_program(page, text, work)
                else:
                    faults.check(page.section == "5", f"{page.path.name}: what is this? {text}")
    finally:
        shutil.rmtree(work)
    print(counts)
    faults.check(counts["commands"] > 40 and counts["programs"] > 6, "hardly any example was found")
    faults.end(50)


main()
