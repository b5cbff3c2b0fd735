/* SPDX-License-Identifier: MIT */
/* Makes the calls whose instructions cost.sh counts: cost COUNT DIRECTORY. */
#include <stdlib.h>
#include <stdio.h>

#include <waymark/vcpu.h>

#include "trace-vcpu.h"

struct hart {
	char own[64];
};

static struct hart harts[2];

/* One loop per case, which the compiler must not merge: the profile identifies them by name. */
#define CASE(name, call)                                                                          \
	__attribute__((noinline, noclone)) static void case_##name(struct hart *hart, uint32_t n) \
	{                                                                                         \
		for (uint32_t i = 0; i < n; i++) {                                                \
			__asm__ volatile("# " #name : "+r"(hart), "+r"(i));                       \
			call;                                                                     \
		}                                                                                 \
	}

CASE(nothing, (void)hart)
CASE(plain_off, trace_plain_step(hart, i))
CASE(vcpu_off, trace_guest_step(hart, i))
CASE(plain_on, trace_plain_step(hart, i))
CASE(vcpu_on_for_all, trace_guest_step(hart, i))
CASE(vcpu_on_for_another, trace_guest_step(hart, i))
CASE(vcpu_on_for_it, trace_guest_step(hart, i))

static int set(unsigned int hart, bool on)
{
	return waymark_vcpu_set_states(hart, "guest_step", on, NULL);
}

int main(int argc, char **argv)
{
	char options[4096];

	if (argc != 3) {
		return 2;
	}
	uint32_t n = (uint32_t)strtoul(argv[1], NULL, 10);

	/* Nothing is written during the loops. */
	snprintf(options, sizeof(options), "ctf.file=%s,full=overwrite,buffer=64M", argv[2]);
	int failed = waymark_configure(options, NULL);

	failed |= waymark_vcpu_init(&harts[0], 0, NULL) | waymark_vcpu_init(&harts[1], 1, NULL);
	case_nothing(harts, n);
	case_plain_off(harts, n);
	case_vcpu_off(harts, n);
	failed |= waymark_enable("*", WAYMARK_CTF, NULL, NULL);
	trace_plain_step(harts, 0); /* begins the trace */
	trace_guest_step(harts, 0);
	case_plain_on(harts, n);
	case_vcpu_on_for_all(harts, n);
	failed |= set(0, false);
	case_vcpu_on_for_another(harts, n);
	failed |= set(0, true) | set(1, false);
	case_vcpu_on_for_it(harts, n);
	return failed ? 1 : 0;
}
