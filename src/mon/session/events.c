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

static void add_details(
	json_t *state, const struct call *call, const struct waymark_event_info *event)
{
	if (*event->limits) {
		json_object_set_new(state, "limits", text_as_json(event->limits));
	}
	if (*event->condition) {
		json_object_set_new(state, "condition", text_as_json(event->condition));
	}
	if (call_bool(call, "fields", false)) {
		json_object_set_new(state, "fields", text_as_json(event->fields));
	}
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
		add_details(state, call, event);
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
		const char *limits = json_string_value(json_object_get(event, "limits"));
		const char *condition = json_string_value(json_object_get(event, "condition"));

		fprintf(out, "%s : state %d%s%s%s%s\n", member_text(event, "name"),
			strcmp(state, "enabled") == 0, limits ? " " : "", limits ? limits : "",
			condition ? " if " : "", condition ? condition : "");
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

/* The terms of a call; each may be NULL. */
struct call_terms {
	const char *limits;
	const char *condition;
};

/* Returns the pattern with the terms, in the syntax of waymark/control.h. NULL without memory. */
static char *make_rule(
	const struct pattern *p, const struct call_terms *terms, struct waymark_error *error)
{
	char *text = NULL;

	if (asprintf(&text, "%s%s%s%s%s", p->text, terms->limits ? " " : "",
		    terms->limits ? terms->limits : "", terms->condition ? " if " : "",
		    terms->condition ? terms->condition : "") < 0) {
		snprintf(error->text, sizeof(error->text), "out of memory");
		return NULL;
	}
	return text;
}

/* Notes the new states of the events that a rule switched for all vCPUs; not of its misfits. */
static void note_states(const char *rule, bool has_terms, bool on)
{
	struct waymark_event_list list = { 0 };

	if (!holds_any()) {
		return;
	}
	if (has_terms) {
		waymark_close_terms(waymark_open_terms(rule, &list, NULL, NULL));
	} else {
		waymark_list_events(rule, &list, NULL);
	}
	holds_note(&list, HOLD_ALL_VCPUS, on);
	waymark_free_events(&list);
}

/* Switches the events, under the terms, for all vCPUs. Returns 0, or -1. */
static int switch_all(const struct pattern *p, const struct call_terms *terms, bool on,
	struct waymark_match *match, struct waymark_error *error)
{
	char *rule = make_rule(p, terms, error);
	int result = !rule ? -1
		     : on  ? waymark_enable(rule, SWITCHABLE, match, error)
			   : waymark_disable(rule, SWITCHABLE, NULL, error);

	if (result == 0) {
		note_states(rule, terms->limits || terms->condition, on);
	}
	free(rule);
	return result;
}

static int switch_vcpu(const struct pattern *p, bool on, struct waymark_error *error)
{
	int result = waymark_vcpu_set_states(p->vcpu, p->text, on, error);

	if (result == 0) {
		holds_note(&p->list, p->vcpu, on);
	}
	return result;
}

static json_t *switch_met(struct call *call, const struct pattern *p)
{
	bool on = call_bool(call, "enable", false);
	const struct call_terms terms = { call_string(call, "limits"),
		call_string(call, "condition") };
	struct waymark_match match = { 0 };
	struct waymark_error error;

	if ((terms.condition || terms.limits) && (!on || p->has_vcpu)) {
		return call_fail(call, "a %s is for events that are switched on, for all vCPUs",
			terms.condition ? "condition" : "limit");
	}
	int failed = p->has_vcpu ? switch_vcpu(p, on, &error)
				 : switch_all(p, &terms, on, &match, &error);

	if (failed < 0) {
		return call_fail(call, "%s", error.text);
	}
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

/*
 * Returns the names of events that are on without the call's terms, because others record them too.
 * The events of `p` are, in this order, among those that match.
 */
static json_t *names_of_shared(const struct pattern *p)
{
	json_t *names = json_array();
	struct waymark_event_list now = { 0 };
	size_t at = 0;

	waymark_list_events(p->text, &now, NULL);
	for (size_t i = 0; i < now.count && at < p->list.count; i++) {
		if (strcmp(now.events[i].name, p->list.events[at].name) == 0) {
			bool is_shared =
				now.events[i].state & ~now.events[i].conditional & WAYMARK_CTF;

			if (is_shared) {
				append_names(names, &now.events[i]);
			}
			at++;
		}
	}
	waymark_free_events(&now);
	return names;
}

static json_t *attached(
	const struct pattern *p, const struct waymark_output *output, const char *misfits)
{
	json_t *names = json_array();

	for (size_t i = 0; i < p->list.count; i++) {
		if (p->list.events[i].backends & WAYMARK_CTF) {
			append_names(names, &p->list.events[i]);
		}
	}
	json_t *result = json_pack("{s:o, s:o, s:b}", "events", names, "path",
		text_as_json(output->path), "begun", output->begun);

	if (misfits) {
		json_object_set_new(result, "shared", names_of_shared(p));
		json_object_set_new(result, "misfits", text_as_json(misfits));
	}
	return result;
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

/* Takes ownership of the terms. `misfits`: which events they do not fit; NULL: no terms. */
static json_t *hold_events(struct call *call, const struct pattern *p, struct waymark_terms *terms,
	const char *misfits)
{
	struct waymark_output output;
	struct waymark_error error;

	if (!check_ctf(call, p) || waymark_get_output("ctf", &output, &error) < 0) {
		waymark_close_terms(terms);
		return call->error_class ? NULL : call_fail(call, "%s", error.text);
	}
	if (holds_add(&call->session->holds, &p->list, terms, &error) < 0) {
		return call_fail(call, "%s", error.text);
	}
	return call_return(call, attached(p, &output, misfits));
}

/* Holds only the events that the terms fit. */
static json_t *hold_under(struct call *call, struct pattern *p, const struct call_terms *given)
{
	struct waymark_match match = { 0 };
	struct waymark_error error;
	struct waymark_event_list fitting;
	char *rule = make_rule(p, given, &error);
	struct waymark_terms *terms =
		rule ? waymark_open_terms(rule, &fitting, &match, &error) : NULL;

	free(rule);
	if (!terms) {
		return call_fail(call, "%s", error.text);
	}
	waymark_free_events(&p->list);
	p->list = fitting;
	return hold_events(call, p, terms, match.misfits.text);
}

static json_t *attach_to(struct call *call, struct pattern *p)
{
	const struct call_terms terms = { call_string(call, "limits"),
		call_string(call, "condition") };

	if (pattern_fail_unmet(p, call)) {
		return NULL;
	}
	return terms.limits || terms.condition ? hold_under(call, p, &terms)
					       : hold_events(call, p, NULL, NULL);
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
