/* SPDX-License-Identifier: MIT */
/*
 * `waymark convert`: writes a native trace as a simpletrace file, or the other way round. The
 * output gets its name when it is complete, and is never a file that is read.
 */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/arguments.h"
#include "cmd/escaped.h"
#include "cmd/session.h"
#include "cmd/waymark.h"
#include "output/output.h"
#include "view/gap.h"
#include "write/ctf_writer.h"
#include "write/simple_writer.h"

enum { KEY_TO = ARGUMENT_LONG, KEY_PID, KEY_REPLACE };

static const struct argument rows[] = {
	{ 'e', "declarations", "FILE", "read the events' declarations from FILE; may be repeated" },
	{ 'o', "output", "OUT",
		"the output: a directory (ctf) or a file (simple); - is standard output" },
	{ KEY_TO, "to", "FORMAT",
		"ctf: native; simple: simpletrace v4 (default: not TRACE's format)" },
	{ KEY_PID, "pid", "PID", "only records of this process" },
	{ KEY_REPLACE, "replace", NULL, "replace OUT if it exists" },
	{ 0 },
};

static const struct command command = {
	.name = "waymark convert",
	.usage = "[-e DECLARATIONS] [OPTION...] -o OUT TRACE",
	.about =
		"Writes a native trace as a simpletrace file, or a simpletrace file as a native\n"
		"trace, which every reader of CTF opens. Events, times, processes and gaps stay the\n"
		"same. OUT appears when it is complete; an existing one is replaced with --replace\n"
		"only.",
	.arguments = rows,
};

enum target { TARGET_OTHER, TARGET_CTF, TARGET_SIMPLE };

struct convert {
	struct session session;
	enum target to;
	const char *output;
	bool replace;
	bool has_pid; /* `pid` was set by --pid, or is the first one found */
	bool picks; /* records of other processes are skipped */
	uint32_t pid;
	bool has_failed; /* there will be no output, which was reported */
	struct value spelled[EVENT_ARGS_LIMIT];
	char texts[EVENT_ARGS_LIMIT][24];
	struct output file;
	struct ctf_writer ctf;
	struct simple_writer simple;
};

static int set_pid(struct convert *c, const char *text)
{
	uint64_t pid;

	if (!arguments_number(text, UINT32_MAX, &pid)) {
		return arguments_bad(&command, "'%s' is not a process id", text);
	}
	c->pid = (uint32_t)pid;
	c->has_pid = c->picks = true;
	return 0;
}

static int set_format(struct convert *c, const char *text)
{
	static const char *const formats[] = { "ctf", "simple" };
	int format = arguments_word(text, formats, ARRAY_SIZE(formats));

	if (format < 0) {
		return arguments_bad(&command, "--to is ctf or simple, not '%s'", text);
	}
	c->to = format == 0 ? TARGET_CTF : TARGET_SIMPLE;
	return 0;
}

/* Applies one option; returns 0, or the result that ends the run. */
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

/* Reads the command line; returns 0, or the result that ends the run. */
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

static COLD bool fail(struct convert *c)
{
	c->has_failed = true;
	return false;
}

static bool is_native(const struct convert *c)
{
	return strcmp(c->session.reader->format->name, "CTF") == 0;
}

static bool fail_output(struct convert *c, const char *why)
{
	escaped_say(command.name, "%s: %s", c->output, why);
	return fail(c);
}

/* True if the output is not one of the files that are read, which it would destroy. */
static bool may_be_replaced(struct convert *c)
{
	if (!session_may_write(&c->session, c->output)) {
		return fail(c);
	}
	if (session_is_inside(c->output, c->session.first_trace)) {
		return fail_output(c, "has the trace in it: give another OUT");
	}
	return true;
}

static bool may_open_output(struct convert *c)
{
	bool is_standard = strcmp(c->output, "-") == 0;

	if (c->to == TARGET_CTF && is_native(c)) {
		session_say(&c->session,
			"is a native trace already: copy the directory, or give --to simple");
		return fail(c);
	}
	if (is_standard && c->to == TARGET_CTF) {
		return fail_output(
			c, "a native trace is a directory and cannot go there: give -o OUT");
	}
	return is_standard || may_be_replaced(c);
}

