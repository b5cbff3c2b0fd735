/* SPDX-License-Identifier: MIT */
/* The guest's functions, sorted when they are first looked for. */
#include <stdio.h>
#include <stdlib.h>

#include "report.h"

void functions_add(struct functions *functions, uint64_t address, const char *name)
{
	struct function *function = report_resize(NULL, sizeof(*function));

	function->address = address;
	snprintf(function->name, sizeof(function->name), "%s", name);
	functions->all =
		report_resize(functions->all, (functions->count + 1) * sizeof(*functions->all));
	functions->all[functions->count++] = function;
	functions->sorted = false;
}

static int by_address(const void *a, const void *b)
{
	const struct function *x = *(struct function *const *)a;
	const struct function *y = *(struct function *const *)b;

	return (x->address > y->address) - (x->address < y->address);
}

const struct function *functions_find(struct functions *functions, uint64_t address)
{
	static const struct function unnamed = { .name = "?" };
	size_t low = 0, high = functions->count;

	if (!functions->sorted && functions->count) {
		qsort(functions->all, functions->count, sizeof(*functions->all), by_address);
		functions->sorted = true;
	}
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (functions->all[middle]->address <= address) {
			low = middle + 1;
		} else {
			high = middle;
		}
	}
	return low > 0 ? functions->all[low - 1] : &unnamed;
}

void functions_fini(struct functions *functions)
{
	for (size_t i = 0; i < functions->count; i++) {
		free(functions->all[i]);
	}
	free(functions->all);
}
