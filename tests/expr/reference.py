# SPDX-License-Identifier: MIT
"""The language of waymark-expressions(7) a second time: written from the page, and slow.

parse() makes a tree of a text, bind() connects it with the fields of an event, and run() of the
result evaluates it for a list of values. Values: None is no value; int; float; bytes are text;
NULL is the text of a NULL pointer; a Character is an int that is also compared with text.
"""

import re

BITS = 1 << 64
LEVELS = {"||": 1, "&&": 2, "==": 3, "!=": 3, "<": 3, "<=": 3, ">": 3, ">=": 3, "=~": 3, "!~": 3,
          "|": 4, "^": 5, "&": 6, "<<": 7, ">>": 7, "+": 8, "-": 8, "*": 9, "/": 9, "%": 9}
COMPARISONS = ("==", "!=", "<", "<=", ">", ">=")
MATCHES = ("=~", "!~")
LOGIC = ("&&", "||")
BITWISE = ("|", "^", "&", "<<", ">>", "%")

# Types, as far as they are known before evaluation.
INTEGER, FLOAT, TEXT, ANY, NONE = "integer", "fraction", "text", "any", "none"

# Dimensions: of numbers with a unit, and of fields.
COUNT, BYTES, TIME = "count", "bytes", "time"
UNITS = {
    "K": (1 << 10, COUNT), "M": (1 << 20, COUNT), "G": (1 << 30, COUNT), "T": (1 << 40, COUNT),
    "B": (1, BYTES), "KiB": (1 << 10, BYTES), "MiB": (1 << 20, BYTES), "GiB": (1 << 30, BYTES),
    "TiB": (1 << 40, BYTES), "ns": (1, TIME), "us": (10**3, TIME), "ms": (10**6, TIME),
    "s": (10**9, TIME), "min": (60 * 10**9, TIME), "h": (3600 * 10**9, TIME), "": (1, None),
}
MOST_NODES, MOST_LEVELS, MOST_OF_A_PART = 256, 100, 32
WHOLE_BELOW = 9e15  # a fraction of a unit that is whole and smaller is an integer


class Wrong(Exception):
    """The expression is an error."""


class Null:
    """The text of a NULL pointer."""


NULL = Null()


class Character(int):
    """A character, which is a number and a text."""

    text = b""

    @classmethod
    def of(cls, value, text):
        made = cls(value)
        made.text = text
        return made


# ---- Values ----

def integer(v, signed):
    """Returns a value of 64 bits, as the language keeps it."""
    v %= BITS
    return v - BITS if signed and v >= BITS // 2 else v


def truth(v):
    """Returns None for what is neither true nor false."""
    return None if not isinstance(v, (int, float)) or v != v else v != 0


def text_of(v):
    return v.text if isinstance(v, Character) else v


def of_floats(op, a, b):
    if op == "+":
        return a + b
    if op == "-":
        return a - b
    if op == "*":
        return a * b
    return a / b if op == "/" and b != 0 else None


def divide(op, a, b):
    """Rounds to zero; the remainder has the sign of a."""
    if b == 0:
        return None
    v = abs(a) // abs(b) if op == "/" else abs(a) % abs(b)
    minus = (a < 0) != (b < 0) if op == "/" else a < 0
    return integer(-v, True) if minus else integer(v, False)


def shift(op, a, b):
    if b < 0:
        return None
    if op == "<<":
        return integer(a << b, a < 0) if b < 64 else 0
    return a >> min(b, 63) if a < 0 else (a >> b if b < 64 else 0)


def of_integers(op, a, b):
    if op in ("/", "%"):
        return divide(op, a, b)
    if op in ("<<", ">>"):
        return shift(op, a, b)
    result = {"+": lambda: a + b, "-": lambda: a - b, "*": lambda: a * b, "|": lambda: a | b,
              "^": lambda: a ^ b, "&": lambda: a & b}[op]()
    return integer(result, result < 0)


def calculate(op, a, b):
    if not isinstance(a, (int, float)) or not isinstance(b, (int, float)):
        return None
    if isinstance(a, float) or isinstance(b, float):
        return of_floats(op, float(a), float(b))
    return of_integers(op, int(a), int(b))


def unary(op, a):
    if op == "!":
        return None if truth(a) is None else int(not truth(a))
    if not isinstance(a, (int, float)):
        return None
    if op == "-":
        return -a if isinstance(a, float) else integer(-a, a >= 0)
    return None if isinstance(a, float) else integer(~a, a >= 0)


