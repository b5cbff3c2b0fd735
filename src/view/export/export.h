/* SPDX-License-Identifier: MIT */
/*
 * Traces in the formats of other programs, written record by record in the order of time: memory
 * does not depend on the number of records. Each format is a row of the table in formats.c and a
 * file beside it. One thread.
 */
#ifndef VIEW_EXPORT_EXPORT_H
#define VIEW_EXPORT_EXPORT_H

#include <stdbool.h>
#include <stddef.h>

#include "read/reader.h"
#include "text/out.h"
#include "timeline/timeline.h"

/* What to export, and where to. */
struct export
{
	struct reader *reader;
	const struct filter *filter; /* has selected the records */
	struct out *out;
	const char *path; /* of the new file, for formats that are files; else NULL */
	const char *trace; /* path of the only trace; unused if there are several */
	const char *const *fields; /* the columns; none: the format decides */
	size_t field_count;
	const char *event; /* name of the only event that is selected; NULL: there may be others */
	struct timeline_counters counters;
	struct where *where; /* selects spans; NULL: all, or `filter` has the expression */
	/* Sends a request with that many spans; false: it failed. NULL: requests go to `out`. */
	bool (*send)(void *to, const char *request, size_t size, uint64_t spans);
	void *to;
	/* set by the format: */
	char error[256]; /* "": none, or only that of `out` */
	char problem[600]; /* what the complete output lacks; "": nothing */
	bool lacks_scopes; /* the profile is empty: no scope was selected */
	bool lacks_ends; /* the profile is empty: no selected scope began and ended */
	struct losses unreported; /* losses for which the format has no place */
	char note[512]; /* what the format leaves out; "": nothing */
};

struct export_format {
	const char *name;
	const char *help;
	bool is_binary; /* nothing for a terminal */
	bool is_file; /* writes `path` itself, not `out` */
	bool is_sent; /* heeds `send` */
	bool has_fields; /* heeds `fields` */
	bool has_counters; /* heeds `counters` */
	bool has_spans; /* an expression selects spans, by any of their events: heeds `where` */
	/* Begins the output. Returns the format's state; NULL with the reason in `error`. */
	void *(*begin)(struct export *e);
	/* Adds records. Returns false after an error that is in `error`. */
	bool (*put)(void *state, const struct record *records, size_t count);
	/* Ends the output, unless there was an error, and frees the state. */
	bool (*end)(void *state);
};

/* Ends with a NULL. */
extern const struct export_format *const export_formats[];

extern const struct export_format export_perfetto;
extern const struct export_format export_chrome;
extern const struct export_format export_csv;
extern const struct export_format export_jsonl;
extern const struct export_format export_sqlite;
extern const struct export_format export_pprof;
extern const struct export_format export_clickhouse;
extern const struct export_format export_otlp;

#endif
