/* SPDX-License-Identifier: MIT */
/*
 * `waymark export`: writes traces in the formats of other programs. A file gets its name when it is
 * complete, and is never a file that is read; what is no file, such as a pipe, is written as the
 * records come. What goes to a URL is sent as they come.
 */
#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/arguments.h"
#include "cmd/escaped.h"
#include "cmd/export/send.h"
#include "cmd/selection.h"
#include "cmd/session.h"
#include "cmd/waymark.h"
#include "output/output.h"
#include "text/nearest.h"
#include "view/export/export.h"
#include "view/gap.h"

enum { KEY_TO = ARGUMENT_LONG, KEY_EVENT, KEY_FIELDS, KEY_COUNTER, KEY_REPLACE };

static const struct argument rows[] = {
	{ KEY_TO, "to", "FORMAT", NULL }, /* its help is made of the formats */
	{ 'e', "declarations", "FILE", "read the events' declarations from FILE; may be repeated" },
	{ KEY_EVENT, "event", "PATTERN",
		"only events that match: a name, glob or /REGEX/; -PATTERN: not these" },
	SELECTION_ROWS,
	SELECTION_ROW_WHERE,
	{ KEY_FIELDS, "fields", "NAMES", "csv, jsonl: only these fields, in this order" },
	{ KEY_COUNTER, "counter", "EVENT.FIELD",
		"perfetto, chrome: draw the field as a graph, too; may be repeated" },
	{ KEY_REPLACE, "replace", NULL, "replace FILE if it exists" },
	{ 'o', "output", "FILE",
		"write to FILE; - is standard output (default); otlp: also a URL" },
	{ 0 },
};

struct export_run {
	struct session session;
	struct command command;
	struct argument rows[ARRAY_SIZE(rows)];
	struct out formats; /* the help of --to */
	const struct export_format *format; /* NULL: none yet */
	const char *path; /* NULL: standard output */
	struct send *send; /* to the URL `path`; NULL: it is none */
	struct send_result sent;
	bool replaces;
	struct names fields;
	struct export export;
	struct output file; /* of a regular file; `temporary` is NULL for all others */
	bool has_events; /* an event was selected */
	bool has_failed; /* there will be no output, which was reported */
};

/* ---- Options ---- */

/* Lists the formats: `NAME: HELP;`, a line each. */
static void describe(struct export_run *x)
{
	out_init(&x->formats, OUT_TO_MEMORY);
	for (size_t i = 0; export_formats[i]; i++) {
		out_printf(&x->formats, "%s%s: %s", i ? ";\n" : "", export_formats[i]->name,
			export_formats[i]->help);
	}
	out_char(&x->formats, '\0');
	memcpy(x->rows, rows, sizeof(rows));
	x->rows[0].help = x->formats.data;
	x->command = (struct command){
		.name = "waymark export",
		.usage = "--to=FORMAT [OPTION...] [-o FILE] TRACE...",
		.about =
			"Writes traces in the formats of other programs. Several traces become one, in\n"
			"the order of time. FILE appears when it is complete; an existing one is\n"
			"replaced with --replace only. TRACE is a file or a directory; - is standard\n"
			"input. The exit status is 1 when a part of a trace could not be read.",
		.arguments = x->rows,
	};
}

static int set_format(struct export_run *x, const char *text)
{
	struct nearest near = nearest_begin(text, strlen(text));

	x->format = NULL;
	for (size_t i = 0; export_formats[i]; i++) {
		nearest_offer(&near, export_formats[i]->name);
		if (strcmp(text, export_formats[i]->name) == 0) {
			x->format = export_formats[i];
		}
	}
	if (x->format) {
		return 0;
	}
	bool is_near = nearest_is_near(&near);

	return arguments_bad(&x->command, "there is no format '%s'%s%s%s", text,
		is_near ? ": did you mean '" : "", is_near ? near.name : "", is_near ? "'?" : "");
}

static int add_counter(struct export_run *x)
{
	struct timeline_counter counter = { 0 };
	int failed =
		selection_take_counter(&x->session, &x->command, &counter.event, &counter.field);

	if (!failed) {
		vec_push(&x->export.counters.all, counter);
	}
	return failed;
}

