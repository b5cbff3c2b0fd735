/* SPDX-License-Identifier: MIT */
/* One run of `waymark print`: what was asked for, and what came of it. For waymark_print.c. */
#ifndef CMD_PRINT_H
#define CMD_PRINT_H

#include <stdbool.h>
#include <stdint.h>

#include "cmd/session.h"
#include "cmd/terminal.h"
#include "read/filter.h"
#include "view/lines.h"
#include "view/tail.h"

struct print {
	struct session session;
	struct filter filter;
	enum timestamp_mode time;
	enum terminal_when colour;
	const struct lines_style *style;
	const char *output;
	bool follow;
	bool only_new;
	bool tid;
	bool only_count;
	bool is_limited; /* by `head` or `last`, or nothing but a count is wanted */
	uint64_t head; /* so many lines are left */
	bool wants_none; /* of the last lines: it begins and ends without one, as with --head=0 */
	struct tail last; /* limit 0: all lines are wanted */
	struct out line; /* one that may be among the last */
	struct lines view;
	/* Of a run with a filter: */
	bool has_selected; /* an event; before: */
	uint64_t records;
	int64_t first_ns;
	int64_t last_ns;
	uint64_t events; /* that were shown, where these are counted */
};

/* Says on standard error what the lines themselves cannot. */
void print_notes(struct print *p);

#endif
