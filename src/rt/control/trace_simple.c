/* SPDX-License-Identifier: MIT */
/* trace/simple.h, over waymark/control.h. */
#include <stdlib.h>

#include <trace/simple.h>

#include "rt/control/report.h"
#include "rt/event/registry.h"
#include "rt/host/error.h"
#include "rt/sink/sink.h"

/* The backend whose file it is; NULL, which is reported, where there is none. */
static const char *backend(void)
{
	const unsigned int recording = WAYMARK_CTF | WAYMARK_SIMPLE;
	const struct waymark_sink *sink =
		waymark_sink_first(waymark_registry_backends() & recording);
	struct waymark_error error;

	if (!sink) {
		waymark_fail(&error, "there is no trace file: no loaded event was built with "
				     "ctf or simple");
		waymark_report(WAYMARK_SEVERITY_ERROR, NULL, &error);
	}
	return sink ? sink->name : NULL;
}

static void report_failure(int result, const char *option, const struct waymark_error *error)
{
	if (result < 0) {
		waymark_report(WAYMARK_SEVERITY_ERROR, option, error);
	}
}

void st_print_trace_file_status(void)
{
	const char *name = backend();
	int length = name ? waymark_get_output_status(name, NULL, 0) : -1;
	char *line = length >= 0 ? malloc((size_t)length + 1) : NULL;

	if (line) {
		waymark_get_output_status(name, line, (size_t)length + 1);
		waymark_print_line(line);
	}
	free(line);
}

bool st_set_trace_file_enabled(bool enable)
{
	const char *name = backend();
	struct waymark_error error;
	bool was_on = false;

	if (name) {
		report_failure(waymark_set_output_on(name, enable, &was_on, &error), NULL, &error);
	}
	return was_on;
}

void st_set_trace_file(const char *file)
{
	const char *name = backend();
	struct waymark_error error;

	if (name) {
		report_failure(waymark_set_output(name, file, &error), file, &error);
	}
}

void st_flush_trace_buffer(void)
{
	struct waymark_error error;

	report_failure(waymark_flush(&error), NULL, &error);
}
