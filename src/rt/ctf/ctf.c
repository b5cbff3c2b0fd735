/* SPDX-License-Identifier: MIT */
/*
 * The sink `ctf` as control calls see it: its directory, its pieces, whether it is on, and its name
 * before the final one is known (family.h). Control calls only publish what is wanted. The consumer
 * applies it at its next pass, which a flush starts immediately.
 *
 * The directory is created with the first event. An existing directory is never written to: naming
 * it is an error, unless the caller yields and so gets another name, or asked to replace it.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <waymark/record.h>

#include "rt/ctf/control.h"
#include "rt/ctf/family.h"
#include "rt/ctf/metadata.h"
#include "rt/ctf/state.h"
#include "rt/host/error.h"
#include "rt/host/futex.h"
#include "rt/host/path.h"
#include "rt/record/process.h"
#include "rt/record/recorder.h"
#include "rt/sink/sink.h"

/* True if the name may be held: no event was recorded, and no final name was given. */
static bool may_hold(const struct ctf_config *config, const char *path)
{
	if (waymark_jail_is_on()) {
		return false;
	}
	if (config && config->held) {
		return !config->is_folder;
	}
	return !waymark_ctf_begun() && (path || !config || !config->path[0]);
}

/* Changes the name; without memory the old one stays. */
static void change(const char *path, bool held, bool is_folder)
{
	struct ctf_config *config = waymark_ctf_new_config(path, 0);

	if (config) {
		config->held = held;
		config->is_folder = is_folder;
		waymark_ctf_publish(config);
		waymark_recorder_flush(); /* a trace that exists takes the name */
	}
}

static void hold(const char *path)
{
	if (may_hold(waymark_ctf_config(), path)) {
		struct ctf_config *spare = waymark_ctf_new_config(NULL, PATH_MAX);

		if (spare) {
			spare->held = spare->is_folder = true;
			free(waymark_ctf_swap_spare(spare));
		}
		change(path ? path : "", true, false);
	}
}

static void release(void)
{
	const struct ctf_config *config = waymark_ctf_config();

	if (config && config->held) {
		change(config->path, false, config->is_folder);
	}
}

/*
 * Call before the configuration is in force: if the present one is a folder, makes this one a
 * folder as well, and renames the folder on disk if no trace is in it. Returns false, with errno,
 * if that fails.
 */
static bool follow_folder(struct ctf_config *config)
{
	const struct ctf_config *present = waymark_ctf_config();

	config->is_folder = present && present->held && present->is_folder;
	if (!config->is_folder || waymark_ctf_begun()) {
		return true; /* the consumer, which has files open there, renames it */
	}
	return waymark_ctf_rename_folder(present, config);
}

/* How long one snapshot waits for another. */
#define TURN_NS UINT64_C(1000000)
#define TURNS_MAX 10000

/*
 * Returns the configuration of a snapshot, after a check that its name can be used; NULL with the
 * reason on failure.
 */
static struct ctf_config *snapshot_config(const char *path, struct waymark_error *error)
{
	char *absolute = path_absolute(path);
	struct ctf_config *config = NULL;
	bool taken;

	if (!absolute) {
		waymark_fail(error, "out of memory");
		return NULL;
	}
	if (waymark_ctf_prepare(absolute, false, &taken, error) == 0) {
		config = waymark_ctf_new_config(absolute, 0);
		if (config) {
			config->rotate = config->keep = 0; /* a snapshot is kept whole */
			config->is_snapshot = true;
		} else {
			waymark_fail(error, "out of memory");
		}
	}
	free(absolute);
	return config;
}

/* Fails if the consumer could not make the trace. */
static int confirm(struct ctf_config *config, struct waymark_error *error)
{
	const struct ctf_state *state = waymark_ctf_begun();

	if (!state || __atomic_load_n(&state->refused, __ATOMIC_ACQUIRE) != config) {
		return 0;
	}
	waymark_ctf_withdraw(config);
	return waymark_fail(
		error, "%s: cannot make the trace: %s", config->path, strerror(state->why_refused));
}

static int set_file(const char *path, bool yield, struct waymark_error *error)
{
	char *absolute = path ? path_absolute(path) : strdup("");
	struct ctf_config *config = NULL;
	bool taken = false;

	error_clear(error);
	if (waymark_jail_is_on()) {
		free(absolute);
		return waymark_fail(
			error, "in a jail the trace cannot change after waymark_init()");
	}
	if (absolute && path && waymark_ctf_prepare(absolute, yield, &taken, error) < 0) {
		free(absolute);
		return -1;
	}
	config = absolute ? waymark_ctf_new_config(absolute, 0) : NULL;
	free(absolute);
	if (!config) {
		return waymark_fail(error, "out of memory");
	}
	config->taken_over = taken;
	if (path && !follow_folder(config)) {
		free(config);
		return waymark_fail(error, "%s: cannot name the trace: %s", path, strerror(errno));
	}
	waymark_recorder_flush(); /* events recorded before belong to the old trace */
	waymark_ctf_publish(config);
	waymark_recorder_flush();
	return confirm(config, error);
}

