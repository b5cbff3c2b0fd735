/* SPDX-License-Identifier: MIT */
/* Stub of `waymark view` for a build without libmicrohttpd or zlib. */
#include <stdlib.h>

#include "cmd/escaped.h"
#include "cmd/waymark.h"

int waymark_view(int argc, char **argv)
{
	(void)argc;
	(void)argv;
	escaped_say("waymark view",
		"error: this build has no libmicrohttpd or no zlib: configure it with "
		"-Dhttp=enabled -Dzlib=enabled");
	return EXIT_FAILURE;
}
