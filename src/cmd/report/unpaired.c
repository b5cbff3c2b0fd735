/* SPDX-License-Identifier: MIT */
/* See cmd/report/unpaired.h. */
#include "cmd/report/unpaired.h"

uint64_t unpaired_get(const struct unpaired *u, size_t kind, const char **text)
{
	const struct {
		uint64_t count;
		const char *text;
	} lines[UNPAIRED_KINDS] = {
		{ u->unfinished, "unfinished: the trace ends first" },
		{ u->end_lost, "without an end, which may be among lost events" },
		{ u->unbegun,
			"ended without a beginning, as after a fork or when the trace began" },
		{ u->begin_lost, "ended without a beginning, which may be among lost events" },
		{ u->begun_twice, "begun once more before their end" },
	};

	*text = lines[kind].text;
	return lines[kind].count;
}

void unpaired_no_scopes(struct session *s)
{
	if (!filter_is_empty(&s->filter)) {
		session_say(s, "no scopes are among the records that are asked for");
		return;
	}
	session_say(s,
		"no scopes are in it: WAYMARK_SCOPE() of waymark-trace-points(3) makes them, or a "
		"declaration, see waymark-scopes(3); between any two events it is waymark latency "
		"that measures");
}
