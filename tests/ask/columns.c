/* SPDX-License-Identifier: MIT */
/*
 * columns TRACE...: the batches of waymark_reader_columns() have the values and gaps that
 * waymark_reader_next() has, for every event of the traces, in arrays of several sizes; and the
 * declarations before reading are those of the records. Prints the number of events.
 *
 * columns --gaps TRACE...: only batches and single records of traces with gaps. Prints also the
 * number of gaps.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include <waymark/reader.h>

#define FIELDS 8
#define ROOM 1000

static struct waymark_reader *open_traces(char **paths, int count, const char *const *events)
{
	const struct waymark_reader_options options = { .size = sizeof(options), .events = events };
	char error[512];
	struct waymark_reader *r = waymark_reader_open_with(
		(const char *const *)paths, (size_t)count, &options, error, sizeof(error));

	if (!r) {
		fprintf(stderr, "%s\n", error);
		exit(1);
	}
	return r;
}

static void check(int is_true, const char *what, uint64_t row)
{
	if (!is_true) {
		printf("%s differs in row %" PRIu64 "\n", what, row);
		exit(1);
	}
}

/* The arrays of a batch: integers, doubles and texts of each field, and the common columns. */
static uint64_t integers[FIELDS + 4][ROOM];
static double doubles[FIELDS][ROOM];
static const char *texts[FIELDS][ROOM];
static size_t lengths[FIELDS][ROOM];

/* Compares one event, at which `r` is, with entry `at` of the arrays. */
static void compare(struct waymark_reader *r, size_t at, uint64_t row)
{
	check(integers[FIELDS][at] == waymark_reader_time(r), "time", row);
	check(integers[FIELDS + 1][at] == waymark_reader_pid(r), "pid", row);
	check(integers[FIELDS + 2][at] == waymark_reader_tid(r), "tid", row);
	check(integers[FIELDS + 3][at] == waymark_reader_trace(r), "trace", row);
	for (size_t f = 0; f < waymark_reader_field_count(r); f++) {
		size_t length;
		const char *text = waymark_reader_string(r, f, &length);

		check(integers[f][at] == waymark_reader_u64(r, f), "integer", row);
		check(doubles[f][at] == waymark_reader_double(r, f), "double", row);
		check(!text == !texts[f][at] && length == lengths[f][at], "length", row);
		check(!text || memcmp(text, texts[f][at], length) == 0, "text", row);
	}
}

/* The gaps of one way of reading. */
struct gaps {
	uint64_t count;
	uint64_t lost;
};

static void count_gap(struct gaps *g, struct waymark_reader *r)
{
	g->count++;
	g->lost += waymark_reader_lost(r);
}

/* Moves to the next event of that name; false at the end. */
static int next_named(struct waymark_reader *r, const char *name, struct gaps *gaps)
{
	int what;

	while ((what = waymark_reader_next(r)) > 0) {
		if (what == WAYMARK_READ_GAP) {
			count_gap(gaps, r);
		} else if (strcmp(waymark_reader_name(r), name) == 0) {
			return 1;
		}
	}
	return 0;
}

/* Reads the next batch, behind gaps; returns its number of events, 0 at the end. */
static size_t next_batch(
	struct waymark_reader *r, size_t event, const struct waymark_columns *to, struct gaps *gaps)
{
	size_t filled;
	int what;

	while ((what = waymark_reader_columns(r, event, to, &filled)) == WAYMARK_READ_GAP) {
		check(filled == 0, "number of events of a gap", filled);
		count_gap(gaps, r);
	}
	check((what == WAYMARK_READ_EVENT) == (filled > 0), "result", 0);
	/* A batch has no current record. */
	check(waymark_reader_time(r) == 0 && waymark_reader_lost(r) == 0, "no record", 0);
	check(waymark_reader_name(r)[0] == '\0', "no name", 0);
	return filled;
}

