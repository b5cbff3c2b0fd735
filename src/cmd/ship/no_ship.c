/* SPDX-License-Identifier: MIT */
/* Stub of `waymark ship` for a build without libcurl, LZ4 or jansson (-Dship=disabled). */
#include <stdio.h>
#include <stdlib.h>

#include "cmd/waymark.h"

int waymark_ship(int argc, char **argv)
{
	(void)argc;
	fprintf(stderr,
		"waymark %s: error: this build cannot send: configure it with -Dship=enabled\n",
		argv[0]);
	return EXIT_FAILURE;
}
