#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests trace points in the log, in the system's log and in HiTraceMeter: log.py PROGRAM HITRACE_METER"""
import os
import re
import socket
import subprocess
import sys
import tempfile

sys.path.insert(1, os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "ftrace"))
import expected
from ftrace import check, own_mounts

PROGRAM, METER = map(os.path.abspath, sys.argv[1:3])
FILE = r"\S*tests/marker/program\.c:(\d+)"
PREFIXES = {
    "none": "",
    "iso": r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z? ?(?:[+-]\d\d:\d\d )?.*?",
    "default": r"\d+@\d+\.\d+:",
    "stratovirt": r".*\[" + FILE + r"\]:TRACE: ",
}


def run(action, trace, **environment):
    done = subprocess.run([PROGRAM, action], check=True, text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, timeout=60,
                          env={**os.environ, **environment, "WAYMARK_TRACE": trace})
    return done.stderr


def test_prefixes():
    for prefix, begin in PREFIXES.items():
        lines = run("document=512", "*,backend=log,log.prefix=" + prefix).splitlines()
        found = [re.fullmatch("(?:%s)(?P<rest>(?:\\d{6,} |a new|3 p).*)" % begin, s) for s in lines]
        check(all(found), prefix, lines)
        check(expected.without_ids([m["rest"] for m in found]) == expected.DOCUMENT, lines)
        if prefix == "stratovirt":
            places = [m[1] for m in found]
            check(places[3] == places[4] != places[2] == places[9], lines)


def test_syslog(directory):
    own_mounts()
    subprocess.run(["mount", "-t", "tmpfs", "tmpfs", "/dev"], check=True)
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as server:
        server.bind("/dev/log")
        server.settimeout(30)
        said = run("document=512", "*,backend=syslog")
        check(said == "", said)
        lines = [server.recv(65536).decode().rstrip("\n\0") for _ in expected.DOCUMENT]
    found = [s.split("]: ", 1) for s in lines]
    check(all(re.match(r"<\d+>.*marker-all\[\d+$", m[0]) for m in found), lines)
    check(expected.without_ids([m[1] for m in found]) == expected.DOCUMENT, lines)


def test_hitrace(directory):
    calls = directory + "/calls"
    os.symlink(METER, directory + "/libhitrace_meter.so")
    path = directory + ":" + os.environ.get("LD_LIBRARY_PATH", "")
    for action, wanted in {
            "document=1": ["loaded", "start 2048 VirtioFs:process_fs_queue - (slot: 1)",
                           'start 2048 VirtioFs:release - (tag: "mtdroot")(inode: 42)(handle: 35)',
                           "finish 2048", "start 2048 VirtioNet:handle RxTap event",
                           "start 2048 NewCategory:exec - (count_me(): 1)"] + 3 * ["finish 2048"],
            "flows=9": ["loaded", "start async 2048 N VirtioNet:packet | x",
                        "finish async 2048 N VirtioNet:packet | x"]}.items():
        said = run(action, "*,backend=hitrace", HITRACE_CALLS=calls, LD_LIBRARY_PATH=path)
        with open(calls) as f:
            found = re.sub("-?[0-9]{6,}", "N", f.read()).splitlines()
        os.remove(calls)
        check((found, said) == (wanted, ""), found, said)


if __name__ == "__main__":
    test_prefixes()
    with tempfile.TemporaryDirectory() as folder:
        test_hitrace(folder)
        test_syslog(folder)
