# SPDX-License-Identifier: MIT
"""Lets tests run our programs as another user, who may have no permission to enter the build
directory, for example below /root.
"""
import atexit
import functools
import os
import pathlib
import shutil
import subprocess
import tempfile


@functools.cache
def folder():
    """Returns a folder that every user may enter; it is removed when the test ends."""
    made = tempfile.mkdtemp(prefix="waymark-test-")
    atexit.register(shutil.rmtree, made, ignore_errors=True)
    os.chmod(made, 0o755)
    return pathlib.Path(made)


def libraries(program, build):
    """Returns our shared libraries that the program loads; a static program has none."""
    loaded = subprocess.run(["ldd", program], capture_output=True, text=True, check=False).stdout
    paths = (os.path.normpath(word) for word in loaded.split() if word.startswith("/"))
    return [pathlib.Path(path) for path in paths if path.startswith(f"{build}/")]


@functools.cache
def reachable(program):
    """Copies the program and its libraries to such a folder, with the build's folder structure, so
    that the program finds them.
    """
    program = pathlib.Path(program)
    build = next(parent for parent in program.parents if (parent / "meson-private").is_dir())
    mask = os.umask(0o022)
    for path in (program, *libraries(program, build)):
        target = folder() / path.relative_to(build)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, target)
        target.chmod(0o755)
    os.umask(mask)
    return str(folder() / program.relative_to(build))
