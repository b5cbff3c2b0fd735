/* SPDX-License-Identifier: MIT */
/* The format sqlite in a build without libsqlite3: reports that it is not there. */
#include "base/error.h"
#include "view/export/export.h"

static void *begin(struct export *e)
{
	error_set(e->error, "this waymark was built without SQLite, which --to=sqlite needs");
	return NULL;
}

const struct export_format export_sqlite = {
	.name = "sqlite",
	.help = "a database (this build has none)",
	.is_binary = true,
	.is_file = true,
	.begin = begin,
};
