/* SPDX-License-Identifier: MIT */
/* Stub of `waymark sql` for a build without SQLite (-Dsql=disabled). */
#include <stdio.h>
#include <stdlib.h>

#include "cmd/waymark.h"

int waymark_sql(int argc, char **argv)
{
	(void)argc;
	fprintf(stderr,
		"waymark %s: error: this build has no SQLite: configure it with -Dsql=enabled\n",
		argv[0]);
	return EXIT_FAILURE;
}
