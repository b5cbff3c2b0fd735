/* SPDX-License-Identifier: MIT */
/* A file in memory and two mappings of it. */
#include "translate/region.h"

#include <sys/mman.h>
#include <unistd.h>

static void *map(int fd, size_t bytes, int protection)
{
	void *at = mmap(NULL, bytes, protection, MAP_SHARED, fd, 0);

	return at == MAP_FAILED ? NULL : at;
}

bool region_open(struct region *region, size_t bytes)
{
	int fd = memfd_create("riscv-code", MFD_CLOEXEC);

	*region = (struct region){ .bytes = bytes };
	if (fd < 0) {
		return false;
	}
	if (ftruncate(fd, bytes) == 0) {
		region->write = map(fd, bytes, PROT_READ | PROT_WRITE);
		region->execute = map(fd, bytes, PROT_READ | PROT_EXEC);
	}
	close(fd);
	if (!region->write || !region->execute) {
		region_close(region);
		return false;
	}
	return true;
}

void region_close(struct region *region)
{
	if (region->write) {
		munmap(region->write, region->bytes);
	}
	if (region->execute) {
		munmap((void *)region->execute, region->bytes);
	}
	*region = (struct region){ 0 };
}
