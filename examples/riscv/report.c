/* SPDX-License-Identifier: MIT */
/*
 * riscv-report TRACE: prints what a guest did, from nothing but a trace of `riscv --trace
 * 'guest_*'`. Reads each event by waymark/reader.h, follows each hart's path through the guest's
 * functions, and prints the path at the end. Events may be missing, and in any order. The exit
 * status is 1 if the trace cannot be read to its end, or was written by another program.
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <waymark/reader.h>

#define HARTS 64 /* the machine has fewer */
#define UNKNOWN UINT64_MAX
#define DEPTH 48 /* nested calls; deeper ones count for the last function */
#define ROWS 40 /* rows of a hart's tree: one screen */

struct function {
	uint64_t address; /* address of the first instruction */
	char name[64];
	struct function *next;
};

/* A function with one chain of callers: a node in the tree of a hart's calls. */
struct node {
	const struct function *function;
	bool handler; /* handles traps and interrupts, so no instruction called it */
	struct node *children; /* in the order of their first calls */
	struct node *next;
	uint64_t calls;
	uint64_t instructions; /* without those of called functions */
	uint64_t ns;
};

struct frame {
	struct node *node;
	uint64_t from; /* end address of the caller's last block */
};

struct hart {
	uint64_t cpu; /* address that identifies the hart */
	uint64_t number;
	uint32_t thread;
	uint64_t instructions; /* counted from its blocks */
	uint64_t counted; /* counted by the machine, when the hart stops */
	uint64_t blocks;
	uint64_t accesses;
	uint64_t traps;
	uint64_t interrupts;
	uint64_t slept; /* ns */

	struct node root; /* belongs to no function */
	struct frame frames[DEPTH];
	unsigned int depth; /* number of frames; 0: the function is unknown */
	uint64_t block; /* address of the last block */
	uint64_t block_end;
	uint64_t since; /* ns: until then time is counted; 0: count from the next event */
	bool trapped; /* the next block is the handler's */
};

struct report {
	const char *path;
	struct waymark_reader *reader;
	struct function *functions; /* the highest address first */
	struct hart harts[HARTS];
	unsigned int hart_count;
	char *output; /* output of the guest */
	size_t output_bytes;
	uint64_t lost_events;
	uint64_t lost_packets;
};

__attribute__((noreturn)) static void fail(const char *path, const char *what)
{
	fprintf(stderr, "riscv-report: %s: %s\n", path, what);
	exit(EXIT_FAILURE);
}

static void *resize(void *old, size_t bytes)
{
	void *new = realloc(old, bytes);

	if (!new) {
		fail("memory", "out of memory");
	}
	return new;
}

/* Returns the index of the event's field. */
static size_t find_field(struct report *report, const char *name)
{
	int field = waymark_reader_field_find(report->reader, name);

	if (field < 0) {
		fail(report->path, "its events have other fields: it is of another program");
	}
	return (size_t)field;
}

static uint64_t number(struct report *report, const char *field)
{
	return waymark_reader_u64(report->reader, find_field(report, field));
}

/* Returns the last function that begins at or before the address. */
static const struct function *find_function(const struct report *report, uint64_t address)
{
	static const struct function unnamed = { .name = "?" };
	const struct function *function = report->functions;

	while (function && function->address > address) {
		function = function->next;
	}
	return function ? function : &unnamed;
}

static void take_function(struct report *report)
{
	struct function *function = resize(NULL, sizeof(*function));
	struct function **link = &report->functions;
	size_t length = 0;
	const char *name =
		waymark_reader_string(report->reader, find_field(report, "name"), &length);

	function->address = number(report, "address");
	snprintf(function->name, sizeof(function->name), "%.*s", (int)length, name ? name : "");
	while (*link && (*link)->address > function->address) {
		link = &(*link)->next;
	}
	function->next = *link;
	*link = function;
}

/* Returns the hart of the event. */
static struct hart *get_hart(struct report *report)
{
	uint64_t cpu = number(report, "cpu");
	struct hart *hart = report->harts;

	while (hart < report->harts + report->hart_count && hart->cpu != cpu) {
		hart++;
	}
	if (hart == report->harts + HARTS) {
		fail(report->path,
			"more harts than the machine has: its events are of another program");
	}
	if (hart == report->harts + report->hart_count) {
		*hart = (struct hart){ .cpu = cpu, .number = UNKNOWN, .counted = UNKNOWN };
		report->hart_count++;
	}
	hart->thread = waymark_reader_tid(report->reader);
	return hart;
}

static void call(struct hart *hart, const struct function *function, bool handler)
{
	struct node *parent = hart->depth ? hart->frames[hart->depth - 1].node : &hart->root;
	struct node **link = &parent->children;

	if (hart->depth == DEPTH) {
		return;
	}
	while (*link && ((*link)->function != function || (*link)->handler != handler)) {
		link = &(*link)->next;
	}
	if (!*link) {
		*link = resize(NULL, sizeof(**link));
		**link = (struct node){ .function = function, .handler = handler };
	}
	(*link)->calls++;
	hart->frames[hart->depth++] = (struct frame){ *link, hart->block_end };
}

