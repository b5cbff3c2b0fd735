/* SPDX-License-Identifier: MIT */
/*
 * Moves the file of WAYMARK_TRACE from sink to sink until the program has started. environment.c
 * calls this as objects register; options and control calls make it forget the file.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "format/simple.h"
#include "rt/control/sinks.h"
#include "rt/control/environment.h"
#include "rt/event/registry.h"
#include "rt/host/lock.h"
#include "rt/host/message.h"

/* Written by one constructor at a time; `file` under the control lock. */
static struct {
	char *file;
	unsigned int later; /* backends whose own key came after the file, which is not for them */
	const struct waymark_sink *sink; /* has the file, or its own one instead */
	bool made; /* the file did not exist before the sink opened it */
} startup;

void waymark_startup_file_keep(struct waymark_config *c)
{
	if (!c->file) {
		startup.later |= waymark_config_outputs(c);
		return;
	}
	free(startup.file);
	startup.file = c->file;
	startup.later = c->after_file;
	c->file = NULL;
}

/* Returns a copy, because a control call may forget the file; or NULL. The caller frees it. */
static char *copy_file(void)
{
	waymark_lock();
	char *file = startup.file ? strdup(startup.file) : NULL;

	waymark_unlock();
	return file;
}

static bool has_own(const struct waymark_sink *sink)
{
	return sink->backend & startup.later;
}

/* Takes the file from a sink, and removes it if the sink made it and wrote no event. */
static void take_back(const char *file)
{
	struct stat st;

	startup.sink->set_file(NULL, true, NULL);
	if (startup.made && lstat(file, &st) == 0 && S_ISREG(st.st_mode) &&
		(size_t)st.st_size <= sizeof(struct simple_header)) {
		unlink(file); /* the next sink may use the name */
	}
}

void waymark_startup_file_place(void)
{
	const struct waymark_sink *sink = waymark_sink_first(waymark_registry_backends());
	char *file = sink && sink != startup.sink ? copy_file() : NULL;
	struct waymark_error error;

	if (!file) {
		return;
	}
	if (startup.sink && !has_own(startup.sink)) {
		take_back(file);
	}
	startup.sink = sink;
	startup.made = access(file, F_OK) < 0;
	if (!has_own(sink) && sink->set_file(file, true, &error) < 0) {
		waymark_message("WAYMARK_TRACE: file=: %s", error.text);
		waymark_startup_file_forget();
	}
	free(file);
}

char *waymark_startup_file_waiting(void)
{
	return startup.sink ? NULL : copy_file();
}

void waymark_startup_file_forget(void)
{
	waymark_lock();
	char *file = startup.file;

	startup.file = NULL;
	waymark_unlock();
	free(file);
}
