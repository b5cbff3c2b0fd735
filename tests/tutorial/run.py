#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs the commands of a document and compares their output with the output it shows.

run.py [--update] DOCUMENT [PREFIX]: in an empty directory, with the Waymark installed below PREFIX
or on the system. --update writes the real output into the document. Exit status 77: a command
that the document needs of the system is missing.

The parts of a document:

    a line that ends in `NAME`:, then a block       the file NAME
    the same, and the block is tagged diff          an edit of the file NAME: lines with a
                                                    blank or a minus are in it in this order,
                                                    lines with a plus come; @@ parts two edits
    a block tagged sh                               commands, all in one shell. One that fails
                                                    ends the test
    a block tagged text behind one of sh            all that the commands print
    <!-- holds: and commands -->                    checks of the text's numbers: they succeed

The shown output must equal the real one, with these exceptions:

    0                                               is 0
    any other number, with its fraction, or date    is any number. The same number of four digits
                                                    or more, twice in a block, is the same twice
    ns, us, ms, s; k, K, M, G behind one             is any of them, or nothing
    a run of blanks                                 is any run of blanks: columns
    ... as a line                                   is any number of lines
    /tmp/kv, myhost                                 is the directory, the host
    a list of processes                             is one without the rows that only root sees

A script is faster than a user who types. So the test waits until a background program can be
controlled or has ended, and until a program that got a signal has ended.
"""

import os
import pathlib
import re
import shutil
import socket
import subprocess
import sys
import tempfile

ANY_NUMBER = r"(?:\d{4}-\d\d-\d\dT[\d:.]+Z|\d+(?:\.\d+)?(?: ?(?:ns|us|ms|s|[kKMG])\b)?)"
NUMBER = re.compile(rf"(?<![\w.]){ANY_NUMBER}(?!\w)")
BACKGROUND = """
for i in $(seq 1000); do
	if waymark ls 2>&3 | grep -q "^ *$! " || ! kill -0 $! 2>&3; then break; fi
	sleep 0.05
done"""


class Lie(Exception):
    """Raised when the document shows a wrong output."""


def blocks_of(text):
    """Yields (line, tag, name, content); name is the file's, or None."""
    inside, before = None, ""
    for number, line in enumerate(text.splitlines(), 1):
        if inside is None and line.startswith("<!-- holds:"):
            inside = (number, "sh", None, [])
        elif inside is None and line.startswith("```"):
            name = re.search(r"`([^`]+)`:$", before)
            inside = (number, line[3:].strip(), name and name[1], [])
        elif line.startswith(("```", "-->")):
            yield inside[:3] + ("".join(inside[3]),)
            inside, before = None, ""
        elif inside is not None:
            inside[3].append(line + "\n")
        elif line.strip():
            before = line


def edited(text, diff):
    """Returns the text after a diff's edits, each of which must fit at exactly one place."""
    for hunk in re.split(r"^@@.*\n", diff, flags=re.MULTILINE):
        lines = hunk.splitlines(keepends=True)
        if any(line[0] not in " -+\n" for line in lines):
            raise Lie(f"this is no edit:\n{hunk}")
        old = "".join(line[1:] or "\n" for line in lines if line[0] in " -\n")
        new = "".join(line[1:] or "\n" for line in lines if line[0] in " +\n")
        if text.count(old) != 1:
            raise Lie(f"these lines are {text.count(old)} times in the file:\n{old}")
        text = text.replace(old, new)
    return text


def pattern_of(shown, seen):
    """Returns the expression for a shown line; repeated numbers must be equal again."""
    result, end = "", 0
    shown = re.sub(r"\s+", " ", shown.strip())
    for match in NUMBER.finditer(shown):
        result += re.escape(shown[end:match.start()])
        number, end = match[0], match.end()
        if number == "0":
            result += "0(?![\\d.])"
        elif len(re.sub(r"\D", "", number)) >= 4 and number in seen:
            result += rf"(?:\{seen[number]})"
        else:
            seen["groups"] = seen.get("groups", 0) + 1
            seen[number] = seen["groups"]
            result += f"({ANY_NUMBER})"
    return result + re.escape(shown[end:])


