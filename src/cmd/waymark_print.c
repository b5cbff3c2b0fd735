/* SPDX-License-Identifier: MIT */
/* `waymark print`: a trace as lines of text. */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/arguments.h"
#include "cmd/print.h"
#include "cmd/waymark.h"
#include "text/scan.h"

/* After so many records is looked for the signal that ends it. */
#define SIGNAL_RECORDS 1024

enum {
	KEY_EVENT = ARGUMENT_LONG,
	KEY_FROM,
	KEY_TO,
	KEY_PID,
	KEY_THREAD,
	KEY_TID,
	KEY_TIME,
	KEY_JSON,
	KEY_COLOUR,
	KEY_NEW,
	KEY_HEAD,
	KEY_TAIL,
	KEY_COUNT
};

static const struct argument rows[] = {
	{ 'e', "declarations", "FILE", "the events' declarations; may be repeated" },
	{ KEY_EVENT, "event", "PATTERN", "only these events (* and ?); may be repeated" },
	{ KEY_FROM, "from", "TIME", "only from this time on: SEC[.FRACTION] since boot," },
	{ KEY_TO, "to", "TIME", "and up to this one; +SEC counts from the first record" },
	{ KEY_PID, "pid", "PID", "only this process; may be repeated" },
	{ KEY_THREAD, "thread", "TID", "only this thread; may be repeated" },
	{ KEY_TID, "tid", NULL, "show the thread, too: PID/TID" },
	{ KEY_HEAD, "head", "N", "only the first N of these lines" },
	{ KEY_TAIL, "tail", "N", "only the last N of these lines" },
	{ KEY_COUNT, "count", NULL, "no lines: only how many events they would show" },
	{ KEY_TIME, "time", "FORM",
		"abs: since boot (default); rel: since the first\n"
		"record; delta: since the line before; wall: date\n"
		"and time (UTC)" },
	{ KEY_JSON, "json", NULL, "a JSON object a line, for programs" },
	{ KEY_COLOUR, "color", "WHEN", "auto: on a terminal (default); always; never" },
	{ 'f', "follow", NULL,
		"wait for what comes, until the traced program ends, or\n"
		"SIGINT; a trace that does not exist is waited for" },
	{ KEY_NEW, "new", NULL, "with --follow: only what comes from now on" },
	{ 'o', "output", "FILE", "write to FILE" },
	{ 0 },
};

static const struct command command = {
	.name = "waymark print",
	.usage = "[-e DECLARATIONS] [OPTION...] TRACE...",
	.about =
		"Shows traces' events, a line each: time, process, name, message; those of several\n"
		"traces in the order of time. Lines that begin with # tell where events were lost.\n"
		"TRACE is a file or a directory; - is standard input. The exit status is 1 when a\n"
		"part of a trace could not be read.",
	.arguments = rows,
};

static int add_id(struct filter_ids *ids, const char *what, const char *text)
{
	char *end;
	unsigned long id = strtoul(text, &end, 10);

	if (end == text || *end || *text == '-' || id > UINT32_MAX) {
		return arguments_bad(&command, "'%s' is not a %s id", text, what);
	}
	vec_push(ids, (uint32_t)id);
	return 0;
}

static int set_number(struct print *p, uint64_t *number, const char *text)
{
	char *end;

	errno = 0;
	*number = strtoull(text, &end, 10);
	p->is_limited = true;
	if (!is_digit(*text) || *end || errno) {
		return arguments_bad(&command, "'%s' is not a number of lines", text);
	}
	return 0;
}

static int set_tail(struct print *p, const char *text)
{
	uint64_t lines;
	int failed = set_number(p, &lines, text);

	p->wants_none = lines == 0;
	tail_init(&p->last, lines);
	return failed;
}

static int set_time(struct print *p, const char *text)
{
	static const char *const names[] = {
		[TIMESTAMP_ABSOLUTE] = "abs",
		[TIMESTAMP_RELATIVE] = "rel",
		[TIMESTAMP_DELTA] = "delta",
		[TIMESTAMP_WALL] = "wall",
	};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		if (strcmp(names[i], text) == 0) {
			p->time = (enum timestamp_mode)i;
			return 0;
		}
	}
	return arguments_bad(&command, "--time is abs, rel, delta or wall, not '%s'", text);
}

static int set_colour(struct print *p, const char *text)
{
	if (terminal_when_parse(&p->colour, text)) {
		return 0;
	}
	return arguments_bad(&command, "--color is auto, always or never, not '%s'", text);
}

static int set_end(struct filter_time *end, const char *text)
{
	if (filter_parse_time(end, text)) {
		return 0;
	}
	return arguments_bad(&command,
		"'%s' is not a time: SEC[.FRACTION] or +SEC[.FRACTION], in decimal digits", text);
}

/* Takes one option; returns 0, or what ends the run. */
static int take(struct print *p, int key)
{
	switch (key) {
	case 'e':
		return session_declare(&p->session, optarg) ? 0 : ARGUMENTS_BAD;
	case KEY_EVENT:
		vec_push(&p->filter.patterns, optarg);
		return 0;
	case KEY_FROM:
		return set_end(&p->filter.from, optarg);
	case KEY_TO:
		return set_end(&p->filter.to, optarg);
	case KEY_PID:
		return add_id(&p->filter.pids, "process", optarg);
	case KEY_THREAD:
		return add_id(&p->filter.tids, "thread", optarg);
	case KEY_HEAD:
		return set_number(p, &p->head, optarg);
	case KEY_TAIL:
		return set_tail(p, optarg);
	case KEY_COUNT:
		p->only_count = p->is_limited = true;
		return 0;
	case KEY_TID:
		p->tid = true;
		return 0;
	case KEY_TIME:
		return set_time(p, optarg);
	case KEY_JSON:
		p->style = &lines_json;
		return 0;
	case KEY_COLOUR:
		return set_colour(p, optarg);
	case 'f':
		p->follow = true;
		return 0;
	case KEY_NEW:
		p->only_new = true;
		return 0;
	case 'o':
		p->output = optarg;
		return 0;
	default:
		return key;
	}
}