def connect(op, a, b):
    x, y = truth(a), truth(b)
    deciding = op == "||"
    if deciding in (x, y):
        return int(deciding)
    return None if x is None or y is None else int(not deciding)


def order(a, b):
    """Returns two values that are compared as the texts or numbers are; None: they are not."""
    if isinstance(a, (int, float)) and isinstance(b, (int, float)):
        return (a, b) if a == a and b == b else None
    a, b = text_of(a), text_of(b)
    if isinstance(a, (bytes, Null)) and isinstance(b, (bytes, Null)):
        return (a is not NULL, b"" if a is NULL else a), (b is not NULL, b"" if b is NULL else b)
    return None


def compare(op, a, b):
    both = order(a, b)
    if both is None:
        return None
    a, b = both
    return int({"==": a == b, "!=": a != b, "<": a < b, "<=": a <= b, ">": a > b,
                ">=": a >= b}[op])


def pattern_of(text):
    """Returns the expression of a pattern's bytes."""
    return re.compile(re.escape(text).replace(rb"\*", b".*").replace(rb"\?", b"."), re.DOTALL)


# ---- Parsing ----

NUMBER = re.compile(rb"0[xX][0-9a-fA-F]+|0[bB][01]+|(\d+\.\d*|\.\d+|\d+(?=[eE][-+]?\d))"
                    rb"([eE][-+]?\d+)?|\d+")
WORD = re.compile(rb"\w*", re.ASCII)
NAME = re.compile(rb"elapsed\([^)]*\)|@?\w+", re.ASCII)
OPERATOR = re.compile(rb"\|\||&&|==|!=|=~|!~|<=|>=|<<|>>|[<>|^&+*/%-]")
STRING = re.compile(rb'"((?:\\.|[^"\\])*)"', re.DOTALL)
ESCAPE = re.compile(rb"\\(?:x([0-9a-fA-F]{2})|(.))", re.DOTALL)
ESCAPES = {b"n": b"\n", b"t": b"\t", b"r": b"\r", b"0": b"\0"}
BLANKS = b" \t\n\v\f\r"


class Node:
    """A constant (op "value"), a name (op "name"), or an operator with kids."""

    def __init__(self, op, *kids, value=None, name=None):
        self.op, self.kids, self.value, self.name = op, kids, value, name
        self.type, self.names, self.dim, self.unit = NONE, None, None, 0
        self.slot, self.is_character, self.dead_text = None, False, False
        self.nodes = 1 + sum(k.nodes for k in kids)


class Parser:
    def __init__(self, text):
        self.text, self.at, self.levels, self.nodes = text, 0, 0, 0

    def made(self, node):
        self.nodes += 1
        if self.nodes > MOST_NODES:
            raise Wrong("too many operands and operators")
        return node

    def blanks(self):
        while self.at < len(self.text) and self.text[self.at] in BLANKS:
            self.at += 1

    def ahead(self, length=1):
        return self.text[self.at:self.at + length]

    def taken(self, pattern):
        found = pattern.match(self.text, self.at)
        if found:
            self.at = found.end()
        return found

    def whole(self):
        tree = self.level(1)
        if self.at < len(self.text):
            raise Wrong("something follows")
        return tree

    def level(self, lowest):
        left = self.operand()
        compared = False
        while True:
            self.blanks()
            found = OPERATOR.match(self.text, self.at)
            op = found[0].decode() if found else ""
            if not op or LEVELS[op] < lowest:
                return left
            if compared and LEVELS[op] == 3:
                raise Wrong("a comparison of a comparison")
            compared = LEVELS[op] == 3
            self.at = found.end()
            left = self.made(Node(op, left, self.level(LEVELS[op] + 1)))

    def operand(self):
        self.levels += 1
        if self.levels > MOST_LEVELS:
            raise Wrong("too many levels")
        self.blanks()
        node = self.nested() or self.plain()
        self.levels -= 1
        return node

    def nested(self):
        """Returns what is in parentheses or follows an operator; None: another operand is next."""
        c = self.ahead()
        if c == b"(":
            self.at += 1
            node = self.level(1)
            self.blanks()
            if self.ahead() != b")":
                raise Wrong("no )")
            self.at += 1
            return node
        if c and c in b"!~-" and self.ahead(2) != b"!=":
            self.at += 1
            return self.made(Node(c.decode(), self.operand()))
        return None

    def plain(self):
        found = self.taken(NUMBER)
        if found:
            return self.made(self.number(found[0]))
        found = self.taken(STRING)
        if found:
            return self.made(Node("value", value=ESCAPE.sub(unescaped, found[1])))
        found = self.taken(NAME)
        if not found:
            raise Wrong("an operand is missing")
        constants = {b"true": 1, b"false": 0, b"null": NULL}
        if found[0] in constants:
            return self.made(Node("value", value=constants[found[0]]))
        return self.made(Node("name", name=found[0].decode()))

    def number(self, text):
        unit = self.taken(WORD)[0].decode()
        if unit not in UNITS:
            raise Wrong("no unit")
        factor, dim = UNITS[unit]
        if re.fullmatch(rb"\d+|0[xXbB].*", text):
            value = integer_of(text) * factor
            if value >= BITS:
                raise Wrong("too large")
        else:
            value = float(text) * factor
            if dim and value < WHOLE_BELOW and value == int(value):
                value = int(value)
        node = Node("value", value=value)
        node.dim = dim
        return node


