/* SPDX-License-Identifier: MIT */
/*
 * Libraries of one program may have events of one name. A simpletrace file has nothing but
 * the name to say which declaration a record has, so two that differ cannot be told apart:
 * whoever records them is told so, when the second of them is recorded first.
 */
#include <string.h>

#include "rt/event/registry.h"
#include "rt/record/process.h"
#include "rt/simple/simple.h"

static bool same_args(const struct waymark_entry *a, const struct waymark_entry *b)
{
	for (unsigned int i = 0; i < a->arg_count; i++) {
		if (strcmp(a->args[i].name, b->args[i].name) != 0 ||
			strcmp(a->args[i].type, b->args[i].type) != 0) {
			return false;
		}
	}
	return true;
}

/* Whether their records read alike, wherever the two were declared. */
static bool reads_alike(const struct waymark_entry *a, const struct waymark_entry *b)
{
	return a->arg_count == b->arg_count && strcmp(a->format, b->format) == 0 && same_args(a, b);
}

void waymark_simple_tell_apart(const struct simple_out *out, const struct waymark_entry *entry)
{
	const struct waymark_entry *other = waymark_registry_same_name(entry);

	if (entry->flags & WAYMARK_EVENT_SITE) {
		return; /* trace points of one category: each record has its text */
	}
	while (other != entry && (!out->encoders[other->id] || reads_alike(entry, other))) {
		other = waymark_registry_same_name(other);
	}
	if (other != entry) {
		waymark_notice(waymark_process_current(),
			"simple: '%s' of %s:%u and of %s:%u are declared in two ways, and a record "
			"does not say which it has; one of ctf does",
			entry->name, other->file, other->line, entry->file, entry->line);
	}
}
