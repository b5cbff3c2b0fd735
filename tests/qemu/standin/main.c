/* SPDX-License-Identifier: MIT */
/*
 * qemu [-D LOG] [-msg timestamp=on] [-trace OPTION]... [-on NAME] [-off NAME] [-vcpu NAME]
 * [-module FILE] [-u]: fires two events, and one of the module; -on, -off, -vcpu: switches events
 * as the monitor does, the last for a single vCPU; -u: ends as user mode does
 */
#include "qemu/osdep.h"

#include <dlfcn.h>

#include "qemu/config-file.h"
#include "qemu/error-report.h"
#include "qapi/error.h"
#include "qemu/option.h"
#include "linux-user/qemu.h"
#ifdef WAYMARK_QEMU_MAKE
#include "io/trace.h"
#else
#include "trace-io.h"
#endif
#include "trace/control.h"
#include "trace/simple.h"
#include "util.h"

static void load_module(const char *name)
{
	void *module = dlopen(name, RTLD_NOW);
	void (*run)(void) = module ? (void (*)(void))dlsym(module, "module_run") : NULL;

	if (!run) {
		fprintf(stderr, "%s\n", dlerror());
		exit(1);
	}
	run();
}

static void set_state(const char *name, bool enable, bool has_vcpu)
{
	Error *error = NULL;

#ifdef WAYMARK_QEMU_MAKE
	qmp_trace_event_set_state(name, enable, has_vcpu, 0, &error);
#else
	qmp_trace_event_set_state(name, enable, &error);
#endif
	if (error) {
		error_report_err(error);
	}
}

static void parse(const char *option, const char *value)
{
	if (!strcmp(option, "-D")) {
		open_log(value);
		return;
	}
	if (!strcmp(option, "-module")) {
		load_module(value);
		return;
	}
	if (!strcmp(option, "-on") || !strcmp(option, "-off") || !strcmp(option, "-vcpu")) {
		set_state(value, strcmp(option, "-off") != 0, !strcmp(option, "-vcpu"));
		return;
	}
	if (!strcmp(option, "-msg")) {
		message_with_timestamp = true;
		return;
	}
#ifdef WAYMARK_QEMU_MAKE
	free(trace_opt_parse(value));
#else
	trace_opt_parse(value);
#endif
}

int main(int argc, char **argv)
{
	qemu_add_opts(&qemu_trace_opts);
	for (int i = 1; i + 1 < argc; i += 2) {
		parse(argv[i], argv[i + 1]);
	}
	if (!trace_init_backends()) {
		return 1;
	}
	trace_io_read(3, "early");
#ifdef WAYMARK_QEMU_MAKE
	trace_init_file(NULL);
#else
	trace_init_file();
#endif
	trace_io_read(4, "late");
	if (!strcmp(argv[argc - 1], "-u")) {
		preexit_cleanup(NULL, 0);
		_exit(0);
	}
	return 0;
}
