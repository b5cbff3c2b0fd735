/* SPDX-License-Identifier: MIT */
/* `waymark convert`: a trace in the other format. */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/arguments.h"
#include "cmd/escaped.h"
#include "cmd/session.h"
#include "cmd/waymark.h"
#include "view/gap.h"
#include "write/ctf_writer.h"
#include "write/simple_writer.h"
#include "write/staged.h"

enum { KEY_TO = ARGUMENT_LONG, KEY_PID, KEY_REPLACE };

static const struct argument rows[] = {
	{ 'e', "declarations", "FILE", "the events' declarations; may be repeated" },
	{ 'o', "output", "OUT",
		"what to write: a directory (ctf) or a file (simple),\n"
		"- for standard output (simple)" },
	{ KEY_TO, "to", "FORMAT",
		"ctf: the native format; simple: simpletrace\n"
		"version 4; default: the one that TRACE is not in" },
	{ KEY_PID, "pid", "PID", "only the records of this process" },
	{ KEY_REPLACE, "replace", NULL, "replace OUT if it is there" },
	{ 0 },
};

static const struct command command = {
	.name = "waymark convert",
	.usage = "[-e DECLARATIONS] [OPTION...] -o OUT TRACE",
	.about =
		"Writes a native trace as a simpletrace file, or a simpletrace file as a native\n"
		"trace, which every reader of CTF opens. Events, times, processes and gaps stay\n"
		"what they are. OUT appears when it is complete, and is never overwritten unasked.",
	.arguments = rows,
};

enum target { TARGET_OTHER, TARGET_CTF, TARGET_SIMPLE };

struct convert {
	struct session session;
	enum target to;
	const char *output;
	bool replace;
	bool has_pid; /* `pid` is the one that is asked for, or the first one met */
	bool picks; /* others are left out */
	uint32_t pid;
	bool is_hopeless; /* nothing good can come of it any more: that was reported */
	struct value spelled[EVENT_ARGS_LIMIT];
	char texts[EVENT_ARGS_LIMIT][24];
	struct staged staged;
	struct ctf_writer ctf;
	struct simple_writer simple;
};

static int set_pid(struct convert *c, const char *text)
{
	char *end;
	unsigned long pid = strtoul(text, &end, 10);

	if (end == text || *end || *text == '-' || pid > UINT32_MAX) {
		return arguments_bad(&command, "'%s' is not a process id", text);
	}
	c->pid = (uint32_t)pid;
	c->has_pid = c->picks = true;
	return 0;
}

static int set_format(struct convert *c, const char *text)
{
	if (strcmp(text, "ctf") != 0 && strcmp(text, "simple") != 0) {
		return arguments_bad(&command, "--to is ctf or simple, not '%s'", text);
	}
	c->to = *text == 'c' ? TARGET_CTF : TARGET_SIMPLE;
	return 0;
}

/* Takes one option; returns 0, or what ends the run. */
static int take(struct convert *c, int key)
{
	switch (key) {
	case 'e':
		return session_declare(&c->session, optarg) ? 0 : ARGUMENTS_BAD;
	case 'o':
		c->output = optarg;
		return 0;
	case KEY_TO:
		return set_format(c, optarg);
	case KEY_PID:
		return set_pid(c, optarg);
	case KEY_REPLACE:
		c->replace = true;
		return 0;
	default:
		return key;
	}
}

/* Reads the command line; returns 0, or what ends the run. */
static int parse(struct convert *c, int argc, char **argv)
{
	int key;

	while ((key = arguments_next(&command, argc, argv)) != ARGUMENTS_END) {
		int failed = take(c, key);

		if (failed) {
			return failed;
		}
	}
	if (argc - optind != 1) {
		return arguments_bad(
			&command, argc == optind ? "the trace is missing"
						 : "one trace at a time; declarations go after -e");
	}
	return c->output ? 0 : arguments_bad(&command, "-o OUT is missing");
}

static COLD bool give_up(struct convert *c)
{
	c->is_hopeless = true;
	return false;
}

static bool is_native(const struct convert *c)
{
	return strcmp(c->session.reader->format->name, "CTF") == 0;
}

