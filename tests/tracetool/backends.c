/* SPDX-License-Identifier: MIT */
/*
 * Switches two events on and off for each backend that the program was built with, in all
 * combinations, and checks that nothing else changes.
 */
#include <stdio.h>
#include <stdlib.h>

#include "trace-two.h"

#include <waymark/backend.h>
#include <waymark/control.h>

static const struct {
	const char *name;
	unsigned int bit;
} backends[] = {
#define BACKEND(bit, upper, lower, kind, help) { #lower, 1u << (bit) },
	WAYMARK_ALL_BACKENDS(BACKEND)
};
#define BACKENDS (sizeof(backends) / sizeof(backends[0]))

static const char *const names[] = { "a_x", "a_y" };
static const struct waymark_event *events[2];
static unsigned int switchable;

/* The last option, for the message of a failure. */
static char asked[64];

static void configure(const char *format, const char *event, const char *backend)
{
	struct waymark_error error = { 0 };

	snprintf(asked, sizeof(asked), format, event, backend);
	if (waymark_configure(asked, &error) < 0) {
		printf("FAILED: %s: %s\n", asked, error.text);
		exit(1);
	}
}

static void check(int event, unsigned int wanted)
{
	unsigned int state = waymark_get_state(events[event]);

	if (state != wanted) {
		printf("FAILED: after %s: %s is on for 0x%x, not 0x%x\n", asked, names[event],
			state, wanted);
		exit(1);
	}
}

static void check_both(unsigned int x, unsigned int y)
{
	check(0, x);
	check(1, y);
}

static void set(int event, unsigned int mask)
{
	configure("-%s", names[event], NULL);
	for (size_t i = 0; i < BACKENDS; i++) {
		if (mask & backends[i].bit) {
			configure("%s,backend=%s", names[event], backends[i].name);
		}
	}
}

/* Switches each backend by itself, from any state of both events. */
static void switch_each(unsigned int x, unsigned int y)
{
	for (size_t i = 0; i < BACKENDS; i++) {
		unsigned int bit = backends[i].bit;

		if (!(switchable & bit)) {
			continue;
		}
		set(0, x);
		set(1, y);
		check_both(x, y);
		configure("%s,backend=%s", "a_*", backends[i].name);
		check_both(x | bit, y | bit);
		configure("-%s,backend=%s", "a_x", backends[i].name);
		check_both(x & ~bit, y | bit);
		configure("-%s,backend=%s", "a_?", backends[i].name);
		check_both(x & ~bit, y & ~bit);
	}
}

static bool is_subset(unsigned int mask)
{
	return !(mask & ~switchable);
}

int main(void)
{
	trace_a_x(1);
	trace_a_y("two");
	for (int i = 0; i < 2; i++) {
		events[i] = waymark_find(names[i]);
		if (!events[i]) {
			printf("no event %s\n", names[i]);
			return 0;
		}
	}
	switchable = waymark_get_backends(events[0]) & ~(unsigned int)WAYMARK_OUTSIDE_BACKENDS;
	check_both(0, 0);
	configure("%s", "a_*", NULL);
	check_both(switchable, switchable); /* all backends, unless an option names some */
	configure("-%s", "a_x", NULL);
	check_both(0, switchable);
	for (unsigned int x = 0; x < 1u << BACKENDS; x++) {
		for (unsigned int y = 0; is_subset(x) && y < 1u << BACKENDS; y++) {
			if (is_subset(y)) {
				switch_each(x, y);
			}
		}
	}
	printf("switchable");
	for (size_t i = 0; i < BACKENDS; i++) {
		if (switchable & backends[i].bit) {
			printf(" %s", backends[i].name);
		}
	}
	printf("\n");
	return 0;
}
