/* SPDX-License-Identifier: MIT */
/*
 * Reads commands from standard input, one letter per line, and answers each with a line: f fires
 * every event, s prints the states of `bools`, l and u load and unload a plug-in that fires
 * another event, q exits.
 */
#include <dlfcn.h>
#include <stdio.h>

#include "trace-all.h"
#include "trace/control.h"

static void fire(void)
{
	char text[] = "text";

	trace_bools(true, false);
	trace_chars('A', -5, 250);
	trace_shorts(-32768, 65535);
	trace_ints(-2147483647 - 1, 4294967295u, 0xdeadbeef);
	trace_longs(-1234567890123L, 18446744073709551615ul, -9223372036854775807LL - 1, 42);
	trace_fixed_signed(-128, -32768, -2147483647 - 1, -9223372036854775807LL - 1);
	trace_fixed_unsigned(255, 65535, 4294967295u, 18446744073709551615ull);
	trace_fixed_hex(255, 65535, 4294967295u, 18446744073709551615ull);
	trace_signed_hex(-1, -2);
	trace_sizes(18446744073709551615ul, -1, 0x1000, -8);
	trace_pointers((void *)0x10, NULL, (char **)0x7fff00000000, (const char *)1);
	trace_strings("text", NULL, "");
	trace_no_format(-7, text, (void *)0x20);
	trace_names(1, 2, 3, 4, 5, true, -7);
	trace_ten(1, -2, 3, -4, 5, "six", -7, 8, true, (void *)10);
	trace_nothing();
	trace_switched_off(1);
	puts("fired");
}

static void *plugin;

static void load(void)
{
	plugin = dlopen("./plugin.so", RTLD_NOW);
	void (*run)(void) = plugin ? (void (*)(void))dlsym(plugin, "run") : NULL;

	if (run) {
		run();
	}
	puts(run ? "loaded" : dlerror());
}

int main(void)
{
	char line[8];

	puts("ready");
	fflush(stdout);
	while (fgets(line, sizeof(line), stdin) && line[0] != 'q') {
		if (line[0] == 'f') {
			fire();
		} else if (line[0] == 's') {
			printf("%d %d %d\n", TRACE_BOOLS_STATE() != 0,
				trace_event_get_state_backends(TRACE_BOOLS),
				trace_event_get_state(TRACE_BOOLS));
		} else if (line[0] == 'l') {
			load();
		} else if (line[0] == 'u') {
			puts(dlclose(plugin) == 0 ? "unloaded" : dlerror());
		}
		fflush(stdout);
	}
	return 0;
}
