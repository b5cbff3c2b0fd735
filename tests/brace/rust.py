# SPDX-License-Identifier: MIT
"""Prints a Rust program that prints rows of random placeholders and values for brace_rows --hex.

rust.py SEED
"""
import random
import struct
import sys

PER_TYPE = 60
DEBUG = ["?", "x?", "X?"]
INTEGER = ["", "x", "X", "o", "b", "e", "E"] + DEBUG
REAL = ["", "", "e", "E"] + DEBUG
WORD = ["", ""] + DEBUG

HEAD = r"""
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::CString;
use std::fmt;
use std::fs::File;
use std::os::fd::{BorrowedFd, FromRawFd, OwnedFd};
use std::time::Duration;
#[derive(Debug, Clone)]
struct P { len: u32, opcode: u16, name: &'static str, opt: Option<u8>, arr: [u8; 3], f: f64, b: bool }
#[derive(Debug)] struct T(i32, i32);
#[derive(Debug)] struct GuestAddress(u64);
#[derive(Debug)] struct EventFd { eventfd: File } // as vmm_sys_util has it
extern "C" { fn eventfd(count: u32, flags: i32) -> i32; fn dup2(from: i32, to: i32) -> i32; }
#[derive(Debug)] struct U;
#[derive(Debug)] enum E { A, B(u32), C { x: u8, y: Vec<u8> } }
struct M; struct N;
impl fmt::Debug for M { fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
    f.debug_struct("M").field("a", &T(1, -2)).finish_non_exhaustive() } }
impl fmt::Debug for N { fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
    f.debug_struct("N").finish_non_exhaustive() } }
fn hex(b: &[u8]) -> String { b.iter().map(|x| format!("{:02x}", x)).collect() }
fn row(t: &str, spec: &str, input: &str, out: String) {
    println!("{}\t{}\t{}\t{}", t, spec, input, hex(out.as_bytes())); }
fn packet() -> P { P { len: 64, opcode: 18, name: "x\"y", opt: Some(3), arr: [1, 2, 3], f: 1.0, b: true } }
fn map() -> BTreeMap<&'static str, P> { BTreeMap::from([("k", packet()), ("l", packet())]) }
"""

SHAPES = {
    "P": "packet()", "T(1,-2)": "T(1, -2)", "U": "U", "()": "()", "A": "E::A", "B": "E::B(10)",
    "C10": "E::C { x: 10, y: vec![1, 255] }", 'Some("a")': 'Some("a")', "Some(255)": "Some(255u8)",
    "None": "None::<u8>",
    "mutex": "std::sync::Mutex::new(Some(Duration::from_millis(1500)))", "guest address": "GuestAddress(4096)",
    "Some(1.5s)": "Some(Duration::from_millis(1500))", "single": "(-1i8,)", "map": "map()", "set": "BTreeSet::from([(-1i8,)])",
    "mixed": '(-1i8, "q\\n", \'c\', (), None::<u8>)', "nested": "vec![map(), map()]",
    "empty list": "Vec::<u8>::new()", "empty map": "BTreeMap::<u8, u8>::new()", "more": "M",
    "only more": "N", "Err(bad)": 'Err::<u8, &str>("bad")', 'a,b"': 'vec!["a", "b\\""]',
}

pick = random.Random(int(sys.argv[1]))


def spec(types, plain=False):
    """Returns a random placeholder."""
    text = ""
    if pick.random() < 0.4:
        text += pick.choice(["", "", "*", " ", "é", "日", "0", "-", "#", "<", ":"])
        text += pick.choice("<^>")
    if not plain:
        text += pick.choice(["", "", "", "+", "-"])
    text += pick.choice(["", "", "#"])
    text += pick.choice(["", "", "0"])
    if pick.random() < 0.6:
        text += str(pick.choice([1, 2, 3, 5, 8, 12, 20, 45, 130]))
    if pick.random() < 0.4:
        text += "." + str(pick.choice([0, 0, 1, 2, 3, 5, 8, 17, 40]))
    text += pick.choice(types)
    return "{:" + text + "}" if text else "{}"


