// SPDX-License-Identifier: MIT
// Fires every event of trace-events with distinctive values from Rust, and then from C:
// the records of both must be equal.
#![deny(warnings)]

use std::ffi::{CStr, CString};
use std::ptr;

mod trace;

extern "C" {
    fn calls_from_c();
}

fn text(bytes: &'static [u8]) -> &'static CStr {
    CStr::from_bytes_with_nul(bytes).unwrap()
}

fn numbers() {
    trace::trace_bools(true, false);
    trace::trace_chars(b'A' as std::os::raw::c_char, i8::MIN, u8::MAX);
    trace::trace_shorts(i16::MIN, u16::MAX, -2, 65534);
    trace::trace_ints(i32::MIN, u32::MAX, -3, 4294967293);
    trace::trace_longs(-4, 4, i64::MIN, u64::MAX);
    trace::trace_fixed(-128, 255, i64::MIN, u64::MAX);
    trace::trace_sizes(usize::MAX, -1, 0xfee1, isize::MIN);
}

fn pointers() {
    let address = 0x1000 as *const u8;

    trace::trace_pointers(
        address.cast(),
        ptr::null(),
        0x2000 as *mut i32,
        address,
        ptr::null(),
        0x3000 as *const *const _,
    );
    let name = CString::new("owned").unwrap();
    trace::trace_strings(&name, text(b"lent\0"));
    trace::trace_strings(None.unwrap_or_default(), text("gr\u{f6}\u{df}e\0".as_bytes()));
}

fn others() {
    trace::trace_no_format(7, text(b"seven\0"));
    trace::trace_no_arguments();
    let six = 6 as *const _;
    trace::trace_ten(1, 2, 3, 4, text(b"five\0"), six, -7, true, 9, -10);
    trace::trace_keywords(1, 2, 3, 4, text(b"five\0"), 6, 7);
    trace::trace_meet(1);
    trace::trace_meet_enabled(2);
    trace::trace_switched_off(1, text(b"never recorded\0"));
}

/// What a disabled event costs: looked at by the test.
#[no_mangle]
#[inline(never)]
pub extern "C" fn one_call_site(value: i32) {
    trace::trace_counted(value);
}

/// What an event costs that is declared `disable`.
#[no_mangle]
#[inline(never)]
pub fn no_call_site(value: u64, name: &CStr) -> u64 {
    trace::trace_switched_off(value, name);
    value ^ 0x5aa5
}

fn main() {
    assert!(!trace::TRACE_SWITCHED_OFF_ENABLED && !trace::trace_switched_off_enabled());
    assert_eq!(trace::TRACE_BOOLS_ENABLED, !cfg!(nop));
    println!("bools {}", trace::trace_bools_enabled());
    println!("counted {}", trace::trace_counted_enabled());
    println!("meet {}", trace::trace_meet_enabled_());
    one_call_site(1);
    assert_eq!(no_call_site(2, text(b"x\0")), 0x5aa7);
    numbers();
    pointers();
    others();
    unsafe { calls_from_c() }
}