def unescaped(found):
    if found[1]:
        return bytes([int(found[1], 16)])
    return ESCAPES.get(found[2], found[2])


def integer_of(text):
    prefix = text[:2].lower()
    value = int(text[2:], 16 if prefix == b"0x" else 2) if prefix in (b"0x", b"0b") else int(text)
    if value >= BITS:
        raise Wrong("too large")
    return value


def parse(text):
    """Returns the tree of an expression, which is bytes."""
    return Parser(text).whole()


# ---- Binding ----

class Field:
    """What an event declares of a field; `slot`: of its value."""

    def __init__(self, slot, type_, names=None, dim=None, unit=0, is_character=False):
        self.slot, self.type, self.names = slot, type_, names or {}
        self.dim, self.unit, self.is_character = dim, unit, is_character


class Binder:
    """Connects names with fields, and checks types. `names` that no field or value has: unknown."""

    def __init__(self, fields):
        self.fields = fields

    def bind(self, n):
        for kid in n.kids:
            self.bind(kid)
        if n.op == "value":
            n.type = type_of(n.value)
        elif n.op == "name":
            self.bind_name(n)
        elif len(n.kids) == 1:
            bind_unary(n)
        else:
            bind_binary(n)
        if n.kids and all(kid.op == "value" for kid in n.kids):
            n.value = evaluator(n)(())
            n.op, n.kids, n.type = "value", (), type_of(n.value)

    def bind_name(self, n):
        field = self.fields.get(n.name)
        if field:
            n.op, n.slot, n.type, n.names = "field", field.slot, field.type, field.names
            n.dim, n.unit, n.is_character = field.dim, field.unit, field.is_character


def type_of(value):
    if isinstance(value, (bytes, Null)):
        return TEXT
    return NONE if value is None else FLOAT if isinstance(value, float) else INTEGER


def need_number(n, kid):
    if kid.type == TEXT:
        raise Wrong(f"{n.op} needs a number")
    if kid.type == FLOAT and (n.op in BITWISE or n.op == "~"):
        raise Wrong(f"{n.op} needs an integer")


def bind_unary(n):
    kid, = n.kids
    need_number(n, kid)
    n.type = FLOAT if n.op == "-" and kid.type == FLOAT else INTEGER
    if n.op == "-":
        n.dim, n.unit = kid.dim, kid.unit


def bind_binary(n):
    left, right = n.kids
    if n.op in MATCHES:
        bind_match(n, left, right)
        return
    if n.op not in LOGIC:
        name_values(left, right)
    convert_units(n, left, right)
    if n.op in COMPARISONS:
        bind_comparison(n, left, right)
        return
    need_number(n, left)
    need_number(n, right)
    is_float = FLOAT in (left.type, right.type) and LEVELS[n.op] >= 8
    n.type = FLOAT if is_float else INTEGER
    if n.op in ("&", "|"):
        n.names = left.names or right.names


def bind_match(n, left, right):
    if right.op != "value" or not isinstance(right.value, bytes):
        raise Wrong("a pattern is text in quotes")
    if left.type in (INTEGER, FLOAT) and not left.names and not left.is_character:
        raise Wrong("a pattern matches text")
    n.type, n.names = INTEGER, left.names