/* Shows the request as soon as there is no other one. */
static bool take_turn(struct ctf_state *state, struct ctf_snapshot *s)
{
	for (int i = 0; i < TURNS_MAX; i++) {
		struct ctf_snapshot *none = NULL;

		if (__atomic_compare_exchange_n(&state->snapshot, &none, s, false, __ATOMIC_ACQ_REL,
			    __ATOMIC_RELAXED)) {
			return true;
		}
		futex_sleep(TURN_NS);
	}
	return false;
}

static int snapshot_write(
	struct ctf_state *state, struct ctf_snapshot *s, struct waymark_error *error)
{
	if (!take_turn(state, s)) {
		return waymark_fail(
			error, "%s: timed out waiting for another snapshot", s->config->path);
	}
	int result = waymark_recorder_flush();
	int why = errno;

	if (!__atomic_load_n(&s->done, __ATOMIC_ACQUIRE)) {
		return waymark_fail(error, "%s: the snapshot is not written yet: %s",
			s->config->path, strerror(result < 0 ? why : EAGAIN));
	}
	if (s->error && !s->made) {
		return waymark_fail(error, "%s: cannot make the snapshot: %s; memory keeps it",
			s->config->path, strerror(s->error));
	}
	if (s->error || s->missed) {
		return waymark_fail(error,
			"%s: the snapshot is not complete: %s; memory keeps the rest",
			s->config->path,
			s->error ? strerror(s->error) : "a thread is still inside an event");
	}
	return waymark_ctf_is_as_named(s->config, s->path)
		       ? 0
		       : waymark_fail(error, "%s: the name is taken now: the snapshot is %s",
				 s->config->path, s->path);
}

/* Returns why there is nothing to write; NULL if there may be something. */
static const char *snapshot_check(void)
{
	if (waymark_jail_is_on()) {
		return "in a jail nothing is overwritten: waymark drain writes all of it";
	}
	if (waymark_recorder_policy() != RECORDER_OVERWRITE) {
		return "a separate snapshot needs full=overwrite: without it the trace has all "
		       "events already";
	}
	if (waymark_ctf_is_off()) {
		return "the output is off, nothing is kept";
	}
	return waymark_ctf_has_begun() ? NULL : "nothing has been recorded yet";
}

/*
 * Frees `config`, of a finished snapshot, and the one that an earlier call had to keep: while the
 * usual trace cannot be made, the snapshot's configuration stays in use. At most one is.
 */
static void free_config(const struct ctf_state *state, struct ctf_config *config)
{
	static struct ctf_config *kept; /* by exchange */

	while (config) {
		if (__atomic_load_n(&state->trace.config, __ATOMIC_ACQUIRE) == config) {
			config = __atomic_exchange_n(&kept, config, __ATOMIC_ACQ_REL);
		} else {
			free(config);
			config = __atomic_exchange_n(&kept, NULL, __ATOMIC_ACQ_REL);
		}
	}
}

int waymark_ctf_snapshot(const char *path, struct waymark_error *error)
{
	const char *why = snapshot_check();
	struct ctf_config *config = why ? NULL : snapshot_config(path, error);
	struct ctf_snapshot *s = config ? calloc(1, sizeof(*s)) : NULL;

	if (why) {
		return waymark_fail(error, "%s: %s", path, why);
	}
	if (!s) {
		free(config);
		return config ? waymark_fail(error, "out of memory") : -1;
	}
	s->config = config;
	int result = snapshot_write(waymark_ctf_current(), s, error);

	/* A request that is not done is not freed, because the consumer may work on it. */
	if (__atomic_load_n(&s->done, __ATOMIC_ACQUIRE)) {
		free_config(waymark_ctf_current(), config);
		free(s);
	}
	return result;
}

static void describe(struct waymark_output *output)
{
	static const struct recorder none;
	struct process *p = waymark_process_current();
	struct ctf_state *state = waymark_ctf_begun();

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
	return waymark_ctf_begun() || waymark_ctf_jail_has_begun();
}

void waymark_ctf_declare_now(void)
{
	struct ctf_state *state = waymark_ctf_begun();

	if (waymark_ctf_jail_has_begun()) {
		waymark_ctf_jail_declare();
	} else if (state) {
		waymark_ctf_declare(&state->trace);
	}
}

const struct waymark_sink waymark_sink_ctf = {
	.backend = WAYMARK_CTF,
	.name = "ctf",
	.check_file = waymark_ctf_check_file,
	.set_file = set_file,
	.hold = hold,
	.share = waymark_ctf_share,
	.release = release,
	.set_on = waymark_ctf_set_on,
	.flush = waymark_recorder_flush,
	.title = "Trace",
	.describe = describe,
};