/* Handlers return only by mret, so frames below a handler's are no candidates. */
static bool return_to(struct hart *hart, const struct function *function)
{
	for (unsigned int i = hart->depth; i-- > 0;) {
		if (hart->frames[i].node->function == function) {
			hart->depth = i + 1;
			return true;
		}
		if (hart->frames[i].node->handler) {
			break;
		}
	}
	return false;
}

/*
 * A jump to a function's first instruction is a call, a jump into the middle of a function
 * that has called is a return. A function that jumps to its own beginning is a loop.
 */
static void enter_block(struct hart *hart, const struct function *function, uint64_t pc)
{
	bool is_first = pc == function->address;

	if (hart->trapped) {
		call(hart, function, true);
		hart->trapped = false;
		return;
	}
	if (hart->depth && hart->frames[hart->depth - 1].node->function == function) {
		return;
	}
	if (hart->depth && is_first && pc != hart->block_end) {
		call(hart, function, false);
	} else if (!return_to(hart, function)) {
		/* The call happened before the trace began, or in a gap of the trace. */
		while (!is_first && hart->depth && !hart->frames[hart->depth - 1].node->handler) {
			hart->depth--;
		}
		call(hart, function, false);
	}
}

/* Returns the time since the hart's last event and marks it as counted. */
static uint64_t pass(struct hart *hart, uint64_t ns)
{
	uint64_t took = hart->since && ns > hart->since ? ns - hart->since : 0;

	hart->since = ns;
	return took;
}

/* Adds the time until now to the function where the hart was. */
static void spend(struct hart *hart, uint64_t ns)
{
	uint64_t took = pass(hart, ns);

	if (hart->depth) {
		hart->frames[hart->depth - 1].node->ns += took;
	}
}

static void take_block(struct report *report)
{
	struct hart *hart = get_hart(report);
	uint64_t pc = number(report, "pc"), instructions = number(report, "instructions");

	hart->blocks++;
	hart->instructions += instructions;
	spend(hart, waymark_reader_time(report->reader));
	enter_block(hart, find_function(report, pc), pc);
	hart->frames[hart->depth - 1].node->instructions += instructions;
	hart->block = pc;
	hart->block_end = pc + 4 * instructions;
}

static void take_memory(struct report *report)
{
	get_hart(report)->accesses++;
}

/* Instructions of the block from the trap on were not executed. */
static void take_trap(struct report *report)
{
	struct hart *hart = get_hart(report);
	uint64_t pc = number(report, "pc");

	hart->traps++;
	hart->trapped = true;
	if (hart->depth && pc >= hart->block && pc < hart->block_end) {
		uint64_t missing = (hart->block_end - pc) / 4;

		hart->instructions -= missing;
		hart->frames[hart->depth - 1].node->instructions -= missing;
		hart->block = hart->block_end = pc + 4;
	}
}

static void take_interrupt(struct report *report)
{
	struct hart *hart = get_hart(report);

	hart->interrupts++;
	hart->trapped = true;
}

static void take_mret(struct report *report)
{
	struct hart *hart = get_hart(report);

	for (unsigned int i = hart->depth; i-- > 0;) {
		if (hart->frames[i].node->handler) {
			hart->block = hart->block_end = hart->frames[i].from;
			hart->depth = i;
			return;
		}
	}
}

static void take_start(struct report *report)
{
	get_hart(report)->number = number(report, "hart");
}

static void take_wait(struct report *report)
{
	spend(get_hart(report), waymark_reader_time(report->reader));
}

static void take_wake(struct report *report)
{
	struct hart *hart = get_hart(report);

	hart->slept += pass(hart, waymark_reader_time(report->reader));
}

static void take_stop(struct report *report)
{
	struct hart *hart = get_hart(report);

	spend(hart, waymark_reader_time(report->reader));
	hart->counted = number(report, "instructions");
}

static void take_output(struct report *report)
{
	report->output = resize(report->output, report->output_bytes + 1);
	report->output[report->output_bytes++] = number(report, "byte");
}

static void take_event(struct report *report)
{
	static const struct {
		const char *event;
		void (*take)(struct report *report);
	} rows[] = {
		{ "guest_block_exec", take_block },
		{ "guest_memory_exec", take_memory },
		{ "guest_trap", take_trap },
		{ "guest_interrupt", take_interrupt },
		{ "guest_mret", take_mret },
		{ "guest_hart_start", take_start },
		{ "guest_hart_wait", take_wait },
		{ "guest_hart_wake", take_wake },
		{ "guest_hart_stop", take_stop },
		{ "guest_output", take_output },
		{ "guest_function", take_function },
	};
	const char *name = waymark_reader_name(report->reader);

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (strcmp(rows[i].event, name) == 0) {
			rows[i].take(report);
			return;
		}
	}
}

