/* SPDX-License-Identifier: MIT */
/* Reads the traces for one query: see scan.h. */
#include "sql/scan.h"

#include "read/merge.h"

void sql_scan_init(struct sql_scan *s, const struct sql_source *source)
{
	*s = (struct sql_scan){ .source = source };
	if (source->selection) {
		filter_copy(&s->filter, source->selection);
	} else {
		filter_init(&s->filter);
	}
}

bool sql_scan_open(struct sql_scan *s)
{
	const struct sql_source *source = s->source;
	const struct reader_options options = { .declarations = source->declarations };

	s->reader = merge_open(source->paths, source->count, &options, &s->error);
	if (!s->reader) {
		return false;
	}
	filter_start(&s->filter, s->reader);
	filter_limit(&s->filter);
	s->filters = !filter_is_empty(&s->filter);
	return true;
}

void sql_scan_fini(struct sql_scan *s)
{
	filter_fini(&s->filter);
	reader_close(s->reader);
	s->reader = NULL;
}

/* Returns the next records, at most SCAN_FEW; 0 at the end. */
static size_t next_few(struct sql_scan *s, struct record *records)
{
	enum read_result result;
	size_t count;

	do {
		count = reader_few(s->reader, records, SCAN_FEW, &result);
		if (result == READ_PROBLEM || result == READ_DAMAGED) {
			s->source->report(s->source->data, &s->reader->error);
		}
	} while (result == READ_PROBLEM);
	return count;
}

size_t sql_scan_few(struct sql_scan *s, struct record *records)
{
	size_t kept = 0;

	while (kept == 0) {
		s->is_interrupted = sql_is_interrupted(s->source);
		size_t count = s->is_interrupted ? 0 : next_few(s, records);

		if (count == 0) {
			return 0;
		}
		kept = s->filters ? filter_keep(&s->filter, records, count) : count;
	}
	return kept;
}
