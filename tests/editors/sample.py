# SPDX-License-Identifier: MIT
"""The highlighting expected of vim and emacs: lines of declarations, and the kind of each part."""

SAMPLE = [
    ('# a comment "%d" of disable void PRIu64', [("#", "comment"), ("%d", "comment"), ("disable", "comment"),
                                                ("void", "comment"), ("PRIu64", "comment")]),
    ('\t# one behind blanks', [("one", "comment")]),
    ('# @enum op 0=read 1=write', [("@enum", "meaning"), ("op", "comment"), ("write", "comment")]),
    ('#@begin request', [("@begin", "meaning"), ("request", "comment")]),
    ('# mail @enum, @endless', [("@enum", "comment"), ("@endless", "comment")]),
    ('# @endless', [("@endless", "comment")]),
    ('cache_hit(uint64_t block, void *slot) "block %" PRIu64 " slot %p # %d"',
     [("cache_hit", "name"), ("uint64_t", "type"), ("block", ""), ("void", "type"), ("slot", ""),
      ('"block', "text"), ('%"', "hole"), ("PRIu64", "macro"), ('" slot', "text"), ("%p", "hole"),
      ("# ", "text"), ("%d", "hole")]),
    ('disable vcpu poll(const char *why, unsigned int n) "why \\"%s\\" 0x%08x 100%%"',
     [("disable", "property"), ("vcpu", "property"), ("poll", "name"), ("const", "type"), ("char", "type"),
      ("why", ""), ("unsigned", "type"), ("int", "type"), ('"why', "text"), ("%s", "hole"),
      ("%08x", "hole"), ("%%", "hole")]),
    ('tcg guest_mem(TCGv addr, struct info *disable) "translated %-4d", "ran 0x%016" PRIx64',
     [("tcg", "property"), ("guest_mem", "name"), ("TCGv", "type"), ("addr", ""), ("struct", "type"),
      ("info", ""), ("disable", ""), ('"translated', "text"), ("%-4d", "hole"), (", ", ""), ('"ran', "text"),
      ("%016", "hole"), ("PRIx64", "macro")]),
    ('disable(void) "%zu %.*s %lld %hhx"', [("disable", "name"), ("void", "type"), ("%zu", "hole"),
                                           ("%.*s", "hole"), ("%lld", "hole"), ("%hhx", "hole")]),
    ('io_done(size_t bytes, bool ok)', [("io_done", "name"), ("size_t", "type"), ("bool", "type"), ("ok", "")]),
]


def places():
    """Yields (line, column from 1, kind, text) of the first and last character of each part."""
    for number, (line, parts) in enumerate(SAMPLE, 1):
        at = 0
        for text, what in parts:
            at = line.index(text, at)
            yield number, at + 1, what, text
            if text[-1] not in '" ':
                yield number, at + len(text), what, text
            at += len(text)


def write(path):
    path.write_text("".join(line + "\n" for line, _ in SAMPLE))


def compare(editor, found, classes):
    """Compares the editor's highlighting of each place, `found`, in the order of places()."""
    faults = 0
    wanted = list(places())
    assert len(found) == len(wanted), f"{editor} told of {len(found)} places, not {len(wanted)}"
    for (line, column, what, text), said in zip(wanted, found):
        if classes.get(said, said) != what:
            print(f"{editor}: {line}:{column} {text!r} is {said!r}, not {what!r}")
            faults += 1
    print(f"{editor}: {len(wanted)} places, {faults} faults")
    return faults
