/* SPDX-License-Identifier: MIT */
/*
 * riscv-report TRACE: what a trace of the machine tells of its guest, and from
 * nothing else. The exit status is 1 when it cannot be read to its end, or is of
 * another program. Each event's row says which fields it has to have.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <waymark/reader.h>

#include "report.h"

struct report {
	const char *path;
	struct waymark_reader *reader;
	struct functions functions;
	struct harts harts;
	struct requests requests;
	struct known *known; /* by the reader's index of events */
	size_t known_count;
	uint64_t events; /* of the guest */
	uint64_t lost;
	uint64_t lost_packets;
};

struct row {
	const char *event;
	const char *fields[RECORD_VALUES];
	void (*take)(struct report *report, const struct record *record);
};

/* A row, and where in the event's fields its own are. */
struct known {
	bool looked_up;
	const struct row *row; /* NULL: the event tells nothing of the guest's path */
	size_t fields[RECORD_VALUES];
};

static void __attribute__((noreturn)) die(const char *path, const char *what)
{
	fprintf(stderr, "riscv-report: %s%s%s\n", path, *path ? ": " : "", what);
	exit(EXIT_FAILURE);
}

void *report_resize(void *old, size_t bytes)
{
	void *new = realloc(old, bytes ? bytes : 1);

	if (!new) {
		die("", "out of memory");
	}
	return new;
}

/* Of the events that have `cpu` as their first field. */
static struct hart *get_hart(struct report *report, const struct record *record)
{
	struct hart *hart = harts_get(&report->harts, record->values[0]);

	if (!hart) {
		die(report->path,
			"more harts than the machine has: its events are of another program");
	}
	hart->thread = record->thread;
	return hart;
}

static struct hart *get_numbered_hart(struct report *report, const struct record *record)
{
	struct hart *hart = get_hart(report, record);

	hart->number = record->values[1];
	return hart;
}

static void take_function(struct report *report, const struct record *record)
{
	functions_add(&report->functions, record->values[0], record->text);
}

static void take_hart_start(struct report *report, const struct record *record)
{
	get_numbered_hart(report, record);
}

static void take_hart_stop(struct report *report, const struct record *record)
{
	struct hart *hart = get_numbered_hart(report, record);

	path_pause(&hart->path, record->ns);
	hart->ended = true;
	hart->counted = record->values[2];
}

static void take_hart_wait(struct report *report, const struct record *record)
{
	path_pause(&get_numbered_hart(report, record)->path, record->ns);
}

static void take_hart_wake(struct report *report, const struct record *record)
{
	struct hart *hart = get_numbered_hart(report, record);

	hart->slept += path_resume(&hart->path, record->ns);
}

static void take_block(struct report *report, const struct record *record)
{
	struct hart *hart = get_hart(report, record);
	uint64_t pc = record->values[1];

	hart->blocks++;
	hart->instructions += record->values[2];
	path_block(
		&hart->path, record, functions_find(&report->functions, pc), pc, record->values[2]);
}

static void take_memory(struct report *report, const struct record *record)
{
	get_hart(report, record)->accesses++;
}

static void take_trap(struct report *report, const struct record *record)
{
	struct hart *hart = get_numbered_hart(report, record);

	hart->traps++;
	hart->instructions -= path_trap(&hart->path, record->values[2]);
}

static void take_interrupt(struct report *report, const struct record *record)
{
	struct hart *hart = get_numbered_hart(report, record);

	hart->interrupts++;
	path_interrupt(&hart->path);
}

static void take_mret(struct report *report, const struct record *record)
{
	path_return(&get_numbered_hart(report, record)->path);
}

static void take_submit(struct report *report, const struct record *record)
{
	requests_submit(&report->requests, record);
}

static void take_begin(struct report *report, const struct record *record)
{
	requests_begin(&report->requests, record);
}

static void take_complete(struct report *report, const struct record *record)
{
	requests_complete(&report->requests, record);
}

static const struct row rows[] = {
	{ "guest_function", { "address", "name" }, take_function },
	{ "guest_hart_start", { "cpu", "hart" }, take_hart_start },
	{ "guest_hart_stop", { "cpu", "hart", "instructions" }, take_hart_stop },
	{ "guest_hart_wait", { "cpu", "hart" }, take_hart_wait },
	{ "guest_hart_wake", { "cpu", "hart" }, take_hart_wake },
	{ "guest_block_exec", { "cpu", "pc", "instructions" }, take_block },
	{ "guest_memory_exec", { "cpu" }, take_memory },
	{ "guest_trap", { "cpu", "hart", "pc" }, take_trap },
	{ "guest_interrupt", { "cpu", "hart" }, take_interrupt },
	{ "guest_mret", { "cpu", "hart" }, take_mret },
	{ "guest_disk_submit", { "request", "sector", "sectors", "op" }, take_submit },
	{ "guest_disk_begin", { "request" }, take_begin },
	{ "guest_disk_complete", { "request", "status" }, take_complete },
};

