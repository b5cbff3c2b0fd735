/* SPDX-License-Identifier: MIT */
/*
 * What `waymark top` shows, as text and as JSON. A table has the columns that fit into the width,
 * the most important ones first; names come last, because they may be cut.
 */
#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/compiler.h"
#include "cmd/columns.h"
#include "cmd/escaped.h"
#include "cmd/report/aggregates.h"
#include "cmd/top/top.h"
#include "view/aggregates.h"
#include "view/gap.h"
#include "view/message/json.h"

const char *const top_orders[TOP_ORDERS] = {
	[RATES_ORDER_RATE] = "rate",
	[RATES_ORDER_EVENTS] = "events",
	[RATES_ORDER_LOST] = "lost",
	[RATES_ORDER_P99] = "p99",
	[RATES_ORDER_NAME] = "name",
};

const char *const top_bys[TOP_BYS] = {
	[RATES_BY_EVENT] = "event",
	[RATES_BY_THREAD] = "thread",
	[RATES_BY_CATEGORY] = "category",
};

static const char *const states[] = {
	[WATCH_WAITS] = "waits",
	[WATCH_RECORDS] = "records",
	[WATCH_ENDED] = "ended",
	[WATCH_FAILED] = "failed",
};

/* ---- Names ---- */

/* Reads the name of a thread from the kernel; "" if it has ended, or has other numbers here. */
static void read_thread_name(char *name, size_t size, const struct rates_row *row)
{
	const struct rates_row_key *key = &row->key;
	char path[80];

	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/task/%" PRIu32 "/comm", key->pid, key->tid);
	FILE *f = row->is_elsewhere ? NULL : fopen(path, "re");

	if (!f || !fgets(name, (int)size, f)) {
		*name = '\0';
	}
	if (f) {
		fclose(f);
	}
	name[strcspn(name, "\n")] = '\0';
}

static void put_name(struct columns *c, const struct rates_row *row)
{
	char comm[64];
	char *text = NULL;
	size_t size;
	FILE *to = memory_stream(&text, &size);

	fputs(row->is_part ? "  " : "", to);
	if (row->field) {
		fprintf(to, "%s %s", row->field, row->name ? row->name : "(others)");
	} else if (row->name) {
		fputs(*row->name ? row->name : "(no category)", to);
	} else if (row->key.tid) {
		read_thread_name(comm, sizeof(comm), row);
		fprintf(to, "%" PRIu32 " %s", row->key.tid, comm);
	} else {
		fputs("(other threads)", to);
	}
	fclose(to);
	columns_put(c, text);
	free(text);
}

/* ---- Numbers ---- */

static void put_rate(struct columns *c, double rate)
{
	char text[32];

	if (rate > 0 && rate < 99.95) {
		snprintf(text, sizeof(text), "%.1f", rate);
		columns_put(c, text);
	} else {
		columns_put_number(c, (uint64_t)(rate + 0.5));
	}
}

static void put_row_rate(struct columns *c, const struct rates_row *row)
{
	put_rate(c, row->rate);
}

static void put_events(struct columns *c, const struct rates_row *row)
{
	columns_put_number(c, row->events);
}

static void put_lost(struct columns *c, const struct rates_row *row)
{
	if (row->key.by != RATES_BY_THREAD) {
		columns_put(c, "-"); /* lost events have no names */
	} else {
		columns_put_number(c, losses_events(&row->losses));
	}
}

struct column {
	const char *title;
	int width; /* of the screen that it needs */
	void (*put)(struct columns *c, const struct rates_row *row); /* NULL: a latency */
	/* Of a latency, in the row: */
	size_t latency;
	size_t number;
};

#define LATENCY(part, what) \
	NULL, offsetof(struct rates_row, part), offsetof(struct rates_row, part.what)

