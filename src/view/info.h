/* SPDX-License-Identifier: MIT */
/* The info view: the contents of a trace, as text for people and as JSON for programs. */
#ifndef VIEW_INFO_H
#define VIEW_INFO_H

#include "analyse/reports.h"
#include "analyse/summary.h"
#include "read/reader.h"
#include "text/out.h"

struct info {
	const char *path; /* path of a single trace, as the user wrote it */
	const struct reader *reader;
	const struct summary *summary; /* sorted */
	const struct reports *reports;
	uint64_t problems; /* records that could not be read */
	bool damaged; /* the trace could not be read to its end */
};

void info_put_text(struct out *out, const struct info *info);
void info_put_json(struct out *out, const struct info *info);

#endif