def matches(shown, came):
    """True if the shown output matches the real one."""
    seen, parts = {}, []
    for line in shown.splitlines():
        parts.append(r"(?:[^\n]*\n)*" if line.strip() == "..." else pattern_of(line, seen) + r"\n")
    plain = "".join(re.sub(r"[ \t]+", " ", line.strip()) + "\n" for line in came.splitlines())
    return re.fullmatch("".join(parts), plain) is not None


def anonymous(text, directory):
    """Replaces this machine's names by those in the document."""
    text = text.replace(str(directory), "/tmp/kv")
    text = re.sub(rf"(?<![\w-]){re.escape(socket.gethostname())}(?![\w-])", "myhost", text)
    if re.match(r" *PID +USER ", text) or re.match(r" *PID .* NOTE$", text, re.MULTILINE):
        text = "".join(re.sub(r"^( *\S+) +\S+( +(kv|PROGRAM))", r"\1\2", line) + "\n"
                       for line in text.splitlines()
                       if re.match(r" *(PID|\d+( +\S+)? +kv|\D)", line))
    return text


def without_notices(text):
    """Removes the shell's messages about its jobs, which differ between shells."""
    return re.sub(r"^(?:.*: )?(?:line )?[\d: ]*(?:Killed|Terminated)\b.*\n", "", text,
                  flags=re.MULTILINE)


def script_of(steps, state):
    """Returns the whole document as one shell script; each block's output goes to a separate file."""
    lines = ["set -e", f"exec 3>{state}/waiting"]
    for number, (_, tag, name, content) in enumerate(steps):
        (state / f"{number}.block").write_text(content)
        lines.append(f"echo {number} >{state}/reached")
        if tag == "sh":
            lines += ["{ :", content.rstrip("\n"), f"}} >{state}/{number}.out 2>&1"]
            if re.search(r"&$", content, re.MULTILINE):
                lines.append(BACKGROUND)
            if re.search(r"^kill ", content, re.MULTILINE):
                lines.append("wait $! 2>&3 || :")
        elif tag == "diff" and name:
            lines.append(f"'{sys.executable}' '{os.path.abspath(__file__)}' --edit '{name}' "
                         f"{state}/{number}.block")
        elif name:
            lines.append(f"mkdir -p \"$(dirname '{name}')\"; cp {state}/{number}.block '{name}'")
    lines.append("echo end >" + f"{state}/reached")
    return "\n".join(lines) + "\n"


def environment(top, prefix):
    """Returns the environment that finds the Waymark below a prefix, or the system's without a prefix."""
    result = {key: value for key, value in os.environ.items()
              if not key.startswith(("WAYMARK", "MAKE", "MFLAGS"))}
    # Other programs on this machine must not be listed.
    result.update(XDG_RUNTIME_DIR=str(top / "run"), WAYMARK_SHM=str(top / "shm"), LC_ALL="C", TZ="UTC",
                  LTTNG_UST_REGISTER_TIMEOUT="0")
    if prefix:
        libraries = next(pathlib.Path(prefix).rglob("waymark.pc")).parent
        result.update(PATH=f"{prefix}/bin:{result['PATH']}", PKG_CONFIG_PATH=str(libraries),
                      LD_LIBRARY_PATH=str(libraries.parent))
    return result


def report(document, steps, state, directory):
    """Yields the differences between the document and the real output."""
    for number, (line, tag, _, content) in enumerate(steps):
        output = state / f"{number}.out"
        shown = steps[number + 1] if number + 1 < len(steps) else None
        if tag != "sh" or not output.exists() or not shown or shown[1] != "text":
            continue
        came = without_notices(anonymous(output.read_text(errors="replace"), directory))
        if not matches(shown[3], came):
            yield (f"{document}:{shown[0]}: shows\n{shown[3]}\n"
                   f"but line {line}\n{content}\nprints\n{came}")


