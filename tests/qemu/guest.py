#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A guest with a Debian kernel and QEMU itself, both traced, are one trace: guest.py ROOT BUILD

QEMU is the one that trees.py has built in $WAYMARK_QEMU_WORK. The guest's kernel and busybox are
packages in $WAYMARK_QEMU_TREES/guest (apt-get download linux-image-VERSION-cloud-amd64
busybox-static). The guest writes blocks to a virtio disk and measures its clock over a virtio-serial
port. Each request must be seen in its true order: submitted in the guest, handled by the device,
written on the host, completed by the device, completed in the guest.
"""

import json
import os
import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import tempfile

from trees import SKIPPED, run

BOOT_SECONDS = 300
COUNT = 200
MODULES = ["virtio", "virtio_ring", "virtio_pci_legacy_dev", "virtio_pci_modern_dev", "virtio_pci",
           "virtio_blk", "virtio_console"]
INIT = """#!/bin/sh
mount -t proc proc /proc
mount -t sysfs sys /sys
mount -t devtmpfs dev /dev
for module in {modules}; do
	insmod /modules/$module.ko
done
mkdir -p /dev/virtio-ports /dev/shm
mount -t tmpfs shm /dev/shm
while [ ! -e /sys/class/virtio-ports/vport*p2/name ]; do sleep 0.1; done
for port in /sys/class/virtio-ports/*; do
	ln -s ../${{port##*/}} /dev/virtio-ports/$(cat $port/name)
done
hostname guest
export LD_LIBRARY_PATH={library}
cd /
port=/dev/virtio-ports/org.waymark.sync
waymark sync -p $port -s samples
WAYMARK_TRACE='*,file=guest.ctf' /guest /dev/vda
waymark sync -p $port -s samples guest.ctf
tar c guest.ctf samples >/dev/virtio-ports/org.waymark.out
poweroff -f
"""
HOST_EVENTS = ["virtio_blk_handle_write", "virtio_blk_req_complete", "blk_co_pwritev",
               "file_paio_submit", "thread_pool_submit_aio", "thread_pool_complete_aio"]
# A request's way, in the order of time.
WAY = ["Guest:submit", "virtio_blk_handle_write", "blk_co_pwritev", "virtio_blk_req_complete",
       "Guest:complete"]


def skip(reason):
    print(f"skipped: {reason}")
    sys.exit(SKIPPED)


def copy_with_libraries(program, image, environment):
    """Copies a program, and the libraries that it needs, to the same paths of the image."""
    found = run("ldd", program, env=environment)
    for path in re.findall(r"(/\S+) \(0x", found):
        target = image / path.lstrip("/")
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, target)


def make_image(folder, packages, installed, program):
    """Makes the guest's file system, as an archive that the kernel unpacks."""
    image, unpacked = folder / "image", folder / "unpacked"
    for package in packages:
        run("dpkg-deb", "-x", package, unpacked)
    for name in ("bin", "proc", "sys", "dev", "modules"):
        (image / name).mkdir(parents=True)
    shutil.copy(unpacked / "bin/busybox", image / "bin")
    for name in ("sh", "mount", "insmod", "hostname", "mkdir", "ln", "cat", "sleep", "tar", "poweroff"):
        (image / "bin" / name).symlink_to("busybox")
    for module in MODULES:
        shutil.copy(next(unpacked.rglob(f"{module}.ko")), image / "modules")
    library = next(installed.rglob("libwaymark.so")).parent
    environment = {**os.environ, "LD_LIBRARY_PATH": str(library)}
    for source, name in ((installed / "bin/waymark", "bin/waymark"), (program, "guest")):
        shutil.copy(source, image / name)
        copy_with_libraries(source, image, environment)
    (image / "init").write_text(INIT.format(modules=" ".join(MODULES), library=library))
    (image / "init").chmod(0o755)
    run("sh", "-c", f"cd {image} && find . | cpio -o -H newc --quiet | gzip -1 >{folder}/initrd")
    return next((unpacked / "boot").glob("vmlinuz-*"))


