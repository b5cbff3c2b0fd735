/* SPDX-License-Identifier: MIT */
/*
 * The commands of `waymark ctl` that switch events, under limits and a condition, and triggers.
 * Called from the table in waymark_ctl.c.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/glob.h"
#include "base/memory.h"
#include "cmd/ctl/ctl.h"
#include "cmd/ctl/monitor_patterns.h"
#include "cmd/ctl/terms.h"
#include "cmd/escaped.h"

/* True if the words may match several events, some of which may not be switchable. */
static bool has_wildcard(const struct ctl *ctl)
{
	for (int i = 0; i < ctl->count; i++) {
		if (glob_is_pattern(ctl->words[i]) || ctl->words[i][0] == '/') {
			return true;
		}
	}
	return ctl->count > 1;
}

static json_t *switch_events(struct ctl *ctl, bool on)
{
	struct term_texts terms = { 0 };
	struct event_scope scope = {
		.is_to_switch = true,
		.is_of_vcpu = ctl->has_vcpu,
		.vcpu = ctl->vcpu,
	};

	if (on) {
		terms = term_texts_take(ctl->words, &ctl->count);
	}
	if (ctl->count == 0) {
		client_fail(
			&ctl->client, CLIENT_REFUSED, "the name or pattern of an event is missing");
		term_texts_fini(&terms);
		return NULL;
	}
	char *pattern = monitor_patterns(&ctl->client, ctl->words, ctl->count, scope);
	json_t *arguments = pattern ? json_pack("{s:s, s:b, s:b, s:s*, s:s*}", "name", pattern,
					      "enable", on, "ignore-unavailable", has_wildcard(ctl),
					      "limits", terms.limits, "condition", terms.condition)
				    : NULL;

	term_texts_fini(&terms);
	free(pattern);
	return arguments ? client_call(&ctl->client, "trace-event-set-state",
				   event_scope_add(arguments, scope))
			 : NULL;
}

json_t *ctl_on(struct ctl *ctl)
{
	return switch_events(ctl, true);
}

void ctl_print_misfits(const struct ctl *ctl, const json_t *result)
{
	const char *misfits = member_text(result, "misfits", "");

	(void)ctl;
	if (*misfits) {
		escaped_say("waymark ctl", "%s", misfits);
	}
}

/* ---- Triggers ---- */

/* Adds or removes the trigger that the words are. */
static json_t *switch_trigger(struct ctl *ctl, char *text, bool on)
{
	json_t *arguments = json_pack("{s:s, s:b}", "trigger", text, "enable", on);

	free(text);
	return client_call(&ctl->client, "trace-trigger", arguments);
}

json_t *ctl_off(struct ctl *ctl)
{
	char *text = join_words(ctl->words, ctl->count, 0);

	if (strncmp(text, "when ", strlen("when ")) == 0 ||
		strncmp(text, "aggregate ", strlen("aggregate ")) == 0) {
		return switch_trigger(ctl, text, false);
	}
	free(text);
	return switch_events(ctl, false);
}

/* Adds the trigger that the command and its words are. */
static json_t *add_trigger(struct ctl *ctl, const char *command)
{
	char *words = join_words(ctl->words, ctl->count, 0);
	char *text = NULL;

	if (asprintf(&text, "%s %s", command, words) < 0) {
		abort();
	}
	free(words);
	return switch_trigger(ctl, text, true);
}

json_t *ctl_when(struct ctl *ctl)
{
	return add_trigger(ctl, "when");
}

json_t *ctl_aggregate(struct ctl *ctl)
{
	return add_trigger(ctl, "aggregate");
}

json_t *ctl_triggers(struct ctl *ctl)
{
	return client_call(&ctl->client, "trace-triggers", json_object());
}

void ctl_print_triggers(const struct ctl *ctl, const json_t *result)
{
	size_t i;
	json_t *trigger;

	json_array_foreach(result, i, trigger)
	{
		if (!ctl->only_names) {
			escaped_printf(stdout, "%-8" PRIu64, member_number(trigger, "fired"));
		}
		escaped_put(stdout, member_text(trigger, "trigger", ""));
		if (!ctl->only_names && member_number(trigger, "forgotten")) {
			printf(" (the full table forgot %" PRIu64 " calls)",
				member_number(trigger, "forgotten"));
		}
		putchar('\n');
	}
	if (!json_array_size(result) && !ctl->only_names) {
		escaped_say("waymark ctl", "the process has no triggers");
	}
}
