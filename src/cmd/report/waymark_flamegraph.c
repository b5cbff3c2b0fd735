/* SPDX-License-Identifier: MIT */
/*
 * `waymark flamegraph`: draws where the time of scopes, or from one event to another, was spent,
 * with events of the kernel if there is a capture of its trace. Checks that the capture has the
 * trace's clock, which its text does not name: with another clock, both have no time in common, or
 * threads record while they are in the kernel, which no thread can.
 */
#include <getopt.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/match/event_spans.h"
#include "analyse/kernel.h"
#include "analyse/stacks.h"
#include "base/arena.h"
#include "base/compiler.h"
#include "cmd/arguments.h"
#include "cmd/escaped.h"
#include "cmd/report/report.h"
#include "cmd/selection.h"
#include "cmd/session.h"
#include "cmd/waymark.h"
#include "read/filter.h"
#include "view/flamegraph/flamegraph.h"
#include "view/message/message.h"

enum {
	KEY_BY = ARGUMENT_LONG,
	KEY_SCOPE,
	KEY_NO_ASYNC,
	KEY_UNFINISHED,
	KEY_FROM,
	KEY_TO,
	KEY_INSIDE,
	KEY_PER,
	KEY_KERNEL,
	KEY_OFFSET,
	KEY_ICICLE,
	KEY_FOLDED,
	KEY_JSON,
};

static const struct argument rows[] = {
	{ 'e', "declarations", "FILE", "read the events' declarations, for old traces" },
	{ KEY_BY, "by", "WHAT",
		"thread: per process and thread (default); pid: per process; name: all" },
	{ KEY_SCOPE, "scope", "PATTERN", "only scopes whose name matches, and those inside them" },
	{ KEY_NO_ASYNC, "no-async", NULL, "leave out asynchronous scopes" },
	{ KEY_UNFINISHED, "unfinished", NULL, "show unfinished scopes up to the trace's end" },
	{ KEY_FROM, "from", "EVENT",
		"also draw spans from this event: a name, glob or /REGEX/; needs --to" },
	{ KEY_TO, "to", "EVENT", "to this one, the next on the same thread" },
	{ KEY_INSIDE, "inside", "EVENT", "divide a span's time among these events inside" },
	{ KEY_PER, "per", "FIELDS",
		"name spans and their parts also by these fields, with commas" },
	SELECTION_ROWS,
	REPORT_ROW_WHERE("spans"),
	{ KEY_KERNEL, "kernel", "FILE", "add kernel events from a capture with the clock mono" },
	{ KEY_OFFSET, "kernel-offset", "SECONDS", "seconds to add to the capture's times" },
	{ KEY_ICICLE, "icicle", NULL, "draw outer scopes at the top, not at the bottom" },
	{ KEY_FOLDED, "folded", NULL, "print a line for each stack, for other tools" },
	{ KEY_JSON, "json", NULL, "print JSON" },
	{ 'o', "output", "FILE", "write to FILE" },
	{ 0 },
};

static const struct command command = {
	.name = "waymark flamegraph",
	.usage = "[OPTION...] TRACE...",
	.about =
		"Draws where time went: scopes inside scopes, each as wide as its time, as an SVG\n"
		"file for browsers, with zoom and search; with --from and --to also the time from one\n"
		"event to another. TRACE is a file or a directory; - is standard input.",
	.arguments = rows,
};

/* A capture of the kernel's trace. */
struct flamegraph_kernel {
	struct session *session;
	const char *path;
	int64_t offset_ns;
	bool has_offset; /* from --kernel-offset */
	struct kernel kernel;
};

struct options {
	const char *output;
	struct stacks_options stacks;
	struct name_pattern scope;
	struct event_spans spans;
	struct arena arena; /* names of fields */
	struct flamegraph_kernel kernel; /* path NULL: no capture */
	bool is_icicle;
	void (*put)(struct flamegraph *g, struct out *out); /* NULL: as SVG */
};

/* ---- The capture of the kernel's trace ---- */

#define BAD_SHOWN 10

/* Records made while in the kernel that prove another clock: more than 1 %, and at least 3. */
#define AT_ODDS_PERCENT 1
#define AT_ODDS_MIN 3

#define DO_THIS                                                                           \
	"record it with `trace-cmd record -C mono`, or after `echo mono > trace_clock`; " \
	"or give with --kernel-offset=SECONDS the number to add to its times"

static PRINTF(2, 3) void say_of_kernel(struct flamegraph_kernel *k, const char *fmt, ...)
{
	va_list ap;

	progress_erase(&k->session->progress);
	escaped_printf(stderr, "%s: %s: ", k->session->name, k->path);
	va_start(ap, fmt);
	escaped_vprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
}

