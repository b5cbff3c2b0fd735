#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests that every function and macro of a public header is in a manual page with the same
declaration, and that each page's synopsis compiles: prototypes.py ROOT
"""

import pathlib
import re
import subprocess
import sys

import manual

# A header's head has these words if its names are not for programs, unless it has a manual.
NOT_FOR_PROGRAMS = re.compile(r"hand-written code|generated (trace )?(code|header)")
# Macros of public headers that only other macros use.
INNER = re.compile(
    r".*_H$|.*_$|WAYMARK_(SITE|SCOPES|KIND)_\w+|WAYMARK_\w+_(HERE|INLINE|MAKER|LINKAGE|NUMBERED)|"
    r"WAYMARK_CATEGOR(Y_(DECLARE|TAG|FIND|KNOW|OWNER)|IES_END)|WAYMARK_SCOPE_(VARIABLE|INLINE)|WAYMARK_DECLARED_SCOPE|"
    r"WAYMARK_DEBUG_(TYPES|TYPES_128|OF|CHOICE|INTEGER|BY_WIDTH)|WAYMARK_(CAST|ADDRESS|HIGH64|LOW64|MUST_USE)|"
    r"WAYMARK_BACKEND_BIT$|waymark_category_")
# TRACE_x of waymark/scope.h is WAYMARK_x under another name; one sentence documents it.
SHORT = re.compile(r"TRACE_(SCOPE|BEGIN|END|FLOW|FLOW_STEP|INSTANT|COUNTER|PRINT|PRINT_IN)$")
# Functions that only the makers of values use.
INNER_FUNCTIONS = {"waymark_debug_number", "waymark_debug_wide", "waymark_debug_same",
                   "waymark_debug_plain_char", "waymark_debug_of", "waymark_debug_word"}
# Functions of generated headers, with a placeholder for the event's name.
TEMPLATES = re.compile(r"trace_(event|name)_(tcg|enter|leave|start)$|TRACE_NAME_\w+$")


def is_public(text):
    head = " ".join(re.sub(r"^ \*", "", text.split("*/")[1], flags=re.M).split())
    return not NOT_FOR_PROGRAMS.search(head) or "its manual" in head


def code_of(text):
    """Returns the text without comments and parts for C++ only."""
    text = re.sub(r"/\*.*?\*/", " ", text, flags=re.S)
    return re.sub(r"\\\n", " ", text)


def functions_of(text):
    """Returns {name: (returned type, arguments)} of a header's declarations and definitions."""
    c_only = re.sub(r"^#ifdef __cplusplus\n.*?^#(else|endif)\b", "", code_of(text), flags=re.S | re.M)
    code = re.sub(r"^#.*$", "", c_only, flags=re.M)
    while re.search(r"\{[^{}]*\}", code):
        code = re.sub(r"\{[^{}]*\}", ";", code)
    code = re.sub(r"__attribute__\s*\(\(.*?\)\)", "", code)
    found = {}
    for m in re.finditer(r"(?:^|;)\s*([\w\s*]*?[\s*])(\w+)\(((?:[^()]|\([^()]*\))*)\)\s*(?=;)", code):
        returned = " ".join(w for w in m.group(1).split() if w not in ("static", "inline", "extern"))
        returned = re.sub(r"\b(WAYMARK_DEBUG_MAKER)\b", "struct waymark_debug", returned)
        returned = re.sub(r"\bWAYMARK_\w*(INLINE|HIDDEN|MUST_USE)\w*\b\s*", "", returned)
        if returned.split() and not m.group(2).isupper():
            found[m.group(2)] = normal(returned, [m.group(3)])
    for m in re.finditer(r"^WAYMARK_DEBUG_INTEGER\((\w+), (\w+),", code, flags=re.M):
        found["waymark_debug_" + m.group(1)] = normal("struct waymark_debug", [f"{m.group(2)} value"])
    return found


def macros_of(text):
    c_only = re.sub(r"^#ifdef __cplusplus\n.*?^#(else|endif)\b", "", code_of(text), flags=re.S | re.M)
    names = re.findall(r"^\s*#\s*define\s+((?:WAYMARK|TRACE|trace|waymark)_\w+)", c_only, flags=re.M)
    return {n for n in names if not INNER.match(n) and not SHORT.match(n)}


def normal(returned, words):
    text = f"{returned} ({', '.join(words)})"
    return re.sub(r"\s*([*(),])\s*", r"\1", " ".join(text.split()))


def compile_synopsis(page, faults, root):
    """Compiles the synopsis after the headers that it includes: a compiler compares the declarations."""
    headers = [words[0] for words in page.macros("In", "SYNOPSIS")]
    headers = [h for h in headers if (pathlib.Path(root, "include") / h).exists()]
    if not headers:
        return
    code = [f"#include <{h}>" for h in headers]
    for returned, name, words in page.prototypes():
        if TEMPLATES.match(name):
            continue
        code.append(f"#ifndef {name}")
        code.append(f"{returned} {name}({', '.join(words)});" if returned and "..." not in words
                    else f"#error no such macro: {name}")
        code.append("#endif")
    done = subprocess.run(
        ["cc", "-std=gnu11", "-Wall", "-Wextra", "-Werror", f"-I{root}/include", "-fsyntax-only",
         "-x", "c", "-"], input="\n".join(code) + "\n", capture_output=True, text=True)
    faults.check(done.returncode == 0, f"the synopsis of {page.path.name} does not compile:\n{done.stderr}")


def main():
    root = pathlib.Path(sys.argv[1])
    faults = manual.Faults()
    pages = manual.pages(root)
    declared, in_pages = {}, {}
    documented = set()
    for page in pages.values():
        for returned, name, words in page.prototypes():
            if not TEMPLATES.match(name):
                in_pages.setdefault(name, []).append((page, normal(returned, words)))
        documented |= set(re.findall(r"\w+", page.text))
        compile_synopsis(page, faults, root)

    public = 0
    for header in sorted((root / "include").rglob("*.h")):
        text = header.read_text()
        where = header.relative_to(root / "include")
        if not is_public(text):
            continue
        public += 1
        for name, prototype in functions_of(text).items():
            if name in INNER_FUNCTIONS or name.endswith("_fn"):
                continue
            declared[name] = prototype
            faults.check(name in in_pages, f"<{where}>: {name}() has no place in a synopsis "
                                           "of docs/man")
            for page, said in in_pages.get(name, []):
                faults.check(said == prototype, f"{page.path.name} has {name}() as {said},\n"
                                                f"<{where}> as {prototype}")
        for name in macros_of(text):
            faults.check(name in documented, f"<{where}>: no manual page speaks of {name}")

    # A page's names must be those that it declares.
    for page in pages.values():
        if page.section != "3":
            continue
        here = {name for _, name, _ in page.prototypes() if not TEMPLATES.match(name)}
        here.discard("waymark_debug_fn")
        names = set(page.names())
        for name in here - names:
            other = [p for p in pages.values() if name in p.names()]
            faults.check(other, f"{page.path.name}: {name} is no name of any page")
        for name in names - here:
            faults.check(name in documented and name in page.text.split("SYNOPSIS")[1],
                         f"{page.path.name}: its name {name} is not in its synopsis")
    print(f"{public} public headers, {len(declared)} functions")
    faults.check(public > 8 and len(declared) > 100, "hardly any header was understood")
    faults.end(300)


if __name__ == "__main__":
    main()