/* Reads all events of a kind in both ways, in batches of at most `room`. Counts the gaps. */
static uint64_t check_event(char **paths, int count, size_t event, size_t room, struct gaps *gaps)
{
	struct gaps of_batches = { 0, 0 };

	struct waymark_event_info info = { .size = sizeof(info) };
	struct waymark_reader *r = open_traces(paths, count, NULL);
	struct waymark_column columns[FIELDS + 4];
	uint64_t row = 0;
	size_t filled;

	check(waymark_reader_event_info(r, event, &info) == 0 && info.fields <= FIELDS, "info", 0);
	const char *const names[] = { info.name, NULL };
	struct waymark_reader *batches = open_traces(paths, count, names);

	for (size_t f = 0; f < FIELDS + 4; f++) {
		columns[f] = (struct waymark_column){
			.field = f < info.fields ? (int)f : WAYMARK_COLUMN_TIME,
			.integers = integers[f],
		};
		if (f < FIELDS) {
			columns[f].texts = texts[f];
			columns[f].lengths = lengths[f];
			columns[f].doubles = doubles[f];
		} else {
			columns[f].field = -1 - (int)(f - FIELDS);
		}
	}
	const struct waymark_columns to = { columns, FIELDS + 4, room };

	*gaps = of_batches;
	while ((filled = next_batch(batches, event, &to, &of_batches))) {
		check(filled <= room, "number", row);
		for (size_t i = 0; i < filled; i++, row++) {
			check(next_named(r, info.name, gaps), "end", row);
			compare(r, i, row);
		}
	}
	check(!next_named(r, info.name, gaps), "length of the batches", row);
	check(of_batches.count == gaps->count, "number of gaps", of_batches.count);
	check(of_batches.lost == gaps->lost, "number of lost events", of_batches.lost);
	waymark_reader_close(batches);
	waymark_reader_close(r);
	return row;
}

/* Numbers alone come straight from the packets. */
static void check_sum(char **paths, int count, size_t event)
{
	struct waymark_event_info info = { .size = sizeof(info) };
	struct waymark_reader *r = open_traces(paths, count, NULL);
	const struct waymark_column column = { .field = 0, .integers = integers[0] };
	const struct waymark_columns to = { &column, 1, ROOM };
	struct gaps gaps[2] = { { 0, 0 }, { 0, 0 } };
	uint64_t sums[2] = { 0, 0 };
	size_t filled;
	int turns = 0;

	waymark_reader_event_info(r, event, &info);
	/* Batches and single records by turns: neither loses an event of the other. */
	while ((filled = next_batch(r, event, &to, &gaps[0]))) {
		for (size_t i = 0; i < filled; i++) {
			sums[0] += integers[0][i];
		}
		if (turns++ % 3 == 0 && next_named(r, info.name, &gaps[0])) {
			sums[0] += waymark_reader_u64(r, 0);
		}
	}
	waymark_reader_close(r);
	r = open_traces(paths, count, NULL);
	waymark_reader_event_info(r, event, &info);
	while (next_named(r, info.name, &gaps[1])) {
		sums[1] += waymark_reader_u64(r, 0);
	}
	check(sums[0] == sums[1], info.name, 0);
	check(gaps[0].count == gaps[1].count && gaps[0].lost == gaps[1].lost, "gaps", 0);
	waymark_reader_close(r);
}

/* A full batch passes nothing that follows its last event. */
static void check_between(char **paths, int count, size_t event)
{
	struct waymark_event_info info = { .size = sizeof(info) };
	struct waymark_reader *batches = open_traces(paths, count, NULL);
	struct waymark_reader *r = open_traces(paths, count, NULL);
	const struct waymark_column column = { .field = WAYMARK_COLUMN_TIME,
		.integers = integers[0] };
	const struct waymark_columns to = { &column, 1, 3 };
	struct gaps gaps[2] = { { 0, 0 }, { 0, 0 } };
	uint64_t row = 0;
	size_t filled;

	waymark_reader_event_info(r, event, &info);
	while ((filled = next_batch(batches, event, &to, &gaps[0]))) {
		for (size_t i = 0; i < filled; i++, row++) {
			check(next_named(r, info.name, &gaps[1]), "end", row);
			check(waymark_reader_time(r) == integers[0][i], "time", row);
		}
		if (filled == to.room) {
			int what = waymark_reader_next(r);

			check(waymark_reader_next(batches) == what, "what follows", row);
			check(waymark_reader_time(batches) == waymark_reader_time(r) &&
					waymark_reader_event_index(batches) ==
						waymark_reader_event_index(r),
				"event that follows", row);
		}
	}
	waymark_reader_close(batches);
	waymark_reader_close(r);
}

