/* SPDX-License-Identifier: MIT */
/*
 * Between trace_opt_parse() and trace_init_file() the file's name is not final, and an existing
 * file of that name is not emptied yet. It is *held*: events go to a new file, with that name if it
 * is free, otherwise with the pid appended, and trace_init_file() renames the file. Processes that
 * fork meanwhile all append to this file (family.c). Called by control calls.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "rt/host/file.h"
#include "rt/record/recorder.h"
#include "rt/simple/state.h"

struct simple_config *waymark_simple_new_config(const char *path, size_t room)
{
	struct simple_config *config = calloc(1, sizeof(*config) + room + strlen(path) + 1);

	if (config) {
		config->pid = (uint32_t)getpid();
		strcpy(config->path, path);
	}
	return config;
}

static const struct simple_config *held(void)
{
	const struct simple_config *config = waymark_simple_config();

	return config && config->held ? config : NULL;
}

static void publish(struct simple_config *config)
{
	waymark_simple_publish(config);
	waymark_recorder_flush();
}

/* Renames the present file; `replaces`: removes a file of that name. */
static bool rename_file(const char *to, bool replaces)
{
	char *from = malloc(SIMPLE_PATH_BYTES);
	bool done = from != NULL;

	if (done) {
		waymark_simple_put_path(from, SIMPLE_PATH_BYTES);
		done = strcmp(from, to) == 0 ||
		       ((replaces || access(to, F_OK) != 0) &&
			       waymark_rename(AT_FDCWD, from, AT_FDCWD, to) == 0);
	}
	free(from);
	return done;
}

/* True if a held name may replace the present one. */
static bool may_hold(const struct simple_config *config, const char *path)
{
	if (config && config->held) {
		return path && !config->shared;
	}
	return !waymark_simple_current() && (path || !simple_is_named(config));
}

void waymark_simple_hold(const char *path)
{
	const struct simple_config *before = waymark_simple_config();

	if (!may_hold(before, path)) {
		return;
	}
	free(waymark_simple_swap_spare(waymark_simple_new_config("", SIMPLE_PATH_BYTES)));
	waymark_recorder_flush();
	bool begun = before && before->held && waymark_simple_has_file(before);

	if (begun && !rename_file(path, false)) {
		return; /* trace_init_file() renames it */
	}
	struct simple_config *config = waymark_simple_new_config(path ? path : "", 0);

	if (config && begun) {
		waymark_simple_go_on(config, before, true);
	}
	if (config) {
		config->held = true;
		publish(config);
	}
}

/* Gives a new file the owner and mode of the old one that it replaces. */
static void take_rights(const struct stat *old)
{
	char *path = malloc(SIMPLE_PATH_BYTES);

	if (path) {
		waymark_simple_put_path(path, SIMPLE_PATH_BYTES);
		(void)!chown(path, old->st_uid, old->st_gid);
		(void)!chmod(path, old->st_mode & 0777);
	}
	free(path);
}

/*
 * Renames the file to its final place. Follows a link, as emptying a file does; does not replace a
 * pipe or device.
 */
static bool rename_to_place(const char *path)
{
	char *real = realpath(path, NULL);
	struct stat old;
	bool is_there = real && stat(real, &old) == 0;
	bool is_file = is_there && S_ISREG(old.st_mode);

	if (is_file) {
		take_rights(&old);
	}
	bool done = rename_file(real ? real : path, is_file || !is_there);

	free(real);
	return done;
}

bool waymark_simple_take_along(struct simple_config *config)
{
	const struct simple_config *before = held();

	if (!before || !waymark_simple_has_file(before) || !rename_to_place(config->path)) {
		return false;
	}
	waymark_simple_go_on(config, before, false);
	return true;
}

void waymark_simple_release(void)
{
	const struct simple_config *before = held();
	struct simple_config *config = before ? waymark_simple_new_config(before->path, 0) : NULL;

	if (config) {
		waymark_simple_go_on(config, before, false);
		publish(config);
	}
}