/* Reads the command line; returns 0, or what ends the run. */
static int parse(struct print *p, int argc, char **argv)
{
	int key;

	while ((key = arguments_next(&command, argc, argv)) != ARGUMENTS_END) {
		int failed = take(p, key);

		if (failed) {
			return failed;
		}
	}
	if (p->only_new && !p->follow) {
		return arguments_bad(&command, "--new goes with --follow");
	}
	if ((p->last.limit > 0 || p->wants_none) && p->follow) {
		return arguments_bad(
			&command, "--tail does not go with --follow, whose last line nobody knows");
	}
	if (p->wants_none) {
		p->head = 0;
	}
	return argc > optind ? 0 : arguments_bad(&command, "the trace is missing");
}

/* What there is of a trace of which nothing was selected yet, for who wonders why. */
static void see(struct print *p, const struct record *records, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		int64_t ns = (int64_t)records[i].ns;

		p->first_ns = p->records == 0 || ns < p->first_ns ? ns : p->first_ns;
		p->last_ns = p->records == 0 || ns > p->last_ns ? ns : p->last_ns;
		p->records++;
	}
}

/* Keeps what the filter lets pass; returns how many. */
static size_t keep_selected(struct print *p, struct record *records, size_t count)
{
	if (!p->has_selected) {
		see(p, records, count);
	}
	count = filter_keep(&p->filter, records, count);
	for (size_t i = 0; i < count && !p->has_selected; i++) {
		p->has_selected = records[i].kind == RECORD_EVENT;
	}
	return count;
}

/* Shows records, or keeps them, or only counts them; false when no more are wanted. */
static bool put_limited(struct print *p, const struct record *records, size_t count)
{
	for (const struct record *rec = records; rec < records + count && p->head > 0; rec++) {
		p->head--;
		p->events += rec->kind == RECORD_EVENT;
		if (p->only_count) {
			continue;
		}
		lines_put_few(&p->view, rec, 1);
		if (p->last.limit > 0) {
			tail_take(&p->last, &p->line);
		}
	}
	return p->head > 0;
}

static void print_records(struct print *p)
{
	bool all = filter_is_empty(&p->filter);
	struct session *s = &p->session;
	struct record records[SESSION_FEW];
	unsigned int calls = 0;
	size_t count;

	while (session_wanted(s) && (count = session_next_few(s, records))) {
		if (UNLIKELY(s->follow && ++calls % SIGNAL_RECORDS == 0) &&
			session_is_interrupted(s)) {
			break;
		}
		lines_see(&p->view, records);
		if (!all) {
			count = keep_selected(p, records, count);
		}
		if (!p->is_limited) {
			lines_put_few(&p->view, records, count);
		} else if (!put_limited(p, records, count)) {
			break;
		}
	}
}

/* Writes what had to wait for the end. */
static void finish(struct print *p)
{
	tail_put(&p->last, &p->session.out);
	if (p->only_count) {
		out_printf(&p->session.out, "%" PRIu64 "\n", p->events);
	}
}

/* The time of day is known where the trace says how it goes with the time since boot. */
static bool has_time(struct print *p)
{
	const struct reader *r = p->session.reader;

	for (size_t i = 0; p->time == TIMESTAMP_WALL && i < r->trace_count; i++) {
		if (!r->traces[i].has_realtime) {
			session_say(&p->session,
				"%s%sdoes not tell the time of day: no --time=wall",
				r->traces[i].path ? r->traces[i].path : "",
				r->traces[i].path ? ": " : "");
			return false;
		}
	}
	return true;
}

static void print_all(struct print *p)
{
	struct session *s = &p->session;

	out_init(&p->line, OUT_TO_MEMORY);
	lines_init(&p->view, p->last.limit > 0 ? &p->line : &s->out, s->reader, p->style, p->time);
	p->view.colour = terminal_wants_colour(p->colour, s->out_fd);
	if (p->tid) {
		lines_show_tid(&p->view);
	}
	if (p->head > 0) {
		print_records(p);
	}
	finish(p);
	if (s->follow && p->head > 0 && !s->is_ended && session_wanted(s) && !s->damaged) {
		session_say(s, "the traced program has ended");
	}
	print_notes(p);
	lines_fini(&p->view);
	out_fini(&p->line);
}

static int run(struct print *p, char *const *traces)
{
	struct session *s = &p->session;

	if (p->follow) {
		session_follow(s, p->only_new ? FOLLOW_NEW : FOLLOW_ALL);
	}
	if (session_open_several(s, traces, p->output)) {
		if (has_time(p)) {
			print_all(p);
		} else {
			s->damaged = true;
		}
	}
	return session_end(s);
}

int waymark_print(int argc, char **argv)
{
	struct print p = { .time = TIMESTAMP_ABSOLUTE, .style = &lines_text, .head = UINT64_MAX };
	int status;

	session_init(&p.session, command.name);
	filter_init(&p.filter);
	int failed = parse(&p, argc, argv);

	if (failed) {
		session_end(&p.session);
		status = failed == ARGUMENTS_DONE ? EXIT_SUCCESS : WAYMARK_USAGE;
	} else {
		status = run(&p, argv + optind);
	}
	filter_fini(&p.filter);
	tail_fini(&p.last);
	return status;
}
