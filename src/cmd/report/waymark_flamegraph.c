/* SPDX-License-Identifier: MIT */
/* `waymark flamegraph`: where the time of scopes went, as a picture. */
#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/stacks.h"
#include "base/compiler.h"
#include "cmd/arguments.h"
#include "cmd/name_option.h"
#include "cmd/report/flamegraph_kernel.h"
#include "cmd/report/unpaired.h"
#include "cmd/selection.h"
#include "cmd/session.h"
#include "cmd/waymark.h"
#include "view/flamegraph/stacks.h"

enum {
	KEY_BY = ARGUMENT_LONG,
	KEY_SCOPE,
	KEY_NO_ASYNC,
	KEY_UNFINISHED,
	KEY_KERNEL,
	KEY_OFFSET,
	KEY_FOLDED,
	KEY_JSON,
};

static const struct argument rows[] = {
	{ 'e', "declarations", "FILE", "the events' declarations, for old traces" },
	{ KEY_BY, "by", "WHAT", "thread: below processes and threads; pid; name: scopes alone" },
	{ KEY_SCOPE, "scope", "PATTERN", "stacks of these scopes, and what is in them" },
	{ KEY_NO_ASYNC, "no-async", NULL, "leave asynchronous scopes out" },
	{ KEY_UNFINISHED, "unfinished", NULL, "show unfinished scopes, up to the trace's end" },
	SELECTION_ROWS,
	{ KEY_KERNEL, "kernel", "FILE", "the kernel's events, from a capture on the clock mono" },
	{ KEY_OFFSET, "kernel-offset", "SECONDS", "what to add to its times" },
	{ KEY_FOLDED, "folded", NULL, "a line for each stack, for other tools" },
	{ KEY_JSON, "json", NULL, "for programs" },
	{ 'o', "output", "FILE", "write to FILE" },
	{ 0 },
};

static const struct command command = {
	.name = "waymark flamegraph",
	.usage = "[OPTION...] TRACE...",
	.about =
		"Draws where time went: scopes within scopes, each as wide as its time, in an SVG\n"
		"file that a browser opens, zooms and searches. TRACE is a file or a directory;\n"
		"- is standard input.",
	.arguments = rows,
};

struct options {
	const char *output;
	struct stacks_options stacks;
	struct name_pattern scope;
	struct flamegraph_kernel kernel; /* without a path: none */
	void (*put)(struct flamegraph *g, struct out *out); /* NULL: as SVG */
};

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

	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		if (strcmp(words[i], text) == 0) {
			o->stacks.by = (enum stacks_by)i;
			return 0;
		}
	}
	return arguments_bad(&command, "--by takes thread, pid or name, not '%s'", text);
}

static int take_scope(struct options *o, const char *text)
{
	o->stacks.is_wanted = is_wanted;
	o->stacks.data = &o->scope;
	name_pattern_fini(&o->scope);
	return name_option_take(&o->scope, &command, text);
}

static int take_offset(struct options *o, const char *text)
{
	if (flamegraph_kernel_offset(&o->kernel, text)) {
		return 0;
	}
	return arguments_bad(&command, "--kernel-offset takes seconds, not '%s'", text);
}

/* Takes an option; returns 0, or what ends the run. */
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
		return take_scope(o, optarg);
	case KEY_NO_ASYNC:
		o->stacks.without_async = true;
		return 0;
	case KEY_UNFINISHED:
		o->stacks.with_unfinished = true;
		return 0;
	case KEY_KERNEL:
		session_add_input(s, optarg, "the kernel's capture");
		o->kernel.path = optarg;
		return 0;
	case KEY_OFFSET:
		return take_offset(o, optarg);
	case KEY_FOLDED:
	case KEY_JSON:
		o->put = key == KEY_JSON ? flamegraph_put_json : flamegraph_put_folded;
		return 0;
	default:
		return selection_has(key) ? selection_take(s, &command, key) : key;
	}
}

/* Reads the command line; returns 0, or what ends the run. */
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
		return arguments_bad(&command, "--kernel-offset is of no use without --kernel");
	}
	return argc > optind ? 0 : arguments_bad(&command, "the trace is missing");
}

static void add(struct options *o, struct stacks *stacks, struct session *s, const struct record *r)
{
	bool is_wanted = pairs_wants(&stacks->pairs, r);
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
			"events were lost in %" PRIu64 " places: scopes among them are missing, "
			"and their time is that of the scopes around them",
			stacks->gaps);
	}
	if (stacks->elsewhere > 0) {
		session_say(s,
			"%" PRIu64 " ended on another thread, and shown as asynchronous: what "
			"was begun in them stays below their names",
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

/* Why the picture is empty. */
static void say_empty(struct session *s, const struct options *o, const struct pairs *pairs)
{
	if (pairs->names.count == 0) {
		unpaired_no_scopes(s);
	} else if (has_wanted(o, pairs)) {
		session_say(s, "nothing to draw: none of the scopes that are asked for has begun "
			       "and ended");
	} else {
		name_option_unknown(s, "no scope is called", o->scope.text,
			(const char *const *)pairs->names.items, pairs->names.count);
	}
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
	stacks_draw(stacks, s->reader, &g);
	if (g.frames.count == 1) {
		say_empty(s, o, &stacks->pairs);
	}
	put(s, o, &g);
	flamegraph_fini(&g);
}

static void add_records(struct session *s, struct options *o, struct stacks *stacks)
{
	struct record records[SESSION_FEW];
	size_t count;

	while ((count = selection_next_few(s, records))) {
		for (size_t i = 0; i < count; i++) {
			add(o, stacks, s, &records[i]);
		}
	}
}

/* False: the kernel's part makes the picture wrong, which was reported. */
static bool end_kernel(struct options *o)
{
	if (!o->kernel.path) {
		return true;
	}
	kernel_end(&o->kernel.kernel);
	return flamegraph_kernel_check(&o->kernel);
}

static void add_all(struct session *s, struct options *o)
{
	struct stacks stacks;

	stacks_init(&stacks, &s->reader->classes, &o->stacks);
	if (!o->kernel.path || flamegraph_kernel_open(&o->kernel, &stacks)) {
		add_records(s, o, &stacks);
		bool is_right = end_kernel(o);

		stacks_end(&stacks);
		say_unpaired(s, &stacks);
		if (is_right) {
			draw(s, o, &stacks);
		}
		s->unreadable |= !is_right;
		kernel_fini(&o->kernel.kernel);
	}
	stacks_fini(&stacks);
}

int waymark_flamegraph(int argc, char **argv)
{
	struct session s;
	struct options options = { .kernel = { .session = &s } };

	session_init(&s, command.name);
	int failed = parse(&s, &options, argc, argv);

	if (failed) {
		session_end(&s);
	} else if (session_open_several(&s, argv + optind, options.output)) {
		add_all(&s, &options);
	}
	name_pattern_fini(&options.scope);
	if (failed) {
		return failed == ARGUMENTS_DONE ? EXIT_SUCCESS : WAYMARK_USAGE;
	}
	return session_end(&s);
}
