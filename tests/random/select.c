/* SPDX-License-Identifier: MIT */
/*
 * random-select TRACE: reads lines of `EVENT EXPRESSION`, and prints for each a digit for each
 * record of the event in the trace: 1 if the reader finds the expression true. Prints `! reason`
 * for one that is wrong, or does not fit the event. Lines of one event in a row are read together.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"
#include "read/reader.h"
#include "read/where.h"

#define LINE_BYTES 65536
#define EVENT_BYTES 64
#define RECORDS_MAX 4096
#define QUESTIONS_MAX 512

/* An expression of the event, and its answer. */
struct question {
	struct where *where; /* NULL: wrong */
	char answer[RECORDS_MAX];
};

static struct question questions[QUESTIONS_MAX];
static size_t count;
static char event[EVENT_BYTES]; /* of the questions */

static _Noreturn void fail(const char *what)
{
	fprintf(stderr, "random-select: %s\n", what);
	exit(1);
}

static void ask(const char *text)
{
	struct question *q = &questions[count++];
	struct expr_error error;

	q->where = where_parse(text, &error);
	snprintf(q->answer, sizeof(q->answer), "! %s", q->where ? "no record" : error.text);
}

/* Answers all questions for a record, the event's `k`th. */
static void answer_for(struct reader *r, const struct record *rec, size_t k)
{
	for (size_t i = 0; i < count; i++) {
		struct question *q = &questions[i];

		if (!q->where) {
			continue;
		}
		if (!where_fits(q->where, rec->class)) {
			strcpy(q->answer, "! it does not fit");
			continue;
		}
		q->answer[k] = where_passes(q->where, r, rec) ? '1' : '0';
		q->answer[k + 1] = '\0';
	}
}

static void answer(const char *trace)
{
	const struct reader_options options = { 0 };
	struct read_error error;
	struct reader *r = reader_open(trace, &options, &error);
	struct record rec;
	size_t k = 0;

	if (!r) {
		fail(error.text);
	}
	while (reader_next(r, &rec) == READ_RECORD && k + 2 < RECORDS_MAX) {
		if (rec.class && strcmp(rec.class->name, event) == 0) {
			answer_for(r, &rec, k++);
		}
	}
	for (size_t i = 0; i < count; i++) {
		puts(questions[i].answer);
		where_free(questions[i].where);
	}
	reader_close(r);
	count = 0;
}

int main(int argc, char **argv)
{
	static char line[LINE_BYTES];

	if (argc != 2) {
		fail("usage: random-select TRACE");
	}
	while (fgets(line, sizeof(line), stdin)) {
		line[strcspn(line, "\n")] = '\0';
		char *text = strchr(line, ' ');

		if (!text) {
			fail("a line without an expression");
		}
		*text = '\0';
		if (count == QUESTIONS_MAX || strcmp(line, event) != 0) {
			answer(argv[1]);
		}
		snprintf(event, sizeof(event), "%.*s", EVENT_BYTES - 1, line);
		ask(text + 1);
	}
	answer(argv[1]);
	return 0;
}
