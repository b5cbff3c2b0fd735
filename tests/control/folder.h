/* SPDX-License-Identifier: MIT */
/*
 * A new current directory for each group of tests: pass enter_folder and leave_folder as the
 * group's set-up and tear-down.
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
