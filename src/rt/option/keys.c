/* SPDX-License-Identifier: MIT */
/* What is said of the keys of options.def: a program's --help, and which were meant. */
#include <string.h>

#include "base/compiler.h"
#include "base/nearest.h"
#include "rt/host/error.h"
#include "rt/option/dialect.h"
#include "rt/option/take.h"

/* A row's text for each dialect: rows of another one add nothing. */
#define WAYMARK_both(text) text
#define WAYMARK_waymark(text) text
#define WAYMARK_stratovirt(text) ""
#define STRATOVIRT_both(text) text
#define STRATOVIRT_waymark(text) ""
#define STRATOVIRT_stratovirt(text) text

static const struct {
	const char *help;
	const char *keys;
} texts[] = {
	[WAYMARK_DIALECT_WAYMARK] = {
#define WAYMARK_OPTION(key, dialect, take, value, help) \
	WAYMARK_##dialect("  " key "=" value "\n      " help "\n")
#include "rt/option/options.def"
#undef WAYMARK_OPTION
		"  help\n      list the events and exit\n",
#define WAYMARK_OPTION(key, dialect, take, value, help) WAYMARK_##dialect(key "=, ")
#include "rt/option/options.def"
#undef WAYMARK_OPTION
		"help",
	},
	[WAYMARK_DIALECT_STRATOVIRT] = {
#define WAYMARK_OPTION(key, dialect, take, value, help) \
	STRATOVIRT_##dialect("  " key "=" value "\n      " help "\n")
#include "rt/option/options.def"
#undef WAYMARK_OPTION
		"  help\n      list the events and exit\n",
#define WAYMARK_OPTION(key, dialect, take, value, help) STRATOVIRT_##dialect(key "=, ")
#include "rt/option/options.def"
#undef WAYMARK_OPTION
		"help",
	},
};

static const struct {
	const char *key;
	enum dialect_bit dialects;
} rows[] = {
#define WAYMARK_OPTION(key, dialect, take, value, help) { key, DIALECT_##dialect },
#include "rt/option/options.def"
#undef WAYMARK_OPTION
};

const char *waymark_option_help(void)
{
	return texts[waymark_dialect_get()].help;
}

static bool is_of(size_t row, enum waymark_dialect dialect)
{
	return rows[row].dialects & 1u << dialect;
}

/* A key of another dialect, NULL where there is none of that name. */
static const char *other_dialect(const char *key, enum waymark_dialect dialect)
{
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		if (strcmp(rows[i].key, key) == 0 && !is_of(i, dialect)) {
			return waymark_dialect_name(rows[i].dialects == DIALECT_waymark
							    ? WAYMARK_DIALECT_WAYMARK
							    : WAYMARK_DIALECT_STRATOVIRT);
		}
	}
	return NULL;
}

int waymark_option_unknown(
	const char *key, enum waymark_dialect dialect, struct waymark_error *error)
{
	const char *other = other_dialect(key, dialect);
	struct nearest best = nearest_begin(key, strlen(key));

	if (other) {
		return waymark_fail(error,
			"Invalid parameter '%s': it is of the dialect %s, and this option begins "
			"with no dialect=%s",
			key, other, other);
	}
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		if (is_of(i, dialect)) {
			nearest_offer(&best, rows[i].key);
		}
	}
	if (nearest_is_near(&best)) {
		return waymark_fail(
			error, "Invalid parameter '%s'; did you mean '%s='?", key, best.name);
	}
	return waymark_fail(
		error, "Invalid parameter '%s'; there are %s", key, texts[dialect].keys);
}
