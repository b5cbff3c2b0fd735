// SPDX-License-Identifier: MIT
// Fires every event of declared.toml with distinctive values.
#![deny(warnings)]

use std::ffi::CStr;

mod trace;

fn text(bytes: &'static [u8]) -> &'static CStr {
    CStr::from_bytes_with_nul(bytes).unwrap()
}

fn main() {
    trace::trace_integers(255, -128, 65535, -2, 190, i32::MIN, u64::MAX, i64::MIN);
    trace::trace_others(usize::MAX, -1, true, 3, 0.1, 1e16);
    trace::trace_texts(text(b"plain\0"), text(b"a \"b\"\0"));
    trace::trace_references(7, text(b"lent\0"), 9);
    trace::trace_bare();
    trace::trace_switched_off(1);
    assert!(!trace::TRACE_SWITCHED_OFF_ENABLED && trace::TRACE_BARE_ENABLED);
}
