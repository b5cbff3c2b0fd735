/* SPDX-License-Identifier: MIT */
/* Commands that add, remove and list triggers and aggregations. */
#include <stdio.h>
#include <string.h>

#include <waymark/control.h>

#include "mon/session/command.h"

json_t *trigger_switch(struct call *call)
{
	const char *text = call_string(call, "trigger");
	bool on = call_bool(call, "enable", true);
	struct waymark_match match = { 0 };
	struct waymark_error error;

	if (strncmp(text, "when ", strlen("when ")) != 0 &&
		strncmp(text, "aggregate ", strlen("aggregate ")) != 0) {
		return call_fail(call,
			"a trigger is: when NAME if CONDITION then ACTION; or: aggregate NAME "
			"FUNCTION, ... by FIELD, ...");
	}
	int failed = on ? waymark_enable(text, WAYMARK_ANY_BACKEND, &match, &error)
			: waymark_disable(text, WAYMARK_ANY_BACKEND, &match, &error);

	if (failed < 0) {
		return call_fail(call, "%s", error.text);
	}
	json_t *result = json_object();

	if (match.events == 0 && on) {
		json_object_set_new(result, "misfits", json_string("no event matches so far"));
	} else if (*match.misfits.text) {
		json_object_set_new(result, "misfits", text_as_json(match.misfits.text));
	}
	return call_return(call, result);
}

json_t *triggers(struct call *call)
{
	struct waymark_trigger_list list;
	struct waymark_error error;
	json_t *rows = json_array();

	if (waymark_list_triggers(&list, &error) < 0) {
		json_decref(rows);
		return call_fail(call, "%s", error.text);
	}
	for (size_t i = 0; i < list.count; i++) {
		const struct waymark_trigger_info *t = &list.triggers[i];
		json_t *row = json_pack("{s:o, s:I}", "trigger", text_as_json(t->text), "fired",
			(json_int_t)t->fired);

		if (t->forgotten) {
			json_object_set_new(
				row, "forgotten", json_integer((json_int_t)t->forgotten));
		}
		json_array_append_new(rows, row);
	}
	waymark_free_triggers(&list);
	return call_return(call, rows);
}

void print_triggers(FILE *out, const json_t *result)
{
	size_t i;
	json_t *item;

	json_array_foreach(result, i, item)
	{
		long long forgotten = member_number(item, "forgotten");

		fprintf(out, "%lld : %s", member_number(item, "fired"),
			member_text(item, "trigger"));
		if (forgotten) {
			fprintf(out, " (the full table forgot %lld calls)", forgotten);
		}
		fputc('\n', out);
	}
}