def integers(name, count=25):
    """Returns values of an integer type: limits, and random bits of every length."""
    bits = 64 if name == "usize" else int(name[1:])
    low, high = (0, 2**bits - 1) if name[0] == "u" else (-2**(bits - 1), 2**(bits - 1) - 1)
    values = {low, high, 0, 1, 9, 10, 15, 16, 95, 99, 100, high - 1}
    while len(values) < min(count, high):
        n = pick.getrandbits(pick.randint(1, bits)) % (high + 1)
        values.add(n if low == 0 or pick.random() < 0.5 else -n)
    return sorted(values)


def floats(width):
    """Returns bits of floating point numbers: special ones, short decimals, random ones."""
    form, count = ("<d", 64) if width == 64 else ("<f", 32)
    short = [0.0, -0.0, 0.5, 1.5, 2.5, 0.25, 0.125, 1e-4, 9e-5, 1e15, 1e16, 1e17, 1e21, 9.5, 99.5,
             0.05, 0.95, 0.005, 9.9995, 1e-7, 123456.789, -2.675, 1e23, 5e-1, float("inf"),
             float("-inf"), float("nan"), 9007199254740993.0, 2.0**63, 2.0**-30]
    short += [round(pick.uniform(-1e6, 1e6), pick.randint(0, 8)) for _ in range(20)]
    bits = [int.from_bytes(struct.pack(form, x), "little") for x in short]
    bits += [1, (1 << (52 if width == 64 else 23)) - 1, 1 << (52 if width == 64 else 23)]
    bits += [pick.getrandbits(count) for _ in range(40)]
    return bits


def strings():
    """Returns texts of all sorts of characters."""
    pool = ["a", "b", " ", "\0", "\n", "\r", "\t", "\x1b", "\x7f", "\"", "'", "\\", "é", "日", "😀",
            "\u0301", "\u200b", "\ufeff", "\ue000", "\x85", "\U000e0100", "\U0010ffff", "{", "}"]
    return ["", "abc"] + ["".join(pick.choice(pool) for _ in range(pick.randint(1, 12)))
                          for _ in range(20)]


def rows(type_name, types, values, body, plain=False):
    """Prints a block of Rust code with a row for every value and every placeholder."""
    print(f"    for v in [{', '.join(values)}].iter() {{")
    for _ in range(PER_TYPE):
        s = spec(types, plain)
        quoted = s.replace("\\", "\\\\").replace('"', '\\"')
        print(f'        {body.replace("SPEC", quoted).replace("TYPE", type_name)}')
    print("    }")


def numbers():
    """Prints blocks of integers and floats."""
    for name in ["u8", "u16", "u32", "u64", "usize", "u128", "i8", "i16", "i32", "i64", "i128"]:
        rows(name, INTEGER, [f"{n}{name}" for n in integers(name)],
             'row("TYPE", "SPEC", &v.to_string(), format!("SPEC", v));')
    for width in (32, 64):
        rows(f"f{width}", REAL, [f"0x{b:x}u{width}" for b in floats(width)],
             f'row("TYPE", "SPEC", &format!("{{:x}}", v), format!("SPEC", f{width}::from_bits(*v)));')


