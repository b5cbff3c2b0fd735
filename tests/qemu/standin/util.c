/* SPDX-License-Identifier: MIT */
/* The tree's error reports and log, as QEMU has them, and no monitor. */
#include "qemu/osdep.h"

#include <stdarg.h>

#include "monitor/monitor.h"
#include "qapi/error.h"
#include "qemu/qemu-print.h"
#include "qemu/config-file.h"
#include "qemu/error-report.h"
#include "qemu/log.h"
#include "qemu/option.h"
#include "util.h"

bool message_with_timestamp;

static FILE *log_file;

void open_log(const char *name)
{
	log_file = fopen(name, "w");
	if (!log_file) {
		perror(name);
		exit(1);
	}
}

int64_t g_get_real_time(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	return t.tv_sec * INT64_C(1000000) + t.tv_nsec / 1000;
}

int qemu_get_thread_id(void)
{
	return getpid();
}

bool qemu_log_separate(void)
{
	return log_file != NULL;
}

void qemu_log(const char *format, ...)
{
	va_list values;

	va_start(values, format);
	fputs("log: ", log_file);
	vfprintf(log_file, format, values);
	fflush(log_file);
	va_end(values);
}

static void __attribute__((format(printf, 2, 0)))
print_report(const char *kind, const char *format, va_list values)
{
	fprintf(stderr, "qemu: %s", kind);
	vfprintf(stderr, format, values);
	fputc('\n', stderr);
}

void error_report(const char *format, ...)
{
	va_list values;

	va_start(values, format);
	print_report("", format, values);
	va_end(values);
}

void warn_report(const char *format, ...)
{
	va_list values;

	va_start(values, format);
	print_report("warning: ", format, values);
	va_end(values);
}

struct Error {
	char text[1000];
};

void error_setg(Error **errp, const char *format, ...)
{
	va_list values;

	*errp = malloc(sizeof(**errp));
	if (!*errp) {
		abort();
	}
	va_start(values, format);
	vsnprintf((*errp)->text, sizeof((*errp)->text), format, values);
	va_end(values);
}

void error_report_err(Error *err)
{
	error_report("%s", err->text);
	free(err);
}

void qemu_add_opts(QemuOptsList *list)
{
	printf("group %s\n", list->name);
}

#ifdef WAYMARK_QEMU_MAKE
__thread Monitor *cur_mon;
#else
Monitor *monitor_cur(void)
{
	return NULL;
}
#endif

int qemu_printf(const char *format, ...)
{
	va_list values;

	va_start(values, format);
	int printed = vprintf(format, values);

	va_end(values);
	return printed;
}
