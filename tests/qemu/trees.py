#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Builds a release of QEMU as it is and with Waymark, and compares them: trees.py ROOT BUILD RELEASE

The sources are $WAYMARK_QEMU_TREES/RELEASE (default: ROOT/../qemu/RELEASE), with all that an
offline build needs in them. Both builds stay in $WAYMARK_QEMU_WORK, if that is set: the next run
only builds what changed.

With Waymark the release must build with the same steps failed (normally none), its unit tests,
qtests and iotests must end as those of the release as it is, and a boot of SeaBIOS with all events
on must lose none when it is killed: at its end, and $WAYMARK_QEMU_KILLS times (20) at random. A
machine that is saved, loaded, reset, gets and loses a disk, or migrates must lose none either.

An offline build needs flex, bison and Debian's libglib2.0-dev, libpixman-1-dev and libfdt-dev.
"""

import collections
import json
import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import qmp

SKIPPED = 77
TARGET = "x86_64"
FEATURES = [
    "--without-default-features", "--enable-system", "--enable-user", "--enable-tcg",
    "--enable-tools", "--enable-guest-agent", "--disable-docs", "--enable-werror",
    f"--target-list={TARGET}-softmmu,{TARGET}-linux-user",
]
OFFLINE = {"10.2": ["--disable-download"], "8.2": ["--disable-download"],
           # Two of its files do not compile with -Werror by gcc 12.
           "6.2": ["--meson=meson", "--with-git-submodules=ignore", "--disable-werror"]}
BACKENDS = {"stock": "log,simple", "waymark": "log,ctf"}
BOOT_SECONDS = 120
BOOT_EVENTS = 50000
KILLS = int(os.environ.get("WAYMARK_QEMU_KILLS") or 20)
KILL_SECONDS = 0.6
REPEATS = 8  # of a test that ends differently
IOTEST = re.compile(r"^(\S+)\s+(pass|fail|not run)\b", re.M)


def run(*command, **options):
    """Runs a command and returns what it printed; its failure ends the test."""
    done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, text=True,
                          errors="replace", check=False, **options)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}: status {done.returncode}\n{done.stdout[-4000:]}")
    return done.stdout


class Tree:
    """A copy of the release, and its build."""

    def __init__(self, kind, release, sources, work, installed):
        self.kind, self.release = kind, release
        self.by_check = {}  # iotests that meson does not know
        self.source, self.build = work / kind / "src", work / kind / "build"
        self.library = next(installed.rglob("libwaymark.so")).parent
        self.environment = {**os.environ, "LD_LIBRARY_PATH": str(self.library),
                            "PKG_CONFIG_PATH": str(self.library / "pkgconfig")}
        if not self.source.exists():
            shutil.copytree(sources, self.source, symlinks=True,
                            ignore=shutil.ignore_patterns(".git"))
        if kind == "waymark":
            adopt = installed / "share/waymark/qemu/adopt"
            run(adopt, self.source)

    def make(self):
        """Builds all; returns the steps that failed."""
        self.build.mkdir(exist_ok=True)
        options = dict(cwd=self.build, env=self.environment)
        if not (self.build / "build.ninja").exists():
            compiler = "ccache gcc" if shutil.which("ccache") else "gcc"
            run("../src/configure", f"--cc={compiler}", *FEATURES, *OFFLINE[self.release],
                f"--enable-trace-backends={BACKENDS[self.kind]}", **options)
        done = subprocess.run(["ninja", "-k0"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              text=True, errors="replace", check=False, **options)
        (self.build / "waymark-build.log").write_text(done.stdout)
        return set(re.findall(r"^FAILED: (.*?) *$", done.stdout, re.M))

    def meson(self):
        own = self.build / "pyvenv/bin/meson"
        return own if own.exists() else "meson"

    def results(self, *suites_or_tests):
        """Runs tests; returns how each ended, by name."""
        log = self.build / "meson-logs/testlog.json"
        log.unlink(missing_ok=True)
        subprocess.run([self.meson(), "test", "--no-rebuild", "-t", "4", *suites_or_tests],
                       cwd=self.build, env=self.environment, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL, check=False)
        tests = [json.loads(line) for line in log.read_text().splitlines()]
        return {test["name"].split(" / ")[-1]: test["result"] for test in tests}

    def iotests(self, *which):
        """Runs iotests of a release whose meson does not know them."""
        done = subprocess.run(["./check", "-qcow2", *which], stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, cwd=self.build / "tests/qemu-iotests",
                              env=self.environment, text=True, errors="replace", check=False)
        return dict(IOTEST.findall(done.stdout))

    def all_results(self):
        results = self.results("--suite", "unit", "--suite", f"qtest-{TARGET}", "--suite", "block")
        if not any(name.startswith("io-") for name in results):
            self.by_check = self.iotests("-g", "auto")
            results.update(self.by_check)
        return results

    def again(self, name):
        return self.iotests(name) if name in self.by_check else self.results(name)


def differences(stock, ours):
    return sorted(name for name in stock.keys() | ours.keys() if stock.get(name) != ours.get(name))


def compare_tests(stock, ours):
    """Tests that end differently are repeated, alone: some fail by chance in the stock tree too."""
    before, after = stock.all_results(), ours.all_results()
    if len(before) < 100:
        sys.exit(f"only {len(before)} tests ran in the stock tree")
    differing = differences(before, after)
    for name in differing:
        for _ in range(REPEATS):
            if name in before and name in after and before[name] != after[name]:
                before.update(stock.again(name))
                after.update(ours.again(name))
    wrong = [f"  {name}: {before.get(name)} -> {after.get(name)}"
             for name in differences(before, after)]
    if wrong:
        sys.exit("\n".join(["tests end differently:"] + wrong))
    passed = sum(result in ("OK", "pass") for result in after.values())
    print(f"{len(after)} tests of QEMU end as in the stock tree, {passed} passed; "
          f"{len(differing)} were repeated")


def boot_command(ours, folder, backends):
    command = [ours.build / f"qemu-system-{TARGET}", "-nodefaults", "-display", "none", "-m", "64",
               "-chardev", f"file,id=console,path={folder}/console",
               "-device", "isa-debugcon,iobase=0x402,chardev=console"]
    for backend in backends:
        command += ["-trace", f"*,backend={backend}"]
    return list(map(str, command + ["-trace", f"file={folder}/boot.ctf"]))


def recovered(waymark, trace):
    """Recovers a trace; returns what `waymark info` knows of it, and ends the test if events lack."""
    run(waymark, "recover", trace)
    known = json.loads(run(waymark, "info", "--json", trace))
    if known["gaps"] or known["lost"] or known["missing_packets"] or known["damaged"]:
        sys.exit(f"a killed boot lost events: {known}")
    return known


def boot(ours, waymark, folder):
    """Boots SeaBIOS with all events on until it finds no disk, then kills QEMU."""
    console = folder / "console"
    with subprocess.Popen(boot_command(ours, folder, ["ctf"]), env=ours.environment,
                          stderr=subprocess.PIPE) as qemu:
        end = time.monotonic() + BOOT_SECONDS
        while not (console.exists() and b"No bootable device" in console.read_bytes()):
            if qemu.poll() is not None or time.monotonic() > end:
                qemu.kill()
                sys.exit(f"no boot: {qemu.stderr.read().decode()[-2000:]}")
            time.sleep(0.05)
        qemu.send_signal(signal.SIGKILL)
    known = recovered(waymark, folder / "boot.ctf")
    if known["events"] < BOOT_EVENTS:
        sys.exit(f"boot: only {known['events']} events")
    print(f"boot: {known['events']} events, none lost")


def messages(lines):
    """The events of lines of the log or of `waymark print`, without their times and processes."""
    return collections.Counter(re.sub(r"^(\d+@[\d.]+:|[\d.]+ \d+ )", "", line) for line in lines)


def kill_boots(ours, waymark, folder):
    """Kills boots at random moments. The log is the witness: each thread may be in one event."""
    seed = random.randrange(1 << 32)
    chance, events = random.Random(seed), 0
    for turn in range(KILLS):
        shutil.rmtree(folder / "boot.ctf", ignore_errors=True)
        with (folder / "log").open("w") as log, subprocess.Popen(
                boot_command(ours, folder, ["ctf", "log"]), env=ours.environment,
                stderr=log) as qemu:
            time.sleep(chance.uniform(0, KILL_SECONDS))
            qemu.kill()
        log = (folder / "log").read_text(errors="replace").splitlines(True)
        logged = messages(line[:-1] for line in log if line.endswith("\n"))
        traced, threads = collections.Counter(), 1
        if (folder / "boot.ctf").exists():
            known = recovered(waymark, folder / "boot.ctf")
            traced = messages(run(waymark, "print", folder / "boot.ctf").splitlines())
            events += known["events"]
            threads = len(known["threads"])
        # Of its last event, a thread may have done one of the two.
        if max((logged - traced).total(), (traced - logged).total()) > threads:
            sys.exit(f"seed {seed}, turn {turn}: only in the log: {logged - traced}; "
                     f"only in the trace: {traced - logged}")
    if not events:
        sys.exit(f"seed {seed}: no killed boot recorded an event")
    print(f"{KILLS} boots killed at random: {events} events, as in the log")


class Machine:
    """A machine with a disk that records all events and takes commands of QMP."""

    def __init__(self, ours, folder, name, *more):
        self.trace, monitor, disk = folder / f"{name}.ctf", folder / f"{name}.qmp", folder / "disk"
        if not disk.exists():
            run(ours.build / "qemu-img", "create", "-f", "qcow2", disk, "16M", env=ours.environment)
        self.process = subprocess.Popen(
            [ours.build / f"qemu-system-{TARGET}", "-nodefaults", "-display", "none", "-m", "64",
             "-qmp", f"unix:{monitor},server=on,wait=off", "-trace", "*,backend=ctf",
             "-trace", f"file={self.trace}", "-device", "virtio-blk-pci,drive=disk",
             "-drive", f"if=none,id=disk,file={disk},format=qcow2", *more], env=ours.environment)
        while not monitor.exists():
            if self.process.poll() is not None:
                sys.exit(f"{name} ended with status {self.process.returncode}")
            time.sleep(0.02)
        self.monitor = qmp.Monitor(monitor)

    def __call__(self, command, **arguments):
        """Executes a command and returns its result; an error ends the test."""
        answer = self.monitor.ask(command, **arguments)
        if "error" in answer:
            sys.exit(f"{command}: {answer['error']['desc']}")
        return answer["return"]

    def migrate(self, uri):
        self("migrate", uri=uri)
        while (status := self("query-migrate").get("status")) != "completed":
            if status == "failed":
                sys.exit(f"migration to {uri} failed")
            time.sleep(0.05)

    def end(self, waymark, kill=False):
        """Ends the machine; returns the number of its events, none of which may lack."""
        if kill:
            self.process.kill()
        else:
            self("quit")
        self.process.wait()
        self.monitor.close()
        return recovered(waymark, self.trace)["events"]


def change(ours, waymark, folder):
    """Saves, loads and resets a machine, plugs a disk in and out, and migrates two ways."""
    machine = Machine(ours, folder, "changed")
    for line in ("savevm one", "loadvm one"):
        if said := machine("human-monitor-command", command_line=line):
            sys.exit(f"{line}: {said}")
    machine("system_reset")
    machine("blockdev-add", driver="null-co", node_name="more", size=1 << 20)
    machine("device_add", driver="virtio-blk-pci", drive="more", id="plugged")
    machine("device_del", id="plugged")
    machine("system_reset")
    time.sleep(0.5)
    counts = [machine.end(waymark)]
    source = Machine(ours, folder, "to-file")
    source.migrate(f"exec:cat > {folder}/state")
    counts.append(source.end(waymark, kill=True))
    target = Machine(ours, folder, "from-file", "-incoming", f"exec:cat {folder}/state")
    while target("query-status")["status"] == "inmigrate":
        time.sleep(0.05)
    counts.append(target.end(waymark))
    source = Machine(ours, folder, "source")
    target = Machine(ours, folder, "target", "-incoming", f"unix:{folder}/migration")
    source.migrate(f"unix:{folder}/migration")
    counts += [target.end(waymark, kill=True), source.end(waymark)]
    if min(counts) < 1000:
        sys.exit(f"changed machines: events {counts}")
    print(f"saved, loaded, reset, plugged, migrated: {sum(counts)} events, none lost")


def main():
    root, build, release = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), sys.argv[3]
    trees = pathlib.Path(os.environ.get("WAYMARK_QEMU_TREES") or root / "../qemu").resolve()
    sources = trees / release
    if not (sources / "VERSION").exists():
        print(f"skipped: there is no {sources} (WAYMARK_QEMU_TREES)")
        sys.exit(SKIPPED)
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        work = pathlib.Path(os.environ.get("WAYMARK_QEMU_WORK") or folder)
        installed = work / "installed"
        run("make", "-C", root, "install", f"BUILD={build}", f"PREFIX={installed}", "AS_BUILT=1")
        work = work / release
        work.mkdir(exist_ok=True)
        stock, ours = (Tree(kind, release, sources, work, installed) for kind in BACKENDS)
        failed = ours.make() - stock.make()
        if failed:
            sys.exit(f"steps that fail only with Waymark: {sorted(failed)}")
        compare_tests(stock, ours)
        boot(ours, installed / "bin/waymark", folder)
        kill_boots(ours, installed / "bin/waymark", folder)
        change(ours, installed / "bin/waymark", folder)


if __name__ == "__main__":
    main()