def update(document, steps, state, directory):
    """Replaces shown output that differs from the real one."""
    lines = pathlib.Path(document).read_text().splitlines(keepends=True)
    for number in reversed(range(1, len(steps))):
        output = state / f"{number - 1}.out"
        line, tag, _, content = steps[number]
        if tag == "text" and output.exists():
            came = without_notices(anonymous(output.read_text(errors="replace"), directory))
            if not matches(content, came):
                lines[line:line + content.count("\n")] = came.splitlines(keepends=True)
    pathlib.Path(document).write_text("".join(lines))


def steps_of(document):
    """Returns the steps; every block must be used."""
    steps = list(blocks_of(pathlib.Path(document).read_text()))
    before = None
    for line, tag, name, _ in steps:
        if tag == "text" and before != "sh" or tag == "diff" and not name:
            raise Lie(f"{document}:{line}: a block that belongs to nothing")
        before = tag
    if not any(tag == "text" for _, tag, _, _ in steps):
        raise Lie(f"{document} shows nothing")
    return steps


def left_behind(directory, env):
    """Yields the leftovers of programs that the document has not recovered."""
    if not shutil.which("waymark", path=env["PATH"]):
        return
    listed = subprocess.run(["waymark", "recover", "--list"], env=env, check=False, capture_output=True,
                            text=True).stdout
    for line in listed.splitlines():
        if f"{directory}/" in line:
            yield f"the document leaves this behind: {line}"


def run(document, prefix, top, wanted=report):
    """Runs the document below the directory top; returns the exit status."""
    directory, state = top / "kv", top / "state"
    for path in directory, state, top / "run", top / "shm":
        path.mkdir(mode=0o700)
    steps = steps_of(document)
    (state / "script").write_text(script_of(steps, state))
    # In a separate process group, so that background programs are ended, too.
    with subprocess.Popen(["sh", state / "script"], cwd=directory, env=environment(top, prefix),
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, start_new_session=True) as shell:
        said = shell.communicate()[0].decode(errors="replace")
        try:
            os.killpg(shell.pid, 9)
        except ProcessLookupError:
            pass
    faults = list(left_behind(directory, environment(top, prefix)))
    # Removes the leftovers of killed programs with their traces.
    traces = [str(path) for path in directory.glob("*.ctf")]
    if traces:
        subprocess.run(["waymark", "recover", *traces], env=environment(top, prefix), check=False,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    faults += wanted(document, steps, state, directory) or []
    reached = (state / "reached").read_text().strip()
    if reached != "end":
        line, _, _, content = steps[int(reached)]
        output = state / f"{reached}.out"
        came = output.read_text(errors="replace") if output.exists() else ""
        faults.append(f"{document}:{line}: fails with status {shell.returncode}\n"
                      f"{content}{came}{said}")
    for fault in faults:
        print(fault)
    return 1 if faults else 0


def needs(document):
    """Returns the packages that the document needs; most are named like the command in them."""
    found = re.search(r"apt install ([\w .+-]+)", pathlib.Path(document).read_text())
    return found[1].split() if found else []


def is_there(package, path):
    """True if the command exists, or the pkg-config module of a package that has one."""
    module = {"liblttng-ust-dev": "lttng-ust"}.get(package)
    if module:
        return subprocess.run(["pkg-config", "--exists", module], check=False).returncode == 0
    return shutil.which(package, path=path) is not None


def main():
    if sys.argv[1] == "--edit":
        path = pathlib.Path(sys.argv[2])
        path.write_text(edited(path.read_text(), pathlib.Path(sys.argv[3]).read_text()))
        return 0
    wanted = update if sys.argv[1] == "--update" else report
    document, prefix = (sys.argv[1:] + [None])[wanted is update:][:2]
    path = (f"{prefix}/bin:" if prefix else "") + os.environ["PATH"]
    missing = [name for name in needs(document) if not is_there(name, path)]
    if missing:
        print("not installed:", *missing)
        return 77
    with tempfile.TemporaryDirectory(prefix="waymark-tutorial-") as top:
        return run(document, prefix, pathlib.Path(top), wanted)


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Lie as lie:
        sys.exit(str(lie))