static int take(struct export_run *x, int key)
{
	switch (key) {
	case KEY_TO:
		return set_format(x, optarg);
	case 'e':
		return session_declare(&x->session, optarg) ? 0 : ARGUMENTS_BAD;
	case KEY_EVENT:
		return selection_add_name(&x->session.filter, &x->command, optarg);
	case KEY_FIELDS:
		return names_take(&x->fields, &x->session, &x->command, optarg);
	case KEY_COUNTER:
		return add_counter(x);
	case KEY_REPLACE:
		x->replaces = true;
		return 0;
	case 'o':
		x->path = strcmp(optarg, "-") == 0 ? NULL : optarg;
		return 0;
	default:
		return selection_has(key) ? selection_take(&x->session, &x->command, key) : key;
	}
}

/* Checks that the options fit the format; returns 0, or ARGUMENTS_BAD. */
static int check(struct export_run *x, bool has_trace)
{
	const struct export_format *f = x->format;

	if (!f) {
		return arguments_bad(&x->command, "--to=FORMAT is missing");
	}
	if (!has_trace) {
		return arguments_bad(&x->command, "the trace is missing");
	}
	if (x->fields.count && !f->has_fields) {
		return arguments_bad(&x->command, "--fields does not go with --to=%s", f->name);
	}
	if (x->export.counters.all.count && !f->has_counters) {
		return arguments_bad(&x->command, "--counter does not go with --to=%s", f->name);
	}
	if (f->is_file && !x->path) {
		return arguments_bad(&x->command, "--to=%s writes a file: give -o FILE", f->name);
	}
	if (x->path && send_is_url(x->path) && !f->is_sent) {
		return arguments_bad(&x->command, "--to=%s is not sent: -o is a file", f->name);
	}
	if (f->is_binary && !x->path && isatty(STDOUT_FILENO)) {
		return arguments_bad(
			&x->command, "--to=%s is not for a terminal: give -o FILE", f->name);
	}
	return 0;
}

/* Reads the command line; returns 0, or the result that ends the run. */
static int parse(struct export_run *x, int argc, char **argv)
{
	int key;

	while ((key = arguments_next(&x->command, argc, argv)) != ARGUMENTS_END) {
		int failed = take(x, key);

		if (failed) {
			return failed;
		}
	}
	key = check(x, argc > optind);
	if (key == 0 && x->format->has_spans) {
		x->export.where = session_take_where(&x->session);
	}
	return key;
}

/* ---- The output ---- */

static COLD bool fail(struct export_run *x, const char *why)
{
	escaped_say(x->command.name, "%s: %s", x->path ? x->path : "standard output", why);
	x->has_failed = true;
	return false;
}

/* True for a pipe or device, which is written in place. */
static bool is_in_place(const struct export_run *x)
{
	struct stat st;

	return x->path && stat(x->path, &st) == 0 && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode);
}

static bool fail_to_send(struct export_run *x)
{
	escaped_say(x->command.name, "%s", x->sent.error);
	x->has_failed = true;
	return false;
}

/* Checks the URL, then opens the traces. */
static bool open_url(struct export_run *x, char *const *traces)
{
	x->send = send_begin(x->path, &x->sent);
	if (!x->send) {
		return fail_to_send(x);
	}
	x->export.send = send_request;
	x->export.to = x->send;
	return session_open_several(&x->session, traces, NULL);
}

/* Opens the traces, and the output unless it is standard output. */
static bool open_all(struct export_run *x, char *const *traces)
{
	struct session *s = &x->session;
	bool in_place = is_in_place(x);

	if (x->path && send_is_url(x->path)) {
		return open_url(x, traces);
	}
	if (in_place && x->format->is_file) {
		return fail(x, "is not a regular file");
	}
	if (!session_open_several(s, traces, in_place ? x->path : NULL)) {
		return false;
	}
	if (!x->path || in_place) {
		return true;
	}
	if (!session_may_write(s, x->path)) {
		x->has_failed = true;
		return false;
	}
	if (!output_begin(&x->file, x->path, false, x->replaces)) {
		return fail(x, x->file.error);
	}
	if (!x->format->is_file) {
		s->out_fd = s->out.fd = dup(x->file.fd);
	}
	return true;
}

/* ---- The run ---- */

/* Returns the name of the only event that is selected; NULL if there may be several. */
static const char *only_event(const struct session *s)
{
	const struct name_pattern *p = s->filter.patterns.items;
	bool is_one = s->filter.patterns.count == 1 && !p->is_regex && !p->is_excluded;

	return is_one && !strpbrk(p->text, "*?") ? p->text : NULL;
}

