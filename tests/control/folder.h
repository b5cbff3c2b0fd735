/* SPDX-License-Identifier: MIT */
/*
 * A directory of a group's own, which is the current one meanwhile: enter_folder and leave_folder
 * around the group.
 */
#ifndef TESTS_CONTROL_FOLDER_H
#define TESTS_CONTROL_FOLDER_H

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "../common/folder.h"

static char folder[256];

static inline int enter_folder(void **state)
{
	(void)state;
	return make_folder(folder, sizeof(folder)) ? chdir(folder) : -1;
}

static inline int leave_folder(void **state)
{
	char command[sizeof(folder) + 16];

	(void)state;
	snprintf(command, sizeof(command), "rm -r '%s'", folder);
	return chdir("/") | system(command);
}

#endif