def words():
    """Prints blocks of bool, char, strings, bytes, pointers."""
    rows("bool", WORD, ["true", "false"],
         'row("TYPE", "SPEC", &v.to_string(), format!("SPEC", v));')
    chars = ["'a'", "'\"'", "'\\''", "'\\n'", "'\\0'", "'é'", "'\\u{301}'", "'😀'"]
    rows("char", WORD, chars,
         'row("TYPE", "SPEC", &format!("{:x}", *v as u32), format!("SPEC", v));')
    texts = ['"' + "".join(f"\\u{{{ord(c):x}}}" for c in s) + '"' for s in strings()]
    rows("str", WORD, texts, 'row("TYPE", "SPEC", &hex(v.as_bytes()), format!("SPEC", v));')
    raw = [", ".join(f"{pick.choice([1, 10, 39, 34, 92, 97, 127, 0x80, 0xc3, 0xa9, 0xe2, 0x80, 0xf0, 0xff])}u8"
                     for _ in range(8)) for _ in range(20)]
    rows("CStr", DEBUG, [f"[{r}]" for r in raw],
         'row("TYPE", "SPEC", &hex(v), format!("SPEC", CString::new(v.to_vec()).unwrap()));')
    rows("str", [""], [f"[{r}]" for r in raw],
         'row("TYPE", "SPEC", &hex(v), format!("SPEC", String::from_utf8_lossy(v)));')
    rows("Vec<u8>", DEBUG, ["vec![]", "vec![0u8]", "vec![1u8, 10, 255]"],
         'row("TYPE", "SPEC", &v.iter().map(|b| b.to_string()).collect::<Vec<_>>().join(","), '
         'format!("SPEC", v));')
    rows("ptr", DEBUG + ["p"], ["0usize", "0x1000usize", "usize::MAX"],
         'row("TYPE", "SPEC", &format!("{:x}", v), format!("SPEC", *v as *const u8));', True)


def durations():
    """Prints durations at the limits of units and of rounding carries, and random ones."""
    ns = [0, 1, 9, 10, 499, 500, 999, 1000, 1001, 1500, 2500, 9995, 10500, 99950, 999499, 999500,
          999999, 10**6, 1500000, 2500000, 1050000, 99999999, 999499999, 999500000, 999999999]
    values = [(s, n) for s in (0, 1, 2, 9, 2**63, 2**64 - 1) for n in ns]
    values += [(pick.choice([0, 0, pick.getrandbits(pick.randint(1, 64))]),
                pick.getrandbits(pick.randint(1, 29))) for _ in range(100)]
    rows("Duration", DEBUG, [f"({s}u64, {n}u32)" for s, n in values],
         'row("TYPE", "SPEC", &format!("{} {}", v.0, v.1), format!("SPEC", Duration::new(v.0, v.1)));')


def descriptors():
    """Prints structs around a descriptor, which must be an eventfd."""
    rows("BorrowedFd", DEBUG, ["0i32", "7", "255"],
         'row("TYPE", "SPEC", &v.to_string(), format!("SPEC", unsafe { BorrowedFd::borrow_raw(*v) }));')
    rows("OwnedFd", DEBUG, ["7i32"], 'let o = std::mem::ManuallyDrop::new(unsafe { OwnedFd::from_raw_fd(*v) }); '
         'row("TYPE", "SPEC", &v.to_string(), format!("SPEC", *o));')
    print("    unsafe { assert!(dup2(eventfd(0, 0), 77) == 77); }")
    print("    let e = EventFd { eventfd: unsafe { File::from_raw_fd(77) } };")
    rows("EventFd", DEBUG, ["77i32"], 'row("TYPE", "SPEC", &v.to_string(), format!("SPEC", e));')


def shapes():
    """Prints a block for each shape."""
    for name, value in SHAPES.items():
        text = name.replace('"', '\\"')
        print(f"    let v = {value};")
        for s in ["{:?}", "{:#?}", "{:x?}", "{:#x?}", "{:#X?}", "{:04x?}"] + \
                [spec(DEBUG) for _ in range(10)]:
            print(f'    row("{text}", "{s}", "{text}", format!("{s}", v));')


def main():
    """Prints the whole program."""
    print(HEAD)
    for function in (numbers, words, durations, descriptors, shapes):
        print(f"fn {function.__name__}() {{")
        function()
        print("}")
    print("""fn main() { numbers(); words(); durations(); descriptors(); shapes();
    if char::UNICODE_VERSION.0 == 17 { for c in '\\u{1}'..=char::MAX {
        let s = c.to_string(); row("str", "{:?}", &hex(s.as_bytes()), format!("{:?}", s)); } }
}""")


main()