static const struct column columns[] = {
	{ "RATE", 0, put_row_rate, 0, 0 },
	{ "EVENTS", 30, put_events, 0, 0 },
	{ "LOST", 38, put_lost, 0, 0 },
	{ "P50", 60, LATENCY(last, p50) },
	{ "P99", 60, LATENCY(last, p99) },
	{ "MAX", 60, LATENCY(last, max) },
	{ "ALL-P50", 100, LATENCY(all, p50) },
	{ "ALL-P99", 100, LATENCY(all, p99) },
	{ "ALL-MAX", 100, LATENCY(all, max) },
	{ "-NAME", 0, put_name, 0, 0 },
};

static void put_cell(struct columns *c, const struct column *column, const struct rates_row *row)
{
	struct rates_latency latency;
	uint64_t ns;

	if (column->put) {
		column->put(c, row);
		return;
	}
	memcpy(&latency, (const char *)row + column->latency, sizeof(latency));
	memcpy(&ns, (const char *)row + column->number, sizeof(ns));
	if (latency.count) {
		columns_put_time(c, ns);
	} else {
		columns_put(c, "-");
	}
}

static bool have_latencies(const struct rates_rows *rows)
{
	vec_foreach (const struct rates_row *, row, &rows->all) {
		if (row->all.count) {
			return true;
		}
	}
	return false;
}

void top_put_rows(FILE *to, const struct rates_rows *rows, int width)
{
	const struct column *shown[ARRAY_SIZE(columns)];
	bool latencies = have_latencies(rows);
	char titles[200] = "";
	size_t count = 0;
	struct columns c;

	for (size_t i = 0; i < ARRAY_SIZE(columns); i++) {
		if (width >= columns[i].width && (latencies || columns[i].put)) {
			strcat(strcat(titles, count ? " " : ""), columns[i].title);
			shown[count++] = &columns[i];
		}
	}
	columns_init(&c, titles);
	vec_foreach (const struct rates_row *, row, &rows->all) {
		for (size_t i = 0; i < count; i++) {
			put_cell(&c, shown[i], row);
		}
	}
	columns_print(&c, to);
	columns_fini(&c);
}

/* ---- The state of a process ---- */

static void put_quantity(FILE *to, double rate)
{
	fprintf(to, rate > 0 && rate < 99.95 ? "%.1f" : "%.0f", rate);
}

/* Prints what was not counted, and why. */
static void put_skipped(FILE *to, const struct watch *w)
{
	double lag = (double)watch_lag(w) / 1e9;

	if (lag >= 1) {
		fprintf(to, "reading is %.1f s behind\n", lag);
	}
	if (w->rates.skipped_ns) {
		fprintf(to, "too slow to read all: skipped %.1f s",
			(double)w->rates.skipped_ns / 1e9);
		if (!w->is_skipped_unknown) {
			fprintf(to, ", about %" PRIu64 " events", w->skipped_events);
		}
		fputc('\n', to);
	}
	if (w->rates.dropped) {
		fprintf(to, "%" PRIu64 " pairs without an end were forgotten\n", w->rates.dropped);
	}
}

static void put_problem(FILE *to, const struct watch *w)
{
	if (w->state == WATCH_WAITS) {
		fputs(w->process.is_jailed
				? "in a jail, without a trace yet: waymark drain writes it\n"
				: "it has no trace yet: its first event makes it\n",
			to);
	} else if (w->state == WATCH_FAILED) {
		escaped_printf(to, "cannot be read any more: %s", w->error.text);
		fputc('\n', to);
	} else if (w->problems) {
		escaped_printf(to, "%" PRIu64 " records could not be read: %s", w->problems,
			w->error.text);
		fputc('\n', to);
	}
}

/* Prints what is missing, and how much of it a second. */
static void put_losses(FILE *to, const struct rates *r)
{
	struct out text;

	out_init(&text, OUT_TO_MEMORY);
	gap_put_text(&text, &r->losses);
	fputs(", ", to);
	put_quantity(to, rates_per_second(r, r->window_lost));
	fprintf(to, " lost/s; %.*s", (int)text.len, text.data);
	out_fini(&text);
}

