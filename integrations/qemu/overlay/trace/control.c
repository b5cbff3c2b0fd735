/* SPDX-License-Identifier: MIT */
/*
 * trace/control.c of a QEMU tree that records with Waymark. The library holds events and backends;
 * here QEMU tells it how to write log lines, report errors and print lists.
 */
#include "qemu/osdep.h"
#include "qemu/config-file.h"
#include "qemu/error-report.h"
#include "qemu/log.h"
#include "qemu/option.h"
#include "monitor/monitor.h"
#include "qapi/error.h"
#include "trace/control.h"
#include <waymark/host.h>

#if __has_include("qemu/qemu-print.h")
#include "qemu/qemu-print.h"
#else /* up to 4.0; the tools have no monitor_printf(), and 2.8 has no warn_report() */
#pragma weak monitor_printf
#define qemu_printf(...)                                                        \
	(cur_mon && monitor_printf ? (void)monitor_printf(cur_mon, __VA_ARGS__) \
				   : (void)printf(__VA_ARGS__))
#define warn_report(format, ...) error_report("warning: " format, __VA_ARGS__)
#endif

/* The keys that -trace had before; the library parses the option and knows more. */
QemuOptsList qemu_trace_opts = {
    .name = "trace",
    .implied_opt_name = "enable",
    .head = QTAILQ_HEAD_INITIALIZER(qemu_trace_opts.head),
    .desc = {
        { .name = "enable", .type = QEMU_OPT_STRING },
        { .name = "events", .type = QEMU_OPT_STRING },
        { .name = "file", .type = QEMU_OPT_STRING },
        { 0 },
    },
};

/*
 * Writes what that release of QEMU prints before a line: from 6.0 on nothing, or with -msg
 * timestamp=on the thread and the time, from 10.1 on the date. Older releases have the library's
 * default.
 */
#if !defined(WAYMARK_QEMU_MAKE) && QEMU_VERSION_MAJOR >= 6
#define HAS_PREFIX
#define HAS_DATE (QEMU_VERSION_MAJOR > 10 || (QEMU_VERSION_MAJOR == 10 && QEMU_VERSION_MINOR > 0))
static size_t write_prefix(char *text, size_t size, void *user)
{
	int64_t us = g_get_real_time();
	time_t seconds = us / 1000000;
	struct tm date;

	if (!message_with_timestamp || (HAS_DATE && qemu_log_separate())) { /* qemu_log() does it */
		return 0;
	}
	if (!HAS_DATE) {
		return snprintf(text, size, "%d@%" PRId64 ".%06d:", qemu_get_thread_id(),
			us / 1000000, (int)(us % 1000000));
	}
	gmtime_r(&seconds, &date);
	size_t length = strftime(text, size, "%Y-%m-%dT%H:%M:%S", &date);

	return length + snprintf(text + length, size - length, ".%06dZ ", (int)(us % 1000000));
}
#endif

/* Writes a line of the log backend to the file of -D, or to standard error without -D. */
static int write_line(const char *line, size_t length, void *user)
{
	if (qemu_log_separate()) {
		qemu_log("%.*s", (int)length, line);
		return 0;
	}
	return fwrite(line, 1, length, stderr) == length ? 0 : EIO;
}

static void report(enum waymark_severity severity, const char *option, const char *text, void *user)
{
	const char *colon = option ? ": " : "";

	option = option ? option : "";
	if (severity == WAYMARK_SEVERITY_ERROR) {
		error_report("%s%s%s", option, colon, text);
	} else {
		warn_report("%s%s%s", option, colon, text);
	}
}

/* Prints to the monitor that asked, otherwise to standard output. Tools have a stub of it. */
static bool print(const char *line, void *user)
{
	qemu_printf("%s\n", line);
#ifdef WAYMARK_QEMU_MAKE
	return cur_mon != NULL;
#else
	return monitor_cur() != NULL;
#endif
}

static const struct waymark_host host = {
#ifdef HAS_PREFIX
	.prefix = write_prefix,
#endif
	.write = write_line,
	.report = report,
	.print = print,
};

static void __attribute__((constructor)) set_host(void)
{
	waymark_set_host(&host);
}

/* Copies the first word of the part of a rule that names events. */
static void copy_event(const char *rule, char *event, size_t size)
{
	static const char *const begins[] = { "when ", "aggregate " };

	for (size_t i = 0; i < sizeof(begins) / sizeof(*begins); i++) {
		size_t length = strlen(begins[i]);

		if (strncmp(rule, begins[i], length) == 0) {
			rule += length;
			break;
		}
	}
	snprintf(event, size, "%.*s", (int)strcspn(rule, " "), rule);
}

enum { HMP_LONGEST = 1023 }; /* bytes of an argument; HMP drops what follows */

/* As trace-event without terms, refuses an unknown name and accepts a pattern without a match. */
void waymark_qemu_set_terms(const char *rule, bool enable, Error **errp)
{
	struct waymark_error error;
	struct waymark_match match = { 0 };
	char event[256];

	copy_event(rule, event, sizeof(event));
	bool is_name = *event && *event != '/' && !trace_event_is_pattern(event);

	if (strlen(rule) == HMP_LONGEST) {
		error_setg(errp, "HMP may have cut the text, which has %d bytes; shorten it",
			HMP_LONGEST);
	} else if (is_name && !trace_event_name(event)) {
		error_setg(errp, "unknown event \"%s\"", event);
	} else if ((enable ? waymark_enable : waymark_disable)(
			   rule, WAYMARK_ANY_BACKEND, &match, &error) < 0) {
		error_setg(errp, "%s", error.text);
	} else if (*match.misfits.text) {
		warn_report("%s", match.misfits.text);
	} else if (match.events == 0 && is_name) { /* all of the text was taken for a name */
		error_setg(errp, "'%s': limits, or 'if' and a condition, follow the name", rule);
	} else if (match.events == 0) {
		warn_report("no event matches '%s'", rule);
	}
}
