/* SPDX-License-Identifier: MIT */
/*
 * Opens declarations, traces and output, reads records and counts unreadable ones. The output is
 * never one of the files that are read. session_follow.c handles live traces.
 */
#include "cmd/session.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <libgen.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/escaped.h"
#include "decl/decl.h"
#include "read/buffer.h"
#include "read/merge.h"
#include "read/where.h"
#include "recover/leftover.h"

/* Limit of messages about records: with wrong declarations, every record has a problem. */
#define PROBLEMS_SHOWN 10

/* Records between two checks of the progress: some milliseconds at the fastest reading. */
#define PROGRESS_RECORDS (1u << 16)

void session_init(struct session *s, const char *name)
{
	*s = (struct session){ .name = name, .out_fd = STDOUT_FILENO, .lifeline = -1 };
	declarations_init(&s->declarations);
	/* write(2) reports a closed pipe, and the shell's limit of a file's size. */
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);
}

void session_say(struct session *s, const char *fmt, ...)
{
	va_list ap;

	progress_erase(&s->progress);
	escaped_printf(stderr, "%s: %s%s", s->name, s->trace ? s->trace : "", s->trace ? ": " : "");
	va_start(ap, fmt);
	escaped_vprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
}

void session_set_condition(struct session *s, const char *text)
{
	struct expr_error unused;

	s->filter.condition = where_parse(text, &unused);
}

struct where *session_take_where(struct session *s)
{
	s->where = s->filter.where;
	s->filter.where = NULL;
	return s->where;
}

void session_add_input(struct session *s, const char *path, const char *what)
{
	vec_push(&s->inputs, ((struct session_input){ path, what }));
}

/* Adds a declaration file, or all files of a directory, to the inputs. */
static void add_declarations(struct session *s, const char *path)
{
	const char *const *paths = &path;
	size_t count = 1;

	if (decl_is_directory(path) &&
		decl_list_directory(&s->declarations.model.arena, path, &paths, &count)) {
		return;
	}
	for (size_t i = 0; i < count; i++) {
		session_add_input(s, paths[i], "the declarations");
	}
}

bool session_declare(struct session *s, const char *path)
{
	bool ok = declarations_add(&s->declarations, path);
	struct out *messages = &s->declarations.diag.out;

	if (messages->len > 0 && s->declarations.is_unreadable) {
		escaped_say(s->name, "%.*s", (int)messages->len - 1, messages->data);
	} else if (messages->len > 0) {
		fwrite(messages->data, 1, messages->len, stderr);
	}
	messages->len = 0;
	s->has_declarations |= ok;
	add_declarations(s, path);
	return ok;
}

static bool is_same_file(const char *a, const char *b)
{
	struct stat x;
	struct stat y;

	return stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev &&
	       x.st_ino == y.st_ino && (S_ISREG(x.st_mode) || S_ISDIR(x.st_mode));
}

bool session_is_inside(const char *trace, const char *output)
{
	char directory[PATH_MAX];
	char place[PATH_MAX];
	char copy[PATH_MAX];
	size_t length;

	snprintf(copy, sizeof(copy), "%s", output);
	if (!realpath(trace, directory) ||
		(!realpath(output, place) && !realpath(dirname(copy), place))) {
		return false;
	}
	length = strlen(directory);
	return strncmp(place, directory, length) == 0 &&
	       (place[length] == '/' || place[length] == '\0');
}

/* Describes the input that `output` is the same file as; NULL if it is none. */
static const char *input_at(const struct session *s, const char *output)
{
	vec_foreach (const struct session_input *, input, &s->inputs) {
		if (is_same_file(input->path, output)) {
			return input->what;
		}
	}
	return NULL;
}

/* True if the output and a trace, which may be standard input, are the same file. */
static bool is_trace(const char *trace, const char *output)
{
	return is_same_file(strcmp(trace, "-") == 0 ? "/dev/stdin" : trace, output);
}

