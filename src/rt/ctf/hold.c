/* SPDX-License-Identifier: MIT */
/*
 * Which name the trace has before its final one is known: see hold.h. Control calls only; the
 * consumer's part is family.c.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "rt/ctf/hold.h"
#include "rt/ctf/prepare.h"
#include "rt/ctf/state.h"
#include "rt/record/recorder.h"

/* Whether the name may be held: no event came, and no final name was given. */
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

static void keep_spare(void)
{
	struct ctf_config *fresh = waymark_ctf_new_config(NULL, PATH_MAX);

	if (fresh) {
		fresh->held = fresh->is_folder = true;
		free(waymark_ctf_swap_spare(fresh));
	}
}

/* Without memory the name stays, which is a name, too. */
static void change(const char *path, bool held, bool is_folder)
{
	struct ctf_config *config = waymark_ctf_new_config(path, 0);

	if (config) {
		config->held = held;
		config->is_folder = is_folder;
		waymark_ctf_publish(config);
		waymark_recorder_flush(); /* a trace that is there takes the name */
	}
}

void waymark_ctf_hold(const char *path)
{
	if (may_hold(waymark_ctf_config(), path)) {
		keep_spare();
		change(path ? path : "", true, false);
	}
}

void waymark_ctf_release(void)
{
	const struct ctf_config *config = waymark_ctf_config();

	if (config && config->held) {
		change(config->path, false, config->is_folder);
	}
}

bool waymark_ctf_follow_folder(struct ctf_config *config)
{
	const struct ctf_config *present = waymark_ctf_config();

	config->is_folder = present && present->held && present->is_folder;
	if (!config->is_folder || waymark_ctf_begun()) {
		return true; /* the consumer renames it: it has files open there */
	}
	return waymark_ctf_rename_folder(present, config);
}