void top_put_state(FILE *to, const struct watch *w, const struct rates_view *view)
{
	const struct rates *r = &w->rates;

	escaped_printf(to, "%s %" PRIu32 ": ", w->process.command, w->process.pid);
	put_quantity(to, rates_per_second(r, r->window));
	fprintf(to, " events/s%s", w->state == WATCH_ENDED ? ", ended" : "");
	if (losses_events(&r->losses) || losses_packets(&r->losses)) {
		put_losses(to, r);
	}
	fprintf(to, "\n%" PRIu64 " events in %.2f s, the last %.2f s by %s", r->events,
		(double)(r->end_ns - r->from_ns - (int64_t)r->skipped_ns) / 1e9, rates_seconds(r),
		top_bys[view->by]);
	if (view->filter) {
		escaped_printf(to, ", only %s", view->filter->text);
	}
	if (w->process.totals.events) {
		fprintf(to, "; %" PRIu32 " of %" PRIu32 " events on", w->process.totals.events_on,
			w->process.totals.events);
	}
	fputc('\n', to);
	put_skipped(to, w);
	put_problem(to, w);
}

/* ---- Processes ---- */

static void put_process(struct columns *c, const struct top_process *p, int width)
{
	const struct buffer_totals *t = &p->it.totals;
	char text[64];

	snprintf(text, sizeof(text), "%" PRIu32, p->it.pid);
	columns_put(c, text);
	if (p->has_rate) {
		put_rate(c, p->rate);
	} else {
		columns_put(c, "-");
	}
	if (width >= 50 && t->events) {
		columns_put_number(c, t->recorded);
		columns_put_number(c, t->lost);
		snprintf(text, sizeof(text), "%" PRIu32 "/%" PRIu32, t->events_on, t->events);
		columns_put(c, text);
	} else if (width >= 50) {
		columns_put(c, "-");
		columns_put(c, "-");
		columns_put(c, "-");
	}
	columns_put(c, p->it.command[0] ? p->it.command : "?");
	if (width >= 70) {
		columns_put(c, p->it.directory);
	}
}

void top_put_processes(FILE *to, const struct top_processes *list, int width)
{
	struct columns c;

	columns_init(&c, width >= 70   ? "PID RATE RECORDED LOST EVENTS -PROGRAM -TRACE"
			 : width >= 50 ? "PID RATE RECORDED LOST EVENTS -PROGRAM"
				       : "PID RATE -PROGRAM");
	vec_foreach (const struct top_process *, p, &list->all) {
		put_process(&c, p, width);
	}
	columns_print(&c, to);
	columns_fini(&c);
}

/* ---- JSON ---- */

static void put_json_counts(struct out *out, const struct rates_row *row)
{
	out_printf(out, "\"events\":%" PRIu64 ",\"rate\":%.3f", row->events, row->rate);
}

static void put_json_row(struct out *out, const struct rates_row *row)
{
	char comm[64];

	if (row->name) {
		json_out_member(out, "name", row->name);
	} else {
		read_thread_name(comm, sizeof(comm), row);
		json_out_member(out, "name", comm);
		out_printf(out, "\"pid\":%" PRIu32 ",\"tid\":%" PRIu32 ",", row->key.pid,
			row->key.tid);
	}
	put_json_counts(out, row);
	if (!row->name) {
		out_char(out, ',');
		gap_put_json(out, &row->losses);
	}
	if (row->all.count) {
		out_printf(out,
			",\"latency\":{\"count\":%" PRIu64 ",\"p50_ns\":%" PRIu64
			",\"p99_ns\":%" PRIu64 ",\"max_ns\":%" PRIu64 "}",
			row->all.count, row->all.p50, row->all.p99, row->all.max);
	}
}