static bool put_records(struct export_run *x, void *state)
{
	struct session *s = &x->session;
	struct record records[SESSION_FEW];
	size_t count;

	while (session_wanted(s) && (count = selection_next_few(s, records))) {
		for (size_t i = 0; i < count && !x->has_events; i++) {
			x->has_events = records[i].kind == RECORD_EVENT;
		}
		if (!x->format->put(state, records, count)) {
			return false;
		}
	}
	return true;
}

/* Writes all records; false, reported, if there will be no output. */
static bool put_all(struct export_run *x)
{
	struct export *e = &x->export;

	e->reader = x->session.reader;
	e->filter = &x->session.filter;
	e->out = &x->session.out;
	e->path = x->file.temporary;
	e->trace = x->session.traces[0];
	e->fields = x->fields.items;
	e->field_count = x->fields.count;
	e->event = only_event(&x->session);
	session_begin_output(&x->session);
	void *state = x->format->begin(e);
	bool ok = state && put_records(x, state);

	ok = (!state || x->format->end(state)) && ok;
	if (!ok && x->send) {
		return fail_to_send(x);
	}
	/* session_end() reports an error of `out`. */
	return (ok || fail(x, e->error)) && !out_flush(e->out);
}

/* Reports what is not in the output. */
static void report_missing(struct export_run *x)
{
	const struct losses *l = &x->export.unreported;
	struct out words;

	if (*x->export.problem) {
		session_say(&x->session, "%s", x->export.problem);
		x->session.problems++;
	}
	if (*x->export.note && (x->has_events || filter_is_empty(&x->session.filter))) {
		session_say(&x->session, "%s", x->export.note);
	}
	if (losses_events(l) + losses_packets(l) > 0) {
		out_init(&words, OUT_TO_MEMORY);
		gap_put_text(&words, l);
		session_say(&x->session, "%.*s: --to=%s has no place for that", (int)words.len,
			words.data, x->format->name);
		out_fini(&words);
	}
}

/* Explains an output without events, or a profile without scopes. */
static void explain_empty(struct export_run *x)
{
	struct session *s = &x->session;
	bool all_match = names_check_events(s) == 0;

	if (!x->has_events && !filter_is_empty(&s->filter)) {
		if (all_match) {
			selection_explain_none(s);
		}
	} else if (x->export.lacks_scopes) {
		selection_no_scopes(s);
	} else if (x->export.lacks_ends) {
		session_say(s, "the profile is empty: no selected scope began and ended");
	}
}

/* Reports fields that no event has. */
static void report_names(struct export_run *x)
{
	struct session *s = &x->session;

	s->problems += names_check_fields(s, &x->fields);
	vec_foreach (struct timeline_counter *, c, &x->export.counters.all) {
		if (!c->is_found) {
			session_say(s, "--counter: no event matches '%s' and has a field '%s'",
				c->event.text, c->field);
			s->problems++;
		}
	}
}

/* Reports what became of the spans that were sent, also of those before an error. */
static void report_sent(struct export_run *x)
{
	const struct send_result *r = &x->sent;

	progress_erase(&x->session.progress);
	if (r->rejected > 0 || *r->warning) {
		escaped_say(x->command.name, "%s: %" PRIu64 " spans rejected%s%s", x->path,
			r->rejected, *r->warning ? ": " : "", r->warning);
		x->session.problems += r->rejected > 0;
	}
	escaped_say(x->command.name, "%s: %" PRIu64 " spans accepted", x->path, r->accepted);
}

static void run(struct export_run *x)
{
	bool ok = put_all(x);

	if (x->send) {
		report_sent(x);
	}
	if (ok) {
		report_missing(x);
		session_explain_states(&x->session);
		explain_empty(x);
		report_names(x);
	}
	if (ok && x->file.temporary && !output_commit(&x->file)) {
		fail(x, x->file.error);
	}
}

int waymark_export(int argc, char **argv)
{
	struct export_run x = { .file = { .fd = -1 } };

	describe(&x);
	session_init(&x.session, x.command.name);
	int failed = parse(&x, argc, argv);
	int status;

	if (!failed && open_all(&x, argv + optind)) {
		run(&x);
	}
	output_fini(&x.file);
	send_end(x.send);
	status = session_end(&x.session);
	vec_foreach (struct timeline_counter *, c, &x.export.counters.all) {
		name_pattern_fini(&c->event);
	}
	vec_fini(&x.export.counters.all);
	vec_fini(&x.fields);
	out_fini(&x.formats);
	if (failed) {
		return failed == ARGUMENTS_DONE ? EXIT_SUCCESS : WAYMARK_USAGE;
	}
	return x.has_failed ? EXIT_FAILURE : status;
}
