/* SPDX-License-Identifier: MIT */
/*
 * The simpletrace view: lines byte for byte as QEMU's own script prints them,
 *
 *	blk_read 24.817 pid=29600 path=b'disk' offset=0x1000
 *
 * with microseconds since the line before. Formats are not used. One table in
 * simpletrace.c has the differences between QEMU's releases.
 */
#ifndef VIEW_SIMPLETRACE_H
#define VIEW_SIMPLETRACE_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/vec.h"
#include "read/reader.h"
#include "text/out.h"

#define SIMPLETRACE_RELEASES "2.8 to 10.2"

struct simpletrace_style;
struct simpletrace_line;

/*
 * Returns the style of a QEMU release such as "10.2" or "5"; NULL if it is not in
 * SIMPLETRACE_RELEASES.
 */
const struct simpletrace_style *simpletrace_style_find(const char *version);

struct simpletrace_view {
	struct out *out;
	struct reader *reader;
	const struct simpletrace_style *style;
	struct arena arena;
	VEC(struct simpletrace_line *) lines; /* by class index; NULL until needed */
	uint64_t last_ns;
	bool started;
};

void simpletrace_view_init(struct simpletrace_view *v, struct out *out, struct reader *r,
	const struct simpletrace_style *style);
void simpletrace_view_fini(struct simpletrace_view *v);

/* Writes the record's line. An event's class must have its arguments. */
void simpletrace_view_put(struct simpletrace_view *v, const struct record *rec);

/* Writes a time difference in microseconds with three decimals, rounded like Python's. */
char *simpletrace_delta(char *out, uint64_t from, uint64_t to);

/* Writes a string like Python's bytes: b'...'. Needs 4 * length + 16 bytes. */
char *simpletrace_repr(char *out, const char *text, size_t length);

#endif
