/* SPDX-License-Identifier: MIT */
/*
 * Handles a fork while the file is held (hold.c): from then on this process and its children append
 * to the same file, no matter which of them names it. Any thread, any signal handler.
 */
#include <string.h>

#include "rt/record/recorder.h"
#include "rt/simple/state.h"

/* Allocated in advance, because a signal handler, which must not allocate, may fork. */
static struct simple_config *spare; /* by exchange */

struct simple_config *waymark_simple_swap_spare(struct simple_config *config)
{
	return __atomic_exchange_n(&spare, config, __ATOMIC_ACQ_REL);
}

bool waymark_simple_has_file(const struct simple_config *config)
{
	const struct simple_state *d = waymark_simple_current();

	return config->shared || (d && __atomic_load_n(&d->out.file.begun, __ATOMIC_RELAXED));
}

void waymark_simple_go_on(
	struct simple_config *config, const struct simple_config *before, bool is_held)
{
	config->held = is_held;
	config->goes_on = true;
	config->shared = before->shared;
}

void waymark_simple_share(void)
{
	const struct simple_config *before = waymark_simple_config();

	waymark_recorder_flush(); /* needed if the parent ends by _exit() */
	if (!before || !before->held || before->shared || !waymark_simple_has_file(before)) {
		return;
	}
	struct simple_config *config = waymark_simple_swap_spare(NULL);

	if (config) {
		waymark_simple_put_path(config->path, SIMPLE_PATH_BYTES);
		config->pid = before->pid;
		waymark_simple_go_on(config, before, true);
		config->shared = true;
		waymark_simple_publish(config);
		waymark_recorder_flush();
	}
}