static bool say_output(struct convert *c, const char *why)
{
	escaped_printf(stderr, "%s: %s: %s", command.name, c->output, why);
	fputc('\n', stderr);
	return give_up(c);
}

/* By whatever name; what comes from standard input has none. */
static bool is_the_trace(const struct convert *c)
{
	const char *trace = c->session.first_trace;
	struct stat x;
	struct stat y;
	bool found = strcmp(trace, "-") == 0 ? fstat(STDIN_FILENO, &x) == 0 : stat(trace, &x) == 0;

	return found && stat(c->output, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

/* Replacing the trace would destroy it: what is written may be a part of it. */
static bool may_be_replaced(struct convert *c)
{
	const char *trace = c->session.first_trace;

	if (is_the_trace(c)) {
		session_say(&c->session, "is both the trace and the output");
		return give_up(c);
	}
	if (session_input_at(&c->session, c->output)) {
		return say_output(c, "is both the declarations and the output");
	}
	if (session_is_inside(trace, c->output)) {
		return say_output(c, "would be inside the trace: give another place");
	}
	if (session_is_inside(c->output, trace)) {
		return say_output(c, "has the trace in it: give another place");
	}
	return true;
}

static bool may_open_output(struct convert *c)
{
	bool is_standard = strcmp(c->output, "-") == 0;

	if (c->to == TARGET_CTF && is_native(c)) {
		session_say(&c->session,
			"is a native trace already: copy the directory, or give --to simple");
		return give_up(c);
	}
	if (is_standard && c->to == TARGET_CTF) {
		return say_output(
			c, "a native trace is a directory and cannot go there: give -o OUT");
	}
	return is_standard || may_be_replaced(c);
}

/* Opens what is written. */
static bool open_output(struct convert *c)
{
	bool is_standard = strcmp(c->output, "-") == 0;

	if (c->to == TARGET_OTHER) {
		c->to = is_native(c) ? TARGET_SIMPLE : TARGET_CTF;
	}
	if (!may_open_output(c)) {
		return false;
	}
	if (!is_standard && !staged_begin(&c->staged, c->output, c->to == TARGET_CTF, c->replace)) {
		return say_output(c, c->staged.error);
	}
	if (c->to == TARGET_CTF) {
		ctf_writer_init(&c->ctf, c->staged.fd);
	} else {
		if (!is_standard) {
			c->session.out_fd = c->session.out.fd = dup(c->staged.fd);
		}
		simple_writer_init(&c->simple, &c->session.out, c->session.reader);
	}
	return true;
}

static COLD bool refuse_event(struct convert *c, const struct record *rec)
{
	session_say(&c->session,
		"no declaration of '%s', whose arguments cannot be told without: "
		"give -e trace-events-all",
		rec->class->name);
	return give_up(c);
}

/* A native trace is of one process. */
static COLD bool see_pid(struct convert *c, const struct record *rec)
{
	if (c->has_pid) {
		session_say(&c->session,
			"has records of process %" PRIu32 " and of %" PRIu32
			": a native trace is of one; give --pid; waymark info counts them",
			c->pid, rec->pid);
		return give_up(c);
	}
	c->has_pid = true;
	c->pid = rec->pid;
	return true;
}

/* Addresses that a trace has in place of strings become strings as they are shown. */
static const struct value *spell(struct convert *c, const struct record *rec)
{
	const struct value *values = reader_values(c->session.reader, rec);
	const struct event *e = rec->class->event;

	if (LIKELY(c->session.reader->form != VALUES_ANY)) {
		return values;
	}
	for (size_t i = 0; i < e->arg_count; i++) {
		struct value *v = &c->spelled[i];

		*v = values[i];
		if (e->args[i].type.class == TYPE_STRING && v->kind == VALUE_NUMBER) {
			snprintf(c->texts[i], sizeof(c->texts[i]), "0x%" PRIx64, v->number);
			*v = (struct value){ .kind = VALUE_STRING,
				.text = c->texts[i],
				.length = (uint32_t)strlen(c->texts[i]) };
		}
	}
	return c->spelled;
}

static bool put_ctf(struct convert *c, const struct record *rec)
{
	const struct value *values = NULL;

	if (LIKELY(rec->kind == RECORD_EVENT)) {
		if (UNLIKELY(!c->has_pid || rec->pid != c->pid) && !see_pid(c, rec)) {
			return false;
		}
		if (UNLIKELY(!rec->class->event)) {
			return refuse_event(c, rec);
		}
		values = spell(c, rec);
	}
	ctf_writer_put(&c->ctf, rec, values);
	return !c->ctf.error;
}

static bool put_simple(struct convert *c, const struct record *rec)
{
	const struct value *values = NULL;

	if (UNLIKELY(!simple_writer_can(&c->simple, rec))) {
		return refuse_event(c, rec);
	}
	if (rec->kind == RECORD_EVENT && !c->simple.copies) {
		values = spell(c, rec);
	}
	simple_writer_put(&c->simple, rec, values);
	return session_wanted(&c->session);
}

static void convert_records(struct convert *c)
{
	struct record rec;
	bool goes_on = true;

	while (goes_on && session_next(&c->session, &rec)) {
		if (UNLIKELY(c->picks && rec.pid != c->pid)) {
			continue;
		}
		goes_on = c->to == TARGET_CTF ? put_ctf(c, &rec) : put_simple(c, &rec);
	}
}

static const char *or_empty(const char *text)
{
	return text ? text : "";
}

static bool finish_ctf(struct convert *c)
{
	struct ctf_writer_origin origin = {
		.hostname = "", .procname = "", .boot_id = "", .pid = c->pid
	};
	const struct reader *r = c->session.reader;

	if (r->trace_count == 1) {
		origin.hostname = or_empty(r->traces[0].hostname);
		origin.procname = or_empty(r->traces[0].procname);
		origin.boot_id = or_empty(r->traces[0].boot_id);
		origin.realtime = r->traces[0].has_realtime ? r->traces[0].realtime : 0;
	}
	int error = ctf_writer_finish(&c->ctf, &origin);

	if (c->ctf.cut > 0) {
		session_say(&c->session, "%" PRIu64 " strings were too long for a packet, and cut",
			c->ctf.cut);
	}
	return !error ||
	       say_output(c, error == EOVERFLOW
				     ? "more kinds of events than a native trace has numbers for"
				     : strerror(error));
}

static bool finish_simple(struct convert *c)
{
	if (losses_packets(&c->simple.untold) > 0) {
		struct out words;

		out_init(&words, OUT_TO_MEMORY);
		gap_put_text(&words, &c->simple.untold);
		session_say(&c->session, "%.*s: a simpletrace file cannot tell that",
			(int)words.len, words.data);
		out_fini(&words);
	}
	int error = out_flush(&c->session.out);

	/* session_end() says why not, and that a closed pipe is no failure. */
	return !error || error == EPIPE || give_up(c);
}

static void convert(struct convert *c)
{
	convert_records(c);
	bool ok = !c->is_hopeless && (c->to == TARGET_CTF ? finish_ctf(c) : finish_simple(c));

	if (ok && c->session.reader->traces[0].is_live) {
		session_say(&c->session,
			"is still being recorded by process %" PRIu32
			": the output ends with what there was by now",
			c->session.reader->traces[0].pid);
	}

	if (ok && c->staged.temporary && !staged_commit(&c->staged)) {
		say_output(c, c->staged.error);
	}
	if (c->to == TARGET_CTF) {
		ctf_writer_fini(&c->ctf);
	} else {
		simple_writer_fini(&c->simple);
	}
}

int waymark_convert(int argc, char **argv)
{
	struct convert c = { .staged = { .fd = -1 } };

	session_init(&c.session, command.name);
	int failed = parse(&c, argc, argv);

	if (failed) {
		session_end(&c.session);
		return failed == ARGUMENTS_DONE ? EXIT_SUCCESS : WAYMARK_USAGE;
	}
	if (session_open(&c.session, argv[optind], NULL, false) && open_output(&c)) {
		convert(&c);
	}
	staged_fini(&c.staged);
	int status = session_end(&c.session);

	return c.is_hopeless ? EXIT_FAILURE : status;
}
