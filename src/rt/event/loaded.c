/* SPDX-License-Identifier: MIT */
/*
 * Loaded objects by address, from the program headers: works in static programs
 * as well, where dladdr does not.
 */
#include <errno.h>
#include <link.h>
#include <stdint.h>
#include <stdio.h>

#include "rt/event/loaded.h"

struct search {
	uintptr_t address;
	unsigned int position; /* the main program is the first that is listed */
	struct loaded *loaded;
};

static bool covers(const struct dl_phdr_info *info, uintptr_t address)
{
	for (unsigned int i = 0; i < info->dlpi_phnum; i++) {
		uintptr_t start = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;

		if (info->dlpi_phdr[i].p_type == PT_LOAD && address >= start &&
			address - start < info->dlpi_phdr[i].p_memsz) {
			return true;
		}
	}
	return false;
}

static int visit(struct dl_phdr_info *info, size_t size, void *data)
{
	struct search *s = data;
	bool is_program = s->position++ == 0;

	(void)size;
	if (!covers(info, s->address)) {
		return 0;
	}
	s->loaded->is_program = is_program;
	snprintf(s->loaded->name, sizeof(s->loaded->name), "%s",
		is_program ? program_invocation_name : info->dlpi_name);
	return 1;
}

bool waymark_loaded_find(const void *address, struct loaded *loaded)
{
	struct search s = { .address = (uintptr_t)address, .loaded = loaded };

	return dl_iterate_phdr(visit, &s) == 1;
}
