/* SPDX-License-Identifier: MIT */
/* The info views: what a trace holds, as text for people and as JSON for programs. */
#ifndef VIEW_INFO_H
#define VIEW_INFO_H

#include "analyse/summary.h"
#include "read/reader.h"
#include "text/out.h"

struct info {
	const char *path; /* of the only trace, as the user named it */
	const struct reader *reader;
	const struct summary *summary; /* sorted */
	uint64_t problems; /* records that could not be read */
	bool damaged; /* the trace could not be read to its end */
};

void info_put_text(struct out *out, const struct info *info);
void info_put_json(struct out *out, const struct info *info);

/* For the views only: */

/* Of a trace's own reader. */
bool info_is_big_endian(const struct reader *r);

/* The reader of one trace, which tells its format. */
const struct reader *info_reader(const struct info *info, size_t trace);

/* How the user named a trace of the reader. */
const char *info_path(const struct info *info, size_t trace);

/* Whether any of the traces tells which thread a record is from. */
bool info_tells_threads(const struct info *info);

#endif
