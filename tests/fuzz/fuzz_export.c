/* SPDX-License-Identifier: MIT */
/*
 * Any bytes as a trace, exported in all formats at once. Inputs are those of fuzz_reader.c. Packets
 * of Perfetto must fill the output, and quotes of CSV must be in pairs.
 */
#include "reader_input.h"

#include <fcntl.h>
#include <sqlite3.h>
#include <stdio.h>
#include <unistd.h>

#include "view/export/export.h"

#define FORMATS_MAX 16

struct exporter {
	const struct export_format *format; /* NULL: none, or it has failed */
	struct export export;
	struct out out;
	void *state;
	char path[64]; /* of a format that writes a file itself; else empty */
};

static void require(bool promise)
{
	if (!promise) {
		abort();
	}
}

static const char *skip_number(const char *at, const char *end, uint64_t *number)
{
	*number = 0;
	for (unsigned int shift = 0; at < end && shift < 64; shift += 7) {
		*number |= (uint64_t)(*at & 0x7f) << shift;
		if (!(*at++ & 0x80)) {
			return at;
		}
	}
	abort();
}

static void check_packets(const struct out *out)
{
	const char *end = out->len > 0 ? out->data + out->len : NULL;

	for (const char *at = out->data; out->len > 0 && at < end;) {
		uint64_t length;

		require(*at++ == 0x0a);
		at = skip_number(at, end, &length);
		require(length <= (uint64_t)(end - at));
		at += length;
	}
}

static void check_quotes(const struct out *out)
{
	size_t quotes = 0;

	for (size_t i = 0; i < out->len; i++) {
		quotes += out->data[i] == '"';
	}
	require(quotes % 2 == 0);
}

/* A database must be one for SQLite, with rows that it finds right. */
static void check_database(const char *path)
{
	sqlite3_stmt *statement;
	sqlite3 *database;

	require(sqlite3_open_v2(path, &database, SQLITE_OPEN_READONLY, NULL) == SQLITE_OK);
	require(sqlite3_prepare_v2(database, "PRAGMA integrity_check", -1, &statement, NULL) ==
		SQLITE_OK);
	require(sqlite3_step(statement) == SQLITE_ROW);
	require(strcmp((const char *)sqlite3_column_text(statement, 0), "ok") == 0);
	sqlite3_finalize(statement);
	sqlite3_close(database);
}

/* Makes the new empty file that a format writes itself. */
static void make_file(struct exporter *x)
{
	snprintf(x->path, sizeof(x->path), "/dev/shm/waymark-fuzz-%d", (int)getpid());
	int fd = open(x->path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	require(fd >= 0);
	close(fd);
}

static void begin(struct exporter *x, const struct export_format *format, struct reader *r)
{
	static const char *const fields[] = { "offset", "ret", "path" };
	static const struct filter all;
	struct timeline_counter counter = { .field = "offset" };

	*x = (struct exporter){ .format = format };
	out_init(&x->out, OUT_TO_MEMORY);
	x->export.reader = r;
	x->export.filter = &all;
	x->export.out = &x->out;
	if (format->is_file) {
		make_file(x);
		x->export.path = x->path;
	}
	if (format->has_fields && r->classes.all.count % 2) {
		x->export.fields = fields;
		x->export.field_count = ARRAY_SIZE(fields);
	}
	vec_push(&x->export.counters.all, counter);
	x->state = format->begin(&x->export);
	require(x->state != NULL);
}

static void end(struct exporter *x)
{
	bool ok = x->format->end(x->state);

	/* A database may refuse a table of too many columns; no other format fails. */
	require(ok || x->format->is_file);
	if (x->format == &export_perfetto) {
		check_packets(&x->out);
	} else if (x->format == &export_csv) {
		check_quotes(&x->out);
	} else if (x->format->is_file) {
		if (ok) {
			check_database(x->path);
		}
		unlink(x->path);
	}
	vec_fini(&x->export.counters.all);
	out_fini(&x->out);
}

static void read_all(struct reader *r, unsigned int options)
{
	struct exporter exporters[FORMATS_MAX];
	struct record rec;
	enum read_result result;
	size_t count = 0;

	(void)options;
	while (export_formats[count]) {
		begin(&exporters[count], export_formats[count], r);
		count++;
	}
	while ((result = reader_next(r, &rec)) == READ_RECORD || result == READ_PROBLEM) {
		for (size_t i = 0; result == READ_RECORD && i < count; i++) {
			exporters[i].format->put(exporters[i].state, &rec, 1);
		}
	}
	for (size_t i = 0; i < count; i++) {
		end(&exporters[i]);
	}
}
