/* SPDX-License-Identifier: MIT */
/*
 * The two phases of an option. Checking opens no output: opening may truncate,
 * and a FIFO's reader would see its end. What still fails in the second phase
 * (a disk that fills in between) is reported, and what came before it stands.
 */
#include <errno.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "rt/config.h"
#include "rt/environment.h"
#include "rt/error.h"
#include "rt/log_prefix.h"
#include "rt/recorder.h"
#include "rt/registry.h"
#include "rt/sink.h"

const struct waymark_sink *waymark_config_sink(const char *file, struct waymark_error *error)
{
	const struct waymark_sink *sink = waymark_sink_first(waymark_registry_backends());

	if (!sink) {
		waymark_fail(error,
			"--trace file=%s: option not supported by the selected tracing backends",
			file);
	}
	return sink;
}

/* Whether a file can be made in the directory of `path`. */
static bool can_create(const char *path)
{
	char *copy = strdup(path);
	bool ok = copy && eaccess(dirname(copy), W_OK | X_OK) == 0;

	free(copy);
	return ok;
}

/* Whether `path` could be written to; NULL is fine. */
static int check_output(const char *path, struct waymark_error *error)
{
	struct stat st;
	bool ok = true;

	if (path && stat(path, &st) == 0) {
		ok = eaccess(path, W_OK) == 0;
		if (S_ISDIR(st.st_mode)) {
			errno = EISDIR;
			ok = false;
		}
	} else if (path) {
		ok = errno == ENOENT && can_create(path);
	}
	return ok ? 0 : waymark_fail(error, "%s: %s", path, strerror(errno));
}

static int check(const struct waymark_config *c, struct waymark_error *error)
{
	if (c->file && !waymark_config_sink(c->file, error)) {
		return -1;
	}
	if (check_output(c->file, error) < 0 || check_output(c->simple_file, error) < 0) {
		return -1;
	}
	return check_output(c->log_file, error);
}

static int apply_file(const struct waymark_config *c, struct waymark_error *error)
{
	if (!c->file) {
		return 0;
	}
	const struct waymark_sink *sink = waymark_config_sink(c->file, error);

	waymark_environment_forget_file();
	return sink ? sink->set_file(c->file, error) : -1;
}

static int apply_outputs(const struct waymark_config *c, struct waymark_error *error)
{
	if (apply_file(c, error) < 0) {
		return -1;
	}
	if (c->simple_file && waymark_sink_simple.set_file(c->simple_file, error) < 0) {
		return -1;
	}
	return c->log_file ? waymark_sink_log.set_file(c->log_file, error) : 0;
}

int waymark_config_apply(
	struct waymark_config *c, struct waymark_match *match, struct waymark_error *error)
{
	if (check(c, error) < 0) {
		return -1;
	}
	if (c->buffer && waymark_recorder_set_buffer(c->buffer, error) < 0) {
		return -1;
	}
	if (apply_outputs(c, error) < 0) {
		return -1;
	}
	if (c->log_prefix) {
		waymark_log_prefix_choose(c->log_prefix);
	}
	return waymark_rules_commit(&c->rules, match, error);
}
