/* SPDX-License-Identifier: MIT */
/*
 * The sink `simple` as control calls see it: which file, and whether it is on.
 * They only publish what is wanted; who drains obeys at its next pass
 * (waymark_simple_sync()), and a flush makes that now.
 *
 * A named file is emptied when it is named, and an error of that is returned.
 * The default file appears with the first event. While the sink is off events
 * are not recorded in the file; switched on again it goes on with the same one.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <waymark/record.h>

#include "rt/host/error.h"
#include "rt/host/line.h"
#include "rt/host/path.h"
#include "rt/record/recorder.h"
#include "rt/simple/drain.h"
#include "rt/sink/sink.h"

/* By release and acquire; inherited by forked children. */
static struct simple_config *current;
static uint32_t switched_off;

const struct simple_config *waymark_simple_config(void)
{
	return __atomic_load_n(&current, __ATOMIC_ACQUIRE);
}

bool waymark_simple_is_off(void)
{
	return __atomic_load_n(&switched_off, __ATOMIC_ACQUIRE);
}

struct simple_config *waymark_simple_new_config(const char *path, size_t room)
{
	struct simple_config *config = calloc(1, sizeof(*config) + room + strlen(path) + 1);

	if (config) {
		config->pid = (uint32_t)getpid();
		strcpy(config->path, path);
	}
	return config;
}

/* An absolute path, so that a program that changes its directory finds it again. */
static struct simple_config *new_config(const char *path)
{
	char *absolute = path[0] ? path_absolute(path) : strdup("");
	struct simple_config *config = absolute ? waymark_simple_new_config(absolute, 0) : NULL;

	free(absolute);
	return config;
}

void waymark_simple_publish(struct simple_config *config)
{
	struct simple_config *previous = __atomic_load_n(&current, __ATOMIC_ACQUIRE);

	do {
		config->previous = previous;
	} while (!__atomic_compare_exchange_n(
		&current, &previous, config, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE));
}

static int set_file(const char *path, bool yield, struct waymark_error *error)
{
	struct simple_config *config = new_config(path ? path : "");

	(void)yield;
	error_clear(error);
	if (!config) {
		return waymark_fail(error, "%s: no memory", path);
	}
	waymark_recorder_flush(); /* what was recorded before is the old file's */
	bool goes_on = path && waymark_simple_take_along(config);

	if (path && !goes_on && waymark_simple_prepare(config, error)) {
		free(config);
		return -1;
	}
	waymark_simple_publish(config);
	waymark_recorder_flush();
	return 0;
}

static int set_on(bool on, bool *was_on, struct waymark_error *error)
{
	return waymark_sink_switch(&switched_off, on, was_on, error);
}

void waymark_simple_put_path(char *path, size_t size)
{
	const struct simple_drain *d = waymark_simple_current();
	const struct simple_config *config = waymark_simple_config();
	uint32_t number = d ? __atomic_load_n(&d->out.file.number, __ATOMIC_RELAXED) : 0;
	struct line l;

	line_init(&l, path, size);
	if (d && !simple_is_named(config) && d->directory[0] == '/') {
		waymark_line_put(&l, "%s/", d->directory);
	}
	waymark_simple_name(config, (uint32_t)getpid(), number, l.data + l.len, l.size - l.len);
}

static void describe(struct waymark_output *output)
{
	const struct simple_drain *d = waymark_simple_current();
	const struct simple_config *config = waymark_simple_config();

	output->on = !waymark_simple_is_off();
	/* One that is not held was made when it was named. */
	output->begun = simple_is_named(config) && !config->held &&
			(config->pid == (uint32_t)getpid() || config->shared);
	output->begun |= d && __atomic_load_n(&d->out.file.begun, __ATOMIC_RELAXED);
	waymark_simple_put_path(output->path, sizeof(output->path));
}

const struct waymark_sink waymark_sink_simple = {
	.backend = WAYMARK_SIMPLE,
	.name = "simple",
	.check_file = waymark_sink_check_plain,
	.set_file = set_file,
	.hold = waymark_simple_hold,
	.share = waymark_simple_share,
	.release = waymark_simple_release,
	.set_on = set_on,
	.flush = waymark_recorder_flush,
	.title = "Trace",
	.describe = describe,
};
