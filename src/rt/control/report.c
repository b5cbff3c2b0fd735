/* SPDX-License-Identifier: MIT */
/* As QEMU they print and exit; no other file of the runtime does. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "rt/control/report.h"
#include "rt/host/hooks.h"

static void print_report(enum waymark_severity severity, const char *text)
{
	fprintf(stderr, "%s: %s%s\n", program_invocation_short_name,
		severity == WAYMARK_SEVERITY_WARNING ? "warning: " : "", text);
}

void waymark_report(
	enum waymark_severity severity, const char *option, const struct waymark_error *error)
{
	const struct waymark_host *host = waymark_hooks_enter();

	if (host && host->report) {
		host->report(severity, option, error->text, host->user);
	} else {
		print_report(severity, error->text);
	}
	if (host) {
		waymark_hooks_leave();
	}
}

void waymark_die(const char *option, const struct waymark_error *error)
{
	waymark_report(WAYMARK_SEVERITY_ERROR, option, error);
	exit(EXIT_FAILURE);
}

bool waymark_print_line(const char *line)
{
	const struct waymark_host *host = waymark_hooks_enter();
	bool is_printed = host && host->print;
	bool goes_on = is_printed && host->print(line, host->user);

	if (host) {
		waymark_hooks_leave();
	}
	if (!is_printed) {
		puts(line);
	}
	return goes_on;
}
