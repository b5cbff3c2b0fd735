# SPDX-License-Identifier: MIT
"""Random declarations of events, as trace-events and TOML files, and random values of their fields.

A value is (word for the program, value of tests/expr/reference.py).
"""

import math
import platform
import struct

import reference as ref

CHAR_IS_SIGNED = platform.machine() in ("x86_64", "i686", "i586", "i386", "riscv64", "loongarch64")

# Integers of C: type, sign, bits, conversion; of TOML: type, that of C, sign, bits.
C_INTEGERS = [
    ("int8_t", True, 8, '%" PRId8 "'), ("uint8_t", False, 8, '%" PRIu8 "'),
    ("int16_t", True, 16, '%" PRId16 "'), ("uint16_t", False, 16, '%" PRIu16 "'),
    ("int32_t", True, 32, '%" PRId32 "'), ("uint32_t", False, 32, '%" PRIx32 "'),
    ("int64_t", True, 64, '%" PRId64 "'), ("uint64_t", False, 64, '%" PRIu64 "'),
    ("bool", False, 1, "%d"), ("char", CHAR_IS_SIGNED, 8, "%c"),
    ("signed char", True, 8, "%hhd"), ("unsigned char", False, 8, "%hhu"),
    ("short", True, 16, "%hd"), ("unsigned short", False, 16, "%hu"), ("int", True, 32, "%d"),
    ("unsigned int", False, 32, "%u"), ("long", True, 64, "%ld"),
    ("unsigned long", False, 64, "%lx"), ("long long", True, 64, "%lld"),
    ("unsigned long long", False, 64, "%llu"), ("size_t", False, 64, "%zu"),
    ("ssize_t", True, 64, "%zd"), ("uintptr_t", False, 64, '%" PRIuPTR "'),
    ("ptrdiff_t", True, 64, "%td"), ("void *", False, 64, "%p"), ("int *", False, 64, "%p"),
]
TOML_INTEGERS = [
    ("u8", "uint8_t", False, 8), ("i8", "int8_t", True, 8), ("u16", "uint16_t", False, 16),
    ("i16", "int16_t", True, 16), ("u32", "uint32_t", False, 32), ("i32", "int32_t", True, 32),
    ("u64", "uint64_t", False, 64), ("i64", "int64_t", True, 64), ("usize", "size_t", False, 64),
    ("isize", "ssize_t", True, 64), ("bool", "bool", False, 1), ("RawFd", "int", True, 32),
    ("u128", "waymark_u128", False, 128), ("i128", "waymark_i128", True, 128),
]
# How a call passes a value, by the kind of the argument.
PASSED = {"i": "({type})v[{slot}].low", "p": "({type})(uintptr_t)v[{slot}].low",
          "w": "{type}_of(v[{slot}].high, v[{slot}].low)", "f": "v[{slot}].number",
          "g": "(float)v[{slot}].number", "s": "v[{slot}].text",
          "t": "v[{slot}].text, v[{slot}].length", "b": "v[{slot}].text, v[{slot}].length",
          "d": "debug_of(&v[{slot}])"}
# Kinds of a value that is described at run time: integers by sign and bits, and others.
DEBUG_INTEGERS = {"h": (True, 8), "j": (True, 16), "k": (True, 32), "l": (True, 64),
                  "m": (False, 8), "n": (False, 16), "o": (False, 32), "p": (False, 64),
                  "I": (True, 64), "U": (False, 64), "P": (False, 64), "B": (False, 1),
                  "W": (False, 128), "X": (True, 128)}
DEBUG_OTHERS = "FGstyCDOLN"

UNITS = {"B": (ref.BYTES, 1), "KiB": (ref.BYTES, 1 << 10), "MiB": (ref.BYTES, 1 << 20),
         "sectors": (ref.BYTES, 512), "ns": (ref.TIME, 1), "us": (ref.TIME, 10**3),
         "ms": (ref.TIME, 10**6), "s": (ref.TIME, 10**9), "pages": (None, 0)}
VALUE_NAMES = ["read", "write", "flush", "sync", "direct", "none", "all", "K", "ms", "e1", "ab"]
TEXTS = [b"", b"virtio0", b"virtio1", b"vda", b"a*b", b"x", b"a", b"\xc3\xa9", b'q"\\', b"\n\t ",
         b"read", b"virtio", b"vd"]
FLOATS = [0.0, -0.0, 1.5, -2.25, 1e300, -1e300, 77.0, 2.0**53, 2.0**63, 2.0**64, -(2.0**63), 5e-324,
          math.nan, math.inf, -math.inf, 0.1]
# The names of every event: the first ones also exist in a program.
COMMONS = [("@event", ref.TEXT, None, 0), ("@time", ref.INTEGER, ref.TIME, 1),
           ("@pid", ref.INTEGER, None, 0), ("@tid", ref.INTEGER, None, 0),
           ("@process", ref.TEXT, None, 0), ("@host", ref.TEXT, None, 0)]