static const struct row *find_row(const char *event)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (strcmp(rows[i].event, event) == 0) {
			return &rows[i];
		}
	}
	return NULL;
}

static void look_up(struct report *report, struct known *known)
{
	struct waymark_reader *r = report->reader;

	*known = (struct known){ .looked_up = true, .row = find_row(waymark_reader_name(r)) };
	for (int i = 0; known->row && i < RECORD_VALUES && known->row->fields[i]; i++) {
		int field = waymark_reader_field_find(r, known->row->fields[i]);

		if (field < 0) {
			fprintf(stderr,
				"riscv-report: %s: %s has no field '%s': it is of another program\n",
				report->path, known->row->event, known->row->fields[i]);
			exit(EXIT_FAILURE);
		}
		known->fields[i] = (size_t)field;
	}
}

/* What is known of the event that the reader stands at. */
static const struct known *get_known(struct report *report)
{
	size_t index = waymark_reader_event_index(report->reader);

	while (report->known_count <= index) {
		report->known = report_resize(
			report->known, (report->known_count + 1) * sizeof(*report->known));
		report->known[report->known_count++].looked_up = false;
	}
	if (!report->known[index].looked_up) {
		look_up(report, &report->known[index]);
	}
	return &report->known[index];
}

static void copy_text(struct record *record, struct waymark_reader *r, size_t field)
{
	size_t length;
	const char *text = waymark_reader_string(r, field, &length);

	if (text) {
		snprintf(record->text, sizeof(record->text), "%.*s", (int)length, text);
	}
}

static void take_event(struct report *report)
{
	struct waymark_reader *r = report->reader;
	const struct known *known = get_known(report);
	struct record record = { .ns = waymark_reader_time(r), .thread = waymark_reader_tid(r) };

	if (!known->row) {
		return;
	}
	for (int i = 0; i < RECORD_VALUES && known->row->fields[i]; i++) {
		if (waymark_reader_field_kind(r, known->fields[i]) == WAYMARK_FIELD_STRING) {
			copy_text(&record, r, known->fields[i]);
		} else {
			record.values[i] = waymark_reader_u64(r, known->fields[i]);
		}
	}
	report->events++;
	known->row->take(report, &record);
}

static void take_gap(struct report *report)
{
	report->lost += waymark_reader_lost(report->reader);
	report->lost_packets += waymark_reader_lost_packets(report->reader);
	harts_forget(&report->harts, waymark_reader_tid(report->reader));
}

/* Returns false when a part of the trace could not be read. */
static bool read_trace(struct report *report)
{
	bool complete = true;
	int what;

	while ((what = waymark_reader_next(report->reader)) != WAYMARK_READ_END) {
		if (what == WAYMARK_READ_EVENT) {
			take_event(report);
		} else if (what == WAYMARK_READ_GAP) {
			take_gap(report);
		} else {
			fprintf(stderr, "riscv-report: %s: %s\n", report->path,
				waymark_reader_error(report->reader));
			complete = false;
		}
		if (what == WAYMARK_READ_DAMAGED) {
			break;
		}
	}
	return complete;
}

static void print_report(struct report *report)
{
	if (report->lost || report->lost_packets) {
		printf("%" PRIu64 " events", report->lost);
		if (report->lost_packets) {
			printf(" and %" PRIu64 " packets of events", report->lost_packets);
		}
		printf(" are lost: counts are too low, paths have holes\n");
	}
	harts_print(&report->harts);
	requests_print(&report->requests);
}

int main(int argc, char **argv)
{
	static struct report report;
	char error[512];

	if (argc != 2 || argv[1][0] == '-') {
		fprintf(stderr, "usage: riscv-report TRACE\n"
				"Tells of the guest from a trace of `riscv --trace 'guest_*'`.\n");
		return 2;
	}
	report.path = argv[1];
	report.reader = waymark_reader_open(argv[1], NULL, error, sizeof(error));
	if (!report.reader) {
		die(argv[1], error);
	}
	bool complete = read_trace(&report);

	if (report.harts.count == 0) {
		die(argv[1], "no events of a guest's harts: was it `riscv --trace 'guest_*'`?");
	}
	print_report(&report);
	waymark_reader_close(report.reader);
	requests_fini(&report.requests);
	harts_fini(&report.harts);
	functions_fini(&report.functions);
	free(report.known);
	return complete ? EXIT_SUCCESS : EXIT_FAILURE;
}
