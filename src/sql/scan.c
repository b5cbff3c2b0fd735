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

/* Returns the next record, behind what the reader cannot take in one go; 0 at the end. */
static size_t next_one(struct sql_scan *s, struct record *rec)
{
	enum read_result result;

	while ((result = reader_next(s->reader, rec)) != READ_RECORD) {
		if (result == READ_PROBLEM || result == READ_DAMAGED) {
			s->source->report(s->source->data, &s->reader->error);
		}
		if (result != READ_PROBLEM) {
			return 0;
		}
	}
	return 1;
}

size_t sql_scan_few(struct sql_scan *s, struct record *records)
{
	size_t kept = 0;

	while (kept == 0) {
		s->is_interrupted = s->source->is_interrupted && *s->source->is_interrupted;
		if (s->is_interrupted) {
			return 0;
		}
		size_t count = reader_take(s->reader, records, SCAN_FEW);

		count = count ? count : next_one(s, records);
		if (count == 0) {
			return 0;
		}
		kept = s->filters ? filter_keep(&s->filter, records, count) : count;
	}
	return kept;
}
