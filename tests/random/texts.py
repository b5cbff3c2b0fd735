# SPDX-License-Identifier: MIT
"""Random texts of expressions on the fields of an event: most fit, some do not, some are damaged."""

import reference as ref

COMPARISONS = ["==", "!=", "<", "<=", ">", ">="]
ARITHMETIC = ["+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>"]
NUMBERS = ["0", "1", "2", "7", "63", "64", "255", "010", "0x10", "0b101", "0XfF", "2.5", ".5", "1.",
           "1e3", "1.5e-2", "9223372036854775807", "9223372036854775808", "18446744073709551615",
           "1.5K", "2e3K", "0.1", "1e300"]
UNIT_NUMBERS = {None: ["4K", "1ms", "3B"],
                ref.BYTES: ["4K", "(4K + 1)", "-4K", "1.5K", "64KiB", "512B", "1M", "1000B", "0.5M", "1G", "2TiB"],
                ref.TIME: ["1ms", "(1ms / 0)", "(2ms - 1us)", "10us", "1.5s", "999ns", "2min", "1h", "0.1us", "1500ns", "2s"]}
ODD = ["", " ", "(", ")", '"', "'", "=", "!", "~", "@", "\\", "1z", "&&", "99999999999999999999",
       "0x", "nosuch", "@nosuch", "null", '"abc', ".", "e", "a b", "===", "\x7f"]
PATTERNS = ["*", "virtio*", "v?a", "*0", "x", "", "a*b", "*i*t*", "?", "\\x61", "*\\n*", "r*", "??"]


def quoted(rng, text):
    """Returns a text between quotes, with some escapes that it does not need."""
    escapes = {b"\n": "\\n", b"\t": "\\t", b'"': '\\"', b"\\": "\\\\", b"\r": "\\r"}
    parts = []
    for i in range(len(text)):
        c = text[i:i + 1]
        if c in escapes and rng.random() < 0.7:
            parts.append(escapes[c])
        elif not 32 <= c[0] < 127 or c in b'"\\' or rng.random() < 0.1:
            parts.append(f"\\x{c[0]:02x}")
        else:
            parts.append(c.decode())
    return '"' + "".join(parts) + '"'


