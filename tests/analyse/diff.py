#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests waymark diff on written traces, whose times are known, and on real ones:
diff.py WAYMARK PACE DECLARATIONS GOLDEN
"""
import csv
import io
import json
import math
import os
import random
import shutil
import statistics
import struct
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

sys.path.insert(1, os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "common"))
from compare import check, finish  # noqa: E402

WAYMARK, PACE, DECLARATIONS, GOLDEN = map(os.path.realpath, sys.argv[1:5])
NAMES = ("life_submit", "life_done", "life_queue", "life_noise")
SVG = "{http://www.w3.org/2000/svg}"


def run(*arguments, **how):
    return subprocess.run([WAYMARK, "diff", *arguments], text=True, timeout=120, check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, **how)


def diff(*arguments, status=0, said="", **how):
    ran = run("--json", *arguments, **how)
    check(f"{arguments}: status", (ran.returncode, ran.stderr), (status, said))
    return json.loads(ran.stdout)


def row_of(told, kind, name):
    found = [r for r in told["changes"] if (r["kind"], r["name"]) == (kind, name)]
    check(f"one row {kind} {name}", len(found), 1)
    return found[0] if found else None


# ---- Written traces ----

def write_simple(path, events):
    """Writes a simpletrace file of (ns, name, arguments)."""
    with open(path, "wb") as file:
        file.write(struct.pack("<QQQ", 0xffffffffffffffff, 0xf2b177cb0aa429b4, 4))
        for number, name in enumerate(NAMES):
            file.write(struct.pack("<QQI", 0, number, len(name)) + name.encode())
        for ns, name, *arguments in events:
            payload = struct.pack(f"<{len(arguments)}Q", *arguments)
            file.write(struct.pack("<QQQII", 1, NAMES.index(name), ns, 24 + len(payload), 7) + payload)
    return path


def requests(rng, durations, noise=0.5):
    """Returns the events of requests one after the other, and some without one."""
    ns, events = 1000000000, []
    for number, duration in enumerate(durations, 1):
        ns += 20000 + int(rng.expovariate(1 / 30000))
        events.append((ns, "life_submit", number, 0))
        ns += duration
        events.append((ns, "life_done", number, 0))
        if rng.random() < noise:
            events.append((ns + 10000, "life_noise", number))
    return events


def lognormal(rng, count, ns=200000):
    return [int(ns * math.exp(0.3 * rng.gauss(0, 1))) for _ in range(count)]


def check_numbers(work):
    rng = random.Random(5)
    before, after = lognormal(rng, 900), lognormal(rng, 700, 260000)
    a = write_simple(f"{work}/a", requests(rng, before))
    b = write_simple(f"{work}/b", requests(rng, after, 0.1))
    told = diff("-e", DECLARATIONS, "--all", a, b)
    row = row_of(told, "life", "io")
    for side, values in (("a", before), ("b", after)):
        values = sorted(values)
        check(f"{side}: count, total", (row[side]["count"], row[side]["total_ns"]), (len(values), sum(values)))
        for percent in (50, 90, 99):
            exact = values[-(-percent * len(values) // 100) - 1]
            if abs(row[side][f"p{percent}_ns"] - exact) > exact / 100:
                check(f"{side}: p{percent}", row[side][f"p{percent}_ns"], exact)
    ratio = row["b"]["p50_ns"] / row["a"]["p50_ns"]
    check("ratio", abs(row["ratio"] - ratio) < 1e-4, True)
    check("interval", row["low"] < 1.3 < row["high"] < 1.5 and row["low"] > 1.1, True)
    check("significant", (row["significant"], row["adjusted"] < 1e-6), (True, True))
    pairs = sum((y > x) + (y == x) / 2 for x in before for y in after) / len(before) / len(after)
    check("larger", abs(row["larger"] - pairs) < 0.01, True)
    noise = row_of(told, "event", "life_noise")
    check("rate", (noise["significant"], noise["ratio"] < 0.4), (True, True))
    check("rates", abs(noise["a"]["rate"] / (noise["a"]["count"] / told["a"][0]["seconds"]) - 1) < 1e-4, True)
    check("counted", (told["rows"], told["significant"]), (len(told["changes"]), sum(
        r["significant"] for r in told["changes"])))
    pair = diff("-e", DECLARATIONS, "--from=life_submit", "--to=life_done", "--by=req", "--all", a, b)
    check("from, to", [row_of(pair, "latency", "life_submit")[s] for s in "ab"], [row[s] for s in "ab"])
    check("by key", diff("-e", DECLARATIONS, "--from=life_submit", "--to=life_done", a, b, said=(
        "waymark diff: " + a + ": paired by 'req', the declared key; --by=@tid pairs by thread\n"))["changes"],
          [r for r in pair["changes"] if r["significant"]])
    odd = diff("-e", DECLARATIONS, "--where=error == 0 || queue == 1 && req % 2 == 0", "--all", a, b)
    check("where", [(r["kind"], r["name"]) for r in odd["changes"]], [("life", "io"), ("event", "life_done")])
    check("where, lives", row_of(odd, "life", "io")["a"], row["a"])
    even = diff("-e", DECLARATIONS, "--where=@event == \"life_submit\" && req % 2 == 0", "--all", a, b)
    check("where, half", (row_of(even, "life", "io")["a"]["count"], row_of(even, "event", "life_submit")["b"]["count"]),
          (450, 350))
    pairs = diff("-e", DECLARATIONS, "--where=@event == \"life_submit\" && req % 2 == 0", "--all",
                 "--from=life_submit", "--to=life_done", "--by=req", a, b)
    check("where, pairs", row_of(pairs, "latency", "life_submit")["a"], row_of(even, "life", "io")["a"])
    window = diff("-e", DECLARATIONS, "--until=+0.05", "--all", a, b)
    check("window", 100 < row_of(window, "life", "io")["a"]["count"] < 300, True)
    return a, b


def check_forms(a, b):
    """Text is golden; CSV and JSON have the same numbers; the options choose rows."""
    where = os.path.dirname(a)
    text = run("-e", DECLARATIONS, "a", "b", cwd=where).stdout
    text += run("-e", DECLARATIONS, "--all", "--sort=name", "--percentiles=25,99.9", "b", "a", cwd=where).stdout
    text += run("-e", DECLARATIONS, "--all", "--sort=p", "--top=1", "a", "a", cwd=where).stdout
    with open(GOLDEN, encoding="utf-8") as file:
        golden = file.read()
    if text != golden:
        print(text)
        check("text", "differs from " + GOLDEN, "")
    told = diff("-e", DECLARATIONS, "--all", a, b)
    table = list(csv.DictReader(io.StringIO(run("-e", DECLARATIONS, "--all", "--csv", a, b).stdout)))
    check("csv", [(r["kind"], r["name"], float(r["p"] or "nan"), int(r["a_count"])) for r in table],
          [(r["kind"], r["name"], r["p"], r["a"]["count"]) for r in told["changes"]])
    check("order", [r["significant"] for r in told["changes"] if r["kind"] == "event"], sorted(
        (r["significant"] for r in told["changes"] if r["kind"] == "event"), reverse=True))
    check("shown", [r for r in told["changes"] if r["significant"]],
          diff("-e", DECLARATIONS, a, b)["changes"])
    check("strict", diff("-e", DECLARATIONS, "--level=0.0000000001", a, b)["significant"] <= told["significant"], True)
    output = f"{where}/out"
    check("output", run("-o", output, a, b).stdout, "")
    with open(output, encoding="utf-8") as file:
        check("in the file", file.read(), run(a, b).stdout)
    with open(b, "rb") as file:
        check("standard input", diff("--all", a, "-", stdin=file)["changes"], diff("--all", a, b)["changes"])


def check_same(work, a):
    told = diff("-e", DECLARATIONS, "--all", a, a)
    check("the same trace", (told["significant"], {r["ratio"] for r in told["changes"]}), (0, {1}))
    wrong = 0
    for seed in range(60):
        rng = random.Random(seed)
        paths = [write_simple(f"{work}/{i}", requests(rng, lognormal(rng, rng.randrange(20, 300))))
                 for i in range(2)]
        wrong += diff("-e", DECLARATIONS, "--level=0.05", *paths)["significant"] > 0
    print(wrong, "of 60 comparisons of equal runs differ")
    # 5 % of 60 is 3; 11 or more are improbable.
    check("equal runs differ", wrong < 11, True)


def check_bound(work, a, b):
    """The exit status, and the line that names what is beyond the bound."""
    ran = run("-e", DECLARATIONS, "--fail-above=10", a, b)
    lines = ran.stderr.splitlines()
    check("beyond", (ran.returncode, len(lines) >= 2), (1, True))
    check("named", [line for line in lines if line.startswith("waymark diff: life 'io': median ")
                    and line.endswith(", beyond 10 %")] != [], True)
    check("still printed", ran.stdout, run("-e", DECLARATIONS, a, b).stdout)
    check("not beyond", (run("-e", DECLARATIONS, "--fail-above=500", a, b).returncode), 0)
    # The way back is a decrease: of the life, but the rates increase.
    ran = run("-e", DECLARATIONS, "--fail-above=+10", b, a)
    check("only increases", (ran.returncode, "life 'io'" in ran.stderr, "event 'life_noise'" in ran.stderr),
          (1, False, True))
    check("no change", run("-e", DECLARATIONS, "--fail-above=0", a, a).returncode, 0)


def check_several(work):
    """Runs that differ as much as their sides do are noise, whatever their values say."""
    rng = random.Random(3)
    speeds = {"a": (200000, 230000, 180000, 215000), "b": (210000, 190000, 235000, 205000),
              "c": (410000, 380000, 450000, 400000)}
    paths = {side: [write_simple(f"{work}/{side}{i}", requests(rng, lognormal(rng, 2000, ns)))
                    for i, ns in enumerate(each)] for side, each in speeds.items()}
    single = row_of(diff("-e", DECLARATIONS, "--all", paths["a"][0], paths["b"][2]), "life", "io")
    check("one run each", single["significant"], True)

    def several(one, other):
        return diff("-e", DECLARATIONS, "--all", *(f"--a={p}" for p in paths[one]),
                    *(f"--b={p}" for p in paths[other]))
    told = several("a", "b")
    check("noise", row_of(told, "life", "io")["significant"], False)
    check("runs", [len(told[s]) for s in "ab"], [4, 4])
    told = several("a", "c")
    row = row_of(told, "life", "io")
    check("slower runs", (row["significant"], 1.6 < row["low"] < row["ratio"] < row["high"] < 2.5), (True, True))
    ratio = statistics.geometric_mean(speeds["c"]) / statistics.geometric_mean(speeds["a"])
    check("ratio of the runs", abs(row["ratio"] - ratio) < 0.05, True)
    one = diff("-e", DECLARATIONS, "--all", "--level=0.1", *(f"--a={p}" for p in paths["a"]), paths["c"][0])
    check("one against several", row_of(one, "life", "io")["significant"], True)


# ---- Real traces ----

def record(trace, *arguments):
    environment = dict(os.environ, WAYMARK_TRACE=f"*,backend=ctf,file={trace}")
    subprocess.run([PACE, *arguments], env=environment, check=True, timeout=60)
    return trace


def colours_of(path):
    """Returns {name: (red, blue)} of the drawn frames."""
    found = {}
    for frame in xml.etree.ElementTree.parse(path).iter(f"{SVG}g"):
        if frame.get("class") == "f":
            fill = int(frame.find(f"{SVG}rect").get("fill")[1:], 16)
            found[frame.find(f"{SVG}title").text.split("\n")[0]] = (fill >> 16, fill & 0xff)
    return found


def check_real(work):
    """A read that sleeps longer is found, and is red; what takes a smaller share is blue."""
    for attempt in range(10):  # another load of the machine may hide it
        a = record(f"{work}/real-a{attempt}", "300", "100", "300")
        b = record(f"{work}/real-b{attempt}", "300", "700", "300")
        told = diff(f"--flamegraph={work}/flames.svg", a, b)
        if {"Disk:read", "Disk:request", "io"} <= {r["name"] for r in told["changes"] if r["kind"] in ("scope", "life")}:
            break
    for kind, name in (("scope", "Disk:read"), ("scope", "Disk:request"), ("life", "io")):
        row = row_of(told, kind, name)
        check(f"{name}: slower", (row["ratio"] > 1.3, row["larger"] > 0.9), (True, True))
    check("the first row", told["changes"][0]["name"], "Disk:read")
    if shutil.which("xmllint"):
        check("xml", subprocess.run(["xmllint", "--noout", f"{work}/flames.svg"], check=False).returncode, 0)
    colours = colours_of(f"{work}/flames.svg")
    check("red", colours["Disk:read"][0] > colours["Disk:read"][1], True)
    check("blue", colours["Disk:write"][1] > colours["Disk:write"][0], True)
    check("all is as before", colours["all"][0], colours["all"][1])
    with open(f"{work}/flames.svg", encoding="utf-8") as file:
        text = file.read()
    check("legend", "red: more than before" in text and "blue: less" in text and "\nbefore " in text, True)
    own = row_of(diff("--all", a, b), "self", "Disk:request")
    check("own time", own["a"]["total_ns"] < own["b"]["count"] * 100000, True)
    shutil.copytree(a, f"{work}/cut")
    streams = [f"{root}/{n}" for root, _, names in os.walk(f"{work}/cut") for n in names if n != "metadata"]
    largest = max(streams, key=os.path.getsize)
    os.truncate(largest, os.path.getsize(largest) // 2)
    ran = run("--json", f"{work}/cut", b)
    check("damaged", (ran.returncode, f"{work}/cut" in ran.stderr, len(json.loads(ran.stdout)["changes"]) > 0),
          (1, True, True))
    return a, b


# ---- Bad input ----

def fails(what, text, status, *arguments, **how):
    ran = run(*arguments, **how)
    check(f"{what}: {ran.stderr}", (ran.returncode, text in ran.stderr), (status, True))
    return ran.stdout


def check_mistakes(work, a, real):
    for arguments, text in (((a,), "the trace B, from after, is missing"), ((), "the trace A"),
                            ((a, a, a), "unexpected"), (("-", "-"), "only one trace can be standard input"),
                            (("--level=0", a, a), "is not a probability"), (("--level=2", a, a), "is not a prob"),
                            (("--fail-above=x", a, a), "is not a percentage"), (("--fail-above=", a, a), "is not"),
                            (("--fail-above=-1", a, a), "is not a percentage"), (("--sort=count", a, a), "--sort takes"),
                            (("--from=x", a, a), "--to is missing"), (("--by=x", a, a), "--by needs --from and --to"),
                            (("--flamegraph=-", a, a), "takes a file"),
                            ((f"--flamegraph={work}/x", f"-o{work}/x", a, a), "cannot be both")):
        check(f"{arguments}", fails(f"{arguments}", text, 2, *arguments), "")
    check("missing", fails("missing", "missing: ", 1, f"{work}/missing", a), "")
    check("missing B", fails("missing B", "missing: ", 1, a, f"{work}/missing"), "")
    check("output is input", fails("output is input", "is both the trace and the output", 1, "-o", a, a, a), "")
    check("picture is input", fails("picture is input", "is both the trace and the output", 1,
                                    f"--flamegraph={a}", a, a), "")
    check("picture inside", fails("picture inside", "is a trace, and the output", 1,
                                  f"--flamegraph={real}/x.svg", real, real), "")
    fails("no place", "cannot open for writing", 1, f"--flamegraph={work}/none/x.svg", a, a)
    empty = write_simple(f"{work}/none", [])
    check("empty", fails("empty", "nothing to compare", 1, a, empty), "")
    check("nothing selected", fails("nothing", "nothing to compare", 1, "--pid=1", a, a), "")
    other = write_simple(f"{work}/other", [(5000 * i, "life_queue", i, 1) for i in range(100)])
    fails("nothing common", "no event in common", 1, "-e", DECLARATIONS, a, other)
    fails("event", "there is no event 'life_sumbit'; did you mean 'life_submit'?", 1, "-e", DECLARATIONS,
          "--from=life_sumbit", "--to=life_done", a, a)
    fails("field", "has no field 'reqq'", 1, "-e", DECLARATIONS, "--from=life_submit", "--to=life_done",
          "--by=reqq", a, a)
    check("where", fails("where", "--where: ", 1, "--where=nothing == 1", real, real), "")
    with open("/dev/full", "w", encoding="utf-8") as full:
        ran = subprocess.run([WAYMARK, "diff", "--all", a, a], stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    check("full disk", (ran.returncode, "cannot write" in ran.stderr), (1, True))


def main():
    with tempfile.TemporaryDirectory(prefix="waymark-test-") as work:
        a, b = check_numbers(work)
        check_forms(a, b)
        check_same(work, a)
        check_bound(work, a, b)
        check_several(work)
        real, _ = check_real(work)
        check_mistakes(work, a, real)
    finish()


main()