static bool open_output(struct convert *c)
{
	bool is_standard = strcmp(c->output, "-") == 0;

	if (c->to == TARGET_OTHER) {
		c->to = is_native(c) ? TARGET_SIMPLE : TARGET_CTF;
	}
	if (!may_open_output(c)) {
		return false;
	}
	if (!is_standard && !output_begin(&c->file, c->output, c->to == TARGET_CTF, c->replace)) {
		return fail_output(c, c->file.error);
	}
	if (c->to == TARGET_CTF) {
		ctf_writer_init(&c->ctf, c->file.fd);
	} else {
		if (!is_standard) {
			c->session.out_fd = c->session.out.fd = dup(c->file.fd);
		}
		simple_writer_init(&c->simple, &c->session.out, c->session.reader);
	}
	return true;
}

static COLD bool refuse_event(struct convert *c, const struct record *rec)
{
	session_say(&c->session,
		"no declaration of '%s', which its arguments need: give -e trace-events-all",
		rec->class->name);
	return fail(c);
}

/* Notes the process of the trace, as a native trace has only one. */
static COLD bool see_pid(struct convert *c, const struct record *rec)
{
	if (c->has_pid) {
		session_say(&c->session,
			"has records of process %" PRIu32 " and of %" PRIu32
			": a native trace has one process; choose it with --pid; waymark info lists "
			"them",
			c->pid, rec->pid);
		return fail(c);
	}
	c->has_pid = true;
	c->pid = rec->pid;
	return true;
}

/*
 * Returns the values of a record. Addresses in place of strings become strings, as in printed
 * lines.
 */
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

static bool finish_ctf(struct convert *c)
{
	struct ctf_writer_origin origin = {
		.hostname = "", .procname = "", .boot_id = "", .pid = c->pid
	};
	const struct reader *r = c->session.reader;

	if (r->trace_count == 1) {
		origin.hostname = r->traces[0].hostname ? r->traces[0].hostname : "";
		origin.procname = r->traces[0].procname ? r->traces[0].procname : "";
		origin.boot_id = r->traces[0].boot_id ? r->traces[0].boot_id : "";
		origin.realtime = r->traces[0].has_realtime ? r->traces[0].realtime : 0;
	}
	int error = ctf_writer_finish(&c->ctf, &origin);

	if (c->ctf.cut > 0) {
		session_say(&c->session,
			"%" PRIu64 " strings were too long for a packet and were cut", c->ctf.cut);
	}
	return !error ||
	       fail_output(c, error == EOVERFLOW
				      ? "more kinds of events than a native trace can have"
				      : strerror(error));
}

static bool finish_simple(struct convert *c)
{
	if (losses_packets(&c->simple.unreported) > 0) {
		struct out words;

		out_init(&words, OUT_TO_MEMORY);
		gap_put_text(&words, &c->simple.unreported);
		session_say(&c->session, "%.*s: a simpletrace file cannot record that",
			(int)words.len, words.data);
		out_fini(&words);
	}
	int error = out_flush(&c->session.out);

	/* session_end() reports the error, or ignores a closed pipe. */
	return !error || error == EPIPE || fail(c);
}

static void convert(struct convert *c)
{
	struct record rec;
	bool goes_on = true;

	while (goes_on && session_next(&c->session, &rec)) {
		if (UNLIKELY(c->picks && rec.pid != c->pid)) {
			continue;
		}
		goes_on = c->to == TARGET_CTF ? put_ctf(c, &rec) : put_simple(c, &rec);
	}
	bool ok = !c->has_failed && (c->to == TARGET_CTF ? finish_ctf(c) : finish_simple(c));

	if (ok && c->session.reader->traces[0].is_live) {
		session_say(&c->session,
			"is still being recorded by process %" PRIu32
			": the output ends with the events so far",
			c->session.reader->traces[0].pid);
	}

	if (ok && c->file.temporary && !output_commit(&c->file)) {
		fail_output(c, c->file.error);
	}
	if (c->to == TARGET_CTF) {
		ctf_writer_fini(&c->ctf);
	} else {
		simple_writer_fini(&c->simple);
	}
}

int waymark_convert(int argc, char **argv)
{
	struct convert c = { .file = { .fd = -1 } };

	session_init(&c.session, command.name);
	int failed = parse(&c, argc, argv);

	if (failed) {
		session_end(&c.session);
		return failed == ARGUMENTS_DONE ? EXIT_SUCCESS : WAYMARK_USAGE;
	}
	if (session_open(&c.session, argv[optind], NULL, false) && open_output(&c)) {
		convert(&c);
	}
	output_fini(&c.file);
	int status = session_end(&c.session);

	return c.has_failed ? EXIT_FAILURE : status;
}
