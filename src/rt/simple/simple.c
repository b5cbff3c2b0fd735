/* SPDX-License-Identifier: MIT */
/*
 * The sink `simple` as control calls see it: which file, and whether it is on. They only publish
 * what is wanted. The consumer applies it at its next pass (waymark_simple_sync()), which a flush
 * starts immediately.
 *
 * A named file is emptied when it is named, and an error of that is returned. The default file
 * appears with the first event. While the sink is off, events are not written to the file; switched
 * on again, it continues with the same file.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <waymark/record.h>

#include "rt/host/error.h"
#include "rt/host/path.h"
#include "rt/record/recorder.h"
#include "rt/simple/state.h"
#include "rt/sink/sink.h"

/* Makes the path absolute, so that it stays valid if the program changes its directory. */
static struct simple_config *new_config(const char *path)
{
	char *absolute = path[0] ? path_absolute(path) : strdup("");
	struct simple_config *config = absolute ? waymark_simple_new_config(absolute, 0) : NULL;

	free(absolute);
	return config;
}

static int set_file(const char *path, bool yield, struct waymark_error *error)
{
	struct simple_config *config = new_config(path ? path : "");

	(void)yield;
	error_clear(error);
	if (!config) {
		return waymark_fail(error, "%s: no memory", path);
	}
	waymark_recorder_flush(); /* events recorded before belong to the old file */
	bool goes_on = path && waymark_simple_take_along(config);

	if (path && !goes_on && waymark_simple_prepare(config, error)) {
		free(config);
		return -1;
	}
	waymark_simple_publish(config);
	waymark_recorder_flush();
	return 0;
}

static void describe(struct waymark_output *output)
{
	const struct simple_state *d = waymark_simple_current();
	const struct simple_config *config = waymark_simple_config();

	output->on = !waymark_simple_is_off();
	/* A file that is not held was created when it was named. */
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
	.set_on = waymark_simple_set_on,
	.flush = waymark_recorder_flush,
	.title = "Trace",
	.describe = describe,
};
