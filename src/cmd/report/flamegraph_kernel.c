/* SPDX-License-Identifier: MIT */
/*
 * See cmd/report/flamegraph_kernel.h. Text does not say which clock its times are of. What proves
 * another clock than that of the trace: both have no time in common, or threads record while
 * they are in the kernel, which no thread can.
 */
#include "cmd/report/flamegraph_kernel.h"

#include <inttypes.h>
#include <stdarg.h>

#include "cmd/escaped.h"
#include "read/filter.h"

#define BAD_SHOWN 10

/* More than that, of a hundred records, are no accident; fewer than that are no proof. */
#define AT_ODDS_PERCENT 1
#define AT_ODDS_MIN 3

#define DO_THIS                                                                           \
	"record it with `trace-cmd record -C mono`, or after `echo mono > trace_clock`; " \
	"or say with --kernel-offset=SECONDS what is to be added to its times"

static void say(struct flamegraph_kernel *k, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

static void say(struct flamegraph_kernel *k, const char *fmt, ...)
{
	va_list ap;

	progress_erase(&k->session->progress);
	escaped_printf(stderr, "%s: %s: ", k->session->name, k->path);
	va_start(ap, fmt);
	escaped_vprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
}

bool flamegraph_kernel_offset(struct flamegraph_kernel *k, const char *text)
{
	struct filter_time time;

	if (!filter_parse_time(&time, text)) {
		return false;
	}
	k->offset_ns = time.ns;
	k->has_offset = true;
	return true;
}

static void say_bad_line(void *data, uint64_t number, const char *line)
{
	struct flamegraph_kernel *k = data;

	if (k->kernel.text.bad <= BAD_SHOWN) {
		say(k, "line %" PRIu64 " is none of the kernel's trace: %.60s", number, line);
	}
	k->session->unreadable = true;
}

bool flamegraph_kernel_open(struct flamegraph_kernel *k, struct stacks *stacks)
{
	struct kernel_text text = { .offset_ns = k->offset_ns, .on_bad = say_bad_line, .data = k };
	struct read_error error;

	if (!kernel_text_open(&text, k->path, &error)) {
		struct read_error ignored;

		say(k, "%s", error.text);
		kernel_text_close(&text, &ignored);
		k->session->unreadable = true;
		return false;
	}
	kernel_init(&k->kernel, stacks, &text);
	return true;
}

static bool is_another_time(const struct kernel *k)
{
	const struct stacks *s = k->stacks;

	return s->last_ns > 0 && (k->last_ns < s->first_ns || k->first_ns > s->last_ns);
}

static bool is_at_odds(const struct kernel *k)
{
	return k->at_odds >= AT_ODDS_MIN && 100 * k->at_odds > AT_ODDS_PERCENT * k->records;
}

static double seconds(uint64_t ns)
{
	return (double)ns / 1e9;
}

static bool check_clock(struct flamegraph_kernel *f)
{
	const struct kernel *k = &f->kernel;

	if (k->text.events == 0) {
		say(f, "holds no event of the kernel's trace");
		return false;
	}
	if (k->text.ticks > k->text.events / 2) {
		say(f, "its times are ticks of a clock that is no time: " DO_THIS);
		return false;
	}
	if (is_another_time(k)) {
		say(f,
			"its times, %.6f to %.6f s, are all before or behind those of the trace, "
			"%.6f to %.6f s: they are of another clock, or another time; " DO_THIS,
			seconds(k->first_ns), seconds(k->last_ns), seconds(k->stacks->first_ns),
			seconds(k->stacks->last_ns));
		return false;
	}
	if (is_at_odds(k) && !f->has_offset) {
		say(f,
			"threads would have been in the kernel at %" PRIu64 " of %" PRIu64
			" records that they made, which cannot be: its clock is not that of the "
			"trace; " DO_THIS,
			k->at_odds, k->records);
		return false;
	}
	return true;
}

static void say_counts(struct flamegraph_kernel *f)
{
	const struct kernel *k = &f->kernel;
	const struct {
		uint64_t count;
		const char *text;
	} lines[] = {
		{ k->text.bad > BAD_SHOWN ? k->text.bad - BAD_SHOWN : 0,
			"more lines are none of the kernel's trace" },
		{ k->losses, "places where the kernel lost events" },
		{ k->unended, "of the kernel's events in scopes left out: without an end" },
		{ k->at_odds, "of the kernel's events left out: their thread records in them" },
		{ k->shared, "scopes left without the kernel's events: another process has a "
			     "thread of that number" },
	};

	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		if (lines[i].count > 0) {
			say(f, "%" PRIu64 " %s", lines[i].count, lines[i].text);
		}
	}
	if (k->within == 0) {
		say(f, "none of its events lies in a scope");
	}
}

bool flamegraph_kernel_check(struct flamegraph_kernel *k)
{
	struct read_error error;
	bool ok = kernel_text_close(&k->kernel.text, &error);

	if (!ok) {
		say(k, "%s", error.text);
	}
	ok = ok && check_clock(k);
	if (ok) {
		say_counts(k);
	}
	return ok;
}
