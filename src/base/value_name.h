/* SPDX-License-Identifier: MIT */
/* The names of an integer's values: a table that ends with a NULL name. */
#ifndef BASE_VALUE_NAME_H
#define BASE_VALUE_NAME_H

#include <stdbool.h>
#include <stdint.h>

struct value_name {
	const char *name;
	uint64_t value;
	bool is_negative; /* the value is an int64_t below 0 */
};

#endif
