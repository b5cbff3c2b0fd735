/* SPDX-License-Identifier: MIT */
/*
 * The records of a source's traces for one query, opened anew: a query of a growing trace sees what
 * it has then. One thread.
 */
#ifndef SQL_SCAN_H
#define SQL_SCAN_H

#include "sql/tables.h"

#define SCAN_FEW 64

struct sql_scan {
	const struct sql_source *source;
	struct reader *reader;
	struct filter
		filter; /* the source's selection; a query may narrow it before sql_scan_open() */
	bool filters;
	bool is_interrupted; /* the last call returned 0 for that reason */
	struct read_error error; /* of sql_scan_open() */
};

/* Sets up the filter, without reading. */
void sql_scan_init(struct sql_scan *s, const struct sql_source *source);

/* Opens the traces. Returns false with the reason in `error`. */
bool sql_scan_open(struct sql_scan *s);
void sql_scan_fini(struct sql_scan *s);

/*
 * Returns the next records of the selection, at most SCAN_FEW, valid until the next call; 0 at the
 * end. Reports problems to the source.
 */
size_t sql_scan_few(struct sql_scan *s, struct record *records);

#endif
