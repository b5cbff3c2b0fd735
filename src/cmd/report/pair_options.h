/* SPDX-License-Identifier: MIT */
/* The options that define a pair of events: --from, --to, --by. */
#ifndef CMD_REPORT_PAIR_OPTIONS_H
#define CMD_REPORT_PAIR_OPTIONS_H

#include <stdbool.h>

#include "analyse/latency.h"
#include "base/arena.h"
#include "cmd/arguments.h"
#include "cmd/session.h"
#include "read/filter.h"

/* Must not be moved, as `latency` has its address. */
struct pair_options {
	struct latency_options latency;
	bool is_default; /* without --by, and without a declared key */
	struct name_pattern events[LATENCY_SIDES];
	struct arena arena;
};

void pair_options_init(struct pair_options *o);
void pair_options_fini(struct pair_options *o);

/* Apply --from or --to, and --by; return 0, or ARGUMENTS_BAD, reported. */
int pair_options_event(
	struct pair_options *o, const struct command *command, enum latency_side side);
int pair_options_by(struct pair_options *o, const struct command *command, const char *text);

/* Completes the options: without --by, pairs are of one thread. */
void pair_options_end(struct pair_options *o);

/* Without --by, pairs by the keys of both events if the session's traces declare them. */
void pair_options_use_keys(struct pair_options *o, struct session *s);

#endif