/* Puts the rows of values from `i` on into the object of their event; returns the next row. */
static size_t put_json_values(struct out *out, const struct rates_rows *rows, size_t i)
{
	const struct rates_row *row = &rows->all.items[i];
	const char *before = "";

	if (i >= rows->all.count || !row->field) {
		return i;
	}
	out_char(out, ',');
	json_out_member(out, "per", row->field);
	out_str(out, "\"values\":[");
	for (; i < rows->all.count && row->field && row->name; row = &rows->all.items[++i]) {
		out_printf(out, "%s\n  {", before);
		json_out_member(out, "value", row->name);
		put_json_counts(out, row);
		out_char(out, '}');
		before = ",";
	}
	out_char(out, ']');
	if (i < rows->all.count && row->field) {
		out_str(out, ",\"others\":{");
		put_json_counts(out, row);
		out_char(out, '}');
		i++;
	}
	return i;
}

static void put_json_skipped(struct out *out, const struct watch *w)
{
	out_printf(out,
		"\"skipped\":{\"seconds\":%.3f,\"events\":", (double)w->rates.skipped_ns / 1e9);
	if (w->is_skipped_unknown) {
		out_str(out, "null");
	} else {
		out_printf(out, "%" PRIu64, w->skipped_events);
	}
	out_printf(out, "},\"problems\":%" PRIu64 ",", w->problems);
}

void top_put_json(struct out *out, const struct watch *w, const struct rates_view *view)
{
	const struct rates *r = &w->rates;
	struct rates_rows rows;

	watch_rows(w, view, &rows);
	out_printf(out, "{\"pid\":%" PRIu32 ",", w->process.pid);
	json_out_member(out, "program", w->process.command);
	json_out_member(out, "trace", w->process.directory);
	json_out_member(out, "state", states[w->state]);
	out_printf(out, "\"seconds\":%.6f,\"events\":%" PRIu64 ",\"rate\":%.3f,", rates_seconds(r),
		r->events, rates_per_second(r, r->window));
	gap_put_json(out, &r->losses);
	out_char(out, ',');
	put_json_skipped(out, w);
	json_out_member(out, "by", top_bys[view->by]);
	out_str(out, "\n\"rows\":[");
	for (size_t i = 0; i < rows.all.count;) {
		out_str(out, i ? ",\n {" : "\n {");
		put_json_row(out, &rows.all.items[i]);
		i = put_json_values(out, &rows, i + 1);
		out_char(out, '}');
	}
	out_str(out, "],\n\"aggregates\":");
	aggregates_put_json_rows(out, &w->aggregates);
	out_str(out, "}\n");
	rates_rows_fini(&rows);
}

void top_put_aggregates(FILE *to, const struct watch *w)
{
	for (size_t i = 0; i < w->aggregates.tables.count; i++) {
		fputc('\n', to);
		aggregates_put_table(to, w->aggregates.tables.items[i]);
	}
}

void top_put_processes_json(struct out *out, const struct top_processes *list)
{
	vec_foreach (const struct top_process *, p, &list->all) {
		const struct buffer_totals *t = &p->it.totals;

		out_printf(out, "{\"pid\":%" PRIu32 ",", p->it.pid);
		json_out_member(out, "program", p->it.command);
		json_out_member(out, "trace", p->it.directory);
		if (p->has_rate) {
			out_printf(out, "\"rate\":%.3f,", p->rate);
		} else {
			out_str(out, "\"rate\":null,");
		}
		if (t->events) {
			out_printf(out,
				"\"recorded\":%" PRIu64 ",\"lost\":%" PRIu64 ",\"events\":%" PRIu32
				",\"events-on\":%" PRIu32 "}\n",
				t->recorded, t->lost, t->events, t->events_on);
		} else {
			out_str(out,
				"\"recorded\":null,\"lost\":null,\"events\":null,\"events-on\":null}\n");
		}
	}
}
