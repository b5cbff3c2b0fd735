/* SPDX-License-Identifier: MIT */
/*
 * In the place of `waymark ls`, `ctl` and `attach` where Waymark was built without the
 * monitor (-Dmonitor=disabled): what their caller is told.
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
	(void)argv;
	return refuse("ls");
}

int waymark_ctl(int argc, char **argv)
{
	(void)argc;
	(void)argv;
	return refuse("ctl");
}

int waymark_attach(int argc, char **argv)
{
	(void)argc;
	(void)argv;
	return refuse("attach");
}