IN_PROGRAM = 4
CODE_POINTS = [0x61, 0x78, 0xe9, 0x7f, 0x20ac, 0x1f600, 0]


def number(rng, signed, bits):
    """Returns an integer of the type, often small or near a limit."""
    low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if signed else (0, (1 << bits) - 1)
    choice = rng.randrange(4)
    if choice == 0:
        v = rng.randint(low, high)
    elif choice == 1 and bits == 128:
        v = rng.choice([1, -1]) * (rng.choice([1 << 63, 1 << 64]) + rng.randint(-2, 2))
    elif choice == 1:
        v = rng.choice([low, low + 1, high, high - 1, 1 << rng.randrange(bits)])
    else:
        v = rng.choice([0, 1, -1, 2, 7, 63, 64, 99, 127, 255, 512, 4096, 1 << 20, 1000, 12000])
    return min(max(v, low), high)


def integer_word(v):
    return f"{v % (1 << 128) >> 64:x}:{v % (1 << 64):x}"


def wide(v):
    """Returns an integer of 128 bits as the language has it."""
    return v if -(1 << 63) <= v < 1 << 64 else float(v)


def single(v):
    """Returns a double rounded to a float of 32 bits."""
    try:
        return struct.unpack("f", struct.pack("f", v))[0]
    except OverflowError:
        return math.copysign(math.inf, v)


def float_word(v):
    return v.hex() if math.isfinite(v) else str(v)


def text_value(rng, has_nul=True):
    text = rng.choice(TEXTS)
    if rng.random() < 0.1:
        text = bytes(rng.choice(b"vd\x00a\x01") for _ in range(rng.randrange(6)))
    if not has_nul:
        text = text.replace(b"\0", b"")
    return (f":{text.hex()}", text) if rng.random() < 0.85 else ("-", ref.NULL)


def character(value, text):
    return ref.Character.of(value, text)


def debug_value(rng):  # pylint: disable=too-many-return-statements
    kind = rng.choice([*DEBUG_INTEGERS, *DEBUG_OTHERS, "s", "C", "G"])
    if kind in DEBUG_INTEGERS:
        v = number(rng, *DEBUG_INTEGERS[kind])
        return kind + integer_word(v), wide(v)
    if kind in "FG":
        v = rng.choice(FLOATS)
        v = single(v) if kind == "F" else v
        return kind + float_word(v), v
    if kind in "st":
        word, v = text_value(rng, kind == "t")
        return kind + word, v
    if kind == "C":
        v = rng.choice(CODE_POINTS)
        return kind + integer_word(v), character(v, chr(v).encode())
    return kind + (":0102" if kind == "y" else integer_word(5)), None


class Arg:
    """`kind` is the letter of its type for the program; `width`: sign and bits of an integer."""

    def __init__(self, slot, name, declared, kind, width=None):
        self.slot, self.name, self.declared, self.kind = slot, name, declared, kind
        self.width, self.c_type = width, declared
        self.names, self.unit, self.conversion, self.is_flags = {}, None, "{}", False
        self.precision = None  # bytes of a string, or the argument that has them
        self.is_address = False  # of a string, whose text is not recorded

    def field(self):
        types = {"i": ref.INTEGER, "w": ref.INTEGER, "f": ref.FLOAT, "g": ref.FLOAT, "d": ref.ANY}
        dim, unit = UNITS.get(self.unit, (None, 0))
        return ref.Field(self.slot, types.get(self.kind, ref.TEXT), self.names, dim, unit,
                         self.declared == "char")

    def value(self, rng):
        if self.kind in "iw":
            v = number(rng, *self.width)
            if self.names and rng.random() < 0.6:
                v = rng.choice(list(self.names.values()))
            if self.declared == "char" and rng.random() < 0.5:
                v = rng.choice(b"acx")
            is_char = self.declared == "char"
            return integer_word(v), character(v, bytes([v % 256])) if is_char else wide(v)
        if self.kind in "fg":
            v = rng.choice(FLOATS) if rng.random() < 0.7 else rng.uniform(-1e6, 1e6)
            v = single(v) if self.kind == "g" else v
            return float_word(v), v
        if self.kind == "d":
            return debug_value(rng)
        word, v = text_value(rng, self.kind in "tb")
        return (":", b"") if self.kind == "b" and word == "-" else (word, v)

    def in_call(self, v, values):
        """Returns the value that the event has of it, in a call with these values."""
        if self.is_address:
            return None
        if self.precision is None or v is ref.NULL:
            return v
        length = self.precision if isinstance(self.precision, int) else values[self.precision.slot]
        return v if length < 0 else v[:length]