class Maker:
    def __init__(self, rng, event, others):
        self.rng, self.event, self.others = rng, event, others
        self.by_kind = {"n": [], "t": [], "a": []}
        for a in event.args:
            self.by_kind[{"d": "a"}.get(a.kind, "n" if a.kind in "iwfg" else "t")].append(a)

    def text(self):
        made = self.large() if self.rng.random() < 0.02 else self.truth(self.rng.randrange(5))
        return self.damaged(made) if self.rng.random() < 0.06 else made

    def large(self):
        """Returns an expression near the limits of levels, parts, and operands."""
        rng = self.rng
        choice = rng.randrange(4)
        if choice == 0:
            levels = rng.randint(96, 101)
            return "(" * levels + self.truth(0) + ")" * levels
        if choice == 1:
            return rng.choice(["!", "- ", "~", "!("]) * rng.randint(2, 101) + self.event.args[0].name
        arg = self.one_of("n")
        ops = ["&&", "||"] if choice == 2 else ["+", "-", "^"]
        count = rng.choice([15, 16, 17, 30, 31, 32, 63, 64, 127, 128, 129])
        parts = [self.of_numbers(0) if choice == 2 else self.number(0, arg) for _ in range(count)]
        text = parts[0]
        for part in parts[1:]:
            text += f" {rng.choice(ops)} {part}"
        return text

    def damaged(self, text):
        at = self.rng.randrange(len(text) + 1)
        until = min(len(text), at + self.rng.randrange(3))
        return text[:at] + self.rng.choice(ODD) + text[until:]

    def spaces(self):
        return self.rng.choice(["", "", " ", "  "])

    def joined(self, a, op, b):
        return f"{a}{self.spaces()}{op} {self.spaces()}{b}"

    def inside(self, text):
        return f"({self.spaces()}{text}{self.spaces()})" if self.rng.random() < 0.8 else text

    def truth(self, depth):
        rng = self.rng
        choice = rng.randrange(10)
        if depth > 0 and choice < 4:
            return self.joined(self.inside(self.truth(depth - 1)), rng.choice(["&&", "||"]),
                               self.inside(self.truth(depth - 1)))
        if depth > 0 and choice == 4:
            return f"!{self.inside(self.truth(depth - 1))}"
        if choice == 5:
            return self.of_texts()
        if choice == 6:
            return self.of_any()
        if choice == 7:
            return self.of_common()
        return self.of_numbers(depth)

    def one_of(self, kind):
        args = self.by_kind[kind]
        return self.rng.choice(args) if args else None

    def near(self, arg):
        """Returns a number near one that the field has in a call."""
        v = self.rng.choice(self.event.calls)[arg.slot]
        if not isinstance(v, int):
            return repr(v) if isinstance(v, float) and v == v and 0 <= v < 1e308 else "1.5"
        v = int(v) + self.rng.choice([0, 0, 0, 1, -1])
        return str(v) if abs(v) < 1 << 64 else "0"

    def constant(self, arg):
        rng = self.rng
        choice = rng.randrange(8)
        if arg and arg.names and choice < 4:
            name = rng.choice(list(arg.names))
            return rng.choice([name, name, f'"{name}"'])
        if arg and arg.unit and choice < 3:
            return rng.choice(UNIT_NUMBERS[arg.field().dim])
        if choice == 3:
            return rng.choice(NUMBERS)
        if choice == 4 and rng.random() < 0.1:
            return rng.choice(rng.choice(list(UNIT_NUMBERS.values())))
        if choice == 5 and arg and arg.declared == "char":
            return '"a"'
        if choice == 6 and rng.random() < 0.2:
            return rng.choice(["true", "false", "nosuch", self.foreign()])
        return self.near(arg) if arg else str(rng.randrange(100))

    def foreign(self):
        """Returns a name of another event."""
        return self.rng.choice(self.rng.choice(self.others).args).name

    def of_numbers(self, depth):
        arg = self.one_of("n")
        left = self.number(depth, arg)
        op = self.rng.choice(COMPARISONS)
        if arg and self.rng.random() < 0.7:
            right = self.constant(arg)
        else:
            right = self.number(depth, self.one_of("n"))
        if self.rng.random() < 0.15:
            left, right = right, left
        return left if self.rng.random() < 0.05 else self.joined(left, op, right)

    def number(self, depth, arg):
        rng = self.rng
        if depth == 0 or rng.random() < 0.4:
            return arg.name if arg and rng.random() < 0.8 else self.constant(arg)
        choice = rng.randrange(8)
        if choice == 0:
            return rng.choice(["-", "~", "!", "-"]) + self.spaces() + self.inside(
                self.number(depth - 1, arg))
        if choice == 1:
            return f"({self.truth(depth - 1)})"
        is_fraction = arg and arg.kind in "fg"
        op = rng.choice(ARITHMETIC[:4] if is_fraction and rng.random() < 0.9 else ARITHMETIC)
        other = arg if rng.random() < 0.5 else self.one_of("n")
        right = self.constant(arg) if rng.random() < 0.6 else self.number(depth - 1, other)
        return self.joined(self.inside(self.number(depth - 1, arg)), op, self.inside(right))

    def any_text(self):
        rng = self.rng
        arg = self.one_of("t")
        choice = rng.randrange(8)
        if choice == 0:
            return "null"
        if arg and choice < 5:
            v = rng.choice(self.event.calls)[arg.slot]
            return quoted(rng, v) if isinstance(v, bytes) else "null"
        return quoted(rng, rng.choice([b"", b"virtio0", b"vda", b"x", b"a", b"\xe9", b"\xc3\xa9"]))

    def of_texts(self):
        rng = self.rng
        arg = self.one_of("t")
        if not arg or rng.random() < 0.05:
            arg = rng.choice(self.event.args)
        if rng.random() < 0.3:
            return self.joined(arg.name, rng.choice(["=~", "!~"]),
                               f'"{rng.choice(PATTERNS)}"')
        other = self.one_of("t")
        right = other.name if other and rng.random() < 0.2 else self.any_text()
        return self.joined(arg.name, rng.choice(COMPARISONS), right)

    def of_any(self):
        rng = self.rng
        arg = self.one_of("a")
        if not arg:
            return self.of_texts()
        choice = rng.randrange(4)
        if choice == 0:
            return self.joined(arg.name, rng.choice(["=~", "!~"]), f'"{rng.choice(PATTERNS)}"')
        if choice == 1:
            return self.joined(arg.name, rng.choice(COMPARISONS), self.any_text())
        return self.joined(self.number(1, arg), rng.choice(COMPARISONS), self.near(arg))

    def of_common(self):
        rng = self.rng
        return rng.choice([
            f'@event == "{self.event.name}"', '@event =~ "e?"', "@event != \"x\"", "@time > 1ms",
            "@time < 1us", "@time >= 100000h", "@pid == @tid", "@pid > 0", "@tid == 7",
            "@time + 1s > 5ms", "nosuch == 1", f"{self.foreign()} > 1", "@pid & 1", "1 / 0",
            "true", "1K", "0 == 1", '@process =~ "fi*"', "@host != @process"])
