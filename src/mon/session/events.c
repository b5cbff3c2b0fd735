/* SPDX-License-Identifier: MIT */
/*
 * Commands that list and switch events and list categories. trace-attach holds events until its
 * connection ends.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <waymark/vcpu.h>

#include "mon/session/command.h"
#include "mon/session/dialect.h"
#include "mon/session/pattern.h"

/* Backends that this process switches. External tracers switch the events of the others. */
#define SWITCHABLE (WAYMARK_ANY_BACKEND & ~(unsigned int)WAYMARK_OUTSIDE_BACKENDS)

static json_t *state_as_json(const struct call *call, const struct waymark_event_info *event)
{
	const struct json_rules *rules = call->session->dialect->json;
	bool is_available = event->backends & SWITCHABLE;

	if (rules && rules->state_is_bool) {
		return json_boolean(is_available && event->state);
	}
	return json_string(!is_available ? "unavailable" : event->state ? "enabled" : "disabled");
}

/*
 * Converts events to JSON. In dialects with vCPUs, `vcpu` shows whether an event can be on for
 * single ones.
 */
static json_t *as_json(const struct call *call, const struct waymark_event_list *list)
{
	bool has_vcpus = call->session->dialect->bit != STRATOVIRT;
	json_t *states = json_array();

	for (size_t i = 0; i < list->count; i++) {
		const struct waymark_event_info *event = &list->events[i];

		json_t *state = json_pack("{s:o, s:o}", "name", text_as_json(event->name), "state",
			state_as_json(call, event));

		if (has_vcpus) {
			json_object_set_new(state, "vcpu", json_boolean(event->vcpu));
		}
		if (*event->condition) {
			json_object_set_new(state, "condition", text_as_json(event->condition));
		}
		json_array_append_new(states, state);
	}
	return states;
}

json_t *event_states(struct call *call)
{
	bool may_be_none = !(call->command->dialects & HMP);
	struct pattern p;
	json_t *result = NULL;

	if (!pattern_open(&p, call)) {
		return NULL;
	}
	/* QMP answers a pattern without matches with an empty list. */
	if ((may_be_none && !p.is_name) || !pattern_fail_unmet(&p, call)) {
		result = call_return(call, as_json(call, &p.list));
	}
	pattern_close(&p);
	return result;
}

void print_event_states(FILE *out, const json_t *result)
{
	size_t i;
	json_t *event;

	json_array_foreach(result, i, event)
	{
		const char *state = member_text(event, "state");

		const char *condition = json_string_value(json_object_get(event, "condition"));

		fprintf(out, "%s : state %d%s%s\n", member_text(event, "name"),
			strcmp(state, "enabled") == 0, condition ? " if " : "",
			condition ? condition : "");
	}
}

/* Returns the first event of the list that cannot be switched; NULL if all can. */
static const char *first_unavailable(const struct waymark_event_list *list)
{
	for (size_t i = 0; i < list->count; i++) {
		if (!(list->events[i].backends & SWITCHABLE)) {
			return list->events[i].name;
		}
	}
	return NULL;
}

/* Problems that a command ignores. */
struct leniency {
	bool unavailable; /* events that cannot be switched, among those that can */
	bool unmet; /* a pattern that matches no event; never a name */
};

/* True if the events can be switched, all or none. Returns false after failing the call. */
static bool check(struct call *call, const struct pattern *p, struct leniency lenient)
{
	const char *unavailable = first_unavailable(&p->list);

	if ((p->is_name || !lenient.unmet) && pattern_fail_unmet(p, call)) {
		return false;
	}
	if (!unavailable || (lenient.unavailable && !p->is_name)) {
		return true;
	}
	call_fail(call, "event \"%s\" is disabled", unavailable);
	return false;
}

/* Switches the events on, if there is a condition, under it. Returns 0, or -1. */
static int enable(const struct pattern *p, const char *condition, struct waymark_match *match,
	struct waymark_error *error)
{
	char *text = NULL;

	if (!condition) {
		return waymark_enable(p->text, SWITCHABLE, match, error);
	}
	if (asprintf(&text, "%s if %s", p->text, condition) < 0) {
		snprintf(error->text, sizeof(error->text), "out of memory");
		return -1;
	}
	int result = waymark_enable(text, SWITCHABLE, match, error);

	free(text);
	return result;
}

