/* SPDX-License-Identifier: MIT */
/* Lines of the kernel's trace, in the forms that tracefs and trace-cmd have. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/compiler.h"
#include "read/kernel/text.h"

static const struct {
	const char *line;
	uint32_t tid;
	uint64_t ns;
	enum kernel_edge edge;
	enum kernel_kind kind;
	const char *name;
	uint32_t next;
} lines[] = {
	/* tracefs */
	{ "           <...>-42      [001] ..... 12.000034: sys_enter: NR 60000 (1, 2, 3, 4, 5, 6)",
		42, 12000034000, KERNEL_BEGIN, KERNEL_SYSCALL, "system call 60000", 0 },
	{ "  a b-7 [001] x-42 [0] d..2. 1.5: sys_exit: NR 1 = -11", 42, 1500000000, KERNEL_END,
		KERNEL_SYSCALL, NULL, 0 },
	{ "  a-42 (   40) [000] .... 1.000001: sys_openat(dfd: ffffff9c, filename: 7f)", 42,
		1000001000, KERNEL_BEGIN, KERNEL_SYSCALL, "sys_openat", 0 },
	{ "  a-42 (-----) [000] .... 1.000001: sys_openat -> 0x3", 42, 1000001000, KERNEL_END,
		KERNEL_SYSCALL, NULL, 0 },
	{ "  a-1-42      [015] d..3 999999999.000001: sched_switch: prev_comm=a-1 prev_pid=42 "
	  "prev_prio=120 prev_state=S ==> next_comm=x next_pid=1 ==> next_pid=77 next_prio=120",
		42, 999999999000001000, KERNEL_SWITCH, KERNEL_OFF_CPU, "off-CPU", 77 },
	{ "  a-42 [000] d..3 1.000001: sched_switch: prev_comm=a prev_pid=42 prev_prio=120 "
	  "prev_state=R+ ==> next_comm=b next_pid=77 next_prio=120",
		42, 1000001000, KERNEL_SWITCH, KERNEL_OFF_CPU, "off-CPU (preempted)", 77 },
	{ "  a-42 [000] d..4. 1.000001: sched_waking: comm=x pid=7 pid=77 prio=120 target_cpu=001",
		42, 1000001000, KERNEL_WAKE, KERNEL_OFF_CPU, NULL, 77 },
	{ "  a-42 [000] d..4. 1.000001: sched_wakeup_new: comm=b pid=77 prio=120 success=1 "
	  "target_cpu=001",
		42, 1000001000, KERNEL_WAKE, KERNEL_OFF_CPU, NULL, 77 },
	{ "  <idle>-0 [000] d.h. 1.000001: irq_handler_entry: irq=24 name=virtio0-input.0", 0,
		1000001000, KERNEL_BEGIN, KERNEL_IRQ, "irq virtio0-input.0", 0 },
	{ "  <idle>-0 [000] d.h. 1.000001: irq_handler_exit: irq=24 ret=handled", 0, 1000001000,
		KERNEL_END, KERNEL_IRQ, NULL, 0 },
	{ "  a-42 [000] ..s. 1.000001: softirq_entry: vec=1 [action=TIMER]", 42, 1000001000,
		KERNEL_BEGIN, KERNEL_SOFTIRQ, "softirq TIMER", 0 },
	{ "  a-42 [000] d.h. 1.000001: local_timer_exit: vector=236", 42, 1000001000, KERNEL_END,
		KERNEL_VECTOR, NULL, 0 },
	{ "  a-42 [000] ..... 1.000001: tracing_mark_write: sys_enter: NR 1 (", 42, 1000001000,
		KERNEL_NOTHING, KERNEL_SYSCALL, NULL, 0 },
	{ "  a-42 [000] ..... 1.000001: sys_of_mine: x", 42, 1000001000, KERNEL_NOTHING,
		KERNEL_SYSCALL, NULL, 0 },
	/* trace-cmd report: without flags, with flags, with all digits */
	{ "             cat-42    [001]  1234.123456789: sys_enter_write:      fd: 0x00000001, "
	  "buf: 0x7ffd, count: 0x1",
		42, 1234123456789, KERNEL_BEGIN, KERNEL_SYSCALL, "sys_write", 0 },
	{ "             cat-42    [001] ..... 1234.123456789: sys_exit_write:       0x1", 42,
		1234123456789, KERNEL_END, KERNEL_SYSCALL, NULL, 0 },
	{ "  trace.dat:   cat-42    [001]  1.000000001: sched_switch:         cat:42 [120] R "
	  "==> swapper/1:0 [120]",
		42, 1000000001, KERNEL_SWITCH, KERNEL_OFF_CPU, "off-CPU (preempted)", 0 },
	{ "  a-42    [001]  1.000000001: sched_wakeup:         b [1:77 [120] CPU:001", 42,
		1000000001, KERNEL_WAKE, KERNEL_OFF_CPU, NULL, 77 },
	/* cut lines, and lines of a clock without seconds */
	{ "  a-42 [000] ..... 1.000001: sys_enter: N", 42, 1000001000, KERNEL_NOTHING, 0, NULL, 0 },
	{ "  a-42 [000] ..... 1.000001: sched_switch: prev_comm=a prev_pid", 42, 1000001000,
		KERNEL_NOTHING, 0, NULL, 0 },
	{ "  a-42 [000] ..... 1.000001: sched_wakeup: comm=b pi", 42, 1000001000, KERNEL_NOTHING, 0,
		NULL, 0 },
	{ "  a-42 [000] ..... 123456: sys_exit: NR 1 = 0", 42, 0, KERNEL_END, KERNEL_SYSCALL, NULL,
		0 },
};

static void lines_are_events(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(lines); i++) {
		struct kernel_line line = { 0 };
		struct kernel_event e;

		print_message("%s\n", lines[i].line);
		assert_true(kernel_line_parse(&line, lines[i].line));
		kernel_event_parse(&e, &line);
		assert_int_equal(e.tid, lines[i].tid);
		assert_int_equal(e.ns, lines[i].ns);
		assert_int_equal(e.edge, lines[i].edge);
		if (e.edge != KERNEL_NOTHING) {
			assert_int_equal(e.kind, lines[i].kind);
			assert_int_equal(e.next, lines[i].next);
		}
		if (lines[i].name) {
			assert_string_equal(e.name, lines[i].name);
		}
	}
}

static void other_lines_are_none(void **state)
{
	static const char *const none[] = { "", "-", "a-", "a-42", "a-42 ", "a-42 [", "a-42 [1",
		"a-42 [1]", "a-42 [x] 1.0: e: x", "a-42 [1] ..... ", "a-42 [1] ..... 1.",
		"a-42 [1] ..... 1.0", "a-42 [1] ..... .5: e: x", "a-99999999999 [1] 1.0: e: x",
		"a-42 [1] 99999999999999999999.0: e: x", "a-42 (1 [1] 1.0: e: x" };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(none); i++) {
		struct kernel_line line = { 0 };

		print_message("%s\n", none[i]);
		assert_false(kernel_line_parse(&line, none[i]));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_are_events),
		cmocka_unit_test(other_lines_are_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