bool session_may_write(struct session *s, const char *output)
{
	const char *what = input_at(s, output);

	if (what) {
		s->trace = output;
		session_say(s, "is both %s and the output", what);
		return false;
	}
	for (size_t i = 0; i < s->trace_count; i++) {
		if (is_trace(s->traces[i], output)) {
			s->trace = s->traces[i];
			session_say(s, "is both the trace and the output");
			return false;
		}
		if (session_is_inside(s->traces[i], output)) {
			s->trace = s->traces[i];
			session_say(
				s, "is a trace, and the output '%s' would be inside it", output);
			return false;
		}
	}
	return true;
}

static bool open_output(struct session *s, const char *output)
{
	if (!output || strcmp(output, "-") == 0) {
		return true;
	}
	if (!session_may_write(s, output)) {
		return false;
	}
	s->out_fd = open(output, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	if (s->out_fd >= 0) {
		s->made = output;
	} else {
		s->out_fd = open(output, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
	}
	if (s->out_fd < 0) {
		escaped_say(s->name, "%s: cannot open for writing: %s", output, strerror(errno));
		return false;
	}
	return true;
}

void session_begin_output(struct session *s)
{
	s->made = NULL;
	/* EINVAL: a pipe or a device, which has no contents to remove. */
	if (s->out_fd != STDOUT_FILENO && ftruncate(s->out_fd, 0) != 0 && errno != EINVAL) {
		s->out.error = errno;
	}
}

/*
 * Callback before the reader waits: prints the events so far. Returns false if a signal ended the
 * wait.
 */
static bool show_so_far(void *session)
{
	struct session *s = session;

	if (s->ready) {
		out_flush(&s->out);
	}
	return !session_is_interrupted(s);
}

/*
 * Reports why a trace cannot be read, and the rest of a trace that was removed while its process
 * recorded, or before it was recovered.
 */
static void report_unreadable(struct session *s, const char *path, const struct read_error *error)
{
	const char *before = s->trace;
	char text[600];

	s->trace = path;
	session_say(s, "%s", error->text);
	if (access(path, F_OK) != 0 && errno == ENOENT &&
		leftover_explain(path, text, sizeof(text))) {
		session_say(s, "%s", text);
	}
	s->trace = before;
	s->unreadable = true;
	if (s->unreadable_traces++ == 0) {
		snprintf(s->first_unreadable, sizeof(s->first_unreadable), "%.150s: %.350s", path,
			error->text);
	}
}

/* Callback for an unreadable trace: the other traces are still read. */
static void on_unreadable(void *session, const char *path, const struct read_error *error)
{
	report_unreadable(session, path, error);
}

/* Reports that the folder of buffers, where native traces may have events, cannot be opened. */
static void check_memory(struct session *s)
{
	int error = buffer_source_folder_error();
	bool is_wanted = false;
	struct stat st;

	for (size_t i = 0; error && i < s->trace_count; i++) {
		is_wanted |= stat(s->traces[i], &st) == 0 && S_ISDIR(st.st_mode);
	}
	if (is_wanted) {
		session_say(s, "cannot open " BUFFER_SOURCE_VARIABLE "=%s: %s",
			buffer_source_folder(), strerror(error));
		s->unreadable = true;
	}
}

static struct reader_options reader_options(struct session *s, bool no_header)
{
	return (struct reader_options){
		.declarations = s->has_declarations ? &s->declarations.model : NULL,
		.no_header = no_header,
		.on_wait = show_so_far,
		.on_unreadable = on_unreadable,
		.data = s,
		.follow = s->follow,
	};
}

/* True if an expression can be checked before the first record. */
static bool is_declared(const struct session *s)
{
	return !s->follow && reader_declares_all(s->reader);
}

/* Reports an expression that fits no event. */
static bool check_where(struct session *s)
{
	struct expr_error error;
	const char *misfit;

	struct where *where = s->filter.where ? s->filter.where : s->where;

	if (!where || where_check(where, s->reader, &error, &misfit)) {
		return true;
	}
	session_say(s, "--where: %s%s%s%s%s", misfit ? misfit : "", misfit ? ": " : "", error.text,
		*error.help ? ": " : "", error.help);
	escaped_caret(stderr, where_text(where), error.at, error.length);
	return false;
}

static void start_filter(struct session *s)
{
	filter_start(&s->filter, s->reader);
	if (s->where) {
		where_restart(s->where);
	}
	if (!s->reads_all) {
		filter_limit(&s->filter);
	}
}

static void begin_output(struct session *s)
{
	out_init(&s->out, s->out_fd);
	progress_erase(&s->progress);
	progress_init(&s->progress, s->name, s->out_fd);
	s->ready = true;
}

static bool open_traces(struct session *s, const char *output, bool no_header)
{
	const struct reader_options options = reader_options(s, no_header);
	struct read_error error;

	if (!session_await_traces(s)) {
		return false;
	}
	check_memory(s);
	s->trace = s->trace_count == 1 ? s->traces[0] : NULL;
	s->reader = merge_open(s->traces, s->trace_count, &options, &error);
	if (!s->reader && session_is_interrupted(s)) {
		return false;
	}
	if (!s->reader && s->trace) {
		report_unreadable(s, s->trace, &error);
	}
	if (!s->reader || !open_output(s, output)) {
		return false;
	}
	start_filter(s);
	if (is_declared(s) && !check_where(s)) {
		return false;
	}
	begin_output(s);
	return true;
}

bool session_open(struct session *s, const char *trace, const char *output, bool no_header)
{
	s->first_trace = trace;
	s->traces = &s->first_trace;
	s->trace_count = 1;
	return open_traces(s, output, no_header);
}

static void set_traces(struct session *s, char *const *traces)
{
	s->traces = (const char *const *)traces;
	for (s->trace_count = 0; traces[s->trace_count];) {
		s->trace_count++;
	}
}

bool session_open_several(struct session *s, char *const *traces, const char *output)
{
	set_traces(s, traces);
	return open_traces(s, output, false);
}

bool session_open_in_turn(struct session *s, char *const *traces, const char *output)
{
	set_traces(s, traces);
	check_memory(s);
	if (!open_output(s, output)) {
		return false;
	}
	begin_output(s);
	return true;
}

bool session_turn_to(struct session *s, size_t trace)
{
	const struct reader_options options = reader_options(s, false);
	struct read_error error;

	reader_close(s->reader);
	s->trace = s->traces[trace];
	s->reader = merge_open(&s->traces[trace], 1, &options, &error);
	if (!s->reader) {
		report_unreadable(s, s->trace, &error);
		return false;
	}
	start_filter(s);
	return !is_declared(s) || check_where(s);
}

/* True if all was read and can be read again. Files without a size, as in tracefs, cannot. */
static bool can_be_read_again(
	const struct session *s, const char *const *traces, size_t trace_count)
{
	bool can = s->problems == 0 && !s->damaged && !s->unreadable;
	struct stat st;

	for (size_t i = 0; can && i < trace_count; i++) {
		can = strcmp(traces[i], "-") != 0 && stat(traces[i], &st) == 0 &&
		      (S_ISDIR(st.st_mode) || (S_ISREG(st.st_mode) && st.st_size > 0));
	}
	return can;
}

bool session_may_turn_again(const struct session *s, size_t trace)
{
	return can_be_read_again(s, &s->traces[trace], 1);
}

struct reader *session_read_again(struct session *s)
{
	const struct reader_options options = reader_options(s, false);
	struct reader *before = s->reader;
	struct read_error error;

	if (!can_be_read_again(s, s->traces, s->trace_count)) {
		return NULL;
	}
	s->reader = merge_open(s->traces, s->trace_count, &options, &error);
	if (!s->reader) {
		s->reader = before;
		return NULL;
	}
	start_filter(s);
	return before;
}

struct unreadable {
	size_t count;
	struct read_error error; /* of the last one */
};

/* Callback for an unreadable trace when it was reported before. */
static void on_unreadable_again(void *unreadable, const char *path, const struct read_error *error)
{
	struct unreadable *u = unreadable;

	(void)path;
	u->count++;
	u->error = *error;
}

struct reader *session_open_again(
	const struct session *s, struct filter *filter, struct read_error *error)
{
	struct unreadable unreadable = { 0 };
	const struct reader_options options = {
		.declarations = s->has_declarations ? &s->declarations.model : NULL,
		.on_unreadable = on_unreadable_again,
		.data = &unreadable,
		.is_again = true,
	};
	struct reader *r = merge_open(s->traces, s->trace_count, &options, error);

	filter_copy(filter, &s->filter);
	/* Without a trace that could be read, the others would have other numbers. */
	if (r && unreadable.count > 0 && r->trace_count != s->reader->trace_count) {
		*error = unreadable.error;
		reader_close(r);
		r = NULL;
	}
	if (r) {
		filter_start(filter, r);
		filter_limit(filter);
	}
	return r;
}

struct reader *session_open_beside(const struct session *s, struct filter *filter)
{
	struct read_error ignored;

	return session_open_again(s, filter, &ignored);
}

static COLD void report(struct session *s)
{
	s->has_mismatch |= s->reader->error.is_mismatch;
	if (s->damaged || ++s->problems <= PROBLEMS_SHOWN) {
		session_say(s, "%s", s->reader->error.text);
	}
}

void session_show_progress(struct session *s)
{
	s->until_progress = PROGRESS_RECORDS;
	if (s->progress.wanted) {
		progress_show(&s->progress, reader_progress(s->reader));
	}
}

/* Continues after a problem, or after the end of a live trace. */
bool session_next_behind(struct session *s, struct record *rec, enum read_result result)
{
	while (result == READ_PROBLEM || (result == READ_NOTHING && session_wait(s))) {
		if (result == READ_PROBLEM) {
			report(s);
		}
		result = reader_next(s->reader, rec);
	}
	progress_erase(&s->progress);
	if (result == READ_DAMAGED) {
		s->damaged = true;
		report(s);
	}
	return result == READ_RECORD;
}

/* Notes on traces that will have more events, or may have fewer after the next boot. */
static const struct {
	const char *state;
	const char *note;
} states[] = {
	{ "running", "its process still runs: these are its events so far" },
	{ "killed",
		"its process was killed or did not exit(): a part of this is read from memory; waymark "
		"recover puts it into the files" },
	{ "unwritten",
		"its process ended and could not write all: a part of this is read from memory; waymark "
		"recover puts it into the files" },
	{ "unfinished", READ_UNFINISHED },
};

void session_explain_states(struct session *s)
{
	const struct reader *r = s->reader;

	for (size_t i = 0; i < r->trace_count; i++) {
		const struct trace_info *t = &r->traces[i];

		for (size_t k = 0; k < ARRAY_SIZE(states) && t->state; k++) {
			if (strcmp(states[k].state, t->state) == 0) {
				session_say(s, "%s%s%s", t->path ? t->path : "",
					t->path ? ": " : "", states[k].note);
			}
		}
	}
}

/* Flushes and closes the output. A closed pipe is no error. */
static bool finish_output(struct session *s)
{
	int error = out_flush(&s->out);

	if (s->out_fd > STDERR_FILENO && close(s->out_fd) != 0 && !error) {
		error = errno;
	}
	if (error && error != EPIPE) {
		session_say(s, "cannot write the output: %s", strerror(error));
	}
	return !error || error == EPIPE;
}

int session_end(struct session *s)
{
	progress_erase(&s->progress);

	bool ok = s->ready ? finish_output(s) : s->is_ended;

	if (s->ready && s->reader && !is_declared(s) && !check_where(s)) {
		s->problems++;
	}

	if (s->problems > PROBLEMS_SHOWN) {
		session_say(s, "%" PRIu64 " more records could not be read",
			s->problems - PROBLEMS_SHOWN);
	}
	if (s->has_mismatch) {
		session_say(s, "are these the declarations of the program that wrote the trace?");
	}
	ok = ok && s->problems == 0 && !s->damaged && !s->unreadable;
	if (!ok && s->made) {
		unlink(s->made); /* a build would use it as a result */
	}
	out_fini(&s->out);
	reader_close(s->reader);
	declarations_fini(&s->declarations);
	vec_fini(&s->inputs);
	filter_fini(&s->filter);
	where_free(s->where);
	return ok ? EXIT_SUCCESS : EXIT_FAILURE;
}