/* Reads `[-+]SECONDS[.FRACTION]`; false if `text` has another form. */
static bool set_offset(struct flamegraph_kernel *k, const char *text)
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
		say_of_kernel(
			k, "line %" PRIu64 " is not of the kernel's trace: %.60s", number, line);
	}
	k->session->unreadable = true;
}

/* Opens the capture. Returns false on failure, reported; nothing is open then. */
static bool open_kernel(struct flamegraph_kernel *k, struct stacks *stacks)
{
	struct kernel_text text = { .offset_ns = k->offset_ns, .on_bad = say_bad_line, .data = k };
	struct read_error error;

	if (!kernel_text_open(&text, k->path, &error)) {
		struct read_error ignored;

		say_of_kernel(k, "%s", error.text);
		kernel_text_close(&text, &ignored);
		k->session->unreadable = true;
		return false;
	}
	kernel_init(&k->kernel, stacks, &text);
	return true;
}

static double seconds(uint64_t ns)
{
	return (double)ns / 1e9;
}

static bool check_clock(struct flamegraph_kernel *f)
{
	const struct kernel *k = &f->kernel;
	const struct stacks *s = k->stacks;

	if (k->text.events == 0) {
		say_of_kernel(f, "holds no event of the kernel's trace");
		return false;
	}
	if (k->text.ticks > k->text.events / 2) {
		say_of_kernel(f, "its times are ticks of a counter, not seconds: " DO_THIS);
		return false;
	}
	if (s->last_ns > 0 && (k->last_ns < s->first_ns || k->first_ns > s->last_ns)) {
		say_of_kernel(f,
			"its times, %.6f to %.6f s, are all before or after those of the trace, "
			"%.6f to %.6f s: it has another clock, or is of another time; " DO_THIS,
			seconds(k->first_ns), seconds(k->last_ns), seconds(s->first_ns),
			seconds(s->last_ns));
		return false;
	}
	if (!f->has_offset && k->at_odds >= AT_ODDS_MIN &&
		100 * k->at_odds > AT_ODDS_PERCENT * k->records) {
		say_of_kernel(f,
			"%" PRIu64 " of %" PRIu64 " records would have been made by threads in the "
			"kernel, which is impossible: its clock is not that of the trace; " DO_THIS,
			k->at_odds, k->records);
		return false;
	}
	return true;
}

