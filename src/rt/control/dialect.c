/* SPDX-License-Identifier: MIT */
/*
 * The dialect that options are read in, under the control lock. A choice is never changed by a
 * weaker source: WAYMARK_TRACE, an option, the program, in this order. parse.c and config.c call.
 */
#include <string.h>

#include "base/compiler.h"
#include "rt/control/dialect.h"
#include "rt/host/error.h"
#include "rt/host/lock.h"

/* The source of the choice; a later one overrides those before it. */
enum chooser { BY_NOBODY, BY_VARIABLE, BY_OPTION, BY_PROGRAM };

/* Under the control lock. */
static struct {
	enum waymark_dialect dialect;
	enum chooser chooser;
	bool is_used; /* an option without dialect= was read in it */
} chosen;

static const char *const names[] = {
	[WAYMARK_DIALECT_WAYMARK] = "waymark",
	[WAYMARK_DIALECT_STRATOVIRT] = "stratovirt",
};

const char *waymark_dialect_name(enum waymark_dialect dialect)
{
	return names[dialect];
}

int waymark_dialect_find(
	enum waymark_dialect *dialect, const char *name, struct waymark_error *error)
{
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		if (strcmp(names[i], name) == 0) {
			*dialect = (enum waymark_dialect)i;
			return 0;
		}
	}
	return waymark_fail(error, "dialect=: '%s' is not one of waymark, stratovirt", name);
}

enum waymark_dialect waymark_dialect_get(void)
{
	waymark_lock();
	enum waymark_dialect dialect = chosen.dialect;

	waymark_unlock();
	return dialect;
}

/* Checks whether the dialect may be `dialect` from now on. Under the control lock. */
static int check(enum waymark_dialect dialect, struct waymark_error *error)
{
	const char *name = names[chosen.dialect];

	if (dialect == chosen.dialect) {
		return 0;
	}
	if (chosen.chooser >= BY_OPTION) {
		return waymark_fail(error,
			"the dialect of options is '%s' already, by the %s: choose it once", name,
			chosen.chooser == BY_PROGRAM ? "program's choice" : "dialect= of one");
	}
	return chosen.is_used ? waymark_fail(error,
					"an option was read in the dialect '%s' already: choose "
					"'%s' before the first",
					name, names[dialect])
			      : 0;
}

int waymark_dialect_check(const struct dialect_use *use, struct waymark_error *error)
{
	struct waymark_error reason;

	if (!use->is_named || use->is_variable) {
		return 0;
	}
	waymark_lock();
	int result = check(use->dialect, &reason);

	waymark_unlock();
	return result == 0 ? 0 : waymark_fail(error, "dialect=: %s", reason.text);
}

/* Under the control lock. */
static void choose(enum waymark_dialect dialect, enum chooser chooser)
{
	if (chooser > chosen.chooser) {
		chosen.dialect = dialect;
		chosen.chooser = chooser;
	}
}

void waymark_dialect_keep(const struct dialect_use *use)
{
	waymark_lock();
	if (use->is_named) {
		choose(use->dialect, use->is_variable ? BY_VARIABLE : BY_OPTION);
	}
	chosen.is_used |= !use->is_variable;
	waymark_unlock();
}

int waymark_set_dialect(enum waymark_dialect dialect, struct waymark_error *error)
{
	if ((unsigned int)dialect >= ARRAY_SIZE(names)) {
		return waymark_fail(error, "there is no dialect %d", (int)dialect);
	}
	waymark_lock();
	int result = check(dialect, error);

	if (result == 0) {
		choose(dialect, BY_PROGRAM);
	}
	waymark_unlock();
	if (result == 0) {
		error_clear(error);
	}
	return result;
}