/* After a gap the harts of its thread can be anywhere. */
static void take_gap(struct report *report)
{
	report->lost_events += waymark_reader_lost(report->reader);
	report->lost_packets += waymark_reader_lost_packets(report->reader);
	for (unsigned int i = 0; i < report->hart_count; i++) {
		if (report->harts[i].thread == waymark_reader_tid(report->reader)) {
			report->harts[i].depth = 0;
			report->harts[i].since = 0;
			report->harts[i].trapped = false;
		}
	}
}

/* Returns false if a part of the trace could not be read. */
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
			if (what == WAYMARK_READ_DAMAGED) {
				break;
			}
		}
	}
	return complete;
}

/* Prints a number, which may be unknown. */
static void print_number(const char *format, uint64_t number)
{
	char text[24] = "?";

	if (number != UNKNOWN) {
		snprintf(text, sizeof(text), "%" PRIu64, number);
	}
	printf(format, text);
}

/* The recursion is bounded: calls do not nest deeper than DEPTH. */
static void add_up(const struct node *node, struct node *sum)
{
	sum->instructions += node->instructions;
	sum->ns += node->ns;
	for (const struct node *n = node->children; n; n = n->next) {
		add_up(n, sum);
	}
}

/* Returns the number of rows, both printed and left out. */
static unsigned int print_nodes(const struct node *node, int depth, unsigned int row)
{
	for (; node; node = node->next) {
		struct node sum = { 0 };

		if (row++ < ROWS) {
			add_up(node, &sum);
			printf("%10" PRIu64 " %13" PRIu64 " %13" PRIu64 " %12.1f  %*s%s%s\n",
				node->calls, node->instructions, sum.instructions, sum.ns / 1e3,
				2 * depth, "", node->function->name,
				node->handler ? " (trap or interrupt)" : "");
		}
		row = print_nodes(node->children, depth + 1, row);
	}
	return row;
}

static void print_path(const struct hart *hart)
{
	print_number("\nhart %s: its path\n", hart->number);
	printf("%10s %13s %13s %12s  %s\n", "calls", "instructions", "with callees", "time us",
		"function");
	unsigned int count = print_nodes(hart->root.children, 0, 0);

	if (count > ROWS) {
		printf("%10s and %u more\n", "...", count - ROWS);
	}
}

static int by_number(const void *a, const void *b)
{
	const struct hart *x = a, *y = b;

	return (x->number > y->number) - (x->number < y->number);
}

static void print_report(struct report *report)
{
	if (report->lost_events || report->lost_packets) {
		printf("%" PRIu64 " events and %" PRIu64
		       " packets of events are lost: counts are too low, paths have holes\n",
			report->lost_events, report->lost_packets);
	}
	qsort(report->harts, report->hart_count, sizeof(report->harts[0]), by_number);
	printf("%4s  %-16s %13s %13s %11s %11s %7s %10s %12s\n", "hart", "cpu", "instructions",
		"machine's", "blocks", "accesses", "traps", "interrupts", "slept us");
	for (const struct hart *hart = report->harts; hart < report->harts + report->hart_count;
		hart++) {
		print_number("%4s", hart->number);
		printf("  0x%-14" PRIx64 " %13" PRIu64, hart->cpu, hart->instructions);
		print_number(" %13s", hart->counted);
		printf(" %11" PRIu64 " %11" PRIu64 " %7" PRIu64 " %10" PRIu64 " %12.1f\n",
			hart->blocks, hart->accesses, hart->traps, hart->interrupts,
			hart->slept / 1e3);
	}
	for (const struct hart *hart = report->harts; hart < report->harts + report->hart_count;
		hart++) {
		print_path(hart);
	}
	if (report->output_bytes) {
		printf("\nthe guest printed\n");
		fwrite(report->output, 1, report->output_bytes, stdout);
	}
}

int main(int argc, char **argv)
{
	static struct report report;
	char error[512];

	if (argc != 2 || argv[1][0] == '-') {
		fprintf(stderr,
			"usage: riscv-report TRACE\n"
			"Prints what the guest did, from a trace of `riscv --trace 'guest_*'`.\n");
		return 2;
	}
	report.path = argv[1];
	report.reader = waymark_reader_open(report.path, NULL, error, sizeof(error));
	if (!report.reader) {
		fail(report.path, error);
	}
	bool complete = read_trace(&report);

	if (report.hart_count == 0) {
		fail(report.path,
			"no events of a guest's harts: was it `riscv --trace 'guest_*'`?");
	}
	print_report(&report);
	waymark_reader_close(report.reader);
	return complete ? EXIT_SUCCESS : EXIT_FAILURE;
}