def bind_comparison(n, left, right):
    for text, other in (left, right), (right, left):
        if text.type == TEXT and other.type in (INTEGER, FLOAT):
            if not other.is_character:
                raise Wrong("text is compared with a number")
            if n.op in ("==", "!=") and text.op == "value" and len_of(text.value) != 1:
                raise Wrong("a character is one byte")
    for text, other in (left, right), (right, left):
        if text.op == "value" and text.type == TEXT and other.type == NONE:
            text.op, text.type, text.dead_text = "none", NONE, True
    n.type = INTEGER


def len_of(text):
    return 0 if text is NULL else len(text)


def name_values(left, right):
    """Names stand for the values of the field that they meet."""
    for field, other in (left, right), (right, left):
        if field.names and not other.names:
            replace_names(other, field.names)
            return


def replace_names(n, names):
    if n.op in COMPARISONS + MATCHES + LOGIC:
        return
    for kid in n.kids:
        replace_names(kid, names)
    name = n.name if n.op == "name" and not n.name.startswith("@") else None
    if n.op == "value" and isinstance(n.value, bytes):
        name = n.value.decode("latin-1")
        n.op, n.type, n.dead_text = "none", NONE, True
    if name in names:
        n.op, n.value, n.type, n.dead_text = "value", names[name], INTEGER, False


# ---- Units ----

def convert_units(n, left, right):
    is_sum = n.op in ("+", "-")
    if is_sum or n.op in COMPARISONS:
        convert(left, right)
        convert(right, left)
    if is_sum:
        take_unit(n, left, right)
    elif n.op == "*" and not (left.dim and right.dim):
        take_unit(n, left, right)
    elif n.op == "/" and not right.dim:
        take_unit(n, left)


def take_unit(n, *kids):
    """Takes the unit of a field, or else of a number."""
    kid = next((k for k in kids if k.unit), None) or next((k for k in kids if k.dim), kids[0])
    n.dim, n.unit = kid.dim, kid.unit


def convert(number, field):
    """Converts a number with a unit to the unit of a field."""
    if number.op != "value" or number.value is None or not number.dim or not field.unit:
        return
    if number.dim == COUNT and field.dim != BYTES:
        return
    if number.dim not in (COUNT, field.dim):
        raise Wrong("bytes are compared with a time")
    if isinstance(number.value, int) and number.value >= 0 and number.value % field.unit == 0:
        number.value //= field.unit
    else:
        number.value = float(number.value) / field.unit
        number.type = FLOAT


# ---- Evaluation ----

def evaluator(n):
    """Returns a function from a list of values to the node's value."""
    if n.op == "value":
        value = n.value
        return lambda v: value
    if n.op == "field":
        slot = n.slot
        return lambda v: v[slot]
    if n.op in ("name", "none"):
        return lambda v: None
    op = n.op
    kids = [evaluator(kid) for kid in n.kids]
    if len(kids) == 1:
        only, = kids
        return lambda v: unary(op, only(v))
    left, right = kids
    if op in MATCHES:
        return matcher(op, left, n.names or {}, n.kids[1].value)
    function = connect if op in LOGIC else compare if op in COMPARISONS else calculate
    return lambda v: function(op, left(v), right(v))


def matcher(op, left, names, pattern):
    found = pattern_of(pattern)
    texts = {value: name.encode() for name, value in names.items()}

    def match(v):
        a = left(v)
        a = texts.get(a) if texts and isinstance(a, int) else text_of(a)
        if not isinstance(a, (bytes, Null)):
            return None
        return int((a is not NULL and found.fullmatch(a) is not None) == (op == "=~"))
    return match


class Bound:
    """An expression for one event. `run`: gives its value for a list of values."""

    def __init__(self, tree, fields):
        Binder(fields).bind(tree)
        if tree.type == TEXT:
            raise Wrong("a text is neither true nor false")
        self.run = evaluator(tree)
        nodes = list(all_of(tree))
        # Of no field, nor of a value: an error in a traced program.
        self.unknown = [n.name or n.value for n in nodes if n.op == "name" or n.dead_text]
        self.slots = {n.slot for n in nodes if n.op == "field"}
        self.longest = longest_part(tree)

    def is_true(self, values):
        return truth(self.run(values)) is True


def all_of(tree):
    yield tree
    for kid in tree.kids:
        yield from all_of(kid)


def longest_part(n):
    """Returns the nodes of the longest part without && and ||."""
    if n.op in LOGIC or n.op == "!":
        return max(longest_part(kid) for kid in n.kids)
    return n.nodes


def bind(text, fields):
    """Returns a Bound; raises Wrong."""
    return Bound(parse(text), fields)
