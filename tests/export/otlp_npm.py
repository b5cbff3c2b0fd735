#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests that OpenTelemetry's own declarations decode the spans that are sent: otlp_npm.py WAYMARK PROGRAM REQUESTS DIRECTORY

They are in the package otlp-transformer of npm, which the test installs in DIRECTORY unless $WAYMARK_OTLP is a folder
that has it. The version is one whose declarations can decode requests; later ones only encode them.
"""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import urllib.request

from common import HERE, MADE, check, export, finish, run
from otlp_common import Requests, parse

PACKAGES = "@opentelemetry/otlp-transformer@0.200.0", "@opentelemetry/api@1.9.0"


def skip(why):
    print(f"skipped: {why}")
    sys.exit(77)


def install(directory):
    """Returns the folder with the packages."""
    given = os.environ.get("WAYMARK_OTLP")
    if given:
        return pathlib.Path(given)
    folder = directory / "npm-opentelemetry"
    if not (folder / "complete").exists():
        folder.mkdir(exist_ok=True)
        (folder / "package.json").write_text("{}")
        try:
            done = subprocess.run(["npm", "install", "--ignore-scripts", "--no-audit", "--no-fund",
                                   "--fetch-timeout=20000", "--fetch-retries=1", "--cache", folder / "cache", *PACKAGES],
                                  cwd=folder, capture_output=True, text=True, check=False, timeout=200)
        except subprocess.TimeoutExpired:
            skip("npm's registry does not answer; WAYMARK_OTLP=DIR names a folder with the packages")
        if done.returncode:
            skip(f"npm cannot install {' '.join(PACKAGES)}: {done.stderr.strip()[-300:]}")
        shutil.rmtree(folder / "cache", ignore_errors=True)
        (folder / "complete").touch()
    return folder


def send(url, *traces):
    return run("export", "--to=otlp", "-o", url, *traces,
               env={k: v for k, v in os.environ.items() if "proxy" not in k.lower()})[1]


def main():
    if not shutil.which("node") or not shutil.which("npm") and "WAYMARK_OTLP" not in os.environ:
        skip("it needs node and npm")
    folder = install(pathlib.Path(sys.argv[4]))
    work = Requests()
    script = HERE / "otlp_receiver.js"
    with subprocess.Popen(["node", script, folder], stdout=subprocess.PIPE, text=True) as receiver:
        try:
            url = f"http://127.0.0.1:{int(receiver.stdout.readline())}"
            wanted = []
            for traces in [[work.front], [work.back, work.full], [work.trace], *[[work.path / name] for name in MADE],
                           [work.serve("many", 1500)]]:
                spans = parse(export("otlp", *traces))
                wanted += spans
                error = send(url, *traces)
                check(f"{traces}: {error}", f"{len(spans)} spans accepted" in error, True)
            with urllib.request.urlopen(url) as answer:
                requests = json.load(answer)
            got = parse(b"\n".join(json.dumps(r).encode() for r in requests))
        finally:
            receiver.kill()
    check("spans", len(got), len(wanted))
    for g, w in zip(got, wanted):
        for name in "attributes", "events", "links":
            w.setdefault(name, [])
            g.setdefault(name, [])
        w["events"] = [e | {"attributes": e["attributes"]} if e.get("attributes") else
                       {k: v for k, v in e.items() if k != "attributes"} for e in w["events"]]
        check("a span", g, w)
    finish()


if __name__ == "__main__":
    main()
