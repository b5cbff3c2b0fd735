#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests that bash, zsh and fish complete the same words: all options in every command's --help,
the values that it lists, events of traces, files, programs: offers.py ROOT BUILD
"""

import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import shells

ROOT, BUILD = (pathlib.Path(a).resolve() for a in sys.argv[1:3])
COMMANDS = BUILD / "src/cmd"
OPTION = re.compile(r"^ +(?:-\w, +)?(--[a-z][a-z-]*=?)", re.M)
# A command line, and all completions offered for it; the trace has two events and a scope.
OFFERS = {
    "tracetool --backends=log,si": {"--backends=log,simple"},
    "tracetool --backends si": {"simple"},
    "tracetool --form": {"--format="},
    "tracetool --warn=": {"--warn=names"},
    "tracetool --check some-fi": {"some-file"},
    "simpletrace some-fi": {"some-file"},
    "waymark print --time=": {"--time=abs", "--time=rel", "--time=delta", "--time=wall"},
    "waymark print --time w": {"wall"},
    "waymark print --color ": {"auto", "always", "never"},
    "waymark convert --to=": {"--to=ctf", "--to=simple"},
    "waymark export --to=": {f"--to={f}" for f in ("perfetto", "chrome", "csv", "jsonl", "sqlite", "pprof", "clickhouse", "otlp")},
    "waymark export my.ctf --event=": {"--event=first", "--event=second", "--event=span", "--event=span_end"},
    "waymark scopes --by=": {"--by=pid", "--by=thread"},
    "waymark scopes --sort=": {f"--sort={s}" for s in ("total", "count", "average", "max", "self")},
    "waymark latency --sort m": {"max"},
    "waymark track --sort=": {f"--sort={s}" for s in ("count", "total", "average", "max")},
    "waymark track my.ctf --from=fi": {"--from=first"},
    "waymark track my.ctf --event sec": {"second"},
    "waymark diff --sort=": {f"--sort={s}" for s in ("change", "total", "p", "name")},
    "waymark diff my.ctf --from=fi": {"--from=first"},
    "waymark flamegraph --by=": {"--by=thread", "--by=pid", "--by=name"},
    "waymark print my.ctf --event=": {"--event=first", "--event=second", "--event=span", "--event=span_end"},
    "waymark latency my.ctf --from sec": {"second"},
    "waymark print my.ctf --pid=": {"--pid=4242"},
    "waymark print -e declared --event=d": {"--event=declared_event"},
    "waymark scopes my.ctf --scope=": {"--scope=span"},
    "waymark print --output=some-fi": {"--output=some-file"},
    "waymark print -o some-fi": {"some-file"},
    "waymark print --event first some-fi": {"some-file"},
    "waymark info my.ctf/": {"my.ctf/metadata"},
    "waymark recover some": {"some-folder"},
    "waymark record some-pro": set(),
    "waymark record slee": {"sleep"},
    "waymark record -e x --option a=b --replace -- slee": {"sleep"},
    "waymark record -e x sleep my.ctf/me": {"my.ctf/metadata"},
    "waymark record -- sleep my.ctf/me": {"my.ctf/metadata"},
    "waymark record --option=buf": {"--option=buffer="},
    "waymark ctl 1 s": {"stats", "snapshot"},
    "waymark ctl --json 1 file o": {"on", "off"},
    "waymark ctl 1 file --backend=": {"--backend=ctf", "--backend=simple", "--backend=log"},
    "waymark ctl 1 snapshot some": {"some-file", "some-folder"},
    "waymark top --by=": {"--by=event", "--by=thread", "--by=category"},
    "waymark top --sort=": {f"--sort={s}" for s in ("rate", "events", "lost", "p99", "name")},
    "waymark top some-fi": {"some-file"},
    "waymark ls some": set(),
    "waymark nothing --": set(),
}
METADATA = 'env {\n\tvpid = 4242;\n\tprocname = "traced";\n};\n' + "".join(f'event {{ id = {i}; name = "{n}"; stream_id = 0; fields := struct {{ }}; }};\n'
                   for i, n in enumerate(("first", "second", "span", "span_end")))


def help_of(*words):
    return subprocess.run([COMMANDS / words[0], *words[1:], "--help"], capture_output=True, text=True,
                          check=True).stdout


def titled(text, title):
    return set(re.findall(r"^  (\S+)", re.split(rf"^{title}:\n", text, flags=re.M)[1].split("\n\n")[0], re.M))


def from_help():
    """Returns {line: completions} for each command."""
    commands = titled(help_of("waymark"), "commands")
    assert len(commands) > 10, commands
    offers = {"waymark ": commands, "waymark help ": commands,
              "waymark ctl 1 ": titled(help_of("waymark", "ctl"), "commands")}
    for words in [("tracetool",), ("simpletrace",), ("waymark",), *[("waymark", c) for c in sorted(commands)]]:
        offers[" ".join(words) + " -"] = set(OPTION.findall(help_of(*words)))
        assert len(offers[" ".join(words) + " -"]) > 1, words
    for option, title in (("format", "Formats"), ("backends", "Backends")):
        offers[f"tracetool --{option}="] = {f"--{option}={n}" for n in titled(help_of("tracetool"), title)}
    return offers


def keys_of_record():
    """Returns the keys of `waymark record --option`."""
    keys = re.findall(r'^WAYMARK_OPTION\("([^"]+)", *(\w+)', (ROOT / "src/rt/control/options.def").read_text(), re.M)
    source = (ROOT / "src/cmd/record/variable.c").read_text()
    refused = set(re.findall(r'^\t\{ "([^"]+)", "--option', source, re.M))
    assert len(refused) > 5, refused
    return {f"--option={key}=" for key, dialect in keys if dialect != "stratovirt"} - {f"--option={r}=" for r in refused}


def of_a_program(work):
    """Returns {line: completions} for a trace that a program has just written."""
    (work / "data").write_bytes(bytes(65536))
    env = {**os.environ, "WAYMARK_SHM": str(work), "WAYMARK_TRACE": "*,file=real.ctf"}
    program = subprocess.Popen([BUILD / "examples/blockcache/blockcache", "--requests=10", "data"], cwd=work, env=env,
                               stdout=subprocess.DEVNULL)
    assert program.wait(60) == 0
    return {"waymark print real.ctf --event=cache_mi": {"--event=cache_miss"},
            "waymark scopes real.ctf --scope=Work:v": {"--scope=Work:verify"},
            "waymark convert real.ctf --pid ": {str(program.pid)}}


def ask(name, shell, offers):
    faults = []
    for line, wanted in offers.items():
        found = {word.rstrip("/") for word in shell.offered(line)}
        if found != wanted:
            faults.append(f"{name}: `{line}` offers too much: {sorted(found - wanted)}, lacks {sorted(wanted - found)}")
    return faults


def main():
    work = pathlib.Path(tempfile.mkdtemp(prefix="waymark-test-"))
    env = {**os.environ, "PATH": f"{COMMANDS}:{os.environ['PATH']}", "XDG_RUNTIME_DIR": str(work), "LC_ALL": "C.UTF-8"}
    (work / "some-file").touch()
    (work / "some-folder").mkdir()
    (work / "my.ctf").mkdir()
    (work / "my.ctf/metadata").write_text(METADATA)
    (work / "declared").write_text('disable declared_event(int x) "x %d"\n')
    offers = {**from_help(), **OFFERS, "waymark record --option=": keys_of_record(), **of_a_program(work)}
    running = shells.start(ROOT / "completions", env, work)
    try:
        with concurrent.futures.ThreadPoolExecutor() as pool:
            asked = [pool.submit(ask, name, shell, offers) for name, shell in running.items()]
            faults = [fault for task in asked for fault in task.result()]
    finally:
        for shell in running.values():
            shell.close()
        shutil.rmtree(work)
    print(*faults, sep="\n")
    print(f"{len(offers)} lines, in {', '.join(running)}")
    sys.exit(bool(faults) or (0 if len(running) == 3 else 77))


main()
