/* SPDX-License-Identifier: MIT */
/*
 * Opens a trace: finds its format by its first bytes, in the table of formats. Also has the parts
 * shared by readers of all formats: errors, values, classes. Called by commands, the API and
 * merge.c; each format has its own functions for records.
 */
#include "read/reader.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/memory.h"
#include "format/ctf.h"
#include "base/escape.h"
#include "base/utf8.h"

static const struct reader_format *const formats[] = {
	&reader_simple,
	&reader_ctf,
	&reader_kernel,
};

/* Escapes a text: a name from a damaged trace may have any bytes, and an error must be one line. */
static void copy_escaped(char *out, size_t size, const char *text)
{
	const char *last = out + size - UTF8_MAX * ESCAPE_MAX - 1;
	const char *end = text + strlen(text);

	while (text < end && out < last) {
		out = escape_character(out, &text, (size_t)(end - text));
	}
	*out = '\0';
}

void read_error_set(struct read_error *e, const char *fmt, ...)
{
	char raw[sizeof(e->text)];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(raw, sizeof(raw), fmt, ap);
	va_end(ap);
	copy_escaped(e->text, sizeof(e->text), raw);
	e->is_mismatch = false;
	e->is_short = false;
	e->depth = 0;
}

bool read_error_because(struct read_error *e, const char *what, int why)
{
	read_error_set(e, "%s: %s", what, strerror(why));
	e->is_short = error_is_shortage(why);
	return false;
}

/* For formats without information about the trace. */
static const struct trace_info unknown_trace = { .hostname = "", .boot_id = "", .procname = "" };

void reader_init(
	struct reader *r, const struct reader_format *format, const struct reader_options *options)
{
	r->format = format;
	r->declarations = options->declarations;
	r->values = NULL;
	r->value_capacity = 0;
	r->traces = &unknown_trace;
	r->trace_count = 1;
	r->is_stopped = false;
	classes_init(&r->classes);
}

void reader_fini(struct reader *r)
{
	classes_fini(&r->classes);
	free(r->values);
}

void reader_close(struct reader *r)
{
	if (r) {
		r->format->close_files(r);
		r->format->close(r);
	}
}

void reader_close_files(struct reader *r)
{
	r->format->close_files(r);
}

static const struct reader_format *detect(struct input *in)
{
	for (size_t i = 0; i < ARRAY_SIZE(formats); i++) {
		if (formats[i]->detect && formats[i]->detect(in)) {
			return formats[i];
		}
	}
	return NULL;
}

bool reader_is_trace(struct input *in)
{
	return detect(in) != NULL;
}

/* The first bytes of a native trace's files, for users who name a file instead of the directory. */
static const struct trace_part {
	const char *bytes;
	size_t length;
	const char *what;
	unsigned int depth; /* depth below the folder; 0: may be outside */
} trace_parts[] = {
	{ CTF_SIGNATURE, sizeof(CTF_SIGNATURE) - 1, "the metadata", 1 },
	{ "\xc1\x1f\xfc\xc1", 4, "a stream", 1 },
	{ "\xc1\xfc\x1f\xc1", 4, "a stream", 1 },
	{ "\xc1\xf1\xdc\xc1", 4, "an index", 2 },
	{ "WAYMARKA", 8, "the memory", 0 },
};

static bool is_part_of_a_trace(struct input *in, struct read_error *error)
{
	for (size_t i = 0; i < ARRAY_SIZE(trace_parts); i++) {
		const struct trace_part *p = &trace_parts[i];

		if (input_has(in, p->length) && memcmp(in->pos, p->bytes, p->length) == 0) {
			read_error_set(
				error, "%s of a native trace: give the trace's directory", p->what);
			error->depth = p->depth;
			return true;
		}
	}
	return false;
}

static bool is_native(const struct reader *r)
{
	for (size_t i = 0; i < r->trace_count; i++) {
		const struct reader *own = r->traces[i].reader ? r->traces[i].reader : r;

		if (own->format != &reader_ctf) {
			return false;
		}
	}
	return true;
}

bool reader_declares_all(const struct reader *r)
{
	return is_native(r);
}

