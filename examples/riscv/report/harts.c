/* SPDX-License-Identifier: MIT */
/* The harts, by the address that their events have as `cpu`. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "report.h"

struct hart *harts_get(struct harts *harts, uint64_t cpu)
{
	for (unsigned int i = 0; i < harts->count; i++) {
		if (harts->all[i].cpu == cpu) {
			return &harts->all[i];
		}
	}
	if (harts->count == HARTS) {
		return NULL;
	}
	struct hart *hart = &harts->all[harts->count++];

	*hart = (struct hart){ .cpu = cpu, .number = HART_UNKNOWN };
	return hart;
}

void harts_forget(struct harts *harts, uint32_t thread)
{
	for (unsigned int i = 0; i < harts->count; i++) {
		if (harts->all[i].thread == thread) {
			path_forget(&harts->all[i].path);
		}
	}
}

static int by_number(const void *a, const void *b)
{
	const struct hart *x = a, *y = b;

	return (x->number > y->number) - (x->number < y->number);
}

static void print_number(const char *format, uint64_t number, bool known)
{
	char text[24] = "?";

	if (known) {
		snprintf(text, sizeof(text), "%" PRIu64, number);
	}
	printf(format, text);
}

static void print_hart(const struct hart *hart)
{
	print_number("%4s", hart->number, hart->number != HART_UNKNOWN);
	printf("  0x%-14" PRIx64 " %13" PRIu64, hart->cpu, hart->instructions);
	print_number(" %13s", hart->counted, hart->ended);
	printf(" %11" PRIu64 " %11" PRIu64 " %7" PRIu64 " %10" PRIu64 " %12.1f\n", hart->blocks,
		hart->accesses, hart->traps, hart->interrupts, hart->slept / 1e3);
}

void harts_print(struct harts *harts)
{
	qsort(harts->all, harts->count, sizeof(harts->all[0]), by_number);
	printf("\n%4s  %-16s %13s %13s %11s %11s %7s %10s %12s\n", "hart", "cpu", "instructions",
		"machine's", "blocks", "accesses", "traps", "interrupts", "slept us");
	for (unsigned int i = 0; i < harts->count; i++) {
		print_hart(&harts->all[i]);
	}
	for (unsigned int i = 0; i < harts->count; i++) {
		print_number("\nhart %s: its path\n", harts->all[i].number,
			harts->all[i].number != HART_UNKNOWN);
		path_print(&harts->all[i].path);
	}
}

void harts_fini(struct harts *harts)
{
	for (unsigned int i = 0; i < harts->count; i++) {
		path_fini(&harts->all[i].path);
	}
}
