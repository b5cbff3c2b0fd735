/* SPDX-License-Identifier: MIT */
/*
 * Calls every function that needs no library while trace points are compiled out, and prints the
 * results. Its callback is linked with and without a trace point in the program. C and C++; the
 * trace point is in unlinked-point.c.
 */
#include <stdio.h>
#include <string.h>

#include <waymark/control.h>
#include <waymark/debug.h>
#include <waymark/init.h>

#include "unlinked.h"

void put_thing(struct waymark_formatter *f, const void *object)
{
	const int *number = (const int *)object;
	struct waymark_group g;

	switch (*number) {
	case 0:
		waymark_debug_struct(&g, f, waymark_debug_is_hex(f) ? "Hex" : "Thing");
		waymark_debug_field(&g, "a", waymark_debug(1));
		waymark_debug_end_more(&g);
		break;
	case 1:
		waymark_debug_tuple(&g, f, "Tuple");
		waymark_debug_entry(&g, waymark_debug(2));
		waymark_debug_end(&g);
		break;
	case 2:
		waymark_debug_list(&g, f);
		waymark_debug_end(&g);
		break;
	case 3:
		waymark_debug_set(&g, f);
		waymark_debug_end(&g);
		break;
	case 4:
		waymark_debug_map(&g, f);
		waymark_debug_pair(&g, waymark_debug(3), waymark_debug(4));
		waymark_debug_end(&g);
		break;
	case 5:
		waymark_debug_name(f, waymark_debug_is_pretty(f) ? "Pretty" : "Plain");
		break;
	case 6:
		waymark_debug_unit(f);
		break;
	case 7:
		waymark_debug_some(f, waymark_debug(5));
		break;
	case 8:
		waymark_debug_none(f);
		break;
	case 9:
		waymark_debug_variant(f, "Ok", waymark_debug(6));
		break;
	case 10:
		waymark_debug_value(f, waymark_debug(7));
		break;
	default:
		waymark_debug_verbatim(f, "text", 4);
	}
}

static void say(const char *name, int result, const struct waymark_error *error)
{
	printf("%s %d%s%s\n", name, result, error->text[0] ? " " : "", error->text);
}

static void prepare(void)
{
	int fds[2] = { 0, 1 };
	size_t count = 2;
	size_t calls = 99;

	printf("init %d\n", waymark_init());
	printf("push_descriptors %d\n", waymark_push_descriptors(fds, &count, 2));
	printf("descriptors %s\n", count == 2 ? "as before" : "added");
	printf("no room %d\n", waymark_push_descriptors(fds, &count, 1));
	printf("jail_syscalls %s", waymark_jail_syscalls(&calls) ? "" : "NULL ");
	printf("%s\n", calls ? "some" : "none");
}

int main(void)
{
	struct waymark_error error;

	memset(&error, 'x', sizeof(error));
	say("set_dialect", waymark_set_dialect(WAYMARK_DIALECT_WAYMARK, &error), &error);
	say("configure nothing", waymark_configure("", &error), &error);
	say("configure", waymark_configure("*", &error), &error);
	printf("configure, no error wanted %d\n", waymark_configure("*", NULL));
	printf("option_help %s\n", waymark_option_help()[0] ? "some" : "none");
	prepare();
	fire();
	say("flush", waymark_flush(&error), &error);
	waymark_end();
	say("snapshot", waymark_snapshot(&error), &error);
	say("snapshot_to NULL", waymark_snapshot_to(NULL, &error), &error);
	memset(&error, 0, sizeof(error));
	printf("snapshot_to %d\n", waymark_snapshot_to("made", &error));
	printf("%s\n", error.text[0] ? "with a reason" : "without a reason");
	return 0;
}