static json_t *switch_met(struct call *call, const struct pattern *p)
{
	bool on = call_bool(call, "enable", false);
	const char *condition = call_string(call, "condition");
	struct waymark_match match = { 0 };
	struct waymark_error error;

	if (condition && (!on || p->has_vcpu)) {
		return call_fail(
			call, "a condition is for events that are switched on, for all vCPUs");
	}
	int failed = p->has_vcpu ? waymark_vcpu_set_states(p->vcpu, p->text, on, &error)
		     : on	 ? enable(p, condition, &match, &error)
				 : waymark_disable(p->text, SWITCHABLE, NULL, &error);

	if (failed < 0) {
		return call_fail(call, "%s", error.text);
	}
	holds_note(&p->list, p->has_vcpu ? p->vcpu : HOLD_ALL_VCPUS, on);
	json_t *result = json_object();

	if (*match.misfits.text) {
		json_object_set_new(result, "misfits", text_as_json(match.misfits.text));
	}
	return call_return(call, result);
}

void print_misfits(FILE *out, const json_t *result)
{
	const char *misfits = json_string_value(json_object_get(result, "misfits"));

	if (misfits) {
		fprintf(out, "%s\n", misfits);
	}
}

static json_t *switch_events(struct call *call, struct leniency lenient)
{
	struct pattern p;
	json_t *result = NULL;

	holds_lock();
	if (pattern_open(&p, call)) {
		result = check(call, &p, lenient) ? switch_met(call, &p) : NULL;
		pattern_close(&p);
	}
	holds_unlock();
	return result;
}

json_t *event_switch(struct call *call)
{
	bool lenient = call_bool(call, "ignore-unavailable", pattern_is_regex(call));

	return switch_events(call, (struct leniency){ lenient, lenient });
}

json_t *event_switch_typed(struct call *call)
{
	return switch_events(call, (struct leniency){ .unavailable = true });
}

/* Appends the names of an event in a trace. A scope has a second name for its end. */
static void append_names(json_t *names, const struct waymark_event_info *event)
{
	json_array_append_new(names, text_as_json(event->name));
	char *end = NULL;

	if (event->scope && asprintf(&end, "%s_end", event->name) >= 0) {
		json_array_append_new(names, text_as_json(end));
		free(end);
	}
}

static json_t *attached(const struct pattern *p, const struct waymark_output *output)
{
	json_t *names = json_array();

	for (size_t i = 0; i < p->list.count; i++) {
		if (p->list.events[i].backends & WAYMARK_CTF) {
			append_names(names, &p->list.events[i]);
		}
	}
	return json_pack("{s:o, s:o, s:b}", "events", names, "path", text_as_json(output->path),
		"begun", output->begun);
}

/* True if ctf records an event of the list. Returns false after failing the call. */
static bool check_ctf(struct call *call, const struct pattern *p)
{
	for (size_t i = 0; i < p->list.count; i++) {
		if (p->list.events[i].backends & WAYMARK_CTF) {
			return true;
		}
	}
	return call_fail(
		call, "no event that matches \"%.500s\" is built with the backend ctf", p->text);
}

static json_t *attach_to(struct call *call, const struct pattern *p)
{
	struct waymark_output output;
	struct waymark_error error;

	if (pattern_fail_unmet(p, call) || !check_ctf(call, p)) {
		return NULL;
	}
	if (waymark_get_output("ctf", &output, &error) < 0 ||
		holds_add(&call->session->holds, &p->list, &error) < 0) {
		return call_fail(call, "%s", error.text);
	}
	return call_return(call, attached(p, &output));
}

json_t *attach(struct call *call)
{
	struct pattern p;
	json_t *result = NULL;

	holds_lock();
	if (pattern_open(&p, call)) {
		result = attach_to(call, &p);
		pattern_close(&p);
	}
	holds_unlock();
	return result;
}

json_t *detach(struct call *call)
{
	holds_release(&call->session->holds);
	return call_return(call, json_object());
}

/* ---- Categories ---- */

static json_t *category_as_json(const struct waymark_category_info *c)
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
		json_array_append_new(rows, category_as_json(&list.categories[i]));
	}
	waymark_free_categories(&list);
	return call_return(call, rows);
}

void print_categories(FILE *out, const json_t *result)
{
	size_t i;
	json_t *item;

	json_array_foreach(result, i, item)
	{
		fprintf(out, "%s : ", member_text(item, "name"));
		if (json_is_true(json_object_get(item, "compiled-in"))) {
			fprintf(out, "%lld on of %lld, %lld live", member_number(item, "events-on"),
				member_number(item, "events"), member_number(item, "live"));
		} else {
			fputs("compiled out", out);
		}
		fprintf(out, ", %s\n", member_text(item, "description"));
	}
}
