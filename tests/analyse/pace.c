/* SPDX-License-Identifier: MIT */
/*
 * pace ROUNDS READ WRITE: requests with a scope of reading and one of writing, which sleep for so
 * many microseconds. For tests of waymark diff.
 */
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include <waymark/category.h>
#include <waymark/scope.h>

#include "trace-lives.h"

#define DISK_CATEGORIES(C) C(Disk, true, "what a request does")
WAYMARK_CATEGORIES(DISK_CATEGORIES);

static void serve(unsigned int reading, unsigned int writing)
{
	WAYMARK_SCOPE(Disk, "request");
	{
		WAYMARK_SCOPE(Disk, "read");
		usleep(reading);
	}
	WAYMARK_SCOPE(Disk, "write");
	usleep(writing);
}

int main(int argc, char **argv)
{
	int rounds = argc > 3 ? atoi(argv[1]) : 0;

	for (int i = 0; i < rounds; i++) {
		trace_life_submit((void *)(uintptr_t)(i + 1), i % 2);
		serve((unsigned int)atoi(argv[2]), (unsigned int)atoi(argv[3]));
		trace_life_done((void *)(uintptr_t)(i + 1), 0);
	}
	return EXIT_SUCCESS;
}