class Event:
    def __init__(self, name, args, is_toml):
        self.name, self.args, self.is_toml = name, args, is_toml
        self.fields = {a.name: a.field() for a in args}
        for i, (common, kind, dim, unit) in enumerate(COMMONS):
            self.fields[common] = ref.Field(len(args) + i, kind, None, dim, unit)
        self.of_reader = set(range(len(args) + IN_PROGRAM, len(args) + len(COMMONS)))
        self.calls = []  # the values of each, those of every event included
        self.words = []

    def add_call(self, rng, commons):
        both = [a.value(rng) for a in self.args]
        plain = [v for _, v in both]
        self.words.append(" ".join(word for word, _ in both))
        self.calls.append([a.in_call(v, plain) for a, v in zip(self.args, plain)] + commons)

    def meaning(self):
        lines = []
        for a in self.args:
            if a.names:
                names = " ".join(f"{v}={n}" for n, v in a.names.items())
                lines.append(f"@{'flags' if a.is_flags else 'enum'} {a.name} {names}")
            if a.unit:
                lines.append(f"@unit {a.name} {a.unit}")
        return lines

    def declared(self):
        if self.is_toml:
            args = ", ".join(f"{a.name}: {a.declared}" for a in self.args)
            message = " ".join(a.conversion for a in self.args)
            meaning = "; ".join(self.meaning())
            return (f'[[events]]\nname = "{self.name}"\nargs = "{args}"\nmessage = "{message}"\n'
                    f'meaning = "{meaning}"\nenabled = true\n')
        args = ", ".join(f"{a.declared} {a.name}" for a in self.args)
        message = " ".join(a.conversion for a in self.args if a.conversion)
        comments = "".join(f"# {line}\n" for line in self.meaning())
        return f'{comments}{self.name}({args}) "{message}"\n'

    def glue(self):
        """Returns the C function that fires the event."""
        args = ", ".join(PASSED["p" if a.c_type.endswith("*") and a.kind == "i" else a.kind].format(
            type=a.c_type, slot=a.slot) for a in self.args)
        return (f"static void fire_{self.name}(const struct value *v)\n{{\n"
                f"\ttrace_{self.name}({args});\n}}\n")


def add_meaning(rng, args):
    """Gives integers names of their values and units."""
    names = VALUE_NAMES
    for a in args:
        if a.kind != "i" or a.declared.endswith("*"):
            continue
        signed, bits = a.width
        if rng.random() < 0.3 and a.declared != "char":
            a.is_flags = rng.random() < 0.5
            chosen = rng.sample(names, rng.randint(1, 4))
            values = ({1 << rng.randrange(max(bits - signed, 1)) for _ in chosen} if a.is_flags
                      else {number(rng, signed, bits) for _ in chosen})
            a.names = dict(zip(chosen, sorted(values)))
        elif rng.random() < 0.35:
            a.unit = rng.choice(list(UNITS))


def toml_arg(rng, slot, name):
    choice = rng.randrange(9)
    if choice < 4:
        declared, c_type, signed, bits = rng.choice(TOML_INTEGERS)
        arg = Arg(slot, name, declared, "w" if bits == 128 else "i", (signed, bits))
        arg.c_type = c_type
        return arg
    declared, kind = [("f64", "f"), ("f32", "g"), ("&str", "s"), ("str", "t"), ("&[u8]", "b"),
                      ("&dyn fmt::Debug", "d")][rng.randrange(6)]
    arg = Arg(slot, name, declared, kind)
    arg.conversion = "{:?}" if kind in "bd" else "{}"
    return arg


def c_args(rng, slot, name):
    """Returns an argument, or a string behind the one that has its precision."""
    if rng.random() < 0.75:
        declared, signed, bits, conversion = rng.choice(C_INTEGERS)
        arg = Arg(slot, name, declared, "i", (signed, bits))
        arg.conversion = conversion
        return [arg]
    form = rng.choice(["%s", "%s", "%.3s", "%.0s", "%.*s", "%p"])
    text = Arg(slot, name, "const char *", "s")
    text.conversion, text.is_address = form, form == "%p"
    if form in ("%.3s", "%.0s"):
        text.precision = int(form[2])
    if form != "%.*s":
        return [text]
    length = Arg(slot, f"{name}_bytes", "int", "i", (True, 32))
    length.conversion = ""
    text.slot, text.precision = slot + 1, length
    return [length, text]


def make_event(rng, i, numbered=False):
    """Makes an event; `numbered`: its first arguments are the number of the call and `io`."""
    is_toml = rng.random() < 0.5
    args = []
    if numbered:
        conversion = "{}" if is_toml else '%" PRIu64 "'
        for name in "k", "io":
            args.append(Arg(len(args), name, "u64" if is_toml else "uint64_t", "i", (False, 64)))
            args[-1].c_type, args[-1].conversion = "uint64_t", conversion
    wanted = len(args) + rng.randint(1, 7 - len(args))
    while len(args) < wanted:
        name = rng.choice(["bytes", "op", "error", "mode", "s", "t", "c", "offset"])
        name += str(len(args))
        args += [toml_arg(rng, len(args), name)] if is_toml else c_args(rng, len(args), name)
    add_meaning(rng, args[2 if numbered else 0:])
    return Event(f"e{i}", args, is_toml)
