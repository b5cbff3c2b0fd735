/* SPDX-License-Identifier: MIT */
/* The categories of the program's trace points: what they are, and how many are on. */
#include <string.h>

#include <waymark/control.h>

#include "mon/session/command.h"
#include "mon/session/text.h"

static json_t *row(const struct waymark_category_info *c)
{
	return json_pack("{s:o, s:o, s:b, s:I, s:I, s:I}", "name", text_as_json(c->name),
		"description", text_as_json(c->description), "compiled-in", c->compiled_in,
		"events", (json_int_t)c->events, "events-on", (json_int_t)c->on, "live",
		(json_int_t)c->live);
}

json_t *categories(struct call *call)
{
	struct waymark_category_list list;
	struct waymark_error error;

	if (waymark_list_categories(&list, &error) < 0) {
		return call_fail(call, "%s", error.text);
	}
	json_t *rows = json_array();

	for (size_t i = 0; i < list.count; i++) {
		json_array_append_new(rows, row(&list.categories[i]));
	}
	waymark_free_categories(&list);
	return call_return(call, rows);
}

static long long number(const json_t *object, const char *key)
{
	return (long long)json_integer_value(json_object_get(object, key));
}

static const char *text_of(const json_t *object, const char *key)
{
	return json_string_value(json_object_get(object, key));
}

void print_categories(FILE *out, const json_t *result)
{
	size_t i;
	json_t *item;

	json_array_foreach(result, i, item)
	{
		fprintf(out, "%s : ", text_of(item, "name"));
		if (json_is_true(json_object_get(item, "compiled-in"))) {
			fprintf(out, "%lld on of %lld, %lld live", number(item, "events-on"),
				number(item, "events"), number(item, "live"));
		} else {
			fputs("compiled out", out);
		}
		fprintf(out, ", %s\n", text_of(item, "description"));
	}
}
