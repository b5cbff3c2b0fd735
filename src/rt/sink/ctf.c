/* SPDX-License-Identifier: MIT */
/*
 * The sink `ctf` as control calls see it: which directory, in which pieces, and
 * whether it is on. They only publish what is wanted; who drains obeys at its
 * next pass, and a flush makes that now.
 *
 * The directory appears with the first event. One that is there already is
 * never written to: that is an error here, unless the caller yields, who then
 * gets another name, or asked for it to be replaced.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <waymark/record.h>

#include "rt/host/error.h"
#include "rt/host/path.h"
#include "rt/record/process.h"
#include "rt/record/recorder.h"
#include "rt/sink/ctf_metadata.h"
#include "rt/sink/ctf_pass.h"
#include "rt/sink/ctf_replace.h"
#include "rt/sink/sink.h"

/* By release and acquire; inherited by forked children. */
static struct ctf_config *current;
static uint32_t switched_off;

/* What the next configuration has besides a path. Relaxed: set by options, one at a time. */
static struct {
	uint64_t rotate;
	uint32_t keep;
	bool replace;
} wanted;

const struct ctf_config *waymark_ctf_config(void)
{
	return __atomic_load_n(&current, __ATOMIC_ACQUIRE);
}

bool waymark_ctf_is_off(void)
{
	return __atomic_load_n(&switched_off, __ATOMIC_ACQUIRE);
}

static void publish(struct ctf_config *config)
{
	struct ctf_config *previous = __atomic_load_n(&current, __ATOMIC_ACQUIRE);

	do {
		config->previous = previous;
	} while (!__atomic_compare_exchange_n(
		&current, &previous, config, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE));
}

static struct ctf_config *new_config(const char *path)
{
	struct ctf_config *config = calloc(1, sizeof(*config) + strlen(path) + 1);

	if (config) {
		config->rotate = wanted.rotate;
		config->keep = wanted.keep;
		strcpy(config->path, path);
	}
	return config;
}

/* Whether `st` is the directory that this process writes to by now. */
static bool is_current(const struct stat *st)
{
	struct ctf_state *state = waymark_ctf_has_begun() ? waymark_ctf_current() : NULL;
	struct guard guard;
	struct stat own;

	if (!state) {
		return false;
	}
	waymark_ctf_lock(&state->trace, &guard);
	bool found = stat(state->trace.path, &own) == 0;

	waymark_ctf_unlock(&state->trace, &guard);
	return found && own.st_dev == st->st_dev && own.st_ino == st->st_ino;
}

static int check_file(const char *path, bool yield, bool replace, struct waymark_error *error)
{
	struct stat st;

	if (lstat(path, &st) < 0) {
		if (errno == ENOENT && path_is_creatable(path)) {
			return 0;
		}
		return waymark_fail(error, "%s: cannot make the trace: %s", path, strerror(errno));
	}
	if (replace && is_current(&st)) {
		return waymark_fail(error, "%s: not replaced: this process is writing to it", path);
	}
	if (replace) {
		return waymark_ctf_may_replace(path, error);
	}
	return yield ? 0
		     : waymark_fail(error,
			       "%s: there is something of that name already; remove it, or say "
			       "replace=on",
			       path);
}

/* Sees to it that the directory can be made; notes when another name must be taken. */
static int prepare_path(const char *path, bool yield, bool *taken, struct waymark_error *error)
{
	struct stat st;

	*taken = false;
	if (check_file(path, yield, wanted.replace, error) < 0) {
		return -1;
	}
	if (lstat(path, &st) == 0) {
		*taken = !wanted.replace;
		return wanted.replace ? waymark_ctf_replace(path, error) : 0;
	}
	return 0;
}

static int set_file(const char *path, bool yield, struct waymark_error *error)
{
	char *absolute = path ? path_absolute(path) : strdup("");
	struct ctf_config *config = NULL;
	bool taken = false;

	error_clear(error);
	if (absolute && path && prepare_path(absolute, yield, &taken, error) < 0) {
		free(absolute);
		return -1;
	}
	config = absolute ? new_config(absolute) : NULL;
	free(absolute);
	if (!config) {
		return waymark_fail(error, "out of memory");
	}
	config->taken_over = taken;
	waymark_recorder_flush(); /* what was recorded before is the old trace's */
	publish(config);
	waymark_recorder_flush();
	return 0;
}

void waymark_ctf_set_replace(bool replace)
{
	wanted.replace = replace;
}

bool waymark_ctf_replaces(void)
{
	return wanted.replace;
}

int waymark_ctf_set_pieces(uint64_t rotate, uint32_t keep, struct waymark_error *error)
{
	const struct ctf_config *config = waymark_ctf_config();

	if (waymark_ctf_current()) {
		return waymark_fail(error, "rotate= and keep= cannot change any more: "
					   "events have been recorded");
	}
	wanted.rotate = rotate;
	wanted.keep = keep;
	struct ctf_config *fresh = new_config(config ? config->path : "");

	if (!fresh) {
		return waymark_fail(error, "out of memory");
	}
	fresh->taken_over = config && config->taken_over;
	publish(fresh);
	return 0;
}

static int set_on(bool on, bool *was_on, struct waymark_error *error)
{
	return waymark_sink_switch(&switched_off, on, was_on, error);
}

static void describe(struct waymark_output *output)
{
	static const struct recorder none;
	struct process *p = waymark_process_current();
	struct ctf_state *state = waymark_ctf_has_begun() ? waymark_ctf_current() : NULL;

	output->on = !waymark_ctf_is_off();
	output->begun =
		state && waymark_ctf_get_path(&state->trace, output->path, sizeof(output->path));
	if (!output->begun) {
		waymark_consumer_ctf.get_name(p ? &p->recorders[WAYMARK_RECORDER_CTF] : &none,
			output->path, sizeof(output->path));
	}
}

bool waymark_ctf_has_begun(void)
{
	const struct ctf_state *state = waymark_ctf_current();

	return state && __atomic_load_n(&state->trace.named, __ATOMIC_ACQUIRE);
}

void waymark_ctf_declare_now(void)
{
	struct ctf_state *state = waymark_ctf_current();

	if (waymark_ctf_has_begun()) {
		waymark_ctf_declare(&state->trace);
	}
}

const struct waymark_sink waymark_sink_ctf = {
	.backend = WAYMARK_CTF,
	.name = "ctf",
	.check_file = check_file,
	.set_file = set_file,
	.set_on = set_on,
	.flush = waymark_recorder_flush,
	.title = "Trace",
	.describe = describe,
};