def boot(qemu, kernel, folder, environment, waymark, events):
    with (folder / "disk").open("wb") as disk:
        disk.truncate(64 << 20)
    command = [qemu, "-nodefaults", "-display", "none", "-m", "512", "-no-reboot",
               "-kernel", kernel, "-initrd", folder / "initrd",
               "-append", "console=ttyS0 quiet panic=-1", "-serial", f"file:{folder}/console",
               "-drive", f"file={folder}/disk,format=raw,if=virtio,cache=none",
               "-device", "virtio-serial",
               "-chardev", f"socket,id=sync,path={folder}/sync,server=on,wait=off",
               "-device", "virtserialport,chardev=sync,name=org.waymark.sync",
               "-chardev", f"file,id=out,path={folder}/out.tar",
               "-device", "virtserialport,chardev=out,name=org.waymark.out"]
    for event in events:
        command += ["-trace", f"{event},backend=ctf"]
    command += ["-trace", f"file={folder}/host.ctf"]
    with subprocess.Popen(list(map(str, command)), env=environment, stderr=subprocess.PIPE,
                          text=True) as guest:
        with subprocess.Popen([waymark, "sync", "--serve", folder / "sync"], env=environment) as host:
            try:
                guest.wait(BOOT_SECONDS)
            except subprocess.TimeoutExpired:
                guest.kill()
            host.wait()
        console = (folder / "console").read_text(errors="replace")
        if guest.returncode != 0:
            sys.exit(f"QEMU: status {guest.returncode}: {guest.stderr.read()}\n{console[-3000:]}")
        return console


def check_order(folder, waymark, environment):
    """Checks each request's way, and prints how long its parts took."""
    text = run(waymark, "print", "--json", folder / "host.ctf", folder / "guest.ctf",
               env=environment)
    events = [json.loads(line) for line in text.splitlines()]
    begin = next(i for i, event in enumerate(events) if event["event"] == WAY[0])
    requests, step = [[]], 0
    for event in events[begin:]:
        if event["event"] != WAY[step]:
            continue
        requests[-1].append(event["time"])
        step = (step + 1) % len(WAY)
        if step == 0:
            requests.append([])
    if len(requests) != COUNT + 1:
        sys.exit(f"{len(requests) - 1} of {COUNT} requests are in their true order")
    for begin, end in ((WAY[0], WAY[1]), (WAY[1], WAY[-1])):
        rows = json.loads(run(waymark, "latency", "--json", "--across", "--by", "sector", "--from",
                              begin, "--to", end, folder / "host.ctf", folder / "guest.ctf",
                              env=environment))
        if [row["count"] for row in rows["latencies"]] != [COUNT]:
            sys.exit(f"latency from {begin} to {end}: {rows}")
    print(f"{COUNT} requests in their true order; median times in us:")
    for i in range(len(WAY) - 1):
        span = statistics.median(r[i + 1] - r[i] for r in requests[:-1]) * 1e6
        print(f"  {WAY[i]} -> {WAY[i + 1]}: {span:.1f}")


def make_traces(root, folder, events):
    """Makes host.ctf, with these events of QEMU, and guest.ctf; returns the environment and the waymark that made them."""
    trees = pathlib.Path(os.environ.get("WAYMARK_QEMU_TREES") or root / "../qemu").resolve()
    work = pathlib.Path(os.environ.get("WAYMARK_QEMU_WORK") or "/nonexistent")
    packages = [*trees.glob("guest/linux-image-*.deb"), *trees.glob("guest/busybox-static*.deb")]
    qemu = next(work.glob("*/waymark/build/qemu-system-x86_64"), None)
    if len(packages) != 2:
        skip(f"no kernel and busybox-static in {trees}/guest (WAYMARK_QEMU_TREES)")
    if not qemu:
        skip("no QEMU that trees.py built (WAYMARK_QEMU_WORK)")
    installed = work / "installed"
    library = next(installed.rglob("libwaymark.so")).parent
    environment = {**os.environ, "LD_LIBRARY_PATH": str(library)}
    waymark = installed / "bin/waymark"
    run("sh", "-c", f"gcc -O2 -D_GNU_SOURCE -DWAYMARK_SCOPES=ctf -o {folder}/guest "
        f"{root}/tests/qemu/guest.c $(pkg-config --cflags --libs waymark)",
        env={**environment, "PKG_CONFIG_PATH": str(library / "pkgconfig")})
    kernel = make_image(folder, packages, installed, folder / "guest")
    console = boot(qemu, kernel, folder, environment, waymark, events)
    if not (folder / "out.tar").stat().st_size:
        sys.exit(f"the guest sent no trace: {console[-3000:]}")
    run("tar", "xf", folder / "out.tar", "-C", folder)
    print("\n".join(re.findall(r"(?:guest\.ctf: )?clock of .*", console)))
    return environment, waymark


def main():
    root = pathlib.Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        environment, waymark = make_traces(root, folder, HOST_EVENTS)
        check_order(folder, waymark, environment)


if __name__ == "__main__":
    main()
