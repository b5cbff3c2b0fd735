/* SPDX-License-Identifier: MIT */
/*
 * guest DISK: writes COUNT blocks past the page cache, one after the other. Records an event before
 * each and after each.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <waymark/scope.h>

#define CATEGORIES(C) C(Guest, true, "requests of the guest")
WAYMARK_CATEGORIES(CATEGORIES);

#define COUNT 200
#define BLOCK 4096
#define SECTORS 8

int main(int argc, char **argv)
{
	int fd = argc == 2 ? open(argv[1], O_WRONLY | O_DIRECT) : -1;
	void *block = aligned_alloc(BLOCK, BLOCK);

	if (fd < 0 || !block) {
		perror(argv[1]);
		return 1;
	}
	memset(block, 1, BLOCK);
	for (uint64_t sector = 0; sector < COUNT * SECTORS; sector += SECTORS) {
		WAYMARK_INSTANT(Guest, "submit", sector);
		ssize_t n = pwrite(fd, block, BLOCK, (off_t)sector * BLOCK / SECTORS);

		WAYMARK_INSTANT(Guest, "complete", sector);
		if (n != BLOCK) {
			perror("pwrite");
			return 1;
		}
	}
	return 0;
}
