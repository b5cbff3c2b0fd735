/* SPDX-License-Identifier: MIT */
/* The info views: what a trace holds, as text for people and as JSON for programs. */
#ifndef VIEW_INFO_H
#define VIEW_INFO_H

#include "analyse/summary.h"
#include "read/reader.h"
#include "text/out.h"

struct info {
	const char *const *paths; /* as the user named them */
	size_t path_count;
	const struct reader *reader;
	const struct summary *summary; /* sorted */
	uint64_t problems; /* records that could not be read */
	bool damaged; /* the trace could not be read to its end */
};

void info_put_text(struct out *out, const struct info *info);
void info_put_json(struct out *out, const struct info *info);

#endif
