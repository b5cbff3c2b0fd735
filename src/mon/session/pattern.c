/* SPDX-License-Identifier: MIT */
/*
 * Translates a dialect's pattern to one of waymark/control.h, and lists the events that match it.
 */
#include "mon/session/pattern.h"

#include <stdlib.h>
#include <string.h>

#include <waymark/vcpu.h>

#include "base/compiler.h"
#include "base/glob.h"
#include "base/rust_regex.h"
#include "mon/session/dialect.h"

bool pattern_is_regex(const struct call *call)
{
	const struct json_rules *rules = call->session->dialect->json;

	return rules && rules->takes_regex;
}

/* StratoVirt's errors for a bad regular expression. */
static const struct {
	const char *command;
	const char *failure;
} failures[] = {
	{ "trace-event-get-state", "Failed to get trace event state" },
	{ "trace-event-set-state", "Failed to set trace event state" },
	{ "trace-get-state", "Failed to get trace state" },
	{ "trace-set-state", "Failed to set trace state" },
};

static void fail_pattern(struct call *call, const struct waymark_error *error)
{
	call_fail(call, "%s", error->text);
	for (size_t i = 0; pattern_is_regex(call) && i < ARRAY_SIZE(failures); i++) {
		if (strcmp(failures[i].command, call->command->name) == 0) {
			call_fail(call, "%s", failures[i].failure);
		}
	}
}

/* Accepts the index of a vCPU, which may be any number. Returns false after failing the call. */
static bool open_vcpu(struct pattern *p, struct call *call, json_int_t index)
{
	if (index < 0 || index >= WAYMARK_VCPUS || !waymark_vcpu_find((unsigned int)index)) {
		call_fail(call, "invalid vCPU index %lld", (long long)index);
		return false;
	}
	p->has_vcpu = true;
	p->vcpu = (unsigned int)index;
	return true;
}

/* Returns the call's pattern in the syntax of waymark/control.h; NULL after failing the call. */
static char *copy_pattern(struct call *call)
{
	const char *name = call_string(call, "name");
	bool is_all = !name || (pattern_is_regex(call) && !*name); /* "" matches every name */
	struct waymark_error why = { "out of memory" };
	char *pattern = is_all ? strdup("*")
			: pattern_is_regex(call)
				? waymark_rust_regex_pattern(name, why.text, sizeof(why.text))
				: strdup(name);

	if (!pattern) {
		fail_pattern(call, &why);
	}
	return pattern;
}

static bool list_events(struct pattern *p, struct call *call)
{
	struct waymark_error error;

	if (waymark_list_events(p->text, &p->list, &error) < 0) {
		fail_pattern(call, &error);
		return false;
	}
	return true;
}

/* Keeps only events of single vCPUs; fails for the name of another event. */
static bool list_of_vcpu(struct pattern *p, struct call *call)
{
	bool has_matched = p->list.count != 0;
	struct waymark_error error;

	waymark_free_events(&p->list);
	if (waymark_vcpu_list_events(p->vcpu, p->text, &p->list, &error) < 0) {
		return call_fail(call, "%s", error.text);
	}
	return !p->is_name || !has_matched || p->list.count ||
	       call_fail(call, "event \"%.500s\" is not vCPU-specific", p->text);
}

/* Lists the events that match; on failure closes the pattern. */
static bool match(struct pattern *p, struct call *call)
{
	if (p->text) {
		p->is_name =
			!pattern_is_regex(call) && !glob_is_pattern(p->text) && p->text[0] != '/';
		if (list_events(p, call) && (!p->has_vcpu || list_of_vcpu(p, call))) {
			return true;
		}
	} else {
		call_fail(call, "out of memory");
	}
	pattern_close(p);
	return false;
}

bool pattern_open(struct pattern *p, struct call *call)
{
	const json_t *vcpu = json_object_get(call->arguments, "vcpu");

	*p = (struct pattern){ 0 };
	if (vcpu && !open_vcpu(p, call, json_integer_value(vcpu))) {
		return false;
	}
	p->text = copy_pattern(call);
	return p->text && match(p, call);
}

bool pattern_read(struct pattern *p, struct call *call, char *text)
{
	*p = (struct pattern){ .text = text };
	return match(p, call);
}

void pattern_close(struct pattern *p)
{
	waymark_free_events(&p->list);
	free(p->text);
}

bool pattern_fail_unmet(const struct pattern *p, struct call *call)
{
	if (p->list.count) {
		return false;
	}
	if (p->is_name) {
		call_fail(call, "unknown event \"%.500s\"", p->text);
	} else {
		call_fail(call, "no %sevent matches \"%.500s\"",
			p->has_vcpu ? "vCPU-specific " : "", p->text);
	}
	return true;
}
