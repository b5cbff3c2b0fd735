# SPDX-License-Identifier: MIT
"""Writes two programs that fire every event of some TOML files with the same values.

fire.py HEADER OUT.c OUT.rs FILE...

The C program calls the generated code. The Rust program prints the lines that StratoVirt's own
generator would pass to its logger: `[name] message`.
"""
import random
import re
import sys
import tomllib

# Literals of Rust; C needs octal escapes instead of \\u{e9}.
TEXTS = ["disk0", "", r'a \"b\" \\ c', r"caf\u{e9} \t|", "virtio-net.0"]
BYTES = [[], [0], [1, 10, 255], list(range(16))]
INTEGERS = {
    "u8": (0, 2**8), "u16": (0, 2**16), "u32": (0, 2**32), "u64": (0, 2**64),
    "usize": (0, 2**64), "u128": (0, 2**128), "i8": (-2**7, 2**7), "i16": (-2**15, 2**15),
    "i32": (-2**31, 2**31), "i64": (-2**63, 2**63), "isize": (-2**63, 2**63),
    "RawFd": (-1, 2**20),
}

C_HEAD = """\
#include <stdio.h>
#include <string.h>
#include <waymark/control.h>
#include <waymark/debug.h>
#include "%s"

static void put_request(struct waymark_formatter *f, const void *object)
{
	struct waymark_group g;

	(void)object;
	waymark_debug_struct(&g, f, "Request");
	waymark_debug_field(&g, "sector", waymark_debug_u64(4096));
	waymark_debug_field(&g, "name", waymark_debug_string("a\\"b"));
	waymark_debug_field(&g, "iovec", waymark_debug_bytes("\\001\\377", 2));
	waymark_debug_end(&g);
}

static void put_some(struct waymark_formatter *f, const void *object)
{
	waymark_debug_some(f, waymark_debug_u32(*(const uint32_t *)object));
}

static void put_none(struct waymark_formatter *f, const void *object)
{
	(void)object;
	waymark_debug_none(f);
}

static void put_variant(struct waymark_formatter *f, const void *object)
{
	waymark_debug_variant(f, "Read", waymark_debug_object(put_request, object));
}

static void put_tuple(struct waymark_formatter *f, const void *object)
{
	struct waymark_group g;

	(void)object;
	waymark_debug_tuple(&g, f, "");
	waymark_debug_entry(&g, waymark_debug_i32(-42));
	waymark_debug_entry(&g, waymark_debug_f64(1.0));
	waymark_debug_entry(&g, waymark_debug_bool(true));
	waymark_debug_end(&g);
}

int main(void)
{
	static const uint32_t some = 255;
	struct waymark_error error;

	(void)some;
	if (waymark_enable("*", WAYMARK_ANY_BACKEND, NULL, &error)) {
		fprintf(stderr, "%%s\\n", error.text);
		return 1;
	}
"""

RUST_HEAD = """\
#![allow(warnings)]
use std::fmt;
#[derive(Debug)]
struct Request { sector: u64, name: &'static str, iovec: Vec<u8> }
#[derive(Debug)]
enum Kind { Read(Request) }
fn request() -> Request { Request { sector: 4096, name: "a\\"b", iovec: vec![1, 255] } }
fn main() {
"""

# In C, in Rust.
OBJECTS = [
    ("waymark_debug_u8(7)", "7u8"), ("waymark_debug_i32(-42)", "-42i32"),
    ("waymark_debug_u64(UINT64_MAX)", "u64::MAX"), ("waymark_debug_bool(true)", "true"),
    ("waymark_debug(\"a\\\"b\")", "\"a\\\"b\""), ("waymark_debug(0.1)", "0.1f64"),
    ("waymark_debug_object(put_request, NULL)", "request()"),
    ("waymark_debug_object(put_some, &some)", "Some(255u32)"),
    ("waymark_debug_object(put_none, NULL)", "None::<u32>"),
    ("waymark_debug_object(put_variant, NULL)", "Kind::Read(request())"),
    ("waymark_debug_object(put_tuple, NULL)", "(-42i32, 1.0f64, true)"),
    ("waymark_debug_char('c')", "'c'"),
]

pick = random.Random(7)


def integer(bare):
    low, end = INTEGERS[bare]
    value = pick.choice([low, end - 1, 0, 10, 64, pick.randrange(low, end)])
    value = min(max(value, low), end - 1)
    return f"({c_integer(bare, value)})", f"({value}{'i32' if bare == 'RawFd' else bare})"


def c_integer(bare, value):
    if bare == "u128":
        return f"(waymark_u128)UINT64_C({value >> 64}) << 64 | UINT64_C({value & (2**64 - 1)})"
    if value == -2**63:
        return "INT64_MIN"
    return f"UINT64_C({value})" if value > 2**63 - 1 else f"INT64_C({value})"


def argument(declared):
    """Returns the parameters in C, and the expressions that Rust formats."""
    bare = re.sub(r"^(&\s*('\w+\s+)?(mut\s+)?)+", "", declared)
    if bare in INTEGERS:
        return integer(bare)
    if bare == "bool":
        truth = pick.choice(["true", "false"])
        return truth, truth
    if bare == "f64":
        return (pick.choice(["0.1", "1e21", "-0.0", "5e-324"]),) * 2
    if bare in ("str", "String"):
        text = pick.choice(TEXTS)
        return '"' + text.replace(r"\u{e9}", r"\303\251") + '"', '"' + text + '"'
    if bare in ("[u8]", "Vec<u8>"):
        data = pick.choice(BYTES)
        text = "".join(f"\\{b:03o}" for b in data)
        return f'"{text}", {len(data)}', "(&[" + ", ".join(f"{b}u8" for b in data) + "] as &[u8])"
    if bare == "dyn fmt::Debug":
        return pick.choice(OBJECTS)
    sys.exit(f"no value for the type {declared}")


def main():
    header, c_path, rust_path, *files = sys.argv[1:]
    c, rust = [C_HEAD % header], [RUST_HEAD]
    for path in files:
        with open(path, "rb") as file:
            events = tomllib.load(file).get("events", [])
        for event in events:
            types = [a.split(":", 1)[1].strip() for a in event["args"].split(",") if a]
            values = [argument(t) for t in types]
            message = "[{}] " + event["message"].strip()
            literal = message.replace("\\", "\\\\").replace('"', '\\"')
            c.append(f"\ttrace_{event['name']}({', '.join(v[0] for v in values)});\n")
            names = [f'"{event["name"]}"'] + [v[1] for v in values]
            rust.append(f'    println!("{literal}", {", ".join(names)});\n')
    with open(c_path, "w") as file:
        file.write("".join(c) + "\treturn 0;\n}\n")
    with open(rust_path, "w") as file:
        file.write("".join(rust) + "}\n")


main()