static void check_contents(char **paths, int count)
{
	struct waymark_reader *r = open_traces(paths, count, NULL);
	struct waymark_trace_info trace = { .size = sizeof(trace) };
	struct waymark_field_info field = { .size = sizeof(field) };

	check(waymark_reader_trace_count(r) == (size_t)count, "number of traces", 0);
	for (int i = 0; i < count; i++) {
		check(waymark_reader_trace_info(r, (size_t)i, &trace) == 0, "trace", 0);
		check(strcmp(trace.path, paths[i]) == 0 && trace.pid > 0, trace.path, 0);
		check(strcmp(trace.process, "ask") == 0 && trace.streams >= 1, trace.process, 0);
	}
	check(waymark_reader_trace_info(r, (size_t)count, &trace) == -1, "no trace", 0);
	check(waymark_reader_event_count(r) == 5, "number of events", 0);
	check(waymark_reader_field_info(r, 0, 1, &field) == 0, "field", 0);
	check(strcmp(field.name, "op") == 0 && field.kind == WAYMARK_FIELD_UNSIGNED, "op", 0);
	check(strcmp(waymark_reader_value_name(r, 0, 1, 2), "flush") == 0, "flush", 0);
	check(!waymark_reader_value_name(r, 0, 1, 3), "no name", 0);
	check(waymark_reader_field_info(r, 0, 0, &field) == 0 && field.is_key, "key", 0);
	check(waymark_reader_field_info(r, 0, 9, &field) == -1, "no field", 0);
	/* A program that was built with less in the struct. */
	memset(&field, 0xFF, sizeof(field));
	field.size = offsetof(struct waymark_field_info, unit);
	check(waymark_reader_field_info(r, 0, 2, &field) == 0, "short", 0);
	check(strcmp(field.name, "bytes") == 0 && field.kind == -1, "short struct", 0);
	waymark_reader_close(r);
}

/* Every record is of a known thread, and inside of its times. */
static void check_threads(char **paths, int count)
{
	struct waymark_reader *r = open_traces(paths, count, NULL);
	struct waymark_thread_info t = { .size = sizeof(t) };
	size_t threads = waymark_reader_thread_count(r);
	uint64_t row = 0;

	check(threads == 3 * (size_t)count, "number of threads", threads);
	check(waymark_reader_thread_info(r, threads, &t) == -1, "no thread", 0);
	while (waymark_reader_next(r) > 0) {
		size_t i = 0;

		while (waymark_reader_thread_info(r, i, &t) == 0 &&
			(t.tid != waymark_reader_tid(r) || t.trace != waymark_reader_trace(r))) {
			i++;
		}
		check(i < threads && t.first_ns <= waymark_reader_time(r) &&
				t.last_ns >= waymark_reader_time(r),
			"time of the thread", row++);
	}
	waymark_reader_close(r);
}

#define TARGETS 50

/* Lines of /proc/self/maps. */
static int count_mappings(void)
{
	FILE *f = fopen("/proc/self/maps", "r");
	int lines = 0;

	for (int c; f && (c = getc(f)) != EOF;) {
		lines += c == '\n';
	}
	check(f && fclose(f) == 0 && lines > 0, "/proc/self/maps", 0);
	return lines;
}

