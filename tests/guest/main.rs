// SPDX-License-Identifier: MIT
// Fires the events of documented.events, and prints their CPU.
#![deny(warnings)]

mod trace;

struct Cpu {
    _index: i32,
}

fn main() {
    let cpu = Cpu { _index: 0 };
    let address: *const Cpu = &cpu;

    println!("{:p}", address);
    trace::trace_foo(0xd1);
    trace::trace_bar(address.cast(), 0xd2);
    trace::trace_baz_trans(address.cast(), 0xd3);
    trace::trace_baz_exec(address.cast(), 0xd3);
    assert!(trace::trace_bar_vcpu_enabled(address.cast()));
}
