/* SPDX-License-Identifier: MIT */
/* A JSON object for each record, as `waymark print --json` writes them. */
#include <stdlib.h>

#include "view/export/export.h"
#include "view/lines.h"

static void *begin(struct export *e)
{
	struct lines *v = xcalloc(1, sizeof(*v));

	lines_init(v, e->out, e->reader, &lines_json, TIMESTAMP_ABSOLUTE);
	v->fields = e->fields;
	v->field_count = e->field_count;
	return v;
}

static bool put(void *state, const struct record *records, size_t count)
{
	lines_put_few(state, records, count);
	return true;
}

static bool end(void *state)
{
	lines_fini(state);
	free(state);
	return true;
}

const struct export_format export_jsonl = {
	.name = "jsonl",
	.help = "a JSON object a line, as of print --json",
	.has_fields = true,
	.begin = begin,
	.put = put,
	.end = end,
};