/* Seeks release what they opened; names from before each of them remain. */
static void check_many_seeks(char **paths, int count)
{
	static const char *names[4 * TARGETS];
	static char copies[4 * TARGETS][64];
	struct waymark_trace_info first = { .size = sizeof(first) };
	struct waymark_event_info event = { .size = sizeof(event) };
	struct waymark_reader *r = open_traces(paths, count, NULL);
	struct rlimit limit;
	int mappings = count_mappings();

	check(getrlimit(RLIMIT_NOFILE, &limit) == 0, "limit", 0);
	limit.rlim_cur = 64;
	check(setrlimit(RLIMIT_NOFILE, &limit) == 0, "new limit", 0);
	check(waymark_reader_trace_info(r, 0, &first) == 0, "trace", 0);
	check(waymark_reader_event_info(r, 0, &event) == 0, "event", 0);
	for (size_t i = 0; i < 4 * TARGETS; i++) {
		check(waymark_reader_next(r) == WAYMARK_READ_EVENT, "event after seek", i);
		names[i] = i % 2 ? waymark_reader_field_name(r, 0) : waymark_reader_name(r);
		snprintf(copies[i], sizeof(copies[i]), "%s", names[i]);
		uint64_t to = i % 10 == 9 ? 0 : waymark_reader_time(r) + 1000;

		check(waymark_reader_seek(r, to) == 0, "seek", i);
	}
	check(count_mappings() < mappings + 40 * count, "number of mappings", 0);
	for (size_t i = 0; i < 4 * TARGETS; i++) {
		check(strcmp(names[i], copies[i]) == 0, "kept name", i);
	}
	check(strcmp(first.path, paths[0]) == 0 && strcmp(first.process, "ask") == 0, "info", 0);
	check(strcmp(event.name, "ask_submit") == 0 && strstr(event.format, "disk"), "format", 0);
	check(waymark_reader_seek(r, 0) == 0 && waymark_reader_next(r) > 0, "to the start", 0);
	check(waymark_reader_name(r) == names[0], "pointer of the name", 0);
	waymark_reader_close(r);
}

/* Moves to chosen times, back and forth, and compares what comes there. */
static void check_seek(char **paths, int count)
{
	struct waymark_reader *r = open_traces(paths, count, NULL);
	static uint64_t times[200000];
	size_t n = 0;

	while (waymark_reader_next(r) > 0 && n < sizeof(times) / sizeof(times[0])) {
		times[n++] = waymark_reader_time(r);
	}
	for (size_t i = 0; i < TARGETS; i++) {
		size_t at = i * 7919 % n;
		const char *before = waymark_reader_name(r);

		while (at > 0 && times[at - 1] == times[at]) {
			at--; /* the first of this time */
		}
		check(waymark_reader_seek(r, times[at]) == 0, "seek", at);
		check(waymark_reader_seek(r, times[at]) == 0, "second seek", at);
		check(strlen(before) < 100, "name from before", at);
		for (size_t k = at; k < at + 5 && k < n; k++) {
			check(waymark_reader_next(r) > 0, "record", k);
			check(waymark_reader_time(r) == times[k], "time", k);
			check(waymark_reader_message(r, NULL)[0] != '\0', "message", k);
		}
	}
	check(waymark_reader_seek(r, times[n - 1] + 1) == 0, "behind the end", n);
	check(waymark_reader_next(r) == WAYMARK_READ_END, "end", n);
	check(waymark_reader_seek(r, 0) == 0 && waymark_reader_next(r) > 0, "to the start", 0);
	check(waymark_reader_time(r) == times[0], "first time", 0);
	waymark_reader_close(r);
}

int main(int argc, char **argv)
{
	static const size_t rooms[] = { 1, 7, ROOM };
	int has_gaps = argc > 1 && strcmp(argv[1], "--gaps") == 0;
	char **paths = argv + 1 + has_gaps;
	int count = argc - 1 - has_gaps;
	struct gaps gaps = { 0, 0 };
	uint64_t events = 0;

	if (!has_gaps) {
		check_contents(paths, count);
		check_threads(paths, count);
		check_seek(paths, count);
		check_many_seeks(paths, count);
	}
	for (size_t event = 0; event < 5; event++) {
		for (size_t i = 0; i < sizeof(rooms) / sizeof(rooms[0]); i++) {
			events += check_event(paths, count, event, rooms[i], &gaps);
		}
		check_sum(paths, count, event);
		check_between(paths, count, event);
	}
	printf("%" PRIu64 " events", events / 3);
	if (has_gaps) {
		printf(", %" PRIu64 " gaps, %" PRIu64 " lost", gaps.count, gaps.lost);
	}
	printf("\n");
	return 0;
}
