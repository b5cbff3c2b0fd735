/* SPDX-License-Identifier: MIT */
/*
 * refused: every call that switches events on refuses trace points of waymark/scope.h for
 * `simple`, with an error, and leaves them off. Built for `simple` alone, and with `log`.
 */
#include <stdio.h>
#include <string.h>

#include <trace/control.h>
#include <waymark/control.h>
#include <waymark/record.h>
#include <waymark/scope.h>

#define DEVICE_CATEGORIES(C) C(VirtioFs, true, "the file system of the guest")
WAYMARK_CATEGORIES(DEVICE_CATEGORIES);

static int failures;

static void check(int ok, const char *what)
{
	if (!ok) {
		printf("FAILED: %s\n", what);
		failures++;
	}
}

static void is_refused(int result, const struct waymark_error *error, const char *name)
{
	const struct waymark_event *event = waymark_find("VirtioFs:release");

	check(result == -1, name);
	check(strstr(error->text, name) && strstr(error->text, "use a backend like ctf"),
		error->text);
	check(waymark_get_state(event) == 0, "it is on");
}

static void write_list(void)
{
	FILE *f = fopen("list", "w");

	fputs("VirtioFs\n", f);
	fclose(f);
}

int main(void)
{
	struct waymark_error error;
	const struct waymark_event *event;

	{
		WAYMARK_SCOPE(VirtioFs, "release", 1);
	}
	event = waymark_find("VirtioFs:release");
	write_list();
	is_refused(waymark_enable("VirtioFs", WAYMARK_SIMPLE, NULL, &error), &error, "'VirtioFs'");
	is_refused(waymark_enable("VirtioFs:rel*", WAYMARK_SIMPLE, NULL, &error), &error,
		"'VirtioFs:rel*'");
	is_refused(waymark_enable("*", WAYMARK_SIMPLE, NULL, &error), &error, "'*'");
	is_refused(waymark_set_state(event, WAYMARK_SIMPLE, true, &error), &error,
		"'VirtioFs:release'");
	is_refused(waymark_enable_from_file("list", WAYMARK_SIMPLE, NULL, &error), &error,
		"'VirtioFs'");
	is_refused(waymark_configure("VirtioFs,backend=simple", &error), &error, "'VirtioFs'");
	check(waymark_disable("VirtioFs", WAYMARK_SIMPLE, NULL, &error) == 0, error.text);
	/*
	 * With all backends, the supporting ones are switched on; if no backend supports it, it is
	 * refused.
	 */
	if (waymark_get_backends(event) == WAYMARK_SIMPLE) {
		is_refused(waymark_enable("VirtioFs", WAYMARK_ANY_BACKEND, NULL, &error), &error,
			"'VirtioFs'");
		trace_enable_events("VirtioFs"); /* prints the error */
		check(waymark_get_state(event) == 0, "it is on");
	} else {
		check(waymark_enable("VirtioFs", WAYMARK_ANY_BACKEND, NULL, &error) == 0,
			error.text);
		check(waymark_get_state(event) == WAYMARK_LOG, "not on for log alone");
	}
	return failures != 0;
}
