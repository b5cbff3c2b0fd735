/* SPDX-License-Identifier: MIT */
/*
 * Any questions of the page of `waymark view` about any trace: lines like /api/tile?from=0&to=9 up
 * to a NUL, then an input of fuzz_reader.c. Answers must be JSON if their type says so. Their
 * traces are opened again for each question, as the command does.
 */
#define LLVMFuzzerTestOneInput read_trace
#include "reader_input.h"
#undef LLVMFuzzerTestOneInput

#include <jansson.h>
#include <stdarg.h>

#include "cmd/view/answer/answers.h"
#include "cmd/view/viewer/cache.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define QUESTIONS_MAX 24
#define ARGUMENTS_MAX 10

static char *questions; /* the lines; ends with a NUL */

/* ---- What the command has ---- */

struct reader *session_open_again(
	const struct session *s, struct filter *filter, struct read_error *error)
{
	char path[64];

	(void)s;
	filter_init(filter);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", input.fd);
	return reader_open(input.fd < 0 ? directory : path, &input.options, error);
}

struct reader *session_open_beside(const struct session *s, struct filter *filter)
{
	struct read_error ignored;

	return session_open_again(s, filter, &ignored);
}

struct reader *session_read_again(struct session *s)
{
	struct reader *before = s->reader;
	struct filter filter;
	struct reader *r = session_open_beside(s, &filter);

	filter_fini(&filter);
	if (!r) {
		return NULL;
	}
	s->reader = r;
	return before;
}

void cache_init(struct cache *c, struct viewer *v)
{
	*c = (struct cache){ .viewer = v };
}

void cache_fini(struct cache *c)
{
	(void)c;
}

bool cache_load(struct cache *c)
{
	(void)c;
	return false;
}

void cache_save(struct cache *c)
{
	(void)c;
}

void session_say(struct session *s, const char *fmt, ...)
{
	(void)s;
	(void)fmt;
	abort();
}

/* ---- Questions ---- */

struct arguments {
	char *names[ARGUMENTS_MAX];
	char *values[ARGUMENTS_MAX];
	size_t count;
};

static const char *get(void *arguments, const char *name)
{
	const struct arguments *a = arguments;

	for (size_t i = 0; i < a->count; i++) {
		if (strcmp(a->names[i], name) == 0) {
			return a->values[i];
		}
	}
	return NULL;
}

/* Cuts a query into its arguments. */
static void parse(struct arguments *a, char *query)
{
	char *word;

	*a = (struct arguments){ 0 };
	while (a->count < ARGUMENTS_MAX && (word = strsep(&query, "&"))) {
		a->names[a->count] = strsep(&word, "=");
		a->values[a->count++] = word;
	}
}

/* Makes bytes that are no UTF-8, which are halves of surrogates, characters that jansson takes. */
static void join_surrogates(struct out *out)
{
	char *end = out->data + out->len;

	for (char *at = out->data; (at = memmem(at, (size_t)(end - at), "\\udc", 4)); at += 4) {
		memcpy(at, "\\u00", 4);
	}
}

static void check(struct view_reply *reply, unsigned int status)
{
	if (status != 200 && status != 400) {
		abort();
	}
	if (strcmp(reply->type, "application/json") == 0) {
		join_surrogates(&reply->out);
		json_t *value = json_loadb(reply->out.data, reply->out.len,
			JSON_DECODE_ANY | JSON_DECODE_INT_AS_REAL | JSON_ALLOW_NUL, NULL);

		if (!value) {
			fprintf(stderr, "no JSON: %.*s\n", (int)reply->out.len, reply->out.data);
			abort();
		}
		json_decref(value);
	}
}

static void ask(struct viewer *v, char *line)
{
	volatile sig_atomic_t is_over = 0;
	const char *path = strsep(&line, "?");
	struct view_reply reply = { 0 };
	struct arguments arguments;

	parse(&arguments, line);
	const struct question q = { get, &arguments, &is_over };

	out_init(&reply.out, OUT_TO_MEMORY);
	unsigned int status = view_answer(v, path, &q, &reply);

	if (reply.stream) {
		while (reply.stream->more(reply.stream, &reply.out)) {
		}
		reply.stream->close(reply.stream);
	}
	if (status != 404) {
		check(&reply, status);
	}
	out_fini(&reply.out);
}

static void read_all(struct reader *r, unsigned int options)
{
	static const char *const names[] = { "trace" };
	struct session session = { .traces = names, .trace_count = 1, .trace = names[0] };
	struct viewer v;
	char *line;

	(void)r; /* the pass may replace its reader */
	(void)options;
	session.reader = session_open_beside(&session, &session.filter);
	if (!session.reader) {
		return;
	}
	if (!viewer_begin(&v, &session, NULL)) {
		abort();
	}
	viewer_wait(&v);
	for (size_t i = 0; i < QUESTIONS_MAX && (line = strsep(&questions, "\n")); i++) {
		ask(&v, line);
	}
	viewer_end(&v);
	reader_close(session.reader);
	filter_fini(&session.filter);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint8_t *end = memchr(data, '\0', size);
	size_t length = end ? (size_t)(end - data) : size;
	char *text = strndup((const char *)data, length);

	questions = text;
	read_trace(end ? end + 1 : data + size, end ? size - length - 1 : 0);
	free(text);
	return 0;
}
