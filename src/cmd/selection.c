/* SPDX-License-Identifier: MIT */
/* See cmd/selection.h. */
#include "cmd/selection.h"

#include <getopt.h>
#include <stdlib.h>

#include "base/clock.h"

static int add_id(struct filter_ids *ids, const char *what, const struct command *command)
{
	char *end;
	unsigned long id = strtoul(optarg, &end, 10);

	if (end == optarg || *end || *optarg == '-' || id > UINT32_MAX) {
		return arguments_bad(command, "'%s' is not a %s id", optarg, what);
	}
	vec_push(ids, (uint32_t)id);
	return 0;
}

static int set_end(struct filter_time *end, const struct command *command)
{
	if (filter_parse_time(end, optarg)) {
		return 0;
	}
	return arguments_bad(command,
		"'%s' is not a time: SEC[.FRACTION] or +SEC[.FRACTION], in decimal digits", optarg);
}

int selection_take(struct session *s, const struct command *command, int key)
{
	switch (key) {
	case SELECTION_KEY_SINCE:
		return set_end(&s->filter.from, command);
	case SELECTION_KEY_UNTIL:
		return set_end(&s->filter.to, command);
	case SELECTION_KEY_PID:
		return add_id(&s->filter.pids, "process", command);
	default:
		return add_id(&s->filter.tids, "thread", command);
	}
}

void selection_since_now(struct session *s)
{
	s->filter.from = (struct filter_time){ .ns = (int64_t)clock_now_ns(), .set = true };
}

size_t selection_next_few(struct session *s, struct record *records)
{
	bool all = filter_is_empty(&s->filter);
	size_t count;
	size_t kept = 0;

	while (kept == 0 && (count = session_next_few(s, records))) {
		kept = all ? count : filter_keep(&s->filter, records, count);
	}
	return kept;
}
