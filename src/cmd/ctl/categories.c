/* SPDX-License-Identifier: MIT */
/* `waymark ctl TARGET categories`: those of a program's trace points. */
#include <stdio.h>

#include "cmd/columns.h"
#include "cmd/ctl/ctl.h"
#include "cmd/escaped.h"

json_t *ctl_categories(struct ctl *ctl)
{
	return ctl_call(ctl, "trace-categories", json_object());
}

static void put_number(struct columns *c, const json_t *object, const char *key)
{
	char text[32];

	snprintf(text, sizeof(text), "%lld",
		(long long)json_integer_value(json_object_get(object, key)));
	columns_put(c, text);
}

static void put_text(struct columns *c, const json_t *object, const char *key)
{
	const char *text = json_string_value(json_object_get(object, key));

	columns_put(c, text ? text : "?");
}

static void put_state(struct columns *c, const json_t *category)
{
	bool is_in = json_is_true(json_object_get(category, "compiled-in"));
	json_int_t on = json_integer_value(json_object_get(category, "events-on"));
	json_int_t events = json_integer_value(json_object_get(category, "events"));

	columns_put(c, !is_in ? "out" : !on ? "off" : on < events ? "some" : "on");
}

static void print_names(const json_t *categories)
{
	size_t i;
	json_t *category;

	json_array_foreach(categories, i, category)
	{
		escaped_put(stdout, json_string_value(json_object_get(category, "name")));
		putchar('\n');
	}
}

void ctl_print_categories(const struct ctl *ctl, const json_t *result)
{
	struct columns c;
	size_t i;
	json_t *category;

	if (ctl->only_names) {
		print_names(result);
		return;
	}
	columns_init(&c, "-STATE ON EVENTS LIVE -CATEGORY -DESCRIPTION");
	json_array_foreach(result, i, category)
	{
		put_state(&c, category);
		put_number(&c, category, "events-on");
		put_number(&c, category, "events");
		put_number(&c, category, "live");
		put_text(&c, category, "name");
		put_text(&c, category, "description");
	}
	columns_print(&c, stdout);
	columns_fini(&c);
	if (!json_array_size(result)) {
		fputs("waymark ctl: it has no categories\n", stderr);
	}
}