bool reader_is_ordered(const struct reader *r)
{
	return is_native(r);
}

static struct reader *open_input(
	struct input *in, const struct reader_options *options, struct read_error *error)
{
	struct stat status;

	if (options->follow && fstat(in->fd, &status) == 0 && S_ISREG(status.st_mode)) {
		read_error_set(error, "only a native trace, which is a directory, or a pipe can be "
				      "followed");
		return NULL;
	}
	in->on_wait = options->on_wait;
	in->on_wait_data = options->data;
	const struct reader_format *format = options->no_header ? &reader_simple : detect(in);

	if (format) {
		return format->open(in, options, error);
	}
	if (in->error) {
		read_error_set(error, "cannot read: %s", strerror(in->error));
	} else if (!input_has(in, 1)) {
		read_error_set(error, "the file is empty");
	} else if (!is_part_of_a_trace(in, error)) {
		read_error_set(error, "not a trace: it does not begin as any format known here");
	}
	return NULL;
}

static struct reader *open_directory(
	int fd, const struct reader_options *options, struct read_error *error)
{
	struct reader *r = NULL;

	read_error_set(error, "a directory, not a trace file");
	for (size_t i = 0; i < ARRAY_SIZE(formats) && !r && !options->no_header; i++) {
		if (formats[i]->open_directory) {
			r = formats[i]->open_directory(fd, options, error);
		}
	}
	return r;
}

/* Takes ownership of the input; closes it on failure, and for a directory. */
static struct reader *open_any(
	struct input *in, const struct reader_options *options, struct read_error *error)
{
	struct stat status;
	bool directory = fstat(in->fd, &status) == 0 && S_ISDIR(status.st_mode);
	struct reader *r =
		directory ? open_directory(in->fd, options, error) : open_input(in, options, error);

	if (directory || !r) {
		input_fini(in);
	}
	return r;
}

struct reader *reader_open_fd(
	int fd, const struct reader_options *options, struct read_error *error)
{
	struct input in;

	input_init(&in, fd);
	return open_any(&in, options, error);
}

struct reader *reader_open(
	const char *path, const struct reader_options *options, struct read_error *error)
{
	struct input in;
	int failed = input_open(&in, path);

	if (failed) {
		read_error_because(error, "cannot open", failed);
		return NULL;
	}
	struct reader *r = open_any(&in, options, error);

	if (!r) {
		/* The trace's directory, unless the path has none. */
		const char *end = path + strlen(path);
		unsigned int depth = error->depth;
		char why[80];

		for (unsigned int i = error->depth; i > 0 && end; i--) {
			end = memrchr(path, '/', (size_t)(end - path));
		}
		if (error->depth > 0 && end > path) {
			snprintf(why, sizeof(why), "%.79s", error->text);
			read_error_set(error, "%s, '%.*s'", why, (int)(end - path), path);
			error->depth = depth;
		}
	}
	return r;
}

void outline_add(struct reader_outline *o, uint32_t tid, int64_t first_ns, int64_t last_ns)
{
	vec_foreach (struct outline_thread *, t, &o->threads) {
		if (t->trace == 0 && t->tid == tid) {
			t->first_ns = first_ns < t->first_ns ? first_ns : t->first_ns;
			t->last_ns = last_ns > t->last_ns ? last_ns : t->last_ns;
			return;
		}
	}
	vec_push(&o->threads, ((struct outline_thread){ 0, tid, first_ns, last_ns }));
}

void reader_reserve_values(struct reader *r, size_t count)
{
	if (count > r->value_capacity) {
		r->values = xrealloc(r->values, count * sizeof(*r->values));
		r->value_capacity = count;
	}
}

struct event_class *reader_add_class(struct reader *r, uint64_t id, const char *name, size_t length)
{
	bool created;
	struct event_class *class = classes_make(&r->classes, name, length, &created);

	classes_bind(&r->classes, id, class);
	if (created) {
		class->id = id;
	}
	if (created && r->declarations) {
		class->event = model_find(r->declarations, class->name);
		reader_reserve_values(r, class->event ? class->event->arg_count : 0);
	}
	return class;
}
