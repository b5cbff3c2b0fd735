/* SPDX-License-Identifier: MIT */
/*
 * check [--overwritten] COUNTS [FIRST [LAST]] < LINES: checks that the lines which `waymark print`
 * or babeltrace2 printed of a victim's trace have each event whose call had returned,
 * complete, once and in order: of each thread as many as the file COUNTS says, or one more,
 * which was recorded but not counted yet. Threads outside FIRST to LAST have none.
 * --overwritten: events may be missing, but none appears twice or after the counted ones.
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "victim.h"

static uint64_t next[THREADS_MAX];
static bool overwritten;

/* Reads the number after `key`; *rest is set to the text after it. */
static bool number(const char *line, const char *key, uint64_t *value, const char **rest)
{
	const char *at = strstr(line, key);
	char *end;

	if (!at) {
		return false;
	}
	at += strlen(key);
	*value = strtoull(at, &end, 10);
	*rest = end;
	return end != at;
}

static bool text_is_right(const char *rest, const char *key, uint64_t thread, uint64_t step)
{
	size_t length = (step * 7 + thread) % 60 + 1;
	const char *at = strstr(rest, key);
	char text[64];

	memset(text, 'a' + (int)(step % 26), length);
	return at && strncmp(at + strlen(key), text, length) == 0 &&
	       strchr("\"\n", at[strlen(key) + length]);
}

static bool take(const char *line, bool babeltrace)
{
	uint64_t thread, step;
	const char *rest;

	if (!number(line, babeltrace ? "thread = " : "thread ", &thread, &rest) ||
		!number(rest, babeltrace ? "step = " : "step ", &step, &rest) ||
		thread >= THREADS_MAX) {
		printf("no event: %s", line);
		return false;
	}
	if (overwritten ? step < next[thread] : step != next[thread]) {
		printf("thread %" PRIu64 ": event %" PRIu64 " where %" PRIu64 " was due\n", thread,
			step, next[thread]);
		return false;
	}
	if (strstr(line, "live_text") &&
		!text_is_right(rest, babeltrace ? "text = \"" : " text ", thread, step)) {
		printf("torn: %s", line);
		return false;
	}
	next[thread] = step + 1;
	return true;
}

static bool compare(const char *path, uint64_t first, uint64_t last)
{
	static uint64_t counts[THREADS_MAX];
	FILE *f = fopen(path, "r");
	bool good = f && fread(counts, sizeof(counts), 1, f) == 1;

	if (!good) {
		perror(path);
	}
	for (uint64_t i = 0; good && i < THREADS_MAX; i++) {
		uint64_t due = i >= first && i <= last ? counts[i] : 0;

		if ((next[i] < due && !overwritten) || next[i] > due + (i >= first && i <= last)) {
			printf("thread %" PRIu64 ": %" PRIu64 " events, not %" PRIu64 "\n", i,
				next[i], due);
			good = false;
		}
	}
	if (f) {
		fclose(f);
	}
	return good;
}

int main(int argc, char **argv)
{
	static char line[65536];
	uint64_t events = 0;

	overwritten = argc > 1 && strcmp(argv[1], "--overwritten") == 0;
	argv += overwritten;
	argc -= overwritten;
	bool good = argc > 1;

	while (good && fgets(line, sizeof(line), stdin)) {
		if (overwritten && line[0] == '#') {
			continue; /* a gap */
		}
		good = take(line, strchr(line, '{') != NULL);
		events++;
	}
	uint64_t first = argc > 2 ? strtoull(argv[2], NULL, 10) : 0;
	uint64_t last = argc > 3 ? strtoull(argv[3], NULL, 10) : THREADS_MAX;

	good = good && compare(argv[1], first, last);
	if (good) {
		printf("%" PRIu64 "\n", events);
	}
	return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
