/* SPDX-License-Identifier: MIT */
/*
 * Stubs of `waymark ls`, `ctl` and `attach` for a build without the monitor (-Dmonitor=disabled).
 */
#include <stdio.h>
#include <stdlib.h>

#include "cmd/waymark.h"

static int refuse(const char *name)
{
	fprintf(stderr,
		"waymark %s: error: this build has no monitor: configure it with -Dmonitor=enabled\n",
		name);
	return EXIT_FAILURE;
}

int waymark_ls(int argc, char **argv)
{
	(void)argc;
	return refuse(argv[0]);
}

int waymark_ctl(int argc, char **argv)
{
	(void)argc;
	return refuse(argv[0]);
}

int waymark_attach(int argc, char **argv)
{
	(void)argc;
	return refuse(argv[0]);
}