static void report_counts(struct flamegraph_kernel *f)
{
	const struct kernel *k = &f->kernel;
	const struct {
		uint64_t count;
		const char *text;
	} lines[] = {
		{ k->text.bad > BAD_SHOWN ? k->text.bad - BAD_SHOWN : 0,
			"more lines are not of the kernel's trace" },
		{ k->losses, "places where the kernel lost events" },
		{ k->unended, "kernel events in scopes left out: they have no end" },
		{ k->at_odds, "kernel events left out: their thread records within them" },
		{ k->shared, "scopes without kernel events: another process has a thread with "
			     "the same number" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(lines); i++) {
		if (lines[i].count > 0) {
			say_of_kernel(f, "%" PRIu64 " %s", lines[i].count, lines[i].text);
		}
	}
	if (k->within == 0) {
		say_of_kernel(f, "no event of it is in a scope");
	}
}

/* Ends the reading and reports problems; false if the picture would be wrong. */
static bool check_kernel(struct flamegraph_kernel *k)
{
	struct read_error error;
	bool ok = kernel_text_close(&k->kernel.text, &error);

	if (!ok) {
		say_of_kernel(k, "%s", error.text);
	}
	ok = ok && check_clock(k);
	if (ok) {
		report_counts(k);
	}
	return ok;
}

/* ---- Options ---- */

static bool is_wanted(void *data, const char *name)
{
	return name_pattern_meets(data, name);
}

static int take_by(struct options *o, const char *text)
{
	static const char *const words[] = {
		[STACKS_BY_THREAD] = "thread",
		[STACKS_BY_PROCESS] = "pid",
		[STACKS_BY_NAME] = "name",
	};

	int by = arguments_word(text, words, ARRAY_SIZE(words));

	if (by < 0) {
		return arguments_bad(&command, "--by takes thread, pid or name, not '%s'", text);
	}
	o->stacks.by = (enum stacks_by)by;
	return 0;
}

static int take_event(struct options *o, enum event_side side)
{
	o->stacks.events = &o->spans;
	return selection_take_name(&o->spans.events[side], &command, optarg);
}

static int take_fields(struct options *o, const char *text)
{
	struct event_spans *e = &o->spans;

	for (;;) {
		size_t length = strcspn(text, ",");

		if (length == 0) {
			return arguments_bad(&command, "--per: the name of a field is missing");
		}
		if (e->per_count == EVENT_SPANS_FIELDS_MAX) {
			return arguments_bad(
				&command, "--per takes at most %d fields", EVENT_SPANS_FIELDS_MAX);
		}
		e->per[e->per_count++] = arena_strndup(&o->arena, text, length);
		text += length;
		if (!*text++) {
			return 0;
		}
	}
}

/* Checks that options about spans are complete. */
static int check_spans(const struct options *o)
{
	const struct event_spans *e = &o->spans;
	bool has_from = e->events[EVENT_FROM].text;

	if (has_from != (e->events[EVENT_TO].text != NULL)) {
		return arguments_bad(&command, "%s is missing", has_from ? "--to" : "--from");
	}
	if (!has_from && (e->events[EVENT_INSIDE].text || e->per_count > 0)) {
		return arguments_bad(&command, "%s needs --from and --to",
			e->per_count > 0 ? "--per" : "--inside");
	}
	return 0;
}

/* Applies an option; returns 0, or the result that ends the run. */
static int take_option(struct session *s, struct options *o, int key)
{
	switch (key) {
	case 'e':
		return session_declare(s, optarg) ? 0 : ARGUMENTS_BAD;
	case 'o':
		o->output = optarg;
		return 0;
	case KEY_BY:
		return take_by(o, optarg);
	case KEY_SCOPE:
		o->stacks.is_wanted = is_wanted;
		o->stacks.data = &o->scope;
		return selection_take_name(&o->scope, &command, optarg);
	case KEY_NO_ASYNC:
		o->stacks.without_async = true;
		return 0;
	case KEY_UNFINISHED:
		o->stacks.with_unfinished = true;
		return 0;
	case KEY_FROM:
		return take_event(o, EVENT_FROM);
	case KEY_TO:
		return take_event(o, EVENT_TO);
	case KEY_INSIDE:
		return take_event(o, EVENT_INSIDE);
	case KEY_PER:
		return take_fields(o, optarg);
	case KEY_KERNEL:
		session_add_input(s, optarg, "the kernel's capture");
		o->kernel.path = optarg;
		return 0;
	case KEY_OFFSET:
		return set_offset(&o->kernel, optarg)
			       ? 0
			       : arguments_bad(&command, "--kernel-offset takes seconds, not '%s'",
					 optarg);
	case KEY_ICICLE:
		o->is_icicle = true;
		return 0;
	case KEY_FOLDED:
	case KEY_JSON:
		o->put = key == KEY_JSON ? flamegraph_put_json : flamegraph_put_folded;
		return 0;
	default:
		return selection_has(key) ? selection_take(s, &command, key) : key;
	}
}

/* Reads the command line; returns 0, or the result that ends the run. */
static int parse(struct session *s, struct options *o, int argc, char **argv)
{
	int key;

	while ((key = arguments_next(&command, argc, argv)) != ARGUMENTS_END) {
		int failed = take_option(s, o, key);

		if (failed) {
			return failed;
		}
	}
	if (o->kernel.has_offset && !o->kernel.path) {
		return arguments_bad(&command, "--kernel-offset needs --kernel");
	}
	o->stacks.where = session_take_where(s);
	if (o->is_icicle && o->put) {
		return arguments_bad(&command, "--icicle is of the picture, not of text or JSON");
	}
	if (o->kernel.path && o->stacks.where) {
		return arguments_bad(&command, "--kernel has no --where");
	}
	int failed = check_spans(o);

	if (failed) {
		return failed;
	}
	return argc > optind ? 0 : arguments_bad(&command, "the trace is missing");
}

/* ---- The picture ---- */

static void add(struct options *o, struct stacks *stacks, struct session *s, const struct record *r)
{
	bool is_wanted = stacks_wants(stacks, r);
	const struct value *values = is_wanted ? reader_values(s->reader, r) : NULL;

	stacks_see(stacks, r->ns);
	if (!is_wanted && r->kind != RECORD_GAP) {
		return;
	}
	if (o->kernel.path) {
		kernel_add(&o->kernel.kernel, r, values);
	} else {
		stacks_add(stacks, r, values);
	}
}

static void say_unpaired(struct session *s, const struct stacks *stacks)
{
	const char *text;

	for (size_t i = 0; i < UNPAIRED_KINDS; i++) {
		uint64_t count = unpaired_get(&stacks->unpaired, i, &text);

		if (count > 0) {
			session_say(s, "%" PRIu64 " %s", count, text);
		}
	}
	if (stacks->gaps > 0) {
		session_say(s,
			"events were lost in %" PRIu64
			" places: lost scopes are missing, and their "
			"time counts for the scopes around them",
			stacks->gaps);
	}
	if (stacks->elsewhere > 0) {
		session_say(s,
			"%" PRIu64 " ended on another thread and are shown as asynchronous: scopes "
			"begun inside them stay below their names",
			stacks->elsewhere);
	}
}

static bool has_wanted(const struct options *o, const struct pairs *pairs)
{
	vec_foreach (char *const *, name, &pairs->names) {
		if (name_pattern_meets(&o->scope, *name)) {
			return true;
		}
	}
	return false;
}

/* Reports why the picture is empty. */
static void say_empty(struct session *s, const struct options *o, const struct pairs *pairs)
{
	if (pairs->names.count == 0 && o->stacks.events) {
		session_say(s, "nothing to draw: no selected record is '%s', nor a scope",
			o->spans.events[EVENT_FROM].text);
	} else if (pairs->names.count == 0) {
		selection_no_scopes(s);
	} else if (has_wanted(o, pairs)) {
		session_say(s, "nothing to draw: no selected scope began and ended");
	} else {
		selection_no_name(s, "no scope is called", o->scope.text,
			(const char *const *)pairs->names.items, pairs->names.count);
	}
}

static bool check_fields(struct session *s, struct event_spans *e)
{
	const struct event_class *some;
	const char *field = event_spans_unknown_field(e, &s->reader->classes, &some);
	char fields[300];

	if (!field || !some) { /* without an event no field is needed */
		return true;
	}
	field_list(some, fields, sizeof(fields));
	session_say(s, "no event of --from or --inside has a field '%s'; '%s' has %s", field,
		some->name, fields);
	return false;
}

/* Reports, as problems, what makes spans of events wrong; false if the picture would be wrong. */
static bool check_events(struct session *s, struct event_spans *e)
{
	bool ok = true;

	for (enum event_side side = EVENT_FROM; side < EVENT_SIDES; side++) {
		ok = ok && (!e->events[side].text || report_has_event(s, &e->events[side]));
	}
	if (ok && *e->error) {
		session_say(s, "%s", e->error);
		ok = false;
	}
	ok = ok && check_fields(s, e);
	if (e->lacks_threads) {
		session_say(s,
			"there are events without a thread: spans from one event to another are "
			"of one thread");
	}
	s->problems += !ok || e->lacks_threads;
	return ok;
}

static void put(struct session *s, const struct options *o, struct flamegraph *g)
{
	char title[64];

	session_begin_output(s);
	if (o->put) {
		o->put(g, &s->out);
		return;
	}
	snprintf(title, sizeof(title), "%zu traces", s->trace_count);
	flamegraph_put(g, &s->out, s->trace ? s->trace : title);
}

static void draw(struct session *s, const struct options *o, const struct stacks *stacks)
{
	struct flamegraph g;

	flamegraph_init(&g);
	g.is_icicle = o->is_icicle;
	stacks_draw(stacks, s->reader, &g);
	if (g.frames.count == 1) {
		say_empty(s, o, &stacks->pairs);
	}
	put(s, o, &g);
	flamegraph_fini(&g);
}

/* Draws what was added, unless the picture would be wrong. */
static void end_all(struct session *s, struct options *o, struct stacks *stacks)
{
	bool has_clock = true;

	if (o->kernel.path) {
		kernel_end(&o->kernel.kernel);
		has_clock = check_kernel(&o->kernel);
	}
	s->unreadable |= !has_clock;
	if (o->stacks.events && !check_events(s, &o->spans)) {
		return;
	}
	stacks_end(stacks);
	say_unpaired(s, stacks);
	if (has_clock) {
		draw(s, o, stacks);
	}
}

static void add_all(struct session *s, struct options *o)
{
	struct stacks stacks;

	o->stacks.reader = s->reader;
	stacks_init(&stacks, &s->reader->classes, &o->stacks);
	if (!o->kernel.path || open_kernel(&o->kernel, &stacks)) {
		struct record records[SESSION_FEW];
		size_t count;

		while ((count = selection_next_few(s, records))) {
			for (size_t i = 0; i < count; i++) {
				add(o, &stacks, s, &records[i]);
			}
		}
		end_all(s, o, &stacks);
		kernel_fini(&o->kernel.kernel);
	}
	stacks_fini(&stacks);
}

static void options_fini(struct options *o)
{
	name_pattern_fini(&o->scope);
	for (size_t side = 0; side < EVENT_SIDES; side++) {
		name_pattern_fini(&o->spans.events[side]);
	}
	event_spans_fini(&o->spans);
	arena_fini(&o->arena);
}

int waymark_flamegraph(int argc, char **argv)
{
	struct session s;
	struct options options = {
		.kernel = { .session = &s },
		.spans = { .text = message_value_text },
	};

	session_init(&s, command.name);
	arena_init(&options.arena);
	int failed = parse(&s, &options, argc, argv);

	if (failed) {
		session_end(&s);
	} else if (session_open_several(&s, argv + optind, options.output)) {
		add_all(&s, &options);
	}
	options_fini(&options);
	if (failed) {
		return failed == ARGUMENTS_DONE ? EXIT_SUCCESS : WAYMARK_USAGE;
	}
	return session_end(&s);
}
