/* SPDX-License-Identifier: MIT */
/*
 * The two phases of an option. Checking opens no output: opening may truncate,
 * and a FIFO's reader would see its end. What still fails in the second phase
 * (a disk that fills in between) is reported, and what came before it stands.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/compiler.h"
#include "rt/control/config.h"
#include "rt/control/environment.h"
#include "rt/control/declare.h"
#include "rt/control/snapshot.h"
#include "rt/host/error.h"
#include "rt/host/path.h"
#include "rt/sink/log_prefix.h"
#include "rt/sink/output.h"
#include "rt/record/recorder.h"
#include "rt/event/registry.h"
#include "rt/sink/sink.h"

static const struct {
	const char *name;
	unsigned int backend;
} backends[] = {
#define WAYMARK_BACKEND(bit, upper, lower) { #lower, WAYMARK_##upper },
#include <waymark/backends.def>
#undef WAYMARK_BACKEND
};

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

/* Whether `path`, the value of a key, could be written to; NULL is fine. */
static int check_output(const char *key, const char *path, struct waymark_error *error)
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
		ok = errno == ENOENT && path_is_creatable(path);
	}
	return ok ? 0 : waymark_fail(error, "%s=: %s: %s", key, path, strerror(errno));
}

int waymark_config_check_outputs(const struct waymark_config *c, struct waymark_error *error)
{
	if (check_output("file", c->file, error) < 0 ||
		check_output("simple.file", c->simple_file, error) < 0) {
		return -1;
	}
	return check_output("log.file", c->log_file, error);
}

static int check(const struct waymark_config *c, struct waymark_error *error)
{
	if (c->file && !waymark_config_sink(c->file, error)) {
		return -1;
	}
	return waymark_config_check_outputs(c, error);
}

static int apply_file(const struct waymark_config *c, struct waymark_error *error)
{
	if (!c->file) {
		return 0;
	}
	const struct waymark_sink *sink = waymark_config_sink(c->file, error);

	waymark_environment_forget_file();
	struct waymark_error reason;

	if (!sink) {
		return -1;
	}
	return sink->set_file(c->file, false, &reason) == 0
		       ? 0
		       : waymark_fail(error, "file=: %s", reason.text);
}

static int apply_outputs(const struct waymark_config *c, struct waymark_error *error)
{
	if (apply_file(c, error) < 0) {
		return -1;
	}
	if (c->ctf_file && waymark_output_set(&waymark_sink_ctf, c->ctf_file, error) < 0) {
		return -1;
	}
	if (c->simple_file && waymark_output_set(&waymark_sink_simple, c->simple_file, error) < 0) {
		return -1;
	}
	return c->log_file ? waymark_output_set(&waymark_sink_log, c->log_file, error) : 0;
}

static enum recorder_policy policy_of(const char *word)
{
	return *word == 'o' ? RECORDER_OVERWRITE : *word == 'b' ? RECORDER_BLOCK : RECORDER_DISCARD;
}

/* What concerns memory and the shape of the trace; before the output is opened. */
static int apply_recorder(const struct waymark_config *c, struct waymark_error *error)
{
	if (c->buffer && waymark_recorder_set_buffer(c->buffer, error) < 0) {
		return -1;
	}
	if (c->full && waymark_recorder_set_policy(policy_of(c->full), error) < 0) {
		return -1;
	}
	if (c->flush_ns) {
		waymark_recorder_set_delay(c->flush_ns);
	}
	if (c->crash) {
		waymark_recorder_set_crash_signals(strcmp(c->crash, "on") == 0);
	}
	if (c->replace) {
		waymark_ctf_set_replace(strcmp(c->replace, "on") == 0);
	}
	if ((c->rotate || c->keep) &&
		waymark_ctf_set_pieces(c->rotate, (uint32_t)c->keep, error) < 0) {
		return -1;
	}
	return c->snapshot ? waymark_snapshot_install(c->snapshot, error) : 0;
}

int waymark_config_apply(
	struct waymark_config *c, struct waymark_match *match, struct waymark_error *error)
{
	if (check(c, error) < 0) {
		return -1;
	}
	if (apply_recorder(c, error) < 0 || apply_outputs(c, error) < 0) {
		return -1;
	}
	if (c->log_prefix) {
		waymark_log_prefix_choose(c->log_prefix);
	}
	waymark_declare_rules(&c->rules);
	return waymark_rules_commit(&c->rules, match, error);
}

void waymark_config_want(struct waymark_wants *wants, const struct waymark_config *c)
{
	wants->limits |= c->backends;
	wants->outputs |= c->ctf_file ? WAYMARK_CTF : 0;
	wants->outputs |= c->simple_file ? WAYMARK_SIMPLE : 0;
	wants->outputs |= c->log_file ? WAYMARK_LOG : 0;
}

void waymark_config_report_vain(
	const struct waymark_wants *wants, void (*say)(const struct waymark_error *warning))
{
	unsigned int absent = ~waymark_registry_backends();
	struct waymark_error warning;

	for (size_t i = 0; i < ARRAY_SIZE(backends); i++) {
		const char *name = backends[i].name;

		if (backends[i].backend & wants->limits & absent) {
			waymark_fail(&warning,
				"backend=: no loaded event was built with the backend '%s'", name);
			say(&warning);
		}
		if (backends[i].backend & wants->outputs & absent) {
			waymark_fail(&warning,
				"%s.file= has no effect so far: no loaded event was built with the "
				"backend '%s'",
				name, name);
			say(&warning);
		}
	}
}
