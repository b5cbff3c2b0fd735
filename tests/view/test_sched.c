/* SPDX-License-Identifier: MIT */
/* Spans of a capture that has more than the limit: neither spans nor rows are added after it. */
#include <stdio.h>

#include "timeline/sched.h"

static void change(struct sched *s, uint64_t ns, uint32_t tid, uint32_t next)
{
	const struct kernel_event e = {
		.ns = ns, .edge = KERNEL_SWITCH, .name = "switch", .tid = tid, .next = next
	};

	sched_add(s, &e);
}

int main(void)
{
	struct sched s;
	uint64_t ns = 0;

	sched_init(&s);
	for (; s.spans < SCHED_MAX; ns++) {
		change(&s, ns, 1 + ns % 2, 1 + (ns + 1) % 2);
	}
	size_t rows = s.rows.count;

	for (uint32_t tid = 10; tid < 1000; tid++) {
		const struct kernel_event e = {
			.ns = ns++, .edge = KERNEL_WAKE, .name = "wakeup", .next = tid
		};

		sched_add(&s, &e);
		change(&s, ns++, tid, tid + 1);
	}
	sched_end(&s);
	bool is_right = rows == 3 && s.rows.count == rows && s.spans == SCHED_MAX && s.is_cut;

	if (!is_right) {
		fprintf(stderr, "%zu, then %zu rows; %zu spans\n", rows, s.rows.count, s.spans);
	}
	sched_fini(&s);
	return !is_right;
}
